import { beforeAll, describe, expect, test } from "vitest";
import { exchangesOf } from "#tests/support/exchange.ts";
import { oauthOf, type TestClient } from "#tests/support/oauth.ts";
import { addUser } from "#tests/support/people.ts";
import { ADMIN, basic, world } from "#tests/support/world.ts";

const api = world();
const { newClient, post, token, ownToken, oidcPath } = oauthOf(api);
const VIEW = "internal_application_mgt_view";
const INTROSPECT = "internal_oauth2_introspect";
const PATH = "/oauth2/introspect";
const PASSWORD = { grant_type: "password", ...ADMIN, scope: VIEW };

let client: TestClient;
let jwtClient: TestClient;
beforeAll(async () => {
  client = await newClient([VIEW, INTROSPECT]);
  jwtClient = await newClient([VIEW], { accessToken: { type: "JWT" } });
});
const ask = async (text: string | undefined, as: TestClient | string | null = client) =>
  (await post(PATH, { token: text }, as)).body;

describe("200 with the description of", () => {
  test("a token of a client", async () => {
    const { exp, iat, ...rest } = await ask(await ownToken(client, VIEW));
    expect(rest).toEqual({
      active: true,
      scope: VIEW,
      client_id: client.clientId,
      token_type: "Bearer",
      nbf: iat,
      sub: client.clientId,
      aud: [client.clientId, api.url],
      iss: `${api.url}/oauth2/token`,
      aut: "APPLICATION",
    });
    expect(exp - iat).toBe(3600);
  });
  test("a JWT of a user: its own claims, with its id and the user's name", async () => {
    const { access_token } = await token(jwtClient, PASSWORD);
    const [, payload = ""] = access_token.split(".");
    const { iss, sub, aud, exp, iat, nbf, jti, scope, aut, client_id } = JSON.parse(
      Buffer.from(payload, "base64url").toString(),
    );
    expect(await ask(access_token)).toEqual({
      active: true,
      token_type: "Bearer",
      username: "admin@carbon.super",
      ...{ iss, sub, aud, exp, iat, nbf, jti, scope, aut, client_id },
    });
  });
  test("a refresh token that can be used now", async () => {
    const { refresh_token } = await token(client, PASSWORD);
    expect(await ask(refresh_token)).toEqual({
      active: true,
      scope: VIEW,
      client_id: client.clientId,
      username: "admin@carbon.super",
      token_type: "Refresh",
      exp: expect.any(Number),
      sub: expect.any(String),
    });
  });
  test("any token of the tenant, for clients with the scope by header or form, and for users and tokens with it", async () => {
    const text = await ownToken(client, VIEW);
    await addUser(api.service, { username: "inspector", password: "a good password", scopes: [INTROSPECT] });
    const reader = await newClient([INTROSPECT], { accessToken: { type: "JWT" } });
    for (const as of [
      reader,
      basic(ADMIN),
      basic({ username: "inspector", password: "a good password" }),
      `Bearer ${await ownToken(client, INTROSPECT)}`,
    ]) {
      expect((await ask(text, as)).active).toBe(true);
    }
    const { clientId: client_id, clientSecret: client_secret } = reader;
    expect((await post(PATH, { token: text, client_id, client_secret })).body.active).toBe(true);
    expect((await post(`/t/carbon.super${PATH}`, { token: text, required_claims: "x" }, client)).body.active).toBe(
      true,
    );
  });
});

describe("200 with active false alone for", () => {
  test.each(["junk", "a.b.c", "at_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA", "__proto__"])("%s", async (text) =>
    expect(await ask(text)).toEqual({ active: false }),
  );
  test("a revoked token of either format, at once", async () => {
    for (const one of [client, jwtClient]) {
      const pair = await token(one, PASSWORD);
      await post("/oauth2/revoke", { token: pair.access_token }, one);
      for (const text of [pair.access_token, pair.refresh_token]) expect(await ask(text)).toEqual({ active: false });
    }
  });
  test("a used refresh token, and all tokens of a revoked client", async () => {
    const one = await newClient([VIEW], { accessToken: { type: "JWT" } });
    const pair = await token(one, PASSWORD);
    const next = await token(one, { grant_type: "refresh_token", refresh_token: pair.refresh_token });
    expect(await ask(pair.refresh_token)).toEqual({ active: false });
    expect((await ask(next.refresh_token)).active).toBe(true);
    await api.ask("POST", `${oidcPath(one.applicationId)}/revoke`);
    for (const text of [next.access_token, next.refresh_token]) expect(await ask(text)).toEqual({ active: false });
  });
});

