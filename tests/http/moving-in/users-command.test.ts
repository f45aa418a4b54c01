/** `npm run users`: people of other systems come in and go out, with their passwords, also interrupted and continued. */
import { mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { command, type SlowProxy, startCommand, startProxy } from "#tests/support/command.ts";
import { addUser } from "#tests/support/people.ts";
import type { Shown } from "#tests/support/scim.ts";
import { ADMIN, world } from "#tests/support/world.ts";

const api = world();
const PASSWORD = "Wso2@Test1";
const SSHA = "{SSHA}WxyYadHtXQA9yGXDcXMTT1Ro6joBAgMEBQYHCA==";
const BCRYPT = "$2b$10$abcdefghijklmnopqrstuutZSBtmaYBvJm.v9mH8jgux8eda7ecdq";
const PBKDF2 = "+kwd+aSgNCYvV8B/PaP2RsGEsM37OpeDtGd/6UuFvtKWVwCGTU/Do9oSgqazROH8MNmxdsxgkXUAX6hRVQvslg==";

let directory = "";
let proxy: SlowProxy;
const at = (name: string): string => join(directory, name);
const file = async (name: string, ...lines: readonly string[]): Promise<string> => {
  await writeFile(at(name), `${lines.join("\n")}\n`);
  return at(name);
};
const run = (...words: readonly string[]) => command(words, { BASE_URL: api.url }, "users");
const found = async (userName: string): Promise<Shown | undefined> => {
  const filter = encodeURIComponent(`userName eq "${userName}"`);
  return (await api.ask("GET", `/scim2/Users?filter=${filter}`)).body.Resources?.[0];
};
const total = async (start: string): Promise<number> =>
  (await api.ask("GET", `/scim2/Users?count=0&filter=${encodeURIComponent(`userName sw "${start}"`)}`)).body
    .totalResults;
const signIn = async (username: string): Promise<number> =>
  (await api.ask("GET", "/scim2/Me", { as: { username, password: PASSWORD } })).status;
const exists = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  );

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "identity-admin-api-users-"));
  proxy = await startProxy(api.url, 300);
});
afterAll(async () => {
  await proxy.close();
  await rm(directory, { recursive: true, force: true });
});

