/** Why somebody can do something: what is said to whom, by which ways, and what is missing. */
import { describe, expect, test } from "vitest";
import { apiResourcesOf, scopesNamed, UNKNOWN_ID } from "#tests/support/api-resources.ts";
import { oauthOf, type TestClient, TOKEN } from "#tests/support/oauth.ts";
import { addUser } from "#tests/support/people.ts";
import { saasOf } from "#tests/support/saas.ts";
import { APPLICATIONS, type Ask, basic, world } from "#tests/support/world.ts";
import { costOf, heard, isAuthorizer } from "#tools/bench/calls.ts";

const RULES = `
[[resource.access_control]]
context = "/api/server/v1/claim-dialects*"
http_method = "GET"
scope = "internal_claim_meta_view internal_login"

[[resource.access_control]]
context = "/api/server/v1/userstores*"
http_method = "all"
allowed_auth_handlers = "OAuthAuthentication"
`;
const api = world({ deployment: RULES });
const oauth = oauthOf(api);
const resources = apiResourcesOf(api);
const saas = saasOf(api);
const EXPLAIN = "/api/server/v1/access/explain";
const password = "a-good-Password-1";
const SEES = {
  user: "internal_user_mgt_view",
  group: "internal_group_mgt_view",
  role: "internal_role_mgt_view",
  application: "internal_application_mgt_view",
  api: "internal_api_resource_view",
};

let made = 0;
const unique = (name: string) => {
  made += 1;
  return `${name}-${made}`;
};
const sent = async (method: string, path: string, body: unknown, status = 201) => {
  const answer = await api.ask(method, path, { body });
  expect([answer.status, answer.text], `${method} ${path}`).toEqual([status, answer.text]);
  return answer.body;
};
const newUser = async (more: object = {}) => {
  const userName = unique("kim");
  return { userName, id: (await sent("POST", "/scim2/Users", { userName, password, ...more })).id as string };
};
const newGroup = async (...members: string[]): Promise<string> =>
  (
    await sent("POST", "/scim2/Groups", {
      displayName: unique("drivers"),
      members: members.map((value) => ({ value })),
    })
  ).id;
const newRole = async (scopes: readonly string[], more: object = {}): Promise<string> =>
  (
    await sent("POST", "/scim2/v2/Roles", {
      displayName: unique("dispatchers"),
      permissions: scopes.map((value) => ({ value })),
      ...more,
    })
  ).id;
const holding = (users: readonly string[], groups: readonly string[] = []) => ({
  users: users.map((value) => ({ value })),
  groups: groups.map((value) => ({ value })),
});
const explain = async (question: object, ask: Ask = {}) => api.ask("POST", EXPLAIN, { body: question, ...ask });
const explained = async (question: object, ask: Ask = {}) => {
  const answer = await explain(question, ask);
  expect([answer.status, answer.text]).toEqual([200, answer.text]);
  return answer.body;
};
interface ShownRequirement {
  readonly name: string;
  readonly scope?: string;
  readonly isMet: boolean;
  readonly paths: readonly { links: readonly { type: string; id: string; name?: string }[]; hiddenLinks: number }[];
  readonly missing: readonly { reason: string; link?: { type: string; id: string } }[];
  readonly hiddenMissing: number;
}
const unmet = ({ requirements }: { requirements: readonly ShownRequirement[] }) =>
  requirements.filter(({ isMet }) => !isMet).map(({ name, missing }) => [name, missing.map(({ reason }) => reason)]);
const waysTo = ({ requirements }: { requirements: readonly ShownRequirement[] }, name = "scope") =>
  requirements
    .filter((one) => one.name === name)
    .flatMap(({ paths }) => paths.map(({ links }) => links.map(({ type }) => type)));
/** A caller with these scopes alone. */
const limited = async (...scopes: string[]) => {
  const who = { username: unique("manager"), password };
  await addUser(api.service, { ...who, scopes });
  return { as: who };
};
const reaches = async (path: string, as: Ask["as"]) => {
  const { status } = await api.ask("GET", path, { as: as ?? null });
  return status !== 401 && status !== 403;
};
const tokenOf = async (client: TestClient, userName: string, fields: object = {}) =>
  oauth.post(TOKEN, { grant_type: "password", username: userName, password, scope: "SYSTEM", ...fields }, client);

