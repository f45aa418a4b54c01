/** The published metadata and keys. */
import { describe, expect, test } from "vitest";
import { bootstrapTenant } from "#core/directory/tenants/bootstrap.ts";
import { systemScopes } from "#core/kernel/domain/system-apis.ts";
import { PROOF_ALGORITHMS } from "#core/tokens/dpop-key.ts";
import { PUBLISHED_SECONDS } from "#core/tokens/key-ring.ts";
import { oauthOf } from "#tests/support/oauth.ts";
import { tableOf } from "#tests/support/people.ts";
import { world } from "#tests/support/world.ts";

const api = world();
const { newClient, ownToken } = oauthOf(api);
const get = (path: string) => api.ask("GET", path, { as: null });
const WELL_KNOWN = "/.well-known/oauth-authorization-server";
const OPENID = "/oauth2/token/.well-known/openid-configuration";

const RESOURCES = [
  "",
  "/api/server/v1",
  "/scim2",
  "/svc/scim",
  "/api/users/v1",
  "/ssf",
  "/access/v1",
  "/oauth2/introspect",
];
const CONFIDENTIAL = ["client_secret_basic", "client_secret_post", "private_key_jwt"];
const ALGORITHMS = [
  ...["PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "RS256", "RS384", "RS512", "EdDSA", "Ed25519"],
];

const expected = (base: string) => ({
  issuer: `${base}/oauth2/token`,
  token_endpoint: `${base}/oauth2/token`,
  revocation_endpoint: `${base}/oauth2/revoke`,
  introspection_endpoint: `${base}/oauth2/introspect`,
  jwks_uri: `${base}/oauth2/jwks`,
  grant_types_supported: [
    "authorization_code",
    "client_credentials",
    "password",
    "refresh_token",
    "urn:ietf:params:oauth:grant-type:token-exchange",
    "implicit",
  ],
  authorization_endpoint: `${base}/oauth2/authorize`,
  response_types_supported: [
    ...["code", "id_token", "token", "id_token token"],
    ...["code token", "code id_token", "code id_token token"],
  ],
  response_modes_supported: ["query", "fragment", "form_post"],
  code_challenge_methods_supported: ["S256"],
  authorization_response_iss_parameter_supported: true,
  pushed_authorization_request_endpoint: `${base}/oauth2/par`,
  require_pushed_authorization_requests: false,
  request_parameter_supported: true,
  request_uri_parameter_supported: false,
  require_signed_request_object: false,
  request_object_signing_alg_values_supported: ["PS256", "ES256", "RS256"],
  scopes_supported: [
    ...["openid", "profile", "email", "address", "phone", "groups", "roles", "offline_access"],
    ...systemScopes,
  ],
  dpop_signing_alg_values_supported: [...PROOF_ALGORITHMS],
  protected_resources: RESOURCES.map((path) => base + path),
  token_endpoint_auth_methods_supported: [...CONFIDENTIAL, "none"],
  token_endpoint_auth_signing_alg_values_supported: ALGORITHMS,
  revocation_endpoint_auth_methods_supported: [...CONFIDENTIAL, "none"],
  revocation_endpoint_auth_signing_alg_values_supported: ALGORITHMS,
  introspection_endpoint_auth_methods_supported: CONFIDENTIAL,
  introspection_endpoint_auth_signing_alg_values_supported: ALGORITHMS,
});

describe("getServerMetadata", () => {
  test("is public and can be cached for an hour", async () => {
    const answer = await get(WELL_KNOWN);
    expect([answer.status, answer.body]).toEqual([200, expected(api.url)]);
    expect(answer.headers.get("cache-control")).toBe("public, max-age=3600");
    expect(answer.headers.get("pragma")).toBeNull();
  });
  test("names only endpoints that exist", async () => {
    const { body } = await get(WELL_KNOWN);
    for (const name of ["token", "revocation", "introspection"]) {
      const path = new URL(body[`${name}_endpoint`]).pathname;
      const answer = await api.ask("POST", path, { as: null, raw: "token=x&grant_type=x", headers: FORM });
      expect([name, answer.status]).toEqual([name, 401]);
    }
    expect((await get(new URL(body.jwks_uri).pathname)).status).toBe(200);
  });
  test("does not depend on Host and proxy headers", async () => {
    const headers = { "x-forwarded-host": "evil.example", "x-original-url": "/x", forwarded: "host=evil.example" };
    expect((await api.ask("GET", WELL_KNOWN, { as: null, headers })).body.issuer).toBe(`${api.url}/oauth2/token`);
  });
  test("is the only public document below its path", async () => {
    for (const path of [`${WELL_KNOWN}/x`, `${WELL_KNOWN}/../../scim2/Users`, `${WELL_KNOWN}/oauth2`]) {
      expect([401, 404]).toContain((await get(path)).status);
    }
  });
});

const FORM = { "content-type": "application/x-www-form-urlencoded" };

describe("getIssuerMetadata", () => {
  test("is at the address that is derived from the issuer", async () => {
    const answer = await get(`${WELL_KNOWN}/oauth2/token`);
    expect([answer.status, answer.body]).toEqual([200, expected(api.url)]);
  });
});

describe("getTenantIssuerMetadata", () => {
  test("returns each tenant's own issuer at each of its addresses, and 404 for an unknown tenant", async () => {
    await bootstrapTenant(tableOf(api.service), "acme.com", { username: "admin", password: "a good password" });
    const base = `${api.url}/t/acme.com`;
    for (const path of [`${WELL_KNOWN}/t/acme.com/oauth2/token`, `/t/acme.com${WELL_KNOWN}`]) {
      expect((await get(path)).body).toEqual(expected(base));
    }
    expect((await get(`/t/acme.com${OPENID}`)).body.issuer).toBe(`${base}/oauth2/token`);
    for (const path of [`${WELL_KNOWN}/t/nobody/oauth2/token`, `/t/nobody${WELL_KNOWN}`, `/t/nobody${OPENID}`]) {
      expect((await get(path)).status).toBe(404);
    }
  });
});

describe("getOpenIdConfiguration", () => {
  test("is the same with the members that OpenID Connect requires", async () => {
    const answer = await get(OPENID);
    expect([answer.status, answer.body]).toEqual([
      200,
      {
        ...expected(api.url),
        subject_types_supported: ["public", "pairwise"],
        userinfo_endpoint: `${api.url}/oauth2/userinfo`,
        end_session_endpoint: `${api.url}/oidc/logout`,
        backchannel_logout_supported: true,
        backchannel_logout_session_supported: true,
        frontchannel_logout_supported: true,
        frontchannel_logout_session_supported: true,
        id_token_signing_alg_values_supported: ["RS256", "ES256", "PS256"],
        id_token_encryption_alg_values_supported: ["RSA-OAEP", "RSA-OAEP-256", "RSA-OAEP-384", "RSA-OAEP-512"],
        id_token_encryption_enc_values_supported: ["A128GCM", "A192GCM", "A256GCM", "A128CBC-HS256", "A192CBC-HS384"],
        claims_supported: expect.arrayContaining(["sub", "email", "given_name", "groups", "roles", "auth_time"]),
        claim_types_supported: ["normal"],
        claims_parameter_supported: true,
        acr_values_supported: ["pwd", "mfa"],
        prompt_values_supported: ["none", "login", "consent", "select_account"],
        ui_locales_supported: ["en", "de"],
      },
    ]);
  });
});

describe("getServerOpenIdConfiguration", () => {
  test("is the same document, also of a tenant", async () => {
    const at = "/.well-known/openid-configuration";
    expect((await get(at)).text).toBe((await get(OPENID)).text);
    expect((await get(`/t/carbon.super${at}`)).text).toBe((await get(OPENID)).text);
    expect((await get(`/t/unknown.example${at}`)).status).toBe(404);
  });
});

describe("getJwks", () => {
  test("has the public halves of the keys, and creates the first key", async () => {
    const answers = await Promise.all(Array.from({ length: 10 }, () => get("/oauth2/jwks")));
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    const [answer] = answers;
    expect(answer?.body).toEqual({
      keys: [
        {
          kty: "EC",
          crv: "P-256",
          x: expect.stringMatching(/^[\w-]{43}$/),
          y: expect.stringMatching(/^[\w-]{43}$/),
          kid: expect.stringMatching(/^[\w-]{43}$/),
          use: "sig",
          alg: "ES256",
        },
        ...(["RS256", "PS256"] as const).map((alg) => ({
          kty: "RSA",
          n: expect.stringMatching(/^[\w-]{342}$/),
          e: "AQAB",
          // A key has another id for each algorithm.
          kid: expect.stringMatching(alg === "RS256" ? /^[\w-]{43}$/ : /^[\w-]{43}-PS256$/),
          use: "sig",
          alg,
        })),
      ],
    });
    expect(answer?.headers.get("cache-control")).toBe(`public, max-age=${PUBLISHED_SECONDS}`);
    const jwt = await ownToken(await newClient([], { accessToken: { type: "JWT" } }));
    const header = JSON.parse(Buffer.from(jwt.split(".")[0] ?? "", "base64url").toString());
    expect(header.kid).toBe(answer?.body.keys[0].kid);
    expect((await get("/t/carbon.super/oauth2/jwks")).text).toBe(answer?.text);
  });
});
