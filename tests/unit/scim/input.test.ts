import { describe, expect, test } from "vitest";
import { Fault } from "#core/kernel/faults.ts";
import { readAttributeValue, readElements, readResource } from "#core/scim/protocol/input.ts";
import { type Attribute, attribute } from "#core/scim/protocol/schema/attribute.ts";
import { groupType, userType } from "#core/scim/protocol/schema/resource-types.ts";

const enterprise = "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User";
const system = "urn:scim:wso2:schema";

const read = (given: unknown) => readResource(userType, given);
/** The name and the description of a thrown fault. */
const faultOf = (work: () => unknown): readonly [string, string] => {
  try {
    work();
  } catch (error) {
    if (error instanceof Fault) return [error.fault, error.description];
    throw error;
  }
  return ["none", ""];
};
const refusal = (given: unknown) => faultOf(() => read(given));

describe("accepts", () => {
  test.each<[string, unknown, unknown]>([
    ["nothing", {}, {}],
    [
      "names in any case",
      { DISPLAYNAME: "K", Name: { GIVENNAME: "Kim" } },
      { displayName: "K", name: { givenName: "Kim" } },
    ],
    ["the schema's spelling before any other", { displayName: "a", DisplayName: "b" }, { displayName: "a" }],
    ["the last of other spellings", { DISPLAYNAME: "a", DisplayName: "b" }, { displayName: "b" }],
    ["userName before username", { username: "PRIMARY/kim", userName: "kim" }, { userName: "kim" }],
    ["username where it is alone", { username: "PRIMARY/kim" }, { userName: "PRIMARY/kim" }],
    ["an unset name before another spelling of it", { nickName: null, NickName: "K" }, {}],
    [
      "the other spelling inside an object",
      { name: { familyName: "a", FamilyName: "b" } },
      { name: { familyName: "a" } },
    ],
    [
      "extensions by their URN in any case",
      { [enterprise.toUpperCase()]: { EmployeeNumber: "7", Manager: { Value: "26118915" } } },
      { [enterprise]: { employeeNumber: "7", manager: { value: "26118915" } } },
    ],
    ["no unknown attributes", { foo: 1, name: { foo: {} }, "urn:x:y": { a: 1 } }, {}],
    ["no attributes of extensions outside of them", { department: "Sales", manager: "x", accountLocked: true }, {}],
    ["no read-only attributes", { id: "x", schemas: ["urn:x"], meta: { created: 1 }, groups: [{ value: "g" }] }, {}],
    ["no read-only attributes of any type", { groups: 1, meta: "x", id: {} }, {}],
    [
      "no read-only sub-attributes",
      { roles: [{ value: "r", $ref: "x", audienceType: 7 }] },
      { roles: [{ value: "r" }] },
    ],
    ["externalId as it is", { externalId: "A-1" }, { externalId: "A-1" }],
    ["null as nothing", { nickName: null, name: null, emails: null, active: null, [enterprise]: null }, {}],
    ["an empty text as nothing", { nickName: "", userName: "", name: "", emails: "", active: "", [system]: "" }, {}],
    ["an empty list as nothing", { nickName: [], name: [], emails: [], active: [], [system]: [] }, {}],
    ["an empty object as nothing", { nickName: {}, name: {}, emails: {}, active: {}, [system]: {} }, {}],
    ["objects of nothing as nothing", { name: { givenName: "" }, emails: [{ value: null }, {}, null, ""] }, {}],
    ["a blank as a value", { nickName: " " }, { nickName: " " }],
    ["booleans", { active: false }, { active: false }],
    [
      "booleans as texts",
      { active: "True", emails: [{ primary: "FALSE" }] },
      { active: true, emails: [{ primary: false }] },
    ],
    ["whole numbers", { [system]: { failedLoginAttempts: 3 } }, { [system]: { failedLoginAttempts: 3 } }],
    [
      "whole numbers as texts",
      { [system]: { failedLoginAttempts: "-12" } },
      { [system]: { failedLoginAttempts: -12 } },
    ],
    ["an object in a list of one", { name: [{ givenName: "Kim" }] }, { name: { givenName: "Kim" } }],
    ["a list of one nothing as nothing", { name: [null], [enterprise]: { manager: [{}] } }, {}],
    ["a manager as a text", { [enterprise]: { manager: "m1" } }, { [enterprise]: { manager: { value: "m1" } } }],
    [
      "a manager in a list",
      { [enterprise]: { manager: [{ $ref: "../Users/m1", value: "m1", displayName: "M" }] } },
      { [enterprise]: { manager: { value: "m1", $ref: "../Users/m1" } } },
    ],
    ["no manager from an empty text", { [enterprise]: { manager: "" } }, {}],
    ["no manager from an empty value", { [enterprise]: { manager: { value: "", displayName: "x" } } }, {}],
    ["a list from an object", { emails: { value: "a@b" } }, { emails: [{ value: "a@b" }] }],
    ["a list from a text", { emails: "a@b" }, { emails: [{ value: "a@b" }] }],
    ["elements from texts", { emails: ["a@b", { value: "c@d" }] }, { emails: [{ value: "a@b" }, { value: "c@d" }] }],
    [
      "a list of texts",
      { [system]: { emailAddresses: ["a@b", "", "c@d"] } },
      { [system]: { emailAddresses: ["a@b", "c@d"] } },
    ],
    ["a list of texts from one", { [system]: { mobileNumbers: "1" } }, { [system]: { mobileNumbers: ["1"] } }],
    [
      "equal elements once",
      {
        emails: [
          { value: "a", type: "work" },
          { TYPE: "work", Value: "a" },
          { value: "a", type: "home" },
          { value: "A", type: "work" },
        ],
      },
      {
        emails: [
          { value: "a", type: "work" },
          { value: "a", type: "home" },
          { value: "A", type: "work" },
        ],
      },
    ],
    [
      "elements that differ only in omitted parts, once",
      {
        roles: [
          { value: "r", $ref: "1" },
          { value: "r", x: 1 },
        ],
      },
      { roles: [{ value: "r" }] },
    ],
    [
      "two addresses of a type",
      {
        emails: [
          { value: "a", type: "work" },
          { value: "b", type: "work" },
        ],
      },
      {
        emails: [
          { value: "a", type: "work" },
          { value: "b", type: "work" },
        ],
      },
    ],
    [
      "any format of phone, locale and address",
      { phoneNumbers: ["10-040-1308"], locale: "XQZ", profileUrl: "no url" },
      { phoneNumbers: [{ value: "10-040-1308" }], locale: "XQZ", profileUrl: "no url" },
    ],
    [
      "other types than the suggested ones",
      { emails: [{ value: "a", type: "boat" }] },
      { emails: [{ value: "a", type: "boat" }] },
    ],
    ["text of any script", { displayName: "李 🙂 \u0000\n" }, { displayName: "李 🙂 \u0000\n" }],
    ["a password", { password: "secret" }, { password: "secret" }],
    ["a date of birth", { [system]: { dateOfBirth: "1996-02-29" } }, { [system]: { dateOfBirth: "1996-02-29" } }],
    ["binary data", { x509Certificates: [{ value: "AQIDBA==" }] }, { x509Certificates: [{ value: "AQIDBA==" }] }],
    [
      "binary data with line breaks and without padding",
      { x509Certificates: ["AQ\r\nID\nBA"] },
      { x509Certificates: [{ value: "AQIDBA==" }] },
    ],
    [
      "system attributes that old clients write into the enterprise extension",
      { [enterprise]: { department: "Sales", accountLocked: "true", Country: "CH" } },
      { [enterprise]: { department: "Sales" }, [system]: { country: "CH", accountLocked: true } },
    ],
    [
      "system attributes from their own place first",
      { [enterprise]: { accountLocked: true, country: "CH" }, [system]: { accountLocked: false } },
      { [system]: { country: "CH", accountLocked: false } },
    ],
    ["no enterprise attributes from the system extension", { [system]: { department: "Sales" } }, {}],
  ])("%s", (_what, given, resource) => expect(read(given)).toEqual(resource));

  test("members in any order, and stores them in the order of the schema", () => {
    const resource = read({
      [system]: { country: "CH", preferredChannel: "SMS" },
      name: { familyName: "K", formatted: "F" },
      userName: "kim",
      externalId: "1",
    });
    expect(JSON.stringify(resource)).toBe(
      JSON.stringify({
        externalId: "1",
        userName: "kim",
        name: { formatted: "F", familyName: "K" },
        [system]: { preferredChannel: "SMS", country: "CH" },
      }),
    );
  });

  test("any number of members, without their display names", () => {
    const members = Array.from({ length: 1_500 }, (_, index) => ({ value: String(index), display: "x", $ref: null }));
    const given = { displayName: "G", members: [...members, "0", { value: "0", type: "User" }] };
    const { members: read } = readResource(groupType, given);
    expect(read).toHaveLength(1_501);
    expect(Array.isArray(read) && [read[0], read[1_500]]).toEqual([{ value: "0" }, { value: "0", type: "User" }]);
  });
});