describe("imports", () => {
  test("CSV with chosen columns, semicolons, quotes and a byte order mark", async () => {
    const path = await file(
      "people.csv",
      "\uFEFFLogin;name.familyName;Mail;password;active;enterprise.department;notes",
      `csv-kim;"de la Cruz; Kim";kim@example.com;${SSHA};yes;Sales;"two`,
      'lines"',
      "csv-lee;Lee;;a-long-password;inactive;;",
    );
    const ran = await run("import", path, "--map", "login=userName", "--map", "mail=emails.work", "--map", "notes=-");
    expect(ran).toMatchObject({ code: 0, output: "created 2, there already 0, refused 0\n" });
    expect(await found("csv-kim")).toMatchObject({
      name: { familyName: "de la Cruz; Kim" },
      emails: [{ value: "kim@example.com", type: "work", primary: true }],
      "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User": { department: "Sales" },
    });
    expect(await signIn("csv-kim")).toBe(200);
    expect(await found("csv-lee")).toMatchObject({ active: false });
    expect(await exists(`${path}.progress`)).toBe(false);
  });

  test("JSON lines", async () => {
    const path = await file(
      "people.jsonl",
      JSON.stringify({ userName: "line-kim", name: { givenName: "Kim" }, emails: ["a@x.org", "b@x.org"], title: null }),
      "",
      JSON.stringify({ userName: "line-lee", active: false }),
    );
    expect((await run("import", path)).output).toContain("created 2,");
    const { name, emails } = (await found("line-kim")) ?? {};
    expect([name.givenName, emails.map(({ value }: Shown) => value)]).toEqual(["Kim", ["a@x.org", "b@x.org"]]);
    expect(await found("line-lee")).toMatchObject({ active: false });
  });

  test("LDIF with folded and base64 values, and passes over units", async () => {
    const path = await file(
      "people.ldif",
      "version: 1",
      "# the unit",
      "dn: ou=people,dc=example",
      "objectClass: organizationalUnit",
      "ou: people",
      "",
      "dn: uid=ldif-kim,ou=people,dc=example",
      "objectClass: inetOrgPerson",
      "uid: ldif-kim",
      `cn:: ${Buffer.from("Kím Ö").toString("base64")}`,
      "sn: Very",
      " Long",
      "mail: one@example.com",
      "mail: two@example.com",
      `userPassword:: ${Buffer.from(SSHA).toString("base64")}`,
      "entryUUID: 1234",
    );
    const { code, output } = await run("import", path);
    expect([code, output]).toEqual([
      0,
      expect.stringMatching(
        /^created 1, there already 0, refused 0, no people 1\nLeft out, because they are not mapped: objectclass, ou, entryuuid/,
      ),
    ]);
    expect(output).toContain("entryuuid");
    expect(await found("ldif-kim")).toMatchObject({ displayName: "Kím Ö", name: { familyName: "VeryLong" } });
    expect(await signIn("ldif-kim")).toBe(200);
  });

  test("a realm of Keycloak", async () => {
    const credential = {
      type: "password",
      secretData: JSON.stringify({ value: PBKDF2, salt: "AAECAwQFBgcICQoLDA0ODw==" }),
      credentialData: JSON.stringify({ hashIterations: 27_500, algorithm: "pbkdf2-sha256" }),
    };
    const user = { username: "realm-kim", email: "kim@example.com", firstName: "Kim", enabled: true };
    const realm = { realm: "test", users: [{ ...user, attributes: { x: ["1"] }, credentials: [credential] }] };
    const { output } = await run("import", await file("realm.json", JSON.stringify(realm, null, 1)));
    expect(output).toBe("created 1, there already 0, refused 0\nLeft out, because they are not mapped: attributes.x\n");
    expect(await found("realm-kim")).toMatchObject({ name: { givenName: "Kim" }, active: true });
    expect(await signIn("realm-kim")).toBe(200);
  });

  test.each([
    ["masked", { secretData: "**********", credentialData: "**********" }],
    ["empty", {}],
    [
      "old",
      {
        secretData: '{"value":"aGFzaA==","salt":"c2FsdA=="}',
        credentialData: '{"hashIterations":1,"algorithm":"sha_256"}',
      },
    ],
  ])("a password of Keycloak that cannot be imported (%s) refuses the user", async (name, parts) => {
    const users = [{ username: `realm-${name}`, credentials: [{ type: "password", ...parts }] }];
    const { code, output } = await run(
      "import",
      await file(`realm-${name}.json`, JSON.stringify({ realm: "r", users }, null, 1)),
    );
    expect([code, output]).toEqual([1, expect.stringContaining("created 0, there already 0, refused 1")]);
    expect(await found(`realm-${name}`)).toBeUndefined();
  });

  test("Okta's CSV", async () => {
    const path = await file(
      "okta.csv",
      "login,firstName,lastName,email,secondEmail,status,city,department",
      "okta-kim,Kim,Lee,kim@example.com,home@example.com,ACTIVE,Bern,Sales",
      "okta-lee,Lee,Kim,lee@example.com,,DEPROVISIONED,,",
    );
    expect((await run("import", path, "--from", "okta")).code).toBe(0);
    expect(await found("okta-kim")).toMatchObject({ active: true, addresses: [{ type: "work", locality: "Bern" }] });
    expect(await found("okta-lee")).toMatchObject({ active: false });
  });

  test("an export of Auth0 with hashes", async () => {
    const user = { _id: { $oid: "60425dc43519d90068f82973" }, email: "auth0-kim@example.com", passwordHash: BCRYPT };
    const path = await file("auth0.json", JSON.stringify({ ...user, email_verified: true }));
    expect((await run("import", path, "--from", "auth0")).code).toBe(0);
    expect(await signIn("auth0-kim@example.com")).toBe(200);
    expect(await found("auth0-kim@example.com")).toMatchObject({ externalId: "60425dc43519d90068f82973" });
  });

  test.each([
    ["sha256", "iAjidopMlrk+p9ed8dOxKTBq2vt53daXPlML63sWTfo="],
    ["pbkdf2", "H5Kt9Wc2M+TDOJdM0e5ePDlhXa5rfTgnf3pubahc6W4="],
  ])("the users of WSO2 Identity Server, hashed by %s", async (hash, stored) => {
    const path = await file(
      `wso2-${hash}.csv`,
      "UM_USER_NAME,UM_USER_PASSWORD,UM_SALT_VALUE,mail",
      `wso2-${hash},${stored},c2FsdHNhbHRzYWx0MTY=,kim@example.com`,
    );
    expect((await run("import", path, "--from", "wso2", "--wso2-hash", hash)).code).toBe(0);
    expect(await signIn(`wso2-${hash}`)).toBe(200);
  });
});

