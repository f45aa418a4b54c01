/** The default profile of SCIM 2.0: each request is served as its media types ask for. */
import { describe, expect, test } from "vitest";
import { asScim, fresh, type Shown, scimOf, UNKNOWN_ID, URN } from "#tests/support/scim.ts";
import { world } from "#tests/support/world.ts";

const api = world();
const strict = scimOf(api);
const plain = scimOf(api, "wso2");
const typed = { "content-type": "application/scim+json; charset=utf-8", accept: "*/*" };

describe("a request", () => {
  test("that accepts SCIM's media type needs no password, and is shown no alias; any other needs one and sees it", async () => {
    const { id, userName } = await strict.user();
    expect(await strict.read(`/Users/${id}`)).not.toHaveProperty("username");
    expect((await plain.read(`/Users/${id}`)).username).toBe(`PRIMARY/${userName}`);
    const refused = await plain.ask("POST", "/Users", { body: { userName: fresh("plain") } });
    expect([refused.status, refused.body.schemas]).toEqual([400, URN.error]);
    expect(refused.body.detail).toContain("password");
  });
  test("that sends SCIM's media type is served in the same way", async () => {
    const { status, body } = await api.ask("POST", "/scim2/Users", {
      body: { userName: fresh("typed") },
      headers: typed,
    });
    expect(status).toBe(201);
    expect(body).not.toHaveProperty("username");
  });
  test("that is refused gets the error of its profile, from the gateway too, and Vary", async () => {
    for (const [path, as] of [
      [`/scim2/Users/${UNKNOWN_ID}`, undefined],
      ["/scim2/Users", null],
      ["/scim2/nothing", undefined],
    ] as const) {
      const [one, other] = await Promise.all([
        api.ask("GET", path, { as, headers: asScim }),
        api.ask("GET", path, { as }),
      ]);
      expect([one.body.schemas, other.body.schemas]).toEqual([[URN.error], URN.error]);
      expect([one.headers.get("vary"), other.headers.get("vary")]).toEqual([
        "Accept, Content-Type",
        "Accept, Content-Type",
      ]);
    }
  });
  test("reads the schema of its profile", async () => {
    const required = async (scim: typeof plain) => {
      const { attributes } = (await scim.get(`/Schemas/${URN.user}`)).body;
      return attributes.find(({ name }: Shown) => name === "password").required;
    };
    expect([await required(strict), await required(plain)]).toEqual([false, true]);
  });
  test("with a filter by cursor goes on in the other profile", async () => {
    for (const _ of [1, 2, 3]) await strict.user({ title: "page" });
    const { body } = await strict.get("/Users", { filter: 'title eq "page"', cursor: "", count: 2 });
    const next = await plain.get("/Users", { filter: 'title eq "page"', cursor: body.nextCursor, count: 2 });
    expect(next.body.Resources.map((one: Shown) => "username" in one)).toEqual([true]);
  });
});

describe("a bulk request", () => {
  const operations = (word: string) => [
    { method: "POST", path: "/Users", bulkId: "a", data: { schemas: [URN.user], userName: fresh(word) } },
    { method: "DELETE", path: `/Users/${UNKNOWN_ID}` },
  ];
  test("gives its operations its own profile", async () => {
    const sent = (word: string) => ({ schemas: [URN.bulk], Operations: operations(word) });
    const one = await api.ask("POST", "/scim2/Bulk", { body: sent("strict"), headers: typed });
    const other = await api.ask("POST", "/scim2/Bulk", { body: sent("lenient") });
    const found = [one, other].map(({ body }) => body.Operations.map(({ status }: Shown) => status));
    expect(found).toEqual([
      ["201", "404"],
      ["400", "404"],
    ]);
    expect(one.body.Operations[1].response.schemas).toEqual([URN.error]);
    expect(other.body.Operations[1].response.schemas).toBe(URN.error);
  });
});

describe("a repeated request", () => {
  test("gets the first answer, whatever it accepts", async () => {
    const headers = { "idempotency-key": fresh("key") };
    const body = { schemas: [URN.user], userName: fresh("once") };
    const first = await api.ask("POST", "/scim2/Users", { body, headers: { ...headers, ...asScim } });
    const second = await api.ask("POST", "/scim2/Users", { body, headers });
    expect([first.status, second.status, second.body]).toEqual([201, 201, first.body]);
  });
});

describe("SCIM 1.1", () => {
  test("has nothing to negotiate: a new user needs a password", async () => {
    const body = { schemas: ["urn:scim:schemas:core:1.0"], userName: fresh("old") };
    expect((await api.ask("POST", "/svc/scim/Users", { body, headers: typed })).status).toBe(400);
  });
});
