/** Clients are told of sessions that have ended (OpenID Connect Back-Channel Logout 1.0). */
import { createRemoteJWKSet, decodeProtectedHeader, jwtVerify } from "jose";
import { beforeAll, describe, expect, test } from "vitest";
import type { TestClient } from "#tests/support/oauth.ts";
import { receiver } from "#tests/support/receiver.ts";
import { claimsIn, PERSON, signInOf } from "#tests/support/sign-in.ts";
import { world } from "#tests/support/world.ts";

const inbox = receiver();
const api = world({ delivers: true });
const { newApplication, requestOf, enter, answerOf, redeem, browser } = signInOf(api);
const EVENT = "http://schemas.openid.net/event/backchannel-logout";
let kimId = "";

const newUser = async ({ username: userName, password }: typeof PERSON): Promise<string> =>
  (await api.ask("POST", "/scim2/Users", { body: { userName, password } })).body.id;

beforeAll(async () => {
  kimId = await newUser(PERSON);
});

const listening = (path: string, oidc: object = {}) =>
  newApplication({ logout: { backChannelLogoutUrl: inbox.url(path) }, ...oidc });

const signedIn = async (of: TestClient, person = PERSON) => {
  const page = browser();
  await page.open(requestOf(of));
  const { body } = await redeem(of, answerOf(await enter(page, person)).code);
  return { page, tokens: body, sid: claimsIn(body.id_token).sid as string };
};
const keySet = () => createRemoteJWKSet(new URL("/oauth2/jwks", api.url));
const tokenIn = (message: { readonly text: string } | undefined) =>
  new URLSearchParams(message?.text).get("logout_token") ?? "";
const PATCH = "urn:ietf:params:scim:api:messages:2.0:PatchOp";
const patchUser = (id: string, value: object) =>
  api.ask("PATCH", `/scim2/Users/${id}`, { body: { schemas: [PATCH], Operations: [{ op: "replace", value }] } });

