/** What a whole resource must hold, and what of it may not change (RFC 7643 section 7; reference scim.md sections 3.9 to 3.11). */
import { isDeepStrictEqual } from "node:util";
import { Fault } from "../platform/faults.ts";
import { checkElements } from "./input.ts";
import type { Attribute, Json, Resource, ResourceType } from "./schema/attribute.ts";
import { coreAttributes } from "./schema/paths.ts";
import { isObject } from "./values.ts";

/** The attributes of one schema, where they lie in a resource, and how their paths begin. */
interface Part {
  readonly attributes: readonly Attribute[];
  readonly values: Resource;
  readonly prefix: string;
  /** Extensions that a resource does not use require nothing of it. */
  readonly isUsed: boolean;
}

/**
 * Refuses a resource, as it is about to be kept, that lacks something required or has more elements of a kind than can be
 * kept, or more than one primary element. What can only be written, such as a password, is not asked for: it is not part of
 * what is kept. Throws `request.invalid`.
 */
export function requireAll(type: ResourceType, resource: Resource): void {
  for (const { attributes, values, prefix } of partsOf(type, resource).filter(({ isUsed }) => isUsed)) {
    for (const attribute of attributes) {
      const value = values[attribute.name];
      if (value !== undefined) checkValue(attribute, value, prefix + attribute.name);
      else if (attribute.required && attribute.mutability !== "writeOnly") throw missing(prefix + attribute.name);
    }
  }
}

function checkValue(attribute: Attribute, value: Json, path: string): void {
  const elements = Array.isArray(value) ? value : [value];
  if (attribute.multiValued) checkElements(attribute, elements, path);
  const required = (attribute.subAttributes ?? []).filter((sub) => sub.required);
  for (const element of required.length > 0 ? elements : []) {
    const absent = required.find(({ name }) => asObject(element)[name] === undefined);
    if (absent) throw missing(`${path}.${absent.name}`);
  }
}

function missing(path: string): Fault {
  return new Fault("request.invalid", `Required attribute ${path} is missing in the SCIM object.`);
}

/** The URNs of the schemas a resource uses: the core one, and each extension that has data. */
export function schemasOf(type: ResourceType, resource: Resource): readonly string[] {
  return [type.schema.id, ...type.extensions.map(({ id }) => id).filter((id) => resource[id] !== undefined)];
}

/**
 * Refuses a replacement that changes or leaves out an immutable value that is set; one that is not may be set. The elements
 * of a list that may be written can come and go, so nothing in them is compared. Throws `scim.mutability`.
 */
export function checkImmutable(type: ResourceType, before: Resource, after: Resource): void {
  const now = new Map(partsOf(type, after).flatMap(fixedOf));
  const changed = partsOf(type, before)
    .flatMap(fixedOf)
    .find(([path, value]) => value !== undefined && !isDeepStrictEqual(value, now.get(path)));
  if (changed) {
    throw new Fault("scim.mutability", `Attribute ${changed[0]} cannot be changed once it is set.`);
  }
}

/** The immutable values of a part by their paths, to be compared. Lists are no objects, so nothing in their elements is. */
function fixedOf({
  attributes,
  values,
  prefix,
}: Omit<Part, "isUsed">): readonly (readonly [string, Json | undefined])[] {
  return attributes.flatMap((attribute): readonly (readonly [string, Json | undefined])[] => {
    const path = prefix + attribute.name;
    const value = values[attribute.name];
    if (attribute.mutability === "immutable") return [[path, value]];
    return fixedOf({ attributes: attribute.subAttributes ?? [], values: asObject(value), prefix: `${path}.` });
  });
}

function partsOf(type: ResourceType, resource: Resource): readonly Part[] {
  return [
    { attributes: coreAttributes(type), values: resource, prefix: "", isUsed: true },
    ...type.extensions.map(({ id, attributes }) => ({
      attributes,
      values: asObject(resource[id]),
      prefix: `${id}:`,
      isUsed: resource[id] !== undefined,
    })),
  ];
}

function asObject(value: Json | undefined): Resource {
  return isObject(value) ? value : {};
}
