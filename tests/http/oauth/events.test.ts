/**
 * Revocations end opaque and refresh tokens at once, and JWTs within the 30 seconds that a container's cache is fresh.
 * The containers here have clocks that the test sets.
 */
import { beforeAll, describe, expect, test } from "vitest";
import { keys } from "#core/database/table/keys.ts";
import { roleStore } from "#core/directory/roles/store.ts";
import { REVOCATION_FRESH_MS } from "#core/sign-in/authentication/token-validity.ts";
import { revokingUser } from "#core/tokens/revocation-store.ts";
import { container } from "#tests/support/authorizer.ts";
import { oauthOf, type TestClient, TOKEN } from "#tests/support/oauth.ts";
import { addUser, TENANT, tableOf } from "#tests/support/people.ts";
import { ADMIN, APPLICATIONS, world } from "#tests/support/world.ts";

const api = world();
const { newClient, post, token, ownToken, oidcPath } = oauthOf(api);
const VIEW = "internal_application_mgt_view";
const CREATE = "internal_application_mgt_create";
const password = "a good password";
const JWT = { accessToken: { type: "JWT" } };

const decide = async (each: ReturnType<typeof container>, access: string) =>
  (await each.ask(`Bearer ${access}`)).context.decision;
const lets = async (access: string) => (await api.ask("GET", APPLICATIONS, { as: `Bearer ${access}` })).status;
const refresh = async (client: TestClient, refresh_token: string | undefined) =>
  (await post(TOKEN, { grant_type: "refresh_token", refresh_token }, client)).body;

/** Tokens of both formats, before an event. */
interface Before {
  readonly opaque: TestClient;
  readonly jwt: TestClient;
}

/**
 * Issues tokens of both formats, applies an event, and checks the tokens: at once; in a container that has just
 * validated the JWT; after its cache has expired; and in a new container.
 */
const outcome = async (
  grant: Record<string, string>,
  what: (clients: Before) => Promise<unknown>,
  scopes: readonly string[] = [VIEW, CREATE],
) => {
  const clients: Before = { opaque: await newClient(scopes), jwt: await newClient(scopes, JWT) };
  const [opaque, jwt] = await Promise.all([token(clients.opaque, grant), token(clients.jwt, grant)]);
  const warm = container(api);
  expect([await lets(opaque.access_token), await decide(warm, jwt.access_token)]).toEqual([200, "allow"]);
  await what(clients);
  const atOnce = await lets(opaque.access_token);
  warm.clock.ms += REVOCATION_FRESH_MS + 1;
  return {
    clients,
    opaque,
    jwt,
    atOnce,
    later: await decide(warm, jwt.access_token),
    elsewhere: await decide(container(api), jwt.access_token),
  };
};
const ENDED = { atOnce: 401, later: "refuse", elsewhere: "refuse" };
const GOES_ON = { atOnce: 200, later: "allow", elsewhere: "allow" };
const both = (what: (client: TestClient) => Promise<unknown>) => (clients: Before) =>
  Promise.all([what(clients.opaque), what(clients.jwt)]);
const own = { grant_type: "client_credentials", scope: `${VIEW} ${CREATE}` };
const ofAdmin = { grant_type: "password", ...ADMIN, scope: `${VIEW} ${CREATE}` };

