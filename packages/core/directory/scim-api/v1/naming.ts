/**
 * The names of attributes in SCIM 1.1. Its core schema has the attributes of the core schema of SCIM 2.0. Its two
 * extensions have those of the enterprise extension and two of the system extension. SCIM 1.1 neither shows nor changes
 * other attributes.
 */
import type { Attribute, ResourceType, Schema } from "../../../scim/protocol/schema/attribute.ts";
import { enterpriseSchema } from "../../../scim/protocol/schema/enterprise.ts";
import { type AttributePath, behind, type Named, resolveName } from "../../../scim/protocol/schema/paths.ts";
import { systemSchema } from "../../../scim/protocol/schema/system.ts";
import { CORE, ENTERPRISE, WSO2, WSO2_MEMBER } from "./shapes.ts";

/** The attributes of the system extension that WSO2's extension has. */
const ofSystem: ReadonlySet<string> = new Set(["askPassword", "verifyEmail"]);
/** Parts of `meta` that SCIM 1.1 does not have. */
const newMeta: ReadonlySet<string> = new Set(["resourceType", "version"]);

/** The two extensions of SCIM 1.1. */
export type Extension = typeof ENTERPRISE | typeof WSO2;

/** The schemas whose attributes an extension of SCIM 1.1 has, where SCIM 1.1 can name them. */
const schemasIn: Readonly<Record<Extension, readonly Schema[]>> = {
  [ENTERPRISE]: [enterpriseSchema],
  [WSO2]: [enterpriseSchema, systemSchema],
};

/** The prefixes of the names of attributes of extensions. */
const prefixes: readonly (readonly [string, Extension])[] = [
  [ENTERPRISE, ENTERPRISE],
  [WSO2, WSO2],
  [WSO2_MEMBER, WSO2],
];

/** The attributes of an extension, in the order in which they are shown. */
export function pathsOf(extension: Extension): readonly AttributePath[] {
  return schemasIn[extension]
    .flatMap((schema) => schema.attributes.map((attribute) => ({ extension: schema, attribute, sub: undefined })))
    .filter((path) => isNameable(path));
}

/** The extension of a member of a resource, by the member's name in any case. */
export function extensionNamed(member: string): Extension | undefined {
  const name = member.toLowerCase();
  if (name === ENTERPRISE) return ENTERPRISE;
  return name === WSO2 || name === WSO2_MEMBER.toLowerCase() ? WSO2 : undefined;
}

/**
 * The attributes that a name means: `userName`, `name.givenName`, a name after the URN of the core schema or of an
 * extension and a colon or a dot, or a whole extension. Case does not matter. Empty for a name that SCIM 1.1 does not
 * have.
 */
export function attributesNamed(type: ResourceType, given: string): readonly AttributePath[] {
  const name = given.trim();
  const ofCore = behind(CORE, name);
  if (ofCore !== undefined) {
    const found = nameable(ofCore.includes(":") ? undefined : resolveName(type, ofCore));
    return found.filter(({ extension }) => extension === undefined);
  }
  for (const [prefix, own] of prefixes) {
    const rest = behind(prefix, name);
    if (rest === undefined) continue;
    const schemas = schemasIn[own].filter((schema) => type.extensions.includes(schema));
    if (rest === "") return pathsOf(own).filter(({ extension }) => extension && schemas.includes(extension));
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

/** The name in SCIM 2.0. Only the id of the manager has another one there. */
function canonicalName(name: string): string {
  return name.replace(/^manager\.managerId$/i, "manager.value");
}

/** Whether SCIM 1.1 can name an attribute or a part of it. */
function isNameable({ extension, attribute, sub }: AttributePath): boolean {
  if (extension?.id === systemSchema.id) return ofSystem.has(attribute.name);
  if (attribute.name === "meta" && sub && newMeta.has(sub.name)) return false;
  return !sub || !isNewPart(sub);
}

/** Parts that are new in SCIM 2.0. */
function isNewPart({ name }: Attribute): boolean {
  return name === "$ref" || name.startsWith("audience");
}
