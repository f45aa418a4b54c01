/** The service where the operator requires `If-Match`, and shows client secrets to few. */
import { describe, expect, test } from "vitest";
import { deploymentWith } from "#tests/support/conditions.ts";
import { addUser } from "#tests/support/people.ts";
import { APPLICATIONS, world } from "#tests/support/world.ts";

const deployment = deploymentWith("require_if_match = true").replace(
  'show_client_secrets_to = "viewers"',
  'show_client_secrets_to = "secret_viewers"',
);
const api = world({ deployment });
const { ask, create } = api;
const tagOf = async (path: string): Promise<string> => (await ask("GET", path)).headers.get("etag") ?? "";
const oidc = (callback: string) => ({
  grantTypes: ["authorization_code"],
  callbackURLs: [`https://${callback}.example`],
});
const ifMatch = (tag: string) => ({ headers: { "if-match": tag } });

describe("a change of an existing resource without If-Match", () => {
  test("is 428 in the dialect of its path, and says what to send", async () => {
    const application = `${APPLICATIONS}/${await create({ name: "needs a tag" })}`;
    const managed = await ask("PATCH", application, { body: { description: "d" } });
    expect([managed.status, managed.body]).toEqual([
      428,
      {
        code: "428",
        message: "Precondition Required",
        description: expect.stringContaining("If-Match"),
        traceId: expect.any(String),
      },
    ]);
    const { id } = (await ask("POST", "/scim2/Groups", { body: { displayName: "needs a tag" } })).body;
    const body = { displayName: "other" };
    const scim2 = await ask("PUT", `/scim2/Groups/${id}`, { body });
    expect([scim2.status, scim2.body]).toEqual([
      428,
      { schemas: expect.anything(), status: "428", detail: expect.stringContaining("If-Match") },
    ]);
    const scim1 = await ask("PUT", `/svc/scim/Groups/${id}`, { body });
    expect([scim1.status, scim1.body]).toEqual([
      428,
      { Errors: [{ description: expect.stringContaining("If-Match"), code: "428" }] },
    ]);
    const path = `/t/carbon.super${application}`;
    expect((await ask("DELETE", path)).status).toBe(428);
    expect((await ask("DELETE", path, ifMatch("*"))).status).toBe(204);
  });
  test("is made where it creates the resource, or there is none to change", async () => {
    const path = `${APPLICATIONS}/${await create({ name: "first protocol" })}/inbound-protocols/oidc`;
    expect((await ask("DELETE", path)).status).toBe(204);
    expect((await ask("PUT", path, { body: oidc("a") })).status).toBe(200);
    expect((await ask("PUT", path, { body: oidc("b") })).status).toBe(428);
    expect((await ask("PUT", path, { body: oidc("b"), ...ifMatch(await tagOf(path)) })).status).toBe(200);
    expect((await ask("PATCH", "/scim2/Users/unknown", { body: { Operations: [] } })).status).toBeLessThan(428);
    expect((await ask("DELETE", "/scim2/Users/00000000-0000-0000-0000-000000000000")).status).toBe(404);
  });
  test("creates it once where several callers create at the same time", async () => {
    const path = `${APPLICATIONS}/${await create({ name: "first of several" })}/inbound-protocols/oidc`;
    const puts = await Promise.all(["a", "b", "c", "d"].map((name) => ask("PUT", path, { body: oidc(name) })));
    expect(puts.map(({ status }) => status).sort()).toEqual([200, 428, 428, 428]);
  });
});

test("operations of bulk requests need a version", async () => {
  const { id, meta } = (await ask("POST", "/scim2/Groups", { body: { displayName: "in bulk" } })).body;
  const put = (displayName: string, version?: string) => ({
    method: "PUT",
    path: `/Groups/${id}`,
    version,
    data: { displayName },
  });
  const schemas = ["urn:ietf:params:scim:api:messages:2.0:BulkRequest"];
  const create = { method: "POST", path: "/Groups", bulkId: "1", data: { displayName: "new in bulk" } };
  const Operations = [put("a"), create, put("b", meta.version)];
  const { body } = await ask("POST", "/scim2/Bulk", { body: { schemas, Operations } });
  expect(body.Operations.map(({ status }: { status: string }) => status)).toEqual(["428", "201", "200"]);
  expect(body.Operations[0].response.status).toBe("428");
  const first = await ask("POST", "/svc/scim/Bulk", {
    body: { schemas: ["urn:scim:schemas:core:1.0"], Operations: [put("c")] },
  });
  expect(first.body.Operations[0].status.code).toBe("428");
});

test("requests that change no existing resource need none", async () => {
  const raw = new URLSearchParams({ token: "unknown" }).toString();
  const id = await create({ name: "with a client" });
  await ask("PUT", `${APPLICATIONS}/${id}/inbound-protocols/oidc`, { body: { grantTypes: ["client_credentials"] } });
  const { clientId, clientSecret } = (await ask("GET", `${APPLICATIONS}/${id}/inbound-protocols/oidc`)).body;
  const as = { username: clientId, password: clientSecret };
  const headers = { "content-type": "application/x-www-form-urlencoded" };
  expect((await ask("POST", "/oauth2/revoke", { raw, as, headers })).status).toBe(200);
  expect((await ask("POST", "/scim2/Users/.search", { body: { count: 1 } })).status).toBe(200);
  expect((await ask("POST", `${APPLICATIONS}/${id}/inbound-protocols/oidc/revoke`)).status).toBe(200);
});

describe("the entity tag of a client", () => {
  test("differs between callers who see different contents, and each can send its own", async () => {
    const path = `${APPLICATIONS}/${await create({ name: "seen by two" })}/inbound-protocols/oidc`;
    await ask("PUT", path, { body: oidc("a") });
    const as = { username: "sees-no-secret", password: "a long password" };
    const scopes = ["internal_application_mgt_view", "internal_application_mgt_update"];
    await addUser(api.service, { ...as, scopes });
    const [seen, shown] = [(await ask("GET", path, { as })).headers.get("etag") ?? "", await tagOf(path)];
    expect(seen).not.toBe(shown);
    const put = (tag: string) =>
      ask("PUT", path, { as, body: { ...oidc("a"), pkce: { mandatory: true } }, ...ifMatch(tag) });
    expect((await put(shown)).status).toBe(412);
    expect((await put(seen)).status).toBe(200);
  });
});
