/** Mistakes with credentials, tokens, scopes, tenants and the token endpoint. */
import { beforeAll, describe, expect, test } from "vitest";
import { SUPER_TENANT } from "#core/kernel/domain/tenant.ts";
import { storingAccessToken } from "#core/tokens/access-token-store.ts";
import { newOpaque } from "#core/tokens/opaque.ts";
import { type Mistake, type MistakeRow, testMistakes, toldIn } from "#tests/support/mistakes.ts";
import { form, oauthOf, type TestClient, TOKEN } from "#tests/support/oauth.ts";
import { addUser, tableOf } from "#tests/support/people.ts";
import { ADMIN, APPLICATIONS, basic, world } from "#tests/support/world.ts";

const api = world();
const oauth = oauthOf(api);
const VIEW = "internal_application_mgt_view";
const GET = `GET ${APPLICATIONS}`;
const UNKNOWN = "at_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";

let client: TestClient;
let own = "";
beforeAll(async () => {
  client = await oauth.newClient([VIEW], { grantTypes: ["client_credentials"] });
  own = await oauth.ownToken(client);
  await addUser(api.service, { username: "kim", password: "secret", scopes: [] });
});

const as = (header: string | null): Mistake => ({ as: header });

describe("credentials", () => {
  const unreadable = "The Authorization header cannot be read";
  const rows: readonly MistakeRow[] = [
    ["none", as(null), 401, "Send an Authorization header", "Bearer with an access token"],
    ["a wrong password", as(basic({ ...ADMIN, password: "x" })), 401, "user name or the password", "is wrong"],
    ["no base64", as("Basic admin:admin"), 401, unreadable, "the base64 of the user name, a colon and the password"],
    ["a name without password", as(`Basic ${btoa("admin")}`), 401, unreadable, "a colon and the password"],
    ["a token without its scheme", as(UNKNOWN), 401, unreadable, "or Bearer, a blank, and an access token"],
    ["another scheme", as(`Token ${UNKNOWN}`), 401, unreadable, "or Bearer, a blank, and an access token"],
    ["a scheme without a token", as("Bearer"), 401, "after the word Bearer", "without quotes"],
    ["a token in quotes", as(`Bearer "${UNKNOWN}"`), 401, "after the word Bearer", "without quotes"],
    ["the scheme twice", as(`Bearer Bearer ${UNKNOWN}`), 401, "after the word Bearer", "access_token of the answer"],
    ["an unknown token", as(`Bearer ${UNKNOWN}`), 401, "The access token is invalid", "new one at /oauth2/token"],
    ["something else as a token", as("Bearer admin"), 401, "The access token is invalid", "new one at /oauth2/token"],
    [
      "a user without the scope",
      { as: { username: "kim", password: "secret" } },
      403,
      `requires the scope ${VIEW}`,
      "Give the user a role that has it.",
    ],
    [
      "the path of another tenant",
      { call: `GET /t/acme.com${APPLICATIONS}` },
      401,
      "the tenant that the path names",
      "Use one of that tenant",
    ],
  ];
  testMistakes(api, GET, rows);

  test("a token without the scope: names it in the body and in the challenge", async () => {
    const answer = await api.ask("DELETE", `${APPLICATIONS}/x`, { as: `Bearer ${own}` });
    expect(answer.status).toBe(403);
    expect(toldIn(answer)).toBe(
      "This operation requires the scope internal_application_mgt_delete, which your credential does not have. " +
        "Request a token with it, for an application that is authorized for its API.",
    );
    expect(answer.headers.get("www-authenticate")).toContain(
      'error="insufficient_scope", scope="internal_application_mgt_delete"',
    );
  });
});

