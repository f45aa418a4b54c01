/** Rules for whole resources: required and immutable attributes (RFC 7643 section 7). */
import { isDeepStrictEqual } from "node:util";
import { Fault } from "../../kernel/faults.ts";
import { eachTogether, valuesTogether } from "../../kernel/together.ts";
import { checkElements, pickFrom, readResource } from "./input.ts";
import type { Attribute, Json, Resource, ResourceType } from "./schema/attribute.ts";
import { coreAttributes } from "./schema/paths.ts";
import { isObject, isUnassigned } from "./values.ts";

/** The attributes of one schema, the object with their values, and the prefix of their paths. */
interface Part {
  readonly attributes: readonly Attribute[];
  readonly values: Resource;
  readonly prefix: string;
  /** An extension without data requires no attributes. */
  readonly isUsed: boolean;
}

/**
 * Checks a resource before it is stored. Throws `request.invalid` for a missing required attribute, too many elements,
 * and more than one primary element. Does not require write-only attributes: a resource does not contain its password.
 */
export function requireAll(type: ResourceType, resource: Resource): void {
  const used = partsOf(type, resource).filter(({ isUsed }) => isUsed);
  eachTogether(used, ({ attributes, values, prefix }) =>
    eachTogether(attributes, (attribute): readonly never[] => {
      const value = values[attribute.name];
      if (value !== undefined) checkValue(attribute, value, prefix + attribute.name);
      else if (isRequired(attribute)) throw missing(prefix + attribute.name);
      return [];
    }),
  );
}

/**
 * The resource in the body of a POST or PUT, complete. Throws what `readResource` throws, and `request.invalid` for
 * required attributes of its own schema, and those named in `also`, that are missing: all at once.
 */
export function readComplete(type: ResourceType, given: unknown, also: readonly string[] = []): Resource {
  const [resource] = valuesTogether(
    () => readResource(type, given),
    () => checkGiven(type, given, also),
  );
  requireAll(type, resource);
  return resource;
}

/**
 * Checks that a body has the required attributes of its own schema, and those named in `also`. Throws
 * `request.invalid`.
 */
export function checkGiven(type: ResourceType, given: unknown, also: readonly string[] = []): void {
  if (!isObject(given)) return;
  const pick = pickFrom(given);
  const absent = coreAttributes(type).filter(
    (one) => (isRequired(one) || also.includes(one.name)) && isUnassigned(pick(one.name)),
  );
  refuseMissing(absent.map(({ name }) => name));
}

function isRequired({ required, mutability }: Attribute): boolean {
  return required === true && mutability !== "writeOnly" && mutability !== "readOnly";
}

function checkValue(attribute: Attribute, value: Json, path: string): void {
  const elements = Array.isArray(value) ? value : [value];
  if (attribute.multiValued) checkElements(attribute, elements, path);
  const required = (attribute.subAttributes ?? []).filter((sub) => sub.required);
  const absent = required.filter(({ name }) => elements.some((element) => asObject(element)[name] === undefined));
  refuseMissing(absent.map(({ name }) => `${path}.${name}`));
}

function refuseMissing(paths: readonly string[]): void {
  eachTogether(paths, (path) => {
    throw missing(path);
  });
}

function missing(path: string): Fault {
  return new Fault("request.invalid", `Required attribute ${path} is missing in the SCIM object.`);
}

/**
 * Throws `scim.mutability` for a replacement that changes or removes an immutable value. A value that was not set may
 * be set, and a complex value may be sent in part: the members that are not given stay. Elements of writable lists may
 * be added and removed, so their sub-attributes are not compared.
 */
export function checkImmutable(type: ResourceType, before: Resource, after: Resource): void {
  const now = new Map(
    partsOf(type, after)
      .flatMap(fixedOf)
      .map(({ path, value }) => [path, value]),
  );
  const changed = partsOf(type, before)
    .flatMap(fixedOf)
    .find(({ path, attribute, value }) => value !== undefined && !isKept(attribute, value, now.get(path)));
  if (changed) {
    throw new Fault("scim.mutability", `Attribute ${changed.path} is immutable: it cannot be changed once it is set.`);
  }
}

/** Whether a replacement keeps an immutable value. */
function isKept({ subAttributes = [] }: Attribute, before: Json, after: Json | undefined): boolean {
  if (!isObject(before) || !isObject(after)) return isDeepStrictEqual(before, after);
  return subAttributes.every(({ name, caseExact }) => {
    const [old, now] = [before, after].map((value) => asObject(value)[name]);
    if (old === undefined || now === undefined) return true;
    return isDeepStrictEqual(caseExact ? old : folded(old), caseExact ? now : folded(now));
  });
}

function folded(value: Json): Json {
  return typeof value === "string" ? value.toLowerCase() : value;
}

/** An immutable attribute of a resource. */
interface Fixed {
  readonly path: string;
  readonly attribute: Attribute;
  readonly value: Json | undefined;
}

/** The immutable attributes of a part. Does not descend into lists. */
function fixedOf({ attributes, values, prefix }: Omit<Part, "isUsed">): readonly Fixed[] {
  return attributes.flatMap((attribute): readonly Fixed[] => {
    const path = prefix + attribute.name;
    const value = values[attribute.name];
    if (attribute.mutability === "immutable") return [{ path, attribute, value }];
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