describe("a client without the scope", () => {
  const READS = { "a token of its own": "own", "one of another client": "other" } as const;
  test.each(["Default", "JWT"])("sees its own tokens and no other client's, of the type %s", async (type) => {
    const [own, other] = await Promise.all([
      newClient([VIEW], { accessToken: { type } }),
      newClient([VIEW], { accessToken: { type } }),
    ]);
    const pairs = { own: await token(own, PASSWORD), other: await token(other, PASSWORD) };
    for (const [what, whose] of Object.entries(READS)) {
      for (const text of [pairs[whose].access_token, pairs[whose].refresh_token]) {
        const seen = await ask(text, own);
        if (whose === "own") expect([what, seen.active]).toEqual([what, true]);
        else expect([what, seen]).toEqual([what, { active: false }]);
      }
    }
    const { clientId: client_id, clientSecret: client_secret } = own;
    const byForm = await post(PATH, { token: pairs.other.access_token, client_id, client_secret });
    expect(byForm.body).toEqual({ active: false });
  });
  test("sees a token that names it as the audience, and none for an address of this service that it has as its id", async () => {
    const { service, handedTo } = exchangesOf(api);
    const [front, receiver] = [await service([VIEW]), await service([VIEW])];
    const bold = await newClient([VIEW], { clientId: `${api.url}/scim2` });
    const { access_token } = await token(front, PASSWORD);
    const exchanged = await handedTo(receiver, front, access_token);
    expect((await ask(exchanged, receiver)).active).toBe(true);
    expect((await ask(exchanged, front)).active).toBe(true);
    expect(await ask(exchanged, jwtClient)).toEqual({ active: false });
    const forUsers = await token(front, { ...PASSWORD, resource: `${api.url}/scim2` });
    // By its form: an id with a colon must be encoded in the Basic scheme.
    const inForm = { client_id: bold.clientId, client_secret: bold.clientSecret };
    expect((await post(PATH, { token: forUsers.access_token, ...inForm })).body).toEqual({ active: false });
  });
  test("loses the tokens of others with the authorization", async () => {
    const reader = await newClient([INTROSPECT]);
    const text = await ownToken(jwtClient, VIEW);
    expect((await ask(text, reader)).active).toBe(true);
    const path = `/api/server/v1/applications/${reader.applicationId}/authorized-apis`;
    const [{ id }] = (await api.ask("GET", path)).body;
    expect((await api.ask("DELETE", `${path}/${id}`)).status).toBe(204);
    expect(await ask(text, reader)).toEqual({ active: false });
  });
});

test("400 without a token", async () => {
  const answer = await post(PATH, {}, client);
  expect([answer.status, answer.body.error]).toEqual([400, "invalid_request"]);
});

test("401 without a credential, with a malformed one, and for a public client", async () => {
  const text = await ownToken(client, VIEW);
  const open = await newClient([], { publicClient: true });
  for (const as of [null, { ...client, clientSecret: "x" }, basic({ username: "nobody", password: "x" }), "Bearer x"]) {
    expect((await post(PATH, { token: text }, as)).status).toBe(401);
  }
  for (const fields of [{ client_id: open.clientId }, { client_id: client.clientId }]) {
    const answer = await post(PATH, { token: text, ...fields });
    expect([answer.status, answer.body.error]).toEqual([401, "invalid_client"]);
  }
});

test("401 with one response for a wrong secret, an unknown client and a wrong password", async () => {
  const answers = await Promise.all(
    [client.clientId, "nobody", "admin"].map((username) =>
      post(PATH, { token: "x" }, basic({ username, password: "wrong" })),
    ),
  );
  expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
});

test("403 without the scope, which the challenge for a token names", async () => {
  const text = await ownToken(client, VIEW);
  await addUser(api.service, { username: "nosy", password: "a good password", scopes: [VIEW] });
  expect((await post(PATH, { token: text }, basic({ username: "nosy", password: "a good password" }))).status).toBe(
    403,
  );
  const answer = await post(PATH, { token: text }, `Bearer ${text}`);
  expect(answer.status).toBe(403);
  expect(answer.headers.get("www-authenticate")).toContain(`error="insufficient_scope", scope="${INTROSPECT}"`);
});
