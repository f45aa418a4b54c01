/** A restored version shows what reading that version shows; it is a change like any other. */
import { describe, expect, test } from "vitest";
import { apiResourcesOf } from "#tests/support/api-resources.ts";
import { oauthOf, TOKEN } from "#tests/support/oauth.ts";
import { addUser } from "#tests/support/people.ts";
import { fresh, type Shown, scimOf } from "#tests/support/scim.ts";
import { APPLICATIONS, type Ask, world } from "#tests/support/world.ts";
import { CAS, SAML, STS, TRUST } from "#tools/operation-units/fixture.ts";

const api = world();
const scim = scimOf(api, "wso2");
const { newClient, post } = oauthOf(api);
const { authorize } = apiResourcesOf(api);
const PASSWORD = "Right-pass-1";
const ROLES = "/scim2/v2/Roles";
const VIEW = "internal_application_mgt_view";

const done = async (method: string, path: string, body?: unknown, ask: Ask = {}) => {
  const answer = await api.ask(method, path, { ...ask, ...(body !== undefined && { body }) });
  expect(answer.status, answer.text).toBeLessThan(300);
  return answer;
};
const read = async (path: string) => (await done("GET", path)).body;
/** The latest version of a resource. */
const versionOf = async (path: string): Promise<string> => (await read(`${path}/history`)).records[0].version;
const restore = (path: string, version: string, ask: Ask = {}) =>
  api.ask("POST", `${path}/history/${version}/restore`, ask);
/** Restores a version, and checks that reading the resource shows that version. */
const restored = async (path: string, version: string, status = 200): Promise<Shown> => {
  const answer = await restore(path, version);
  expect(answer.status, answer.text).toBe(status);
  const [now, was] = await Promise.all([read(path), read(`${path}/history/${version}`)]);
  expect(lasting(now)).toEqual(lasting(was));
  return answer.body;
};
const lasting = (shown: Shown) => {
  if (!shown.meta) return shown;
  const {
    meta: { lastModified: _, version: __, ...meta },
    ...rest
  } = shown;
  return { ...rest, meta };
};
const person = () => scim.user({ password: PASSWORD });
const valuesOf = (elements: readonly { value: string }[] = []) => elements.map(({ value }) => value).sort();

describe("restoreUserVersion", () => {
  test("a user: attributes and name are as they were, the password is as it is", async () => {
    const user = await scim.user({
      password: PASSWORD,
      name: { familyName: "Alt", givenName: "Ada" },
      emails: ["a@x.example"],
      "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User": { employeeNumber: "7" },
    });
    const path = `/scim2/Users/${user.id}`;
    const first = await versionOf(path);
    const before = await read(path);
    const name = fresh("renamed");
    await done("PUT", path, { userName: name, title: "Boss", password: "Other-pass-1" });
    await done("PATCH", path, { Operations: [{ op: "add", path: "nickName", value: "B" }] });
    const latest = await versionOf(path);
    const shown = await restored(path, first);
    expect(lasting(await read(path))).toEqual(lasting(before));
    expect(shown.userName).toBe(user.userName);
    const as = { username: user.userName, password: "Other-pass-1" };
    expect((await api.ask("GET", "/scim2/Me", { as })).status).toBe(200);
    const [record] = (await read(`${path}/history`)).records;
    expect(record).toMatchObject({ operation: "restoreUserVersion", resource: { id: user.id } });
    await restored(path, latest);
    expect((await read(path)).userName).toBe(name);
    const current = await versionOf(path);
    await restored(path, current);
    expect(await versionOf(path)).toBe(current);
  });
});

describe("restoreGroupVersion", () => {
  test("a group: its members are as they were, without those who do not exist", async () => {
    const [a, b, c] = await Promise.all([person(), person(), person()]);
    const group = await scim.group({ externalId: "e-1", members: [{ value: a.id }, { value: b.id }] });
    const path = `/scim2/Groups/${group.id}`;
    const first = await versionOf(path);
    await done("PUT", path, { displayName: fresh("other"), members: [{ value: c.id }] });
    await restored(path, first);
    expect(await read(path)).toMatchObject({ displayName: group.displayName, externalId: "e-1" });
    expect(valuesOf((await read(path)).members)).toEqual([a.id, b.id].sort());
    await done("PUT", path, { displayName: fresh("other") });
    await done("DELETE", `/scim2/Users/${a.id}`);
    await restored(path, first);
    expect(valuesOf((await read(path)).members)).toEqual([b.id]);
  });
});

describe("restoreRoleVersion", () => {
  test("a role: permissions, users and groups are as they were", async () => {
    const [a, b] = await Promise.all([person(), person()]);
    const group = await scim.group();
    const body = {
      displayName: fresh("role"),
      permissions: [{ value: VIEW }],
      users: [{ value: a.id }],
      groups: [{ value: group.id }],
    };
    const role = (await done("POST", ROLES, body)).body;
    const path = `${ROLES}/${role.id}`;
    const first = await versionOf(path);
    await done("PUT", path, { displayName: fresh("role"), users: [{ value: b.id }] });
    await restored(path, first);
    expect(await read(path)).toMatchObject({ displayName: body.displayName, permissions: [{ value: VIEW }] });
    expect(valuesOf((await read(path)).users)).toEqual([a.id]);
  });
});

