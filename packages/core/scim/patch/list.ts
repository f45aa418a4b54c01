/** Multi-valued attributes under PATCH: elements come, go, and change where brackets choose them. */
import { Fault } from "../../platform/faults.ts";
import { pathName, sizeOf } from "../filter/bound.ts";
import { matchesElement } from "../filter/evaluate.ts";
import { isSame, memberOf } from "../resource.ts";
import type { Attribute, Json, JsonObject } from "../schema/attribute.ts";
import { isObject } from "../values.ts";
import type { Budget } from "./budget.ts";
import {
  identifyingParts,
  identityOf,
  isMeant,
  isPrimary,
  isReference,
  knownParts,
  seedOf,
  textOf,
  valueKey,
  withOnePrimary,
} from "./elements.ts";
import { changedObject, inOrder } from "./object.ts";
import type { AttributeStep, Changes } from "./step.ts";

/**
 * The list after a step; `undefined` when it is empty.
 * @throws `scim.no_target` where brackets choose nothing to replace, `request.invalid` for two primary elements,
 * `scim.mutability` for a part of an element that is immutable.
 */
export function changedList(step: AttributeStep, list: readonly Json[], spend: Budget): readonly Json[] | undefined {
  const { op, path, where, change } = step;
  const after = ((): readonly Json[] => {
    if (where || path.sub) return withChosenChanged(step, list, spend);
    if (change.kind !== "elements") return [];
    spend(list.length + change.elements.length);
    if (op === "remove") return without(path.attribute, list, change.elements, spend);
    return joined(step, op === "add" ? list : [], change.elements);
  })();
  return after.length === 0 ? undefined : after;
}

function withChosenChanged(step: AttributeStep, list: readonly Json[], spend: Budget): readonly Json[] {
  const { where } = step;
  spend(list.length * (1 + (where ? sizeOf(where) : 0)));
  const chosen = new Set(list.filter((element) => !where || matchesElement(where, element)));
  if (chosen.size === 0) return withNewElement(step, list);
  const makesPrimary = memberOf(givenParts(step), "primary") === true;
  const made = new Set<number>();
  const next: Json[] = [];
  for (const element of list) {
    const after = chosen.has(element) ? changedElement(step, element) : element;
    if (after === undefined) continue;
    if (makesPrimary && chosen.has(element)) made.add(next.length);
    next.push(after);
  }
  return distinct(list, withOnePrimary(step.place, step.path, next, made));
}

/** What is done where no element is chosen: an `add` makes one that the brackets describe (decision D21). */
function withNewElement(step: AttributeStep, list: readonly Json[]): readonly Json[] {
  const { op, change, path, place, where } = step;
  const name = pathName({ ...path, sub: undefined });
  const noTarget = (reason: string): Fault =>
    new Fault("scim.no_target", `${place}: no element of '${name}' matches the path${reason}.`);
  if (op === "remove") return list;
  if (op === "replace" && where) throw noTarget("");
  const seed = seedOf(where, `${place}.${name}`);
  const isSimple = change.kind === "value" && !path.sub;
  const element = isSimple ? change.value : inOrder(path.attribute, { ...seed, ...givenParts(step) });
  if (where && !matchesElement(where, seed) && !matchesElement(where, element)) {
    throw noTarget(", and it does not say what a new one would be; use 'eq' terms joined by 'and'");
  }
  return isObject(element) && Object.keys(element).length === 0 ? list : joined(step, list, [element]);
}

function givenParts({ change, path }: AttributeStep): JsonObject {
  if (change.kind === "parts") return partsWithValue(change.parts);
  return change.kind === "value" && path.sub ? { [path.sub.name]: change.value } : {};
}

/** A chosen element after the step; `undefined` when it goes or nothing of it is left. */
function changedElement(step: AttributeStep, element: Json): Json | undefined {
  const { op, change, path, where } = step;
  const object = isObject(element) ? element : {};
  if (path.sub) return changedObject(step, object, { [path.sub.name]: change.kind === "value" ? change.value : null });
  if (change.kind === "value") return change.value;
  if (change.kind !== "parts") return undefined;
  if (op === "add") return changedObject(step, object, change.parts);
  // A replaced element stays what the brackets call it, unless the value says otherwise.
  const replaced = partsWithValue({ ...knownParts(where, object), ...change.parts });
  return Object.keys(replaced).length === 0 ? undefined : inOrder(path.attribute, replaced);
}

function partsWithValue(parts: Changes): JsonObject {
  return Object.fromEntries(
    Object.entries(parts).flatMap(([name, value]) => (value === null ? [] : [[name, value] as const])),
  );
}

/** Elements that have become equal in everything are one, the first of them. */
function distinct(before: readonly Json[], list: readonly Json[]): readonly Json[] {
  const were = new Set(before);
  const [changed, another] = list.filter((element) => !were.has(element));
  if (changed === undefined) return list;
  if (another === undefined) {
    // Most operations change one element of many: nothing else need be looked at closely.
    const first = list.findIndex((element) => isSame(element, changed));
    return list.filter((element, at) => at === first || !isSame(element, changed));
  }
  const seen = new Set<string>();
  return list.filter((element) => seen.size < seen.add(textOf(element)).size);
}

/** The list without those that are listed, by their `value` or else by all that is given of them. */
function without(attribute: Attribute, list: readonly Json[], listed: readonly Json[], spend: Budget): readonly Json[] {
  const values = new Set(listed.map((element) => valueKey(attribute, element)));
  values.delete(undefined);
  const others = listed.filter((element) => valueKey(attribute, element) === undefined);
  spend(list.length * (1 + others.length));
  return list.filter(
    (element) => !values.has(valueKey(attribute, element)) && !others.some((listed) => isMeant(listed, element)),
  );
}

/** The list with more elements; one that is there already is not added again. */
function joined(step: AttributeStep, list: readonly Json[], more: readonly Json[]): readonly Json[] {
  const { attribute } = step.path;
  const next = [...list];
  const made = new Set<number>();
  const places = new Map<string, number>();
  for (const [at, element] of list.entries()) {
    const identity = identityOf(attribute, element);
    if (!places.has(identity)) places.set(identity, at);
  }
  for (const element of more) {
    const identity = identityOf(attribute, element);
    const at = places.get(identity) ?? next.length;
    const there = next[at];
    next[at] = there === undefined ? element : absorbed(step, there, element);
    places.set(identity, at);
    if (isPrimary(element)) made.add(at);
  }
  return withOnePrimary(step.place, step.path, next, made);
}

/** An element that is there already, with what a like one brings along. What the two are known by stays as it is. */
function absorbed(step: AttributeStep, element: Json, other: Json): Json {
  const { attribute } = step.path;
  if (!isObject(element) || !isObject(other) || isReference(attribute)) return element;
  const more = Object.fromEntries(Object.entries(other).filter(([name]) => !identifyingParts.has(name)));
  return changedObject(step, element, more) ?? element;
}
