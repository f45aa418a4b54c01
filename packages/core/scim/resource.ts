/** Looking into a resource and making the next one of it. Nothing here changes what it is given. */
import type { Json, JsonObject, Resource } from "./schema/attribute.ts";
import type { AttributePath } from "./schema/paths.ts";
import { isObject } from "./values.ts";

/** A member of its own: an attribute may have the name of something that every object inherits. */
export function memberOf(value: Json | undefined, name: string): Json | undefined {
  return isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}

/** The object with a member set, or without it where the value is `undefined`; the same object where it is so already. */
export function withMember(object: JsonObject, name: string, value: Json | undefined): JsonObject {
  if (memberOf(object, name) === value) return object;
  if (value !== undefined) return { ...object, [name]: value };
  return Object.fromEntries(Object.entries(object).filter(([other]) => other !== name));
}

/** No value in the sense of RFC 7643 section 2.5, nor anything that holds one; an empty text counts as none (reference 3.2). */
export function isEmpty(value: Json | undefined): boolean {
  return (
    value === undefined ||
    value === null ||
    value === "" ||
    (Array.isArray(value) ? value.every(isEmpty) : isObject(value) && Object.values(value).every(isEmpty))
  );
}

/** The value of an attribute, all of it: the sub-attribute of the path does not matter. */
export function attributeValue(resource: Resource, { extension, attribute }: AttributePath): Json | undefined {
  return memberOf(extension ? memberOf(resource, extension.id) : resource, attribute.name);
}

/** The resource with an attribute set, or without it where the value is `undefined`. An extension left empty goes. */
export function withAttributeValue(resource: Resource, path: AttributePath, value: Json | undefined): Resource {
  const { extension, attribute } = path;
  if (!extension) return withMember(resource, attribute.name, value);
  const container = memberOf(resource, extension.id);
  const next = withMember(isObject(container) ? container : {}, attribute.name, value);
  if (next === container) return resource;
  return withMember(resource, extension.id, Object.keys(next).length === 0 ? undefined : next);
}

/** The elements of an attribute: none, the one value, or those of the list. */
export function elementsOf(resource: Resource, path: AttributePath): readonly Json[] {
  const value = attributeValue(resource, path);
  if (value === undefined || value === null) return [];
  return Array.isArray(value) ? value : [value];
}

/** Whether two values are the same; the order of members does not matter, that of elements does. */
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
