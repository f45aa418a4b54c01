/** The core schema of groups (RFC 7643 section 4.2). */
import { attribute, type Schema } from "./attribute.ts";

export const groupSchema: Schema = {
  id: "urn:ietf:params:scim:schemas:core:2.0:Group",
  name: "Group",
  description: "Group",
  attributes: [
    attribute("displayName", "The name of the group. Unique in its user store, regardless of case.", {
      required: true,
      uniqueness: "server",
      isName: true,
    }),
    attribute("members", "The members of the group: users. Groups cannot be members of groups.", {
      type: "complex",
      multiValued: true,
      // Only the size of a request body is limited.
      elementsMax: Number.POSITIVE_INFINITY,
      subAttributes: [
        attribute("value", "The id of the user.", { required: true, mutability: "immutable", caseExact: true }),
        attribute("$ref", "The URL of the user.", {
          type: "reference",
          referenceTypes: ["User"],
          mutability: "immutable",
          caseExact: true,
        }),
        attribute("display", "The name of the member.", { mutability: "readOnly", isName: true }),
        attribute("type", "The type of the member.", { mutability: "immutable", canonicalValues: ["User"] }),
      ],
    }),
    attribute("roles", "The roles that are assigned to the group.", {
      type: "complex",
      multiValued: true,
      mutability: "readOnly",
      subAttributes: [
        attribute("value", "The id of the role.", { mutability: "readOnly", caseExact: true }),
        attribute("$ref", "The URL of the role.", {
          type: "reference",
          referenceTypes: ["uri"],
          mutability: "readOnly",
          caseExact: true,
        }),
        attribute("display", "The name of the role.", { mutability: "readOnly", isName: true }),
      ],
    }),
  ],
};

/** Marks a group in a list whose members are left out, because they do not fit one response. */
export const membersSchema: Schema = {
  id: "urn:scim:identity-admin:schema:GroupMembers",
  name: "GroupMembers",
  description: "Shown in place of members that do not fit one response.",
  attributes: [
    attribute("membersOmitted", "True: the group has members that are not shown.", {
      type: "boolean",
      mutability: "readOnly",
    }),
    attribute("memberCount", "How many members the group has.", { type: "integer", mutability: "readOnly" }),
    attribute("membersRef", "The URL of a list of the members, as users.", {
      type: "reference",
      referenceTypes: ["uri"],
      mutability: "readOnly",
      caseExact: true,
    }),
  ],
};