describe("says what is wrong", () => {
  test("with each record, and imports the others", async () => {
    const path = await file(
      "mixed.csv",
      "userName,password,active",
      "mixed-good,a-long-password,true",
      "mixed-bad-status,a-long-password,perhaps",
      "mixed-bad-hash,{MD5}X03MO1qnZdYdgyfeuILPmQ==,true",
      ",a-long-password,true",
      "MIXED-GOOD,another-password,true",
      "=mixed space,a-long-password,true",
    );
    const { code, output } = await run("import", path);
    expect(code).toBe(1);
    expect(output).toContain("created 1, there already 0, refused 5");
    const report = await readFile(`${path}.refused.csv`, "utf8");
    expect(report).toContain('line 3,mixed-bad-status,"active: expected ""true"" or ""false"""');
    expect(report).toContain("line 6,MIXED-GOOD,the user name is also that of line 2");
    expect(report).toMatch(/mixed-bad-hash,.*format is unknown/);
    expect(report).toMatch(/the record has no userName/);
    expect(report).toContain("'=mixed space");
    expect(report + output).not.toContain("X03MO1");
    expect(await total("mixed")).toBe(1);
    const again = await run("import", path);
    expect(again.output).toContain("created 0, there already 1, refused 5");
  });

  test.each([
    [["import", "people.csv", "--from", "excel"], "--from must be one of csv, "],
    [["import", "people.txt"], "specify the format with --from"],
    [["import"], "npm run users -- import <file>"],
    [["import", "x.csv", "--hashes"], "npm run users -- import <file>"],
    [["export", "--out", "x", "--hashes"], "set TABLE_NAME"],
    [["import", "x.csv", "--map", "login"], "--map is written as"],
    [["import", "x.csv", "--map", "login=nothing"], '"nothing" is not one of userName, '],
  ])("%j is a wrong command line", async (words, sentence) => {
    const { code, errors } = await run(...words);
    expect([code, errors]).toEqual([2, expect.stringContaining(sentence)]);
  });

  test("a column that nothing maps ends the run before anything is sent", async () => {
    const path = await file("unknown.csv", "userName,salary", "unknown-kim,1");
    const { code, errors } = await run("import", path);
    expect([code, errors]).toEqual([2, expect.stringContaining("--map 'salary=<attribute>'")]);
    expect(await total("unknown-")).toBe(0);
  });

  test.each([
    ["missing.csv", undefined, "ENOENT"],
    ["broken.json", "{", "not a JSON object"],
    ["broken.ldif", "no colon here", 'line 1: expected "name: value"'],
    ["ragged.csv", 'userName,active\nkim,true,"', "Quote Not Closed"],
  ])("%s", async (name, text, sentence) => {
    if (text !== undefined) await file(name, text);
    const { code, errors } = await run("import", at(name));
    expect([code, errors]).toEqual([1, expect.stringContaining(sentence)]);
  });

  test("a caller whose hashes would become passwords imports nothing", async () => {
    const scopes = ["internal_user_mgt_create", "internal_bulk_resource_create"];
    await addUser(api.service, { username: "mover", password: "a-long-password", scopes });
    const environment = { BASE_URL: api.url, ADMIN_USERNAME: "mover", ADMIN_PASSWORD: "a-long-password" };
    const hashes = await file("hashes.csv", "userName,password", `mover-kim,${SSHA}`);
    const { code, errors } = await command(["import", hashes], environment, "users");
    expect([code, errors]).toEqual([1, expect.stringContaining("needs the scope internal_user_hash_import")]);
    expect(await total("mover-")).toBe(0);
    const plain = await file("plain.csv", "userName,password", "mover-kim,a-long-password");
    expect((await command(["import", plain], environment, "users")).code).toBe(0);
  });
});

