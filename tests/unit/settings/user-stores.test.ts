import { readFile } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import { readDeployment } from "#core/service/settings/deployment.ts";
import { userStoreNames } from "#core/service/settings/user-stores.ts";
import { directoryPassword } from "#functions/env.ts";

const store = (lines: string) => `[[user_store]]\n${lines}\n`;
const ADDRESS = "ldaps://directory.example.com";
const directory = (lines = "", url = ADDRESS) =>
  store(
    `domain = "CORP"\nkind = "ldap"\nurl = "${url}"\nbind_dn = "cn=a,dc=b"\npassword_env = "P_PASSWORD"\nbase_dn = "dc=b"\n${lines}`,
  );
const storesIn = (source: string) => readDeployment(source).userStores;

describe("accepts", () => {
  test("stores in the order of the file, with names in upper case, after PRIMARY", () => {
    const declared = storesIn(
      `${store('domain = "Second"\nkind = "dynamodb"')}${store('domain = "ACME.example"\nkind = "dynamodb"\ndescription = "Guests"')}`,
    );
    expect(declared).toEqual([
      { domain: "SECOND", description: "", directory: undefined },
      { domain: "ACME.EXAMPLE", description: "Guests", directory: undefined },
    ]);
    expect(userStoreNames(declared)("any.example")).toEqual(["PRIMARY", "SECOND", "ACME.EXAMPLE"]);
    expect(userStoreNames([])(undefined)).toEqual(["PRIMARY"]);
  });

  test("the commented sections of the project's own file without their comment marks", async () => {
    const text = await readFile(new URL("../../../deployment.toml", import.meta.url), "utf8");
    const sections = text.match(/^# \[\[user_store\]\]\n(?:# [^\n]+\n)+/gm) ?? [];
    const declared = storesIn(sections.join("").replaceAll(/^# /gm, ""));
    expect(declared).toMatchObject([{ domain: "CONSULTANTS", directory: undefined }, { domain: "CORP" }]);
    // They show every key with its default.
    const [short] = storesIn(directory());
    expect({ ...declared[1]?.directory, domain: "CORP", url: ADDRESS, passwordEnv: "P_PASSWORD" }).toEqual({
      ...short?.directory,
      bindDn: declared[1]?.directory?.bindDn,
      baseDn: declared[1]?.directory?.baseDn,
    });
    expect(storesIn(text)).toEqual([]);
  });
});

describe("refuses, with the line and the key to change,", () => {
  const good = 'domain = "SECOND"\nkind = "dynamodb"';
  test.each([
    [store('kind = "dynamodb"'), "user_store[number 1].domain: is required (line 1)"],
    [store('domain = "SECOND"'), 'user_store["SECOND"].kind: is required (line 1)'],
    [store('domain = "SECOND"\nkind = "dynamo"'), 'user_store["SECOND"].kind: must be "dynamodb" or "ldap" (line 3)'],
    [store('domain = "SECOND"\nkind = 7'), 'user_store["SECOND"].kind: must be "dynamodb" or "ldap" (line 3)'],
    [
      store(`${good}\ndescripton = "x"`),
      'user_store["SECOND"]: unknown key "descripton" (did you mean "description"?)',
    ],
    [store(`${good}\ndescription = 1`), 'user_store["SECOND"].description: must be a string in quotes (line 4)'],
    [
      store('domain = "primary"\nkind = "dynamodb"'),
      'user_store["primary"].domain: PRIMARY always exists; choose another name',
    ],
    [
      store('domain = "Internal"\nkind = "dynamodb"'),
      'user_store["Internal"].domain: "INTERNAL" is reserved; choose another name',
    ],
    [
      `${store(good)}${store('domain = "second"\nkind = "dynamodb"')}`,
      'user_store["second"].domain: "SECOND" is used twice; rename one (line 5)',
    ],
    [
      '[user_store]\ntype = "database_unique_id"',
      "user_store: must be written as [[user_store]], with double brackets",
    ],
    ["[[user_stores]]", 'unknown key "user_stores" (did you mean "user_store"?)'],
  ])("%j", (source, message) => {
    expect(() => readDeployment(source)).toThrow(message);
  });

  test.each(["", "a/b", "a#b", "a@b", "a b", "_a", "a-", "\u00e4", "a".repeat(51)])("the domain %j", (domain) => {
    expect(() => readDeployment(store(`domain = "${domain}"\nkind = "dynamodb"`))).toThrow(
      /\.domain: must be up to 50/,
    );
  });
});

describe("a directory", () => {
  const place = 'user_store["CORP"]';

  test("belongs to one tenant, and is listed after the stores of the table", () => {
    const source = `${directory('tenant = "ACME.example"')}${store('domain = "SECOND"\nkind = "dynamodb"')}`;
    const namesOf = userStoreNames(storesIn(source));
    expect(namesOf("acme.example")).toEqual(["PRIMARY", "SECOND", "CORP"]);
    expect(namesOf("carbon.super")).toEqual(["PRIMARY", "SECOND"]);
  });

  test("takes configured attributes instead of the defaults, and drops those set to an empty string", () => {
    const [declared] = storesIn(
      directory('[user_store.attributes]\ntitle = ""\nnickName = "initials"\nemails = "email"'),
    );
    const { attributes } = declared?.directory ?? {};
    expect(attributes).toMatchObject({ nickName: "initials", emails: "email", "name.familyName": "sn" });
    expect(attributes).not.toHaveProperty("title");
  });

  test.each(["ldaps://directory.example.com:1636", "ldap://127.0.0.1:389", "ldap://[::1]", "ldap://localhost"])(
    "accepts the url %s",
    (url) => {
      expect(storesIn(directory("", url))[0]?.directory?.url).toBe(url);
    },
  );

  test("accepts ldap: with StartTLS", () => {
    expect(storesIn(directory("start_tls = true", "ldap://directory.example.com"))[0]?.directory?.startTls).toBe(true);
  });

  test.each([
    [store('domain = "CORP"\nkind = "ldap"'), `${place}.url: is required`],
    [
      directory("", "ldap://directory.example.com"),
      `${place}.url: would send passwords unencrypted; use ldaps://, or set start_tls = true`,
    ],
    [
      directory("", "ldap://127.0.0.1.evil.example"),
      `${place}.url: would send passwords unencrypted; use ldaps://, or set start_tls = true`,
    ],
    [
      directory().replace("P_PASSWORD", "SEAL_KEY"),
      `${place}.password_env: must be the name of an environment variable`,
    ],
    [directory().replace("P_PASSWORD", "ADMIN_PASSWORD"), `${place}.password_env: must be the name of`],
    [directory("", "nonsense"), `${place}.url: must be ldaps://host[:port]`],
    [directory("", "https://directory.example.com"), `${place}.url: must be ldaps://host[:port]`],
    [directory("", "ldaps://user:word@directory.example.com"), `${place}.url: must be ldaps://host[:port]`],
    [directory("", "ldaps://directory.example.com/dc=b"), `${place}.url: must be ldaps://host[:port]`],
    [directory("start_tls = true"), `${place}.start_tls: is for ldap:// only; delete it`],
    [directory('password = "x"'), `${place}: unknown key "password" (did you mean "password_env"?)`],
    [directory('bind_password = "x"'), `${place}: unknown key "bind_password"`],
    [directory("timeout = 5"), `${place}: unknown key "timeout" (did you mean "timeout_ms"?)`],
    [directory('timeout_ms = "3s"'), `${place}.timeout_ms: must be a number, without quotes (line 8)`],
    [directory("timeout_ms = 3001"), `${place}.timeout_ms: must be at most 3000`],
    [directory('username_attribute = "uid)(cn=*"'), `${place}.username_attribute: must be the name of an attribute`],
    [directory("user_object_classes = []"), `${place}.user_object_classes: the number of elements must be at least 1`],
    [directory('ca_certificate = "no"'), `${place}.ca_certificate: must be a certificate in PEM`],
    [directory('password_write = "plain"'), `${place}.password_write: must be "modify-password" or "attribute"`],
    [directory('read_only = "yes"'), `${place}.read_only: must be true or false, without quotes`],
    [
      directory('[user_store.attributes]\ntitel = "title"'),
      `${place}.attributes: "titel" is not an attribute that a directory can hold (did you mean "title"?) (line 8)`,
    ],
    [
      directory('[user_store.attributes]\npassword = "userPassword"'),
      `${place}.attributes: "password" is not an attribute that`,
    ],
    [
      directory('[user_store.attributes]\ntitle = "userPassword"'),
      `${place}.attributes: "title" must not be userPassword`,
    ],
    [directory('[user_store.attributes]\ntitle = "MAIL"'), "must not be mail"],
    [
      directory("[user_store.attributes]\ntitle = 7"),
      `${place}.attributes: "title" must be the name of an attribute, or "" for none`,
    ],
    [`${directory()}${directory()}`, `${place}.domain: "CORP" is used twice; rename one`],
    [
      store('domain = "SECOND"\nkind = "dynamodb"\nurl = "ldaps://a"\nbase_dn = "b"'),
      'user_store["SECOND"].url: is for kind = "ldap" only; delete it, or change the kind (line 4)',
    ],
  ])("refuses %j", (source, message) => {
    expect(() => readDeployment(source)).toThrow(message);
  });

  test("stops the start where its password is not set, and names the variable", () => {
    const settings = { domain: "CORP", passwordEnv: "CORP_PASSWORD" };
    expect(() => directoryPassword(settings, {})).toThrow(
      "environment: CORP_PASSWORD: set the password for the directory of the user store CORP",
    );
    expect(() => directoryPassword(settings, { CORP_PASSWORD: "" })).toThrow("CORP_PASSWORD");
    expect(directoryPassword(settings, { CORP_PASSWORD: "x" })).toBe("x");
  });
});
