/** Evaluation of filters (C row ids: docs/scim-conformance.md). */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type BindOptions, bindFilter } from "#core/scim/protocol/filter/bind.ts";
import { combined, equalitiesOf, leavesOf, namesIn, pathName, sizeOf } from "#core/scim/protocol/filter/bound.ts";
import { matches } from "#core/scim/protocol/filter/evaluate.ts";
import { parseFilter } from "#core/scim/protocol/filter/parse.ts";
import type { Resource, ResourceType } from "#core/scim/protocol/schema/attribute.ts";
import { groupType, userType } from "#core/scim/protocol/schema/resource-types.ts";
import { BADGES, badgeType, ENTERPRISE, faultOf, kim, SYSTEM, sentenceOf, team, USER } from "./support.ts";

const bind = (text: string, type: ResourceType = userType, options: BindOptions = { unknown: "refuse" }) =>
  bindFilter(type, parseFilter(text), options);
const holds = (text: string, resource: Resource = kim, type: ResourceType = userType): boolean =>
  matches(bind(text, type), resource);

describe("matches Kim", () => {
  test.each([
    ["C070 eq", 'userName eq "Kim"'],
    ["C071 ne", 'userName ne "Lee"'],
    ["C071 ne of an attribute that Kim lacks", 'nickName ne "x"'],
    ["C072 co", 'displayName co "the"'],
    ["C073 sw", 'userName sw "K"'],
    ["C074 ew", 'userName ew "m"'],
    ["C075 pr", "displayName pr"],
    ["C075 pr of a complex attribute", "name pr"],
    ["C075 pr of a list", "emails pr"],
    ["C075 pr of false", "active pr"],
    ["C076 gt", 'meta.lastModified gt "2024-05-13T04:42:34.122999999Z"'],
    ["C076 ge", 'meta.lastModified ge "2024-05-13T04:42:34.123Z"'],
    ["C076 lt", 'meta.lastModified lt "2024-05-13T04:42:34.123000001Z"'],
    ["C076 le", 'meta.lastModified le "2024-05-13T04:42:34.1230Z"'],
    ["C076 eq with another offset", 'meta.lastModified eq "2024-05-13T06:42:34.123+02:00"'],
    ["C076 lt in another zone", 'meta.lastModified lt "2024-05-12T23:42:34.124-05:00"'],
    ["C076 a plus that became a blank", 'meta.lastModified eq "2024-05-13T06:42:34.123 02:00"'],
    ["C077 ge", 'userName ge "k"'],
    ["C077 lt", 'userName lt "L"'],
    ["C077 numbers", `${SYSTEM}:failedLoginAttempts gt 2`],
    ["C077 numbers are not texts", `${SYSTEM}:failedLoginAttempts lt 20`],
    ["C077 numbers in quotes", `${SYSTEM}:failedLoginAttempts eq "3"`],
    ["C077 numbers with a fraction", "failedLoginAttempts ge 2.5e0"],
    ["C080 and", 'userName eq "Kim" and active eq true'],
    ["C081 or", 'userName eq "Lee" or active eq true'],
    ["C082 not", 'not (userName eq "Lee")'],
    ["C083 parentheses", 'userName eq "Kim" and (userName eq "Lee" or active eq true)'],
    ["C084 precedence", 'active eq true or userName eq "Lee" and userName eq "Max"'],
    ["C084 precedence of not", 'not (userName eq "Lee") or userName eq "Lee" and userName eq "Max"'],
    ["C085 one element", 'emails[type eq "work" and value co "@work"]'],
    ["C085 not in brackets", 'emails[not (type eq "work") and value co "home"]'],
    ["C085 lists of simple values", `${SYSTEM}:emailAddresses[value ew "home.test"]`],
    ["C086 sub-attribute", 'name.familyName eq "Jensen"'],
    ["C087 URN", `${ENTERPRISE}:department eq "Sales"`],
    ["C087 URN with a sub-attribute", `${ENTERPRISE}:manager.value eq "26118915"`],
    ["C087 URN of the core schema", `${USER}:userName eq "Kim"`],
    ["C016 names in any case", 'USERNAME eq "Kim"'],
    ["C017 URN in any case", `${ENTERPRISE.toUpperCase()}:DEPARTMENT eq "Sales"`],
    ["C088 operators in any case", 'userName EQ "Kim" AND userName Sw "K"'],
    ["C089 letters in any case", 'userName eq "KIM"'],
    ["C089 letters in any case, of a part", 'emails.value co "@WORK"'],
    ["C090 exact", 'externalId eq "Ext-1"'],
    ["C091 boolean", "active eq true"],
    ["C091 boolean as text", 'active eq "True"'],
    ["C091 boolean ne", "active ne false"],
    ["C092 null", "nickName eq null"],
    ["C092 ne null", "displayName ne null"],
    ["C092 null of a list", "phoneNumbers eq null"],
    ["C093 escaped quote", 'displayName eq "Kim \\"the\\" Jensen"'],
    ["C096 any value", 'emails.value eq "kim@home.test"'],
    ["C096 any value differs", 'emails.value ne "kim@home.test"'],
    ["C096 separate terms, separate elements", 'emails.type eq "work" and emails.value eq "kim@home.test"'],
    ["C097 schemas", `schemas eq "${ENTERPRISE}"`],
    ["C097 schemas, the core one", `schemas eq "${USER}"`],
    ["C097 schemas, URN in any case", `schemas eq "${ENTERPRISE.toUpperCase()}"`],
    ["C097 schemas co", 'schemas co "enterprise"'],
    ["C097 schemas pr", "schemas pr"],
    ["C097 a URN alone", `${ENTERPRISE} pr`],
    ["complex without part compares value", 'emails co "home.test"'],
    ["groups by id", 'groups eq "g-1"'],
    ["groups by name", 'groups eq "staff"'],
    ["groups by part of the name", 'groups sw "St"'],
    ["groups.display", 'groups.display eq "Staff"'],
    ["groups neither by id nor by name", 'groups ne "Sales"'],
    ["roles by value", 'roles eq "auditor"'],
    ["W09 bare", "userName eq Kim"],
    ["bare with and", "userName sw Ki and name.familyName co ens"],
    ["a bare number for a text", `${ENTERPRISE}:manager.value eq 26118915`],
    ["M39", `id eq "${kim.id}" and manager eq "26118915"`],
    ["M46", "name.FamilyName eq Jensen and (emails.Value co work.test or emails.Value co example.org)"],
    ["M47", "meta.Created gt 2015-10-10T14:38:21.8617979-07:00"],
    [
      "M51",
      'active eq true and (meta.lastModified ge "0001-01-03T00:00:00.0000000Z" and meta.lastModified le "2030-01-01T00:00:00Z")',
    ],
    ["M52", '(ActiVe eq true) and meta.lastmodified ge "2001-01-01T00:00:00Z"'],
    ["S03 no zone is UTC", 'userName eq "Kim" and meta.lastModified gt "2024-05-13T04:42:34"'],
    ["Entra ID matching", 'emails[type eq "work"].value eq "kim@work.test"'],
    ["a part after brackets, pr", 'emails[type eq "work"].value pr'],
    ["a part after brackets, eq null", 'emails[type eq "other"].value eq null'],
    ["a part after brackets, ne of an absent value", 'emails[type eq "other"].value ne "x"'],
    ["brackets without a part, compared", 'emails[type eq "work"] eq "kim@work.test"'],
    ["brackets after a single complex attribute", 'name[familyName eq "Jensen" and givenName eq "Kim"]'],
    ["groups in brackets", 'groups[type eq "direct"] eq "Staff"'],
    ["binary", 'x509Certificates eq "MII="'],
    ["reference", 'meta.location sw "https://x.test/"'],
    ["folding beyond ASCII", 'userName eq "\u212Aim"'],
  ])("%s: %s", (_, text) => {
    expect(holds(text)).toBe(true);
    expect(holds(`not (${text})`)).toBe(false);
  });
});