describe("events of a client:", () => {
  const events: [string, (client: TestClient) => Promise<unknown>][] = [
    ["its secret is regenerated", (client) => api.ask("POST", `${oidcPath(client.applicationId)}/regenerate-secret`)],
    ["it is revoked", (client) => api.ask("POST", `${oidcPath(client.applicationId)}/revoke`)],
    ["its settings are deleted", (client) => api.ask("DELETE", oidcPath(client.applicationId))],
    ["its application is deleted", (client) => api.ask("DELETE", `${APPLICATIONS}/${client.applicationId}`)],
    [
      "its application is disabled",
      (client) => api.ask("PATCH", `${APPLICATIONS}/${client.applicationId}`, { body: { applicationEnabled: false } }),
    ],
  ];
  test.each(events)("all tokens end when %s", async (_, event) => {
    for (const grant of [own, ofAdmin]) {
      expect(await outcome(grant, both(event))).toMatchObject(ENDED);
    }
  });
  test("refresh tokens end too, and new tokens are valid at once", async () => {
    const { clients, opaque, jwt } = await outcome(
      ofAdmin,
      both((client) => api.ask("POST", `${oidcPath(client.applicationId)}/regenerate-secret`)),
    );
    for (const [client, pair] of [
      [clients.opaque, opaque],
      [clients.jwt, jwt],
    ] as const) {
      const { clientSecret } = (await api.ask("GET", oidcPath(client.applicationId))).body;
      const fresh = { ...client, clientSecret };
      expect((await refresh(fresh, pair.refresh_token)).error).toBe("invalid_grant");
      const next = await token(fresh, ofAdmin);
      expect([await lets(next.access_token), await decide(container(api), next.access_token)]).toEqual([200, "allow"]);
      expect((await refresh(fresh, next.refresh_token)).scope).toBe(ofAdmin.scope);
    }
  });
  test("a later client with the same id inherits no tokens, and its own tokens are valid at once", async () => {
    const one = await newClient([VIEW], { clientId: "inherited", clientSecret: "an-heirs-secret-7Qx2vLr9" });
    const old = await ownToken(one, VIEW);
    await api.ask("DELETE", `${APPLICATIONS}/${one.applicationId}`);
    const heir = await newClient([VIEW], { clientId: "inherited", clientSecret: "an-heirs-secret-7Qx2vLr9" });
    expect([await lets(old), await lets(await ownToken(heir, VIEW))]).toEqual([401, 200]);
  });
  test("no token ends when other settings of the application change", async () => {
    const change = async ({ applicationId }: TestClient) => {
      await api.ask("PATCH", `${APPLICATIONS}/${applicationId}`, { body: { description: "changed" } });
      const { body } = await api.ask("GET", oidcPath(applicationId));
      await api.ask("PUT", oidcPath(applicationId), { body: { ...body, callbackURLs: ["https://x.example/cb"] } });
    };
    expect(await outcome(ofAdmin, both(change))).toMatchObject(GOES_ON);
  });
});

describe("events of an authorized API:", () => {
  const apiOf = async () =>
    (await api.ask("GET", "/api/server/v1/api-resources?filter=identifier+eq+/api/server/v1/applications")).body
      .apiResources[0].id as string;
  const pathOf = async ({ applicationId }: TestClient) =>
    `${APPLICATIONS}/${applicationId}/authorized-apis/${await apiOf()}`;
  test.each<[string, (client: TestClient) => Promise<unknown>]>([
    ["it is removed", async (client) => api.ask("DELETE", await pathOf(client))],
    [
      "it loses a scope that they hold",
      async (client) => api.ask("PATCH", await pathOf(client), { body: { removedScopes: [CREATE] } }),
    ],
  ])("tokens end when %s", async (_, event) => {
    for (const grant of [own, ofAdmin]) expect(await outcome(grant, both(event))).toMatchObject(ENDED);
  });
  test("tokens without the removed scope stay valid; refresh tokens get the remaining scopes", async () => {
    const event = async (client: TestClient) =>
      api.ask("PATCH", await pathOf(client), { body: { removedScopes: [CREATE] } });
    expect(await outcome({ ...own, scope: VIEW }, both(event))).toMatchObject(GOES_ON);
    const { clients, opaque, jwt } = await outcome(ofAdmin, both(event));
    for (const [client, pair] of [
      [clients.opaque, opaque],
      [clients.jwt, jwt],
    ] as const) {
      const next = await refresh(client, pair.refresh_token);
      expect(next.scope).toBe(VIEW);
      expect(await decide(container(api), next.access_token)).toBe("allow");
    }
  });
  test("a scope that is removed and added again is valid in new tokens at once", async () => {
    const client = await newClient([VIEW, CREATE], JWT);
    const path = await pathOf(client);
    const old = await ownToken(client, own.scope);
    await api.ask("PATCH", path, { body: { removedScopes: [CREATE] } });
    await api.ask("PATCH", path, { body: { addedScopes: [CREATE] } });
    const fresh = await ownToken(client, own.scope);
    expect([await decide(container(api), old), await decide(container(api), fresh)]).toEqual(["refuse", "allow"]);
  });
});

