/** Which scopes a token gets. */
import { beforeAll, describe, expect, test } from "vitest";
import { freshRole } from "#core/directory/roles/model.ts";
import { roleStore } from "#core/directory/roles/store.ts";
import { systemClock } from "#core/kernel/clock.ts";
import { systemScopes } from "#core/kernel/domain/system-apis.ts";
import { newId } from "#core/kernel/ids.ts";
import { apiResourcesOf, scopesNamed } from "#tests/support/api-resources.ts";
import { oauthOf, type TestClient, TOKEN } from "#tests/support/oauth.ts";
import { addUser, TENANT, tableOf } from "#tests/support/people.ts";
import { ADMIN, APPLICATIONS, world } from "#tests/support/world.ts";

const api = world();
const { newClient, post, token, ownToken } = oauthOf(api);
const { register, authorize } = apiResourcesOf(api);
const VIEW = "internal_application_mgt_view";
const CREATE = "internal_application_mgt_create";
const USERS = "internal_user_mgt_list";
const password = "a good password";
const granted = async (client: TestClient, fields: Record<string, string>) => (await token(client, fields)).scope;
const own = (client: TestClient, scope: string) => granted(client, { grant_type: "client_credentials", scope });
const as = (username: string, client: TestClient, scope: string) =>
  granted(client, { grant_type: "password", username, password, scope });

let client: TestClient;
beforeAll(async () => {
  client = await newClient([VIEW, CREATE, "internal_login"]);
  await addUser(api.service, { username: "viewer", password, scopes: [VIEW, USERS] });
  await addUser(api.service, { username: "nobody", password });
});

describe("for the client itself", () => {
  test("grants the requested scopes that are authorized, in the requested order, each once", async () => {
    expect(await own(client, `${CREATE} ${USERS} ${VIEW} nothing ${CREATE}`)).toBe(`${CREATE} ${VIEW}`);
  });
  test("grants none if none is requested or authorized, and no scopes of users only", async () => {
    expect(await own(client, "")).toBeUndefined();
    expect(await own(client, "internal_login openid profile device_1")).toBeUndefined();
    expect(await own(client, USERS)).toBeUndefined();
    expect(await own(client, `${VIEW}x internal_application_mgt INTERNAL_APPLICATION_MGT_VIEW`)).toBeUndefined();
  });
  test("an application without authorized APIs gets a token without scopes", async () => {
    const bare = await newClient();
    const answer = await post(TOKEN, { grant_type: "client_credentials", scope: [...systemScopes].join(" ") }, bare);
    expect([answer.status, "scope" in answer.body]).toEqual([200, false]);
    const asked = await api.ask("GET", APPLICATIONS, { as: `Bearer ${answer.body.access_token}` });
    expect(asked.status).toBe(403);
  });
  test("SYSTEM means the authorized scopes of this service", async () => {
    expect(await own(client, "SYSTEM")).toBe(`${CREATE} ${VIEW}`);
  });
});