describe("does not match Kim", () => {
  test.each([
    ["C070 eq", 'userName eq "Lee"'],
    ["C070 eq of an attribute that Kim lacks", 'nickName eq ""'],
    ["C071 ne", 'userName ne "KIM"'],
    ["C071 ne of the only value", 'roles.value ne "auditor"'],
    ["C075 pr", "title pr"],
    ["C075 pr of a part that no element has", "emails.display pr"],
    ["C076 gt", 'meta.lastModified gt "2024-05-13T04:42:34.123Z"'],
    ["C077 missing", 'title gt ""'],
    ["C077 missing number", "failedLoginLockoutCount lt 5"],
    ["C085 two elements", 'emails[type eq "work" and value co "home"]'],
    ["C090 exact", 'externalId eq "ext-1"'],
    ["C090 exact id", `id eq "${String(kim.id).toUpperCase()}"`],
    ["C091 missing", "emails.primary eq false"],
    ["C092 null", "displayName eq null"],
    ["C097 schemas", 'schemas eq "urn:scim:schemas:core:1.0"'],
    ["C097 schemas null", "schemas eq null"],
    ["binary is exact", 'x509Certificates eq "mii="'],
    ["reference is exact", 'meta.location sw "HTTPS://"'],
    ["groups by name", 'groups ne "staff"'],
    ["a part after brackets", 'emails[type eq "work"].value eq "kim@home.test"'],
    ["a part after brackets, ne", 'emails[type eq "work"].value ne "kim@work.test"'],
    ["null in quotes is a text", 'nickName eq "null"'],
  ])("%s: %s", (_, text) => {
    expect(holds(text)).toBe(false);
    expect(holds(`not (${text})`)).toBe(true);
  });

  test("C097 does not list an extension without data", () => {
    const { [ENTERPRISE]: _, ...plain } = kim;
    expect(holds(`schemas eq "${ENTERPRISE}"`, plain)).toBe(false);
    expect(holds(`schemas ne "${USER}"`, plain)).toBe(true);
    expect(holds(`schemas ne "${USER}"`, { userName: "x" })).toBe(false);
    expect(holds(`${ENTERPRISE} eq null`, plain)).toBe(true);
  });
});

