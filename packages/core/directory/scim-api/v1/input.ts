/**
 * Reads the body of a SCIM 1.1 request into canonical form. Unknown attributes are ignored; an empty text counts as not
 * sent.
 */
import { Fault } from "../../../kernel/faults.ts";
import { trimName } from "../../../kernel/fold.ts";
import { checkTogether, eachTogether, valuesTogether } from "../../../kernel/together.ts";
import { type Pick, pickFrom, readAttributeValue, readElements, readResource } from "../../../scim/protocol/input.ts";
import { hasParts } from "../../../scim/protocol/patch/elements.ts";
import { checkGiven, requireAll } from "../../../scim/protocol/requirements.ts";
import { attributeValue, isSame, withAttributeValue } from "../../../scim/protocol/resource.ts";
import type { Attribute, Json, Resource, ResourceType } from "../../../scim/protocol/schema/attribute.ts";
import { type AttributePath, attributeNamed, coreAttributes } from "../../../scim/protocol/schema/paths.ts";
import { isObject, isUnassigned, kindOf, malformedValue } from "../../../scim/protocol/values.ts";
import { withoutAssignedRoles } from "../resources/present.ts";
import { attributesNamed, type Extension, extensionNamed, pathsOf } from "./naming.ts";
import { WSO2 } from "./shapes.ts";

/** The JSON object of a request. */
export type Body = Readonly<Record<string, unknown>>;

/** Elements of an attribute that are marked with `"operation": "delete"`. */
export interface Marked {
  readonly attribute: Attribute;
  readonly elements: readonly Json[];
}

/** What a request has. */
export interface Sent {
  /** The core attributes, without elements that are marked, and without assigned roles. */
  readonly core: Resource;
  /** The attributes of each extension, one resource for each name under which an extension was sent. */
  readonly extensions: readonly Resource[];
  readonly marked: readonly Marked[];
}

/** The most names in `meta.attributes`: each costs a search of the schemas. */
const NAMES_MAX = 1_000;

/** A value for an attribute of an extension. */
interface Setting {
  readonly path: AttributePath;
  readonly value: Json;
}

/**
 * Reads a body. `rules` are further checks of it. Tells all faults at once. Throws `request.malformed` or
 * `request.invalid`, with the path of the attribute.
 */
export function readSent(type: ResourceType, body: Body, ...rules: readonly (() => void)[]): Sent {
  const members = Object.entries(body);
  // A name with a colon is a URN. Only the extensions of SCIM 1.1 are read.
  const given = members
    .filter(([name]) => !name.includes(":"))
    .map(([name, value]) => {
      const attribute = attributeNamed(coreAttributes(type), name);
      return [name, attribute?.multiValued ? withoutMarked(value) : value] as const;
    });
  const [core, extensions, marked] = valuesTogether(
    () => readResource(type, Object.fromEntries(given)),
    () =>
      eachTogether(type.extensions.length > 0 ? members : [], ([name, value]) => {
        const extension = extensionNamed(name);
        return extension ? [readExtension(extension, name, value)] : [];
      }),
    () => eachTogether(members, ([name, value]) => markedIn(type, name, value)),
    () => checkTogether(...rules),
  );
  return { core: withoutAssignedRoles(trimmed(core)), extensions, marked };
}

/** Reads a body that must be a whole resource. Throws as `readSent` does, and for what is missing. */
export function readWhole(type: ResourceType, body: Body): Sent {
  const sent = readSent(type, body, () => checkGiven(type, body));
  requireAll(type, sent.core);
  return sent;
}

/** A `displayName` is stored without blanks at its ends. */
function trimmed({ displayName, ...rest }: Resource): Resource {
  const name = typeof displayName === "string" ? trimName(displayName) : "";
  return name === "" ? rest : { ...rest, displayName: name };
}

function readExtension(extension: Extension, member: string, given: unknown): Resource {
  if (isUnassigned(given)) return {};
  if (!isObject(given)) throw malformedValue(member, `must be an object, not ${kindOf(given)}.`);
  const pick: Pick = pickFrom(given);
  const values = eachTogether(pathsOf(extension), (path): [AttributePath, Json | undefined][] => {
    const { name } = path.attribute;
    const value = name === "manager" ? managerOf(pick(name)) : pick(name);
    return [[path, readAttributeValue(path.attribute, value, `${member}.${name}`)]];
  });
  return values.reduce((resource: Resource, [path, value]) => withAttributeValue(resource, path, value), {});
}

