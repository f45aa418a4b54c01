/** Graceful rotation: a used refresh token counts again for a moment, and everything that ends tokens still does. */
import { setTimeout as pause } from "node:timers/promises";
import { beforeAll, describe, expect, test } from "vitest";
import { dpopOf, newProofKey } from "#tests/support/dpop.ts";
import { oauthOf, type TestClient, TOKEN } from "#tests/support/oauth.ts";
import { addUser } from "#tests/support/people.ts";
import { ADMIN, APPLICATIONS, world } from "#tests/support/world.ts";

const api = world();
const { newClient, post, token, oidcPath } = oauthOf(api);
const VIEW = "internal_application_mgt_view";
const CREATE = "internal_application_mgt_create";
const PASSWORD = { grant_type: "password", ...ADMIN, scope: `${VIEW} ${CREATE}` };
const PATCH_OP = "urn:ietf:params:scim:api:messages:2.0:PatchOp";
const ON = { gracefulRefreshTokenRotationEnabled: true };
const within = (seconds: number, times: number) => ({
  ...ON,
  gracefulRefreshTokenRotationValidityPeriod: seconds,
  gracefulRefreshTokenReuseLimit: times,
});
const graceful = (refreshToken: object = within(60, 2), more: object = {}) =>
  newClient([VIEW, CREATE], { refreshToken, ...more });

let client: TestClient;
let stranger: TestClient;
beforeAll(async () => {
  stranger = await graceful();
  client = await graceful();
});
const refresh = (refresh_token: string | undefined, as = client, more: Record<string, string> = {}) =>
  post(TOKEN, { grant_type: "refresh_token", refresh_token, ...more }, as);
const renewed = async (text: string | undefined, as = client, more: Record<string, string> = {}) => {
  const answer = await refresh(text, as, more);
  expect([answer.status, answer.text]).toEqual([200, expect.any(String)]);
  return answer.body;
};
/** 200 for a token that counts now, 401 for another. Other operations learn of the end of a JWT within seconds. */
const counts = async (access: string, as = client) =>
  (await post("/oauth2/introspect", { token: access }, as)).body.active ? 200 : 401;
const lets = async (access: string) => (await api.ask("GET", APPLICATIONS, { as: `Bearer ${access}` })).status;
const invalid = (answer: Awaited<ReturnType<typeof post>>) => {
  expect([answer.status, answer.body.error]).toEqual([400, "invalid_grant"]);
  expect(answer.body.error_description).toMatch(/^The refresh token is not valid/);
};

describe.each(["Default", "JWT"])("with access tokens of the type %s", (type) => {
  let one: TestClient;
  beforeAll(async () => {
    one = await graceful(within(60, 2), { accessToken: { type } });
  });
  test("a used refresh token counts again, and what it replaced ends", async () => {
    const first = await token(one, PASSWORD);
    const second = await renewed(first.refresh_token, one);
    const third = await renewed(first.refresh_token, one);
    expect(third.refresh_token).not.toBe(second.refresh_token);
    expect([
      await counts(first.access_token, one),
      await counts(second.access_token, one),
      await counts(third.access_token, one),
    ]).toEqual([401, 401, 200]);
    const fourth = await renewed(third.refresh_token, one);
    expect([await counts(third.access_token, one), await counts(fourth.access_token, one)]).toEqual([401, 200]);
  });
  test("above the limit its use ends the family, also within the period", async () => {
    const first = await token(one, PASSWORD);
    await renewed(first.refresh_token, one);
    await renewed(first.refresh_token, one);
    const last = await renewed(first.refresh_token, one);
    const answer = await refresh(first.refresh_token, one);
    invalid(answer);
    expect(answer.body.error_description).toContain("graceful reuse limit");
    invalid(await refresh(last.refresh_token, one));
    expect(await counts(last.access_token, one)).toBe(401);
  });
  test("of twenty concurrent uses no more succeed than the limit allows, and one access token is left", async () => {
    const { refresh_token } = await token(one, PASSWORD);
    const answers = await Promise.all(Array.from({ length: 20 }, () => refresh(refresh_token, one)));
    const won = answers.filter(({ status }) => status === 200);
    expect(won).toHaveLength(3);
    for (const answer of answers) if (answer.status !== 200) invalid(answer);
    const statuses = await Promise.all(won.map(({ body }) => counts(body.access_token, one)));
    expect(statuses.filter((status) => status === 200).length).toBeLessThanOrEqual(1);
    invalid(await refresh(refresh_token, one));
    for (const { body } of won) invalid(await refresh(body.refresh_token, one));
  });
});

