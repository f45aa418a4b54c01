/**
 * What a PATCH of a user asks for, as the steps of SCIM 2.0 (reference scim.md section 2.5): first what `meta.attributes`
 * names and what is marked to go goes, then what was sent is set or added.
 */
import { type BoundFilter, combined } from "../../scim/filter/bound.ts";
import { comparable } from "../../scim/filter/literal.ts";
import { applyPatch } from "../../scim/patch/apply.ts";
import { valueKey } from "../../scim/patch/elements.ts";
import type { AttributeStep, Change } from "../../scim/patch/step.ts";
import { attributeValue, elementsOf, memberOf } from "../../scim/resource.ts";
import type { Json, Resource, ResourceType } from "../../scim/schema/attribute.ts";
import { type AttributePath, attributeNamed, coreAttributes } from "../../scim/schema/paths.ts";
import { isObject } from "../../scim/values.ts";
import { type Leaving, type Sent, settingsOf } from "./input.ts";

/** Where the request asks for a step; for sentences. */
const PLACE = "PATCH";

/**
 * The user after a PATCH: the same object where nothing changes. `removed` are the attributes that `meta.attributes` names.
 * Throws what `applyPatch` throws.
 */
export function patched(type: ResourceType, before: Resource, sent: Sent, removed: readonly AttributePath[]): Resource {
  const going = [...removed.map((path) => removal(path)), ...sent.leaving.flatMap(leavingSteps)];
  const rest = applyPatch(type, before, going);
  const coming = coreAttributes(type).flatMap((attribute) => {
    const value = attributeValue(sent.core, ofCore(attribute));
    return value === undefined ? [] : [settingStep(ofCore(attribute), value, rest)];
  });
  const further = settingsOf(sent, rest).map(({ path, value }) => settingStep(path, value, rest));
  return applyPatch(type, rest, [...coming, ...further]);
}

function leavingSteps({ attribute, elements }: Leaving): readonly AttributeStep[] {
  return elements.map((element) => {
    const path = ofCore(attribute);
    const where = likeIt(path, element);
    return where ? removal(path, where) : removal(path, undefined, { kind: "elements", elements: [element] });
  });
}

/** Elements with the same value, and the same type where one is given. `undefined` for an element without a value. */
function likeIt(path: AttributePath, element: Json): BoundFilter | undefined {
  const subs = path.attribute.subAttributes ?? [];
  const terms = ["value", "type"].flatMap((name): BoundFilter[] => {
    const [sub, value] = [attributeNamed(subs, name), memberOf(element, name)];
    if (!sub || (typeof value !== "string" && typeof value !== "number" && typeof value !== "boolean")) return [];
    const operand = comparable(sub, value) ?? value;
    return [{ kind: "compare", path: { ...path, sub }, where: undefined, operator: "eq", value, operand }];
  });
  return memberOf(element, "value") === undefined ? undefined : combined("and", terms);
}

function removal(path: AttributePath, where?: BoundFilter, change: Change = { kind: "clear" }): AttributeStep {
  return {
    kind: "attribute",
    op: "remove",
    place: PLACE,
    path,
    where,
    change,
  };
}

function ofCore(attribute: AttributePath["attribute"]): AttributePath {
  return {
    extension: undefined,
    attribute,
    sub: undefined,
  };
}

function settingStep(path: AttributePath, value: Json, before: Resource): AttributeStep {
  return {
    kind: "attribute",
    op: path.attribute.multiValued ? "add" : "replace",
    place: PLACE,
    path,
    where: undefined,
    change: changeOf(path, value, before),
  };
}

function changeOf(path: AttributePath, value: Json, before: Resource): Change {
  if (path.attribute.multiValued && Array.isArray(value)) {
    return { kind: "elements", elements: value.map((element: Json) => recognized(path, element, before)) };
  }
  return isObject(value) ? { kind: "parts", parts: value } : { kind: "value", value };
}

/** An element without a type is the one that has its value, where there is just one. */
function recognized(path: AttributePath, element: Json, before: Resource): Json {
  const { attribute } = path;
  const key = valueKey(attribute, element);
  if (key === undefined || !isObject(element) || element.type !== undefined) return element;
  const [same, other] = elementsOf(before, path).filter((one) => valueKey(attribute, one) === key);
  const type = other === undefined ? memberOf(same, "type") : undefined;
  return type === undefined ? element : { ...element, type };
}
