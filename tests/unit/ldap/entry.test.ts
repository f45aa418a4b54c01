/** A directory entry and a directory record together are the user, for any profile. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Entry } from "#core/directory/ldap/connection.ts";
import { entryValues, nameIn, recordProfile, userOf, valueChanges } from "#core/directory/ldap/entry.ts";
import { type DirectorySettings, defaultAttributes } from "#core/directory/ldap/model.ts";
import { freshUser, type User } from "#core/directory/users/model.ts";
import type { Resource } from "#core/scim/protocol/schema/attribute.ts";
import { URN } from "#tests/support/scim.ts";

const settings: DirectorySettings = {
  domain: "CORP",
  tenant: "carbon.super",
  url: "ldaps://directory.example.com",
  startTls: false,
  caCertificate: undefined,
  bindDn: "cn=a,dc=b",
  passwordEnv: "P_PASSWORD",
  baseDn: "dc=b",
  objectClasses: ["inetOrgPerson"],
  usernameAttribute: "uid",
  idAttribute: "entryUUID",
  attributes: defaultAttributes,
  passwordWrite: "modify-password",
  connectTimeoutMs: 100,
  timeoutMs: 100,
  pageSize: 10,
  isReadOnly: false,
};
const ID = "4ac1f3a8-7a5b-1041-903e-032c052354d9";

const userNamed = (userName: string, profile: Resource): User =>
  freshUser(ID, userName, 0, { userStore: "CORP", profile });

/** The entry of a user. Attribute names are in another case than the settings write them. */
const entryOf = (user: User, more: Readonly<Record<string, readonly string[]>> = {}): Entry => ({
  dn: `uid=${user.userName},dc=b`,
  values: new Map([
    ...[...entryValues(user, settings)].map(([name, values]) => [name.toLowerCase(), values] as const),
    ["uid", [user.userName]],
    ["createtimestamp", ["20260102030405Z"]],
    ["entrycsn", ["20260102030406.123456Z#000000#000#000000"]],
    ...Object.entries(more),
  ]),
});
const shown = (entry: Entry, recorded: Resource): Resource =>
  userOf(entry, ID, userNamed("-", recorded), settings)?.profile ?? {};

const text = fc.stringMatching(/^[A-Za-z][A-Za-z .'-]{0,20}[a-z]$/);
const maybe = <T>(of: fc.Arbitrary<T>) => fc.option(of, { nil: undefined });
const without = (given: Readonly<Record<string, unknown>>): Resource =>
  Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) as Resource;
const filled = (name: string, part: Resource): Resource => (Object.keys(part).length > 0 ? { [name]: part } : {});
const list = fc.uniqueArray(
  fc.record({
    value: fc.emailAddress(),
    type: maybe(fc.constantFrom("work", "home")),
    primary: maybe(fc.constant(true)),
  }),
  { maxLength: 4, selector: ({ value }) => value.toLowerCase() },
);

const anyProfile = fc
  .record({
    givenName: maybe(text),
    familyName: maybe(text),
    middleName: maybe(text),
    displayName: maybe(text),
    nickName: maybe(text),
    externalId: maybe(text),
    emails: list,
    employeeNumber: maybe(text),
    costCenter: maybe(text),
    locked: fc.boolean(),
  })
  .map(({ givenName, familyName, middleName, emails, employeeNumber, costCenter, locked, ...plain }) => ({
    ...without(plain),
    ...filled("name", without({ givenName, familyName, middleName })),
    ...(emails.length > 0 && { emails: emails.map(without) }),
    ...filled(URN.enterprise, without({ employeeNumber, costCenter })),
    ...(locked && { [URN.system]: { accountLocked: true } }),
  })) as fc.Arbitrary<Resource>;

describe("an entry and a directory record", () => {
  test("join to the user that they were written for", () => {
    fc.assert(
      fc.property(anyProfile, (profile) => {
        const user = userNamed("kim01", profile);
        const recorded = recordProfile(profile, settings);
        expect(shown(entryOf(user), recorded)).toEqual(profile);
        // The record does not repeat what the directory holds.
        expect(JSON.stringify(recorded)).not.toMatch(/givenName|familyName|displayName|employeeNumber/);
      }),
    );
  });

  test("change together: the written changes turn the entry of one profile into that of another", () => {
    fc.assert(
      fc.property(anyProfile, anyProfile, (before, after) => {
        const [old, changed] = [userNamed("kim01", before), userNamed("kim01", after)];
        const entry = entryOf(old);
        const values = new Map([...entry.values].map(([name, list]) => [name, [...list]]));
        for (const { operation, attribute, values: some } of valueChanges(old, changed, entry, settings)) {
          const name = attribute.toLowerCase();
          const current = values.get(name) ?? [];
          if (operation === "delete") for (const value of some) expect(current).toContain(value);
          values.set(
            name,
            operation === "delete" ? current.filter((value) => !some.includes(value)) : [...current, ...some],
          );
        }
        expect(shown({ ...entry, values }, recordProfile(after, settings))).toEqual(after);
      }),
    );
  });
});

test("takes values from the directory, and drops recorded parts of a value that the directory no longer has", () => {
  const user = userNamed("kim01", {
    emails: [
      { value: "a@b.example", type: "work" },
      { value: "c@d.example", type: "home" },
    ],
  });
  const entry = entryOf(user, { mail: ["e@f.example", "A@b.example"], sn: ["Berry"], title: ["One", "Two"] });
  expect(shown(entry, recordProfile(user.profile, settings))).toEqual({
    name: { formatted: "kim01", familyName: "Berry" },
    title: "One",
    emails: [{ value: "A@b.example", type: "work" }, { value: "e@f.example" }],
  });
});

test("raises the version with each change of the entry and of the record", () => {
  const user = userNamed("kim01", {});
  const versionOf = (csn: string, version: number) =>
    userOf(entryOf(user, { entrycsn: [csn] }), ID, { ...user, version }, settings)?.version ?? 0;
  const first = versionOf("20260102030406.123456Z#000000#000#000000", 1);
  expect(versionOf("20260102030406.123457Z#000000#000#000000", 1)).toBe(first + 1);
  expect(versionOf("20260102030406.123456Z#000000#000#000000", 2)).toBe(first + 1);
  expect(Number.isSafeInteger(first)).toBe(true);
});

test("takes the user name from the distinguished name where an entry has several", () => {
  const user = userNamed("kim01", {});
  const named = (dn: string) => nameIn({ ...entryOf(user, { uid: ["alias", "kim01"] }), dn }, settings);
  expect(named("uid=kim01,dc=b")).toBe("kim01");
  expect(named("uid=alias,dc=b")).toBe("alias");
  expect(named("cn=kim01,dc=b")).toBe("alias");
});