describe("an import", () => {
  const many = (start: string) =>
    file(`${start}.csv`, "userName", ...Array.from({ length: 1_150 }, (_, index) => `${start}-${index}`));

  test("is rehearsed without a change", async () => {
    const path = await many("rehearsed");
    const { code, output } = await run("import", path, "--dry-run");
    expect([code, output]).toEqual([
      0,
      "Dry run: nothing was changed.\nwould create 1150, there already 0, refused 0\n",
    ]);
    expect(await total("rehearsed-")).toBe(0);
    expect(await exists(`${path}.progress`)).toBe(false);
  });

  test("goes on where it was killed", async () => {
    const path = await many("killed");
    const running = startCommand(["import", path], { BASE_URL: proxy.url }, "users");
    for (;;) {
      const lines = (await readFile(`${path}.progress`, "utf8").catch(() => "")).split("\n").length;
      if (lines > 2) break;
      await new Promise((done) => setTimeout(done, 10));
    }
    running.child.kill("SIGKILL");
    await running.ended;
    const other = await run("import", path, "--map", "userName=userName", "--map", "x=-");
    expect([other.code, other.errors]).toEqual([2, expect.stringContaining("progress of another import")]);
    const { code, output } = await command(["import", path], { BASE_URL: proxy.url }, "users");
    const [, created, existing] = /created (\d+), there already (\d+), refused 0/.exec(output) ?? [];
    expect([code, Number(created) + Number(existing)]).toEqual([0, 1_150]);
    expect(Number(created)).toBeGreaterThanOrEqual(700);
    expect(await total("killed-")).toBe(1_150);
    expect(await exists(`${path}.progress`)).toBe(false);
  });
});

describe("exports", () => {
  const filter = 'userName sw "out-"';
  const remove = async (): Promise<void> => {
    const { Resources = [] } = (await api.ask("GET", `/scim2/Users?filter=${encodeURIComponent(filter)}`)).body;
    for (const { id } of Resources) await api.ask("DELETE", `/scim2/Users/${id}`);
  };
  /** What an import can set. */
  const shownOf = async (name: string): Promise<Shown> => {
    const { id: _, meta: __, groups: ___, roles: ____, ...rest } = (await found(name)) ?? {};
    return rest;
  };
  const user = {
    userName: "out-kim",
    name: { givenName: "Kim", familyName: "=Lee" },
    emails: [{ value: "kim@example.com", type: "work", primary: true }],
    phoneNumbers: [{ value: "+41 1", type: "mobile" }],
    addresses: [{ type: "work", locality: "Bern", country: "CH" }],
    active: false,
    "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User": { department: "Sales", manager: { value: "m-1" } },
    password: "a-long-password",
  };

  test.each([
    ["jsonl", []],
    ["csv", ["--from", "csv"]],
  ])("as .%s, which imports as it was", async (extension, options) => {
    await remove();
    expect((await api.ask("POST", "/scim2/Users", { body: user })).status).toBe(201);
    const before = await shownOf("out-kim");
    const path = at(`out.${extension}`);
    const ran = await run("export", "--out", path, "--filter", filter);
    expect(ran).toMatchObject({ code: 0, output: `1 users in ${path}\n` });
    expect(await readFile(path, "utf8")).not.toMatch(/password|\$argon2/);
    await remove();
    expect(await run("import", path, ...options)).toMatchObject({ code: 0 });
    expect(await shownOf("out-kim")).toMatchObject({ ...before, phoneNumbers: [{ value: "+41 1", type: "mobile" }] });
  });

  test("with hashes for those who may read the table, and they sign in elsewhere", async () => {
    await remove();
    const body = { userName: "out-lee", password: PASSWORD };
    await api.ask("POST", "/scim2/Users", { body });
    const { tableName, endpoint } = api.service;
    const environment = {
      ...{ BASE_URL: api.url, TABLE_NAME: tableName, DYNAMODB_ENDPOINT: endpoint },
      ...{ AWS_REGION: "local", AWS_ACCESS_KEY_ID: "x", AWS_SECRET_ACCESS_KEY: "x" },
      ...{ ADMIN_USERNAME: ADMIN.username, ADMIN_PASSWORD: ADMIN.password },
    };
    const path = at("hashes.jsonl");
    const ran = await command(["export", "--out", path, "--filter", filter, "--hashes"], environment, "users");
    expect(ran).toMatchObject({ code: 0 });
    expect(JSON.parse(await readFile(path, "utf8")).password).toMatch(/^\$argon2id\$/);
    expect((await stat(path)).mode & 0o077).toBe(0);
    await remove();
    expect((await run("import", path)).code).toBe(0);
    expect(await signIn("out-lee")).toBe(200);
  });
});