describe("explainAccess of a user who calls directly", () => {
  test("shows each way: over roles of the user, of its groups, and of everyone", async () => {
    const { id, userName } = await newUser();
    const group = await newGroup(id);
    const own = await newRole(["internal_user_mgt_list"], holding([id]));
    const ofGroup = await newRole(["internal_user_mgt_list"], holding([], [group]));
    const answer = await explained({ subject: { type: "user", id }, operation: "listUsers" });
    expect(answer).toMatchObject({
      decision: true,
      operation: { id: "listUsers", method: "GET", path: "/scim2/Users" },
      isPublic: false,
      isPart: false,
      credentials: ["BasicAuthentication"],
    });
    const scope = { type: "scope", id: "internal_user_mgt_list" };
    const user = { type: "user", id, name: userName };
    const [{ paths, totalPaths }] = answer.requirements.filter(({ name }: ShownRequirement) => name === "scope");
    expect(totalPaths).toBe(2);
    expect(paths).toEqual(
      expect.arrayContaining([
        {
          links: [user, expect.objectContaining({ type: "role", id: own, audience: "organization" }), scope],
          hiddenLinks: 0,
        },
        {
          links: [
            user,
            { type: "group", id: group, name: expect.stringContaining("drivers") },
            expect.objectContaining({ type: "role", id: ofGroup }),
            scope,
          ],
          hiddenLinks: 0,
        },
      ]),
    );
    expect(await reaches("/scim2/Users", { username: userName, password })).toBe(true);
  });

  test("says that no role includes the scope, or that the role is of an application", async () => {
    const { id, userName } = await newUser();
    const question = { subject: { type: "user", id }, operation: "GET /scim2/Users" };
    expect(unmet(await explained(question))).toEqual([["scope", ["no_role"]]]);
    const value = await api.create({ name: unique("app") });
    const role = await newRole(["internal_user_mgt_list"], {
      ...holding([id]),
      audience: { type: "application", value },
    });
    const answer = await explained(question);
    expect([answer.decision, unmet(answer)]).toEqual([false, [["scope", ["role_of_application"]]]]);
    expect(answer.requirements.at(-1).missing[0].link).toMatchObject({
      type: "role",
      id: role,
      audience: "application",
    });
    expect(await reaches("/scim2/Users", { username: userName, password })).toBe(false);
  });

  test("says that the account or the password keeps the user out", async () => {
    const { id } = await newUser({ active: false });
    expect(unmet(await explained({ subject: { type: "user", id }, scope: "internal_login" }))).toEqual([
      ["account", ["account_inactive"]],
    ]);
    const other = await newUser({ "urn:scim:wso2:schema": { forcePasswordReset: true } });
    expect(unmet(await explained({ subject: { type: "user", id: other.id }, operation: "getMe" }))).toEqual([
      ["credential", ["password_must_change"]],
    ]);
    expect(await reaches("/scim2/Me", { username: other.userName, password })).toBe(false);
  });

  test("names the rule of deployment.toml that decides, and what it asks for", async () => {
    const { id } = await newUser();
    const subject = { type: "user", id };
    const claims = await explained({ subject, operation: "listClaimDialects" });
    expect(claims.rule).toEqual({
      place: expect.stringContaining("resource.access_control number 1"),
      scopes: ["internal_claim_meta_view", "internal_login"],
    });
    expect([claims.decision, unmet(claims)]).toEqual([false, [["scope", ["no_role"]]]]);
    expect(waysTo(claims)).toEqual([["user", "scope"]]);
    const stores = await explained({ subject, operation: "GET /api/server/v1/userstores" });
    expect(unmet(stores)[0]).toEqual(["credential", ["credential_kind"]]);
  });

  test("counts a partial scope, and says that it is a part", async () => {
    const { id } = await newUser();
    await newRole(["internal_role_mgt_users_update"], holding([id]));
    const answer = await explained({ subject: { type: "user", id }, operation: "patchRole" });
    expect([answer.decision, answer.isPart]).toEqual([true, true]);
  });

  test("says that anybody may call a public operation", async () => {
    const { id } = await newUser({ active: false });
    expect(await explained({ subject: { type: "user", id }, operation: "getJwks" })).toMatchObject({
      decision: true,
      isPublic: true,
      requirements: [],
    });
  });
});

