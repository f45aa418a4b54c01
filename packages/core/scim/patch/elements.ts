/** Elements of multi-valued attributes: when two are one, which is primary, and what a new one begins with. */
import { Fault } from "../../platform/faults.ts";
import { type BoundFilter, equalitiesOf, type Operand, pathName } from "../filter/bound.ts";
import { comparable } from "../filter/literal.ts";
import { readAttributeValue } from "../input.ts";
import { isSame, memberOf } from "../resource.ts";
import type { Attribute, Json, JsonObject } from "../schema/attribute.ts";
import { type AttributePath, attributeNamed } from "../schema/paths.ts";
import { isObject } from "../values.ts";

/** The parts that `identityOf` compares. */
export const identifyingParts: ReadonlySet<string> = new Set(["value", "type"]);

/** A text that is the same for two values exactly when they are; the order of members does not matter. */
export function textOf(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(textOf).join(",")}]`;
  if (!isObject(value)) return JSON.stringify(value);
  const members = Object.keys(value).sort();
  return `{${members.map((name) => `${JSON.stringify(name)}:${textOf(value[name] ?? null)}`).join(",")}}`;
}

/** What an element's `value`, or the element itself, is compared by. */
export function valueKey(attribute: Attribute, element: Json): Operand | undefined {
  if (attribute.type !== "complex") return comparable(attribute, element);
  const part = partOf(attribute, "value");
  return part && comparable(part, memberOf(element, part.name));
}

/** Whether the `value` of an element is what it is about for good, as in `members`: the rest only describes that. */
export function isReference(attribute: Attribute): boolean {
  return partOf(attribute, "value")?.mutability === "immutable";
}

/**
 * What makes an element itself: `value` and `type`, which come once as a pair (RFC 7643 section 2.4); `value` alone of a
 * reference; everything where there is no `value`.
 */
export function identityOf(attribute: Attribute, element: Json): string {
  const value = valueKey(attribute, element);
  if (value === undefined) return textOf(element);
  const type = isReference(attribute) ? undefined : partOf(attribute, "type");
  const label = type && comparable(type, memberOf(element, type.name));
  return JSON.stringify([value, label ?? null]);
}

/** Whether a listed element without a `value` means this one: all that is given of it is so there. */
export function isMeant(listed: Json, element: Json): boolean {
  return isObject(listed) && Object.keys(listed).every((name) => isSame(listed[name], memberOf(element, name)));
}

/**
 * What a filter demands of an element: one that is made for it begins with that (decision D21). `where` names the
 * attribute in faults.
 * @throws `request.malformed` or `request.invalid` for a literal that can be compared with but not be kept.
 */
export function seedOf(filter: BoundFilter | undefined, where: string): JsonObject {
  return Object.fromEntries(
    demandedBy(filter)
      .filter(({ sub }) => sub.mutability !== "readOnly")
      .flatMap(({ sub, value }) => {
        const kept = readAttributeValue(sub, value, `${where}.${sub.name}`);
        return kept === undefined ? [] : [[sub.name, kept] as const];
      }),
  );
}

/** The parts of an element that a filter knows it by. */
export function knownParts(where: BoundFilter | undefined, element: JsonObject): JsonObject {
  return Object.fromEntries(
    demandedBy(where).flatMap(({ sub }) => {
      const value = memberOf(element, sub.name);
      return value === undefined ? [] : [[sub.name, value] as const];
    }),
  );
}

export function isPrimary(element: Json): boolean {
  return memberOf(element, "primary") === true;
}

/**
 * At most one element is primary (RFC 7643 section 2.4): where an operation makes one so, the others no longer are. `made`
 * are the places of those that the operation itself makes primary.
 * @throws `request.invalid` when there are two such.
 */
export function withOnePrimary(
  place: string,
  path: AttributePath,
  elements: readonly Json[],
  made: ReadonlySet<number>,
): readonly Json[] {
  if (made.size === 0) return elements;
  if (made.size > 1) {
    const name = pathName({ ...path, sub: undefined });
    throw new Fault("request.invalid", `${place}: only one element of '${name}' can be primary.`);
  }
  return elements.map((element, at) =>
    isPrimary(element) && !made.has(at) && isObject(element) ? { ...element, primary: false } : element,
  );
}

function partOf(attribute: Attribute, name: string): Attribute | undefined {
  return attributeNamed(attribute.subAttributes ?? [], name);
}

/** The parts that a filter demands to be equal to something, by name. */
function demandedBy(where: BoundFilter | undefined) {
  return (where ? equalitiesOf(where) : []).flatMap(({ path: { sub }, value }) => (sub ? [{ sub, value }] : []));
}