describe("refuses with invalidFilter", () => {
  test.each([
    ["C078 order of booleans", "active gt true"],
    ["C078 order of booleans in brackets", "emails[primary ge false]"],
    ["C079 order of binary", 'x509Certificates.value gt "a"'],
    ["C079 parts of binary", 'x509Certificates.value co "a"'],
    ["co on a boolean", 'active co "t"'],
    ["sw on a date", 'meta.created sw "2024"'],
    ["ew on a number", "failedLoginAttempts ew 1"],
    ["co on null", "nickName co null"],
    ["gt on null", "meta.created gt null"],
    ["C043 password", 'password eq "x"'],
    ["C043 password pr", "password pr"],
    ["C043 password by its full name", `${USER}:PASSWORD sw "a"`],
    ["no boolean", "active eq 5"],
    ["no boolean, empty", 'active eq ""'],
    ["no number", `${SYSTEM}:failedLoginAttempts gt many`],
    ["no number: too large", `failedLoginAttempts lt 1e999`],
    ["no number: hexadecimal", "failedLoginAttempts eq 0x10"],
    ["no date", 'meta.created gt "yesterday"'],
    ["no date: without a time", 'meta.created gt "2024-01-01"'],
    ["no date: 30 February", 'meta.created gt "2024-02-30T00:00:00Z"'],
    ["no date: 10 digits of a second", 'meta.created gt "2024-02-20T00:00:00.1234567890Z"'],
    ["no date: an offset of a day", 'meta.created gt "2024-02-20T00:00:00+24:00"'],
    ["unknown attribute", 'nope eq "a"'],
    ["unknown part", 'name.nope eq "a"'],
    ["unknown part in brackets", 'emails[nope eq "a"]'],
    ["unknown part after brackets", 'emails[type eq "a"].nope eq "a"'],
    ["a part of what has none", 'userName.value eq "a"'],
    ["unknown URN", 'urn:nope:2.0:User:department eq "a"'],
    ["complex without a value", 'name eq "Kim"'],
    ["a schema compared", `${ENTERPRISE} eq "a"`],
    ["brackets of a schema", `${ENTERPRISE}[department pr]`],
    ["brackets of a simple attribute", "userName[value pr]"],
    ["brackets of a part", "name.familyName[value pr]"],
    ["brackets of schemas", `schemas[value eq "${USER}"]`],
    ["schemas by order", 'schemas gt "a"'],
    ["prototype", "__proto__ pr"],
    ["a name that every object inherits", 'constructor eq "a"'],
    ["a name that every object inherits, in brackets", "emails[toString pr]"],
  ])("%s: %s", (_, text) => expect(faultOf(() => bind(text))).toBe("scim.filter_invalid"));

  test("says what to send instead", () => {
    expect(sentenceOf(() => bind("active gt true"))).toBe(
      "The operator 'gt' does not fit 'active' of type boolean. Use eq, ne or pr.",
    );
    expect(sentenceOf(() => bind("userName pr and nope pr"))).toBe(
      "'nope' at character 17 is not an attribute of User. Did you mean name?",
    );
    expect(sentenceOf(() => bind("meta.created gt 5"))).toBe(
      `'5' at character 17 is not a value of 'meta.created', which is of type dateTime. Example: "2024-05-13T04:42:34Z".`,
    );
    expect(sentenceOf(() => bind("name eq x"))).toContain("such as name.formatted");
  });
});