describe("restoreApplicationVersion", () => {
  test("an application with its protocols: its secret, its owner and its revocation are as they are", async () => {
    const client = await newClient([VIEW]);
    const path = `${APPLICATIONS}/${client.applicationId}`;
    for (const [name, body] of Object.entries({ saml: SAML, "passive-sts": STS, "ws-trust": TRUST, cas: CAS })) {
      await done("PUT", `${path}/inbound-protocols/${name}`, body);
    }
    await done("PATCH", path, { description: "First", accessUrl: "https://first.example" });
    const first = await versionOf(path);
    const [application, list] = [await read(path), await read(`${path}/inbound-protocols`)];
    const saml = await read(`${path}/inbound-protocols/saml`);
    await done("PATCH", path, {
      name: fresh("app"),
      description: "Second",
      claimConfiguration: { subject: { includeUserDomain: true } },
    });
    await done("DELETE", `${path}/inbound-protocols/saml`);
    await done("PUT", `${path}/inbound-protocols/oidc`, { grantTypes: ["client_credentials"], publicClient: false });
    const secret = (await done("POST", `${path}/inbound-protocols/oidc/regenerate-secret`)).body.clientSecret;
    await restored(path, first);
    expect(await read(path)).toEqual(application);
    expect(await read(`${path}/inbound-protocols`)).toEqual(expect.arrayContaining(list));
    expect(await read(`${path}/inbound-protocols/saml`)).toEqual(saml);
    expect((await read(`${path}/inbound-protocols/oidc`)).grantTypes).toEqual([
      "client_credentials",
      "password",
      "refresh_token",
    ]);
    const grant = { grant_type: "client_credentials", scope: VIEW };
    expect((await post(TOKEN, grant, { ...client, clientSecret: secret })).status).toBe(200);
    expect((await post(TOKEN, grant, client)).status).toBe(401);
  });
});

describe("restoreInboundProtocolVersion", () => {
  test("an inbound protocol alone", async () => {
    const client = await newClient();
    const path = `${APPLICATIONS}/${client.applicationId}`;
    await done("PUT", `${path}/inbound-protocols/cas`, CAS);
    const first = await versionOf(path);
    const cas = await read(`${path}/inbound-protocols/cas`);
    await done("PUT", `${path}/inbound-protocols/cas`, {
      ...CAS,
      properties: [{ key: "serviceURL", value: "https://other.example" }],
    });
    await done("PATCH", path, { description: "Stays" });
    expect((await restore(`${path}/inbound-protocols/cas`, first)).status).toBe(200);
    expect(await read(`${path}/inbound-protocols/cas`)).toEqual(cas);
    await done("DELETE", `${path}/inbound-protocols/oidc`);
    expect((await restore(`${path}/inbound-protocols/oidc`, first)).status).toBe(200);
    const again = await read(`${path}/inbound-protocols/oidc`);
    expect(again.clientId).toBe(client.clientId);
    expect(again.clientSecret).not.toBe(client.clientSecret);
    expect(
      (await post(TOKEN, { grant_type: "client_credentials" }, { ...client, clientSecret: again.clientSecret })).status,
    ).toBe(200);
    expect((await read(path)).description).toBe("Stays");
    for (const name of ["__proto__", "constructor", "casx"]) {
      const refused = await restore(`${path}/inbound-protocols/${name}`, first);
      expect([refused.status, refused.text]).toEqual([400, expect.stringContaining(`Unknown inbound type: ${name}.`)]);
    }
  });
});

describe("restoreAuthorizedApisVersion", () => {
  test("authorized APIs, without those that do not exist; scopes that the caller lacks are refused", async () => {
    const scopes = [{ name: fresh("undo:a") }, { name: fresh("undo:b") }];
    const one = (
      await done("POST", "/api/server/v1/api-resources", { name: "Undo", identifier: fresh("urn:undo"), scopes })
    ).body;
    const client = await newClient([VIEW]);
    const path = `${APPLICATIONS}/${client.applicationId}/authorized-apis`;
    await authorize(client.applicationId, { id: one.id, scopes: scopes.map(({ name }) => name) });
    const first = await versionOf(path);
    const before = await read(path);
    for (const { id } of before) await done("DELETE", `${path}/${id}`);
    expect(await read(path)).toEqual([]);
    const as = { username: "updater", password: PASSWORD };
    await addUser(api.service, { ...as, scopes: ["internal_application_mgt_update"] });
    expect((await restore(path, first, { as })).status).toBe(403);
    await restored(path, first);
    expect(await read(path)).toEqual(before);
    await done("DELETE", `/api/server/v1/api-resources/${one.id}`);
    const latest = await versionOf(path);
    await done("DELETE", `${path}/${before[0].id}`);
    expect((await restore(path, latest)).status).toBe(200);
  });
});

