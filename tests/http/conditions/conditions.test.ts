/** Conditional requests (RFC 9110 section 13) with the settings of the project. */
import { describe, expect, test } from "vitest";
import { type Answer, APPLICATIONS, world } from "#tests/support/world.ts";
import { administrator, costOf, isAuthorizer, listening } from "#tools/bench/calls.ts";

const api = world();
const { ask, create } = api;
const APIS = "/api/server/v1/api-resources";
const tagOf = async (path: string): Promise<string> => (await ask("GET", path)).headers.get("etag") ?? "";
const idIn = ({ headers }: Answer): string => headers.get("location")?.split("/").at(-1) ?? "";
const oidc = (callback: string) => ({
  grantTypes: ["authorization_code"],
  callbackURLs: [`https://${callback}.example`],
});
const ifMatch = (tag: string) => ({ headers: { "if-match": tag } });
const onlyNew = { headers: { "if-none-match": "*" } };
const newApi = async (name: string): Promise<string> =>
  idIn(await ask("POST", APIS, { body: { name, identifier: name, scopes: [{ name: `${name}:read` }] } }));

describe("If-None-Match: *", () => {
  test("creates what does not exist, and is 412 where it does", async () => {
    const path = `${APPLICATIONS}/${await create({ name: "only once" })}/inbound-protocols/oidc`;
    expect((await ask("PUT", path, { body: oidc("a"), ...onlyNew })).status).toBe(200);
    const refused = await ask("PUT", path, { body: oidc("b"), ...onlyNew });
    expect([refused.status, refused.body.code]).toEqual([412, "412"]);
    expect((await ask("GET", path)).body.callbackURLs).toEqual(["https://a.example"]);
  });
  test("creates once where several callers create at the same time", async () => {
    const path = `${APPLICATIONS}/${await create({ name: "raced" })}/inbound-protocols/oidc`;
    const puts = ["a", "b", "c", "d"].map((name) => ask("PUT", path, { body: oidc(name), ...onlyNew }));
    expect((await Promise.all(puts)).map(({ status }) => status).sort()).toEqual([200, 412, 412, 412]);
  });
  test("refuses changes of users, groups and roles, which exist", async () => {
    const { id } = (await ask("POST", "/scim2/Groups", { body: { displayName: "existing" } })).body;
    for (const path of [`/scim2/Groups/${id}`, `/svc/scim/Groups/${id}`]) {
      expect((await ask("PUT", path, { body: { displayName: "other" }, ...onlyNew })).status).toBe(412);
      expect((await ask("DELETE", path, onlyNew)).status).toBe(412);
    }
    expect((await ask("GET", `/scim2/Groups/${id}`)).body.displayName).toBe("existing");
  });
});

describe("If-Match where there is no resource", () => {
  test("is 412 for a protocol that would be created, and nothing is written", async () => {
    const path = `${APPLICATIONS}/${await create({ name: "no protocol" })}/inbound-protocols/oidc`;
    for (const tag of ["*", '"x"']) {
      expect((await ask("PUT", path, { body: oidc("a"), ...ifMatch(tag) })).status).toBe(412);
      // Without the condition, there is nothing to remove, which is no error.
      expect((await ask("DELETE", path, ifMatch(tag))).status).toBe(412);
    }
    expect((await ask("GET", path)).status).toBe(404);
    expect((await ask("DELETE", path)).status).toBe(204);
  });
  test("a request that fails without it fails as it would", async () => {
    const unknown = `${APPLICATIONS}/00000000-0000-0000-0000-000000000000`;
    expect((await ask("PATCH", unknown, { body: { description: "d" }, ...ifMatch("*") })).body.code).toBe("APP-60006");
    expect((await ask("PUT", `${unknown}/inbound-protocols/oidc`, { body: oidc("a"), ...ifMatch("*") })).status).toBe(
      404,
    );
    expect((await ask("DELETE", "/scim2/Users/unknown", ifMatch("*"))).status).toBe(404);
  });
  test("a body that is invalid is 400 before anything is compared", async () => {
    const path = `${APPLICATIONS}/${await create({ name: "invalid body" })}`;
    expect((await ask("PATCH", path, { body: { name: 7 }, ...ifMatch('"x"') })).status).toBe(400);
  });
  test("is 412 for a path without a resource of its own", async () => {
    const raw = '--p\r\nContent-Disposition: form-data; name="file"; filename="a.xml"\r\n\r\n<a/>\r\n--p--\r\n';
    const headers = { "content-type": "multipart/form-data; boundary=p", "if-match": "*" };
    expect((await ask("PUT", `${APPLICATIONS}/import`, { raw, headers })).status).toBe(412);
  });
});