describe("a filter over several types", () => {
  const nothing = (text: string) => bind(text, groupType, { unknown: "nothing" });

  test("C069 treats an unknown attribute as one without a value", () => {
    const answers: readonly (readonly [string, boolean])[] = [
      ["userName pr", false],
      ['userName eq "x"', false],
      ['userName gt ""', false],
      ['userName ne "x"', true],
      ["userName eq null", true],
      ["userName ne null", false],
      ["not (userName pr)", true],
      ['userName eq "x" or displayName eq "team"', true],
      ['userName eq "x" and displayName eq "team"', false],
      ['emails[type eq "work"]', false],
      ['emails[type eq "work"].value ne "x"', true],
      ["members[nope pr]", false],
      ['members[nope ne "x"]', true],
      [`${ENTERPRISE}:department pr`, false],
      [`${ENTERPRISE} pr`, false],
      ['meta.resourceType eq "Group"', false],
    ];
    for (const [text, expected] of answers) expect([text, matches(nothing(text), team)]).toEqual([text, expected]);
    expect(matches(nothing('meta.resourceType eq "Group"'), { ...team, meta: { resourceType: "Group" } })).toBe(true);
  });
  test("simplifies parts that are always or never true", () => {
    expect(nothing('userName eq "x" and displayName eq "team"')).toEqual({ kind: "never" });
    expect(nothing('userName ne "x" or displayName eq "team"')).toEqual({ kind: "always" });
    expect(nothing('userName eq "x" or displayName eq "team"')).toMatchObject({ kind: "compare" });
    expect(nothing("not (userName pr or nickName pr)")).toEqual({ kind: "always" });
    expect(nothing("not (schemas pr)")).toEqual({ kind: "never" });
    expect(nothing("not (not (displayName pr))")).toMatchObject({ kind: "present" });
    expect(leavesOf(nothing("schemas pr"))).toEqual([]);
    expect(leavesOf(nothing("userName pr"))).toEqual([]);
  });
  test("refuses secret attributes and invalid comparisons", () => {
    expect(faultOf(() => bind('password eq "x"', userType, { unknown: "nothing" }))).toBe("scim.filter_invalid");
    expect(faultOf(() => bind("active gt true", userType, { unknown: "nothing" }))).toBe("scim.filter_invalid");
    expect(faultOf(() => nothing("userName co null"))).toBe("scim.filter_invalid");
  });
});

describe("groups and other types", () => {
  test.each([
    ["M19 name in any case", 'displayName eq "TEAM"', true],
    ["members by id", 'members.value eq "u-1"', true],
    ["members without a part", 'members eq "u-2"', true],
    ["members by name", 'members[display eq "Kim"]', true],
    ["members by id, exact", 'members eq "U-1"', false],
  ])("%s: %s", (_, text, expected) => expect(holds(text, team, groupType)).toBe(expected));

  const badge: Resource = {
    weight: 1.5,
    issued: "2024-05-13T06:42:34+02:00",
    constructor: "Acme",
    tags: ["Red", "b\u{1F600}"],
    [BADGES]: { level: 7 },
  };
  test.each([
    ["decimals", "weight gt 1.25", true],
    ["decimals as texts", 'weight lt "1.6"', true],
    ["stored with an offset", 'issued eq "2024-05-13T04:42:34Z"', true],
    ["a name that every object inherits", 'constructor eq "acme"', true],
    ["lists of texts", 'tags eq "red"', true],
    ["lists of texts, in brackets", 'tags[value sw "r"]', true],
    ["by code points", 'tags gt "b\uFFFD"', true],
    ["bare name of an extension", "level ge 7", true],
  ])("%s: %s", (_, text, expected) => expect(holds(text, badge, badgeType)).toBe(expected));
  test("takes an inherited property for no value", () => {
    expect(holds("constructor pr", {}, badgeType)).toBe(false);
  });
});