describe("explainAccess by an application", () => {
  test("shows the application and its API between the role and the scope, as a token has it", async () => {
    const client = await oauth.newClient(["internal_user_mgt_list"]);
    const { id, userName } = await newUser();
    const role = await newRole(["internal_user_mgt_list", "internal_user_mgt_create"], holding([id]));
    const question = { subject: { type: "user", id }, application: client.applicationId };
    const answer = await explained({ ...question, operation: "listUsers" });
    expect([answer.decision, answer.credentials]).toEqual([true, ["OAuthAuthentication"]]);
    expect(waysTo(answer)).toEqual([["user", "role", "application", "api", "scope"]]);
    expect(answer.requirements.at(-1).paths[0].links[3]).toMatchObject({ name: "SCIM2 Users API" });
    const bearer = `Bearer ${(await tokenOf(client, userName)).body.access_token}`;
    expect(await reaches("/scim2/Users", bearer)).toBe(true);
    expect(unmet(await explained({ ...question, operation: "createUser" }))).toEqual([
      ["scope", ["api_not_authorized"]],
    ]);
    expect((await api.ask("POST", "/scim2/Users", { as: bearer, body: { userName: "x" } })).status).toBe(403);
    await sent("DELETE", `/scim2/v2/Roles/${role}`, undefined, 204);
    expect(unmet(await explained({ ...question, operation: "listUsers" }))).toEqual([["scope", ["no_role"]]]);
  });

  test("says which roles the application does not count", async () => {
    const client = await oauth.newClient(["internal_user_mgt_list"]);
    const { id } = await newUser();
    await newRole(["internal_user_mgt_list"], holding([id]));
    const path = `${APPLICATIONS}/${client.applicationId}`;
    await sent("PATCH", path, { associatedRoles: { allowedAudience: "APPLICATION" } }, 200);
    const question = { subject: { type: "user", id }, application: client.applicationId, operation: "listUsers" };
    expect(unmet(await explained(question))).toEqual([["scope", ["role_not_counted"]]]);
  });

  test("shows by what the user is assigned, or that it is not", async () => {
    const client = await oauth.newClient(["internal_user_mgt_list"]);
    const { id, userName } = await newUser();
    const group = await newGroup(id);
    const role = await newRole(["internal_user_mgt_list"], holding([], [group]));
    const path = `${APPLICATIONS}/${client.applicationId}`;
    await sent("PATCH", path, { advancedConfigurations: { enableAuthorization: true } }, 200);
    const question = { subject: { type: "user", id }, application: client.applicationId, operation: "listUsers" };
    expect(unmet(await explained(question))).toEqual([["assignment", ["not_assigned"]]]);
    expect((await tokenOf(client, userName)).status).toBe(400);
    await sent("POST", `${path}/assignments`, { type: "group", id: group });
    await sent("POST", `${path}/assignments`, { type: "role", id: role });
    const answer = await explained(question);
    expect(answer.decision).toBe(true);
    expect(waysTo(answer, "assignment")).toEqual([
      ["user", "group", "application"],
      ["user", "group", "role", "application"],
    ]);
    expect((await tokenOf(client, userName)).status).toBe(200);
  });

  test("says why an application gets no token", async () => {
    const { id } = await newUser();
    const ask = (application: string) =>
      explained({ subject: { type: "user", id }, application, scope: "internal_login" });
    expect(unmet(await ask(await api.create({ name: unique("plain") })))[0]).toEqual(["application", ["no_client"]]);
    const machine = await oauth.newClient([], { grantTypes: ["client_credentials"] });
    expect(unmet(await ask(machine.applicationId))).toEqual([["application", ["no_grant"]]]);
    await sent("PATCH", `${APPLICATIONS}/${machine.applicationId}`, { applicationEnabled: false }, 200);
    expect(unmet(await ask(machine.applicationId))).toEqual([["application", ["application_disabled"]]]);
  });

  test("bounds a token by the scopes and the resources that it was requested with", async () => {
    const client = await oauth.newClient(["internal_user_mgt_list", "internal_group_mgt_view"]);
    const { id, userName } = await newUser();
    await newRole(["internal_user_mgt_list"], holding([id]));
    const question = { subject: { type: "user", id }, application: client.applicationId, operation: "listUsers" };
    const within = (token: object) => explained({ ...question, token }).then(unmet);
    expect(await within({ scopes: ["internal_group_mgt_view"] })).toEqual([["scope", ["not_in_token"]]]);
    expect(await within({ resources: [`${api.url}/scim2`] })).toEqual([]);
    const elsewhere = { resources: [`${api.url}/api/server/v1`] };
    expect(await within(elsewhere)).toEqual([
      ["resource", ["other_resource"]],
      ["scope", ["not_of_resource"]],
    ]);
    const { body } = await tokenOf(client, userName, { resource: elsewhere.resources[0] });
    expect(await reaches("/scim2/Users", `Bearer ${body.access_token}`)).toBe(false);
    expect((await explain({ ...question, token: { resources: ["https://unknown.example"] } })).status).toBe(400);
  });

  test("decides about scopes of an API of the tenant, which count in tokens only", async () => {
    const name = unique("orders");
    const apiId = await resources.register({ identifier: `https://${name}.example`, name, scopes: scopesNamed(name) });
    const client = await oauth.newClient();
    await resources.authorize(client.applicationId, { id: apiId, scopes: [name] });
    const { id, userName } = await newUser();
    await newRole([name], holding([id]));
    const question = { subject: { type: "user", id }, scope: name };
    expect(unmet(await explained(question))).toEqual([["scope", ["needs_token"]]]);
    const answer = await explained({ ...question, application: client.applicationId });
    expect([answer.decision, answer.requirements.at(-1).paths[0].links[3].name]).toEqual([true, name]);
    expect((await tokenOf(client, userName, { scope: name })).body.scope).toBe(name);
  });

  test("decides about an application on its own behalf", async () => {
    const client = await oauth.newClient(["internal_user_mgt_list"]);
    const subject = { type: "client", id: client.clientId };
    const answer = await explained({ subject, operation: "listUsers" });
    expect([answer.decision, waysTo(answer)]).toEqual([true, [["client", "application", "api", "scope"]]]);
    expect(unmet(await explained({ subject, operation: "createUser" }))).toEqual([["scope", ["api_not_authorized"]]]);
    const own = await oauth.ownToken(client, "SYSTEM");
    expect(await reaches("/scim2/Users", `Bearer ${own}`)).toBe(true);
  });
});

