import { describe, expect, test } from "vitest";
import { allItems, liveItems, upstreamBody } from "#tests/support/protocols.ts";
import { APPLICATIONS, world } from "#tests/support/world.ts";

const api = world();
const { ask, create } = api;
const CODE = { grantTypes: ["authorization_code"], callbackURLs: ["https://x.example/cb"] };
const at = (id: string) => `${APPLICATIONS}/${id}/inbound-protocols/oidc`;
const put = (id: string, body: unknown) => ask("PUT", at(id), { body });
const get = async (id: string) => (await ask("GET", at(id))).body;
let made = 0;
const fresh = (oidc: unknown = CODE) => {
  made += 1;
  return create({ name: `oidc ${made}`, inboundProtocolConfiguration: { oidc } });
};

describe("getOidcConfiguration", () => {
  test("a client with only grants and a callback has every default", async () => {
    expect(await get(await fresh())).toEqual({
      clientId: expect.stringMatching(/^[A-Za-z0-9_]{28}$/),
      clientSecret: expect.stringMatching(/^iacs_[0-9A-Za-z]{49}$/),
      clientSecretExpiresAt: 0,
      multipleClientSecretsConfigured: false,
      state: "ACTIVE",
      grantTypes: ["authorization_code"],
      callbackURLs: ["https://x.example/cb"],
      allowedOrigins: [],
      publicClient: false,
      pkce: { mandatory: false, supportPlainTransformAlgorithm: false },
      accessToken: {
        type: "Default",
        userAccessTokenExpiryInSeconds: 3600,
        applicationAccessTokenExpiryInSeconds: 3600,
        revokeTokensWhenIDPSessionTerminated: false,
        validateTokenBinding: false,
        accessTokenAttributes: [],
      },
      refreshToken: { expiryInSeconds: 86400, renewRefreshToken: false },
      idToken: { expiryInSeconds: 3600, audience: [], encryption: { enabled: false, algorithm: "", method: "" } },
      logout: {},
      validateRequestObjectSignature: false,
      scopeValidators: [],
      clientAuthentication: { tokenEndpointAllowReusePvtKeyJwt: false },
    });
  });
  test("accepts the body of WSO2; the application shows its client", async () => {
    const id = await create(await upstreamBody("create-oauth-app"));
    const { clientId } = await get(id);
    const shown = (await ask("GET", `${APPLICATIONS}/${id}`)).body;
    expect(shown.clientId).toBe(clientId);
    expect(shown.inboundProtocols).toEqual([
      {
        type: "oauth2",
        name: "oauth2",
        self: `/t/carbon.super/api/server/v1/applications/${id}/inbound-protocols/oidc`,
      },
    ]);
    const query = new URLSearchParams({ filter: `clientId eq ${clientId}` });
    const listed = (await ask("GET", `${APPLICATIONS}?${query}`)).body;
    expect(listed.applications).toMatchObject([{ id, clientId }]);
  });
  test("returns 404 for an application without a client and for an unknown one", async () => {
    const answer = await ask("GET", at(await create({ name: "no client" })));
    expect([answer.status, answer.body.code]).toEqual([404, "APP-60502"]);
    expect((await ask("GET", at("unknown"))).body.code).toBe("APP-60006");
  });
  test("stores the secret sealed", async () => {
    const id = await fresh();
    const { clientSecret } = await get(id);
    expect(JSON.stringify(await allItems(api.service))).not.toContain(clientSecret);
  });
});

