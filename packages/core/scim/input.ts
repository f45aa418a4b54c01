/**
 * From what a client sent to the canonical form of a resource (RFC 7643 section 2; reference scim.md sections 3.2, 3.10 and
 * 3.11). Lenient in how a thing is written, strict in what it is. POST, PUT and PATCH all read through these functions.
 */
import { Fault } from "../platform/faults.ts";
import type { Attribute, Json, JsonObject, Resource, ResourceType, Schema } from "./schema/attribute.ts";
import { attributeNamed, coreAttributes } from "./schema/paths.ts";
import { isObject, isUnassigned, kindOf, misfit, readSimple, refused } from "./values.ts";

/** The most elements of a multi-valued attribute that names no limit of its own. */
const ELEMENTS_MAX = 100;

/** What was given under a name, whatever its case. */
export type Pick = (name: string) => unknown;

/** Names equal but for case: the schema's own spelling wins, otherwise the last one (reference scim.md section 3.2). */
export function pickFrom(given: Readonly<Record<string, unknown>>): Pick {
  const folded = new Map(Object.entries(given).map(([name, value]) => [name.toLowerCase(), value]));
  return (name) => (Object.hasOwn(given, name) ? given[name] : folded.get(name.toLowerCase()));
}

/** Refuses more elements than can be kept, and more than one primary one. Throws `request.invalid`. */
export function checkElements(attribute: Attribute, elements: readonly Json[], where: string): void {
  const { elementsMax = ELEMENTS_MAX } = attribute;
  if (elements.length > elementsMax) throw refused(where, `has at most ${elementsMax} values, not ${elements.length}.`);
  if (elements.filter(isPrimary).length > 1) throw refused(where, "has at most one primary value.");
}

function isPrimary(element: Json): boolean {
  return isObject(element) && element.primary === true;
}

/**
 * Reads one or more elements of a multi-valued attribute: a list, or a single element without one. Elements that hold
 * nothing are left out (unless a part is required), equal ones are kept once, in the order given; the answer is empty when nothing is left. `where`
 * names the attribute in faults. Throws `request.malformed` when something is of the wrong type, `request.invalid` when
 * there are too many, or two are primary.
 */
export function readElements(attribute: Attribute, given: unknown, where: string): readonly Json[] {
  const list: readonly unknown[] = Array.isArray(given) ? given : [given];
  // The members of a canonical element stand in the order of the schema, so equal elements are equal texts.
  const distinct = new Map<string, Json>();
  for (const [index, element] of list.entries()) {
    const place = Array.isArray(given) ? `${where}[${index}]` : where;
    const value = readOne(attribute, element, place);
    // Nothing of it counts, though something was meant: a member by its name alone must not be left out in silence.
    const required =
      value === undefined && !isUnassigned(element) && attribute.subAttributes?.find((sub) => sub.required);
    if (required) throw refused(`${place}.${required.name}`, "is required.");
    if (value !== undefined) distinct.set(JSON.stringify(value), value);
  }
  const elements = [...distinct.values()];
  checkElements(attribute, elements, where);
  return elements;
}

/**
 * Reads the value of an attribute or sub-attribute: all of the list where it is multi-valued. Answers `undefined` when the
 * value means that there is none (`null`, `""`, `[]`, `{}`, or an object with nothing that may be written in it). Whether the
 * attribute itself may be written is the caller's to ask; read-only sub-attributes are dropped. Faults as `readElements`.
 */
export function readAttributeValue(attribute: Attribute, given: unknown, where: string): Json | undefined {
  if (attribute.multiValued) {
    const elements = readElements(attribute, given, where);
    return elements.length > 0 ? elements : undefined;
  }
  // Entra ID sends the manager as a list of one.
  const isBoxed = attribute.type === "complex" && Array.isArray(given) && given.length === 1;
  return readOne(attribute, isBoxed ? given[0] : given, where);
}

/**
 * Reads the body of a POST or PUT. Names count in any case; unknown attributes and read-only ones are left out, as is
 * `schemas`, which follows from what is there. Whether required attributes are present is for `requireAll` to say. Throws
 * `request.malformed` or `request.invalid` with a sentence that names the attribute.
 */
export function readResource(type: ResourceType, given: unknown): Resource {
  if (!isObject(given)) {
    throw new Fault("request.malformed", `The body must be a JSON object, not ${kindOf(given)}.`);
  }
  const pick = pickFrom(given);
  const extensions = type.extensions.flatMap((extension): [string, Json][] => {
    const members = readExtension(type, extension, pick);
    return members ? [[extension.id, members]] : [];
  });
  return { ...readMembers(coreAttributes(type), pick, (name) => name), ...Object.fromEntries(extensions) };
}

function readExtension(type: ResourceType, extension: Schema, pick: Pick): JsonObject | undefined {
  const picks = [extension, ...type.extensions.filter(({ alsoHolds }) => alsoHolds?.id === extension.id)].flatMap(
    ({ id }) => {
      const given = pick(id);
      if (isUnassigned(given)) return [];
      if (!isObject(given)) throw misfit(id, `must be an object, not ${kindOf(given)}.`);
      return pickFrom(given);
    },
  );
  const first: Pick = (name) => picks.map((from) => from(name)).find((value) => value !== undefined);
  return readMembers(extension.attributes, first, (name) => `${extension.id}:${name}`);
}

function readOne(attribute: Attribute, given: unknown, where: string): Json | undefined {
  if (isUnassigned(given)) return undefined;
  return attribute.type === "complex" ? readComplex(attribute, given, where) : readSimple(attribute, given, where);
}

function readComplex(attribute: Attribute, given: unknown, where: string): JsonObject | undefined {
  const subAttributes = attribute.subAttributes ?? [];
  if (Array.isArray(given)) throw misfit(where, "must be one object, not a list.");
  if (!isObject(given) && !attributeNamed(subAttributes, "value")) {
    throw misfit(where, `must be an object, not ${kindOf(given)}.`);
  }
  const members = isObject(given) ? given : { value: given };
  return readMembers(subAttributes, pickFrom(members), (name) => `${where}.${name}`);
}

/** Reads members of an object in the order of the schema. What is read-only, unknown or unassigned is left out. */
function readMembers(
  attributes: readonly Attribute[],
  pick: Pick,
  whereOf: (name: string) => string,
): JsonObject | undefined {
  const members = attributes
    .filter(({ mutability }) => mutability !== "readOnly")
    .flatMap((attribute): [string, Json][] => {
      const value = readAttributeValue(attribute, pick(attribute.name), whereOf(attribute.name));
      return value === undefined ? [] : [[attribute.name, value]];
    });
  return members.length > 0 ? Object.fromEntries(members) : undefined;
}