test("two uses at the same moment succeed both", async () => {
  const { refresh_token } = await token(client, PASSWORD);
  const answers = await Promise.all([refresh(refresh_token), refresh(refresh_token)]);
  expect(answers.map(({ status }) => status)).toEqual([200, 200]);
});

test("after the period its use ends the family, also below the limit", async () => {
  const brief = await graceful(within(1, 5));
  const first = await token(brief, PASSWORD);
  const second = await renewed(first.refresh_token, brief);
  await pause(1_200);
  const answer = await refresh(first.refresh_token, brief);
  invalid(answer);
  expect(answer.body.error_description).toContain("grace period");
  invalid(await refresh(second.refresh_token, brief));
});

test("further uses do not make the period longer", async () => {
  const brief = await graceful(within(2, 5));
  const { refresh_token } = await token(brief, PASSWORD);
  await renewed(refresh_token, brief);
  await pause(1_200);
  await renewed(refresh_token, brief);
  await pause(1_200);
  invalid(await refresh(refresh_token, brief));
});

describe("the family ends with the use of", () => {
  test("a token that a second use of its predecessor replaced", async () => {
    const first = await token(client, PASSWORD);
    const second = await renewed(first.refresh_token);
    const third = await renewed(first.refresh_token);
    invalid(await refresh(second.refresh_token));
    invalid(await refresh(third.refresh_token));
    expect(await lets(third.access_token)).toBe(401);
  });
  test("a token whose successor was used", async () => {
    const first = await token(client, PASSWORD);
    const second = await renewed(first.refresh_token);
    const third = await renewed(second.refresh_token);
    invalid(await refresh(first.refresh_token));
    invalid(await refresh(third.refresh_token));
  });
  test("a used token of an application without the setting, and after it was switched off", async () => {
    const plain = await newClient([VIEW], { refreshToken: { gracefulRefreshTokenRotationEnabled: false } });
    const { refresh_token } = await token(plain, { ...PASSWORD, scope: VIEW });
    await renewed(refresh_token, plain);
    invalid(await refresh(refresh_token, plain));
    const off = await graceful();
    const first = await token(off, PASSWORD);
    const second = await renewed(first.refresh_token, off);
    const path = oidcPath(off.applicationId);
    const {
      clientSecretExpiresAt: _,
      multipleClientSecretsConfigured: __,
      state: ___,
      ...body
    } = (await api.ask("GET", path)).body;
    expect((await api.ask("PUT", path, { body: { ...body, refreshToken: {} } })).status).toBe(200);
    invalid(await refresh(first.refresh_token, off));
    invalid(await refresh(second.refresh_token, off));
  });
  test("a token that was used before the setting was switched on", async () => {
    const late = await newClient([VIEW, CREATE]);
    const first = await token(late, PASSWORD);
    await renewed(first.refresh_token, late);
    const path = oidcPath(late.applicationId);
    const {
      clientSecretExpiresAt: _,
      multipleClientSecretsConfigured: __,
      state: ___,
      ...body
    } = (await api.ask("GET", path)).body;
    expect((await api.ask("PUT", path, { body: { ...body, refreshToken: ON } })).status).toBe(200);
    invalid(await refresh(first.refresh_token, late));
  });
});

