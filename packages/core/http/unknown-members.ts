/**
 * The members of a body and the query parameters that an operation does not know (decision 0076). What it knows is
 * what the API document says of it: the JSON Schema of its contract. Loaded with the first request that changes data.
 */
import * as z from "zod";
import type { Operation } from "../operation/operation.ts";
import { Fault } from "../platform/faults.ts";
import { nearest } from "../platform/nearest.ts";

/** Members in one response. */
const UNKNOWN_MAX = 20;
const PATH_LENGTH_MAX = 200;
/** Names that a path shows without quotes. */
const PLAIN = /^[\w$-]+$/;
/** Characters of a header that need no escape; the percent sign and the comma, which separates paths, do. */
const UNSAFE = /[^\x20-\x7E]|[%,"\\]/gu;

type Schema = Readonly<Record<string, unknown>>;

/** One member or parameter that an operation does not know. */
export interface Unknown {
  /** Where it is: `body.steps[0].x`, `query.x`. */
  readonly place: string;
  /** A known name that it may have been meant for. */
  readonly nearest: string | undefined;
}

/** What was sent. */
export interface Sent {
  readonly body: unknown;
  /** Still encoded. */
  readonly rawQuery: string;
  /** Whether names are compared without case. */
  readonly ignoresCase: boolean;
}

const schemas = new WeakMap<z.ZodType, Schema>();

/**
 * The first 20 unknown members and parameters, in the order of the request; members that are null mean the same as
 * absent ones, and SCIM lets anybody define an extension under a URN. Takes time linear in what was sent.
 */
export function unknownIn(declared: Operation, { body, rawQuery, ignoresCase }: Sent): readonly Unknown[] {
  const found = parametersIn(declared, rawQuery, ignoresCase);
  const hasMembers = declared.body && (declared.media ?? "json") === "json";
  if (hasMembers && declared.body) {
    const root = schemaOf(declared.body);
    new Search(found, root.$defs as Readonly<Record<string, Schema>> | undefined, ignoresCase).visit(
      body,
      [root],
      "body",
    );
  }
  return found.slice(0, UNKNOWN_MAX);
}

/** The value of the header `Ignored-Members`: paths in the body; parameters begin with a question mark. */
export function ignoredHeader(unknown: readonly Unknown[]): string {
  return unknown
    .map(({ place }) => escaped(place.startsWith("query.") ? `?${place.slice(6)}` : place.replace(/^body\.?/, "")))
    .join(", ");
}

/** The refusal of unknown members. */
export function unknownRefused(unknown: readonly Unknown[]): Fault {
  const named = unknown.map(({ place, nearest: meant }) =>
    meant === undefined ? `${escaped(place)} is unknown.` : `${escaped(place)} is unknown: did you mean ${meant}?`,
  );
  return new Fault(
    "request.malformed",
    `${named.join(" ")} Correct or remove it, or send Prefer: handling=lenient, which ignores it.`,
  );
}

class Search {
  readonly #found: Unknown[];
  readonly #defs: Readonly<Record<string, Schema>>;
  readonly #ignoresCase: boolean;

  constructor(found: Unknown[], defs: Readonly<Record<string, Schema>> = {}, ignoresCase = false) {
    this.#found = found;
    this.#defs = defs;
    this.#ignoresCase = ignoresCase;
  }

  /** Visits a value that may have any of some schemas. */
  visit(value: unknown, possible: readonly Schema[], place: string): void {
    if (value === null || typeof value !== "object" || this.#found.length >= UNKNOWN_MAX) return;
    const fitting = possible.flatMap((schema) => this.#alternatives(schema));
    if (Array.isArray(value)) {
      const items = fitting.flatMap(({ items: each }) => (isSchema(each) ? [each] : []));
      if (items.length === 0) return;
      for (const [at, each] of value.entries()) this.visit(each, items, `${place}[${at}]`);
      return;
    }
    const lists = fitting.flatMap(({ properties }) => (isSchema(properties) ? [properties] : []));
    const further = fitting.flatMap(({ additionalProperties: each }) => (isSchema(each) ? [each] : []));
    // Without a list of members, an object may have any: a map, or a value that its own operation checks.
    if (lists.length === 0 && further.length === 0) return;
    const known = this.#membersOf(lists);
    for (const [name, member] of Object.entries(value)) {
      if (this.#found.length >= UNKNOWN_MAX) return;
      const inside = known.get(this.#folded(name)) ?? (lists.length === 0 ? further : undefined);
      if (inside) this.visit(member, inside, `${place}${stepTo(name)}`);
      else if (member !== null && !/^urn:/i.test(name)) {
        const names = lists.flatMap((list) => Object.keys(list));
        this.#found.push({ place: `${place}${stepTo(name)}`, nearest: nearest(name, names) });
      }
    }
  }

  #alternatives(schema: Schema): readonly Schema[] {
    const { $ref, anyOf, oneOf, allOf } = schema;
    if (typeof $ref === "string") {
      const name = $ref.replace(/^#\/\$defs\//, "");
      const target = this.#defs[name] ?? shapeNamed(name);
      return target ? this.#alternatives(target) : [];
    }
    const several = [anyOf, oneOf, allOf].flatMap((list) => (Array.isArray(list) ? (list as readonly Schema[]) : []));
    return several.length > 0 ? several.flatMap((each) => this.#alternatives(each)) : [schema];
  }

  #membersOf(lists: readonly Schema[]): ReadonlyMap<string, readonly Schema[]> {
    const known = new Map<string, readonly Schema[]>();
    for (const [name, member] of lists.flatMap((list) => Object.entries(list))) {
      const key = this.#folded(name);
      known.set(key, [...(known.get(key) ?? []), isSchema(member) ? member : {}]);
    }
    return known;
  }

  #folded(name: string): string {
    return this.#ignoresCase ? name.toLowerCase() : name;
  }
}

function schemaOf(shape: z.ZodType): Schema {
  const known = schemas.get(shape);
  if (known) return known;
  const schema = z.toJSONSchema(shape, { io: "input", unrepresentable: "any" }) as Schema;
  schemas.set(shape, schema);
  return schema;
}

/** The schema of a shape by its id. Contracts refer by id to a shape that is checked later than its body. */
function shapeNamed(id: string): Schema | undefined {
  const shape = z.globalRegistry._idmap.get(id);
  return shape && schemaOf(shape as z.ZodType);
}

function parametersIn({ query }: Operation, rawQuery: string, ignoresCase: boolean): Unknown[] {
  const names = Object.keys(query?.shape ?? {});
  const folded = (name: string) => (ignoresCase ? name.toLowerCase() : name);
  const known = new Set(names.map(folded));
  return rawQuery
    .split("&")
    .filter((pair) => pair !== "")
    .map((pair) => decoded(pair.split("=", 1)[0] ?? ""))
    .filter((name) => !known.has(folded(name)))
    .map((name) => ({ place: `query.${name}`, nearest: nearest(name, names) }));
}

/** The text of a parameter. An operation that declares no query parses none, so it may be invalid. */
function decoded(name: string): string {
  try {
    return decodeURIComponent(name.replaceAll("+", " "));
  } catch {
    return name;
  }
}

function stepTo(name: string): string {
  const short = name.slice(0, PATH_LENGTH_MAX);
  return PLAIN.test(short) ? `.${short}` : `['${short}']`;
}

/** At most 200 characters of printable ASCII: others are escaped as in URLs. */
function escaped(place: string): string {
  const text = place.toWellFormed().replace(UNSAFE, encodeURIComponent);
  return text.length > PATH_LENGTH_MAX ? text.slice(0, PATH_LENGTH_MAX).replace(/%[0-9A-F]?$/, "") : text;
}

function isSchema(given: unknown): given is Schema {
  return typeof given === "object" && given !== null && !Array.isArray(given);
}
