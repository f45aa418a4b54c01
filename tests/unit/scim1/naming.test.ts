/** The attributes that names of SCIM 1.1 mean. */
import { describe, expect, test } from "vitest";
import { attributesNamed } from "#core/directory/scim-api/v1/naming.ts";
import { pathName } from "#core/scim/protocol/filter/bound.ts";
import { groupType, userType } from "#core/scim/protocol/schema/resource-types.ts";

const CORE = "urn:scim:schemas:core:1.0";
const ENTERPRISE = "urn:scim:schemas:extension:enterprise:1.0";
const WSO2 = "urn:scim:schemas:extension:wso2:1.0";
const enterprise = (name: string) => `urn:ietf:params:scim:schemas:extension:enterprise:2.0:User:${name}`;
const system = (name: string) => `urn:scim:wso2:schema:${name}`;
const six = ["employeeNumber", "costCenter", "organization", "division", "department", "manager"].map(enterprise);
const named = (name: string, type = userType) => attributesNamed(type, name).map(pathName);

describe("names of users", () => {
  test.each([
    ["userName", "userName"],
    [" USERNAME ", "userName"],
    ["name.givenName", "name.givenName"],
    [`${CORE}:name.givenName`, "name.givenName"],
    [`${CORE.toUpperCase()}.nickName`, "nickName"],
    ["emails.value", "emails.value"],
    ["meta.created", "meta.created"],
    ["department", enterprise("department")],
    [`${ENTERPRISE}:department`, enterprise("department")],
    [`${ENTERPRISE}.manager.managerId`, enterprise("manager.value")],
    ["wso2extension.MANAGER.managerid", enterprise("manager.value")],
    [`${WSO2}:askPassword`, system("askPassword")],
    ["wso2Extension:verifyEmail", system("verifyEmail")],
    ["askPassword", system("askPassword")],
  ])("%s is %s", (name, path) => expect(named(name)).toEqual([path]));

  test("an extension means all of its attributes", () => {
    expect(named(ENTERPRISE)).toEqual(six);
    for (const name of [WSO2, "wso2Extension"]) {
      expect(named(name)).toEqual([...six, system("askPassword"), system("verifyEmail")]);
    }
  });

  test.each([
    "",
    "nothing",
    "name.nothing",
    "name.givenName.x",
    CORE,
    `${CORE}:department`,
    `${CORE}:urn:scim:wso2:schema:country`,
    "urn:ietf:params:scim:schemas:core:2.0:User:userName",
    enterprise("department"),
    system("country"),
    "country",
    "accountLocked",
    `${ENTERPRISE}:askPassword`,
    "wso2Extension.accountLocked",
    "manager.$ref",
    "groups.$ref",
    "roles.audienceValue",
    "meta.version",
    "meta.resourceType",
    "__proto__",
    "constructor",
    "toString",
  ])("%j is not a name", (name) => expect(named(name)).toEqual([]));
});

test("names of groups", () => {
  expect(
    ["displayName", "MEMBERS", "members.value", "externalId", `${CORE}:members`].map((name) => named(name, groupType)),
  ).toEqual([["displayName"], ["members"], ["members.value"], ["externalId"], ["members"]]);
  for (const name of ["department", "wso2Extension", ENTERPRISE, "members.$ref", "userName"]) {
    expect(named(name, groupType)).toEqual([]);
  }
});
