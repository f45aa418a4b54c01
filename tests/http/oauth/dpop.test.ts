/** Tokens that are bound to DPoP keys: with clients that others wrote, for every grant, in both formats, and their cost. */

import * as oauth from "oauth4webapi";
import * as openid from "openid-client";
import { afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { newNonces } from "#core/tokens/dpop-nonce.ts";
import { athOf, claimsFor, dpopOf, newProofKey, proofOf, thumbprintOf } from "#tests/support/dpop.ts";
import { oauthOf, type TestClient, TOKEN } from "#tests/support/oauth.ts";
import { partsOf } from "#tests/support/signing.ts";
import { ADMIN, APPLICATIONS, basic, world } from "#tests/support/world.ts";

const api = world();
const { newClient, token, ownToken, oidcPath, post: postForm } = oauthOf(api);
const { post, nonce, tokenProof, apiProof, present, bound } = dpopOf(api);
const VIEW = "internal_application_mgt_view";
const INTROSPECT = "internal_oauth2_introspect";
const OWN = { grant_type: "client_credentials", scope: VIEW };
const SIGN_IN = { grant_type: "password", ...ADMIN, scope: VIEW };
const key = newProofKey();
const otherKey = newProofKey();
const formats = ["Default", "JWT"] as const;
const clients = new Map<string, TestClient>();
const of = (format: string): TestClient => {
  const found = clients.get(format);
  if (!found) throw new Error(`no client for ${format}`);
  return found;
};
beforeAll(async () => {
  for (const type of formats) clients.set(type, await newClient([VIEW], { accessToken: { type } }));
});
afterEach(() => {
  vi.restoreAllMocks();
});
/** The client without its secret, for a public one. */
const openly = (client: TestClient): TestClient => ({ ...client, clientSecret: "" });
const introspected = async (text: string, by: TestClient) =>
  (await postForm("/oauth2/introspect", { token: text }, by)).body;
const refreshing = (client: TestClient, refreshToken: string | undefined, proof?: string) =>
  client.clientSecret === ""
    ? post(null, { grant_type: "refresh_token", refresh_token: refreshToken, client_id: client.clientId }, proof)
    : post(client, { grant_type: "refresh_token", refresh_token: refreshToken }, proof);

describe.each(formats)("openid-client, with %s tokens", (format) => {
  test.each(["ES256", "Ed25519", "PS256"])(
    "gets, refreshes and uses tokens with a key of %s, by itself",
    async (alg) => {
      const { clientId, clientSecret } = of(format);
      const config = await openid.discovery(new URL(`${api.url}/oauth2/token`), clientId, clientSecret, undefined, {
        execute: [openid.allowInsecureRequests],
      });
      expect(config.serverMetadata().dpop_signing_alg_values_supported).toContain(alg);
      const DPoP = openid.getDPoPHandle(config, await openid.randomDPoPKeyPair(alg));
      const list = async (access: string) => {
        const url = new URL(`${api.url}${APPLICATIONS}?limit=1`);
        const headers = new Headers({ accept: "application/json" });
        return (await openid.fetchProtectedResource(config, access, url, "GET", null, headers, { DPoP })).status;
      };
      const own = await openid.clientCredentialsGrant(config, { scope: VIEW }, { DPoP });
      const first = await openid.genericGrantRequest(config, "password", { ...ADMIN, scope: VIEW }, { DPoP });
      const second = await openid.refreshTokenGrant(config, first.refresh_token ?? "", {}, { DPoP });
      for (const { token_type } of [own, first, second]) expect(token_type).toBe("dpop");
      for (const { access_token } of [own, second]) expect(await list(access_token)).toBe(200);
      const cnf = { jkt: await DPoP.calculateThumbprint() };
      for (const { access_token } of [own, second]) {
        expect(await openid.tokenIntrospection(config, access_token)).toMatchObject({ token_type: "DPoP", cnf });
        if (format === "JWT") expect(partsOf(access_token).payload.cnf).toEqual(cnf);
      }
      // A handle of another key, and a Bearer token, are refused with a challenge that the client understands.
      const other = openid.getDPoPHandle(config, await openid.randomDPoPKeyPair());
      const url = new URL(`${api.url}${APPLICATIONS}`);
      for (const options of [{ DPoP: other }, {}]) {
        const refused = openid.fetchProtectedResource(config, own.access_token, url, "GET", null, undefined, options);
        await expect(refused).rejects.toMatchObject({
          status: 401,
          cause: [{ scheme: "dpop", parameters: { error: "invalid_token" } }],
        });
      }
    },
  );
});

test("oauth4webapi asks for a nonce once, uses it for every request, and its resource server accepts the token", async () => {
  const { clientId, clientSecret } = of("JWT");
  const options = { [oauth.allowInsecureRequests]: true } as const;
  const issuer = new URL(`${api.url}/oauth2/token`);
  const as = await oauth.processDiscoveryResponse(issuer, await oauth.discoveryRequest(issuer, options));
  const client: oauth.Client = { client_id: clientId };
  const DPoP = oauth.DPoP(client, await oauth.generateKeyPair("ES256"));
  const ask = async () => {
    const authentication = oauth.ClientSecretBasic(clientSecret);
    const more = { ...options, DPoP };
    const response = await oauth.clientCredentialsGrantRequest(as, client, authentication, { scope: VIEW }, more);
    return oauth.processClientCredentialsResponse(as, client, response);
  };
  await expect(ask()).rejects.toSatisfy(oauth.isDPoPNonceError);
  const { access_token: access } = await ask();
  let request: Request | undefined;
  const answer = await oauth.protectedResourceRequest(
    access,
    "GET",
    new URL(`${api.url}${APPLICATIONS}`),
    undefined,
    null,
    {
      ...options,
      DPoP,
      [oauth.customFetch]: (url, init) => {
        request = new Request(url, { method: init.method, headers: init.headers });
        return fetch(url, init as RequestInit);
      },
    },
  );
  expect(answer.status).toBe(200);
  const claims = await oauth.validateJwtAccessToken(as, request ?? new Request(api.url), api.url, {
    ...options,
    requireDPoP: true,
    signingAlgorithms: ["ES256"],
  });
  expect(claims).toMatchObject({ client_id: clientId, cnf: { jkt: await DPoP.calculateThumbprint() } });
});

describe("the token endpoint", () => {
  test("returns a DPoP token for a proof and a Bearer token without one", async () => {
    for (const format of formats) {
      expect((await bound(of(format), key, OWN)).token_type).toBe("DPoP");
      expect((await token(of(format), OWN)).token_type).toBe("Bearer");
    }
  });
  test("asks for a nonce, and accepts it in the next 40 seconds", async () => {
    const proof = await proofOf(key, claimsFor("POST", `${api.url}${TOKEN}`));
    const { status, headers, body } = await post(of("JWT"), OWN, proof);
    expect([status, body.error]).toEqual([400, "use_dpop_nonce"]);
    const given = headers.get("dpop-nonce") ?? "";
    const nonces = newNonces(Buffer.from(process.env.NONCE_KEY ?? "", "base64"));
    expect([nonces.at(Date.now()), nonces.at(Date.now() - 20_000)]).toContain(given);
    for (const nonce of [given, nonces.at(Date.now() - 20_000)]) {
      const next = await proofOf(key, claimsFor("POST", `${api.url}${TOKEN}`, { nonce }));
      expect((await post(of("JWT"), OWN, next)).status).toBe(200);
    }
  });
  test("compares the URL with that of the tenant's path", async () => {
    const path = `/t/carbon.super${TOKEN}`;
    expect((await post(of("JWT"), OWN, await tokenProof(key, {}, {}, path), path)).status).toBe(200);
    expect((await post(of("JWT"), OWN, await tokenProof(key), path)).status).toBe(400);
    expect((await post(of("JWT"), OWN, await tokenProof(key, {}, {}, path))).status).toBe(400);
  });
  test("lists the algorithms in the metadata", async () => {
    const { body } = await api.ask("GET", "/.well-known/oauth-authorization-server", { as: null });
    expect(body.dpop_signing_alg_values_supported).toEqual(["ES256", "ES384", "EdDSA", "Ed25519", "PS256", "RS256"]);
  });
});

describe.each(formats)("refresh tokens with %s access tokens", (format) => {
  test("of a public client are bound to the key of the sign-in", async () => {
    const client = openly(await newClient([VIEW], { publicClient: true, accessToken: { type: format } }));
    const { refresh_token: first } = await bound(client, key, SIGN_IN);
    for (const proof of [undefined, await tokenProof(otherKey), await tokenProof(newProofKey("EdDSA"))]) {
      const answer = await refreshing(client, first, proof);
      expect([answer.status, answer.body.error]).toEqual([400, "invalid_grant"]);
    }
    // None of them used the refresh token up.
    const second = await refreshing(client, first, await tokenProof(key));
    expect([second.status, second.body.token_type]).toEqual([200, "DPoP"]);
    expect(second.body.refresh_token).not.toBe(first);
    // A public client cannot authenticate: somebody with the scope looks.
    const asked = {
      as: ADMIN,
      headers: { "content-type": "application/x-www-form-urlencoded" },
      raw: new URLSearchParams({ token: second.body.refresh_token ?? "" }).toString(),
    };
    const shown = (await api.ask("POST", "/oauth2/introspect", asked)).body;
    expect(shown).toMatchObject({ active: true, token_type: "Refresh", cnf: { jkt: await thumbprintOf(key) } });
    const third = await refreshing(client, second.body.refresh_token, await tokenProof(otherKey));
    expect([third.status, third.body.error]).toEqual([400, "invalid_grant"]);
    const proof = await apiProof(key, second.body.access_token, APPLICATIONS);
    expect((await present(second.body.access_token, proof, APPLICATIONS)).status).toBe(200);
  });
  test("of a public client without a key rotate, and are bound from the first proof on", async () => {
    const client = openly(await newClient([VIEW], { publicClient: true, accessToken: { type: format } }));
    const unbound = await post(null, { ...SIGN_IN, client_id: client.clientId });
    const second = await refreshing(client, unbound.body.refresh_token);
    expect([second.status, second.body.token_type]).toEqual([200, "Bearer"]);
    const third = await refreshing(client, second.body.refresh_token, await tokenProof(key));
    expect([third.status, third.body.token_type]).toEqual([200, "DPoP"]);
    expect((await refreshing(client, third.body.refresh_token)).status).toBe(400);
    expect((await refreshing(client, third.body.refresh_token, await tokenProof(otherKey))).status).toBe(400);
  });
  test("of a confidential client need a proof, of any key: the new token is bound to that", async () => {
    const { refresh_token: first } = await bound(of(format), key, SIGN_IN);
    expect((await refreshing(of(format), first)).body.error).toBe("invalid_grant");
    const second = await refreshing(of(format), first, await tokenProof(otherKey));
    expect(second.status).toBe(200);
    const access = second.body.access_token;
    expect((await present(access, await apiProof(key, access, APPLICATIONS), APPLICATIONS)).status).toBe(401);
    expect((await present(access, await apiProof(otherKey, access, APPLICATIONS), APPLICATIONS)).status).toBe(200);
  });
});

describe("the setting bindingType", () => {
  const withBinding = (bindingType: string, more: Record<string, unknown> = {}) =>
    newClient([VIEW], { accessToken: { type: "JWT", bindingType, ...more } });

  test.each([true, false])(
    "DPoP issues bound tokens only, with validateTokenBinding %s",
    async (validateTokenBinding) => {
      const client = await withBinding("DPoP", { validateTokenBinding });
      for (const fields of [OWN, SIGN_IN]) {
        const { status, body } = await post(client, fields);
        expect([status, body.error]).toEqual([400, "invalid_dpop_proof"]);
        const { access_token: access } = await bound(client, key, fields);
        expect((await present(access, undefined, APPLICATIONS, "Bearer")).status).toBe(401);
        expect((await present(access, await apiProof(key, access, APPLICATIONS), APPLICATIONS)).status).toBe(200);
      }
    },
  );
  test("certificate issues no token without a client certificate", async () => {
    const client = await withBinding("certificate", { validateTokenBinding: true });
    for (const proof of [undefined, await tokenProof(key)]) {
      const { status, body } = await post(client, OWN, proof);
      expect([status, body.error]).toEqual([400, "invalid_request"]);
    }
  });
  test("ends the tokens from before, which are not bound", async () => {
    const client = await newClient([VIEW]);
    const before = await ownToken(client, VIEW);
    const { refresh_token: refresh } = await token(client, SIGN_IN);
    const change = async (bindingType: string) => {
      const oidc = { grantTypes: ["client_credentials", "password", "refresh_token"], accessToken: { bindingType } };
      expect((await api.ask("PUT", oidcPath(client.applicationId), { body: oidc })).status).toBe(200);
    };
    await change("None");
    expect((await present(before, undefined, APPLICATIONS, "Bearer")).status).toBe(200);
    await change("DPoP");
    expect((await present(before, undefined, APPLICATIONS, "Bearer")).status).toBe(401);
    expect((await refreshing(client, refresh, await tokenProof(key))).status).toBe(400);
  });
  test.each(["cookie", "sso-session", "device-flow"])("%s is kept for the sign-in side", async (bindingType) => {
    const client = await withBinding(bindingType, { validateTokenBinding: true });
    const { body } = await api.ask("GET", oidcPath(client.applicationId));
    expect(body.accessToken).toMatchObject({ bindingType, validateTokenBinding: true });
    expect((await token(client, OWN)).token_type).toBe("Bearer");
  });
  test("client-request gives each request a token of its own, and cannot be validated", async () => {
    const client = await withBinding("client-request");
    expect((await token(client, OWN)).access_token).not.toBe((await token(client, OWN)).access_token);
    const accessToken = { bindingType: "client-request", validateTokenBinding: true };
    const { status, body } = await api.ask("PUT", oidcPath(client.applicationId), {
      body: { grantTypes: ["client_credentials"], accessToken },
    });
    expect([status, body.code]).toEqual([400, "OAUTH-60001"]);
    expect(body.description).toContain("accessToken.validateTokenBinding");
  });
});

describe("introspection", () => {
  test("is open to a caller with a bound token and its proof, and not without", async () => {
    const client = await newClient([INTROSPECT]);
    const { access_token: access } = await bound(client, key, { grant_type: "client_credentials", scope: INTROSPECT });
    const path = "/oauth2/introspect";
    const ask = (as: string, proof?: string) =>
      api.ask("POST", path, {
        raw: `token=${access}`,
        headers: { "content-type": "application/x-www-form-urlencoded", ...(proof !== undefined && { dpop: proof }) },
        as,
      });
    const proof = await apiProof(key, access, path, { htm: "POST" });
    const answer = await ask(`DPoP ${access}`, proof);
    expect([answer.status, answer.body.active]).toEqual([200, true]);
    expect(answer.body).toMatchObject({ token_type: "DPoP", cnf: { jkt: await thumbprintOf(key) } });
    expect((await ask(`Bearer ${access}`)).status).toBe(401);
    expect((await ask(`DPoP ${access}`)).status).toBe(401);
    expect((await ask(`DPoP ${access}`, await apiProof(otherKey, access, path, { htm: "POST" }))).status).toBe(401);
  });
  test("shows no key of an unbound token", async () => {
    const shown = await introspected(await ownToken(of("JWT"), VIEW), of("JWT"));
    expect(shown).toMatchObject({ active: true, token_type: "Bearer" });
    expect(shown).not.toHaveProperty("cnf");
  });
});

describe("at the API", () => {
  test("a missing nonce is asked for, and a replaced one gets the next with the answer", async () => {
    const { access_token: access } = await bound(of("JWT"), key, OWN);
    const asked = await present(access, await apiProof(key, access, APPLICATIONS, { nonce: undefined }), APPLICATIONS);
    expect([asked.status, asked.headers.get("www-authenticate")]).toEqual([
      401,
      expect.stringMatching(/^DPoP .*error="use_dpop_nonce".*algs="ES256 /),
    ]);
    const given = asked.headers.get("dpop-nonce") ?? "";
    expect(given).toMatch(/^[\w-]{24}$/);
    const nonces = newNonces(Buffer.from(process.env.NONCE_KEY ?? "", "base64"));
    const nonce = nonces.at(Date.now() - 20_000);
    const renewed = await present(access, await apiProof(key, access, APPLICATIONS, { nonce }), APPLICATIONS);
    expect([renewed.status, renewed.headers.get("dpop-nonce")]).toEqual([200, expect.stringMatching(/^[\w-]{24}$/)]);
    expect(renewed.headers.get("dpop-nonce")).not.toBe(nonce);
    // It comes with failures of the operation too.
    const missing = `${APPLICATIONS}/00000000-0000-7000-8000-000000000000`;
    const failed = await present(access, await apiProof(key, access, missing, { nonce }), missing);
    expect([failed.status, failed.headers.has("dpop-nonce")]).toEqual([404, true]);
  });
  test("a proof does not cover a query, and encoded characters of a path are those that they encode", async () => {
    const { access_token: access } = await bound(of("JWT"), key, OWN);
    const path = `${APPLICATIONS}/a%20b@c`;
    const proof = await proofOf(
      key,
      claimsFor("GET", `${api.url}${path}`, { nonce: await nonce(), ath: athOf(access) }),
    );
    expect((await present(access, proof, `${path}?x=1`)).status).toBe(404);
  });
  test("a scope that is missing is named in the scheme DPoP", async () => {
    const { access_token: access } = await bound(of("JWT"), key, OWN);
    const path = "/scim2/v2/Roles";
    const { status, headers } = await present(access, await apiProof(key, access, path), path);
    expect([status, headers.get("www-authenticate")]).toEqual([
      403,
      expect.stringMatching(/^DPoP .*error="insufficient_scope", scope="internal_/),
    ]);
  });
});

describe("costs", () => {
  interface Line {
    readonly service: string;
    readonly RoundTrips: number;
    readonly ReadUnits: number;
    readonly WriteUnits: number;
  }
  const linesOf = async (run: () => Promise<unknown>): Promise<readonly Line[]> => {
    const lines: string[] = [];
    for (const method of ["log", "info"] as const) {
      vi.spyOn(console, method).mockImplementation((...texts: unknown[]) => {
        lines.push(texts.map(String).join(" "));
      });
    }
    await run();
    vi.restoreAllMocks();
    return lines.flatMap((line) => (line.startsWith("{") ? [JSON.parse(line) as Line] : []));
  };
  const costOf = async (service: string, run: () => Promise<unknown>) => {
    const line = (await linesOf(run)).find((each) => each.service === service);
    if (!line) throw new Error(`no log line of ${service}`);
    return { roundTrips: line.RoundTrips, readUnits: line.ReadUnits, writeUnits: line.WriteUnits };
  };

  test.each(formats)("a proof adds one write to a %s token, and at most two round trips are made", async (format) => {
    await token(of(format), OWN);
    const plain = await costOf("oauth2", () => token(of(format), OWN));
    const proof = await tokenProof(key);
    const withProof = await costOf("oauth2", () => post(of(format), OWN, proof));
    expect(plain.roundTrips).toBeLessThanOrEqual(2);
    expect(plain.readUnits + plain.writeUnits).toBeLessThanOrEqual(6);
    expect(withProof.roundTrips).toBeLessThanOrEqual(2);
    expect(withProof.readUnits).toBe(plain.readUnits);
    // Each row of a transaction costs two units; the row of the token alone needs no transaction.
    expect(withProof.writeUnits).toBe(format === "JWT" ? 2 : 4);
  });
  test("a refused proof costs nothing", async () => {
    const proof = await proofOf(key, claimsFor("POST", `${api.url}${TOKEN}`));
    expect(await costOf("oauth2", () => post(of("JWT"), OWN, proof))).toEqual({
      roundTrips: 0,
      readUnits: 0,
      writeUnits: 0,
    });
  });
  test.each(formats)("a proof adds nothing to a request with a %s token", async (format) => {
    const own = await ownToken(of(format), VIEW);
    const { access_token: access } = await bound(of(format), key, OWN);
    await present(own, undefined, APPLICATIONS, "Bearer");
    const plain = await costOf("authorizer", () => present(own, undefined, APPLICATIONS, "Bearer"));
    const proof = await apiProof(key, access, APPLICATIONS);
    const withProof = await costOf("authorizer", () => present(access, proof, APPLICATIONS));
    expect(withProof).toEqual(plain);
    expect(plain.writeUnits).toBe(0);
  });
});

test("Basic authentication takes no notice of a proof", async () => {
  const as = basic(ADMIN);
  expect((await api.ask("GET", APPLICATIONS, { as, headers: { dpop: "anything" } })).status).toBe(200);
});
