/** Rows C001 to C025 of docs/scim-conformance.md: TLS, media types, errors of the gateway, names, states and types. */
import { readFile } from "node:fs/promises";
import { get as getByTls } from "node:https";
import { join } from "node:path";
import type { SecureVersion } from "node:tls";
import { beforeAll, describe, expect, test } from "vitest";
import { addUser } from "#tests/support/people.ts";
import { fresh, NEGOTIATED, type Op, refusal, type Shown, scimOf, UNKNOWN_ID, URN } from "#tests/support/scim.ts";
import { ADMIN, type Answer, basic, world } from "#tests/support/world.ts";

const api = world({ deployment: NEGOTIATED, hasMtls: true });
const scim = scimOf(api);
const { ask, get, find } = scim;
const SCIM_JSON = "application/scim+json;charset=UTF-8";
let kim: Shown;
const patchKim = (operation: Op) => scim.patch(`/Users/${kim.id}`, operation);

beforeAll(async () => {
  kim = await scim.user({ userName: "kim", displayName: "Kim" });
});

describe("TLS", () => {
  /** The status of a read over one version of TLS. Only the lowest security level lets this client use old versions. */
  const over = async (version: SecureVersion): Promise<number | undefined> => {
    const file = (name: string) => readFile(join(api.service.certificates ?? "", name));
    const [ca, cert, key] = await Promise.all([file("ca.pem"), file("client-admin.pem"), file("client-admin.key")]);
    const options = { ca, cert, key, minVersion: version, maxVersion: version, ciphers: "DEFAULT@SECLEVEL=0" };
    const url = `${api.service.mtlsUrl}/scim2/Users/${kim.id}`;
    return new Promise((resolve, reject) => {
      const headers = { authorization: basic(ADMIN) };
      getByTls(url, { ...options, headers, agent: false }, (answer) => {
        answer.resume();
        resolve(answer.statusCode);
      }).on("error", reject);
    });
  };
  test("C001 accepts TLS 1.2 and later only", async () => {
    expect([await over("TLSv1.2"), await over("TLSv1.3")]).toEqual([200, 200]);
    for (const old of ["TLSv1", "TLSv1.1"] as const) await expect(over(old)).rejects.toThrow(/protocol version|alert/);
  });
});

describe("media types", () => {
  test("C002 returns application/scim+json for every response with a body, also for errors", async () => {
    const answers = [
      await get(`/Users/${kim.id}`),
      await ask("POST", "/Users", { body: { userName: fresh("user") } }),
      await get(`/Users/${UNKNOWN_ID}`),
      await ask("POST", "/Users", { raw: "{" }),
      await ask("GET", "/Users", { as: null }),
      await ask("PUT", "/Users"),
    ];
    expect(answers.map(({ status }) => status)).toEqual([200, 201, 404, 400, 401, 405]);
    for (const { headers } of answers) expect(headers.get("content-type")).toBe(SCIM_JSON);
  });
  test.each([
    "application/scim+json",
    "application/json",
    "application/*",
    "*/*",
    "text/json",
    "text/html;q=0.9, application/scim+json;q=0.1",
    "",
  ])("C003 C004 C005 returns SCIM's JSON for Accept %j", async (accept) => {
    const answer = await ask("GET", `/Users/${kim.id}`, { headers: { accept } });
    expect([answer.status, answer.headers.get("content-type")]).toEqual([200, SCIM_JSON]);
  });
  test.each(["text/xml", "text/html", "application/scim+json;q=0"])("P01 returns 406 for Accept %j", async (accept) => {
    refusal(await scimOf(api, "wso2").ask("GET", `/Users/${kim.id}`, { headers: { accept } }), 406);
  });
  test.each([
    "application/json",
    "application/scim+json",
    "application/scim+json; charset=utf-8",
    'application/json;charset="UTF-8"',
  ])("C006 C007 accepts a body of the type %j", async (type) => {
    const answer = await ask("POST", "/Users", {
      body: { userName: fresh("typed") },
      headers: { "content-type": type },
    });
    expect(answer.status).toBe(201);
  });
  test("accepts a body without a type", async () => {
    const raw = Buffer.from(JSON.stringify({ userName: fresh("untyped") }));
    expect((await ask("POST", "/Users", { raw, headers: { "content-type": "" } })).status).toBe(201);
  });
  test.each(["text/xml", "text/plain", "application/jsonx", "application/x-www-form-urlencoded"])(
    "C008 P01 returns 415 for a body of the type %j",
    async (type) => {
      refusal(await ask("POST", "/Users", { raw: "<user/>", headers: { "content-type": type } }), 415);
    },
  );
  test("ignores the content type of GET and DELETE", async () => {
    const { id } = await scim.user();
    const headers = { "content-type": "text/xml", accept: "application/scim+json" };
    expect((await ask("GET", `/Users/${id}`, { headers })).status).toBe(200);
    expect((await ask("DELETE", `/Users/${id}`, { headers: { ...headers, accept: "text/html" } })).status).toBe(204);
  });
  test("C009 returns text of every script, and emoji, as sent", async () => {
    const displayName = 'Ünïcödé 名前 имя اسم 🦄 "quoted" \\ \u2028 e\u0301';
    const { id } = await scim.user({ displayName });
    expect((await scim.read(`/Users/${id}`)).displayName).toBe(displayName);
    expect((await find(`displayName co "名前 имя"`)).Resources.map((found: Shown) => found.id)).toEqual([id]);
  });
});

