/** Elements of multi-valued attributes: identity, primary element, initial values. */
import { Fault } from "../../../kernel/faults.ts";
import { type BoundFilter, equalitiesOf, type Operand, pathName } from "../filter/bound.ts";
import { comparable } from "../filter/literal.ts";
import { readAttributeValue } from "../input.ts";
import { isPrimary, isSame, memberOf } from "../resource.ts";
import type { Attribute, Json, JsonObject } from "../schema/attribute.ts";
import { type AttributePath, attributeNamed } from "../schema/paths.ts";
import { isObject } from "../values.ts";

/** The parts that `identityOf` compares. */
export const identifyingParts: ReadonlySet<string> = new Set(["value", "type"]);

/** Equal texts for equal values. The order of members does not matter. */
export function textOf(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(textOf).join(",")}]`;
  if (!isObject(value)) return JSON.stringify(value);
  const members = Object.keys(value).sort();
  return `{${members.map((name) => `${JSON.stringify(name)}:${textOf(value[name] ?? null)}`).join(",")}}`;
}

/** The comparable form of the `value` of an element, or of a simple element. */
export function valueKey(attribute: Attribute, element: Json): Operand | undefined {
  if (attribute.type !== "complex") return comparable(attribute, element);
  const part = partOf(attribute, "value");
  return part && comparable(part, memberOf(element, part.name));
}

/** Whether elements are references, as in `members`: `value` is immutable and the other parts describe it. */
export function isReference(attribute: Attribute): boolean {
  return partOf(attribute, "value")?.mutability === "immutable";
}

/**
 * The identity of an element: `value` and `type`, a pair that occurs once (RFC 7643 section 2.4); `value` alone for a
 * reference; all parts without a `value`.
 */
export function identityOf(attribute: Attribute, element: Json): string {
  const value = valueKey(attribute, element);
  if (value === undefined) return textOf(element);
  const type = isReference(attribute) ? undefined : partOf(attribute, "type");
  const label = type && comparable(type, memberOf(element, type.name));
  return JSON.stringify([value, label ?? null]);
}

/** The parts of an element with their names, as filters compare them: mostly in any case. */
export function comparableParts(attribute: Attribute, element: Json): readonly ComparablePart[] {
  const parts = isObject(element) ? Object.entries(element) : [];
  return parts.map(([name, value]) => {
    const part = partOf(attribute, name);
    return [name, part && comparable(part, value)] as const;
  });
}

type ComparablePart = readonly [name: string, value: Operand | undefined];

/** Whether an element has all parts of a listed one. */
export function hasListedParts(listed: readonly ComparablePart[], element: ReadonlyMap<string, unknown>): boolean {
  return listed.length > 0 && listed.every(([name, given]) => given !== undefined && element.get(name) === given);
}

/** Whether a value has exactly the parts of another, and perhaps more. */
export function hasParts(parts: JsonObject, value: Json): boolean {
  return Object.keys(parts).every((name) => isSame(parts[name], memberOf(value, name)));
}

/**
 * The initial parts of a new element that must match a filter: the values of its equalities. `where` names the
 * attribute in messages. Throws `request.malformed` or `request.invalid` for a literal that can be compared but not
 * stored.
 */
export function initialParts(filter: BoundFilter | undefined, where: string): JsonObject {
  return Object.fromEntries(
    equalPartsOf(filter)
      .filter(({ sub }) => sub.mutability !== "readOnly")
      .flatMap(({ sub, value }) => {
        const parsed = readAttributeValue(sub, value, `${where}.${sub.name}`);
        return parsed === undefined ? [] : [[sub.name, parsed] as const];
      }),
  );
}

/** The parts of an element that a filter compares for equality. */
export function partsInFilter(where: BoundFilter | undefined, element: JsonObject): JsonObject {
  return Object.fromEntries(
    equalPartsOf(where).flatMap(({ sub }) => {
      const value = memberOf(element, sub.name);
      return value === undefined ? [] : [[sub.name, value] as const];
    }),
  );
}

/**
 * At most one element is primary (RFC 7643 section 2.4): a new primary element demotes the others. `primaries`: the
 * indexes of the elements that the operation sets to primary. Throws `request.invalid` for two of them.
 */
export function withOnePrimary(
  place: string,
  path: AttributePath,
  elements: readonly Json[],
  primaries: ReadonlySet<number>,
): readonly Json[] {
  if (primaries.size === 0) return elements;
  if (primaries.size > 1) {
    const name = pathName({ ...path, sub: undefined });
    throw new Fault("request.invalid", `${place}: only one element of '${name}' can be primary.`);
  }
  return elements.map((element, at) =>
    isPrimary(element) && !primaries.has(at) && isObject(element) ? { ...element, primary: false } : element,
  );
}

function partOf(attribute: Attribute, name: string): Attribute | undefined {
  return attributeNamed(attribute.subAttributes ?? [], name);
}

/** The sub-attributes that a filter compares for equality, with the values. */
function equalPartsOf(where: BoundFilter | undefined) {
  return (where ? equalitiesOf(where) : []).flatMap(({ path: { sub }, value }) => (sub ? [{ sub, value }] : []));
}