describe("a used token does not count again", () => {
  test("for another client; its own goes on", async () => {
    const first = await token(client, PASSWORD);
    await renewed(first.refresh_token);
    invalid(await refresh(first.refresh_token, stranger));
    await renewed(first.refresh_token);
  });
  test("for more scopes than the sign-in has, and a reduced use widens nothing", async () => {
    const first = await token(client, { ...PASSWORD, scope: VIEW });
    await renewed(first.refresh_token);
    const wider = await refresh(first.refresh_token, client, { scope: `${VIEW} ${CREATE}` });
    expect([wider.status, wider.body.error]).toEqual([400, "invalid_scope"]);
    expect((await renewed(first.refresh_token)).scope).toBe(VIEW);
  });
  test("after the sign-in was revoked with any of its tokens", async () => {
    for (const which of ["first", "second"] as const) {
      const first = await token(client, PASSWORD);
      const second = await renewed(first.refresh_token);
      const text = { first, second }[which].refresh_token;
      expect((await post("/oauth2/revoke", { token: text }, client)).status).toBe(200);
      invalid(await refresh(first.refresh_token));
      expect(await lets(second.access_token)).toBe(401);
    }
  });
  test.each<[string, object]>([
    ["was deactivated", { active: false }],
    ["has another password", { password: "another-password-7" }],
  ])("after its user %s", async (what, value) => {
    const username = `leaver-${what.length}`;
    const id = await addUser(api.service, { username, password: "a good password", scopes: [VIEW] });
    const first = await token(client, { grant_type: "password", username, password: "a good password", scope: VIEW });
    await renewed(first.refresh_token);
    const body = { schemas: [PATCH_OP], Operations: [{ op: "replace", value }] };
    expect((await api.ask("PATCH", `/scim2/Users/${id}`, { body })).status).toBe(200);
    invalid(await refresh(first.refresh_token));
  });
  test("after its own expiry", async () => {
    const short = await graceful({ ...within(60, 5), expiryInSeconds: 2 });
    const first = await token(short, PASSWORD);
    await renewed(first.refresh_token, short);
    await pause(2_100);
    invalid(await refresh(first.refresh_token, short));
  });
  test("without the key that it is bound to", async () => {
    const { bound, tokenProof, post: sent } = dpopOf(api);
    const [key, other] = [newProofKey(), newProofKey()];
    const open = await graceful(within(60, 5), { publicClient: true });
    const fields = { ...PASSWORD, client_id: open.clientId };
    const first = await bound({ ...open, clientSecret: "" }, key, fields);
    const use = (proof?: string) =>
      sent(null, { grant_type: "refresh_token", refresh_token: first.refresh_token, client_id: open.clientId }, proof);
    expect((await use(await tokenProof(key))).status).toBe(200);
    for (const proof of [undefined, await tokenProof(other)]) {
      const answer = await use(proof);
      expect([answer.status, answer.body.error]).toEqual([400, "invalid_grant"]);
    }
    expect((await use(await tokenProof(key))).status).toBe(200);
  });
});

test("introspection shows no used token as active", async () => {
  const first = await token(client, PASSWORD);
  await renewed(first.refresh_token);
  expect((await post("/oauth2/introspect", { token: first.refresh_token }, client)).body).toEqual({ active: false });
});

test("a client that repeats its refresh token is not affected", async () => {
  const lasting = await graceful({ ...within(60, 1), renewRefreshToken: false });
  const { refresh_token } = await token(lasting, PASSWORD);
  for (let again = 0; again < 4; again += 1) {
    expect((await renewed(refresh_token, lasting)).refresh_token).toBe(refresh_token);
  }
});

describe("settings", () => {
  const shownFor = async (refreshToken: object) => {
    const { applicationId } = await graceful(refreshToken);
    const {
      expiryInSeconds: _,
      renewRefreshToken: __,
      ...rest
    } = (await api.ask("GET", oidcPath(applicationId))).body.refreshToken;
    return rest;
  };
  test("show what is set, with the defaults where it is on", async () => {
    expect(await shownFor({})).toEqual({});
    expect(await shownFor(ON)).toEqual(within(30, 5));
    expect(await shownFor(within(0, 0))).toEqual(within(30, 5));
    expect(await shownFor(within(60, 1))).toEqual(within(60, 1));
    expect(await shownFor({ gracefulRefreshTokenRotationEnabled: false, gracefulRefreshTokenReuseLimit: 0 })).toEqual({
      gracefulRefreshTokenRotationEnabled: false,
    });
  });
  test.each([within(61, 1), within(-1, 1), within(30, 6), within(30, -1)])("%j is refused", async (refreshToken) => {
    const body = { grantTypes: ["password"], refreshToken };
    const answer = await api.ask("PUT", oidcPath(client.applicationId), { body });
    expect([answer.status, answer.body.code]).toEqual([400, "OAUTH-60001"]);
    expect(answer.body.description).toMatch(/refreshToken\.graceful\w+ must be 1 to \d+/);
  });
  test.each(["application/xml", "application/yaml", "application/json"])("are in files of %s", async (type) => {
    const path = `${APPLICATIONS}/${client.applicationId}/exportFile`;
    const { status, text } = await api.ask("GET", path, { headers: { accept: type } });
    expect(status).toBe(200);
    for (const [name, value] of Object.entries(within(60, 2))) {
      expect(text).toMatch(new RegExp(`${name}\\W+${value}\\b`));
    }
  });
});
