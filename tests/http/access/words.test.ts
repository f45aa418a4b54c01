/** Names that a tenant gives to scopes of its own are never rights of this service, in any tenant and of any kind. */
import { beforeAll, describe, expect, test } from "vitest";
import { keys } from "#core/database/table/keys.ts";
import { oauthOf } from "#tests/support/oauth.ts";
import { TENANT, tableOf } from "#tests/support/people.ts";
import { world } from "#tests/support/world.ts";

const api = world();
const { newClient, token } = oauthOf(api);
const OTHER = "words.example";
const password = "a-long-password";
const kim = { username: `kim@${OTHER}`, password };
beforeAll(async () => {
  const body = { domain: OTHER, owners: [{ username: "kim", password }] };
  expect((await api.ask("POST", "/api/server/v1/tenants", { body })).status).toBe(201);
});

const RESERVED = [
  "internal_user_mgt_list",
  "internal_new_thing",
  "INTERNAL_x",
  "console:users",
  "ssf.read",
  "SSF.manage",
  "SYSTEM",
];

describe.each([
  ["", undefined],
  [`/t/${OTHER}`, kim],
])("at %s", (prefix, as) => {
  const sent = { ...(as && { as }) };
  test.each(RESERVED)("no scope of the tenant gets the name %s", async (name) => {
    const oidc = { name, displayName: "X", claims: [] };
    const one = await api.ask("POST", `${prefix}/api/server/v1/oidc/scopes`, { ...sent, body: oidc });
    expect([one.status, one.text]).toEqual([400, expect.stringContaining("reserved")]);
    const body = { name: "A", identifier: `a-${name}`, scopes: [{ name }] };
    const two = await api.ask("POST", `${prefix}/api/server/v1/api-resources`, { ...sent, body });
    expect([two.status, two.text]).toEqual([
      expect.toSatisfy((code) => code >= 400 && code < 500),
      expect.stringContaining("reserved"),
    ]);
  });
});

test("a stored claim of a right's name gives no right to a client of its API", async () => {
  const scopes = [{ name: "people_read" }];
  const made = await api.ask("POST", "/api/server/v1/api-resources", {
    body: { name: "P", identifier: "p", scopes, requiresAuthorization: false },
  });
  const { id } = made.body;
  const [scope] = (await api.ask("GET", `/api/server/v1/api-resources/${id}/scopes`)).body;
  const table = tableOf(api.service);
  const [claim] = await table.getMany([keys.scope(TENANT, "people_read")]);
  const stored = { ...claim, ...keys.scope(TENANT, "internal_user_mgt_list") };
  await table.write({ put: stored, when: "absent", otherwise: () => new Error("it is stored already") });
  const client = await newClient();
  const path = `/api/server/v1/applications/${client.applicationId}/authorized-apis`;
  const body = { id, policyIdentifier: "NO POLICY", scopes: [scope.name] };
  expect((await api.ask("POST", path, { body })).status).toBeLessThan(300);
  const answer = await token(client, { grant_type: "client_credentials", scope: "people_read internal_user_mgt_list" });
  expect(answer.scope).toBe("people_read");
  expect((await api.ask("GET", "/scim2/Users", { as: `Bearer ${answer.access_token}` })).status).toBe(403);
});