describe("the gateway", () => {
  test("C010 C011 returns 401 with the accepted schemes without a credential", async () => {
    for (const [method, path] of [
      ["GET", "/Users"],
      ["POST", "/Bulk"],
      ["GET", "/Schemas"],
      ["GET", "/nothing"],
    ] as const) {
      const answer = await ask(method, path, { as: null });
      refusal(answer, 401, "Unauthorized");
      expect(answer.headers.get("www-authenticate")).toMatch(/^Basic realm="[^"]+"/);
    }
  });
  test("C012 returns 403 without the scope", async () => {
    const as = { username: "viewer", password: "a long enough password" };
    await addUser(api.service, { ...as, scopes: ["internal_user_mgt_view"] });
    expect((await ask("GET", `/Users/${kim.id}`, { as })).status).toBe(200);
    for (const [method, path] of [
      ["GET", "/Users"],
      ["POST", "/Users/.search"],
      ["POST", "/Users"],
      ["DELETE", `/Users/${kim.id}`],
      ["GET", "/Groups"],
      ["POST", "/Bulk"],
      ["GET", ""],
    ] as const) {
      refusal(await ask(method, path, { as, ...(method === "POST" && { body: {} }) }), 403);
    }
  });
  test("C013 T07 returns 404 for an unknown endpoint", async () => {
    for (const path of [
      `/${UNKNOWN_ID}`,
      "/ServiceProviderConfigs",
      "/Users/a/b",
      "/v1/Roles",
      `/Users/${"x".repeat(1_000)}`,
    ]) {
      expect(refusal(await get(path), 404)).toMatch(/[.]$/);
    }
  });
  test("C226 has no version in any path", async () => {
    for (const path of ["/v2/Users", "/v1/Users", "/v2/Schemas", "/v2"]) refusal(await get(path), 404);
  });
  test("C014 returns 405 with the methods of the path for another method", async () => {
    const answer = await ask("POST", `/Users/${kim.id}`, { body: {} });
    refusal(answer, 405);
    expect(answer.headers.get("allow")).toBe("GET, PUT, PATCH, DELETE");
    refusal(await ask("DELETE", "/Users"), 405);
    refusal(await ask("GET", "/Bulk"), 405);
    refusal(await ask("GET", "/Users/.search"), 405);
  });
  test("accepts a trailing slash, and escapes in an id", async () => {
    expect((await get("/Users/", { filter: 'userName eq "kim"' })).body.totalResults).toBe(1);
    const escaped = [...(kim.id as string)].map((char) => `%${char.charCodeAt(0).toString(16)}`).join("");
    expect((await get(`/Users/${escaped}`)).body.id).toBe(kim.id);
  });
});

