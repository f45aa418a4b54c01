/** Settings of clients that change their tokens. */
import { beforeAll, expect, test } from "vitest";
import { oauthOf, TOKEN } from "#tests/support/oauth.ts";
import { addUser } from "#tests/support/people.ts";
import { APPLICATIONS, world } from "#tests/support/world.ts";

const api = world();
const { newClient, token, post } = oauthOf(api);
const VIEW = "internal_application_mgt_view";
const CREATE = "internal_application_mgt_create";
const password = "a good password";
const SIGN_IN = { grant_type: "password", username: "kim", password, scope: `${VIEW} ${CREATE}` };

beforeAll(() => addUser(api.service, { username: "kim", password, scopes: [VIEW, CREATE] }));

const claimsOf = (jwt: string) => JSON.parse(Buffer.from(jwt.split(".")[1] ?? "", "base64url").toString());
const introspected = async (text: string, as: Awaited<ReturnType<typeof newClient>>) =>
  (await post("/oauth2/introspect", { token: text }, as)).body;

test("enableJwtScopeAsArray makes the claim scope of a JWT a list, which this service reads too", async () => {
  const accessToken = { type: "JWT", enableJwtScopeAsArray: true };
  const client = await newClient([VIEW, CREATE], { accessToken });
  const { access_token, scope } = await token(client, SIGN_IN);
  expect(claimsOf(access_token).scope).toEqual([VIEW, CREATE]);
  // Responses keep the form of RFC 6749 and RFC 7662.
  expect([scope, (await introspected(access_token, client)).scope]).toEqual([SIGN_IN.scope, SIGN_IN.scope]);
  expect((await api.ask("GET", APPLICATIONS, { as: `Bearer ${access_token}` })).status).toBe(200);
  const own = await token(client, { grant_type: "client_credentials", scope: "" });
  expect("scope" in claimsOf(own.access_token)).toBe(false);
  const plain = await newClient([VIEW], { accessToken: { type: "JWT" } });
  expect(claimsOf((await token(plain, { ...SIGN_IN, scope: VIEW })).access_token).scope).toBe(VIEW);
});

test("the first pairwise subject of a tenant may be that of the grant password, and it stays the same", async () => {
  const client = await newClient([VIEW], {
    subject: { subjectType: "pairwise" },
    callbackURLs: ["https://pairs.example/callback"],
  });
  const shownOf = async (text = "") => (await introspected(text, client)).sub;
  const [first, second] = [await token(client, SIGN_IN), await token(client, SIGN_IN)];
  const subject = await shownOf(first.access_token);
  expect(subject).toMatch(/^[\w-]{43}$/);
  const others = [first.refresh_token, second.access_token, second.refresh_token];
  expect(await Promise.all(others.map(shownOf))).toEqual([subject, subject, subject]);
});

test("extendRenewedRefreshTokenExpiryTime: false keeps the expiry of the first refresh token", async () => {
  const expiryOf = async (refreshToken: object) => {
    const client = await newClient([VIEW], { refreshToken: { expiryInSeconds: 1_000, ...refreshToken } });
    const first = (await token(client, SIGN_IN)).refresh_token ?? "";
    const { exp: before } = await introspected(first, client);
    await new Promise((done) => setTimeout(done, 1_100));
    const renewed = await post(TOKEN, { grant_type: "refresh_token", refresh_token: first }, client);
    const { exp: after } = await introspected(renewed.body.refresh_token, client);
    return { before, after };
  };
  const kept = await expiryOf({ extendRenewedRefreshTokenExpiryTime: false });
  expect(kept.after).toBe(kept.before);
  for (const refreshToken of [{}, { extendRenewedRefreshTokenExpiryTime: true }]) {
    const extended = await expiryOf(refreshToken);
    expect(extended.after).toBeGreaterThan(extended.before);
  }
});