describe("updateOidcConfiguration", () => {
  test("creates a client with a given id and secret", async () => {
    const id = await create({ name: "given" });
    const answer = await put(id, { ...CODE, clientId: "my-client.1", clientSecret: "s3cret~7Qx2vLr9TzKw4" });
    expect([answer.status, answer.text]).toEqual([200, ""]);
    expect(await get(id)).toMatchObject({ clientId: "my-client.1", clientSecret: "s3cret~7Qx2vLr9TzKw4" });
  });
  test("replaces everything except id, secret and state", async () => {
    const id = await fresh({
      ...CODE,
      publicClient: true,
      pkce: { mandatory: true },
      logout: { backChannelLogoutUrl: "https://b" },
    });
    const before = await get(id);
    await put(id, {
      grantTypes: ["client_credentials"],
      accessToken: { type: "JWT", userAccessTokenExpiryInSeconds: 0 },
    });
    expect(await get(id)).toMatchObject({
      clientId: before.clientId,
      clientSecret: before.clientSecret,
      grantTypes: ["client_credentials"],
      callbackURLs: [],
      publicClient: false,
      pkce: { mandatory: false },
      accessToken: { type: "JWT", userAccessTokenExpiryInSeconds: 3600 },
      logout: {},
    });
    expect((await put(id, { ...(await get(id)), state: "REVOKED" })).status).toBe(200);
    expect((await get(id)).state).toBe("ACTIVE");
  });
  test("returns 400 for an id or secret that differs from the client's", async () => {
    const id = await fresh();
    for (const body of [
      { ...CODE, clientId: "other" },
      { ...CODE, clientSecret: "other" },
    ]) {
      const answer = await put(id, body);
      expect([answer.status, answer.body.code]).toEqual([400, "APP-60001"]);
    }
  });
  test("returns 409 for a client id in use and changes nothing, also for concurrent requests", async () => {
    const ids = await Promise.all(Array.from({ length: 20 }, (_, index) => create({ name: `racer ${index}` })));
    const answers = await Promise.all(ids.map((id) => put(id, { ...CODE, clientId: "wanted-client" })));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    const refused = answers.findIndex(({ status }) => status === 409);
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(19);
    expect(answers[refused]?.body.code).toBe("OAUTH-60008");
    expect((await ask("GET", at(ids[refused] ?? ""))).status).toBe(404);
  });
  test("create returns the client's 409 for a name in use", async () => {
    const body = { name: "twin", inboundProtocolConfiguration: { oidc: CODE } };
    await create(body);
    const answer = await ask("POST", APPLICATIONS, { body });
    expect([answer.status, answer.body.code]).toEqual([409, "OAUTH-60008"]);
  });
  test.each<[string, Record<string, unknown>, string]>([
    ["no grant", { grantTypes: [] }, "UE-10000"],
    ["an unknown grant", { grantTypes: ["telepathy"] }, "OAUTH-60001"],
    ["code without callback", { grantTypes: ["authorization_code"] }, "OAUTH-60001"],
    ["a script for a callback", { ...CODE, callbackURLs: ["javascript:alert(1)"] }, "OAUTH-60001"],
    ["data for a callback", { ...CODE, callbackURLs: ["data:text/html,x"] }, "OAUTH-60001"],
    ["a fragment", { ...CODE, callbackURLs: ["https://x.example/#y"] }, "OAUTH-60001"],
    ["a user name in a callback", { ...CODE, callbackURLs: ["https://evil@x.example/"] }, "OAUTH-60001"],
    ["any host", { ...CODE, callbackURLs: ["https://*/cb"] }, "OAUTH-60001"],
    ["no URL", { ...CODE, callbackURLs: ["*"] }, "OAUTH-60001"],
    ["an expression that is none", { ...CODE, callbackURLs: ["regexp=("] }, "OAUTH-60001"],
    ["an expression for anything", { ...CODE, callbackURLs: ["regexp=.*"] }, "OAUTH-60001"],
    ["a back reference", { ...CODE, callbackURLs: ["regexp=(a+)+\\1$"] }, "OAUTH-60001"],
    [
      "an expression that would explode",
      { ...CODE, callbackURLs: ["regexp=((((a{1000}){1000}){1000}){1000})"] },
      "OAUTH-60001",
    ],
    [
      "eleven expressions",
      { ...CODE, callbackURLs: Array.from({ length: 11 }, (_, index) => `regexp=https://a${index}\\.example/cb`) },
      "OAUTH-60001",
    ],
    ["an expression of 1,025 characters", { ...CODE, callbackURLs: [`regexp=${"a".repeat(1025)}`] }, "OAUTH-60001"],
    ["an origin with a path", { ...CODE, allowedOrigins: ["https://x.example/"] }, "APP-60001"],
    ["an origin that is none", { ...CODE, allowedOrigins: ["x.example"] }, "APP-60001"],
    ["an origin twice", { ...CODE, allowedOrigins: ["https://x.example", "https://x.example"] }, "CMS-60010"],
    ["a negative lifetime", { ...CODE, accessToken: { userAccessTokenExpiryInSeconds: -1 } }, "UE-10000"],
    ["a lifetime of 1.5", { ...CODE, refreshToken: { expiryInSeconds: 1.5 } }, "UE-10000"],
    ["a lifetime as text", { ...CODE, idToken: { expiryInSeconds: "3600" } }, "UE-10000"],
    ["an unknown token type", { ...CODE, accessToken: { type: "Opaque" } }, "OAUTH-60001"],
    ["an unknown binding", { ...CODE, accessToken: { bindingType: "glue" } }, "OAUTH-60001"],
    ["an unknown scope validator", { ...CODE, scopeValidators: ["x"] }, "OAUTH-60001"],
    ["an audience twice", { ...CODE, idToken: { audience: ["a", "a"] } }, "OAUTH-60001"],
    ["encryption by nothing", { ...CODE, idToken: { encryption: { enabled: true } } }, "OAUTH-60001"],
    ["a client id with blanks", { ...CODE, clientId: "a b" }, "OAUTH-60001"],
  ])("%s is 400 within a second and changes nothing", async (_, body, code) => {
    const id = await create({ name: `refused ${made++}` });
    const answer = await put(id, body);
    expect([answer.status, answer.body.code]).toEqual([400, code]);
    expect((await ask("GET", at(id))).status).toBe(404);
    const created = await ask("POST", APPLICATIONS, {
      body: { name: `refused too ${made}`, inboundProtocolConfiguration: { oidc: body } },
    });
    expect(created.status).toBe(400);
  });
  test("stores expressions for a set of hosts as written", async () => {
    const callbackURLs = ["regexp=https://(a|b)\\.example/cb", "com.example.app:/cb", "http://localhost:3000/cb"];
    const id = await fresh({ ...CODE, callbackURLs, allowedOrigins: ["https://a.example", "http://localhost:3000"] });
    expect(await get(id)).toMatchObject({
      callbackURLs,
      allowedOrigins: ["https://a.example", "http://localhost:3000"],
    });
  });
});

