/**
 * Which attributes of users can have an index, and the values that an index holds of a user (decision 0095). Writers of
 * indexes and lists that read them must agree on both.
 */
import { type Operand, pathName } from "./filter/bound.ts";
import { comparable } from "./filter/literal.ts";
import { elementsOf, memberOf } from "./resource.ts";
import type { Attribute, Json, Resource } from "./schema/attribute.ts";
import { type AttributePath, attributeNamed, resolveName } from "./schema/paths.ts";
import { userType } from "./schema/resource-types.ts";

/** An attribute of users that can have an index. */
export interface IndexedAttribute {
  /** As `pathName` writes it: `emails.value`, `urn:...:User:department`. */
  readonly name: string;
  readonly path: AttributePath;
  readonly caseExact: boolean;
  /** Whether a user may have several values. */
  readonly isMultiValued: boolean;
  /** The sub-attribute by which filters choose among the elements: `emails[type eq "work" and value co "x"]`. */
  readonly facet: "type" | undefined;
  /**
   * Of times, each change of the user may bring a new value, and the newest are next to each other: their indexes stand
   * behind a log (decision 0130).
   */
  readonly kind: "string" | "boolean" | "time";
}

/** A value in the form in which filters compare it, and the facet of its element. */
export interface IndexedValue {
  readonly value: string;
  /** "" without one. */
  readonly facet: string;
}

/** Attributes of the service: they are no part of what clients store, have an index of their own, or are secret. */
const withoutIndex: ReadonlySet<string> = new Set([
  "schemas",
  "id",
  "meta",
  "password",
  "groups",
  // Filters see the roles that are assigned to a user among them, and their names change without the user.
  "roles",
]);

/** Times that the service keeps of every user. */
const TIMES: ReadonlySet<string> = new Set(["meta.created", "meta.lastModified"]);

const FACET = "type";
/** A text of `instantOf` with digits alone. */
const INSTANT = /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)(\d{9})$/;
const INSTANT_DIGITS = 23;

/**
 * The attribute with a name, in any notation of filters (`emails` is `emails.value`). `undefined` where it cannot have
 * an index: an unknown name, a complex attribute without `value`, a number, a certificate, an attribute that clients
 * cannot write, and those that the service keeps itself but for the times of users.
 */
export function indexedAttribute(name: string): IndexedAttribute | undefined {
  const path = comparedPath(name);
  if (path && !path.extension && TIMES.has(pathName(path))) {
    return { name: pathName(path), path, caseExact: false, isMultiValued: false, facet: undefined, kind: "time" };
  }
  if (!path || withoutIndex.has(path.attribute.name)) return undefined;
  const { attribute, sub } = path;
  const compared = sub ?? attribute;
  const kind = kindOf(compared);
  if (!kind || !isWritable(attribute) || !isWritable(compared)) return undefined;
  const hasFacet = attribute.multiValued && kind === "string" && sub !== undefined && sub.name !== FACET;
  return {
    name: pathName(path),
    path,
    caseExact: compared.caseExact,
    isMultiValued: attribute.multiValued,
    facet: hasFacet && attributeNamed(attribute.subAttributes ?? [], FACET) ? FACET : undefined,
    kind,
  };
}

/**
 * The values of a user, each with each facet once; empty where the user lacks the attribute. A filter on the attribute
 * matches the user exactly where it matches one of them.
 */
export function valuesOf(indexed: IndexedAttribute, resource: Resource): readonly IndexedValue[] {
  const { path, facet } = indexed;
  const { attribute, sub } = path;
  const found = new Map<string, IndexedValue>();
  for (const element of elementsOf(resource, path)) {
    const value = indexText(indexed, comparable(sub ?? attribute, sub ? memberOf(element, sub.name) : element));
    if (value === "") continue;
    const one = { value, facet: facet ? facetOf(attribute, element) : "" };
    found.set(JSON.stringify([one.value, one.facet]), one);
  }
  return [...found.values()];
}

/** The text by which an index holds a value that filters compare. The order of texts is that of the values. */
export function indexText({ kind }: Pick<IndexedAttribute, "kind">, operand: Operand | undefined): string {
  const text = textOf(operand);
  return kind === "time" ? shortInstant(text) : text;
}

/** The value of a text of an index, as filters compare it; `undefined` for the text of an owner without one. */
export function operandOfText({ kind }: Pick<IndexedAttribute, "kind">, text: string): Operand | undefined {
  if (text === "") return undefined;
  if (kind === "boolean") return text === "true";
  return kind === "time" ? text.padEnd(INSTANT_DIGITS, "0").replace(INSTANT, "$1-$2-$3T$4:$5:$6.$7Z") : text;
}

/** A value that filters compare as a text. */
export function textOf(operand: Operand | undefined): string {
  return operand === undefined ? "" : String(operand);
}

/** The digits of a time without zeros at its end: most times have milliseconds. */
function shortInstant(instant: string): string {
  const digits = instant.replace(/\D/g, "");
  let end = digits.length;
  while (end > 0 && digits[end - 1] === "0") end -= 1;
  return digits.slice(0, end);
}

/** The path of a name; that of `value` for a complex attribute that has it, as filters compare it. */
function comparedPath(name: string): AttributePath | undefined {
  const named = resolveName(userType, name);
  if (named?.attribute === undefined) return undefined;
  if (named.sub || named.attribute.type !== "complex") return named;
  return { ...named, sub: attributeNamed(named.attribute.subAttributes ?? [], "value") };
}

function kindOf({ type }: Attribute): IndexedAttribute["kind"] | undefined {
  if (type === "boolean") return "boolean";
  return type === "string" || type === "reference" ? "string" : undefined;
}

function isWritable({ mutability, returned }: Attribute): boolean {
  return (mutability === "readWrite" || mutability === "immutable") && returned !== "never";
}

function facetOf({ subAttributes = [] }: Attribute, element: Json): string {
  const type = attributeNamed(subAttributes, FACET);
  return type ? textOf(comparable(type, memberOf(element, type.name))) : "";
}