describe("events of a user:", () => {
  let made = 0;
  const newUser = async () => {
    made += 1;
    const username = `user-${made}`;
    const id = await addUser(api.service, { username, password, scopes: [VIEW, CREATE] });
    return { id, grant: { grant_type: "password", username, password, scope: `${VIEW} ${CREATE}` } };
  };
  const revoke = (id: string) => tableOf(api.service).write(...revokingUser(TENANT, id));

  test("all tokens end with the steps of `revokingUser`", async () => {
    const { id, grant } = await newUser();
    const { clients, opaque, jwt, ...found } = await outcome(grant, () => revoke(id));
    expect(found).toEqual(ENDED);
    expect((await refresh(clients.opaque, opaque.refresh_token)).error).toBe("invalid_grant");
    expect((await refresh(clients.jwt, jwt.refresh_token)).error).toBe("invalid_grant");
  });
  test("tokens of a later sign-in are valid at once, also those of its refresh token", async () => {
    const { id, grant } = await newUser();
    await revoke(id);
    for (const client of [await newClient([VIEW, CREATE]), await newClient([VIEW, CREATE], JWT)]) {
      const pair = await token(client, grant);
      const next = await refresh(client, pair.refresh_token);
      expect(next.scope).toBe(grant.scope);
      expect(await decide(container(api), next.access_token)).toBe("allow");
    }
  });
  test("tokens of other users and of the application itself stay valid", async () => {
    const [one, other] = [await newUser(), await newUser()];
    expect(await outcome(other.grant, () => revoke(one.id))).toMatchObject(GOES_ON);
    expect(await outcome(own, () => revoke(one.id))).toMatchObject(GOES_ON);
  });
});

describe("events of users and groups through SCIM:", () => {
  let made = 0;
  const secret = "a-long-password";
  const people = async () => {
    made += 1;
    const username = `scim-user-${made}`;
    const user = (await api.ask("POST", "/scim2/Users", { body: { userName: username, password: secret } })).body;
    const members = [{ value: user.id }];
    const group = (await api.ask("POST", "/scim2/Groups", { body: { displayName: `g ${made}`, members } })).body;
    const permissions = [{ value: VIEW }, { value: CREATE }];
    const role = { displayName: `r ${made}`, permissions, groups: [{ value: group.id }] };
    expect((await api.ask("POST", "/scim2/v2/Roles", { body: role })).status).toBe(201);
    const grant = { grant_type: "password", username, password: secret, scope: `${VIEW} ${CREATE}` };
    return { grant, user: `/scim2/Users/${user.id}`, group: `/scim2/Groups/${group.id}`, id: user.id as string };
  };
  const patch = (path: string, ...Operations: unknown[]) => api.ask("PATCH", path, { body: { Operations } });
  const set = (value: Record<string, unknown>) => ({ op: "replace", value });
  type People = Awaited<ReturnType<typeof people>>;

  test.each<[string, (who: People) => Promise<unknown>]>([
    ["the user is deleted", ({ user }) => api.ask("DELETE", user)],
    ["it is deactivated", ({ user }) => patch(user, set({ active: false }))],
    ["its account is locked", ({ user }) => patch(user, set({ "urn:scim:wso2:schema": { accountLocked: true } }))],
    ["its password is set", ({ user }) => patch(user, set({ password: "another-password" }))],
    [
      "it leaves the group that brings the role",
      ({ group, id }) => patch(group, { op: "remove", path: `members[value eq "${id}"]` }),
    ],
    ["the group is emptied", ({ group }) => patch(group, { op: "remove", path: "members" })],
    ["the group is deleted", ({ group }) => api.ask("DELETE", group)],
  ])("tokens end when %s", async (_, event) => {
    const who = await people();
    expect(await outcome(who.grant, () => event(who))).toMatchObject(ENDED);
  });
  test("tokens stay valid when other attributes change", async () => {
    const who = await people();
    const change = async () => {
      await patch(who.user, set({ nickName: "k" }));
      await patch(who.group, set({ displayName: `renamed ${made}` }));
    };
    expect(await outcome(who.grant, change)).toMatchObject(GOES_ON);
  });
});

