/** The schema of roles. The RFC has none; this is upstream's. */
import { type Attribute, attribute, list, type ResourceType, type Schema } from "./attribute.ts";

export const roleSchema: Schema = {
  id: "urn:ietf:params:scim:schemas:extension:2.0:Role",
  name: "Role",
  description: "A set of scopes that is assigned to users and groups",
  attributes: [
    attribute("displayName", "The name of the role. Unique among the roles of its audience, regardless of case.", {
      required: true,
      uniqueness: "server",
    }),
    attribute("audience", "The scope of the role: all applications of the organization, or one application.", {
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
    list("permissions", "The scopes of the role.", reference("scope", "uri"), { elementsMax: 1_000 }),
    list("users", "The users with the role.", reference("user", "User"), { elementsMax: Number.POSITIVE_INFINITY }),
    list("groups", "The groups whose members have the role.", reference("group", "Group"), {
      elementsMax: Number.POSITIVE_INFINITY,
    }),
    list("associatedApplications", "The applications in which the role is valid.", reference("application", "uri"), {
      mutability: "readOnly",
    }),
    list(
      "properties",
      "Further properties of the role.",
      [
        attribute("name", "The name of the property.", { mutability: "readOnly" }),
        attribute("value", "The value of the property.", { mutability: "readOnly" }),
      ],
      { mutability: "readOnly" },
    ),
  ],
};

export const roleType: ResourceType = {
  name: "Role",
  description: "Role",
  endpoint: "/v2/Roles",
  schema: roleSchema,
  extensions: [],
};

/** The sub-attributes of a reference to another resource. */
function reference(what: string, referenceType: string): readonly Attribute[] {
  return [
    // An element without it would be left out, and the list replaced by a shorter one.
    attribute("value", `The id of the ${what}.`, { required: true, caseExact: true }),
    attribute("display", `The name of the ${what}.`, { mutability: "readOnly" }),
    attribute("$ref", `The URL of the ${what}.`, {
      type: "reference",
      referenceTypes: [referenceType],
      mutability: "readOnly",
      caseExact: true,
    }),
  ];
}
