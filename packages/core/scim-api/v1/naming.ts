/**
 * What SCIM 1.1 calls the attributes of users and groups (reference scim.md section 2.4). Its core schema has the attributes
 * of the one of SCIM 2.0; its two extensions hold those of the enterprise extension, and two of the system extension. All
 * else it cannot name, and so neither shows nor changes.
 */
import type { Attribute, ResourceType, Schema } from "../../scim/schema/attribute.ts";
import { enterpriseSchema } from "../../scim/schema/enterprise.ts";
import { type AttributePath, behind, type Named, resolveName } from "../../scim/schema/paths.ts";
import { systemSchema } from "../../scim/schema/system.ts";
import { CORE, ENTERPRISE, WSO2, WSO2_MEMBER } from "./shapes.ts";

/** What of the system extension has a name: it lies in WSO2's extension. */
const ofSystem: ReadonlySet<string> = new Set(["askPassword", "verifyEmail"]);
const newMeta: ReadonlySet<string> = new Set(["resourceType", "version"]);

/** The two extensions of SCIM 1.1. */
export type Extension = typeof ENTERPRISE | typeof WSO2;

/** The schemas whose attributes an extension of SCIM 1.1 holds, as far as they have names. */
const schemasIn: Readonly<Record<Extension, readonly Schema[]>> = {
  [ENTERPRISE]: [enterpriseSchema],
  [WSO2]: [enterpriseSchema, systemSchema],
};

/** How the name of an attribute of an extension begins. */
const prefixes: readonly (readonly [string, Extension])[] = [
  [ENTERPRISE, ENTERPRISE],
  [WSO2, WSO2],
  [WSO2_MEMBER, WSO2],
];

/** The attributes that an extension of SCIM 1.1 holds, in the order in which they are shown. */
export function pathsOf(extension: Extension): readonly AttributePath[] {
  return schemasIn[extension]
    .flatMap((schema) => schema.attributes.map((attribute) => ({ extension: schema, attribute, sub: undefined })))
    .filter((path) => isNameable(path));
}

/** The extension that a member of a resource holds, by its name in any case. */
export function extensionNamed(member: string): Extension | undefined {
  const name = member.toLowerCase();
  if (name === ENTERPRISE) return ENTERPRISE;
  return name === WSO2 || name === WSO2_MEMBER.toLowerCase() ? WSO2 : undefined;
}

/**
 * The attributes that a name stands for: `userName`, `name.givenName`, one with the URN of the core schema or of an extension
 * before it and a colon or a dot between, or an extension as a whole. Names count in any case. Answers none for a name that
 * SCIM 1.1 does not have.
 */
export function attributesNamed(type: ResourceType, given: string): readonly AttributePath[] {
  const name = given.trim();
  const ofCore = behind(CORE, name);
  if (ofCore !== undefined) {
    const found = nameable(ofCore.includes(":") ? undefined : resolveName(type, ofCore));
    return found.filter(({ extension }) => extension === undefined);
  }
  for (const [prefix, holder] of prefixes) {
    const rest = behind(prefix, name);
    if (rest === undefined) continue;
    const schemas = schemasIn[holder].filter((schema) => type.extensions.includes(schema));
    if (rest === "") return pathsOf(holder).filter(({ extension }) => extension && schemas.includes(extension));
    return schemas.flatMap((schema) =>
      nameable(resolveName(type, `${schema.id}:${canonicalName(rest)}`)).filter(
        ({ extension }) => extension === schema,
      ),
    );
  }
  return name.includes(":") ? [] : nameable(resolveName(type, canonicalName(name)));
}

function nameable(named: Named | undefined): readonly AttributePath[] {
  return named?.attribute && isNameable(named) ? [named] : [];
}

/** What SCIM 2.0 calls an attribute: the id of the manager alone has another name. */
function canonicalName(name: string): string {
  return name.replace(/^manager\.managerId$/i, "manager.value");
}

/** Whether SCIM 1.1 has a name for an attribute or a part of one. */
function isNameable({ extension, attribute, sub }: AttributePath): boolean {
  if (extension?.id === systemSchema.id) return ofSystem.has(attribute.name);
  if (attribute.name === "meta" && sub && newMeta.has(sub.name)) return false;
  return !sub || !isNewPart(sub);
}

/** Parts that came with SCIM 2.0. */
function isNewPart({ name }: Attribute): boolean {
  return name === "$ref" || name.startsWith("audience");
}
