/** Shared by the tests of the SCIM core: a user, a group, and a type with attributes of other kinds. */
import { Fault } from "#core/kernel/faults.ts";
import { attribute, type Resource, type ResourceType } from "#core/scim/protocol/schema/attribute.ts";

export const ENTERPRISE = "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User";
export const SYSTEM = "urn:scim:wso2:schema";
export const USER = "urn:ietf:params:scim:schemas:core:2.0:User";
export const PATCH = "urn:ietf:params:scim:api:messages:2.0:PatchOp";

/** A user with attributes of every kind. The certificate has no type and the second e-mail address is not primary. */
export const kim: Resource = {
  id: "2819c223-7f76-453a-919d-413861904646",
  externalId: "Ext-1",
  userName: "Kim",
  name: { familyName: "Jensen", givenName: "Kim" },
  displayName: 'Kim "the" Jensen',
  active: true,
  emails: [
    { value: "kim@work.test", type: "work", primary: true },
    { value: "kim@home.test", type: "home" },
  ],
  groups: [{ value: "g-1", display: "Staff", type: "direct" }],
  roles: [{ value: "auditor" }],
  x509Certificates: [{ value: "MII=" }],
  [ENTERPRISE]: { department: "Sales", manager: { value: "26118915", $ref: "https://x.test/Users/26118915" } },
  [SYSTEM]: { failedLoginAttempts: 3, emailAddresses: ["kim@work.test", "kim@home.test"] },
  meta: {
    resourceType: "User",
    created: "2024-01-01T00:00:00.000Z",
    lastModified: "2024-05-13T04:42:34.123Z",
    location: "https://x.test/scim2/Users/2819c223",
  },
};

/** A group with two members. */
export const team: Resource = {
  id: "e9e30dba",
  displayName: "Team",
  members: [
    { value: "u-1", $ref: "https://x.test/Users/u-1", display: "kim", type: "User" },
    { value: "u-2", $ref: "https://x.test/Users/u-2", display: "lee", type: "User" },
  ],
};

export const BADGES = "urn:test:badges:2.0:Badge";

/** A type with immutable attributes, a required attribute of an extension, decimals, and an inherited name. */
export const badgeType: ResourceType = {
  name: "Badge",
  description: "Badge",
  endpoint: "/Badges",
  schema: {
    id: "urn:test:core:2.0:Badge",
    name: "Badge",
    description: "Badge",
    attributes: [
      attribute("serial", "", { mutability: "immutable", caseExact: true }),
      attribute("colours", "", { multiValued: true, mutability: "immutable" }),
      attribute("weight", "", { type: "decimal", selfService: true }),
      attribute("issued", "", { type: "dateTime" }),
      attribute("constructor", ""),
      attribute("maker", "", {
        type: "complex",
        subAttributes: [attribute("name", "", { required: true }), attribute("code", "", { mutability: "immutable" })],
      }),
      attribute("tags", "", { multiValued: true, elementsMax: 3 }),
      attribute("doors", "", {
        type: "complex",
        multiValued: true,
        subAttributes: [
          attribute("value", "", { required: true, mutability: "immutable", caseExact: true }),
          attribute("note", ""),
          attribute("level", "", { type: "integer", mutability: "immutable" }),
          attribute("seen", "", { mutability: "readOnly" }),
        ],
      }),
    ],
  },
  extensions: [
    {
      id: BADGES,
      name: "BadgeMore",
      description: "BadgeMore",
      attributes: [
        attribute("holder", "", { required: true }),
        attribute("level", "", { type: "integer" }),
        attribute("stamp", "", { mutability: "readOnly" }),
      ],
    },
  ],
};

/** The name of a thrown fault. Throws anything else. */
export const faultOf = (work: () => unknown): string => {
  try {
    work();
    return "none";
  } catch (error) {
    if (error instanceof Fault) return error.fault;
    throw error;
  }
};

/** The description of a thrown fault. */
export const sentenceOf = (work: () => unknown): string => {
  try {
    work();
    return "none";
  } catch (error) {
    if (error instanceof Fault) return error.description;
    throw error;
  }
};

/** The same value, deeply frozen. */
export const frozen = <T>(value: T): T => {
  if (typeof value === "object" && value !== null && !Object.isFrozen(value)) {
    for (const member of Object.values(value)) frozen(member);
    Object.freeze(value);
  }
  return value;
};
