/** Converts the value of an operation to a change of its target, in canonical form. */
import { Fault } from "../../../kernel/faults.ts";
import { checkTogether, eachTogether } from "../../../kernel/together.ts";
import { pathName } from "../filter/bound.ts";
import { readAttributeValue, readElements } from "../input.ts";
import type { Attribute, Json } from "../schema/attribute.ts";
import { type AttributePath, attributeNamed } from "../schema/paths.ts";
import { invalidValue, isObject, isUnassigned, kindOf, malformedValue } from "../values.ts";
import type { AttributeStep, Change, Changes } from "./step.ts";
import type { AttributeTarget } from "./target.ts";

const clear: Change = { kind: "clear" };

/**
 * The change of an `add` or `replace`; `undefined` if it changes nothing. Throws `request.malformed` for a value of
 * another type, `request.invalid` for an invalid one and for a required value that is missing.
 */
export function changeOf(
  op: AttributeStep["op"],
  target: AttributeTarget,
  given: unknown,
  place: string,
): Change | undefined {
  const { path, where } = target;
  const label = `${place}.${pathName(path)}`;
  if (isUnassigned(given)) return withoutValue(op, target, place);
  if (path.sub) {
    const value = readAttributeValue(path.sub, given, label);
    return value === undefined ? withoutValue(op, target, place) : { kind: "value", value };
  }
  const { attribute } = path;
  if (attribute.multiValued && !where) {
    const elements = readElements(attribute, given, label);
    if (elements.length === 0) return withoutValue(op, target, place);
    return { kind: "elements", elements };
  }
  if (attribute.type === "complex") return partsChange(target, given, place);
  const value = readAttributeValue({ ...attribute, multiValued: false }, given, label);
  return value === undefined ? withoutValue(op, target, place) : { kind: "value", value };
}

/** No value removes the value of the target, except that an `add` to a list changes nothing. */
function withoutValue(op: AttributeStep["op"], target: AttributeTarget, place: string): Change | undefined {
  const { path, where } = target;
  const isList = path.attribute.multiValued && !path.sub && !where;
  if (op === "add" && isList) return undefined;
  // Brackets may remove an element of a required list; the whole resource is checked in the end.
  if (!where || path.sub) checkRequired(place, path);
  return clear;
}

function partsChange(target: AttributeTarget, given: unknown, place: string): Change | undefined {
  const { path } = target;
  const parts = changesOf(path.attribute, given, `${place}.${pathName(path)}`);
  const names = Object.keys(parts);
  // Only unknown or read-only parts were given.
  if (names.length === 0) return undefined;
  const removed = names.filter((name) => parts[name] === null);
  const subs = removed.map((name) => attributeNamed(path.attribute.subAttributes ?? [], name));
  checkTogether(...subs.map((sub) => () => checkRequired(place, { ...path, sub })));
  // Entra ID removes the manager with `{"value": ""}`. The other parts describe the value, so they go too.
  return removed.length === names.length && removed.includes("value") ? clear : { kind: "parts", parts };
}

function checkRequired(place: string, path: AttributePath): void {
  const attribute = path.sub ?? path.attribute;
  if (!attribute.required && attribute.mutability !== "writeOnly") return;
  throw new Fault("request.invalid", `${place}: '${pathName(path)}' is required, so it must have a value.`);
}

/**
 * The change of a `remove`. Older clients list the elements to remove in `value`; `undefined` for an empty list. Throws
 * `request.malformed` for elements of another type, `request.invalid` for one that identifies nothing.
 */
export function removalOf(target: AttributeTarget, given: unknown, place: string): Change | undefined {
  const { path, where } = target;
  const { attribute } = path;
  if (given === undefined || given === null || where || path.sub || !attribute.multiValued) return clear;
  const label = `${place}.${pathName(path)}`;
  const list: readonly unknown[] = Array.isArray(given) ? given : [given];
  const elements = eachTogether(list.entries(), ([index, element]): readonly Json[] => {
    if (isUnassigned(element)) return [];
    const each = `${label}[${index}]`;
    if (attribute.type !== "complex") return readElements(attribute, element, each);
    const parts = Object.entries(changesOf(attribute, element, each)).filter(([, value]) => value !== null);
    if (isObject(element) && Object.values(element).every(isUnassigned)) return [];
    // A member with a name alone, for example: the client would believe that it is gone.
    if (parts.length === 0) throw invalidValue(each, "has no part that identifies the element to remove.");
    return [Object.fromEntries(parts)];
  });
  return elements.length === 0 ? undefined : { kind: "elements", elements };
}

/** The parts of a complex value that change. `null` and `""` remove a part. */
function changesOf(attribute: Attribute, given: unknown, where: string): Changes {
  const parts = partsIn(attribute, objectOf(attribute, given, where));
  return Object.fromEntries(
    eachTogether(parts, ([sub, value]): [string, Json | null][] => [
      [sub.name, readAttributeValue(sub, value, `${where}.${sub.name}`) ?? null],
    ]),
  );
}

/**
 * The writable sub-attributes in an object, each once. Among spellings the schema's own wins, otherwise the last one.
 */
function partsIn(attribute: Attribute, given: Readonly<Record<string, unknown>>): ReadonlyMap<Attribute, unknown> {
  const parts = new Map<Attribute, unknown>();
  for (const [name, value] of Object.entries(given)) {
    const sub = attributeNamed(attribute.subAttributes ?? [], name);
    const isOverruled = sub !== undefined && sub.name !== name && Object.hasOwn(given, sub.name);
    if (sub && sub.mutability !== "readOnly" && !isOverruled) parts.set(sub, value);
  }
  return parts;
}

/** A complex value that a client writes as an object, as a list of one object, or as its `value` alone. */
function objectOf(attribute: Attribute, given: unknown, where: string): Readonly<Record<string, unknown>> {
  const one = Array.isArray(given) && given.length === 1 ? given[0] : given;
  if (isObject(one)) return one;
  if (Array.isArray(one)) throw malformedValue(where, "must be one object, not a list.");
  if (!attributeNamed(attribute.subAttributes ?? [], "value")) {
    throw malformedValue(where, `must be an object, not ${kindOf(one)}.`);
  }
  return { value: one };
}
