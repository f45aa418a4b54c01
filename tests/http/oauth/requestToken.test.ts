import { beforeAll, describe, expect, test } from "vitest";
import { ALL_GRANTS, form, oauthOf, type TestClient, TOKEN } from "#tests/support/oauth.ts";
import { addUser } from "#tests/support/people.ts";
import { ADMIN, APPLICATIONS, basic, world } from "#tests/support/world.ts";

const api = world();
const oauth = oauthOf(api);
const { newClient, post, token } = oauth;
const VIEW = "internal_application_mgt_view";
const CC = { grant_type: "client_credentials" };
const PASSWORD = { grant_type: "password", ...ADMIN };

let client: TestClient;
let open: TestClient;
beforeAll(async () => {
  client = await newClient([VIEW]);
  open = await newClient([VIEW], { publicClient: true });
  await addUser(api.service, { username: "zoë", password: "pässwörd: a+b", scopes: [VIEW] });
});

/** An error in exactly the form of RFC 6749 section 5.2. */
const refused = (answer: Awaited<ReturnType<typeof post>>, status: number, error: string) => {
  expect([answer.status, answer.body]).toEqual([status, { error, error_description: expect.any(String) }]);
  expect(answer.body.error_description).toMatch(/^[\x20-\x21\x23-\x5B\x5D-\x7E]+$/);
  expect(answer.headers.get("content-type")).toBe("application/json");
  expect(answer.headers.get("cache-control")).toBe("no-store");
  expect(answer.headers.get("pragma")).toBe("no-cache");
};