describe("refuses", () => {
  test.each<[unknown, string, string]>([
    [[], "request.malformed", "a list"],
    [null, "request.malformed", "null"],
    ["kim", "request.malformed", "a string"],
    [7, "request.malformed", "a number"],
  ])("a body that is not an object: %j", (given, fault, kind) => {
    expect(refusal(given)).toEqual([fault, `The body must be a JSON object, not ${kind}.`]);
  });

  test.each<[string, unknown, string]>([
    ["an object for a text", { userName: { a: 1 } }, "userName must be a string, not an object."],
    ["a number for a text", { userName: 7 }, "userName must be a string, not a number."],
    ["a boolean for a text", { displayName: true }, "displayName must be a string, not a boolean."],
    ["a list for a text", { displayName: ["a"] }, "displayName must be a string, not a list."],
    ["a number for a boolean", { active: 1 }, "active must be true or false."],
    ["a word for a boolean", { active: "yes" }, "active must be true or false."],
    ["a text for an object", { name: "Kim" }, "name must be an object, not a string."],
    ["a list of two for an object", { name: [{ givenName: "a" }, {}] }, "name must be one object, not a list."],
    ["a list in a list for an object", { name: [[{}]] }, "name must be one object, not a list."],
    ["a list in a list of objects", { emails: [[{ value: "a" }]] }, "emails[0] must be one object, not a list."],
    ["a text for an address", { addresses: ["Main St"] }, "addresses[0] must be an object, not a string."],
    ["a number for the value of an element", { emails: ["a", 5] }, "emails[1].value must be a string, not a number."],
    ["a wrong part of an element", { emails: [{ primary: 1 }] }, "emails[0].primary must be true or false."],
    ["a wrong part of an object", { name: { givenName: { a: 1 } } }, "name.givenName must be a string, not an object."],
    [
      "an object in a list of texts",
      { [system]: { emailAddresses: [{ value: "a" }] } },
      `${system}:emailAddresses[0] must be a string, not an object.`,
    ],
    [
      "a number for a manager",
      { [enterprise]: { manager: 5 } },
      `${enterprise}:manager.value must be a string, not a number.`,
    ],
    ["a text for an extension", { [enterprise.toUpperCase()]: "x" }, `${enterprise} must be an object, not a string.`],
    [
      "a list for an extension",
      { [enterprise]: [{ department: "x" }] },
      `${enterprise} must be an object, not a list.`,
    ],
    [
      "half of a number",
      { [system]: { failedLoginAttempts: 1.5 } },
      `${system}:failedLoginAttempts must be a whole number.`,
    ],
    [
      "a number that is too large",
      { [system]: { failedLoginAttempts: 1e300 } },
      `${system}:failedLoginAttempts must be a whole number.`,
    ],
    [
      "a word for a number",
      { [system]: { failedLoginAttempts: "1e3" } },
      `${system}:failedLoginAttempts must be a whole number.`,
    ],
    [
      "text that is not base64",
      { x509Certificates: ["AQ*="] },
      "x509Certificates[0].value must be base64 (RFC 4648 section 4).",
    ],
    [
      "base64 with an incomplete byte",
      { x509Certificates: ["AQIDB"] },
      "x509Certificates[0].value must be base64 (RFC 4648 section 4).",
    ],
    [
      "base64 with a digit too many",
      { x509Certificates: ["AQIDBB=="] },
      "x509Certificates[0].value must be base64 (RFC 4648 section 4).",
    ],
    [
      "base64 of URLs",
      { x509Certificates: ["_-_-"] },
      "x509Certificates[0].value must be base64 (RFC 4648 section 4).",
    ],
    [
      "base64 of nothing",
      { x509Certificates: ["=="] },
      "x509Certificates[0].value must be base64 (RFC 4648 section 4).",
    ],
    [
      "half of a surrogate pair",
      { displayName: "a\ud800" },
      "displayName contains half of a surrogate pair, which is not a character.",
    ],
  ])("%s as malformed", (_what, given, sentence) => {
    expect(refusal(given)).toEqual(["request.malformed", `Attribute ${sentence}`]);
  });

  const many = (length: number) => Array.from({ length }, (_, index) => ({ value: `${index}@example.com` }));
  test.each<[string, unknown, string]>([
    ["a long text", { displayName: "x".repeat(1_025) }, "displayName has more than 1,024 characters."],
    ["a long photo", { photos: ["x".repeat(150_001)] }, "photos[0].value has more than 150,000 characters."],
    [
      "a long certificate",
      { x509Certificates: ["A".repeat(16_388)] },
      "x509Certificates[0].value has more than 16,384 characters.",
    ],
    [
      "two primaries",
      {
        emails: [
          { value: "a", primary: true },
          { value: "b", primary: "true" },
        ],
      },
      "emails has at most one primary value.",
    ],
    ["many elements", { emails: many(101) }, "emails has at most 100 values, not 101."],
    [
      "a day that does not exist",
      { [system]: { dateOfBirth: "1995-02-29" } },
      `${system}:dateOfBirth must be a date such as 1970-01-31 (YYYY-MM-DD).`,
    ],
    [
      "another form of date",
      { [system]: { dateOfBirth: "29.2.1996" } },
      `${system}:dateOfBirth must be a date such as 1970-01-31 (YYYY-MM-DD).`,
    ],
    [
      "a month that does not exist",
      { [system]: { dateOfBirth: "1996-13-01" } },
      `${system}:dateOfBirth must be a date such as 1970-01-31 (YYYY-MM-DD).`,
    ],
  ])("%s as invalid", (_what, given, sentence) => {
    expect(refusal(given)).toEqual(["request.invalid", `Attribute ${sentence}`]);
  });

  test("no value at the limits", () => {
    const given = {
      displayName: "🙂".repeat(1_024),
      photos: [{ value: "x".repeat(150_000) }],
      x509Certificates: [{ value: "AAAA".repeat(4_096) }],
      // Duplicates count once.
      emails: [...many(100), ...many(100)],
      phoneNumbers: [
        { value: "1", primary: true },
        { value: "1", primary: true },
        { value: "2", primary: false },
      ],
    };
    const resource = read(given);
    expect(resource).toEqual({ ...given, emails: many(100), phoneNumbers: given.phoneNumbers.slice(1) });
  });
});

