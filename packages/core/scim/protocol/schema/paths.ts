/**
 * Resolves names of attributes as clients write them (RFC 7644 section 3.10). URNs and names are case-insensitive.
 */
import { nearest } from "../../../kernel/nearest.ts";
import { type Attribute, commonAttributes, type ResourceType, type Schema } from "./attribute.ts";

/** An attribute of a resource type, or one of its sub-attributes. */
export interface AttributePath {
  /** The extension that the attribute belongs to; `undefined` for the core schema and the common attributes. */
  readonly extension: Schema | undefined;
  readonly attribute: Attribute;
  readonly sub: Attribute | undefined;
}

/** An attribute, or all of an extension. */
export type Named = AttributePath | { readonly extension: Schema; readonly attribute: undefined };

/** The attribute with a name, in any case. */
export function attributeNamed(attributes: readonly Attribute[], name: string): Attribute | undefined {
  return attributes.find((candidate) => same(candidate.name, name));
}

/** The common attributes and those of the core schema. */
export function coreAttributes(type: ResourceType): readonly Attribute[] {
  return [...commonAttributes, ...type.schema.attributes];
}

/** The part of a name after a URN and its colon or dot; `""` for the URN alone; `undefined` for any other name. */
export function behind(urn: string, name: string): string | undefined {
  if (!same(name.slice(0, urn.length), urn)) return undefined;
  const rest = name.slice(urn.length);
  if (rest === "") return rest;
  // Older clients of Entra ID write a dot after the URN.
  return /^[:.]./.test(rest) ? rest.slice(1) : undefined;
}

/**
 * Resolves `userName`, `name.givenName`, a full URN with or without an attribute, or the bare name of an extension's
 * attribute if the core schema has no such attribute and only one extension has. An attribute that older clients write
 * under the URN of another extension is found too (`alsoHolds`). Returns `undefined` for any other name.
 */
export function resolveName(type: ResourceType, name: string): Named | undefined {
  const ofCore = behind(type.schema.id, name);
  if (ofCore) return within(coreAttributes(type), undefined, ofCore);
  // The longest URN first: one may be a prefix of another.
  for (const extension of [...type.extensions].sort((a, b) => b.id.length - a.id.length)) {
    const rest = behind(extension.id, name);
    if (rest === "") return { extension, attribute: undefined };
    if (rest !== undefined) {
      const { attributes, alsoHolds } = extension;
      return within(attributes, extension, rest) ?? (alsoHolds && within(alsoHolds.attributes, alsoHolds, rest));
    }
  }
  const core = within(coreAttributes(type), undefined, name);
  if (core) return core;
  const found = type.extensions.flatMap((extension) => within(extension.attributes, extension, name) ?? []);
  return found.length === 1 ? found[0] : undefined;
}

/** ` Did you mean <name>?` where an unknown name of an attribute is probably misspelt, else nothing. */
export function hintFor(type: ResourceType, name: string): string {
  const names = namesOf.get(type) ?? attributeNames(type);
  namesOf.set(type, names);
  const meant = nearest(name, names);
  return meant === undefined ? "" : ` Did you mean ${meant}?`;
}

/** The names of the attributes of types: one bulk request may have 20,000 misspelt ones. */
const namesOf = new WeakMap<ResourceType, readonly string[]>();

function attributeNames(type: ResourceType): readonly string[] {
  const attributes = [...coreAttributes(type), ...type.extensions.flatMap((extension) => extension.attributes)];
  return attributes.flatMap((attribute) => [
    attribute.name,
    ...(attribute.subAttributes ?? []).map((sub) => `${attribute.name}.${sub.name}`),
  ]);
}

function within(
  attributes: readonly Attribute[],
  extension: Schema | undefined,
  name: string,
): AttributePath | undefined {
  const [first = "", second, ...more] = name.split(".");
  const attribute = attributeNamed(attributes, first);
  if (!attribute || more.length > 0) return undefined;
  if (second === undefined) return { extension, attribute, sub: undefined };
  const sub = attributeNamed(attribute.subAttributes ?? [], second);
  return sub && { extension, attribute, sub };
}

function same(a: string, b: string): boolean {
  return a.toLowerCase() === b.toLowerCase();
}