describe("200", () => {
  test("for the client itself: no refresh token, and only members of the RFC", async () => {
    const answer = await post(TOKEN, { ...CC, scope: VIEW }, client);
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({
      access_token: expect.stringMatching(/^at_[A-Za-z0-9_-]{43}$/),
      token_type: "Bearer",
      expires_in: 3600,
      scope: VIEW,
    });
    expect(answer.headers.get("content-type")).toBe("application/json");
    expect(answer.headers.get("cache-control")).toBe("no-store");
    expect(answer.headers.get("pragma")).toBe("no-cache");
  });
  test("for a user: with a refresh token, even if the client may not use it", async () => {
    for (const grantTypes of [ALL_GRANTS, ["password"]]) {
      const body = await token(await newClient([VIEW], { grantTypes }), { ...PASSWORD, scope: VIEW });
      expect(body).toEqual({
        access_token: expect.any(String),
        token_type: "Bearer",
        expires_in: 3600,
        refresh_token: expect.stringMatching(/^rt_[A-Za-z0-9_-]{43}$/),
        scope: VIEW,
      });
    }
  });
  test("the application sets the lifetimes, for users and for itself", async () => {
    const short = await newClient([], {
      accessToken: { type: "JWT", userAccessTokenExpiryInSeconds: 120, applicationAccessTokenExpiryInSeconds: 240 },
    });
    expect((await token(short, PASSWORD)).expires_in).toBe(120);
    const own = await token(short, CC);
    expect(own.expires_in).toBe(240);
    const [, payload = ""] = own.access_token.split(".");
    const { iat, exp } = JSON.parse(Buffer.from(payload, "base64url").toString());
    expect(exp - iat).toBe(240);
  });
  test("a JWT has the claims of RFC 9068", async () => {
    const jwt = await newClient([VIEW], { accessToken: { type: "JWT" } });
    const [header, payload] = (await token(jwt, { ...PASSWORD, scope: VIEW })).access_token
      .split(".", 2)
      .map((part) => JSON.parse(Buffer.from(part, "base64url").toString()));
    expect(header).toEqual({ alg: "ES256", typ: "at+jwt", kid: expect.stringMatching(/^[A-Za-z0-9_-]{43}$/) });
    expect(payload).toMatchObject({
      iss: `${api.url}/oauth2/token`,
      sub: expect.stringMatching(/^[0-9a-f-]{36}$/),
      aud: [jwt.clientId, api.url],
      client_id: jwt.clientId,
      scope: VIEW,
      aut: "APPLICATION_USER",
      jti: expect.any(String),
      nbf: payload.iat,
      exp: payload.iat + 3600,
    });
  });
  test("every token is different", async () => {
    const made = await Promise.all(Array.from({ length: 20 }, () => oauth.ownToken(client)));
    expect(new Set(made).size).toBe(20);
  });
  test.each<[string, () => [Record<string, string | undefined>, string | TestClient | null]]>([
    ["in the form", () => [{ client_id: client.clientId, client_secret: client.clientSecret }, null]],
    ["in a header, with the id in the form too", () => [{ client_id: client.clientId }, client]],
    [
      "in a header with the scheme in another letter case",
      () => [{}, asBasic(client, (text) => text.replace("B", "b"))],
    ],
    ["in a header, with empty parameters in the form", () => [{ client_id: "", client_secret: "", scope: "" }, client]],
    ["with unknown parameters", () => [{ audience: "x", subject_token: "y", callback: "alert(1)" }, client]],
  ])("authenticates the client %s", async (_, how) => {
    const [fields, as] = how();
    const answer = await post(TOKEN, { ...CC, ...fields }, as);
    expect([answer.status, answer.body.token_type]).toEqual([200, "Bearer"]);
  });
  test("a public client sends its id alone", async () => {
    const answer = await post(TOKEN, { ...PASSWORD, client_id: open.clientId, scope: VIEW });
    expect([answer.status, answer.body.scope]).toEqual([200, VIEW]);
    const refreshed = await post(TOKEN, {
      grant_type: "refresh_token",
      client_id: open.clientId,
      refresh_token: answer.body.refresh_token,
    });
    expect([refreshed.status, refreshed.body.scope]).toEqual([200, VIEW]);
  });
  test("a secret with special characters in a header, plain or encoded as in RFC 6749; any other text is wrong", async () => {
    const clientSecret = "a:b%41+c/d=~'\"7Qx2vLr9Tz";
    const special = await newClient([], { clientId: "id+with%special", clientSecret });
    const formEncoded = (text: string) => encodeURIComponent(text).replaceAll("'", "%27").replaceAll("%20", "+");
    const plain = await newClient([], { clientId: "plain-id", clientSecret });
    expect((await post(TOKEN, CC, basic({ username: "plain-id", password: clientSecret }))).status).toBe(200);
    for (const { clientId } of [plain, special]) {
      const encoded = basic({ username: formEncoded(clientId), password: formEncoded(clientSecret) });
      expect((await post(TOKEN, CC, encoded)).status).toBe(200);
    }
    refused(await post(TOKEN, CC, basic({ username: "plain-id", password: "a:bA c/d=~'\"x" })), 401, "invalid_client");
  });
  test("below the path of the tenant, and with a charset parameter", async () => {
    expect((await post(`/t/carbon.super${TOKEN}`, CC, client)).status).toBe(200);
    const answer = await api.ask("POST", TOKEN, {
      raw: form(CC),
      as: basic({ username: client.clientId, password: client.clientSecret }),
      headers: { "content-type": "application/x-www-form-urlencoded;charset=UTF-8" },
    });
    expect(answer.status).toBe(200);
  });
  test("a user name and password in UTF-8, with user store, tenant and any letter case", async () => {
    for (const username of ["zoë", "ZOË", "PRIMARY/zoë", "zoë@carbon.super", "primary/zoe\u0308@CARBON.SUPER"]) {
      const answer = await post(TOKEN, { grant_type: "password", username, password: "pässwörd: a+b" }, client);
      expect([username, answer.status]).toEqual([username, 200]);
    }
  });
});

const asBasic = ({ clientId, clientSecret }: TestClient, change: (text: string) => string): string =>
  change(basic({ username: clientId, password: clientSecret }));

test("200 for a user whose name is an e-mail address, with and without the tenant", async () => {
  const user = { username: "mia@corp.example", password: "Mia's-own" };
  await addUser(api.service, user);
  for (const username of [user.username, `PRIMARY/${user.username}`, `${user.username}@carbon.super`]) {
    expect((await post(TOKEN, { ...user, username, grant_type: "password" }, client)).status).toBe(200);
  }
});

