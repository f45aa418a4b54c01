/** What adds to the logs of revocations: real changes, once each. */
import { beforeAll, describe, expect, test } from "vitest";
import { keys } from "#core/database/table/keys.ts";
import { digestOf } from "#core/tokens/opaque.ts";
import { container } from "#tests/support/authorizer.ts";
import { oauthOf, type TestClient, TOKEN } from "#tests/support/oauth.ts";
import { TENANT, tableOf } from "#tests/support/people.ts";
import { URN } from "#tests/support/scim.ts";
import { ADMIN, APPLICATIONS, world } from "#tests/support/world.ts";

const api = world();
const { newClient, post, token, ownToken, oidcPath } = oauthOf(api);
const VIEW = "internal_application_mgt_view";
const CREATE = "internal_application_mgt_create";
const PASSWORD = { grant_type: "password", ...ADMIN, scope: VIEW };
const REVOKE = "/oauth2/revoke";
const ROLES = "/scim2/v2/Roles";
const password = "a-long-password";

let client: TestClient;
let jwtClient: TestClient;
beforeAll(async () => {
  client = await newClient([VIEW]);
  jwtClient = await newClient([VIEW], { accessToken: { type: "JWT" } });
});

const count = async (PK: string): Promise<number> =>
  (await tableOf(api.service).queryAll({ PK, limit: 10_000 })).length;
/** How many entries of both logs, and marks of the grant, some work adds. */
const added = async (work: () => Promise<unknown>): Promise<number> => {
  const logs = [keys.revocations(TENANT), keys.grantRevocations(TENANT)];
  const total = async () => (await Promise.all(logs.map(count))).reduce((sum, one) => sum + one);
  const before = await total();
  await work();
  return (await total()) - before;
};
const revoke = async (text: string | undefined, as: TestClient) =>
  expect((await post(REVOKE, { token: text }, as)).status).toBe(200);
const refresh = async (as: TestClient, text: string | undefined) =>
  (await post(TOKEN, { grant_type: "refresh_token", refresh_token: text }, as)).body;

describe("the holder of a token writes once for it:", () => {
  const kinds: [string, () => TestClient, (as: TestClient) => Promise<string | undefined>][] = [
    ["an opaque token of a client", () => client, (as) => ownToken(as, VIEW)],
    ["a JWT of a client", () => jwtClient, (as) => ownToken(as, VIEW)],
    ["an opaque token of a user", () => client, async (as) => (await token(as, PASSWORD)).access_token],
    ["a JWT of a user", () => jwtClient, async (as) => (await token(as, PASSWORD)).access_token],
    ["a refresh token", () => jwtClient, async (as) => (await token(as, PASSWORD)).refresh_token],
    [
      "a refreshed JWT",
      () => jwtClient,
      async (as) => (await refresh(as, (await token(as, PASSWORD)).refresh_token)).access_token,
    ],
    [
      "a refreshed opaque token",
      () => client,
      async (as) => (await refresh(as, (await token(as, PASSWORD)).refresh_token)).access_token,
    ],
  ];
  test.each(kinds)("%s, one after the other", async (_, as, get) => {
    const text = await get(as());
    expect(await added(() => revoke(text, as()))).toBe(1);
    expect(
      await added(async () => {
        for (let again = 0; again < 3; again += 1) await revoke(text, as());
      }),
    ).toBe(0);
  });
  test.each(kinds.filter(([name]) => name !== "a refresh token"))("%s, twenty times at once", async (_, as, get) => {
    const text = await get(as());
    expect(await added(() => Promise.all(Array.from({ length: 20 }, () => revoke(text, as()))))).toBe(1);
  });
  test("a token of another client, an unknown one and a replaced one write nothing", async () => {
    const pair = await token(jwtClient, PASSWORD);
    const next = await refresh(jwtClient, pair.refresh_token);
    const texts = [
      pair.access_token,
      pair.refresh_token,
      "junk",
      "a.b.c",
      `at_${"A".repeat(43)}`,
      `rt_${"A".repeat(43)}`,
    ];
    const other = await ownToken(client, VIEW);
    expect(
      await added(async () => {
        for (const text of texts) if (text !== pair.refresh_token) await revoke(text, jwtClient);
        await revoke(other, jwtClient);
        await revoke(next.access_token, client);
      }),
    ).toBe(0);
    expect((await api.ask("GET", APPLICATIONS, { as: `Bearer ${next.access_token}` })).status).toBe(200);
  });
});