describe("for a user", () => {
  test("grants the authorized scopes that the user's roles include", async () => {
    expect(await as("viewer", client, `${VIEW} ${CREATE} ${USERS}`)).toBe(VIEW);
    expect(await as("nobody", client, `${VIEW} ${CREATE}`)).toBeUndefined();
    expect(await granted(client, { grant_type: "password", ...ADMIN, scope: `${VIEW} ${CREATE}` })).toBe(
      `${VIEW} ${CREATE}`,
    );
  });
  test("grants internal_login if it is requested", async () => {
    expect(await as("nobody", client, "internal_login")).toBe("internal_login");
  });
  test("grants scopes of roles of the user's groups", async () => {
    const member = await addUser(api.service, { username: "member", password });
    const group = await api.ask("POST", "/scim2/Groups", {
      body: {
        schemas: ["urn:ietf:params:scim:schemas:core:2.0:Group"],
        displayName: "viewers",
        members: [{ value: member }],
      },
    });
    expect(await as("member", client, VIEW)).toBeUndefined();
    const role = await api.ask("POST", "/scim2/v2/Roles", {
      body: { displayName: "seen through a group", permissions: [{ value: VIEW }], groups: [{ value: group.body.id }] },
    });
    expect(role.status).toBe(201);
    expect(await as("member", client, VIEW)).toBe(VIEW);
  });
  test("grants scopes of the role of everyone", async () => {
    const { body } = await api.ask("GET", '/scim2/v2/Roles?filter=displayName eq "everyone"');
    const { id } = body.Resources[0];
    const PATCH_OP = "urn:ietf:params:scim:api:messages:2.0:PatchOp";
    const patch = (op: string) => ({
      schemas: [PATCH_OP],
      Operations: [
        {
          op,
          path: op === "add" ? "permissions" : `permissions[value eq "${VIEW}"]`,
          ...(op === "add" && { value: [{ value: VIEW }] }),
        },
      ],
    });
    expect((await api.ask("PATCH", `/scim2/v2/Roles/${id}`, { body: patch("add") })).status).toBe(200);
    expect(await as("nobody", client, VIEW)).toBe(VIEW);
    expect((await api.ask("PATCH", `/scim2/v2/Roles/${id}`, { body: patch("remove") })).status).toBe(200);
    expect(await as("nobody", client, VIEW)).toBeUndefined();
  });
  test("ignores roles of another application", async () => {
    const table = tableOf(api.service);
    const [one, other] = [await newClient([VIEW]), await newClient([VIEW])];
    const id = await addUser(api.service, { username: "specialist", password });
    const role = freshRole(newId(), "of one application", TENANT, systemClock.now(), {
      permissions: [VIEW],
      audience: { type: "application", value: one.applicationId },
    });
    await roleStore(table).add(TENANT, role, [{ kind: "user", id }]);
    expect([await as("specialist", one, VIEW), await as("specialist", other, VIEW)]).toEqual([VIEW, undefined]);
  });
});

describe("scopes of a tenant's own API", () => {
  test("need a role with the policy RBAC, not with No Policy; the full-access role does not include them", async () => {
    const app = await newClient();
    const strict = await register({ name: "S", identifier: "s", scopes: scopesNamed("s:read", "s:write") });
    const loose = await register({
      name: "L",
      identifier: "l",
      requiresAuthorization: false,
      scopes: scopesNamed("l:read", "l:write"),
    });
    await authorize(app.applicationId, { id: strict, scopes: ["s:read"] });
    await authorize(app.applicationId, { id: loose, scopes: ["l:read"], policyIdentifier: "No Policy" });
    const all = "s:read s:write l:read l:write";
    await addUser(api.service, { username: "reader", password, scopes: ["s:read", "s:write"] });
    expect(await own(app, all)).toBe("s:read l:read");
    expect(await as("nobody", app, all)).toBe("l:read");
    expect(await as("reader", app, all)).toBe("s:read l:read");
    expect(await granted(app, { grant_type: "password", ...ADMIN, scope: all })).toBe("l:read");
  });
  test("are not authorized again after a scope is deleted and created again", async () => {
    const app = await newClient();
    const id = await register({ name: "A", identifier: "again", scopes: scopesNamed("again:read") });
    await authorize(app.applicationId, { id, scopes: ["again:read"] });
    expect(await own(app, "again:read")).toBe("again:read");
    const path = `/api/server/v1/api-resources/${id}`;
    await api.ask("DELETE", `${path}/scopes/again:read`);
    expect(await own(app, "again:read")).toBeUndefined();
    await api.ask("PATCH", path, { body: { addedScopes: scopesNamed("again:read") } });
    expect(await own(app, "again:read")).toBeUndefined();
  });
  test("can be authorized before and after the application has a client", async () => {
    const id = await api.create({ name: "late client" });
    const resource = await register({ name: "Late", identifier: "late", scopes: scopesNamed("late:1", "late:2") });
    await authorize(id, { id: resource, scopes: ["late:1"] });
    const oidc = `${APPLICATIONS}/${id}/inbound-protocols/oidc`;
    await api.ask("PUT", oidc, { body: { grantTypes: ["client_credentials"] } });
    const { clientId, clientSecret } = (await api.ask("GET", oidc)).body;
    const late = { applicationId: id, clientId, clientSecret };
    expect(await own(late, "late:1 late:2")).toBe("late:1");
    await api.ask("PATCH", `${APPLICATIONS}/${id}/authorized-apis/${resource}`, { body: { addedScopes: ["late:2"] } });
    expect(await own(late, "late:1 late:2")).toBe("late:1 late:2");
    await api.ask("DELETE", oidc);
    await api.ask("PUT", oidc, { body: { grantTypes: ["client_credentials"] } });
    const again = (await api.ask("GET", oidc)).body;
    expect(await own({ applicationId: id, ...again }, "late:1 late:2")).toBe("late:1 late:2");
  });
});