describe("restoreApplicationTemplateVersion", () => {
  test("a template is as it was", async () => {
    const body = { name: fresh("template"), description: "d", application: { name: "a", description: "x" } };
    const template = (await done("POST", `${APPLICATIONS}/templates`, body)).headers.get("location")?.split("/").at(-1);
    const ofTemplate = `${APPLICATIONS}/templates/${template}`;
    const firstTemplate = await versionOf(ofTemplate);
    await done("PUT", ofTemplate, { name: fresh("template"), application: { name: "b" } });
    await restored(ofTemplate, firstTemplate);
  });
});

describe("restoreResidentApplicationVersion", () => {
  test("the resident application is as it was", async () => {
    const resident = `${APPLICATIONS}/resident`;
    await done("PUT", resident, { inboundProvisioning: { proxyMode: true } });
    const firstResident = await versionOf(resident);
    await done("PUT", resident, { inboundProvisioning: { proxyMode: false } });
    await restored(resident, firstResident);
  });
});

describe("restoreApiResourceVersion", () => {
  test("an API resource with its scopes is as it was", async () => {
    const apis = "/api/server/v1/api-resources";
    const scopes = [{ name: fresh("v:a") }, { name: fresh("v:b") }];
    const made = (await done("POST", apis, { name: "V", identifier: fresh("urn:v"), scopes })).body;
    const firstApi = await versionOf(`${apis}/${made.id}`);
    await done("PUT", `${apis}/${made.id}/scopes`, [{ name: fresh("v:c") }]);
    await done("PATCH", `${apis}/${made.id}`, { name: "W", description: "new" });
    await restored(`${apis}/${made.id}`, firstApi, 204);
    expect(await read(`${apis}/${made.id}`)).toEqual(made);
  });

  test("a scope that was removed and added again under its name is the earlier one again", async () => {
    const apis = "/api/server/v1/api-resources";
    const scopes = [{ name: fresh("again:a") }, { name: fresh("again:b") }];
    const made = (await done("POST", apis, { name: "V", identifier: fresh("urn:again"), scopes })).body;
    const path = `${apis}/${made.id}`;
    const first = await versionOf(path);
    await done("PUT", `${path}/scopes`, []);
    await done("PUT", `${path}/scopes`, [...scopes, { name: fresh("again:c") }]);
    expect((await read(path)).scopes.map(({ id }: { id: string }) => id)).not.toContain(made.scopes[0].id);
    await restored(path, first, 204);
    expect(await read(path)).toEqual(made);
    // The claims are those of the scopes that are there now.
    await done("PUT", `${path}/scopes`, []);
    await done("POST", apis, { name: "W", identifier: fresh("urn:again"), scopes });
  });
});

describe("restoreTenantVersion", () => {
  test("a tenant is as it was", async () => {
    const owner = { username: "boss", password: PASSWORD, email: "b@v.example", firstname: "B", lastname: "B" };
    const tenant = (await done("POST", "/api/server/v1/tenants", { domain: "v.example", owners: [owner] })).headers
      .get("location")
      ?.split("/")
      .at(-1);
    const ofTenant = `/api/server/v1/tenants/${tenant}`;
    const firstTenant = await versionOf(ofTenant);
    await done("PUT", `${ofTenant}/lifecycle-status`, { activated: false });
    await restored(ofTenant, firstTenant);
    expect((await read(ofTenant)).lifecycleStatus).toEqual({ activated: true });
  });
});

test("versions of other resources, of nothing, and without the scope are refused", async () => {
  const [user, other] = await Promise.all([person(), person()]);
  const path = `/scim2/Users/${user.id}`;
  const version = await versionOf(path);
  expect((await restore(`/scim2/Users/${other.id}`, version)).status).toBe(404);
  expect((await restore(path, "0".repeat(18))).status).toBe(404);
  expect((await restore(path, "x")).status).toBe(404);
  const as = { username: "reader", password: PASSWORD };
  await addUser(api.service, { ...as, scopes: ["internal_user_mgt_view"] });
  expect((await restore(path, version, { as })).status).toBe(403);
  await done("DELETE", path);
  expect((await restore(path, version)).status).toBe(404);
});

test("a name that was taken since is 409, and nothing changes", async () => {
  const user = await person();
  const path = `/scim2/Users/${user.id}`;
  const first = await versionOf(path);
  await done("PATCH", path, { Operations: [{ op: "replace", path: "userName", value: fresh("moved") }] });
  await scim.user({ userName: user.userName, password: PASSWORD });
  const before = await read(path);
  expect((await restore(path, first)).status).toBe(409);
  expect(await read(path)).toEqual(before);
});