describe("explainAccess to callers who see less", () => {
  test("counts what a caller with its scope alone may not see, and names nothing", async () => {
    const { id, userName } = await newUser();
    const group = await newGroup(id);
    const client = await oauth.newClient(["internal_user_mgt_list"]);
    const role = await newRole(["internal_user_mgt_list"], holding([], [group]));
    const blind = await limited("internal_access_view");
    const question = { subject: { type: "user", id }, application: client.applicationId, operation: "listUsers" };
    const answer = await explain(question, blind);
    expect(answer.body.decision).toBe(true);
    expect(answer.body.requirements.at(-1).paths).toEqual([
      { links: [{ type: "scope", id: "internal_user_mgt_list" }], hiddenLinks: 5 },
    ]);
    for (const secret of [id, userName, group, role, client.applicationId, client.clientId, "dispatchers", "drivers"]) {
      expect(answer.text).not.toContain(secret);
    }
    const inactive = await newUser({ active: false });
    const told = await explained({ subject: { type: "user", id: inactive.id }, scope: "internal_login" }, blind);
    expect(told.requirements[0]).toMatchObject({ isMet: false, missing: [], hiddenMissing: 1 });
  });

  test.each(Object.entries(SEES))("shows links of the type %s with the scope that reads it", async (type, scope) => {
    const { id } = await newUser();
    const group = await newGroup(id);
    const client = await oauth.newClient(["internal_user_mgt_list"]);
    await newRole(["internal_user_mgt_list"], holding([], [group]));
    const question = { subject: { type: "user", id }, application: client.applicationId, operation: "listUsers" };
    const { requirements } = await explained(question, await limited("internal_access_view", scope));
    const [path] = requirements.at(-1).paths;
    expect(path.hiddenLinks).toBe(4);
    expect(path.links.map((link: { type: string }) => link.type)).toEqual([type, "scope"]);
    expect(path.links[0].name).toEqual(expect.any(String));
  });

  test("is 403 without its scope, and 401 without a credential", async () => {
    const question = { subject: { type: "user", id: UNKNOWN_ID }, operation: "listUsers" };
    expect((await explain(question, await limited("internal_user_mgt_view"))).status).toBe(403);
    expect((await explain(question, { as: null })).status).toBe(401);
  });
});