describe("an access token that expired", () => {
  const stored = async (expiresInSeconds: number): Promise<string> => {
    const text = newOpaque("at_");
    const issuedAtSeconds = Math.floor(Date.now() / 1_000) - 100;
    const { clientId, applicationId } = client;
    const token = { tenant: SUPER_TENANT, clientId, applicationId, scopes: [VIEW], roleIds: [], grantId: "a grant" };
    const times = { issuedAtSeconds, issuedMs: Date.now(), expiresAtSeconds: issuedAtSeconds + 100 + expiresInSeconds };
    await tableOf(api.service).write(storingAccessToken(text, { ...token, ...times }));
    return text;
  };
  const challengeOf = (answer: { readonly headers: Headers }) => answer.headers.get("www-authenticate") ?? "";

  test.each<[string, string]>([
    ["/api/server/v1/applications", "description"],
    ["/scim2/Users", "detail"],
    ["/t/carbon.super/api/server/v1/applications", "description"],
  ])("is told from an invalid one at %s, in the body and in the challenge", async (path, member) => {
    const expired = await api.ask("GET", path, { as: `Bearer ${await stored(-2)}` });
    expect([expired.status, expired.body[member]]).toEqual([
      401,
      "The access token expired: request a new one at /oauth2/token.",
    ]);
    expect(challengeOf(expired)).toContain('error="invalid_token", error_description="The access token expired"');
    const unknown = await api.ask("GET", path, { as: `Bearer ${UNKNOWN}` });
    expect([unknown.status, unknown.body[member]]).toEqual([
      401,
      expect.stringMatching(/^The access token is invalid/),
    ]);
    expect(challengeOf(unknown)).toContain('error="invalid_token", error_description="The access token is invalid"');
  });
  test("is invalid once it was revoked, like any other", async () => {
    const text = await oauth.ownToken(client);
    await oauth.post("/oauth2/revoke", { token: text }, client);
    const answer = await api.ask("GET", APPLICATIONS, { as: `Bearer ${text}` });
    expect([answer.status, toldIn(answer)]).toEqual([401, expect.stringMatching(/^The access token is invalid/)]);
  });
  test.each(["Default", "JWT"])("was valid before: %s", async (type) => {
    const accessToken = { type, applicationAccessTokenExpiryInSeconds: 2 };
    const grantTypes = ["client_credentials"];
    const text = await oauth.ownToken(await oauth.newClient([VIEW], { grantTypes, accessToken }), VIEW);
    const ask = () => api.ask("GET", APPLICATIONS, { as: `Bearer ${text}` });
    expect((await ask()).status).toBe(200);
    await expect.poll(async () => (await ask()).status, { timeout: 8_000, interval: 200 }).toBe(401);
    expect(toldIn(await ask())).toMatch(/^The access token expired/);
  });
});

describe("the token endpoint", () => {
  const headers = { "content-type": "application/x-www-form-urlencoded" };
  const post = (fields: Record<string, string> | string, header?: string | null): Mistake => ({
    raw: typeof fields === "string" ? fields : form(fields),
    headers,
    as: header === undefined ? "the client" : header,
  });
  const CC = { grant_type: "client_credentials" };
  const rows: readonly MistakeRow[] = [
    ["no client", post(CC, null), 401, "No client is named", "as client_id and client_secret in the body"],
    ["a token as the client", post(CC, "Bearer x"), 401, "The Authorization header", "the base64 of the client id"],
    ["a wrong secret", post(CC, basic({ username: "x", password: "y" })), 401, "The client", "credential is wrong"],
    ["no body", post(""), 400, "body.grant_type is required", "Content-Type application/x-www-form-urlencoded"],
    ["a misspelt parameter", post({ grantType: "password" }), 400, "body.grant_type", "is required"],
    ["an unknown grant type", post({ grant_type: "code" }), 400, "grant types", "client_credentials, password"],
    ["a grant of others", post({ grant_type: "password" }), 400, "grantTypes", "of the application"],
    ["a parameter twice", post("grant_type=a&grant_type=b"), 400, "'grant_type'", "send it once"],
    [
      "two clients",
      post({ ...CC, client_id: "other" }),
      400,
      "Authorization header and client_id",
      "different clients",
    ],
    [
      "JSON",
      { raw: JSON.stringify(CC), headers: { "content-type": "application/json" }, as: "the client" },
      415,
      "Content-Type",
      "application/x-www-form-urlencoded",
    ],
    [
      "a parameter in the URL",
      { ...post(CC), call: `POST ${TOKEN}?grant_type=x` },
      400,
      "grant_type",
      "in the body, not in the URL",
    ],
    ["GET", { call: `GET ${TOKEN}`, as: null }, 405, TOKEN, "supports POST, not GET"],
    ["no token to introspect", { ...post(""), call: "POST /oauth2/introspect" }, 400, "body.token", "is required"],
    ["an endpoint that there is not", { call: "GET /oauth2/ciba" }, 404, "this path", "GET /openapi.json lists all"],
  ];
  // The client is known when the tests run.
  const asClient = {
    ask: (...[method, path, { as: header, ...ask } = {}]: Parameters<typeof api.ask>) => {
      const right = basic({ username: client.clientId, password: client.clientSecret });
      return api.ask(method, path, {
        ...ask,
        ...(header !== undefined && { as: header === "the client" ? right : header }),
      });
    },
  };
  testMistakes(asClient, `POST ${TOKEN}`, rows);

  test("has the characters of RFC 6749 section 5.2 alone in its descriptions", async () => {
    const answer = await oauth.post(TOKEN, 'grant_type=%22é%22&%22é%5C"=1&%22é%5C"=2', client);
    expect(answer.status).toBe(400);
    expect(answer.body.error_description).toMatch(/^[\x20-\x21\x23-\x5B\x5D-\x7E]+$/);
  });
});
