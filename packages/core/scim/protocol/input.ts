/**
 * Parses input of POST, PUT and PATCH into canonical form (RFC 7643 section 2): tolerant of notation, strict about
 * types.
 */
import { Fault } from "../../kernel/faults.ts";
import { checkTogether, eachTogether, readTogether } from "../../kernel/together.ts";
import { isPrimary, memberOf } from "./resource.ts";
import type { Attribute, Json, JsonObject, Resource, ResourceType, Schema } from "./schema/attribute.ts";
import { attributeNamed, coreAttributes } from "./schema/paths.ts";
import { invalidValue, isObject, isUnassigned, kindOf, malformedValue, readSimple } from "./values.ts";

/** The maximum of elements of attributes without their own `elementsMax`. */
const ELEMENTS_MAX = 100;

/** Reads the member with a name, in any case. */
export type Pick = (name: string) => unknown;

/** Among names that differ only by case, the exact spelling wins, otherwise the last one. */
export function pickFrom(given: Readonly<Record<string, unknown>>): Pick {
  const folded = new Map(Object.entries(given).map(([name, value]) => [name.toLowerCase(), value]));
  return (name) => (Object.hasOwn(given, name) ? given[name] : folded.get(name.toLowerCase()));
}

/** Throws `request.invalid` for too many elements, and for more than one primary element. */
export function checkElements(attribute: Attribute, elements: readonly Json[], where: string): void {
  const { elementsMax = ELEMENTS_MAX } = attribute;
  checkTogether(
    () => {
      if (elements.length > elementsMax)
        throw invalidValue(where, `has at most ${elementsMax} values, not ${elements.length}.`);
    },
    () => {
      if (elements.filter(isPrimary).length > 1) throw invalidValue(where, "has at most one primary value.");
    },
  );
}

/**
 * Parses the elements of a multi-valued attribute: a list, or one element without a list. Drops empty elements and
 * duplicates. `where` names the attribute in messages. Throws `request.malformed` for a wrong type, and
 * `request.invalid` for too many elements, two primary ones, or one without a required part.
 */
export function readElements(attribute: Attribute, given: unknown, where: string): readonly Json[] {
  const list: readonly unknown[] = Array.isArray(given) ? given : [given];
  // Canonical elements have their members in the order of the schema, so equal elements have equal JSON.
  const distinct = new Map<string, Json>();
  const read = ([index, element]: [number, unknown]): readonly never[] => {
    const place = Array.isArray(given) ? `${where}[${index}]` : where;
    const value = readOne(attribute, element, place);
    // An element with other parts only, such as a member with only a name, must not be dropped silently.
    const required = isUnassigned(element) ? undefined : attribute.subAttributes?.find((sub) => sub.required);
    if (required && memberOf(value, required.name) === undefined) {
      throw invalidValue(`${place}.${required.name}`, "is required.");
    }
    if (value !== undefined) distinct.set(JSON.stringify(value), value);
    return [];
  };
  checkTogether(
    () => eachTogether(list.entries(), read),
    () => checkElements(attribute, [...distinct.values()], where),
  );
  return [...distinct.values()];
}

/**
 * Parses the value of an attribute or sub-attribute: the whole list if it is multi-valued. Returns `undefined` for no
 * value: `null`, `""`, `[]`, `{}`, or an object without a writable member. Drops read-only sub-attributes; the caller
 * checks the attribute itself. Throws as `readElements` does.
 */
export function readAttributeValue(attribute: Attribute, given: unknown, where: string): Json | undefined {
  if (attribute.multiValued) {
    const elements = readElements(attribute, given, where);
    return elements.length > 0 ? elements : undefined;
  }
  // Entra ID sends the manager as a list of one element.
  const isBoxed = attribute.type === "complex" && Array.isArray(given) && given.length === 1;
  return readOne(attribute, isBoxed ? given[0] : given, where);
}

/**
 * Parses the body of a POST or PUT. Names are case-insensitive. Ignores `schemas`, unknown and read-only attributes.
 * `requireAll` checks required attributes. Throws `request.malformed` or `request.invalid` with the path of the
 * attribute.
 */
export function readResource(type: ResourceType, given: unknown): Resource {
  if (!isObject(given)) {
    throw new Fault("request.malformed", `The body must be a JSON object, not ${kindOf(given)}.`);
  }
  const pick = pickFrom(given);
  const core = () => Object.entries(readMembers(coreAttributes(type), pick, (name) => name) ?? {});
  const extensions = type.extensions.map((extension) => (): [string, Json][] => {
    const members = readExtension(type, extension, pick);
    return members ? [[extension.id, members]] : [];
  });
  return Object.fromEntries(readTogether(core, ...extensions));
}

function readExtension(type: ResourceType, extension: Schema, pick: Pick): JsonObject | undefined {
  const names = [extension, ...type.extensions.filter(({ alsoHolds }) => alsoHolds?.id === extension.id)];
  const picks: Pick[] = [];
  const first: Pick = (name) => picks.map((from) => from(name)).find((value) => value !== undefined);
  const [read] = readTogether<JsonObject>(
    () =>
      eachTogether(names, ({ id }): readonly never[] => {
        const given = pick(id);
        if (isUnassigned(given)) return [];
        if (!isObject(given)) throw malformedValue(id, `must be an object, not ${kindOf(given)}.`);
        picks.push(pickFrom(given));
        return [];
      }),
    () => {
      const members = readMembers(extension.attributes, first, (name) => `${extension.id}:${name}`);
      return members ? [members] : [];
    },
  );
  return read;
}

function readOne(attribute: Attribute, given: unknown, where: string): Json | undefined {
  if (isUnassigned(given)) return undefined;
  return attribute.type === "complex" ? readComplex(attribute, given, where) : readSimple(attribute, given, where);
}

function readComplex(attribute: Attribute, given: unknown, where: string): JsonObject | undefined {
  const subAttributes = attribute.subAttributes ?? [];
  if (Array.isArray(given)) throw malformedValue(where, "must be one object, not a list.");
  if (!isObject(given) && !attributeNamed(subAttributes, "value")) {
    throw malformedValue(where, `must be an object, not ${kindOf(given)}.`);
  }
  const members = isObject(given) ? given : { value: given };
  return readMembers(subAttributes, pickFrom(members), (name) => `${where}.${name}`);
}

/** Parses members in the order of the schema. Drops read-only, unknown and unassigned ones. */
function readMembers(
  attributes: readonly Attribute[],
  pick: Pick,
  whereOf: (name: string) => string,
): JsonObject | undefined {
  const writable = attributes.filter(({ mutability }) => mutability !== "readOnly");
  const members = eachTogether(writable, (attribute): [string, Json][] => {
    const value = readAttributeValue(attribute, pick(attribute.name), whereOf(attribute.name));
    return value === undefined ? [] : [[attribute.name, value]];
  });
  return members.length > 0 ? Object.fromEntries(members) : undefined;
}
