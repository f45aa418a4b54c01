/** Deleting a scope or an API of the tenant revokes the tokens with that scope. */
import { beforeAll, expect, test } from "vitest";
import { API_RESOURCES, apiResourcesOf, scopesNamed } from "#tests/support/api-resources.ts";
import { container } from "#tests/support/authorizer.ts";
import { oauthOf, type TestClient } from "#tests/support/oauth.ts";
import { world } from "#tests/support/world.ts";

const api = world();
const { register, authorize } = apiResourcesOf(api);
const { newClient, ownToken } = oauthOf(api);
const SIGNED = { accessToken: { type: "JWT" } };

let clients: readonly TestClient[];
let made = 0;
beforeAll(async () => {
  clients = [await newClient(), await newClient([], SIGNED)];
});

const ways: readonly (readonly [string, (id: string, scope: string) => Promise<{ status: number }>])[] = [
  ["the scope is deleted", (id, scope) => api.ask("DELETE", `${API_RESOURCES}/${id}/scopes/${scope}`)],
  ["the API is deleted", (id) => api.ask("DELETE", `${API_RESOURCES}/${id}`)],
  ["the scopes are replaced", (id) => api.ask("PUT", `${API_RESOURCES}/${id}/scopes`, { body: [] })],
];

test.each(ways)("%s: opaque tokens and JWTs with the scope end, others stay valid", async (_, end) => {
  made += 1;
  const [scope, other] = [`ride:${made}`, `stay:${made}`];
  const id = await register({ name: scope, identifier: scope, scopes: scopesNamed(scope) });
  const otherId = await register({ name: other, identifier: other, scopes: scopesNamed(other) });
  for (const client of clients) {
    await authorize(client.applicationId, { id, scopes: [scope] });
    await authorize(client.applicationId, { id: otherId, scopes: [other] });
  }
  const ended = await Promise.all(clients.map((client) => ownToken(client, `${scope} ${other}`)));
  const staying = await Promise.all(clients.map((client) => ownToken(client, other)));
  const decisionsOn = (tokens: readonly string[]) =>
    Promise.all(
      tokens.map(async (token) => (await container(api).ask(`Bearer ${token}`, "/scim2/Me")).context.decision),
    );
  expect(await decisionsOn([...ended, ...staying])).toEqual(["allow", "allow", "allow", "allow"]);
  expect((await end(id, scope)).status).toBe(204);
  expect(await decisionsOn(ended)).toEqual(["refuse", "refuse"]);
  expect(await decisionsOn(staying)).toEqual(["allow", "allow"]);
});
