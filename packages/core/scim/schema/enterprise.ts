/** The enterprise extension of users (RFC 7643 section 4.3; reference scim.md section 7.3). */
import { attribute, type Schema } from "./attribute.ts";
import { systemSchema } from "./system.ts";

/** What an organization knows of the people who work for it. */
export const enterpriseSchema: Schema = {
  id: "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User",
  name: "EnterpriseUser",
  description: "Enterprise User",
  attributes: [
    attribute("employeeNumber", "The number or name the organization knows the user by."),
    attribute("costCenter", "The cost center."),
    attribute("organization", "The organization."),
    attribute("division", "The division."),
    attribute("department", "The department."),
    attribute("manager", "The user's manager. Whether such a user exists is not checked.", {
      type: "complex",
      subAttributes: [
        attribute("value", "The id of the manager."),
        attribute("$ref", "The address of the manager.", {
          type: "reference",
          referenceTypes: ["User"],
          caseExact: true,
        }),
        attribute("displayName", "The name of the manager, where it is known here.", { mutability: "readOnly" }),
      ],
    }),
  ],
  alsoHolds: systemSchema,
};
