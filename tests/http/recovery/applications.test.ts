/** Deleted applications, templates and API resources come back with their keys, secrets and authorized APIs. */
import { expect, test } from "vitest";
import { apiResourcesOf } from "#tests/support/api-resources.ts";
import { oauthOf, TOKEN } from "#tests/support/oauth.ts";
import { recoveryOf } from "#tests/support/recovery.ts";
import { fresh } from "#tests/support/scim.ts";
import { APPLICATIONS, world } from "#tests/support/world.ts";
import { CAS, SAML, STS, TRUST } from "#tools/operation-units/fixture.ts";

const api = world();
const { newClient, post } = oauthOf(api);
const { authorize } = apiResourcesOf(api);
const { remove, restore, restored, list } = recoveryOf(api);
const TEMPLATES = `${APPLICATIONS}/templates`;
const APIS = "/api/server/v1/api-resources";
const SCOPE = "internal_application_mgt_view";
const GRANT = { grant_type: "client_credentials", scope: SCOPE };

const read = async (path: string) => {
  const answer = await api.ask("GET", path);
  expect(answer.status, answer.text).toBe(200);
  return answer.body;
};
const created = async (path: string, body: object): Promise<string> => {
  const answer = await api.ask("POST", path, { body });
  expect(answer.status, answer.text).toBe(201);
  return answer.headers.get("location")?.split("/").at(-1) ?? "";
};

test("an application with five protocols: its client gets tokens with the same secret, and old tokens stay ended", async () => {
  const client = await newClient([SCOPE]);
  const { applicationId } = client;
  const path = `${APPLICATIONS}/${applicationId}`;
  const settings = { saml: SAML, "passive-sts": STS, "ws-trust": TRUST, cas: CAS };
  for (const [name, body] of Object.entries(settings)) {
    const answer = await api.ask("PUT", `${path}/inbound-protocols/${name}`, { body });
    expect(answer.status, answer.text).toBe(200);
  }
  const second = await api.ask("POST", `${path}/inbound-protocols/oidc/secrets`, { body: { description: "two" } });
  expect(second.status, second.text).toBe(201);
  const names = ["oidc", ...Object.keys(settings)];
  const shown = () => Promise.all(names.map((name) => read(`${path}/inbound-protocols/${name}`)));
  const before = [await read(path), await read(`${path}/authorized-apis`), await shown()];
  const old = (await post(TOKEN, GRANT, client)).body;
  expect(old.access_token).toBeTruthy();

  await remove(path);
  expect((await post(TOKEN, GRANT, client)).status).toBe(401);
  expect(await list("?resourceType=application")).toMatchObject([{ id: applicationId }]);
  await restored(applicationId);
  expect([await read(path), await read(`${path}/authorized-apis`), await shown()]).toEqual(before);
  const token = await post(TOKEN, GRANT, client);
  expect(token.status, token.text).toBe(200);
  expect(token.body.scope).toBe(SCOPE);
  const bearer = (text: string) => api.ask("GET", APPLICATIONS, { as: `Bearer ${text}` });
  expect((await bearer(old.access_token)).status).toBe(401);
  expect((await bearer(token.body.access_token)).status).toBe(200);
  const other = { ...client, clientSecret: second.body.secretValue };
  expect((await post(TOKEN, GRANT, other)).status).toBe(200);
});

test("an application whose name is taken takes a new one; one whose client id is taken stays deleted", async () => {
  const body = (name: string) => ({
    name,
    inboundProtocolConfiguration: {
      saml: { manualConfiguration: { issuer: "urn:taken", assertionConsumerUrls: ["https://a.example"] } },
    },
  });
  const id = await api.create(body("Taken stand"));
  await remove(`${APPLICATIONS}/${id}`);
  const other = await api.create({ name: "Taken stand" });
  const refused = await restore(id);
  expect([refused.status, refused.body.code]).toEqual([409, "APP-60007"]);
  expect((await restore(id, { body: { name: "?" } })).status).toBe(400);
  await remove(`${APPLICATIONS}/${other}`);
  const issuer = await api.create(body("Another stand"));
  expect((await restore(id, { body: { name: "New stand" } })).status).toBe(409);
  await remove(`${APPLICATIONS}/${issuer}`);
  expect(await restored(id, { name: "New stand" })).toMatchObject({ id, name: "New stand" });
  expect((await read(`${APPLICATIONS}/${id}`)).name).toBe("New stand");
  expect((await restore(issuer)).status).toBe(409);
});

test("a template", async () => {
  const name = fresh("template");
  const id = await created(TEMPLATES, { name, description: "d", application: { name: "a", description: "x" } });
  const before = await read(`${TEMPLATES}/${id}`);
  await remove(`${TEMPLATES}/${id}`);
  const again = await created(TEMPLATES, { name, application: { name: "b" } });
  expect((await restore(id)).status).toBe(409);
  await restored(id, { name: `${name} 2` });
  expect(await read(`${TEMPLATES}/${id}`)).toEqual({ ...before, name: `${name} 2` });
  await remove(`${TEMPLATES}/${again}`);
  await restored(again);
  const { templates } = await read(`${TEMPLATES}?limit=100`);
  const names = templates.map((one: { name: string }) => one.name);
  expect(names.filter((one: string) => one.startsWith(name)).sort()).toEqual([name, `${name} 2`]);
});

test("an API resource with its scopes, which stay authorized; tokens with them stay ended", async () => {
  const scopes = [{ name: "rec:read" }, { name: "rec:write", description: "Write" }];
  const id = await created(APIS, { name: "Recorder", identifier: "urn:rec", scopes });
  const client = await newClient();
  await authorize(client.applicationId, { id, scopes: ["rec:read"] });
  const grant = { grant_type: "client_credentials", scope: "rec:read" };
  const before = await read(`${APIS}/${id}`);
  expect((await post(TOKEN, grant, client)).body.scope).toBe("rec:read");
  await remove(`${APIS}/${id}`);
  expect((await post(TOKEN, grant, client)).body.scope).not.toBe("rec:read");
  const taker = await created(APIS, { name: "Taker", identifier: "urn:taker", scopes: [{ name: "rec:write" }] });
  const refused = await restore(id);
  expect([refused.status, refused.body.description]).toEqual([409, expect.stringContaining("rec:write")]);
  await remove(`${APIS}/${taker}`);
  const same = await created(APIS, { name: "Same", identifier: "urn:rec" });
  expect((await restore(id)).status).toBe(409);
  await remove(`${APIS}/${same}`);
  expect(await restored(id)).toMatchObject({ resourceType: "api-resource", name: "urn:rec" });
  expect(await read(`${APIS}/${id}`)).toEqual(before);
  expect((await post(TOKEN, grant, client)).body.scope).toBe("rec:read");
  expect(await restored(same, { name: "urn:rec:2" })).toMatchObject({ name: "urn:rec:2" });
});
