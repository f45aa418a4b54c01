/**
 * From the body of a SCIM 1.1 request to canonical form (reference scim.md sections 2.4 to 2.6). What is not known is left
 * out, and a text without characters counts as not sent.
 */
import { Fault } from "../../platform/faults.ts";
import { type Pick, pickFrom, readAttributeValue, readElements, readResource } from "../../scim/input.ts";
import { isMeant } from "../../scim/patch/elements.ts";
import { attributeValue, isSame, withAttributeValue } from "../../scim/resource.ts";
import type { Attribute, Json, Resource, ResourceType } from "../../scim/schema/attribute.ts";
import { type AttributePath, attributeNamed, coreAttributes } from "../../scim/schema/paths.ts";
import { isObject, isUnassigned, kindOf, malformedValue } from "../../scim/values.ts";
import { withoutAssignedRoles } from "../resources/present.ts";
import { attributesNamed, type Extension, extensionNamed, pathsOf } from "./naming.ts";
import { WSO2 } from "./shapes.ts";

/** A JSON object as it was sent. */
export type Body = Readonly<Record<string, unknown>>;

/** Elements that are marked to go. */
export interface Leaving {
  readonly attribute: Attribute;
  readonly elements: readonly Json[];
}

/** What was sent. */
export interface Sent {
  /** The core attributes; without elements that are marked to go, and without roles that the service gave. */
  readonly core: Resource;
  /** The attributes of the extensions: once for each way in which they were written. */
  readonly extensions: readonly Resource[];
  readonly leaving: readonly Leaving[];
}

/** The most names in `meta.attributes`: each costs a search of the schemas, which hold far fewer. */
const NAMES_MAX = 1_000;

/** A value for an attribute of an extension. */
interface Setting {
  readonly path: AttributePath;
  readonly value: Json;
}

/**
 * Reads what a resource is to be, or what is to change of it. Throws `request.malformed` or `request.invalid` with a
 * sentence that names the attribute.
 */
export function readSent(type: ResourceType, body: Body): Sent {
  const members = Object.entries(body);
  // A name with a colon is the URN of an extension; those of SCIM 2.0 are not known here.
  const core = members
    .filter(([name]) => !name.includes(":"))
    .map(([name, value]) => {
      const attribute = attributeNamed(coreAttributes(type), name);
      const staying = attribute?.multiValued ? listOf(value).filter((element) => !isGoing(element)) : value;
      return [name, staying] as const;
    });
  return {
    core: withoutAssignedRoles(trimmed(readResource(type, Object.fromEntries(core)))),
    extensions: members.flatMap(([name, value]) => {
      const extension = type.extensions.length > 0 ? extensionNamed(name) : undefined;
      return extension ? [readExtension(extension, name, value)] : [];
    }),
    leaving: members.flatMap(([name, value]) => leavingOf(type, name, value)),
  };
}

/** Names that people read hold no blanks at their ends. */
function trimmed({ displayName, ...rest }: Resource): Resource {
  const name = typeof displayName === "string" ? displayName.trim() : "";
  return name === "" ? rest : { ...rest, displayName: name };
}

function readExtension(extension: Extension, member: string, given: unknown): Resource {
  if (isUnassigned(given)) return {};
  if (!isObject(given)) throw malformedValue(member, `must be an object, not ${kindOf(given)}.`);
  const pick: Pick = pickFrom(given);
  return pathsOf(extension).reduce((resource: Resource, path) => {
    const { name } = path.attribute;
    const value = name === "manager" ? managerOf(pick(name)) : pick(name);
    return withAttributeValue(resource, path, readAttributeValue(path.attribute, value, `${member}.${name}`));
  }, {});
}

/** A manager is known by its id alone, which SCIM 2.0 calls its value. */
function managerOf(given: unknown): unknown {
  const one = Array.isArray(given) && given.length === 1 ? given[0] : given;
  if (!isObject(one)) return one;
  const pick = pickFrom(one);
  return { value: pick("managerId") ?? pick("value") };
}

function leavingOf(type: ResourceType, name: string, given: unknown): readonly Leaving[] {
  const attribute = attributeNamed(coreAttributes(type), name);
  if (!attribute?.multiValued || attribute.mutability === "readOnly") return [];
  const elements = listOf(given).flatMap((element, at) =>
    isGoing(element) ? readElements(attribute, element, `${name}[${at}]`) : [],
  );
  return elements.length > 0 ? [{ attribute, elements }] : [];
}

/** Elements one by one: a list, or a single element without one. */
function listOf(given: unknown): readonly unknown[] {
  return Array.isArray(given) ? given : [given];
}

function isGoing(element: unknown): boolean {
  const operation = isObject(element) ? pickFrom(element)("operation") : undefined;
  return typeof operation === "string" && operation.toLowerCase() === "delete";
}

/**
 * The attributes that a PATCH takes away before it sets others: those that `meta.attributes` names. Unknown names count for
 * nothing. Throws `request.malformed` for what is no list of names, `request.invalid` for an attribute that must stay.
 */
export function readRemoved(type: ResourceType, body: Body): readonly AttributePath[] {
  const meta = pickFrom(body)("meta");
  if (isUnassigned(meta)) return [];
  if (!isObject(meta)) throw malformedValue("meta", `must be an object, not ${kindOf(meta)}.`);
  const names = pickFrom(meta)("attributes") ?? [];
  if (!Array.isArray(names) || !names.every((name) => typeof name === "string")) {
    throw malformedValue("meta.attributes", "must be a list of the names of attributes.");
  }
  if (names.length > NAMES_MAX) {
    throw new Fault("request.invalid", `meta.attributes holds at most ${NAMES_MAX} names, not ${names.length}.`);
  }
  return names.flatMap((name: string) => {
    const paths = attributesNamed(type, name);
    for (const path of paths) checkRemovable(path, name);
    return paths;
  });
}

function checkRemovable({ attribute, sub }: AttributePath, name: string): void {
  const parts = sub ? [attribute, sub] : [attribute];
  const isKept = (part: Attribute) => part.mutability === "readOnly" || part.mutability === "writeOnly";
  if (parts.some(isKept) || (sub ?? attribute).required) {
    throw new Fault("request.invalid", `meta.attributes names ${name.slice(0, 100)}, which cannot be removed.`);
  }
}

/** Throws `request.invalid` where a body names another resource than the path does. */
export function checkId(body: Body, id: string): void {
  const given = pickFrom(body)("id");
  if (isUnassigned(given) || given === id) return;
  throw new Fault("request.invalid", "The id in the body is not the one in the path; an id cannot be changed.");
}

/**
 * What the extensions of a request set. Users are shown with one attribute in both extensions, so clients send it back twice
 * and change it once: the value that differs from what is there is the one that is meant.
 */
export function settingsOf({ extensions }: Sent, before: Resource): readonly Setting[] {
  return pathsOf(WSO2).flatMap((path) => {
    const values = extensions.flatMap((one) => attributeValue(one, path) ?? []);
    const present = attributeValue(before, path);
    const value = values.find((one) => !says(one, present)) ?? values[0];
    return value === undefined ? [] : [{ path, value }];
  });
}

function says(value: Json, present: Json | undefined): boolean {
  return isObject(value) ? present !== undefined && isMeant(value, present) : isSame(value, present);
}
