/** PATCH of multi-valued attributes: adds, removes and changes elements. */
import { Fault } from "../../../kernel/faults.ts";
import { type Operand, pathName, sizeOf } from "../filter/bound.ts";
import { matchesElement } from "../filter/evaluate.ts";
import { isPrimary, isSame, memberOf } from "../resource.ts";
import type { Attribute, Json, JsonObject } from "../schema/attribute.ts";
import { isObject } from "../values.ts";
import {
  comparableParts,
  hasListedParts,
  identifyingParts,
  identityOf,
  initialParts,
  isReference,
  partsInFilter,
  textOf,
  valueKey,
  withOnePrimary,
} from "./elements.ts";
import { changedObject, inOrder } from "./object.ts";
import type { AttributeStep, Budget, Changes } from "./step.ts";

/**
 * The list after a step; `undefined` for an empty list. Throws `scim.no_target` for brackets that select no element to
 * replace, `request.invalid` for two primary elements, `scim.mutability` for a change of an immutable part.
 */
export function changedList(step: AttributeStep, list: readonly Json[], spend: Budget): readonly Json[] | undefined {
  const { op, path, where, change } = step;
  const after = ((): readonly Json[] => {
    if (where || path.sub) return withSelectedChanged(step, list, spend);
    if (change.kind !== "elements") return [];
    spend(list.length + change.elements.length);
    if (op === "remove") return without(path.attribute, list, change.elements, spend);
    return joined(step, op === "add" ? list : [], change.elements);
  })();
  return after.length === 0 ? undefined : after;
}

function withSelectedChanged(step: AttributeStep, list: readonly Json[], spend: Budget): readonly Json[] {
  const { where } = step;
  spend(list.length * (1 + (where ? sizeOf(where) : 0)));
  const selected = new Set(list.filter((element) => !where || matchesElement(where, element)));
  if (selected.size === 0) return withNewElement(step, list);
  const makesPrimary = memberOf(givenParts(step), "primary") === true;
  const primaries = new Set<number>();
  const next: Json[] = [];
  for (const element of list) {
    const after = selected.has(element) ? changedElement(step, element) : element;
    if (after === undefined) continue;
    if (makesPrimary && selected.has(element)) primaries.add(next.length);
    next.push(after);
  }
  return distinct(list, withOnePrimary(step.place, step.path, next, primaries));
}

/** No element is selected: an `add` creates an element that matches the brackets. */
function withNewElement(step: AttributeStep, list: readonly Json[]): readonly Json[] {
  const { op, change, path, place, where } = step;
  const name = pathName({ ...path, sub: undefined });
  const noTarget = (reason: string): Fault =>
    new Fault("scim.no_target", `${place}: no element of '${name}' matches the path.${reason}`);
  if (op === "remove") return list;
  if (op === "replace" && where) throw noTarget("");
  const initial = initialParts(where, `${place}.${name}`);
  const isSimple = change.kind === "value" && !path.sub;
  const element = isSimple ? change.value : inOrder(path.attribute, { ...initial, ...givenParts(step) });
  if (where && !matchesElement(where, initial) && !matchesElement(where, element)) {
    throw noTarget(" To add one, use only 'eq' terms joined by 'and'.");
  }
  return isObject(element) && Object.keys(element).length === 0 ? list : joined(step, list, [element]);
}

function givenParts({ change, path }: AttributeStep): JsonObject {
  if (change.kind === "parts") return partsWithValue(change.parts);
  return change.kind === "value" && path.sub ? { [path.sub.name]: change.value } : {};
}

/** A selected element after the step; `undefined` if it is removed or becomes empty. */
function changedElement(step: AttributeStep, element: Json): Json | undefined {
  const { op, change, path, where } = step;
  const object = isObject(element) ? element : {};
  if (path.sub) return changedObject(step, object, { [path.sub.name]: change.kind === "value" ? change.value : null });
  if (change.kind === "value") return change.value;
  if (change.kind !== "parts") return undefined;
  if (op === "add") return changedObject(step, object, change.parts);
  // A replaced element keeps the parts in the brackets, unless the value has others.
  const replaced = partsWithValue({ ...partsInFilter(where, object), ...change.parts });
  return Object.keys(replaced).length === 0 ? undefined : inOrder(path.attribute, replaced);
}

function partsWithValue(parts: Changes): JsonObject {
  return Object.fromEntries(
    Object.entries(parts).flatMap(([name, value]) => (value === null ? [] : [[name, value] as const])),
  );
}

/** Removes duplicates that a change created. The first element stays. */
function distinct(before: readonly Json[], list: readonly Json[]): readonly Json[] {
  const unchanged = new Set(before);
  const [changed, another] = list.filter((element) => !unchanged.has(element));
  if (changed === undefined) return list;
  if (another === undefined) {
    // Most operations change one element of many: compare only that one.
    const first = list.findIndex((element) => isSame(element, changed));
    return list.filter((element, at) => at === first || !isSame(element, changed));
  }
  const seen = new Set<string>();
  return list.filter((element) => seen.size < seen.add(textOf(element)).size);
}

/**
 * The list without the listed elements: those of the same `value`, and of the same `type` where one is given, as for
 * `add`; those with all given parts for an element without a `value`.
 */
function without(attribute: Attribute, list: readonly Json[], listed: readonly Json[], spend: Budget): readonly Json[] {
  const [values, identities] = [new Set<Operand>(), new Set<string>()];
  const others: ReturnType<typeof comparableParts>[] = [];
  for (const element of listed) {
    const value = valueKey(attribute, element);
    if (value === undefined) others.push(comparableParts(attribute, element));
    else if (isReference(attribute) || memberOf(element, "type") === undefined) values.add(value);
    else identities.add(identityOf(attribute, element));
  }
  spend(list.length * (1 + others.length));
  const isListed = (element: Json): boolean => {
    const value = valueKey(attribute, element);
    if (value !== undefined && values.has(value)) return true;
    if (identities.size > 0 && identities.has(identityOf(attribute, element))) return true;
    if (others.length === 0) return false;
    const parts = new Map(comparableParts(attribute, element));
    return others.some((other) => hasListedParts(other, parts));
  };
  return list.filter((element) => !isListed(element));
}

/** The list with more elements. An element that exists already is merged. */
function joined(step: AttributeStep, list: readonly Json[], more: readonly Json[]): readonly Json[] {
  const { attribute } = step.path;
  const next = [...list];
  const primaries = new Set<number>();
  const places = new Map<string, number>();
  for (const [at, element] of list.entries()) {
    const identity = identityOf(attribute, element);
    if (!places.has(identity)) places.set(identity, at);
  }
  for (const element of more) {
    const identity = identityOf(attribute, element);
    const at = places.get(identity) ?? next.length;
    const existing = next[at];
    next[at] = existing === undefined ? element : merged(step, existing, element);
    places.set(identity, at);
    if (isPrimary(element)) primaries.add(at);
  }
  return withOnePrimary(step.place, step.path, next, primaries);
}

/** An existing element with the further parts of a new one. The identifying parts stay. */
function merged(step: AttributeStep, element: Json, other: Json): Json {
  const { attribute } = step.path;
  if (!isObject(element) || !isObject(other) || isReference(attribute)) return element;
  const more = Object.fromEntries(Object.entries(other).filter(([name]) => !identifyingParts.has(name)));
  return changedObject(step, element, more) ?? element;
}
