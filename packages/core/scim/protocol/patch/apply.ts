/**
 * Applies the steps of a PATCH request to a resource, all or none (RFC 7644 section 3.5.2). Pure: it never changes its
 * arguments, and reuses every object that stays the same.
 */
import { Fault } from "../../../kernel/faults.ts";
import { requireAll } from "../requirements.ts";
import { attributeValue, isSame, withAttributeValue } from "../resource.ts";
import type { Json, JsonObject, Resource, ResourceType } from "../schema/attribute.ts";
import { isObject } from "../values.ts";
import { changedList } from "./list.ts";
import { changedObject, refuseImmutable } from "./object.ts";
import { type AttributeStep, type Budget, budget, type PatchStep } from "./step.ts";

/**
 * The resource after all steps; the same object if nothing changes. It contains a new password in clear text. Throws
 * `scim.mutability` for a change of an immutable value or of `id`; `scim.no_target` for brackets that select no element
 * to replace; `request.invalid` for two primary elements or a required value that is missing in the end;
 * `request.too_large` for too many comparisons.
 */
export function applyPatch(type: ResourceType, resource: Resource, steps: readonly PatchStep[]): Resource {
  const spend = budget();
  const patched = steps.reduce((current, step) => applied(current, step, spend), resource);
  if (patched === resource || isSame(patched, resource)) return resource;
  requireAll(type, patched);
  return patched;
}

function applied(resource: Resource, step: PatchStep, spend: Budget): Resource {
  if (step.kind === "id") {
    if (step.value === resource.id) return resource;
    throw new Fault("scim.mutability", `${step.place}: 'id' cannot be changed.`);
  }
  const { path } = step;
  const before = attributeValue(resource, path);
  const after = path.attribute.multiValued
    ? changedList(step, Array.isArray(before) ? before : [], spend)
    : changedValue(step, before);
  if (isSame(before, after)) return resource;
  refuseImmutable(step, path.attribute, before, after);
  return withAttributeValue(resource, path, after);
}

/** The value of a single-valued attribute after a step. */
function changedValue(step: AttributeStep, before: Json | undefined): Json | undefined {
  const { path, change } = step;
  const object: JsonObject = isObject(before) ? before : {};
  if (path.sub) {
    const value = change.kind === "value" ? change.value : null;
    return changedObject(step, object, { [path.sub.name]: value });
  }
  if (change.kind === "parts") return changedObject(step, object, change.parts);
  return change.kind === "value" ? change.value : undefined;
}
