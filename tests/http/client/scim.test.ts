/** The SCIM types of the client have the attributes of the schemas that the service publishes. */
import { beforeAll, describe, expect, test } from "vitest";
import {
  type Api,
  client,
  type NewUser,
  type ScimGroup,
  type ScimRole,
  type ScimSchemaAttribute,
  type ScimUser,
} from "#client/client.ts";
import { ADMIN, world } from "#tests/support/world.ts";

/** Every attribute, also those of objects and of elements of lists. */
type Whole<T> = T extends readonly (infer Item)[]
  ? readonly [Whole<NonNullable<Item>>]
  : string extends keyof T
    ? object
    : T extends object
      ? { readonly [Name in keyof T]-?: Whole<NonNullable<T[Name]>> }
      : T;

const meta = { resourceType: "", created: "", lastModified: "", location: "", version: "" };
const value = { value: "", display: "", type: "", primary: true };
const reference = { value: "", display: "", $ref: "", type: "" };
const ENTERPRISE = "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User";
const SYSTEM = "urn:scim:wso2:schema";
const MEMBERS = "urn:scim:identity-admin:schema:GroupMembers";

// A type of the client with more or fewer attributes does not compile here.
const user: Whole<ScimUser> & Pick<Whole<NewUser>, "password"> = {
  schemas: [""],
  id: "",
  externalId: "",
  meta,
  userName: "",
  username: "",
  password: "",
  name: {
    formatted: "",
    familyName: "",
    givenName: "",
    middleName: "",
    honorificPrefix: "",
    honorificSuffix: "",
  },
  displayName: "",
  nickName: "",
  profileUrl: "",
  title: "",
  userType: "",
  preferredLanguage: "",
  locale: "",
  timezone: "",
  active: true,
  emails: [value],
  phoneNumbers: [value],
  ims: [value],
  photos: [value],
  addresses: [
    {
      formatted: "",
      streetAddress: "",
      locality: "",
      region: "",
      postalCode: "",
      country: "",
      type: "",
      primary: true,
    },
  ],
  entitlements: [value],
  roles: [{ ...value, $ref: "", audienceValue: "", audienceDisplay: "", audienceType: "" }],
  x509Certificates: [value],
  groups: [reference],
  [ENTERPRISE]: {
    employeeNumber: "",
    costCenter: "",
    organization: "",
    division: "",
    department: "",
    manager: { value: "", $ref: "", displayName: "" },
  },
  [SYSTEM]: {},
};
const group: Whole<ScimGroup> = {
  schemas: [""],
  id: "",
  externalId: "",
  meta,
  displayName: "",
  members: [reference],
  roles: [reference],
  [MEMBERS]: { membersOmitted: true, memberCount: 0, membersRef: "" },
};
const role: Whole<ScimRole> = {
  schemas: [""],
  id: "",
  externalId: "",
  meta,
  displayName: "",
  audience: { type: "application", value: "", display: "" },
  permissions: [{ value: "", display: "", type: "" }],
  users: [reference],
  groups: [reference],
  associatedApplications: [reference],
};

/** The paths of the attributes that the service publishes, and the types of which the client has attributes. */
const pathsOf = (attributes: readonly ScimSchemaAttribute[], before = ""): readonly string[] =>
  attributes.flatMap(({ name, subAttributes }) =>
    subAttributes ? pathsOf(subAttributes, `${before}${name}.`) : [`${before}${name}`],
  );
const pathsIn = (given: object, before = ""): readonly string[] =>
  Object.entries(given).flatMap(([name, member]) => {
    const [part] = Array.isArray(member) ? member : [member];
    if (typeof part !== "object") return [`${before}${name}`];
    return pathsIn(part, name.startsWith("urn:") ? "" : `${before}${name}.`);
  });

const service = world();
let api: Api;
beforeAll(() => {
  api = client({ url: service.url, credentials: ADMIN });
});
const published = async (...ids: readonly string[]) => {
  const found = await Promise.all(
    ids.map(async (id) => (await api.request("GET /scim2/Schemas/{id}", { params: { id } })).body),
  );
  return found.flatMap(({ attributes }) => pathsOf(attributes));
};
/** Attributes of every resource (RFC 7643 section 3.1), which no schema lists, and one of this service. */
const COMMON = /^(schemas|id|externalId|username|meta\..*)$/;
/** References have these in the types of the client; a schema names those that the service returns. */
const REFERENCE_PARTS = /\.(type|display|\$ref)$/;

describe("each published attribute is in the type, and the type has no other", () => {
  test.each([
    ["users", user, ["urn:ietf:params:scim:schemas:core:2.0:User", ENTERPRISE]],
    ["groups", group, ["urn:ietf:params:scim:schemas:core:2.0:Group", MEMBERS]],
    ["roles", role, ["urn:ietf:params:scim:schemas:extension:2.0:Role"]],
  ])("%s", async (_, typed, schemas) => {
    const expected = await published(...schemas);
    const typedPaths = pathsIn(typed).filter((path) => !COMMON.test(path));
    expect(expected.filter((path) => !typedPaths.includes(path))).toEqual([]);
    expect(typedPaths.filter((path) => !expected.includes(path) && !REFERENCE_PARTS.test(path))).toEqual([]);
  });
});
