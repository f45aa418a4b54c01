/** An exchanged token ends with what it comes from, in both formats and through a chain; and it ends nothing else. */
import { beforeAll, describe, expect, test } from "vitest";
import { systemClock } from "#core/kernel/clock.ts";
import { REVOCATION_FRESH_MS } from "#core/sign-in/authentication/token-validity.ts";
import type { AccessToken, Exchange } from "#core/tokens/model.ts";
import { revocationStore, revokingGrant, revokingUser } from "#core/tokens/revocation-store.ts";
import { container } from "#tests/support/authorizer.ts";
import { ACCESS, exchangesOf } from "#tests/support/exchange.ts";
import type { TestClient } from "#tests/support/oauth.ts";
import { addUser, TENANT, tableOf } from "#tests/support/people.ts";
import { APPLICATIONS, world } from "#tests/support/world.ts";

const api = world();
const { service, exchange, exchanged, handedTo, post, token, oidcPath } = exchangesOf(api);
const VIEW = "internal_application_mgt_view";
const USERS = "internal_user_mgt_list";
const BOTH = `${VIEW} ${USERS}`;
const password = "a good password";
const PATCH_OP = "urn:ietf:params:scim:api:messages:2.0:PatchOp";

let reader: TestClient;
beforeAll(async () => {
  reader = await service(["internal_oauth2_introspect"]);
});
const isActive = async (text: string) => (await post("/oauth2/introspect", { token: text }, reader)).body.active;
const patchUser = (id: string, path: string, value: unknown) =>
  api.ask("PATCH", `/scim2/Users/${id}`, {
    body: { schemas: [PATCH_OP], Operations: [{ op: "replace", path, value }] },
  });
const patchApplication = ({ applicationId }: TestClient, body: unknown) =>
  api.ask("PATCH", `${APPLICATIONS}/${applicationId}`, { body });
const revoke = (text: string | undefined, client: TestClient) => post("/oauth2/revoke", { token: text }, client);

let made = 0;
/** A chain: a user signs in at the first client; the second one acts for the user, and the third one for both. */
const chainOf = async (type: string) => {
  made += 1;
  const username = `subject-${made}`;
  const helper = `helper-${made}`;
  const userId = await addUser(api.service, { username, password, scopes: [VIEW, USERS] });
  const helperId = await addUser(api.service, { username: helper, password });
  const [first, second, third] = await Promise.all(
    [1, 2, 3].map(() => service([VIEW, USERS], { accessToken: { type } })),
  );
  if (!first || !second || !third) throw new Error("three clients are made");
  const signIn = await token(first, { grant_type: "password", username, password, scope: BOTH });
  const handed = await handedTo(second, first, signIn.access_token);
  const ofHelper = (await token(second, { grant_type: "password", username: helper, password })).access_token;
  const actor = { actor_token: ofHelper, actor_token_type: ACCESS };
  const acting = await exchanged(second, handed, { ...actor, audience: third.clientId });
  const last = await exchanged(third, acting, { resource: `${api.url}/api/server/v1` });
  return { username, userId, helperId, first, second, third, signIn, handed, acting, last };
};
type Chain = Awaited<ReturnType<typeof chainOf>>;

const events: readonly (readonly [string, (chain: Chain) => Promise<{ readonly status: number }>])[] = [
  ["the access token of the user is revoked", ({ signIn, first }) => revoke(signIn.access_token, first)],
  ["the refresh token of the user is revoked", ({ signIn, first }) => revoke(signIn.refresh_token, first)],
  ["a token of the chain is revoked", ({ acting, second }) => revoke(acting, second)],
  [
    "the first client gets another secret",
    ({ first }) => api.ask("POST", `${oidcPath(first.applicationId)}/regenerate-secret`),
  ],
  ["the second client is disabled", ({ second }) => patchApplication(second, { applicationEnabled: false })],
  ["the third client is disabled", ({ third }) => patchApplication(third, { applicationEnabled: false })],
  ["the first client is deleted", ({ first }) => api.ask("DELETE", `${APPLICATIONS}/${first.applicationId}`)],
  ["the user is deactivated", ({ userId }) => patchUser(userId, "active", false)],
  ["the user gets another password", ({ userId }) => patchUser(userId, "password", "Another-1")],
  ["the user is deleted", ({ userId }) => api.ask("DELETE", `/scim2/Users/${userId}`)],
  ["the actor is deactivated", ({ helperId }) => patchUser(helperId, "active", false)],
  ["the actor is deleted", ({ helperId }) => api.ask("DELETE", `/scim2/Users/${helperId}`)],
];