/** A manager is its id, which SCIM 2.0 names `value`. */
function managerOf(given: unknown): unknown {
  const one = Array.isArray(given) && given.length === 1 ? given[0] : given;
  if (!isObject(one)) return one;
  const pick = pickFrom(one);
  return { value: pick("managerId") ?? pick("value") };
}

function markedIn(type: ResourceType, name: string, given: unknown): readonly Marked[] {
  const attribute = attributeNamed(coreAttributes(type), name);
  if (!attribute?.multiValued || attribute.mutability === "readOnly") return [];
  const elements = eachTogether(listOf(given).entries(), ([at, element]) =>
    isMarked(element) ? readElements(attribute, element, `${name}[${at}]`) : [],
  );
  return elements.length > 0 ? [{ attribute, elements }] : [];
}

/** The elements of a list, without those that are marked: each keeps its place. */
function withoutMarked(given: unknown): unknown {
  const shown = (element: unknown): unknown => (isMarked(element) ? null : element);
  return Array.isArray(given) ? given.map(shown) : shown(given);
}

/** A list, or a single element as a list. */
function listOf(given: unknown): readonly unknown[] {
  return Array.isArray(given) ? given : [given];
}

function isMarked(element: unknown): boolean {
  const operation = isObject(element) ? pickFrom(element)("operation") : undefined;
  return typeof operation === "string" && operation.toLowerCase() === "delete";
}

/**
 * The attributes that `meta.attributes` names, which a PATCH removes first. Unknown names are ignored. Throws
 * `request.malformed` where it is not a list of names, `request.invalid` for an attribute that cannot be removed.
 */
export function readRemoved(type: ResourceType, body: Body): readonly AttributePath[] {
  const meta = pickFrom(body)("meta");
  if (isUnassigned(meta)) return [];
  if (!isObject(meta)) throw malformedValue("meta", `must be an object, not ${kindOf(meta)}.`);
  const names = pickFrom(meta)("attributes") ?? [];
  if (!Array.isArray(names) || !names.every((name) => typeof name === "string")) {
    throw malformedValue("meta.attributes", "must be a list of attribute names.");
  }
  if (names.length > NAMES_MAX) {
    throw new Fault("request.invalid", `meta.attributes can have at most ${NAMES_MAX} names, not ${names.length}.`);
  }
  return eachTogether(names, (name: string) => {
    const paths = attributesNamed(type, name);
    for (const path of paths) checkRemovable(path, name);
    return paths;
  });
}

function checkRemovable({ attribute, sub }: AttributePath, name: string): void {
  const parts = sub ? [attribute, sub] : [attribute];
  const isKept = (part: Attribute) => part.mutability === "readOnly" || part.mutability === "writeOnly";
  if (parts.some(isKept) || (sub ?? attribute).required) {
    throw new Fault("request.invalid", `meta.attributes: ${name.slice(0, 100)} cannot be removed.`);
  }
}

/** Throws `request.invalid` where the body has another id than the path. */
export function checkId(body: Body, id: string): void {
  const given = pickFrom(body)("id");
  if (isUnassigned(given) || given === id) return;
  throw new Fault("request.invalid", "The id in the body differs from the id in the path. An id cannot be changed.");
}

/**
 * The values that the extensions of a request set. Both extensions show the same attribute, so a client sends it back
 * twice and changes one of them: the value that differs from the current one counts.
 */
export function settingsOf({ extensions }: Sent, before: Resource): readonly Setting[] {
  return pathsOf(WSO2).flatMap((path) => {
    const values = extensions.flatMap((one) => attributeValue(one, path) ?? []);
    const current = attributeValue(before, path);
    const value = values.find((one) => !agrees(one, current)) ?? values[0];
    return value === undefined ? [] : [{ path, value }];
  });
}

function agrees(value: Json, current: Json | undefined): boolean {
  return isObject(value) ? current !== undefined && hasParts(value, current) : isSame(value, current);
}
