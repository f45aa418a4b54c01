/** Media types, method overrides, errors and bad bodies of SCIM 1.1. */
import { describe, expect, test } from "vitest";
import { addUser } from "#tests/support/people.ts";
import { fresh, UNKNOWN_ID } from "#tests/support/scim.ts";
import { refusal1, scim1Of } from "#tests/support/scim1.ts";
import { world } from "#tests/support/world.ts";

const api = world();
const scim = scim1Of(api);
const { ask } = scim;
const person = () => ({ userName: fresh("http"), password: "good-password" });

describe("the type of a body", () => {
  test.each(["application/json", "application/scim+json", "application/json; charset=UTF-8", "APPLICATION/JSON", ""])(
    "accepts %j",
    async (type) => {
      const raw = Buffer.from(JSON.stringify(person()));
      const answer = await ask("POST", "/Users", { raw, headers: { "content-type": type } });
      expect(answer.status).toBe(201);
    },
  );
  test.each(["text/plain", "application/xml", "application/x-www-form-urlencoded", "application/json; charset=latin1"])(
    "returns 415 for %j",
    async (type) => {
      refusal1(await ask("POST", "/Users", { body: person(), headers: { "content-type": type } }), 415);
    },
  );
});

describe("Accept", () => {
  test.each(["application/json", "application/scim+json", "*/*", "application/*;q=0.5, text/html", ""])(
    "accepts %j",
    async (accept) => {
      expect((await ask("GET", "/Users", { headers: { accept } })).status).toBe(200);
    },
  );
  test.each(["application/xml", "text/html", "application/json;q=0"])("returns 406 for %j", async (accept) => {
    refusal1(await ask("GET", "/Users", { headers: { accept } }), 406);
  });
  test("ignores Accept for a deletion, whose response has no body", async () => {
    const { id } = await scim.user();
    expect((await ask("DELETE", `/Users/${id}`, { headers: { accept: "application/xml" } })).status).toBe(200);
  });
});

describe("X-HTTP-Method-Override", () => {
  const tunnel = (method: string, path: string, override: string, body?: Readonly<Record<string, unknown>>) =>
    ask(method, path, { ...(body && { body }), headers: { "x-http-method-override": override } });

  test("applies the method that a POST names, on a user and on a group", async () => {
    const kim = await scim.user();
    const path = `/Users/${kim.id}`;
    expect((await tunnel("POST", path, "PATCH", { title: "T" })).body).toEqual({
      ...kim,
      title: "T",
      meta: expect.any(Object),
    });
    const put = await tunnel("POST", path, "put", { userName: kim.userName, nickName: "N" });
    expect(put.body).toEqual({ ...kim, nickName: "N", meta: expect.any(Object) });
    const group = await scim.group();
    const joined = await tunnel("POST", `/Groups/${group.id}`, "PATCH", { members: [kim.id] });
    expect(joined.body.members).toEqual([{ value: kim.id, display: kim.userName }]);
    expect((await tunnel("POST", path, "DELETE")).status).toBe(200);
    refusal1(await ask("GET", path), 404);
  });
  test("needs the scope of the method that it names", async () => {
    const { id } = await scim.user();
    const as = { username: fresh("creator"), password: "good-password" };
    await addUser(api.service, { ...as, scopes: ["internal_user_mgt_create", "internal_user_mgt_view"] });
    for (const override of ["DELETE", "PATCH", "PUT"]) {
      const answer = await ask("POST", `/Users/${id}`, {
        as,
        body: {},
        headers: { "x-http-method-override": override },
      });
      refusal1(answer, 403);
    }
    expect((await ask("GET", `/Users/${id}`, { as })).status).toBe(200);
  });
  test("rejects other methods, and ignores the header on requests other than POST", async () => {
    const { id } = await scim.user();
    for (const override of ["GET", "PURGE", "PATCH,DELETE", ""]) {
      const answer = await tunnel("POST", `/Users/${id}`, override, {});
      refusal1(answer, 405);
      expect(answer.headers.get("allow")).toBe("GET, PUT, PATCH, DELETE");
    }
    expect((await tunnel("GET", `/Users/${id}`, "DELETE")).body.id).toBe(id);
    expect((await tunnel("PUT", `/Users/${id}`, "DELETE", person())).status).toBe(200);
    refusal1(await tunnel("POST", "/Users", "DELETE", person()), 405);
    const other = await api.ask("POST", `/scim2/Users/${id}`, {
      body: {},
      headers: { "x-http-method-override": "DELETE" },
    });
    expect(other.status).toBe(405);
    expect((await scim.read(`/Users/${id}`)).id).toBe(id);
  });
});

