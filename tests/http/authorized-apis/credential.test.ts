/**
 * No privilege escalation: a caller cannot set the client or secret of an application that has more scopes (decision
 * 0022).
 */
import { beforeAll, describe, expect, test } from "vitest";
import { oauthOf, type TestClient } from "#tests/support/oauth.ts";
import { addUser } from "#tests/support/people.ts";
import { APPLICATIONS, world } from "#tests/support/world.ts";

const api = world();
const oauth = oauthOf(api);
const SCOPE = "internal_user_mgt_list";
const password = "a-long-password";
const as = { username: "manager", password };
const rich = { username: "rich", password };
const able = { username: "able", password };
const managing = ["create", "update", "delete"].map((what) => `internal_application_mgt_${what}`);

let client: TestClient;
let plain: TestClient;
const oidc = ({ applicationId }: TestClient, more = "") =>
  `${APPLICATIONS}/${applicationId}/inbound-protocols/oidc${more}`;
const refused = async (answer: Promise<{ status: number; text: string }>) => {
  const { status, text } = await answer;
  expect([status, text]).toEqual([403, expect.stringContaining(SCOPE)]);
};
const upload = (text: string, who = as) => {
  const form = new FormData();
  form.set("file", new Blob([text]), "app.xml");
  return fetch(`${api.url}${APPLICATIONS}/import`, {
    method: "PUT",
    headers: { authorization: `Basic ${btoa(`${who.username}:${who.password}`)}` },
    body: form,
  }).then(async (answer) => ({ status: answer.status, text: await answer.text() }));
};

beforeAll(async () => {
  await addUser(api.service, { ...as, scopes: managing });
  await addUser(api.service, { ...rich, scopes: [...managing, SCOPE] });
  await addUser(api.service, { ...able, scopes: [...managing, "internal_application_internal_api_update"] });
  client = await oauth.newClient([SCOPE]);
  plain = await oauth.newClient();
});

describe("returns 403, and the client keeps its secret, for", () => {
  test("a new secret", () => refused(api.ask("POST", oidc(client, "/regenerate-secret"), { as })));
  test("a file with another secret", async () => {
    const file = (await api.ask("GET", `${APPLICATIONS}/${client.applicationId}/export?exportSecrets=true`)).text;
    expect(file).toContain(client.clientSecret);
    await refused(upload(file.replaceAll(client.clientSecret, "a-secret-of-mine")));
    // The same file without a change of the secret changes no credential.
    expect((await upload(file)).status).toBe(200);
  });
  test("a client after a removed one", async () => {
    const target = await oauth.newClient([SCOPE]);
    expect((await api.ask("DELETE", oidc(target), { as })).status).toBe(204);
    await refused(
      api.ask("PUT", oidc(target), { as, body: { clientId: "my-own-client", grantTypes: ["client_credentials"] } }),
    );
  });
  test("the old secret stays valid", async () => {
    expect(await oauth.ownToken(client, SCOPE)).toMatch(/^at_/);
  });
});

describe("returns 200 for", () => {
  test("other settings of the same client", async () => {
    const shown = (await api.ask("GET", oidc(client))).body;
    const body = { ...shown, allowedOrigins: ["https://rides.example"] };
    expect((await api.ask("PUT", oidc(client), { as, body })).status).toBe(200);
  });
  test("a new secret of an application without authorizations", async () => {
    expect((await api.ask("POST", oidc(plain, "/regenerate-secret"), { as })).status).toBe(200);
  });
  test.each([rich, able])("a caller that has the scopes, or may authorize any: $username", async (who) => {
    expect((await api.ask("POST", oidc(client, "/regenerate-secret"), { as: who })).status).toBe(200);
  });
});