describe("a refresh", () => {
  test("adds one entry for a JWT that it replaces, and none for an opaque token", async () => {
    const [jwt, opaque] = [await token(jwtClient, PASSWORD), await token(client, PASSWORD)];
    expect(await added(() => refresh(jwtClient, jwt.refresh_token))).toBe(1);
    expect(await added(() => refresh(client, opaque.refresh_token))).toBe(0);
  });
  test("adds none for a JWT that expires before every container would know of it", async () => {
    const brief = await newClient([VIEW], { accessToken: { type: "JWT", userAccessTokenExpiryInSeconds: 20 } });
    const pair = await token(brief, PASSWORD);
    expect(await added(async () => expect((await refresh(brief, pair.refresh_token)).error).toBeUndefined())).toBe(0);
  });
  test("keeps the mark of a replaced JWT for as long as that would live, also where new ones live shorter", async () => {
    const lasting = await newClient([VIEW], { accessToken: { type: "JWT", userAccessTokenExpiryInSeconds: 86_400 } });
    const pair = await token(lasting, PASSWORD);
    const path = oidcPath(lasting.applicationId);
    const { body } = await api.ask("GET", path);
    const accessToken = { ...body.accessToken, userAccessTokenExpiryInSeconds: 60 };
    expect((await api.ask("PUT", path, { body: { ...body, accessToken } })).status).toBeLessThan(300);
    expect((await refresh(lasting, pair.refresh_token)).expires_in).toBe(60);
    const { grant } = JSON.parse(Buffer.from(pair.access_token.split(".")[1] ?? "", "base64url").toString()).idp;
    const mark = await tableOf(api.service).get(keys.revocation(TENANT, `F:${grant}`));
    expect(Number(mark?.expiresAtSeconds)).toBeGreaterThan(Date.now() / 1_000 + 86_000);
  });
  test("whose sign-in ends while it runs leaves no token that outlives the mark", async () => {
    const pair = await token(jwtClient, PASSWORD);
    const { grant } = JSON.parse(Buffer.from(pair.access_token.split(".")[1] ?? "", "base64url").toString()).idp;
    await revoke(pair.refresh_token, jwtClient);
    const mark = await tableOf(api.service).get(keys.revocation(TENANT, `F:${grant}`));
    // A token that is issued within the lead of the revocation lives for an hour from then.
    expect(Number(mark?.expiresAtSeconds)).toBeGreaterThanOrEqual(Math.floor(Date.now() / 1_000) + 3_600);
  });
  test("at once with a revocation of the same sign-in leaves no valid token, whichever commits first", async () => {
    for (const as of [client, jwtClient]) {
      for (let round = 0; round < 5; round += 1) {
        const pair = await token(as, PASSWORD);
        const [next] = await Promise.all([refresh(as, pair.refresh_token), revoke(pair.access_token, as)]);
        const late = await container(api).ask(`Bearer ${pair.access_token}`);
        expect(late.context.decision).toBe("refuse");
        const isReplaced = next.access_token !== undefined;
        const decided = isReplaced
          ? (await container(api).ask(`Bearer ${next.access_token}`)).context.decision
          : "refuse";
        // A revocation of a token that was replaced before it was read ends nothing.
        const still = isReplaced ? (await refresh(as, next.refresh_token)).error : "invalid_grant";
        expect(decided === "allow").toBe(still === undefined);
      }
    }
  });
});

