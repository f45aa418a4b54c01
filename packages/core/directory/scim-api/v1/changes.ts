/**
 * The results of PUT and PATCH for a user. PUT replaces everything that SCIM 1.1 can name and leaves the rest
 * unchanged. PATCH first removes what `meta.attributes` names and what is marked `delete`, then sets or adds what the
 * body has.
 */
import { type BoundFilter, combined } from "../../../scim/protocol/filter/bound.ts";
import { comparable } from "../../../scim/protocol/filter/literal.ts";
import { applyPatch } from "../../../scim/protocol/patch/apply.ts";
import { hasParts, valueKey } from "../../../scim/protocol/patch/elements.ts";
import type { AttributeStep, Change } from "../../../scim/protocol/patch/step.ts";
import { attributeValue, elementsOf, memberOf, withAttributeValue } from "../../../scim/protocol/resource.ts";
import type { Json, Resource, ResourceType } from "../../../scim/protocol/schema/attribute.ts";
import { type AttributePath, attributeNamed, coreAttributes } from "../../../scim/protocol/schema/paths.ts";
import { isObject } from "../../../scim/protocol/values.ts";
import { type Marked, type Sent, settingsOf } from "./input.ts";
import { pathsOf } from "./naming.ts";
import { WSO2 } from "./shapes.ts";

/** The origin of a step, for messages. */
const PLACE = "PATCH";

/** The user after a PUT. A complex value that stays the same keeps the parts that SCIM 1.1 cannot name. */
export function replaced(type: ResourceType, before: Resource, sent: Sent): Resource {
  const extensions = settingsOf(sent, before).reduce(
    (resource, { path, value }) => {
      const current = attributeValue(before, path);
      const isSame = isObject(value) && current !== undefined && hasParts(value, current);
      return withAttributeValue(resource, path, isSame ? current : value);
    },
    unnamed(type, before),
  );
  return { ...sent.core, ...extensions };
}

/**
 * The user after a PATCH; the same object where nothing changes. `removed` holds the attributes that `meta.attributes`
 * names. Throws what `applyPatch` throws.
 */
export function patched(type: ResourceType, before: Resource, sent: Sent, removed: readonly AttributePath[]): Resource {
  const removals = [...removed.map((path) => removal(path)), ...sent.marked.flatMap(removalsOf)];
  const rest = applyPatch(type, before, removals);
  const settings = coreAttributes(type).flatMap((attribute) => {
    const value = attributeValue(sent.core, ofCore(attribute));
    return value === undefined ? [] : [settingStep(ofCore(attribute), value, rest)];
  });
  const further = settingsOf(sent, rest).map(({ path, value }) => settingStep(path, value, rest));
  return applyPatch(type, rest, [...settings, ...further]);
}

/** The part of the extensions that SCIM 1.1 cannot name. */
function unnamed(type: ResourceType, before: Resource): Resource {
  const held = Object.fromEntries(
    type.extensions.flatMap(({ id }): [string, Json][] => {
      const value = before[id];
      return value === undefined ? [] : [[id, value]];
    }),
  );
  return pathsOf(WSO2)
    .filter((path) => isShown(attributeValue(held, path)))
    .reduce((rest, path) => withAttributeValue(rest, path, undefined), held);
}

/** Whether SCIM 1.1 shows a part of a value: of a manager it shows the id. */
function isShown(value: Json | undefined): boolean {
  return !isObject(value) || memberOf(value, "value") !== undefined;
}

function removalsOf({ attribute, elements }: Marked): readonly AttributeStep[] {
  return elements.map((element) => {
    const path = ofCore(attribute);
    const where = sameAs(path, element);
    return where ? removal(path, where) : removal(path, undefined, { kind: "elements", elements: [element] });
  });
}

/**
 * Matches elements with the same value, and the same type where one is given; `undefined` for an element without a
 * value.
 */
function sameAs(path: AttributePath, element: Json): BoundFilter | undefined {
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
  return { kind: "attribute", op: "remove", place: PLACE, path, where, change };
}

function ofCore(attribute: AttributePath["attribute"]): AttributePath {
  return { extension: undefined, attribute, sub: undefined };
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

/** An element without a type means the element that has its value, where only one has. */
function recognized(path: AttributePath, element: Json, before: Resource): Json {
  const { attribute } = path;
  const key = valueKey(attribute, element);
  if (key === undefined || !isObject(element) || element.type !== undefined) return element;
  const [same, other] = elementsOf(before, path).filter((one) => valueKey(attribute, one) === key);
  const type = other === undefined ? memberOf(same, "type") : undefined;
  return type === undefined ? element : { ...element, type };
}
