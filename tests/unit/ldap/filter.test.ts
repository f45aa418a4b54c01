/** Filters of SCIM as filters of LDAP: always a superset of the matches. */
import { describe, expect, test } from "vitest";
import { filtersOf, namesOtherStore } from "#core/directory/ldap/filter.ts";
import { type DirectorySettings, defaultAttributes } from "#core/directory/ldap/model.ts";
import { canonicalIn } from "#core/directory/scim-api/resources/sources.ts";
import { bindFilter } from "#core/scim/protocol/filter/bind.ts";
import { parseFilter } from "#core/scim/protocol/filter/parse.ts";
import { userType } from "#core/scim/protocol/schema/resource-types.ts";

const settings = {
  domain: "CORP",
  objectClasses: ["inetOrgPerson", "posixAccount"],
  usernameAttribute: "uid",
  idAttribute: "entryUUID",
  attributes: defaultAttributes,
} as unknown as DirectorySettings;
const bound = (filter: string) =>
  bindFilter(userType, parseFilter(filter), { unknown: "refuse", canonical: canonicalIn("CORP", "userName") });
const everyUser = "(objectClass=inetOrgPerson)(objectClass=posixAccount)(uid=*)";
const compiled = (filter: string): string => {
  const text = filtersOf(settings).matching(bound(filter)).toString();
  expect(text.startsWith(`(&${everyUser}`)).toBe(true);
  return text.slice(`(&${everyUser}`.length, -1);
};

describe("expresses in LDAP", () => {
  test.each([
    ['userName eq "CORP/Kim"', "(uid=Kim)"],
    ['userName sw "k" and title co "a b"', "(&(uid=k*)(title=*a b*))"],
    ['name.familyName ew "y" or displayName eq "K"', "(|(sn=*y)(displayName=K))"],
    ['not (title eq "x")', "(!(title=x))"],
    ['title ne "x"', "(!(title=x))"],
    ["title pr", "(title=*)"],
    ['emails.value eq "a@b"', "(mail=a@b)"],
    ['emails eq "a@b"', "(mail=a@b)"],
    ['emails[type eq "work" and value sw "a"]', "(mail=a*)"],
    ['urn:ietf:params:scim:schemas:extension:enterprise:2.0:User:employeeNumber eq "7"', "(employeeNumber=7)"],
    ['title eq "*)(uid=*"', "(title=\\2a\\29\\28uid=\\2a)"],
    ['title eq "a\\\\b"', "(title=a\\5cb)"],
  ])("%s", (filter, expected) => expect(compiled(filter)).toBe(expected));
});

describe("leaves out what LDAP cannot express exactly", () => {
  test.each([
    ["active eq true", ""],
    ['title gt "x"', ""],
    ['title eq ""', ""],
    ['title eq "\\u0000"', ""],
    ['userName sw "k" and active eq true', "(uid=k*)"],
    ['userName sw "k" or active eq true', ""],
    ['not (userName sw "k" and active eq true)', ""],
    ["not (title pr)", ""],
    ['emails.value ne "a@b"', ""],
    ['not (emails.value eq "a@b")', ""],
  ])("%s", (filter, expected) => expect(compiled(filter)).toBe(expected));
});

test.each([
  ['userName eq "SECOND/kim"', true],
  ['userName eq "CORP/kim"', false],
  ['userName eq "kim"', false],
  ['userName eq "SECOND/kim" and title pr', true],
  ['userName eq "SECOND/kim" or title pr', false],
])("%s names another user store: %s", (filter, expected) =>
  expect(namesOtherStore(bound(filter), "CORP")).toBe(expected),
);