test("If-Match: * is about any state: changes at the same time are all made", async () => {
  const path = `${APPLICATIONS}/${await create({ name: "any state" })}`;
  const changes = [
    { description: "d" },
    { imageUrl: "https://a.example/i.png" },
    { templateId: "t" },
    { isB2BSelfServiceApp: true },
  ];
  const all = await Promise.all(changes.map((body) => ask("PATCH", path, { body, ...ifMatch("*") })));
  expect(all.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  expect((await ask("GET", path)).body).toMatchObject({ description: "d", imageUrl: "https://a.example/i.png" });
});

describe("the entity tag of a content", () => {
  test("is strong, stays while the content does, and a weakened one counts too", async () => {
    const path = `${APPLICATIONS}/${await create({ name: "strong" })}`;
    const tag = await tagOf(path);
    expect(tag).toMatch(/^"[\w-]{27}"$/);
    expect(await tagOf(path)).toBe(tag);
    expect((await ask("HEAD", path)).headers.get("etag")).toBe(tag);
    expect((await ask("PATCH", path, { body: { description: "d" }, ...ifMatch(`W/${tag}`) })).status).toBe(200);
    expect(await tagOf(path)).not.toBe(tag);
    await ask("PATCH", path, { body: { description: "e" } });
    const other = await tagOf(path);
    await ask("PATCH", path, { body: { description: "e" } });
    expect(await tagOf(path)).toBe(other);
  });
  test("changes with the names of other resources that are shown", async () => {
    const id = await newApi("shown-api");
    const path = `${APPLICATIONS}/${await create({ name: "shows names" })}/authorized-apis`;
    expect((await ask("POST", path, { body: { id, scopes: ["shown-api:read"] } })).status).toBe(200);
    const tag = await tagOf(path);
    await ask("PATCH", `${APIS}/${id}`, { body: { name: "Renamed" } });
    expect(await tagOf(path)).not.toBe(tag);
    expect((await ask("DELETE", `${path}/${id}`, ifMatch(tag))).status).toBe(412);
    expect((await ask("DELETE", `${path}/${id}`, ifMatch(await tagOf(path)))).status).toBe(204);
  });
});

describe("the condition costs nothing", () => {
  const costOfCall = async (work: () => Promise<Answer>) => {
    const lines = await listening(work);
    const { roundTrips, readUnits, writeUnits } = costOf(lines.find((line) => !isAuthorizer(line)));
    return { roundTrips, readUnits, writeUnits };
  };
  test("a change with If-Match takes as many round trips and units as one without", async () => {
    expect(administrator.username).toBe("admin");
    const path = `${APPLICATIONS}/${await create({ name: "costs" })}`;
    const patch =
      (description: string, headers: Record<string, string> = {}) =>
      () =>
        ask("PATCH", path, { body: { description }, headers });
    await patch("first")();
    const without = await costOfCall(patch("a"));
    const tag = await tagOf(path);
    expect(await costOfCall(patch("b", { "if-match": tag }))).toEqual(without);
    const refused = await costOfCall(patch("c", { "if-match": tag }));
    expect(refused).toEqual({ roundTrips: 1, readUnits: 1, writeUnits: 0 });
  });
});

describe("operations of bulk requests", () => {
  const user = async (userName: string) =>
    (await ask("POST", "/scim2/Users", { body: { userName, password: "a-long-password" } })).body;
  test.each([
    ["/scim2/Bulk", ["urn:ietf:params:scim:api:messages:2.0:BulkRequest"], (one: { status: string }) => one.status],
    ["/svc/scim/Bulk", ["urn:scim:schemas:core:1.0"], (one: { status: { code: string } }) => one.status.code],
  ] as const)("%s: version works as If-Match", async (path, schemas, statusOf) => {
    const { id, userName, meta } = await user(`bulk-${path.length}`);
    const put = (title: string, version: string) => ({
      method: "PUT",
      path: `/Users/${id}`,
      version,
      data: { userName, title },
    });
    const remove = { method: "DELETE", path: `/Users/${id}`, version: meta.version };
    const Operations = [put("a", 'W/"77"'), put("b", meta.version), put("c", meta.version), remove];
    const { body } = await ask("POST", path, { body: { schemas, Operations } });
    expect(body.Operations.map(statusOf)).toEqual(["412", "200", "412", "412"]);
    expect((await ask("GET", `/scim2/Users/${id}`)).body.title).toBe("b");
  });
});
