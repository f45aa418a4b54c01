/**
 * The members of a body and the query parameters that an operation does not know: they are listed to the caller, or
 * refused (decision 0076). Loaded with the first request that changes data.
 */

import { Fault } from "../kernel/faults.ts";
import { nearest } from "../kernel/nearest.ts";
import type { Operation } from "../kernel/operation/operation.ts";
import { canRehearse, DRY_RUN, isDryRunName } from "../kernel/operation/rehearsal.ts";
import { withFaultsOf } from "../kernel/parse.ts";
import type { DialectRules } from "./dialects.ts";
import { type Inside, insidesOf, type Known } from "./known-members.ts";
import { decodedName, type HttpRequest } from "./request.ts";

/** Members in one response. */
const UNKNOWN_MAX = 20;
const PATH_LENGTH_MAX = 200;
/** Names that a path shows without quotes. */
const PLAIN = /^[\w$-]+$/;
/** Everything but printable ASCII; the percent sign, which escapes, and the comma, which separates paths; quotes. */
const UNSAFE = /[^\x20-\x7E]|[%,"\\]/u;
/** Anybody may define an extension of SCIM under a URN (RFC 7643 section 10). */
const EXTENSION = /^urn:/i;

/** A request and the operation that it calls. */
export interface Sent {
  readonly declared: Operation;
  readonly request: HttpRequest;
  /** Decoded, not yet parsed with the operation's schema. */
  readonly body: unknown;
  readonly rules: DialectRules;
}

/** The headers of the response, and a fault where the request is refused. */
export interface Handled {
  readonly headers: Readonly<Record<string, string>>;
  readonly refused?: Fault;
  /** Sentences about ignored members that were probably meant for known ones. */
  readonly hint?: string;
}

/** One member or parameter that an operation does not know. */
interface Unknown {
  /** Where it is: `body.steps[0].x`, `query.x`. */
  readonly place: string;
  /** A known name that it may have been meant for. */
  readonly nearest: string | undefined;
}

/**
 * Lists the first 20 unknown members and parameters in `Ignored-Members`, or refuses them with `request.malformed`: as
 * `Prefer: handling=` says (RFC 7240 section 4.4), else as `isStrict` does. Takes time linear in what was sent.
 */
export function handleUnknown(sent: Sent, isStrict: boolean): Handled {
  const preferred = preferredHandling(sent.request.headers.prefer ?? "");
  const headers: Handled["headers"] = preferred === undefined ? {} : { "preference-applied": `handling=${preferred}` };
  const unknown = unknownIn(sent);
  if (unknown.length === 0) return { headers };
  if (preferred === undefined ? isStrict : preferred === "strict") return { headers, refused: refusal(unknown, sent) };
  const hint = sentences(unknown.filter(({ nearest: meant }) => meant !== undefined));
  return {
    headers: { ...headers, "ignored-members": unknown.map(({ place }) => shown(place)).join(", ") },
    ...(hint !== "" && { hint }),
  };
}

/** What `Prefer: handling=` says, of several the first; `undefined` where it says nothing that is known. */
function preferredHandling(prefer: string): "strict" | "lenient" | undefined {
  // Quotes around the value mean nothing; a comma in another quoted value separates nothing.
  const preferences = prefer.replace(/"([\w-]*)"/g, "$1").replace(/"[^"]*"/g, "");
  const value = /(?:^|,)\s*handling\s*=\s*([^\s,;]*)/i.exec(preferences)?.[1]?.toLowerCase();
  return value === "strict" || value === "lenient" ? value : undefined;
}

function refusal(unknown: readonly Unknown[], { declared, body }: Sent): Fault {
  const refused = new Fault(
    "request.malformed",
    `${sentences(unknown)} Correct or remove it, or send Prefer: handling=lenient, which ignores it.`,
  );
  return declared.body && body !== undefined ? withFaultsOf(declared.body, body, refused) : refused;
}

function sentences(unknown: readonly Unknown[]): string {
  const named = unknown.map(({ place, nearest: meant }) =>
    meant === undefined ? `${escaped(place)} is unknown.` : `${escaped(place)} is unknown: did you mean ${meant}?`,
  );
  return named.join(" ");
}

function unknownIn({ declared, request, body, rules }: Sent) {
  const { body: shape, media = "json", query, patches, success } = declared;
  const fold = rules.ignoresQueryCase ? (name: string) => name.toLowerCase() : (name: string) => name;
  const known = [...Object.keys(query?.shape ?? {}), ...(canRehearse(declared) ? [DRY_RUN] : [])];
  const found = parametersIn(known, request.rawQuery, fold);
  if (shape && media === "json") new Search(found, fold).visit(body, [shape], "body");
  if (patches) new Search(found, fold).visitPatch(body, [patches, ...(success.body ? [success.body] : [])]);
  return found.slice(0, UNKNOWN_MAX);
}

function parametersIn(known: readonly string[], rawQuery: string, fold: (name: string) => string): Unknown[] {
  const folded = new Set(known.map(fold));
  return rawQuery
    .split("&")
    .filter((pair) => pair !== "")
    .map((pair) => decodedName(pair.split("=", 1)[0] ?? ""))
    .filter((name) => !folded.has(fold(name)) && !(folded.has(fold(DRY_RUN)) && isDryRunName(name)))
    .slice(0, UNKNOWN_MAX)
    .map((name) => ({ place: `query.${name}`, nearest: nearest(name, known) }));
}

/** What objects of a place may have inside. */
interface Members {
  /** By folded name; absent where any member is known. */
  readonly named?: ReadonlyMap<string, readonly Known[]>;
  readonly names: readonly string[];
  readonly values: readonly Known[];
}

class Search {
  readonly #found: Unknown[];
  readonly #fold: (name: string) => string;
  /** A list has one place for all of its elements: each is compared with the same members. */
  readonly #members = new WeakMap<readonly Known[], Members>();

  constructor(found: Unknown[], fold: (name: string) => string) {
    this.#found = found;
    this.#fold = fold;
  }

  /** Visits a value that may have any of some shapes. */
  visit(value: unknown, shapes: readonly Known[], place: string): void {
    if (value === null || typeof value !== "object" || this.#found.length >= UNKNOWN_MAX) return;
    if (Array.isArray(value)) {
      const elements = shapes.flatMap(insidesOf).flatMap<Known>((inside) => inside.elements ?? []);
      if (elements.length === 0) return;
      for (const [at, each] of value.entries()) this.visit(each, elements, `${place}[${at}]`);
      return;
    }
    const { named, names, values } = this.#membersOf(shapes);
    for (const [name, member] of Object.entries(value)) {
      const inside = named ? named.get(this.#fold(name)) : values;
      // A member that is null means the same as an absent one.
      if (inside) this.visit(member, inside, placeOf(place, name));
      else if (member !== null && !EXTENSION.test(name) && this.#found.length < UNKNOWN_MAX) {
        this.#found.push({ place: placeOf(place, name), nearest: nearest(name, names) });
      }
    }
  }

  /**
   * Visits the attributes in operations of a PATCH of SCIM that have no path (RFC 7644 section 3.5.2.1). Their names
   * may be paths themselves, of which the first part is compared.
   */
  visitPatch(body: unknown, shapes: readonly Known[]): void {
    for (const [at, operation] of listOf(memberOf(body, "operations")).entries()) {
      const { path, value } = { path: memberOf(operation, "path"), value: memberOf(operation, "value") };
      if (path !== undefined && path !== null) continue;
      const [only, ...others] = listOf(value);
      const attributes = Array.isArray(value) && others.length === 0 ? only : value;
      if (typeof attributes !== "object" || attributes === null || Array.isArray(attributes)) continue;
      const entries = Object.entries(attributes);
      const plain = entries.filter(([name]) => !/[.[]/.test(name) || EXTENSION.test(name));
      const roots = entries.filter(([name]) => /[.[]/.test(name)).map(([name]) => [name.split(/[.[]/, 1)[0], ""]);
      for (const known of [plain, roots]) {
        this.visit(Object.fromEntries(known), shapes, `body.Operations[${at}].value`);
      }
    }
  }

  #membersOf(shapes: readonly Known[]): Members {
    const before = this.#members.get(shapes);
    if (before) return before;
    const members = this.#read(shapes.flatMap(insidesOf));
    this.#members.set(shapes, members);
    return members;
  }

  #read(insides: readonly Inside[]): Members {
    const lists = insides.flatMap(({ members }) => members ?? []);
    const values = insides.flatMap<Known>(({ values: each }) => each ?? []);
    if (lists.length === 0) return { names: [], values };
    const named = new Map<string, readonly Known[]>();
    for (const [name, member] of lists.flatMap((list) => Object.entries(list))) {
      named.set(this.#fold(name), [...(named.get(this.#fold(name)) ?? []), member]);
    }
    return { named, names: lists.flatMap((list) => Object.keys(list)), values };
  }
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** The member of an object, in any letter case. */
function memberOf(value: unknown, name: string): unknown {
  if (typeof value !== "object" || value === null) return undefined;
  return Object.entries(value).find(([each]) => each.toLowerCase() === name)?.[1];
}

function placeOf(parent: string, name: string): string {
  const short = name.slice(0, PATH_LENGTH_MAX);
  return PLAIN.test(short) ? `${parent}.${short}` : `${parent}['${short}']`;
}

/** A place in the header: a path in the body, or a question mark with the name of a parameter. */
function shown(place: string): string {
  return escaped(place.startsWith("query.") ? place.replace("query.", "?") : place.replace(/^body\.?/, ""));
}

/** At most 200 characters of printable ASCII: others are escaped as in URLs. */
function escaped(place: string): string {
  let text = "";
  for (const char of place.toWellFormed()) {
    const next = UNSAFE.test(char) ? encodeURIComponent(char) : char;
    if (text.length + next.length > PATH_LENGTH_MAX) break;
    text += next;
  }
  return text;
}
