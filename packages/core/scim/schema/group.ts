/** The core schema of groups (RFC 7643 section 4.2; reference scim.md sections 4.1 and 7.2). */
import { attribute, type Schema } from "./attribute.ts";

/** Groups of users. */
export const groupSchema: Schema = {
  id: "urn:ietf:params:scim:schemas:core:2.0:Group",
  name: "Group",
  description: "Group",
  attributes: [
    attribute("displayName", "The name of the group. Unique in its user store, whatever the case of its letters.", {
      required: true,
      uniqueness: "server",
    }),
    attribute("members", "The members of the group.", {
      type: "complex",
      multiValued: true,
      // A request is as large as a body may be; membership itself has no limit.
      elementsMax: Number.POSITIVE_INFINITY,
      subAttributes: [
        attribute("value", "The id of the member.", { required: true, mutability: "immutable", caseExact: true }),
        // Groups in groups are not kept, so nothing is promised of them.
        attribute("$ref", "The address of the member.", {
          type: "reference",
          referenceTypes: ["User"],
          mutability: "immutable",
          caseExact: true,
        }),
        attribute("display", "The name of the member.", { mutability: "readOnly" }),
        attribute("type", "The kind of the member.", { mutability: "immutable", canonicalValues: ["User"] }),
      ],
    }),
    attribute("roles", "The roles that the group holds.", {
      type: "complex",
      multiValued: true,
      mutability: "readOnly",
      subAttributes: [
        attribute("value", "The id of the role.", { mutability: "readOnly" }),
        attribute("$ref", "The address of the role.", {
          type: "reference",
          referenceTypes: ["uri"],
          mutability: "readOnly",
          caseExact: true,
        }),
        attribute("display", "The name of the role.", { mutability: "readOnly" }),
      ],
    }),
  ],
};