describe("events of a role:", () => {
  let roleId = "";
  const grant = { grant_type: "password", username: "roled", password, scope: VIEW };
  let userId = "";
  beforeAll(async () => {
    userId = await addUser(api.service, { username: "roled", password });
    const { body } = await api.ask("POST", "/scim2/v2/Roles", {
      body: { displayName: "seen", permissions: [{ value: VIEW }], users: [{ value: userId }] },
    });
    roleId = body.id;
  });
  const store = () => roleStore(tableOf(api.service));
  test("tokens with its scopes end when a user loses it; other tokens stay valid", async () => {
    const lose = () =>
      store().update(TENANT, roleId, Date.now(), async (before) => ({
        after: before,
        adding: [],
        removing: [{ kind: "user", id: userId }],
      }));
    const { clients, opaque, ...found } = await outcome(grant, lose, [VIEW]);
    expect(found).toMatchObject(ENDED);
    const next = await refresh(clients.opaque, opaque.refresh_token);
    expect([typeof next.access_token, next.scope]).toEqual(["string", undefined]);
    const gain = () =>
      store().update(TENANT, roleId, Date.now(), async (before) => ({
        after: before,
        adding: [{ kind: "user", id: userId }],
        removing: [],
      }));
    await gain();
    expect(await outcome(ofAdmin, lose)).toMatchObject(GOES_ON);
  });
  test("tokens with its scopes end when its permissions change or it is deleted; new tokens are valid at once", async () => {
    await store().update(TENANT, roleId, Date.now(), async (before) => ({
      after: before,
      adding: (await store().assigneeIds(TENANT, roleId, "user", 1)).length > 0 ? [] : [{ kind: "user", id: userId }],
      removing: [],
    }));
    const widen = () =>
      store().update(TENANT, roleId, Date.now(), async (before) => ({
        after: { ...before, permissions: [VIEW, CREATE] },
        adding: [],
        removing: [],
      }));
    const { clients, jwt, ...found } = await outcome(grant, widen, [VIEW]);
    expect(found).toMatchObject(ENDED);
    const next = await refresh(clients.jwt, jwt.refresh_token);
    expect(await decide(container(api), next.access_token)).toBe("allow");
    expect(await outcome(grant, () => store().remove(TENANT, roleId, () => undefined), [VIEW])).toMatchObject(ENDED);
  });
});

test("tokens of an inactive tenant are not valid", async () => {
  const set = (active: boolean) =>
    tableOf(api.service).write({
      change: keys.tenant(TENANT),
      set: { active },
      when: "present",
      otherwise: () => new Error("gone"),
    });
  const client = await newClient([VIEW], JWT);
  const opaque = await ownToken(await newClient([VIEW]), VIEW);
  const access = await ownToken(client, VIEW);
  const warm = container(api);
  await decide(warm, access);
  await set(false);
  try {
    expect(await lets(opaque)).toBe(401);
    warm.clock.ms += REVOCATION_FRESH_MS + 1;
    expect(await decide(warm, access)).toBe("refuse");
    expect((await post(TOKEN, own, client)).status).toBe(401);
  } finally {
    await set(true);
  }
});