describe("names that every JavaScript object inherits", () => {
  const hostile = JSON.parse(
    `{"__proto__": {"userName": "mallory", "active": true}, "constructor": {"prototype": {"admin": true}},
      "name": {"__proto__": {"givenName": "M"}, "toString": "x", "hasOwnProperty": 1},
      "${enterprise}": {"__proto__": {"department": "x"}, "constructor": 1}}`,
  );
  test("are ignored", () => {
    const resource = read(hostile);
    expect(resource).toEqual({});
    expect(Object.getPrototypeOf(resource)).toBe(Object.prototype);
    expect(Object.hasOwn(Object.prototype, "admin")).toBe(false);
  });
});

describe("one value", () => {
  const emails = attribute("emails", "E-mail addresses.", {
    type: "complex",
    multiValued: true,
    subAttributes: [attribute("value", "An address."), attribute("primary", "Preferred.", { type: "boolean" })],
  });
  const at = attribute("at", "A time.", { type: "dateTime" });
  const size = attribute("size", "A size.", { type: "decimal" });
  const value = (of: Attribute, given: unknown) => readAttributeValue(of, given, `urn:x:${of.name}`);

  test("of a list is the list, or undefined", () => {
    expect(value(emails, "a")).toEqual([{ value: "a" }]);
    expect(value(emails, [null, {}])).toBeUndefined();
    expect(value(emails, null)).toBeUndefined();
  });
  test("elements are a list that may be empty", () => {
    expect(readElements(emails, { Value: "a", primary: "True" }, "emails")).toEqual([{ value: "a", primary: true }]);
    expect(readElements(emails, ["a", "b", "a"], "emails")).toEqual([{ value: "a" }, { value: "b" }]);
    expect(readElements(emails, [], "emails")).toEqual([]);
    expect(readElements(emails, undefined, "emails")).toEqual([]);
  });
  test("names the index of a wrong element of a list", () => {
    expect(faultOf(() => readElements(emails, [{}, 1], "emails"))[1]).toContain("emails[1].value");
    expect(faultOf(() => readElements(emails, 1, "emails"))[1]).toContain("Attribute emails.value");
    expect(faultOf(() => value(emails, [{ primary: [] }, { primary: [1] }]))[1]).toContain("urn:x:emails[1].primary");
  });
  test("of a read-only attribute is parsed too: callers check whether it may be written", () => {
    const shown = attribute("shown", "Shown.", { mutability: "readOnly", type: "integer" });
    expect(value(shown, 1)).toBe(1);
  });
  test.each([
    "2024-05-31T09:30:00Z",
    "0001-01-03T00:00:00.0000000Z",
    "2015-10-10T14:38:21.8617979-07:00",
    "2024-01-01T00:00:00",
    "2024-02-29T23:59:59.123456789+14:00",
  ])("keeps the time %s as written", (given) => expect(value(at, given)).toBe(given));
  test.each([
    "2024-05-31",
    "2023-02-29T00:00:00Z",
    "2024-05-31T24:00:00Z",
    "2024-05-31 09:30:00Z",
    "2024-05-31T09:30Z",
    "now",
    "2024-05-31T09:30:00Z\n",
    "2024-05-31T09:30:00+25:00",
  ])("refuses %j as a time", (given) => {
    expect(faultOf(() => value(at, given))).toEqual([
      "request.malformed",
      "Attribute urn:x:at must be a date and time such as 2024-05-31T09:30:00Z.",
    ]);
  });
  test.each<[unknown, number]>([
    [0.25, 0.25],
    ["0.25", 0.25],
    [-0, 0],
    ["-0", 0],
    [1e300, 1e300],
  ])("accepts %j as a number", (given, number) => expect(value(size, given)).toBe(number));
  test.each([Number.NaN, Number.POSITIVE_INFINITY, "1,5", "0x10", " 1", true, [1]])(
    "refuses %s as a number",
    (given) => {
      expect(faultOf(() => value(size, given))).toEqual([
        "request.malformed",
        "Attribute urn:x:size must be a number.",
      ]);
    },
  );
});