describe.each(["JWT", "Default"])("%s", (type) => {
  test.each(events)("ends when %s", async (_, event) => {
    const chain = await chainOf(type);
    const warm = container(api);
    const decided = async (each = warm) => (await each.ask(`Bearer ${chain.last}`)).context.decision;
    expect([await decided(), await isActive(chain.last)]).toEqual(["allow", true]);
    expect((await event(chain)).status).toBeLessThan(300);
    expect(await isActive(chain.last)).toBe(false);
    warm.clock.ms += REVOCATION_FRESH_MS + 1;
    expect([await decided(), await decided(container(api))]).toEqual(["refuse", "refuse"]);
    const again = await exchange(chain.third, chain.acting, { resource: `${api.url}/api/server/v1` });
    expect(again.body.access_token).toBeUndefined();
  });
  test("its revocation ends neither the sign-in nor what it comes from", async () => {
    const chain = await chainOf(type);
    expect((await revoke(chain.last, chain.third)).status).toBe(200);
    expect(await isActive(chain.last)).toBe(false);
    for (const text of [chain.signIn.access_token, chain.signIn.refresh_token ?? "", chain.handed, chain.acting]) {
      expect(await isActive(text)).toBe(true);
    }
    // Another client's token is none to revoke.
    await revoke(chain.acting, chain.third);
    expect(await isActive(chain.acting)).toBe(true);
  });
  test("an actor who signed in, and refreshed, after the exchanged token was issued", async () => {
    const { first, second, signIn, helperId } = await chainOf(type);
    const handed = await handedTo(second, first, signIn.access_token);
    // What ended the tokens of the actor before does not end the exchange of a new one.
    expect((await patchUser(helperId, "password", "Another-1")).status).toBe(200);
    const { body } = await api.ask("GET", `/scim2/Users/${helperId}`);
    const fields = { grant_type: "password", username: body.userName, password: "Another-1" };
    const { refresh_token } = await token(second, fields);
    const refreshed = await token(second, { grant_type: "refresh_token", refresh_token });
    const actor = { actor_token: refreshed.access_token, actor_token_type: ACCESS };
    const acting = await exchanged(second, handed, { ...actor, resource: `${api.url}/api/server/v1` });
    expect(await isActive(acting)).toBe(true);
    expect((await container(api).ask(`Bearer ${acting}`)).context.decision).toBe("allow");
    expect((await revoke(refreshed.access_token, second)).status).toBe(200);
    expect(await isActive(acting)).toBe(false);
  });
  test("a role that the user loses: the token ends, and a new exchange gives what is left", async () => {
    const chain = await chainOf(type);
    const filter = encodeURIComponent(`displayName eq "role of ${chain.username}"`);
    const [role] = (await api.ask("GET", `/scim2/v2/Roles?filter=${filter}`)).body.Resources;
    const removal = { op: "remove", path: `permissions[value eq "${VIEW}"]` };
    const answer = await api.ask("PATCH", `/scim2/v2/Roles/${role.id}`, {
      body: { schemas: [PATCH_OP], Operations: [removal] },
    });
    expect(answer.status).toBe(200);
    expect(await isActive(chain.last)).toBe(false);
    const { username, second } = chain;
    const signIn = await token(second, { grant_type: "password", username, password, scope: BOTH });
    expect((await exchange(second, signIn.access_token)).body.scope).toBe(USERS);
  });
});

/** A token whose marks alone decide, because it is older than the log. */
describe("by its marks", () => {
  const origin: Exchange = {
    clientId: "",
    grantId: "origin",
    issuedMs: 1_000,
    actor: { grantId: "actor", issuedMs: Date.now() + 50_000, userId: "u" },
  };
  const old = (clientId: string, from: Partial<Exchange> = {}): AccessToken => ({
    tenant: TENANT,
    clientId,
    applicationId: "a",
    user: { id: "user", userName: "user", userStore: "PRIMARY" },
    scopes: [],
    roleIds: [],
    grantId: "own",
    issuedAtSeconds: Math.floor(Date.now() / 1_000) + 100,
    issuedMs: Date.now() + 100_000,
    expiresAtSeconds: Math.floor(Date.now() / 1_000) + 1_000,
    exchanges: [{ ...origin, clientId, issuedMs: Date.now() + 50_000, ...from }],
  });
  const isRevoked = (one: AccessToken) => revocationStore(tableOf(api.service)).isRevokedByMark(one, systemClock.now());

  test("ends with the client, the grant or the actor of an origin, measured by the time of the origin", async () => {
    const { clientId } = reader;
    const table = tableOf(api.service);
    expect(await isRevoked(old(clientId))).toBe(false);
    expect(await isRevoked(old(clientId, { clientId: "gone" }))).toBe(true);
    // Between the origin and the token itself.
    const fromMs = Date.now() + 75_000;
    for (const steps of [
      revokingGrant(TENANT, "origin", fromMs, fromMs),
      revokingGrant(TENANT, "actor", fromMs, fromMs),
      revokingUser(TENANT, "u", fromMs),
    ]) {
      await table.write(...steps);
    }
    const { actor } = origin;
    const at = { issuedMs: Date.now() + 50_000 };
    const others = { grantId: "other", actor: { ...at, grantId: "other", userId: "other" } };
    expect(await isRevoked(old(clientId, others))).toBe(false);
    expect(await isRevoked(old(clientId, { ...others, grantId: "origin" }))).toBe(true);
    expect(await isRevoked(old(clientId, { ...others, actor: { ...at, grantId: "actor" } }))).toBe(true);
    expect(await isRevoked(old(clientId, { ...others, actor }))).toBe(true);
    // Of an actor, the time of its own token counts.
    const newer = { grantId: "actor", userId: "u", issuedMs: fromMs };
    expect(await isRevoked(old(clientId, { ...others, actor: newer }))).toBe(false);
    expect(await isRevoked(old(clientId, { grantId: "origin", issuedMs: fromMs, actor: others.actor }))).toBe(false);
  });
});