describe("errors are a list of one error", () => {
  test("returns 401 with the challenge", async () => {
    for (const as of [null, "Basic !", { username: "admin", password: "wrong" }]) {
      const answer = await ask("GET", "/Users", { as });
      refusal1(answer, 401);
      expect(answer.headers.get("www-authenticate")).toMatch(/^Basic realm=/);
    }
    refusal1(await ask("GET", "/nothing", { as: null }), 401);
  });
  test("returns 403 without the scope, for each kind of request", async () => {
    const as = { username: fresh("nothing"), password: "good-password" };
    await addUser(api.service, { ...as, scopes: ["internal_application_mgt_view"] });
    for (const [method, path] of [
      ["GET", "/Users"],
      ["POST", "/Users"],
      ["GET", `/Users/${UNKNOWN_ID}`],
      ["PUT", `/Groups/${UNKNOWN_ID}`],
      ["DELETE", `/Groups/${UNKNOWN_ID}`],
      ["POST", "/Bulk"],
    ] as const) {
      refusal1(await ask(method, path, { as, ...(method === "GET" ? {} : { body: {} }) }), 403);
    }
  });
  test("returns 404 for unknown paths, and 405 with the methods that a path has", async () => {
    for (const path of ["", "/", "/users", "/Users/a/b", "/Me", "/Bulk/1", "/Roles"])
      refusal1(await ask("GET", path), 404);
    for (const [method, path, allow] of [
      ["PUT", "/Users", "POST, GET"],
      ["DELETE", "/Groups", "POST, GET"],
      ["POST", `/Groups/${UNKNOWN_ID}`, "GET, PUT, PATCH, DELETE"],
      ["POST", "/Users/me", "GET, PUT, PATCH, DELETE"],
      ["GET", "/Bulk", "POST"],
      ["OPTIONS", "/Users", "POST, GET"],
    ] as const) {
      const answer = await ask(method, path);
      refusal1(answer, 405);
      expect(answer.headers.get("allow")).toBe(allow);
    }
  });
});

describe("bad bodies", () => {
  test.each([
    "",
    "{",
    "[]",
    "null",
    '"text"',
    "5",
    '{"userName":"a","userName":"b"}',
    '{"__proto__":{"userName":"kim"}}',
    '{"userName":"\\ud800kim","password":"good-password"}',
    `{"userName":${"[".repeat(40)}${"]".repeat(40)}}`,
    '{"userName":{"a":1},"password":"good-password"}',
    '{"meta":{"attributes":{"toString":1}},"userName":[],"emails":{"operation":{"toString":1}}}',
    '{"constructor":{"prototype":{}},"emails":[[[{"value":1}]]]}',
    '{"members":[[{"operation":"delete"}]],"displayName":["x"]}',
    '{"wso2Extension":[{"a":1}],"displayName":{"toString":5},"failOnErrors":{},"Operations":{}}',
  ])("returns 400 and nothing else for %s", async (raw) => {
    const { id } = await scim.user();
    const group = await scim.group();
    for (const [method, path] of [
      ["POST", "/Users"],
      ["PUT", `/Users/${id}`],
      ["PATCH", `/Users/${id}`],
      ["POST", "/Groups"],
      ["PUT", `/Groups/${group.id}`],
      ["PATCH", `/Groups/${group.id}`],
      ["POST", "/Bulk"],
    ] as const) {
      const { status, text } = await ask(method, path, { raw: Buffer.from(raw) });
      // A resource ignores the attributes of another type.
      expect([200, 400], `${method} ${path}: ${text}`).toContain(status);
      if (method === "POST") expect(status, text).toBe(400);
    }
    expect((await scim.read(`/Users/${id}`)).userName).toMatch(/^user-/);
    expect((await scim.read(`/Groups/${group.id}`)).displayName).toBe(group.displayName);
  });
  test("accepts any schemas in a bulk request", async () => {
    for (const schemas of [[{ toString: 1 }], "x", { a: 1 }, 5, null]) {
      expect((await ask("POST", "/Bulk", { body: { schemas, Operations: [] } })).status).toBe(200);
      const other = await api.ask("POST", "/scim2/Bulk", { body: { schemas, Operations: [] } });
      expect([200, 400]).toContain(other.status);
    }
  });
  test("returns 413 for a body of more than a megabyte", async () => {
    refusal1(await ask("POST", "/Users", { body: { ...person(), nickName: "x".repeat(1_100_000) } }), 413);
  });
  test("returns 400 for a parameter that is repeated or malformed", async () => {
    refusal1(await ask("GET", "/Users?filter=userName+Eq+a&FILTER=userName+Eq+b"), 400);
    refusal1(await ask("GET", "/Users?filter=%ff"), 400);
  });
});
