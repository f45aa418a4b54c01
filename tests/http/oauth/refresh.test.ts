/** Refresh tokens: scopes, rotation, and what ends them. */
import { beforeAll, describe, expect, test } from "vitest";
import { oauthOf, type TestClient, TOKEN } from "#tests/support/oauth.ts";
import { addUser } from "#tests/support/people.ts";
import { ADMIN, APPLICATIONS, world } from "#tests/support/world.ts";

const api = world();
const { newClient, post, token } = oauthOf(api);
const VIEW = "internal_application_mgt_view";
const CREATE = "internal_application_mgt_create";
const PASSWORD = { grant_type: "password", ...ADMIN, scope: `${VIEW} ${CREATE}` };

let stranger: TestClient;
let client: TestClient;
beforeAll(async () => {
  // Created first, so that only the client id differs.
  stranger = await newClient([VIEW, CREATE]);
  client = await newClient([VIEW, CREATE]);
});
const refresh = (refresh_token: string | undefined, as = client, more: Record<string, string> = {}) =>
  post(TOKEN, { grant_type: "refresh_token", refresh_token, ...more }, as);
const lets = async (access: string) => (await api.ask("GET", APPLICATIONS, { as: `Bearer ${access}` })).status;
const invalid = (answer: Awaited<ReturnType<typeof post>>) => {
  expect([answer.status, answer.body.error]).toEqual([400, "invalid_grant"]);
  expect(answer.body.error_description).toMatch(/^The refresh token is not valid/);
};

describe("rotation", () => {
  test("each use returns a new pair; the previous access token ends at once", async () => {
    const first = await token(client, PASSWORD);
    const second = (await refresh(first.refresh_token)).body;
    expect(second).toMatchObject({ token_type: "Bearer", expires_in: 3600, scope: PASSWORD.scope });
    expect([second.access_token === first.access_token, second.refresh_token === first.refresh_token]).toEqual([
      false,
      false,
    ]);
    expect([await lets(first.access_token), await lets(second.access_token)]).toEqual([401, 200]);
  });
  test("a second use ends all tokens of the sign-in", async () => {
    const first = await token(client, PASSWORD);
    const second = (await refresh(first.refresh_token)).body;
    const third = (await refresh(second.refresh_token)).body;
    invalid(await refresh(first.refresh_token));
    invalid(await refresh(third.refresh_token));
    expect(await lets(third.access_token)).toBe(401);
  });
  test("another sign-in of the user stays valid", async () => {
    const [one, other] = [await token(client, PASSWORD), await token(client, PASSWORD)];
    await refresh(one.refresh_token);
    invalid(await refresh(one.refresh_token));
    expect(await lets(other.access_token)).toBe(200);
    expect((await refresh(other.refresh_token)).status).toBe(200);
  });
  test("of twenty concurrent uses one succeeds; a later use ends the family", async () => {
    const { refresh_token } = await token(client, PASSWORD);
    const answers = await Promise.all(Array.from({ length: 20 }, () => refresh(refresh_token)));
    const won = answers.filter(({ status }) => status === 200);
    expect(won).toHaveLength(1);
    for (const answer of answers) if (answer.status !== 200) invalid(answer);
    invalid(await refresh(refresh_token));
    invalid(await refresh(won[0]?.body.refresh_token));
  });
  test("an application can turn rotation off; a public client cannot", async () => {
    const lasting = await newClient([VIEW], { refreshToken: { renewRefreshToken: false } });
    const { refresh_token } = await token(lasting, PASSWORD);
    for (let again = 0; again < 3; again += 1) {
      const answer = await refresh(refresh_token, lasting);
      expect([answer.status, answer.body.refresh_token]).toEqual([200, refresh_token]);
    }
    const open = await newClient([VIEW], { publicClient: true, refreshToken: { renewRefreshToken: false } });
    const first = await post(TOKEN, { ...PASSWORD, client_id: open.clientId });
    const more = { grant_type: "refresh_token", client_id: open.clientId };
    const second = await post(TOKEN, { ...more, refresh_token: first.body.refresh_token });
    expect(second.status).toBe(200);
    invalid(await post(TOKEN, { ...more, refresh_token: first.body.refresh_token }));
    invalid(await post(TOKEN, { ...more, refresh_token: second.body.refresh_token }));
  });
  test("the application sets the lifetime of refresh tokens", async () => {
    const brief = await newClient([VIEW], { refreshToken: { expiryInSeconds: 1 } });
    const { refresh_token } = await token(brief, PASSWORD);
    await new Promise((done) => setTimeout(done, 2_000));
    invalid(await refresh(refresh_token, brief));
  });
});

describe("scopes", () => {
  test("can be reduced for one use; the next use can have all of them again", async () => {
    const first = await token(client, PASSWORD);
    const narrow = await refresh(first.refresh_token, client, { scope: CREATE });
    expect(narrow.body.scope).toBe(CREATE);
    expect((await refresh(narrow.body.refresh_token)).body.scope).toBe(PASSWORD.scope);
  });
  test("cannot exceed those of the sign-in, even if the application and the user have more; the token stays valid", async () => {
    const first = await token(client, { ...PASSWORD, scope: VIEW });
    const answer = await refresh(first.refresh_token, client, { scope: `${VIEW} ${CREATE}` });
    expect([answer.status, answer.body.error]).toEqual([400, "invalid_scope"]);
    expect((await refresh(first.refresh_token)).body.scope).toBe(VIEW);
  });
});

describe("invalid_grant", () => {
  test.each<[string, (own: string) => string]>([
    ["an unknown token", () => "rt_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"],
    ["junk", () => "junk"],
    ["an extra character", (own) => `${own}A`],
    ["a missing character", (own) => own.slice(0, -1)],
    ["lower case", (own) => own.toLowerCase()],
    ["a property name of Object", () => "__proto__"],
  ])("%s, and the real one goes on", async (_, change) => {
    const { refresh_token = "" } = await token(client, PASSWORD);
    invalid(await refresh(change(refresh_token)));
    expect((await refresh(refresh_token)).status).toBe(200);
  });
  test("an access token; and 401 for a refresh token as an access token", async () => {
    const { access_token, refresh_token = "" } = await token(client, PASSWORD);
    invalid(await refresh(access_token));
    expect(await lets(refresh_token)).toBe(401);
  });
  test("a token of another client, which stays valid there", async () => {
    const { refresh_token } = await token(client, PASSWORD);
    invalid(await refresh(refresh_token, stranger));
    expect((await refresh(refresh_token)).status).toBe(200);
  });
  test("a token of a user who may not sign in any more", async () => {
    const id = await addUser(api.service, { username: "leaver", password: "a good password", scopes: [VIEW] });
    const grant = { grant_type: "password", username: "leaver", password: "a good password", scope: VIEW };
    const [one, other] = [await token(client, grant), await token(client, grant)];
    const path = `/scim2/Users/${id}`;
    const Operations = [{ op: "replace", path: "active", value: false }];
    expect((await api.ask("PATCH", path, { body: { schemas: [PATCH_OP], Operations } })).status).toBe(200);
    invalid(await refresh(one.refresh_token));
    expect((await api.ask("DELETE", path)).status).toBe(204);
    invalid(await refresh(other.refresh_token));
  });
});

const PATCH_OP = "urn:ietf:params:scim:api:messages:2.0:PatchOp";