describe("a logout token", () => {
  test("goes to every application of the session, by a sign-out at one of them", async () => {
    const [cars, bikes, vans, boats] = [
      await listening("/cars"),
      await listening("/bikes", { idToken: { idTokenSignedResponseAlg: "ES256" } }),
      await listening("/vans", { idToken: { idTokenSignedResponseAlg: "PS256" } }),
      await listening("/boats"),
    ];
    const { page, tokens, sid } = await signedIn(cars);
    await page.open(requestOf(bikes));
    await page.open(requestOf(vans));
    // A session of the same user in another browser is another one.
    await signedIn(boats);
    await page.open(`/oidc/logout?id_token_hint=${tokens.id_token}`);
    const [toCars] = await inbox.waitFor("/cars", 1);
    const [toBikes] = await inbox.waitFor("/bikes", 1);
    const [toVans] = await inbox.waitFor("/vans", 1);
    expect(toCars?.headers["content-type"]).toBe("application/x-www-form-urlencoded");
    for (const [message, client, alg] of [
      [toCars, cars, "RS256"],
      [toBikes, bikes, "ES256"],
      [toVans, vans, "PS256"],
    ] as const) {
      const token = tokenIn(message);
      expect(decodeProtectedHeader(token)).toEqual({ alg, typ: "logout+jwt", kid: expect.any(String) });
      const { payload } = await jwtVerify(token, keySet(), { audience: client.clientId });
      expect(payload).toEqual({
        iss: `${api.url}/oauth2/token`,
        aud: client.clientId,
        sub: claimsIn(tokens.id_token).sub,
        sid,
        iat: expect.any(Number),
        exp: (payload.iat ?? 0) + 120,
        jti: expect.any(String),
        events: { [EVENT]: {} },
      });
    }
    expect(inbox.at("/boats")).toEqual([]);
  });

  test("never counts as an ID token or an access token", async () => {
    const cars = await listening("/hint");
    const { tokens, page } = await signedIn(cars);
    await page.open(`/oidc/logout?id_token_hint=${tokens.id_token}`);
    const token = tokenIn((await inbox.waitFor("/hint", 1))[0]);
    expect((await api.ask("GET", `/oidc/logout?id_token_hint=${token}`, { as: null })).status).toBe(400);
    expect((await api.ask("GET", "/oauth2/userinfo", { as: `Bearer ${token}` })).status).toBe(401);
  });

  test.each([
    ["sessions that the user ends", async () => api.ask("DELETE", "/api/users/v1/me/sessions", { as: PERSON })],
    ["sessions that an administrator ends", async () => api.ask("DELETE", `/api/users/v1/${kimId}/sessions`)],
    ["another password", async () => patchUser(kimId, { password: PERSON.password })],
    ["a user who is switched off", async () => patchUser(kimId, { active: false })],
  ])("is sent for %s", async (name, end) => {
    const path = `/${name.replaceAll(" ", "-")}`;
    const { sid } = await signedIn(await listening(path));
    await end();
    const [message] = await inbox.waitFor(path, 1);
    expect(claimsIn(tokenIn(message))).toMatchObject({ sid, sub: kimId });
    await patchUser(kimId, { active: true });
  });

  test("is sent for a user who is deleted, whose consents go, too", async () => {
    const person = { username: "leaving", password: "a-good-Password-7" };
    const id = await newUser(person);
    const client = await listening("/deleted");
    await api.ask("PATCH", `/api/server/v1/applications/${client.applicationId}`, {
      body: { advancedConfigurations: { skipLoginConsent: false } },
    });
    const page = browser();
    await page.open(requestOf(client));
    await enter(page, person);
    await page.submit({ answer: "allow" });
    const path = `/api/users/v1/${id}/authorized-apps`;
    expect((await api.ask("GET", path)).body).toHaveLength(1);
    expect((await api.ask("DELETE", `/scim2/Users/${id}`)).status).toBe(204);
    const [message] = await inbox.waitFor("/deleted", 1);
    expect(claimsIn(tokenIn(message)).sub).toBe(id);
    // A user who is brought back has agreed to nothing.
    const restored = await api.ask("POST", `/api/server/v1/deleted-resources/${id}/restore`);
    expect([restored.status, restored.text]).toEqual([200, restored.text]);
    expect((await api.ask("GET", path)).body).toEqual([]);
  });

  test("is sent for the session of another user that the browser had before", async () => {
    const other = { username: "other", password: "a-good-Password-8" };
    await newUser(other);
    const client = await listening("/former");
    const { page, sid } = await signedIn(client);
    await page.open(requestOf(client, { prompt: "login" }));
    await enter(page, other);
    expect(claimsIn(tokenIn((await inbox.waitFor("/former", 1))[0])).sid).toBe(sid);
  });

  test("is sent again with a fresh token until the application takes it, and then no more", async () => {
    const client = await listening("/busy");
    let count = 0;
    inbox.respond("/busy", (_, response) => {
      count += 1;
      response.writeHead(count === 1 ? 503 : 204).end();
    });
    const { page, tokens } = await signedIn(client);
    await page.open(`/oidc/logout?id_token_hint=${tokens.id_token}`);
    const [first, second] = (await inbox.waitFor("/busy", 2)).map(tokenIn);
    expect(claimsIn(second ?? "").jti).not.toBe(claimsIn(first ?? "").jti);
    expect(claimsIn(second ?? "").sid).toBe(claimsIn(first ?? "").sid);
    await new Promise((done) => setTimeout(done, 300));
    expect(inbox.at("/busy")).toHaveLength(2);
  }, 40_000);

  test("does not keep the sign-out waiting for an application that does not respond", async () => {
    const client = await listening("/silent");
    inbox.respond("/silent", () => undefined);
    const { page, tokens } = await signedIn(client);
    expect((await page.open(`/oidc/logout?id_token_hint=${tokens.id_token}`)).title).toBe("You are signed out");
    await inbox.waitFor("/silent", 1);
    // Nor does it keep other applications waiting.
    const next = await signedIn(await listening("/lively"));
    await next.page.open(`/oidc/logout?id_token_hint=${next.tokens.id_token}`);
    await inbox.waitFor("/lively", 1);
  }, 40_000);
});

describe("signLogoutToken", () => {
  const send = (order: string) =>
    api.ask("POST", "/oauth2/logout-token", {
      as: null,
      raw: new URLSearchParams({ order }).toString(),
      headers: { "content-type": "application/x-www-form-urlencoded" },
    });

  test("signs for nobody but this service", async () => {
    for (const order of ["", "a", "s1.abcdefgh.AAAA", `s1.${"a".repeat(8)}.${"A".repeat(200)}`]) {
      const { status, body } = await send(order);
      expect([status, body.error]).toEqual([400, "invalid_request"]);
    }
  });
});

test("the discovery document says so", async () => {
  const { body } = await api.ask("GET", "/oauth2/token/.well-known/openid-configuration", { as: null });
  expect(body).toMatchObject({
    backchannel_logout_supported: true,
    backchannel_logout_session_supported: true,
    frontchannel_logout_supported: true,
    frontchannel_logout_session_supported: true,
  });
});