describe("names and states", () => {
  test("C015 accepts attribute names in any case, and returns them as in the schema", async () => {
    const user = await scim.user({
      DISPLAYNAME: "Dee",
      Name: { GIVENNAME: "Dee", familyname: "Dum" },
      EMAILS: [{ Value: "dee@example.org", TYPE: "work", Primary: true }],
      [URN.enterprise.toUpperCase()]: { DEPARTMENT: "Tea" },
    });
    expect(user).toMatchObject({
      displayName: "Dee",
      name: { givenName: "Dee", familyName: "Dum" },
      emails: [{ value: "dee@example.org", type: "work", primary: true }],
      [URN.enterprise]: { department: "Tea" },
    });
  });
  test("takes the schema's spelling of two names that differ only in case", async () => {
    expect((await scim.user({ nickname: "other", nickName: "own", NICKNAME: "last" })).nickName).toBe("own");
    expect((await scim.user({ NICKNAME: "first", nickname: "last" })).nickName).toBe("last");
  });
  test("C016 accepts names in filters in any case", async () => {
    expect(await scim.names('USERNAME eq "kim"')).toEqual(["kim"]);
    expect(await scim.names('NAME.familyNAME eq "dum" and EMAILS[TYPE eq "work"]')).toHaveLength(1);
  });
  test("C017 accepts full names in any case in paths, filters and projections", async () => {
    const { id } = await scim.user();
    const department = `${URN.enterprise.toUpperCase()}:DePartMent`;
    const patched = await scim.patched(`/Users/${id}`, { op: "add", path: department, value: "Hats" });
    expect(patched[URN.enterprise]).toEqual({ department: "Hats" });
    expect((await find(`${department} eq "hats"`)).totalResults).toBe(1);
    const { body } = await get(`/Users/${id}`, { attributes: `${URN.user.toUpperCase()}:USERNAME,${department}` });
    expect(Object.keys(body).sort()).toEqual(["id", "schemas", URN.enterprise, "userName"].sort());
  });
  test("C018 treats null, an empty list and absence as the same", async () => {
    const { id, userName } = await scim.user({ nickName: "Nick", emails: [{ value: "n@example.org" }], title: "T" });
    const { body } = await ask("PUT", `/Users/${id}`, { body: { userName, nickName: null, emails: [] } });
    for (const answer of [body, await scim.read(`/Users/${id}`)]) {
      for (const name of ["nickName", "emails", "title"]) expect(answer).not.toHaveProperty(name);
    }
  });
});

