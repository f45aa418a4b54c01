import { readFile } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import { readDeployment } from "#core/settings/deployment.ts";
import { userStoreNames } from "#core/settings/user-stores.ts";
import { directoryPassword } from "#functions/env.ts";

const store = (lines: string) => `[[user_store]]\n${lines}\n`;
const ADDRESS = "ldaps://directory.example.com";
const directory = (lines = "", url = ADDRESS) =>
  store(
    `domain = "CORP"\nkind = "ldap"\nurl = "${url}"\nbind_dn = "cn=a,dc=b"\npassword_env = "P_PASSWORD"\nbase_dn = "dc=b"\n${lines}`,
  );
const storesIn = (source: string) => readDeployment(source).userStores;

describe("what is valid", () => {
  test("stores in the order of the file, their names in upper case, PRIMARY before them", () => {
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

  test("the commented section of the project's own file, with the comment marks taken away", async () => {
    const text = await readFile(new URL("../../../deployment.toml", import.meta.url), "utf8");
    const sections = text.match(/^# \[\[user_store\]\]\n(?:# [^\n]+\n)+/gm) ?? [];
    const declared = storesIn(sections.join("").replaceAll(/^# /gm, ""));
    expect(declared).toMatchObject([{ domain: "CONSULTANTS", directory: undefined }, { domain: "CORP" }]);
    // Every key is shown, each with what holds where it is left out.
    const [short] = storesIn(directory());
    expect({ ...declared[1]?.directory, domain: "CORP", url: ADDRESS, passwordEnv: "P_PASSWORD" }).toEqual({
      ...short?.directory,
      bindDn: declared[1]?.directory?.bindDn,
      baseDn: declared[1]?.directory?.baseDn,
    });
    expect(storesIn(text)).toEqual([]);
  });
});

describe("what is refused, with the line and the key to change", () => {
  const good = 'domain = "SECOND"\nkind = "dynamodb"';
  test.each([
    [store('kind = "dynamodb"'), "user_store[number 1].domain: is required (line 1)"],
    [store('domain = "SECOND"'), 'user_store["SECOND"].kind: is required (line 1)'],
    [
      store('domain = "SECOND"\nkind = "dynamo"'),
      'user_store["SECOND"].kind: expected "dynamodb" or "ldap"; did you mean "dynamodb"? (line 3)',
    ],
    [store('domain = "SECOND"\nkind = 7'), 'user_store["SECOND"].kind: expected "dynamodb" or "ldap" (line 3)'],
    [
      store(`${good}\ndescripton = "x"`),
      'user_store["SECOND"]: unknown key "descripton" (did you mean "description"?)',
    ],
    [
      store(`${good}\ndescription = 1`),
      'user_store["SECOND"].description: Invalid input: expected string, received number (line 4)',
    ],
    [store('domain = "primary"\nkind = "dynamodb"'), 'user_store["primary"].domain: PRIMARY is always there'],
    [store('domain = "Internal"\nkind = "dynamodb"'), 'user_store["Internal"].domain: "INTERNAL" marks roles'],
    [
      `${store(good)}${store('domain = "second"\nkind = "dynamodb"')}`,
      'user_store["second"].domain: "SECOND" is used twice (line 5)',
    ],
    [
      '[user_store]\ntype = "database_unique_id"',
      "user_store: expected one or more [[user_store]], each with two brackets",
    ],
    ["[[user_stores]]", 'unknown key "user_stores" (did you mean "user_store"?)'],
  ])("%j", (source, message) => {
    expect(() => readDeployment(source)).toThrow(message);
  });

  test.each(["", "a/b", "a#b", "a@b", "a b", "_a", "a-", "\u00e4", "a".repeat(51)])("the domain %j", (domain) => {
    expect(() => readDeployment(store(`domain = "${domain}"\nkind = "dynamodb"`))).toThrow(
      /\.domain: expected up to 50/,
    );
  });
});

describe("a directory", () => {
  const place = 'user_store["CORP"]';

  test("is of one tenant, and listed behind the stores of the table", () => {
    const source = `${directory('tenant = "ACME.example"')}${store('domain = "SECOND"\nkind = "dynamodb"')}`;
    const namesOf = userStoreNames(storesIn(source));
    expect(namesOf("acme.example")).toEqual(["PRIMARY", "SECOND", "CORP"]);
    expect(namesOf("carbon.super")).toEqual(["PRIMARY", "SECOND"]);
  });

  test("has the attributes that are named in place of the usual ones, and none where it has none", () => {
    const [declared] = storesIn(
      directory('[user_store.attributes]\ntitle = ""\nnickName = "initials"\nemails = "email"'),
    );
    const { attributes } = declared?.directory ?? {};
    expect(attributes).toMatchObject({ nickName: "initials", emails: "email", "name.familyName": "sn" });
    expect(attributes).not.toHaveProperty("title");
  });

  test.each(["ldaps://directory.example.com:1636", "ldap://127.0.0.1:389", "ldap://[::1]", "ldap://localhost"])(
    "%s is fine",
    (url) => {
      expect(storesIn(directory("", url))[0]?.directory?.url).toBe(url);
    },
  );

  test("StartTLS makes ldap: fine", () => {
    expect(storesIn(directory("start_tls = true", "ldap://directory.example.com"))[0]?.directory?.startTls).toBe(true);
  });

  test.each([
    [store('domain = "CORP"\nkind = "ldap"'), `${place}.url: is required`],
    [directory("", "ldap://directory.example.com"), `${place}.url: would send passwords in the clear`],
    [directory("", "ldap://127.0.0.1.evil.example"), `${place}.url: would send passwords in the clear`],
    [
      directory().replace("P_PASSWORD", "SEAL_KEY"),
      `${place}.password_env: expected the name of an environment variable`,
    ],
    [directory().replace("P_PASSWORD", "ADMIN_PASSWORD"), `${place}.password_env: expected the name of`],
    [directory("", "nonsense"), `${place}.url: expected ldaps://host`],
    [directory("", "https://directory.example.com"), `${place}.url: expected ldaps://host`],
    [directory("", "ldaps://user:word@directory.example.com"), `${place}.url: expected ldaps://host`],
    [directory("", "ldaps://directory.example.com/dc=b"), `${place}.url: expected ldaps://host`],
    [directory("start_tls = true"), `${place}.start_tls: is for ldap://`],
    [directory('password = "x"'), `${place}: unknown key "password" (did you mean "password_env"?)`],
    [directory('bind_password = "x"'), `${place}: unknown key "bind_password"`],
    [directory("timeout = 5"), `${place}: unknown key "timeout" (did you mean "timeout_ms"?)`],
    [directory('timeout_ms = "3s"'), `${place}.timeout_ms: Invalid input: expected number, received string (line 8)`],
    [directory("timeout_ms = 3001"), `${place}.timeout_ms: Too big`],
    [directory('username_attribute = "uid)(cn=*"'), `${place}.username_attribute: expected the name of an attribute`],
    [directory("user_object_classes = []"), `${place}.user_object_classes: Too small`],
    [directory('ca_certificate = "no"'), `${place}.ca_certificate: expected a certificate in PEM`],
    [directory('password_write = "plain"'), `${place}.password_write: Invalid option`],
    [directory('read_only = "yes"'), `${place}.read_only: Invalid input: expected boolean`],
    [
      directory('[user_store.attributes]\ntitel = "title"'),
      `${place}.attributes: "titel" is nothing that a directory can hold (did you mean "title"?) (line 8)`,
    ],
    [
      directory('[user_store.attributes]\npassword = "userPassword"'),
      `${place}.attributes: "password" is nothing that`,
    ],
    [
      directory('[user_store.attributes]\ntitle = "userPassword"'),
      `${place}.attributes: "title" cannot be userPassword`,
    ],
    [directory('[user_store.attributes]\ntitle = "MAIL"'), "cannot be "],
    [
      directory("[user_store.attributes]\ntitle = 7"),
      `${place}.attributes: "title": expected the name of an attribute`,
    ],
    [`${directory()}${directory()}`, `${place}.domain: "CORP" is used twice`],
    [
      store('domain = "SECOND"\nkind = "dynamodb"\nurl = "ldaps://a"\nbase_dn = "b"'),
      'user_store["SECOND"].url: is a key of kind = "ldap", and this store is of kind = "dynamodb" (line 4)',
    ],
  ])("%j is refused", (source, message) => {
    expect(() => readDeployment(source)).toThrow(message);
  });

  test("a password that is not set stops the start with its name", () => {
    const settings = { domain: "CORP", passwordEnv: "CORP_PASSWORD" };
    expect(() => directoryPassword(settings, {})).toThrow(
      "environment: CORP_PASSWORD: the password for the directory of the user store CORP",
    );
    expect(() => directoryPassword(settings, { CORP_PASSWORD: "" })).toThrow("CORP_PASSWORD");
    expect(directoryPassword(settings, { CORP_PASSWORD: "x" })).toBe("x");
  });
});
