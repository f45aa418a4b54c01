/** What a directory holds of a user and what lies beside it: together they are the user, whatever it is. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { freshUser, type User } from "#core/identities/users/model.ts";
import type { Entry } from "#core/ldap/connection.ts";
import { nameIn, restOf, userOf, valueChanges, wishedValues } from "#core/ldap/entry.ts";
import { type DirectorySettings, defaultAttributes } from "#core/ldap/model.ts";
import type { Resource } from "#core/scim/schema/attribute.ts";
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

/** The entry that a directory has of a user, in which attributes come in another case than they were asked for. */
const entryOf = (user: User, more: Readonly<Record<string, readonly string[]>> = {}): Entry => ({
  dn: `uid=${user.userName},dc=b`,
  values: new Map([
    ...[...wishedValues(user, settings)].map(([name, values]) => [name.toLowerCase(), values] as const),
    ["uid", [user.userName]],
    ["createtimestamp", ["20260102030405Z"]],
    ["entrycsn", ["20260102030406.123456Z#000000#000#000000"]],
    ...Object.entries(more),
  ]),
});
const shown = (entry: Entry, rest: Resource): Resource =>
  userOf(entry, ID, userNamed("-", rest), settings)?.profile ?? {};

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

describe("a user in two parts", () => {
  test("is the user again", () => {
    fc.assert(
      fc.property(anyProfile, (profile) => {
        const user = userNamed("kim01", profile);
        const rest = restOf(profile, settings);
        expect(shown(entryOf(user), rest)).toEqual(profile);
        // What the directory has is not kept beside it.
        expect(JSON.stringify(rest)).not.toMatch(/givenName|familyName|displayName|employeeNumber/);
      }),
    );
  });

  test("changes as a whole: what is written makes the one entry of the other", () => {
    fc.assert(
      fc.property(anyProfile, anyProfile, (before, after) => {
        const [was, wished] = [userNamed("kim01", before), userNamed("kim01", after)];
        const entry = entryOf(was);
        const values = new Map([...entry.values].map(([name, list]) => [name, [...list]]));
        for (const { operation, attribute, values: some } of valueChanges(was, wished, entry, settings)) {
          const name = attribute.toLowerCase();
          const there = values.get(name) ?? [];
          if (operation === "delete") for (const value of some) expect(there).toContain(value);
          values.set(
            name,
            operation === "delete" ? there.filter((value) => !some.includes(value)) : [...there, ...some],
          );
        }
        expect(shown({ ...entry, values }, restOf(after, settings))).toEqual(after);
      }),
    );
  });
});

test("what the directory says counts, and what is known of a value that it has no more does not", () => {
  const user = userNamed("kim01", {
    emails: [
      { value: "a@b.example", type: "work" },
      { value: "c@d.example", type: "home" },
    ],
  });
  const entry = entryOf(user, { mail: ["e@f.example", "A@b.example"], sn: ["Berry"], title: ["One", "Two"] });
  expect(shown(entry, restOf(user.profile, settings))).toEqual({
    name: { formatted: "kim01", familyName: "Berry" },
    title: "One",
    emails: [{ value: "A@b.example", type: "work" }, { value: "e@f.example" }],
  });
});

test("the number of a version grows with the directory's changes and with those beside it", () => {
  const user = userNamed("kim01", {});
  const versionOf = (csn: string, version: number) =>
    userOf(entryOf(user, { entrycsn: [csn] }), ID, { ...user, version }, settings)?.version ?? 0;
  const first = versionOf("20260102030406.123456Z#000000#000#000000", 1);
  expect(versionOf("20260102030406.123457Z#000000#000#000000", 1)).toBe(first + 1);
  expect(versionOf("20260102030406.123456Z#000000#000#000000", 2)).toBe(first + 1);
  expect(Number.isSafeInteger(first)).toBe(true);
});

test("of several names the one that the entry is named by is the user's", () => {
  const user = userNamed("kim01", {});
  const named = (dn: string) => nameIn({ ...entryOf(user, { uid: ["alias", "kim01"] }), dn }, settings);
  expect(named("uid=kim01,dc=b")).toBe("kim01");
  expect(named("uid=alias,dc=b")).toBe("alias");
  expect(named("cn=kim01,dc=b")).toBe("alias");
});