describe("regenerateClientSecret", () => {
  test("returns the client with a new secret and changes nothing else", async () => {
    const id = await fresh();
    const before = await get(id);
    const answer = await ask("POST", `${at(id)}/regenerate-secret`);
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({ ...before, clientSecret: expect.any(String) });
    expect(answer.body.clientSecret).not.toBe(before.clientSecret);
    expect(await get(id)).toEqual(answer.body);
  });
  test("returns 404 without a client", async () => {
    const answer = await ask("POST", `${at(await create({ name: "nothing to regenerate" }))}/regenerate-secret`);
    expect([answer.status, answer.body.code]).toEqual([404, "APP-60502"]);
  });
});

describe("revokeClient", () => {
  test("revokes an ACTIVE client until its secret is regenerated; an update does not activate it", async () => {
    const id = await fresh();
    for (let again = 0; again < 2; again += 1) {
      const answer = await ask("POST", `${at(id)}/revoke`);
      expect([answer.status, answer.text]).toEqual([200, ""]);
      expect((await get(id)).state).toBe("REVOKED");
    }
    await put(id, { ...CODE, state: "ACTIVE" });
    expect((await get(id)).state).toBe("REVOKED");
    expect((await ask("POST", `${at(id)}/regenerate-secret`)).body.state).toBe("ACTIVE");
  });
  test("returns 404 without a client", async () => {
    expect((await ask("POST", `${at("unknown")}/revoke`)).body.code).toBe("APP-60006");
  });
});

describe("deleteOidcConfiguration", () => {
  test("frees the client id at once and leaves no row", async () => {
    const id = await fresh({ ...CODE, clientId: "to-be-freed" });
    expect((await ask("DELETE", at(id))).status).toBe(204);
    expect((await ask("GET", at(id))).status).toBe(404);
    expect((await ask("GET", `${APPLICATIONS}/${id}`)).body).toMatchObject({ clientId: "", inboundProtocols: [] });
    expect((await allItems(api.service)).filter(({ PK }) => PK.includes("to-be-freed"))).toEqual([]);
    expect((await put(await create({ name: "heir of an id" }), { ...CODE, clientId: "to-be-freed" })).status).toBe(200);
  });
  test("returns 204 without a client", async () => {
    for (const id of ["unknown", await create({ name: "bare" })])
      expect((await ask("DELETE", at(id))).status).toBe(204);
  });
  test("deleting the application frees the client id", async () => {
    const id = await fresh({ ...CODE, clientId: "gone-with-its-app" });
    await ask("DELETE", `${APPLICATIONS}/${id}`);
    expect(
      (await liveItems(api.service)).filter(
        (item) => JSON.stringify(item).includes(id) || item.PK.includes("gone-with"),
      ),
    ).toEqual([]);
  });
});
