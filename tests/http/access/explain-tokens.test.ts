/**
 * An explanation says what happens to requests with real tokens and passwords: random users, groups, roles and
 * applications of one tenant, made by the API. tests/unit/access/explain.random.test.ts asks far more, in memory.
 */
import { expect, test } from "vitest";
import { operations } from "#core/service/catalogue.ts";
import { oauthOf, type TestClient, TOKEN } from "#tests/support/oauth.ts";
import { randomOf } from "#tests/support/random.ts";
import { APPLICATIONS, basic, world } from "#tests/support/world.ts";

const api = world();
const oauth = oauthOf(api);
const password = "a-good-Password-1";
const SCOPES = [
  ...["internal_user_mgt_list", "internal_user_mgt_view", "internal_group_mgt_view", "internal_role_mgt_view"],
  ...["internal_application_mgt_view", "internal_audit_view", "internal_api_resource_view", "internal_list_tenants"],
];
/** Reads of lists: an answer other than 401 and 403 shows that the door was open. */
const OPERATIONS = [
  ...["listUsers", "listGroups", "listRoles", "listApplications", "listAuditEvents", "listApiResources"],
  ...["listTenants", "listUserStores", "getJwks"],
] as const;

test("in 200 random questions, requests are served as explanations say", { timeout: 120_000 }, async () => {
  const random = randomOf(42);
  const some = <T>(from: readonly T[], share: number) => from.filter(() => random.chance(share));
  const make = async (path: string, body: object): Promise<string> => {
    const answer = await api.ask("POST", path, { body });
    expect([answer.status, answer.text]).toEqual([201, answer.text]);
    return answer.body.id;
  };
  const each = async <T>(count: number, one: (at: number) => Promise<T>): Promise<T[]> => {
    const all: T[] = [];
    for (let at = 0; at < count; at += 1) all.push(await one(at));
    return all;
  };
  const values = (ids: readonly string[]) => ids.map((value) => ({ value }));
  const names = Array.from({ length: 8 }, (_, at) => `person-${at}`);
  const users = await each(8, (at) => make("/scim2/Users", { userName: names[at], password, active: at !== 7 }));
  const groups = await each(5, (at) =>
    make("/scim2/Groups", { displayName: `people ${at}`, members: values(some(users, 0.4)) }),
  );
  const clients: TestClient[] = await each(6, async () => {
    const client = await oauth.newClient(some(SCOPES, 0.7));
    if (random.chance(0.4)) {
      const path = `${APPLICATIONS}/${client.applicationId}`;
      await api.ask("PATCH", path, { body: { advancedConfigurations: { enableAuthorization: true } } });
      for (const id of some(groups, 0.4)) await make(`${path}/assignments`, { type: "group", id });
      for (const id of some(users, 0.2)) await make(`${path}/assignments`, { type: "user", id });
    }
    return client;
  });
  for (let at = 0; at < 10; at += 1) {
    const value = random.chance(0.3) ? random.of(clients).applicationId : undefined;
    await make("/scim2/v2/Roles", {
      displayName: `role ${at}`,
      permissions: values(some(SCOPES, 0.3)),
      users: values(some(users, 0.25)),
      groups: values(some(groups, 0.3)),
      ...(value !== undefined && { audience: { type: "application", value } }),
    });
  }
  const counted = { yes: 0, no: 0 };
  for (let at = 0; at < 200; at += 1) {
    const client = random.chance(0.7) ? random.of(clients) : undefined;
    const isOwn = client !== undefined && random.chance(0.2);
    const who = random.upTo(users.length);
    const operation = random.of(OPERATIONS);
    const { body } = await api.ask("POST", "/api/server/v1/access/explain", {
      body: {
        subject: isOwn ? { type: "client", id: client.clientId } : { type: "user", id: users[who] },
        operation,
        ...(client && { application: client.applicationId }),
      },
    });
    const username = names[who] ?? "";
    const grant = isOwn ? { grant_type: "client_credentials" } : { grant_type: "password", username, password };
    const token = client && (await oauth.post(TOKEN, { ...grant, scope: "SYSTEM" }, client)).body.access_token;
    const as = client ? token && `Bearer ${token}` : basic({ username, password });
    const { path } = operations[operation] ?? { path: "" };
    const { status } = await api.ask("GET", path, { as: as ?? null });
    expect([at, operation, body.decision, status]).toEqual([at, operation, status !== 401 && status !== 403, status]);
    counted[body.decision ? "yes" : "no"] += 1;
  }
  expect(Math.min(counted.yes, counted.no)).toBeGreaterThan(40);
});