describe("400 invalid_request", () => {
  test.each<[string, string]>([
    ["an empty body", ""],
    ["no grant_type", "scope=x"],
    ["an empty grant_type", "grant_type=&scope=x"],
    ["grant_type twice", "grant_type=client_credentials&grant_type=client_credentials"],
    ["scope twice", "grant_type=client_credentials&scope=a&scope=b"],
    ["username twice", "grant_type=password&username=a&username=b&password=c"],
    ["client_id twice", "grant_type=client_credentials&client_id=a&client_id=a"],
    ["an unknown parameter twice", "grant_type=client_credentials&x=1&x=2"],
    ["a percent sign without an escape", "grant_type=client_credentials&scope=%zz"],
    ["escapes that are not UTF-8", "grant_type=client_credentials&scope=%c0%af"],
    ["parameters with property names of Object", "__proto__=x&constructor=y"],
    ["no username", "grant_type=password&password=x"],
    ["an empty password", "grant_type=password&username=admin&password="],
    ["no refresh token", "grant_type=refresh_token"],
  ])("%s", async (_, body) => refused(await post(TOKEN, body, client), 400, "invalid_request"));

  test("bytes in the body that are not UTF-8", async () => {
    const raw = new Uint8Array([...Buffer.from("grant_type=client_credentials&scope="), 0xff]);
    const headers = { "content-type": "application/x-www-form-urlencoded" };
    const as = basic({ username: client.clientId, password: client.clientSecret });
    refused(await api.ask("POST", TOKEN, { raw, headers, as }), 400, "invalid_request");
  });
  test.each(["grant_type", "username", "password", "client_id", "client_secret", "scope", "refresh_token", "token"])(
    "%s in the address",
    async (name) => refused(await post(`${TOKEN}?${name}=x`, CC, client), 400, "invalid_request"),
  );
  test("200 with other parameters in the URL", async () => {
    expect((await post(`${TOKEN}?utm_source=x`, CC, client)).status).toBe(200);
  });
  test("a secret in the header and in the form, and two different client ids", async () => {
    refused(await post(TOKEN, { ...CC, client_secret: client.clientSecret }, client), 400, "invalid_request");
    refused(await post(TOKEN, { ...CC, client_id: open.clientId }, client), 400, "invalid_request");
  });
  test.each(["application/json", "multipart/form-data; boundary=x", "application/xml", "text/plain", ""])(
    "a body of the type %j",
    async (type) => {
      const as = basic({ username: client.clientId, password: client.clientSecret });
      const headers: Record<string, string> = { "content-type": type };
      refused(await api.ask("POST", TOKEN, { raw: JSON.stringify(CC), headers, as }), 415, "invalid_request");
    },
  );
  test("a body of more than 64 KiB", async () => {
    refused(await post(TOKEN, { ...CC, scope: "x ".repeat(500_000) }, client), 413, "invalid_request");
  });
});

const JWT_ASSERTION = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";