test("an API that is authorized while the application gets a client is authorized for the client too", async () => {
  const resource = await register({ name: "Race", identifier: "race", scopes: scopesNamed("race:1") });
  for (let round = 0; round < 20; round += 1) {
    const id = await api.create({ name: `racer ${round}` });
    const oidc = `${APPLICATIONS}/${id}/inbound-protocols/oidc`;
    const body = { grantTypes: ["client_credentials"] };
    const answers = await Promise.all([
      api.ask("PUT", oidc, { body }),
      authorize(id, { id: resource, scopes: ["race:1"] }),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    const shown = (await api.ask("GET", oidc)).body;
    expect(await own({ applicationId: id, ...shown }, "race:1")).toBe("race:1");
  }
});

describe("an application is no way to more scopes than the caller has", () => {
  const secret = "a good password";
  test("a caller authorizes scopes of its own credential; others only with a scope for that", async () => {
    const app = await newClient();
    const apis = (await api.ask("GET", "/api/server/v1/api-resources?filter=identifier+eq+/scim2/Users")).body;
    const id = apis.apiResources[0].id;
    const UPDATE = "internal_application_mgt_update";
    await addUser(api.service, { username: "updater", password: secret, scopes: [UPDATE, USERS] });
    await addUser(api.service, {
      username: "trusted",
      password: secret,
      scopes: [UPDATE, "internal_application_internal_api_update"],
    });
    const path = `${APPLICATIONS}/${app.applicationId}/authorized-apis`;
    const post = (username: string, scopes: string[]) =>
      api.ask("POST", path, { body: { id, scopes }, as: { username, password: secret } });
    const refused = await post("updater", [USERS, "internal_user_mgt_create"]);
    expect([refused.status, refused.body.code]).toEqual([403, "APP-60520"]);
    expect(refused.body.description).toContain("internal_user_mgt_create");
    expect((await post("updater", [USERS])).status).toBe(200);
    const patch = (username: string) =>
      api.ask("PATCH", `${path}/${id}`, {
        body: { addedScopes: ["internal_user_mgt_create"] },
        as: { username, password: secret },
      });
    expect((await patch("updater")).status).toBe(403);
    expect((await patch("trusted")).status).toBe(200);
    expect(await own(app, `${USERS} internal_user_mgt_create`)).toBe(`${USERS} internal_user_mgt_create`);
  });
  test("for a token, the scopes of the token count, not those of its user", async () => {
    const UPDATE = "internal_application_mgt_update";
    const tool = await newClient([UPDATE, USERS]);
    const app = await newClient();
    const apis = (await api.ask("GET", "/api/server/v1/api-resources?filter=identifier+eq+/scim2/Users")).body;
    const id = apis.apiResources[0].id;
    const path = `${APPLICATIONS}/${app.applicationId}/authorized-apis`;
    const narrow = await ownToken(tool, UPDATE);
    const wide = await ownToken(tool, `${UPDATE} ${USERS}`);
    const post = (access: string) => api.ask("POST", path, { body: { id, scopes: [USERS] }, as: `Bearer ${access}` });
    expect([(await post(narrow)).status, (await post(wide)).status]).toEqual([403, 200]);
  });
  test("scopes of the tenant's own APIs can be authorized without having them", async () => {
    const app = await newClient();
    const id = await register({ name: "B", identifier: "business", scopes: scopesNamed("business:1") });
    await addUser(api.service, { username: "seller", password: secret, scopes: ["internal_application_mgt_update"] });
    const answer = await api.ask("POST", `${APPLICATIONS}/${app.applicationId}/authorized-apis`, {
      body: { id, scopes: ["business:1"] },
      as: { username: "seller", password: secret },
    });
    expect(answer.status).toBe(200);
  });
});
