/**
 * Settings that the XML format cannot hold: several callbacks, allowed origins, ids of claims, control characters.
 *
 * An export adds one element that WSO2 Identity Server ignores. It lists each member that an import would read with
 * another value: its path, its value, and a fingerprint of what would be read instead. An import takes the value only
 * while the fingerprint still fits, so that an edit by hand wins. No path continues another one, so that an import
 * reads each setting once, however many entries there are. Pure.
 */
import { createHash } from "node:crypto";
import { checkJsonText } from "../../http/json.ts";
import * as z from "../../kernel/zod.ts";
import { isPlain, type Json } from "./parts.ts";
import { refuseFile } from "./read-xml.ts";
import { childrenOf, type Element, element } from "./tree.ts";

/** The element with the list, as JSON. */
export const EXACT = "ExactSettings";

const DEPTH_MAX = 12;
const ENTRIES_MAX = 10_000;
/** Members and elements of the list: an entry of the deepest path has 15, and an application 300,000 bytes. */
const JSON_LIMITS = { members: 100_000, elements: 200_000 };

/** One member: its path, the fingerprint of what an import reads, and its value; no value for an absent member. */
interface Exact {
  readonly at: readonly (string | number)[];
  readonly read: string;
  readonly value?: unknown;
}

/** Assigning to `__proto__` would change the prototype of an object. No setting has the other names. */
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

/** The element for settings `actual` that a file gives back as `read`; none if they are equal. */
export function exactElement(read: Json, actual: Json): readonly Element[] {
  const found = differences(canonical(read), canonical(actual));
  // JSON may contain two characters that XML cannot.
  const text = JSON.stringify(found).replace(/[\uFFFE\uFFFF]/g, (char) => `\\u${char.charCodeAt(0).toString(16)}`);
  return found.length === 0 ? [] : [element(EXACT, text)];
}

/** The members that differ, as deep as possible unless the whole is shorter to write. */
function differences(read: unknown, actual: unknown, at: Exact["at"] = []): readonly Exact[] {
  if (textOf(read) === textOf(actual)) return [];
  const whole = [{ at, read: fingerprint(read), ...(actual !== undefined && { value: actual }) }];
  const inside = at.length < DEPTH_MAX - 1 ? differencesInside(read, actual, at) : undefined;
  // The root itself is not a member.
  return inside && (at.length === 0 || lengthOf(inside) < lengthOf(whole)) ? inside : whole;
}

function differencesInside(read: unknown, actual: unknown, at: Exact["at"]): readonly Exact[] | undefined {
  if (isPlain(read) && isPlain(actual)) {
    const names = [...new Set([...Object.keys(read), ...Object.keys(actual)])].sort();
    return names.flatMap((name) => differences(read[name], actual[name], [...at, name]));
  }
  if (Array.isArray(read) && Array.isArray(actual) && read.length === actual.length) {
    return actual.flatMap((each, index) => differences(read[index], each, [...at, index]));
  }
  return undefined;
}

function lengthOf(found: readonly Exact[]): number {
  return JSON.stringify(found).length;
}

/** The settings that were read from a file, with the exact values in it. Throws `application.invalid`. */
export function withExact(root: Element, read: Json): Json {
  const [list] = childrenOf(root, EXACT);
  if (!list) return read;
  const settings = structuredClone(read) as Record<string, unknown>;
  for (const { at, read: seen, value } of parseExacts(list.text)) {
    if (fingerprint(memberAt(read, at)) === seen) setAt(settings, at, value);
  }
  return settings;
}

function parseExacts(text: string): readonly Exact[] {
  let exacts: readonly Exact[];
  try {
    checkJsonText(text, JSON_LIMITS);
    exacts = Exacts.parse(JSON.parse(text)) as readonly Exact[];
  } catch {
    throw refused();
  }
  checkDistinct(exacts);
  return exacts;
}

/** What follows a part of paths; nothing follows the end of one. */
interface Branch extends Map<string | number, Branch | typeof END> {}
const END = "end";

/** Refuses a path that is equal to another one, continues it, or begins it. */
function checkDistinct(exacts: readonly Exact[]): void {
  const root: Branch = new Map();
  for (const { at } of exacts) {
    let branch = root;
    for (const name of at.slice(0, -1)) {
      const next: Branch | typeof END = branch.get(name) ?? new Map();
      if (next === END) throw refused();
      branch.set(name, next);
      branch = next;
    }
    const last = at.at(-1) ?? "";
    if (branch.has(last)) throw refused();
    branch.set(last, END);
  }
}

/** Sets the member at a path, or deletes it. Creates missing parts of the path. */
function setAt(settings: Record<string, unknown>, at: Exact["at"], member: unknown): void {
  let parent: object = settings;
  for (const name of at.slice(0, -1)) {
    const next = memberAt(parent, [name]);
    const inside = next !== null && typeof next === "object" ? next : {};
    setMember(parent, name, inside);
    parent = inside;
  }
  const last = at.at(-1) ?? "";
  if (member !== undefined) setMember(parent, last, member);
  else if (Array.isArray(parent)) throw refused();
  else delete (parent as Record<string | number, unknown>)[last];
}

/** The own member at a path. */
function memberAt(value: unknown, at: Exact["at"]): unknown {
  return at.reduce<unknown>((found, name) => {
    if (Array.isArray(found)) return typeof name === "number" ? found[name] : undefined;
    return typeof name === "string" && isPlain(found) && Object.hasOwn(found, name) ? found[name] : undefined;
  }, value);
}

/** Sets a member of an object by name, or an existing item of a list by index. */
function setMember(parent: object, name: string | number, member: unknown): void {
  if (Array.isArray(parent) ? typeof name !== "number" || name >= parent.length : typeof name !== "string") {
    throw refused();
  }
  (parent as Record<string | number, unknown>)[name] = member;
}

function refused() {
  return refuseFile(
    `The element ${EXACT} is damaged, has a setting twice, or more than ${ENTRIES_MAX} entries or 30 levels. Remove it to import the rest of the file.`,
  );
}

function fingerprint(value: unknown): string {
  return createHash("sha256").update(textOf(value)).digest("base64url").slice(0, 22);
}

function textOf(value: unknown): string {
  return JSON.stringify(canonical(value)) ?? "";
}

/** Members in one order and without undefined ones, so that equal values have equal texts. */
function canonical(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(canonical);
  if (!isPlain(value)) return value;
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  return Object.fromEntries(
    members.sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, member]) => [name, canonical(member)]),
  );
}