describe("for query planning", () => {
  test("returns the leaves, with values as written", () => {
    const canonical: BindOptions["canonical"] = (path, text) =>
      pathName(path) === "userName" ? text.replace(/^PRIMARY\//i, "") : text;
    const filter = bind('userName eq "PRIMARY/Kim" and displayName sw "PRIMARY/"', userType, {
      unknown: "refuse",
      canonical,
    });
    expect(leavesOf(filter)).toMatchObject([
      { kind: "compare", operator: "eq", value: "PRIMARY/Kim", operand: "kim" },
      { kind: "compare", operator: "sw", value: "PRIMARY/", operand: "primary/" },
    ]);
    expect(matches(bind('userName eq "primary/KIM"', userType, { unknown: "refuse", canonical }), kim)).toBe(true);
    expect(matches(bind('userName eq "primary/KIM"'), kim)).toBe(false);
  });
  test("returns the names that a filter reads", () => {
    const text = `userName sw "k" and (emails[type eq "work"].value pr or not (${ENTERPRISE}:department pr)) and schemas eq "${SYSTEM}"`;
    expect([...namesIn(bind(text))]).toEqual(["userName", "emails.value", `${ENTERPRISE}:department`, SYSTEM]);
    expect([...namesIn(bind('USERNAME eq "a" or not (username ew "b")'))]).toEqual(["userName"]);
  });
  test("joins terms of one kind in one list", () => {
    expect(bind("userName pr and (displayName pr and title pr) and (nickName pr or title pr)")).toMatchObject({
      kind: "and",
      parts: [{ kind: "present" }, { kind: "present" }, { kind: "present" }, { kind: "or" }],
    });
    expect(combined("and", [])).toEqual({ kind: "always" });
    expect(combined("or", [])).toEqual({ kind: "never" });
  });
  test("returns the required equalities, and the size", () => {
    const filter = bind(
      'emails[type eq "work" and primary eq "TRUE" and value co "@" and (display eq "a" or display eq "b")]',
    );
    const where = "where" in filter ? filter.where : undefined;
    expect(where && equalitiesOf(where).map(({ path, value }) => [pathName(path), value])).toEqual([
      ["emails.type", "work"],
      ["emails.primary", true],
    ]);
    expect(sizeOf(filter)).toBe(6);
  });
});

describe("properties", () => {
  const text = fc.string({ unit: "grapheme", maxLength: 6 }).filter((one) => one !== "");
  const quoted = (value: string) => JSON.stringify(value);

  test("every value equals and contains itself, and is neither less nor greater", () => {
    fc.assert(
      fc.property(text, (given) => {
        // A name has no white space at its ends, and is never white space alone (decision 0151).
        const value = given.trim();
        fc.pre(value !== "");
        const resource: Resource = { userName: value };
        for (const operator of ["eq", "co", "sw", "ew", "ge", "le"]) {
          expect(holds(`userName ${operator} ${quoted(value)}`, resource)).toBe(true);
        }
        for (const operator of ["ne", "gt", "lt"]) {
          expect(holds(`userName ${operator} ${quoted(value)}`, resource)).toBe(false);
        }
      }),
    );
  });
  test("of two values exactly one of lt, eq, gt holds", () => {
    fc.assert(
      fc.property(text, text, (value, other) => {
        const answers = ["lt", "eq", "gt"].map((operator) =>
          holds(`nickName ${operator} ${quoted(other)}`, { nickName: value }),
        );
        expect(answers.filter(Boolean)).toHaveLength(1);
      }),
    );
  });
  test("not (a and b) equals not (a) or not (b), for any a and b", () => {
    const term = fc.constantFrom(
      "userName pr",
      "title pr",
      "active eq false",
      'emails[type eq "home"]',
      'roles ne "x"',
      "nope pr",
    );
    fc.assert(
      fc.property(term, term, (a, b) => {
        const of = (filter: string) => matches(bind(filter, userType, { unknown: "nothing" }), kim);
        expect(of(`not (${a} and ${b})`)).toBe(of(`not (${a}) or not (${b})`));
        expect(of(`not (${a} or ${b})`)).toBe(of(`not (${a}) and not (${b})`));
      }),
    );
  });
});
