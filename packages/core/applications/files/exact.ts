/**
 * What the format cannot say, written beside it: an application of this service may have several callbacks, origins, ids of
 * claims, text with control characters. An export holds, in one element that upstream does not know and passes over, the
 * value of every member that would be read back otherwise, with a fingerprint of what would be read. An import takes the
 * value only while the file still reads that way, so a file that somebody edited says what it was edited to. Pure.
 */
import { createHash } from "node:crypto";
import * as z from "zod";
import type { Json } from "./parts.ts";
import { refuseFile } from "./read-xml.ts";
import { childrenOf, type Element, element } from "./tree.ts";

/** The element that holds it, as JSON. */
export const EXACT = "ExactSettings";

const DEPTH_MAX = 12;
const ENTRIES_MAX = 10_000;

/** One member: where it is, the fingerprint of what is read for it, and what it is; absent for a member that is not there. */
interface Exact {
  readonly at: readonly (string | number)[];
  readonly read: string;
  readonly value?: unknown;
}

/** Assigning to `__proto__` would give an object another prototype; no setting has the other names. */
const FORBIDDEN: ReadonlySet<string> = new Set(["__proto__", "constructor", "prototype"]);

const Name = z
  .string()
  .max(255)
  .refine((name) => !FORBIDDEN.has(name));

const Exacts = z
  .array(
    z.object({
      at: z
        .array(z.union([Name, z.int().min(0).max(100_000)]))
        .min(1)
        .max(DEPTH_MAX),
      read: z.string().max(64),
      value: z.unknown().optional(),
    }),
  )
  .max(ENTRIES_MAX);

/** The element for settings that a file reads back as `read`; none where nothing differs. */
export function exactElement(read: Json, meant: Json): readonly Element[] {
  const found = differences(canonical(read), canonical(meant));
  // JSON may hold two characters as they are that XML cannot.
  const text = JSON.stringify(found).replace(/[\uFFFE\uFFFF]/g, (char) => `\\u${char.charCodeAt(0).toString(16)}`);
  return found.length === 0 ? [] : [element(EXACT, text)];
}

/** The members that differ: as deep as they can be told apart, unless that would take longer to write. */
function differences(read: unknown, meant: unknown, at: Exact["at"] = []): readonly Exact[] {
  if (textOf(read) === textOf(meant)) return [];
  const whole = [{ at, read: fingerprint(read), ...(meant !== undefined && { value: meant }) }];
  const inside = at.length < DEPTH_MAX - 1 ? differencesInside(read, meant, at) : undefined;
  // The root is no member.
  return inside && (at.length === 0 || lengthOf(inside) < lengthOf(whole)) ? inside : whole;
}

function differencesInside(read: unknown, meant: unknown, at: Exact["at"]): readonly Exact[] | undefined {
  if (isPlain(read) && isPlain(meant)) {
    const names = [...new Set([...Object.keys(read), ...Object.keys(meant)])].sort();
    return names.flatMap((name) => differences(read[name], meant[name], [...at, name]));
  }
  if (Array.isArray(read) && Array.isArray(meant) && read.length === meant.length) {
    return meant.flatMap((each, index) => differences(read[index], each, [...at, index]));
  }
  return undefined;
}

function lengthOf(found: readonly Exact[]): number {
  return JSON.stringify(found).length;
}

/** What a file reads as, with the exact values that its export wrote beside it. Throws `application.invalid`. */
export function withExact(root: Element, read: Json): Json {
  const [holder] = childrenOf(root, EXACT);
  if (!holder) return read;
  const settings = structuredClone(read) as Record<string, unknown>;
  for (const { at, read: seen, value } of parseExacts(holder.text)) {
    if (fingerprint(memberAt(read, at)) === seen) change(settings, at, value);
  }
  return settings;
}

function parseExacts(text: string): readonly Exact[] {
  try {
    return Exacts.parse(JSON.parse(text)) as readonly Exact[];
  } catch {
    throw refused();
  }
}

/** Puts another member at a path, or takes one away; parts of the path that are not there are made. */
function change(settings: Record<string, unknown>, at: Exact["at"], member: unknown): void {
  let holder: object = settings;
  for (const name of at.slice(0, -1)) {
    const next = memberAt(holder, [name]);
    const inside = next !== null && typeof next === "object" ? next : {};
    put(holder, name, inside);
    holder = inside;
  }
  const last = at.at(-1) ?? "";
  if (member !== undefined) put(holder, last, member);
  else if (Array.isArray(holder)) throw refused();
  else delete (holder as Record<string | number, unknown>)[last];
}

/** The member at a path; `undefined` where there is none of its own. */
function memberAt(value: unknown, at: Exact["at"]): unknown {
  return at.reduce<unknown>((found, name) => {
    if (Array.isArray(found)) return typeof name === "number" ? found[name] : undefined;
    return typeof name === "string" && isPlain(found) && Object.hasOwn(found, name) ? found[name] : undefined;
  }, value);
}

/** Puts a member into an object under its name, or in the place of another one of a list, which has no other members. */
function put(holder: object, name: string | number, member: unknown): void {
  if (Array.isArray(holder) ? typeof name !== "number" || name >= holder.length : typeof name !== "string") {
    throw refused();
  }
  (holder as Record<string | number, unknown>)[name] = member;
}

function refused() {
  return refuseFile(`The element ${EXACT} is not as an export writes it. Remove it to import the rest of the file.`);
}

function fingerprint(value: unknown): string {
  return createHash("sha256").update(textOf(value)).digest("base64url").slice(0, 22);
}

function textOf(value: unknown): string {
  return JSON.stringify(canonical(value)) ?? "";
}

/** Members in one order, without those that are undefined: what is the same is written the same. */
function canonical(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(canonical);
  if (!isPlain(value)) return value;
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  return Object.fromEntries(
    members.sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, member]) => [name, canonical(member)]),
  );
}

function isPlain(value: unknown): value is Json {
  return value !== null && typeof value === "object" && !Array.isArray(value);
}