describe("401 invalid_client, with one message and a challenge", () => {
  const cases: [string, () => [Record<string, string | undefined>, string | TestClient | null]][] = [
    ["a wrong secret", () => [{}, { ...client, clientSecret: "wrong" }]],
    ["a wrong secret in the form", () => [{ client_id: client.clientId, client_secret: "wrong" }, null]],
    ["an unknown client", () => [{}, { ...client, clientId: "nobody" }]],
    ["the id in another letter case", () => [{}, { ...client, clientId: client.clientId.toUpperCase() }]],
    ["the id alone of a confidential client", () => [{ client_id: client.clientId }, null]],
    ["an unknown id alone", () => [{ client_id: "nobody" }, null]],
    ["an empty secret", () => [{ client_id: client.clientId, client_secret: "" }, null]],
    ["a user", () => [{}, basic(ADMIN)]],
    ["a wrong secret of a public client", () => [{ client_id: open.clientId, client_secret: "wrong" }, null]],
    ["an assertion that is none", () => [{ client_assertion_type: JWT_ASSERTION, client_assertion: "x.y.z" }, null]],
    ["a property name of Object", () => [{ client_id: "__proto__", client_secret: "x" }, null]],
    ["an id of 3,000 characters", () => [{ client_id: "x".repeat(3_000), client_secret: "x" }, null]],
    ["a key separator", () => [{ client_id: "a#b\u0000", client_secret: "x" }, null]],
  ];
  test.each(cases)("%s", async (_, how) => {
    const [fields, as] = how();
    const answer = await post(TOKEN, { ...CC, ...fields }, as);
    refused(answer, 401, "invalid_client");
    expect(answer.headers.get("www-authenticate")).toMatch(/^Basic realm="[^"]+", charset="UTF-8"$/);
    expect(answer.body.error_description).toBe(
      "The client is unknown, its credential is wrong, or it used a method that is not accepted.",
    );
  });
  test.each<[string, RegExp, () => string | null]>([
    ["no client at all", /^No client is named: send its id and secret in an Authorization header/, () => null],
    ["Bearer", /^The Authorization header cannot be read: send Basic, /, () => "Bearer abc"],
    ["junk", /^The Authorization header cannot be read: send Basic, /, () => "Basic !!!"],
    [
      "two credentials in one header",
      /^The Authorization header cannot be read: send Basic, /,
      () => `${asBasic(client, String)}, ${asBasic(client, String)}`,
    ],
  ])("%s: says how a client is named", async (_, description, as) => {
    const answer = await post(TOKEN, CC, as());
    refused(answer, 401, "invalid_client");
    expect(answer.body.error_description).toMatch(description);
  });
  test("the path of another tenant", async () => {
    refused(await post(`/t/acme.com${TOKEN}`, CC, client), 401, "invalid_client");
    refused(await post(`/t/${encodeURIComponent("#")}${TOKEN}`, CC, client), 401, "invalid_client");
  });
  test("a revoked client, whose message shows it only with the right secret; the regenerated secret is valid, the old one is not", async () => {
    const one = await newClient();
    await api.ask("POST", `${oauth.oidcPath(one.applicationId)}/revoke`);
    const answer = await post(TOKEN, CC, one);
    refused(answer, 401, "invalid_client");
    expect(answer.body.error_description).toMatch(/revoked/);
    expect((await post(TOKEN, CC, { ...one, clientSecret: "x" })).body.error_description).toMatch(/unknown/);
    const { clientSecret } = (await api.ask("POST", `${oauth.oidcPath(one.applicationId)}/regenerate-secret`)).body;
    refused(await post(TOKEN, CC, one), 401, "invalid_client");
    expect((await post(TOKEN, CC, { ...one, clientSecret })).status).toBe(200);
  });
  test("a client whose application is disabled or deleted, or whose configuration is deleted", async () => {
    const [disabled, deleted, without] = [await newClient(), await newClient(), await newClient()];
    await api.ask("PATCH", `${APPLICATIONS}/${disabled.applicationId}`, { body: { applicationEnabled: false } });
    await api.ask("DELETE", `${APPLICATIONS}/${deleted.applicationId}`);
    await api.ask("DELETE", oauth.oidcPath(without.applicationId));
    for (const one of [disabled, deleted, without]) refused(await post(TOKEN, CC, one), 401, "invalid_client");
    await api.ask("PATCH", `${APPLICATIONS}/${disabled.applicationId}`, { body: { applicationEnabled: true } });
    expect((await post(TOKEN, CC, disabled)).status).toBe(200);
  });
});

