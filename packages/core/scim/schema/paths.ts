/**
 * From the name of an attribute, as clients write it, to the attribute (RFC 7644 section 3.10; reference scim.md sections
 * 3.4, 3.5 and 3.9). Names of URNs, attributes and sub-attributes are case-insensitive everywhere.
 */
import { type Attribute, commonAttributes, type ResourceType, type Schema } from "./attribute.ts";

/** An attribute of a resource type, or one of its sub-attributes. */
export interface AttributePath {
  /** The extension that the attribute belongs to; `undefined` for the core schema and the common attributes. */
  readonly extension: Schema | undefined;
  readonly attribute: Attribute;
  readonly sub: Attribute | undefined;
}

/** What a name stands for: an attribute, or all of an extension. */
export type Named = AttributePath | { readonly extension: Schema; readonly attribute: undefined };

/** The attribute of that name, whatever its case. */
export function attributeNamed(attributes: readonly Attribute[], name: string): Attribute | undefined {
  return attributes.find((candidate) => same(candidate.name, name));
}

/** The common attributes and those of the core schema. */
export function coreAttributes(type: ResourceType): readonly Attribute[] {
  return [...commonAttributes, ...type.schema.attributes];
}

/** What is left of a name behind a URN and a colon or dot; `""` for the URN alone; `undefined` where it does not begin with it. */
export function behind(urn: string, name: string): string | undefined {
  if (!same(name.slice(0, urn.length), urn)) return undefined;
  const rest = name.slice(urn.length);
  if (rest === "") return rest;
  // Old clients of Entra ID write a dot between the URN and the attribute.
  return /^[:.]./.test(rest) ? rest.slice(1) : undefined;
}

/**
 * Finds what a name stands for: `userName`, `name.givenName`, a full URN with or without an attribute behind it, or the
 * bare name of an extension's attribute where the core schema has none of that name and only one extension has. What old
 * clients write under the URN of another extension is found where it belongs. `username` means `userName`, whatever is
 * written. Answers `undefined` for anything else.
 */
export function resolveName(type: ResourceType, name: string): Named | undefined {
  const ofCore = behind(type.schema.id, name);
  if (ofCore) return within(coreAttributes(type), undefined, ofCore);
  // The longest URN first: one may begin like another.
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
