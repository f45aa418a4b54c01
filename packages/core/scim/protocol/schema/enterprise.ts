/** The enterprise extension of users (RFC 7643 section 4.3). */
import { attribute, type Schema, VALUELESS } from "./attribute.ts";
import { systemSchema } from "./system.ts";

export const enterpriseSchema: Schema = {
  id: "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User",
  name: "EnterpriseUser",
  description: "Enterprise User",
  attributes: [
    attribute("employeeNumber", "The id of the user in the organization."),
    attribute("costCenter", "The cost center."),
    attribute("organization", "The organization."),
    attribute("division", "The division."),
    attribute("department", "The department."),
    attribute("manager", "The user's manager. The service does not check whether it exists.", {
      type: "complex",
      subAttributes: [
        attribute("value", "The id of the manager."),
        attribute("$ref", "The URL of the manager.", {
          type: "reference",
          referenceTypes: ["User"],
          caseExact: true,
        }),
        attribute("displayName", `The name of the manager. ${VALUELESS}`, { mutability: "readOnly" }),
      ],
    }),
  ],
  alsoHolds: systemSchema,
};