describe("explainAccess of what is not there", () => {
  test("is 404 alike for a subject or application of another tenant and one that does not exist", async () => {
    const acme = await saas.newTenant("acme-explains.example");
    const stranger = await acme.newUser("kim");
    const theirs = await acme.newApplication();
    const { id } = await newUser();
    const ask = (subject: object, more: object = {}) => explain({ subject, operation: "listUsers", ...more });
    for (const [foreign, unknown] of [
      [await ask({ type: "user", id: stranger }), await ask({ type: "user", id: UNKNOWN_ID })],
      [await ask({ type: "client", id: theirs.clientId }), await ask({ type: "client", id: "nothing" })],
      [
        await ask({ type: "user", id }, { application: theirs.applicationId }),
        await ask({ type: "user", id }, { application: UNKNOWN_ID }),
      ],
    ] as const) {
      expect([foreign.status, unknown.status]).toEqual([404, 404]);
      const ids = [stranger, theirs.clientId, theirs.applicationId, UNKNOWN_ID, "nothing"];
      const without = ({ description }: { description: string }) =>
        ids.reduce((text, one) => text.replace(one, ""), description);
      expect([foreign.body.code, without(foreign.body)]).toEqual([unknown.body.code, without(unknown.body)]);
    }
    expect(
      (await acme.ask("POST", EXPLAIN, { body: { subject: { type: "user", id: stranger }, operation: "listUsers" } }))
        .status,
    ).toBe(200);
    expect(
      (await acme.ask("POST", EXPLAIN, { body: { subject: { type: "user", id }, operation: "listUsers" } })).status,
    ).toBe(404);
  });

  test("is 404 for an application that is not that of the client", async () => {
    const [one, other] = [await oauth.newClient(), await oauth.newClient()];
    const question = { subject: { type: "client", id: one.clientId }, scope: "internal_login" };
    expect((await explain({ ...question, application: other.applicationId })).status).toBe(404);
    expect((await explain({ ...question, application: one.applicationId })).status).toBe(200);
  });

  test("is 400 with what to do for an unknown operation or scope", async () => {
    const { id } = await newUser();
    const subject = { type: "user", id };
    const said = async (question: object) => {
      const { status, body } = await explain({ subject, ...question });
      return [status, body.description];
    };
    expect(await said({ operation: "listUser" })).toEqual([400, expect.stringContaining("Did you mean listUsers?")]);
    expect(await said({ operation: "GET /scim2/User" })).toEqual([400, expect.stringContaining("/scim2/Users")]);
    expect(await said({ operation: "FLY /scim2/Users" })).toEqual([400, expect.stringContaining("openapi.json")]);
    expect(await said({ scope: "internal_user_mgt_lists" })).toEqual([
      400,
      expect.stringContaining("Did you mean internal_user_mgt_list?"),
    ]);
    expect(await said({ scope: "constructor" })).toEqual([400, expect.stringContaining("/api/server/v1/scopes")]);
    expect(await said({ operation: "__proto__" })).toEqual([400, expect.any(String)]);
    expect(await said({})).toEqual([400, expect.stringContaining("either operation or scope")]);
    expect(await said({ operation: "listUsers", scope: "internal_login" })).toEqual([400, expect.any(String)]);
    expect(await said({ operation: "listUsers", token: { scopes: [] } })).toEqual([
      400,
      expect.stringContaining("send application too"),
    ]);
    expect((await explain({ subject: { type: "group", id }, operation: "listUsers" })).status).toBe(400);
    expect((await explain({ subject: { type: "user", id: "a#b" }, operation: "listUsers" })).status).toBe(404);
  });
});

test("an explanation costs at most five round trips, in any number of groups and roles", async () => {
  const { id } = await newUser();
  const client = await oauth.newClient(["internal_user_mgt_list"]);
  const path = `${APPLICATIONS}/${client.applicationId}`;
  await sent("PATCH", path, { advancedConfigurations: { enableAuthorization: true } }, 200);
  for (let at = 0; at < 12; at += 1) {
    const group = await newGroup(id);
    await newRole(["internal_user_mgt_list"], holding([], [group]));
    if (at % 3 === 0) await sent("POST", `${path}/assignments`, { type: "group", id: group });
  }
  const question = { subject: { type: "user", id }, application: client.applicationId, operation: "listUsers" };
  const { lines } = await heard(() => explained(question, { as: basic({ username: "admin", password: "admin" }) }));
  const { roundTrips } = costOf(lines.find((line) => !isAuthorizer(line)));
  expect(roundTrips).toBe(4);
});
