import { beforeAll, describe, expect, test } from "vitest";
import { container } from "#tests/support/authorizer.ts";
import { oauthOf, type TestClient, TOKEN } from "#tests/support/oauth.ts";
import { ADMIN, APPLICATIONS, basic, world } from "#tests/support/world.ts";

const api = world();
const { newClient, post, token, ownToken } = oauthOf(api);
const VIEW = "internal_application_mgt_view";
const PASSWORD = { grant_type: "password", ...ADMIN, scope: VIEW };
const REVOKE = "/oauth2/revoke";

let client: TestClient;
let jwtClient: TestClient;
let stranger: TestClient;
beforeAll(async () => {
  client = await newClient([VIEW]);
  jwtClient = await newClient([VIEW], { accessToken: { type: "JWT" } });
  stranger = await newClient([VIEW]);
});
const lets = async (access: string) => (await api.ask("GET", APPLICATIONS, { as: `Bearer ${access}` })).status;
const refresh = (refresh_token: string | undefined, as = client) =>
  post(TOKEN, { grant_type: "refresh_token", refresh_token }, as);
const revoke = async (given: string | undefined, as: TestClient = client, more: Record<string, string> = {}) => {
  const answer = await post(REVOKE, { token: given, ...more }, as);
  expect([answer.status, answer.text]).toEqual([200, ""]);
  expect([answer.headers.get("cache-control"), answer.headers.get("pragma")]).toEqual(["no-store", "no-cache"]);
};

describe("200", () => {
  test("revokes an access token of a client at once", async () => {
    const access = await ownToken(client, VIEW);
    expect(await lets(access)).toBe(200);
    await revoke(access);
    expect(await lets(access)).toBe(401);
  });
  test.each(["access_token", "refresh_token", "nonsense", ""])(
    "either of a pair ends both, whatever the hint says: %j",
    async (token_type_hint) => {
      for (const which of ["access_token", "refresh_token"] as const) {
        const pair = await token(client, PASSWORD);
        await revoke(pair[which], client, { token_type_hint });
        expect(await lets(pair.access_token)).toBe(401);
        expect((await refresh(pair.refresh_token)).body.error).toBe("invalid_grant");
      }
    },
  );
  test("revokes a JWT: a container with a fresh cache refuses it within 30 seconds, a new container at once", async () => {
    const access = await ownToken(jwtClient, VIEW);
    const other = await ownToken(jwtClient, VIEW);
    const warm = container(api);
    expect((await warm.ask(`Bearer ${access}`)).context.decision).toBe("allow");
    await revoke(access, jwtClient);
    warm.clock.ms += 31_000;
    for (const each of [warm, container(api)]) {
      expect((await each.ask(`Bearer ${access}`)).context.decision).toBe("refuse");
      expect((await each.ask(`Bearer ${other}`)).context.decision).toBe("allow");
    }
  });
  test("revokes a JWT of a user with its refresh token", async () => {
    const pair = await token(jwtClient, PASSWORD);
    await revoke(pair.refresh_token, jwtClient);
    expect((await container(api).ask(`Bearer ${pair.access_token}`)).context.decision).toBe("refuse");
    expect((await refresh(pair.refresh_token, jwtClient)).body.error).toBe("invalid_grant");
  });
  test("ignores a token that is unknown, malformed or already revoked", async () => {
    const access = await ownToken(client, VIEW);
    for (const text of [access, access, "junk", "a.b.c", "at_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA", "__proto__"])
      await revoke(text);
  });
  test("ignores a token of another client", async () => {
    const pair = await token(client, PASSWORD);
    const jwt = await ownToken(jwtClient, VIEW);
    for (const text of [pair.access_token, pair.refresh_token, jwt]) await revoke(text, stranger);
    expect([await lets(pair.access_token), (await refresh(pair.refresh_token)).status]).toEqual([200, 200]);
    expect((await container(api).ask(`Bearer ${jwt}`)).context.decision).toBe("allow");
  });
  test("a public client revokes its own token with its id alone; the parameter callback is ignored", async () => {
    const open = await newClient([VIEW], { publicClient: true });
    const pair = (await post(TOKEN, { ...PASSWORD, client_id: open.clientId })).body;
    const answer = await post(REVOKE, { token: pair.access_token, client_id: open.clientId, callback: "alert(1)" });
    expect([answer.status, answer.text]).toEqual([200, ""]);
    expect(await lets(pair.access_token)).toBe(401);
  });
});

test("400 without a token, or with one in the URL", async () => {
  for (const [path, fields] of [
    [REVOKE, {}],
    [REVOKE, { token: "" }],
    [`${REVOKE}?token=x`, { token: "x" }],
  ] as const) {
    const answer = await post(path, fields, client);
    expect([answer.status, answer.body.error]).toEqual([400, "invalid_request"]);
  }
});

test("401 without an authenticated client", async () => {
  const access = await ownToken(client, VIEW);
  for (const as of [null, { ...client, clientSecret: "wrong" }, basic(ADMIN), `Bearer ${access}`]) {
    const answer = await post(REVOKE, { token: access }, as);
    expect([answer.status, answer.body.error]).toEqual([401, "invalid_client"]);
  }
  expect(await lets(access)).toBe(200);
});
