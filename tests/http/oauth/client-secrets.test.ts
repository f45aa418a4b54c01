/** Several secrets of a client at the OAuth endpoints (decision 0079): rotation under load, cost, and last use. */
import * as openid from "openid-client";
import { afterEach, describe, expect, test, vi } from "vitest";
import { CLIENT_SECRETS_CEILING } from "#core/applications/protocols/limits.ts";
import { keys } from "#core/database/table/keys.ts";
import { clientSecretsOf } from "#tests/support/client-secrets.ts";
import { oauthOf, type TestClient, TOKEN } from "#tests/support/oauth.ts";
import { tableOf } from "#tests/support/people.ts";
import { type Answer, world } from "#tests/support/world.ts";
import { type LogLine, listening } from "#tools/bench/calls.ts";

const api = world({ deployment: `[oauth]\nmax_client_secrets = ${CLIENT_SECRETS_CEILING}\n` });
const { newClient, post, oidcPath } = oauthOf(api);
const { create, list, remove, statusWith } = clientSecretsOf(api);
const GRANT = { grant_type: "client_credentials" };
const APPLICATIONS = "/api/server/v1/applications";
const VIEW = "internal_application_mgt_view";
const DAY_MS = 86_400_000;
const UNITS_MAX = 6;

afterEach(() => void vi.useRealTimers());

/** The cost of a request at the token endpoint, and its response. */
const costOf = async (send: () => Promise<Answer>) => {
  let status = 0;
  const lines = await listening(async () => {
    ({ status } = await send());
  });
  const [line] = lines.filter(({ service, RoundTrips }: LogLine) => service === "oauth2" && RoundTrips !== undefined);
  const { RoundTrips, ReadUnits = 0, WriteUnits = 0 } = line ?? {};
  return { status, RoundTrips, ReadUnits, WriteUnits };
};
const tokenCost = (client: TestClient, clientSecret = client.clientSecret) =>
  costOf(() => post(TOKEN, { ...GRANT, scope: VIEW }, { ...client, clientSecret }));
const usesOf = async ({ clientId }: TestClient) => tableOf(api.service).get(keys.clientUses(clientId));
const midnight = (day: number) => (Math.floor(Date.now() / DAY_MS) + day) * DAY_MS;

test("200 tokens over the whole change of secrets: none is refused", async () => {
  const client = await newClient([VIEW]);
  const { applicationId } = client;
  let secret = client.clientSecret;
  let asked = 0;
  const statuses: number[] = [];
  const caller = async () => {
    while (asked < 200) {
      asked += 1;
      let status = await statusWith(client, secret);
      // A machine that is busy says so; its answer asks for another attempt.
      while (status === 503) status = await statusWith(client, secret);
      statuses.push(status);
    }
  };
  /** Waits until the callers have sent some more requests. */
  const after = async (more: number) => {
    const until = asked + more;
    while (asked < Math.min(until, 200)) await new Promise((resolve) => setTimeout(resolve, 1));
  };
  const rotate = async () => {
    await after(40);
    const { status, body } = await create(applicationId);
    expect(status).toBe(201);
    await after(40);
    secret = body.secretValue;
    // Requests with the former secret that are under way.
    await after(40);
    const [, former] = (await list(applicationId)).body.list;
    expect((await remove(applicationId, former.secretId)).status).toBe(204);
    await after(40);
  };
  await Promise.all([rotate(), ...Array.from({ length: 8 }, caller)]);
  expect(statuses).toHaveLength(200);
  expect(statuses.filter((status) => status !== 200)).toEqual([]);
  expect(await statusWith(client, client.clientSecret)).toBe(401);
}, 60_000);

describe("a token costs 2 round trips and at most 6 units", () => {
  test.each(["Default", "JWT"])("with one secret and with the most, of the type %s", async (type) => {
    const client = await newClient([VIEW], { accessToken: { type } });
    const values = [client.clientSecret];
    for (let at = 1; at < CLIENT_SECRETS_CEILING; at += 1) {
      values.push(
        (await create(client.applicationId, { body: { expiresAt: midnight(400) / 1_000 } })).body.secretValue,
      );
    }
    expect((await create(client.applicationId)).status).toBe(409);
    // The first request of a container reads what later ones remember.
    await tokenCost(client);
    for (const value of values) {
      for (const isFirst of [value !== client.clientSecret, false]) {
        const { status, RoundTrips, ReadUnits, WriteUnits } = await tokenCost(client, value);
        expect([status, RoundTrips]).toEqual([200, isFirst || type === "Default" ? 2 : 1]);
        expect([ReadUnits, WriteUnits]).toEqual([isFirst ? 3.5 : 3, (type === "Default" ? 1 : 0) + (isFirst ? 1 : 0)]);
        expect(ReadUnits + WriteUnits).toBeLessThanOrEqual(UNITS_MAX);
      }
    }
  });
});

