/** Reads and copies resources. No function changes its arguments. */
import type { Json, JsonObject, Resource } from "./schema/attribute.ts";
import type { AttributePath } from "./schema/paths.ts";
import { isObject } from "./values.ts";

/** An own member: the name of an attribute may be that of an inherited property. */
export function memberOf(value: Json | undefined, name: string): Json | undefined {
  return isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}

/** A copy with a member set, or without it if the value is `undefined`. The same object if nothing changes. */
export function withMember(object: JsonObject, name: string, value: Json | undefined): JsonObject {
  if (memberOf(object, name) === value) return object;
  if (value !== undefined) return { ...object, [name]: value };
  return Object.fromEntries(Object.entries(object).filter(([other]) => other !== name));
}

/** Whether a value contains no assigned value at any depth (RFC 7643 section 2.5). */
export function isEmpty(value: Json | undefined): boolean {
  return (
    value === undefined ||
    value === null ||
    value === "" ||
    (Array.isArray(value) ? value.every(isEmpty) : isObject(value) && Object.values(value).every(isEmpty))
  );
}

/** The whole value of an attribute. Ignores the sub-attribute of the path. */
export function attributeValue(resource: Resource, { extension, attribute }: AttributePath): Json | undefined {
  return memberOf(extension ? memberOf(resource, extension.id) : resource, attribute.name);
}

/** A copy with an attribute set, or without it if the value is `undefined`. Removes an extension that becomes empty. */
export function withAttributeValue(resource: Resource, path: AttributePath, value: Json | undefined): Resource {
  const { extension, attribute } = path;
  if (!extension) return withMember(resource, attribute.name, value);
  const container = memberOf(resource, extension.id);
  const next = withMember(isObject(container) ? container : {}, attribute.name, value);
  if (next === container) return resource;
  return withMember(resource, extension.id, Object.keys(next).length === 0 ? undefined : next);
}

/** The elements of an attribute. A single value is one element. */
export function elementsOf(resource: Resource, path: AttributePath): readonly Json[] {
  const value = attributeValue(resource, path);
  if (value === undefined || value === null) return [];
  return Array.isArray(value) ? value : [value];
}

export function isPrimary(element: Json): boolean {
  return memberOf(element, "primary") === true;
}

/** Deep equality. The order of members does not matter; the order of elements does. */
export function isSame(a: Json | undefined, b: Json | undefined): boolean {
  if (a === b) return true;
  if (Array.isArray(a)) {
    return Array.isArray(b) && a.length === b.length && a.every((element, index) => isSame(element, b[index]));
  }
  if (!isObject(a) || !isObject(b)) return false;
  const names = Object.keys(a);
  return (
    names.length === Object.keys(b).length && names.every((name) => Object.hasOwn(b, name) && isSame(a[name], b[name]))
  );
}