describe("a repeated change adds nothing:", () => {
  const sent = async (method: string, path: string, body?: unknown) => {
    const answer = await api.ask(method, path, body === undefined ? {} : { body });
    expect(answer.status, answer.text).toBeLessThan(300);
    return answer.body;
  };
  const patch = (path: string, ...Operations: readonly unknown[]) =>
    sent("PATCH", path, { schemas: [URN.patch], Operations });
  const refs = (...ids: readonly string[]) => ids.map((value) => ({ value }));
  let made = 0;
  const named = (kind: string) => {
    made += 1;
    return `${kind}-of-log-${made}`;
  };
  const newUser = async (): Promise<string> =>
    (await sent("POST", "/scim2/Users", { userName: named("user"), password })).id;
  const newGroup = async (...ids: readonly string[]): Promise<string> =>
    (await sent("POST", "/scim2/Groups", { displayName: named("group"), members: refs(...ids) })).id;
  const newRole = async (more: Record<string, unknown>): Promise<string> =>
    (await sent("POST", ROLES, { displayName: named("role"), permissions: refs(VIEW), ...more })).id;
  const apiId = async () =>
    (await sent("GET", "/api/server/v1/api-resources?filter=identifier+eq+/api/server/v1/applications")).apiResources[0]
      .id as string;

  /** Prepares something, and returns the change of it that is repeated. */
  const changes: Record<string, () => Promise<() => Promise<unknown>>> = {
    "a user is deactivated": async () => {
      const id = await newUser();
      return () => patch(`/scim2/Users/${id}`, { op: "replace", path: "active", value: false });
    },
    "a user is locked": async () => {
      const id = await newUser();
      const value = { [URN.system]: { accountLocked: true } };
      return () => patch(`/scim2/Users/${id}`, { op: "replace", value });
    },
    "a role loses a permission": async () => {
      const id = await newRole({});
      return () => patch(`${ROLES}/${id}`, { op: "replace", path: "permissions", value: refs(CREATE) });
    },
    "a role loses a user": async () => {
      const userId = await newUser();
      const id = await newRole({ users: refs(userId) });
      return () => patch(`${ROLES}/${id}`, { op: "remove", path: `users[value eq "${userId}"]` });
    },
    "a role gets a group": async () => {
      const [groupId, id] = [await newGroup(), await newRole({})];
      return () => patch(`${ROLES}/${id}`, { op: "add", path: "groups", value: refs(groupId) });
    },
    "a role loses a group": async () => {
      const groupId = await newGroup();
      const id = await newRole({ groups: refs(groupId) });
      return () => patch(`${ROLES}/${id}`, { op: "remove", path: `groups[value eq "${groupId}"]` });
    },
    "a group with a role loses a member": async () => {
      const userId = await newUser();
      const groupId = await newGroup(userId);
      await newRole({ groups: refs(groupId) });
      return () => patch(`/scim2/Groups/${groupId}`, { op: "remove", path: `members[value eq "${userId}"]` });
    },
    "an application is disabled": async () => {
      const { applicationId } = await newClient([VIEW]);
      return () => api.ask("PATCH", `${APPLICATIONS}/${applicationId}`, { body: { applicationEnabled: false } });
    },
    "a client is revoked": async () => {
      const { applicationId } = await newClient([VIEW]);
      return () => api.ask("POST", `${oidcPath(applicationId)}/revoke`);
    },
    "the settings of a client are deleted": async () => {
      const { applicationId } = await newClient([VIEW]);
      return () => api.ask("DELETE", oidcPath(applicationId));
    },
    "an authorized API loses a scope": async () => {
      const { applicationId } = await newClient([VIEW, CREATE]);
      const path = `${APPLICATIONS}/${applicationId}/authorized-apis/${await apiId()}`;
      return () => api.ask("PATCH", path, { body: { removedScopes: [CREATE] } });
    },
    "an authorized API is removed": async () => {
      const { applicationId } = await newClient([VIEW]);
      const path = `${APPLICATIONS}/${applicationId}/authorized-apis/${await apiId()}`;
      return () => api.ask("DELETE", path);
    },
    "an API resource is deleted": async () => {
      const scopes = [{ name: named("ride"), displayName: "Ride" }];
      const body = { name: named("API"), identifier: named("urn:api"), requiresAuthorization: true, scopes };
      const { id } = await sent("POST", "/api/server/v1/api-resources", body);
      return () => api.ask("DELETE", `/api/server/v1/api-resources/${id}`);
    },
    "a refresh token is used a second time": async () => {
      const pair = await token(jwtClient, PASSWORD);
      await refresh(jwtClient, pair.refresh_token);
      return () => refresh(jwtClient, pair.refresh_token);
    },
  };
  test.each(Object.entries(changes))("%s", async (_, prepare) => {
    const change = await prepare();
    expect(await added(change)).toBeGreaterThan(0);
    expect(await added(change)).toBe(0);
    expect(await added(change)).toBe(0);
  });
});

test("an opaque token of a sign-in that ended is removed, so that it ends at once", async () => {
  const pair = await token(client, PASSWORD);
  await revoke(pair.refresh_token, client);
  expect(await tableOf(api.service).get(keys.accessToken(digestOf(pair.access_token)))).toBeUndefined();
  expect((await api.ask("GET", APPLICATIONS, { as: `Bearer ${pair.access_token}` })).status).toBe(401);
});