describe("a secret that was accepted a moment ago is refused after", () => {
  const of = ({ applicationId }: TestClient) => `${APPLICATIONS}/${applicationId}`;
  test.each<[string, (client: TestClient) => Promise<Answer>]>([
    ["it was regenerated", (client) => api.ask("POST", `${oidcPath(client.applicationId)}/regenerate-secret`)],
    ["the client was revoked", (client) => api.ask("POST", `${oidcPath(client.applicationId)}/revoke`)],
    ["the settings were deleted", (client) => api.ask("DELETE", oidcPath(client.applicationId))],
    ["the application was disabled", (client) => api.ask("PATCH", of(client), { body: { applicationEnabled: false } })],
    ["the application was deleted", (client) => api.ask("DELETE", of(client))],
  ])("%s", async (_, end) => {
    const client = await newClient([VIEW]);
    for (const _ of ["proven", "remembered"]) expect(await statusWith(client, client.clientSecret)).toBe(200);
    expect((await end(client)).status).toBeLessThan(300);
    expect(await statusWith(client, client.clientSecret)).toBe(401);
  });
});

describe("lastUsedAt", () => {
  const lastUses = async (client: TestClient): Promise<(number | undefined)[]> =>
    (await list(client.applicationId)).body.list.map(({ lastUsedAt }: { lastUsedAt?: number }) => lastUsedAt);

  test.each<[string, (client: TestClient) => Promise<Answer>]>([
    ["the token endpoint", (client) => post(TOKEN, GRANT, client)],
    ["introspection", (client) => post("/oauth2/introspect", { token: "x" }, client)],
    ["revocation", (client) => post("/oauth2/revoke", { token: "x" }, client)],
  ])("is the day of the last use of each secret, at %s", async (_, send) => {
    const client = await newClient();
    const { body: second } = await create(client.applicationId);
    expect(await lastUses(client)).toEqual([undefined, undefined]);
    const today = midnight(0);
    vi.useFakeTimers({ toFake: ["Date"], now: today + DAY_MS - 1_000 });
    expect((await send(client)).status).toBe(200);
    expect(await lastUses(client)).toEqual([undefined, today / 1_000]);
    vi.setSystemTime(today + DAY_MS);
    expect((await send({ ...client, clientSecret: second.secretValue })).status).toBe(200);
    expect(await lastUses(client)).toEqual([(today + DAY_MS) / 1_000, today / 1_000]);
    expect((await send({ ...client, clientSecret: "wrong-secret-7Qx2" })).status).toBe(401);
    vi.setSystemTime(today + 2 * DAY_MS);
    expect((await send(client)).status).toBe(200);
    expect(await lastUses(client)).toEqual([(today + DAY_MS) / 1_000, (today + 2 * DAY_MS) / 1_000]);
  });
  test("is written once for each secret and day", async () => {
    const client = await newClient();
    await Promise.all(Array.from({ length: 20 }, () => statusWith(client, client.clientSecret)));
    const row = await usesOf(client);
    expect(row).toBeDefined();
    for (let at = 0; at < 5; at += 1) expect((await tokenCost(client)).WriteUnits).toBe(1);
    expect(await usesOf(client)).toEqual(row);
  });
  test("forgets secrets that are gone", async () => {
    const client = await newClient();
    await statusWith(client, client.clientSecret);
    const { body: second } = await create(client.applicationId);
    const [, former] = (await list(client.applicationId)).body.list;
    await remove(client.applicationId, former.secretId);
    await statusWith(client, second.secretValue);
    const { PK: _, SK: __, ...days } = (await usesOf(client)) ?? {};
    expect(Object.values(days)).toEqual([midnight(0) / DAY_MS]);
  });
  test("that cannot be read refuses no token, and is in the log", async () => {
    const client = await newClient();
    const row = { ...keys.clientUses(client.clientId), day_x: "no number" };
    await tableOf(api.service).write({ put: row, when: "any", otherwise: () => new Error("any") });
    const lines = await listening(async () => {
      expect(await statusWith(client, client.clientSecret)).toBe(200);
    });
    expect(lines.find(({ service }) => service === "oauth2")).toMatchObject({ status: "200", defects: "1" });
    expect(await usesOf(client)).toEqual(row);
  });
});

test("openid-client works with the second secret, by header and by form", async () => {
  const client = await newClient([VIEW]);
  const { secretValue } = (await create(client.applicationId)).body;
  for (const authentication of [openid.ClientSecretBasic(secretValue), openid.ClientSecretPost(secretValue)]) {
    const issuer = new URL(`${api.url}/oauth2/token`);
    const config = await openid.discovery(issuer, client.clientId, secretValue, authentication, {
      execute: [openid.allowInsecureRequests],
    });
    const { access_token } = await openid.clientCredentialsGrant(config, { scope: VIEW });
    expect((await openid.tokenIntrospection(config, access_token)).active).toBe(true);
    await openid.tokenRevocation(config, access_token);
    expect((await openid.tokenIntrospection(config, access_token)).active).toBe(false);
  }
});