describe("400 for a grant", () => {
  test.each(["implicit", "authorization-code", "refresh_token ", "PASSWORD", "pass", "urn:x", "constructor"])(
    "%j is unknown here",
    async (grant_type) => refused(await post(TOKEN, { grant_type }, client), 400, "unsupported_grant_type"),
  );
  test("that the application does not list", async () => {
    const limited = await newClient([], { grantTypes: ["client_credentials"] });
    refused(await post(TOKEN, PASSWORD, limited), 400, "unauthorized_client");
    refused(
      await post(TOKEN, { grant_type: "refresh_token", refresh_token: "x" }, limited),
      400,
      "unauthorized_client",
    );
  });
  test("that the application does not list any more", async () => {
    const { refresh_token } = await token(client, PASSWORD);
    const one = await newClient();
    const before = await token(one, PASSWORD);
    await api.ask("PUT", oauth.oidcPath(one.applicationId), { body: { grantTypes: ["password"] } });
    const answer = await post(TOKEN, { grant_type: "refresh_token", refresh_token: before.refresh_token }, one);
    refused(answer, 400, "unauthorized_client");
    expect(refresh_token).toBeDefined();
  });
  test("client_credentials of a public client", async () => {
    refused(await post(TOKEN, { ...CC, client_id: open.clientId }), 400, "unauthorized_client");
  });
});

describe("400 invalid_grant, with one message for every refused sign-in", () => {
  test.each<[string, string, string]>([
    ["a wrong password", "admin", "wrong"],
    ["an unknown user", "nobody", "wrong"],
    ["an unknown tenant", "admin@evil.com", "admin"],
    ["an unknown user store", "NOPE/admin", "admin"],
    ["a reserved user store", "INTERNAL/admin", "admin"],
    ["an LDAP filter", "*)(uid=*", "x"],
    ["an SQL condition", "' OR 1=1 --", "x"],
    ["NUL", "admin\0", "admin"],
    ["a password of 2,000 characters", "admin", "x".repeat(2_000)],
    ["a property name of Object", "__proto__", "x"],
  ])("%s", async (_, username, password) => {
    const answer = await post(TOKEN, { grant_type: "password", username, password }, client);
    refused(answer, 400, "invalid_grant");
    expect(answer.body.error_description).toBe("The user name or the password is wrong, or the user may not sign in.");
    expect(answer.text).not.toContain(username);
  });
  test("20 wrong passwords lock the name, here and for Basic, with the same response", async () => {
    await addUser(api.service, { username: "victim", password: "the right one" });
    const wrong = { grant_type: "password", username: "victim", password: "wrong" };
    const answers = [];
    for (let attempt = 0; attempt < 20; attempt += 1) answers.push(await post(TOKEN, wrong, client));
    const right = await post(TOKEN, { ...wrong, password: "the right one" }, client);
    expect(new Set([...answers, right].map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
    refused(right, 400, "invalid_grant");
    const as = basic({ username: "victim", password: "the right one" });
    expect((await api.ask("GET", APPLICATIONS, { as })).status).toBe(401);
    expect((await post(TOKEN, PASSWORD, client)).status).toBe(200);
  });
});

describe("400 invalid_scope", () => {
  test.each([
    ["a quote", 'a"b'],
    ["a backslash", "a\\b"],
    ["a line break", "a\nb"],
    ["a letter with an accent", "é"],
    ["101 names", Array.from({ length: 101 }, (_, index) => `s${index}`).join(" ")],
    ["5,000 characters", "x".repeat(5_000)],
  ])("%s", async (_, scope) => refused(await post(TOKEN, { ...CC, scope }, client), 400, "invalid_scope"));
});

test("405 with Allow for GET, with and without a credential", async () => {
  const byClient = `Basic ${Buffer.from(`${client.clientId}:${client.clientSecret}`).toString("base64")}`;
  for (const as of [undefined, null, byClient, "Bearer nothing"]) {
    for (const path of [TOKEN, `/t/carbon.super${TOKEN}`, "/oauth2/introspect", "/oauth2/revoke"]) {
      const answer = await api.ask("GET", path, { as });
      expect([path, answer.status, answer.headers.get("allow")]).toEqual([path, 405, "POST"]);
    }
  }
  const posted = await api.ask("POST", "/oauth2/jwks", { as: null });
  expect([posted.status, posted.headers.get("allow")]).toEqual([405, "GET"]);
});
