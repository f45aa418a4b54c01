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
      isName: true,
    }),
    attribute("audience", "The scope of the role: all applications of the organization, or one application.", {
      type: "complex",
      mutability: "immutable",
      returned: "always",
      subAttributes: [
        attribute("value", "The id of the application, or the domain of the organization.", {
          mutability: "immutable",
          returned: "always",
        }),
        attribute("display", "The name of the audience.", { mutability: "readOnly", returned: "always" }),
        attribute("type", "organization or application.", {
          mutability: "immutable",
          returned: "always",
          canonicalValues: ["organization", "application"],
        }),
      ],
    }),
    list("permissions", "The scopes of the role.", reference("scope"), { elementsMax: 1_000 }),
    list("users", "The users with the role.", reference("user", "User"), { elementsMax: Number.POSITIVE_INFINITY }),
    list("groups", "The groups whose members have the role.", reference("group", "Group"), {
      elementsMax: Number.POSITIVE_INFINITY,
    }),
    list(
      "associatedApplications",
      "The application of a role for one application. A role of the organization has none.",
      reference("application", "uri").map((part) => ({ ...part, required: false, mutability: "readOnly" })),
      { mutability: "readOnly" },
    ),
  ],
};

/** Marks a role in a list whose users or groups are left out, because they are too many for a list. */
export const assigneesSchema: Schema = {
  id: "urn:scim:identity-admin:schema:RoleAssignees",
  name: "RoleAssignees",
  description: "Shown in lists in place of the users or groups of a role that has more of them than lists show.",
  attributes: [
    attribute("usersOmitted", "True: the role has users that are not shown. Read the role.", {
      type: "boolean",
      mutability: "readOnly",
    }),
    attribute("groupsOmitted", "True: the role has groups that are not shown. Read the role.", {
      type: "boolean",
      mutability: "readOnly",
    }),
  ],
};

export const roleType: ResourceType = {
  name: "Role",
  description: "Role",
  endpoint: "/v2/Roles",
  schema: roleSchema,
  extensions: [assigneesSchema],
};

/** The sub-attributes of a reference to another resource, with its URL where it has one. */
function reference(what: string, referenceType?: string): readonly Attribute[] {
  return [
    // An element without it would be left out, and the list replaced by a shorter one.
    attribute("value", `The id of the ${what}.`, { required: true, caseExact: true }),
    attribute("display", `The name of the ${what}.`, { mutability: "readOnly", isName: true }),
    ...(referenceType === undefined
      ? []
      : [
          attribute("$ref", `The URL of the ${what}.`, {
            type: "reference",
            referenceTypes: [referenceType],
            mutability: "readOnly",
            caseExact: true,
          }),
        ]),
  ];
}