describe("types", () => {
  test("C019 returns a boolean as true or false, also where it was sent as a text", async () => {
    expect((await scim.user({ active: "False" })).active).toBe(false);
    expect((await scim.user({ active: "TRUE", emails: [{ value: "a@b.c", primary: "True" }] })).emails[0].primary).toBe(
      true,
    );
  });
  test("C020 returns times with a date, a time and a zone", async () => {
    const { created, lastModified } = kim.meta;
    for (const time of [created, lastModified]) {
      expect(time).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
      expect(Number.isNaN(Date.parse(time))).toBe(false);
    }
  });
  test("C021 accepts binary data as base64, and returns it unchanged", async () => {
    const value = Buffer.from([0, 255, 254, 62, 63, 1, 2]).toString("base64");
    const { id } = await scim.user({ x509Certificates: [{ value }] });
    expect((await scim.read(`/Users/${id}`)).x509Certificates).toEqual([{ value }]);
    const answer = await ask("POST", "/Users", {
      body: { userName: fresh("user"), x509Certificates: [{ value: "not base64!" }] },
    });
    expect(refusal(answer, 400, "invalidSyntax")).toMatch(/base64/);
  });
  test.each<[string, unknown]>([
    ["userName", { value: "kim" }],
    ["userName", 5],
    ["userName", ["kim"]],
    ["displayName", true],
    ["active", "maybe"],
    ["active", 1],
    ["name", "Kim"],
    ["name", [{ givenName: "a" }, { givenName: "b" }]],
    ["emails", [["a@b.c"]]],
    ["emails", [5]],
    ["emails", [{ value: "a@b.c", primary: "perhaps" }]],
    ["addresses", ["Main Street"]],
    ["roles", [{ value: { a: 1 } }]],
    [URN.enterprise, "text"],
    [URN.enterprise, [1]],
    [URN.system, { failedLoginAttempts: "many" }],
    [URN.system, { failedLoginAttempts: 1.5 }],
  ])("C022 P02 rejects %s as %j", async (name, value) => {
    const before = (await find("userName pr")).totalResults;
    const answer = await ask("POST", "/Users", { body: { userName: fresh("wrong"), [name]: value } });
    expect(refusal(answer, 400, "invalidSyntax")).toContain(name);
    expect((await find("userName pr")).totalResults).toBe(before);
  });
  test("C023 rejects two primary values", async () => {
    const emails = ["a@b.c", "d@e.f"].map((value) => ({ value, primary: true }));
    const answer = await ask("POST", "/Users", { body: { userName: fresh("user"), emails } });
    expect(refusal(answer, 400, "invalidValue")).toMatch(/emails.*primary/);
  });
  test("C024 stores equal values once", async () => {
    const email = { type: "work", value: "same@example.org" };
    const { emails } = await scim.user({ emails: [email, { ...email }, { value: "same@example.org", type: "work" }] });
    expect(emails).toEqual([{ value: "same@example.org", type: "work" }]);
  });
  test("C025 returns a multi-valued attribute as a list, also of one value", async () => {
    const user = await scim.user({ emails: { value: "one@example.org" }, phoneNumbers: [{ value: "1" }], roles: "r" });
    expect(user.emails).toEqual([{ value: "one@example.org" }]);
    expect(user.phoneNumbers).toEqual([{ value: "1" }]);
    expect(user.roles).toEqual([{ value: "r" }]);
  });
});

describe("errors", () => {
  test.each<[string, number, string | undefined, () => Promise<Answer>]>([
    ["a malformed filter", 400, "invalidFilter", () => get("/Users", { filter: "(" })],
    ["a malformed body", 400, "invalidSyntax", () => ask("POST", "/Users", { raw: "{" })],
    ["an invalid value", 400, "invalidValue", () => ask("POST", "/Users", { body: { userName: "x" } })],
    ["an unknown path", 400, "invalidPath", () => patchKim({ op: "add", path: "nope", value: 1 })],
    [
      "nothing to replace",
      400,
      "noTarget",
      () => patchKim({ op: "replace", path: 'ims[type eq "x"].value', value: "y" }),
    ],
    [
      "an attribute that cannot be changed",
      400,
      "mutability",
      () => patchKim({ op: "replace", path: "id", value: "x" }),
    ],
    ["a forged cursor", 400, "invalidCursor", () => get("/Users", { cursor: "x" })],
    ["a name in use", 409, "uniqueness", () => ask("POST", "/Users", { body: { userName: "KIM" } })],
    ["no credential", 401, "Unauthorized", () => ask("GET", "/Users", { as: null })],
    ["an unknown id", 404, undefined, () => get(`/Users/${UNKNOWN_ID}`)],
    ["another version", 412, undefined, () => ask("DELETE", `/Users/${kim.id}`, { headers: { "if-match": '"x"' } })],
  ])("C188 C189 C190 %s returns %i with the error schema, a detail and its type", async (_, status, scimType, send) => {
    const answer = await send();
    expect(answer.body).toEqual({
      schemas: [URN.error],
      status: String(status),
      ...(scimType && { scimType }),
      detail: expect.stringMatching(/^.{10,}[.?]$/),
    });
    expect(answer.status).toBe(status);
  });
});
