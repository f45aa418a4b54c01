/** The schema of roles: upstream's, not the RFC's (reference scim.md section 4.7). */
import { type Attribute, attribute, type ResourceType, type Schema } from "./attribute.ts";

/** Roles. */
export const roleSchema: Schema = {
  id: "urn:ietf:params:scim:schemas:extension:2.0:Role",
  name: "Role",
  description: "Role: a set of scopes that users and groups hold",
  attributes: [
    attribute("displayName", "The name of the role. Unique among the roles for its audience, whatever the case.", {
      required: true,
      uniqueness: "server",
    }),
    attribute("audience", "Whom the role is for: all applications of the organization, or one application.", {
      type: "complex",
      mutability: "immutable",
      returned: "always",
      subAttributes: [
        attribute("value", "The id of the application, or the domain of the organization.", {
          mutability: "immutable",
        }),
        attribute("display", "The name of the audience.", { mutability: "readOnly" }),
        attribute("type", "organization or application.", {
          mutability: "immutable",
          canonicalValues: ["organization", "application"],
        }),
      ],
    }),
    list("permissions", "The scopes that the role holds.", reference("scope", "uri"), { elementsMax: 1_000 }),
    list("users", "The users who hold the role.", reference("user", "User"), { elementsMax: Number.POSITIVE_INFINITY }),
    list("groups", "The groups whose members hold the role.", reference("group", "Group"), {
      elementsMax: Number.POSITIVE_INFINITY,
    }),
    list("associatedApplications", "The applications that the role counts for.", reference("application", "uri"), {
      mutability: "readOnly",
    }),
    list(
      "properties",
      "What else is known of the role.",
      [
        attribute("name", "The name of the property.", { mutability: "readOnly" }),
        attribute("value", "The value of the property.", { mutability: "readOnly" }),
      ],
      { mutability: "readOnly" },
    ),
  ],
};

/** The kind of resource. */
export const roleType: ResourceType = {
  name: "Role",
  description: "Role",
  endpoint: "/v2/Roles",
  schema: roleSchema,
  extensions: [],
};

function list(
  name: string,
  description: string,
  subAttributes: readonly Attribute[],
  more: Partial<Attribute> = {},
): Attribute {
  return attribute(name, description, { type: "complex", multiValued: true, subAttributes, ...more });
}

/** The parts by which a role names something else. */
function reference(what: string, referenceType: string): readonly Attribute[] {
  return [
    attribute("value", `The id of the ${what}.`, { caseExact: true }),
    attribute("display", `The name of the ${what}.`, { mutability: "readOnly" }),
    attribute("$ref", `The address of the ${what}.`, {
      type: "reference",
      referenceTypes: [referenceType],
      mutability: "readOnly",
      caseExact: true,
    }),
  ];
}
