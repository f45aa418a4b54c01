/**
 * Interoperability of client authentication: two libraries that others wrote, with each method, over HTTP and TLS. And
 * that a client may use the method that it registered, and no other.
 */
import { createPrivateKey } from "node:crypto";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { importPKCS8 } from "jose";
import * as oauth4webapi from "oauth4webapi";
import * as openid from "openid-client";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { bootstrapTenant } from "#core/directory/tenants/bootstrap.ts";
import { issueAuthority } from "#local/issue.ts";
import {
  assertionOf,
  type ClientKey,
  inline,
  JWT_ASSERTION,
  jwkOf,
  keyFor,
  registering,
} from "#tests/support/client-keys.ts";
import { mtlsOf } from "#tests/support/mtls.ts";
import { ALL_GRANTS, form, oauthOf, type TestClient, TOKEN } from "#tests/support/oauth.ts";
import { tableOf } from "#tests/support/people.ts";
import { ADMIN, APPLICATIONS, basic, world } from "#tests/support/world.ts";

const VIEW = "internal_application_mgt_view";
const hosted = keyFor("ES256", "hosted");
let keys: Server;
let jwksUrl = "";
let fetches = 0;
// The service reads which hosts are exempt when it starts, so this server starts first.
beforeAll(async () => {
  keys = createServer((request, response) => {
    fetches += 1;
    if (request.url === "/redirect") response.writeHead(302, { location: "/jwks" }).end();
    else if (request.url === "/large") response.end(JSON.stringify({ keys: [jwkOf(hosted)], pad: "x".repeat(70_000) }));
    else response.end(JSON.stringify({ keys: [{ kty: "oct", k: "AAAA" }, jwkOf(hosted)] }));
  }).listen(0, "127.0.0.1");
  await new Promise((done) => keys.once("listening", done));
  const host = `127.0.0.1:${(keys.address() as AddressInfo).port}`;
  process.env.METADATA_HOSTS = host;
  jwksUrl = `http://${host}/jwks`;
});
afterAll(() => void keys.close());

const api = world({ hasMtls: true });
const oauth = oauthOf(api);
const { clientBy } = registering(api, oauth);
const { holderOf, fetchAs, ask } = mtlsOf(api);
const CC = { grant_type: "client_credentials" };

const cryptoKey = ({ privateKey, alg }: ClientKey) =>
  importPKCS8(String(privateKey.export({ format: "pem", type: "pkcs8" })), alg);
const signer = async (key: ClientKey) => ({ key: await cryptoKey(key), kid: key.kid });
const pem = (certificate: string) => ({ type: "PEM", value: certificate });

type Fetch = ReturnType<typeof fetchAs>;

/** One whole use by openid-client: a token, its use, introspection, revocation. */
const useOpenid = async (client: TestClient, how: openid.ClientAuth, certified?: Fetch, issuer = api.url) => {
  const metadata = certified ? { use_mtls_endpoint_aliases: true } : {};
  const config = await openid.discovery(new URL(`${issuer}${TOKEN}`), client.clientId, metadata, how, {
    algorithm: "oauth2",
    execute: [openid.allowInsecureRequests],
    ...(certified && { [openid.customFetch]: certified as unknown as openid.CustomFetch }),
  });
  const { access_token: token } = await openid.clientCredentialsGrant(config, { scope: VIEW });
  const seen = await openid.tokenIntrospection(config, token);
  await openid.tokenRevocation(config, token);
  const after = await openid.tokenIntrospection(config, token);
  return [seen.active, seen.client_id, seen.scope, after.active];
};

/** The same by oauth4webapi. */
const useWebApi = async (client: TestClient, how: oauth4webapi.ClientAuth, certified?: Fetch) => {
  const issuer = new URL(`${api.url}${TOKEN}`);
  const options = {
    [oauth4webapi.allowInsecureRequests]: true,
    ...(certified && { [oauth4webapi.customFetch]: certified as typeof fetch }),
  };
  const found = await oauth4webapi.discoveryRequest(issuer, { ...options, algorithm: "oauth2" });
  const server = await oauth4webapi.processDiscoveryResponse(issuer, found);
  const own = { client_id: client.clientId, ...(certified && { use_mtls_endpoint_aliases: true }) };
  const response = await oauth4webapi.clientCredentialsGrantRequest(server, own, how, { scope: VIEW }, options);
  const { access_token: token } = await oauth4webapi.processClientCredentialsResponse(server, own, response);
  const introspect = async () =>
    oauth4webapi.processIntrospectionResponse(
      server,
      own,
      await oauth4webapi.introspectionRequest(server, own, how, token, options),
    );
  const seen = await introspect();
  await oauth4webapi.processRevocationResponse(await oauth4webapi.revocationRequest(server, own, how, token, options));
  return [seen.active, seen.client_id, seen.scope, (await introspect()).active];
};
const used = ({ clientId }: TestClient) => [true, clientId, VIEW, false];

describe("a secret", () => {
  test.each([
    ["client_secret_basic", openid.ClientSecretBasic, oauth4webapi.ClientSecretBasic],
    ["client_secret_post", openid.ClientSecretPost, oauth4webapi.ClientSecretPost],
  ])("%s", async (tokenEndpointAuthMethod, first, second) => {
    const client = await clientBy({ tokenEndpointAuthMethod }, undefined, [VIEW]);
    expect(await useOpenid(client, first(client.clientSecret))).toEqual(used(client));
    expect(await useWebApi(client, second(client.clientSecret))).toEqual(used(client));
  });
});

describe("private_key_jwt", () => {
  test.each(["ES256", "ES384", "ES512", "PS256", "PS384", "PS512", "RS256", "RS384", "RS512", "Ed25519"])(
    "signed with %s, the key in the settings",
    async (alg) => {
      const key = keyFor(alg);
      const method = { tokenEndpointAuthMethod: "private_key_jwt", tokenEndpointAuthSigningAlg: alg };
      const client = await clientBy(method, inline(key), [VIEW]);
      expect(await useOpenid(client, openid.PrivateKeyJwt(await signer(key)))).toEqual(used(client));
      expect(await useWebApi(client, oauth4webapi.PrivateKeyJwt(await signer(key)))).toEqual(used(client));
    },
  );
  test.each(["PEM", "Base64 of a PEM"])("the key in a certificate: %s", async (form_) => {
    const { certificate, key } = await issueAuthority("client");
    const value = form_ === "PEM" ? certificate : Buffer.from(certificate).toString("base64");
    const client = await clientBy({ tokenEndpointAuthMethod: "private_key_jwt" }, pem(value), [VIEW]);
    const own = await importPKCS8(key, "ES256");
    expect(await useOpenid(client, openid.PrivateKeyJwt(own))).toEqual(used(client));
    expect(await useWebApi(client, oauth4webapi.PrivateKeyJwt(own))).toEqual(used(client));
  });
  test("the keys at an address, which is read once", async () => {
    const before = fetches;
    const client = await clientBy({ tokenEndpointAuthMethod: "private_key_jwt" }, { type: "JWKS", value: jwksUrl }, [
      VIEW,
    ]);
    expect(await useOpenid(client, openid.PrivateKeyJwt(await signer(hosted)))).toEqual(used(client));
    expect(await useWebApi(client, oauth4webapi.PrivateKeyJwt(await signer(hosted)))).toEqual(used(client));
    expect(fetches - before).toBe(1);
    // Strangers who name keys that do not exist cause no request for each.
    for (let at = 0; at < 5; at += 1) {
      const unknown = keyFor("ES256", `unknown ${at}`);
      const assertion = await assertionOf(client, unknown, `${api.url}${TOKEN}`);
      const fields = { ...CC, client_assertion_type: JWT_ASSERTION, client_assertion: assertion };
      expect((await oauth.post(TOKEN, fields)).status).toBe(401);
    }
    expect(fetches - before).toBe(1);
  });
  test.each(["/redirect", "/large", "http://127.0.0.1:1/jwks", "https://169.254.169.254/jwks"])(
    "no key from %s",
    async (at) => {
      const value = at.startsWith("/") ? new URL(at, jwksUrl).href : at;
      const client = await clientBy({ tokenEndpointAuthMethod: "private_key_jwt" }, { type: "JWKS", value });
      const assertion = await assertionOf(client, hosted, `${api.url}${TOKEN}`);
      const fields = { ...CC, client_assertion_type: JWT_ASSERTION, client_assertion: assertion };
      expect((await oauth.post(TOKEN, fields)).body).toEqual({
        error: "invalid_client",
        error_description: "The client is unknown, its credential is wrong, or it used a method that is not accepted.",
      });
    },
  );
  test("another algorithm than the registered one is refused", async () => {
    const method = { tokenEndpointAuthMethod: "private_key_jwt", tokenEndpointAuthSigningAlg: "PS256" };
    const client = await clientBy(method, inline(keyFor("RS256", "one RSA key")));
    const statuses = [];
    for (const alg of ["PS256", "RS256", "PS384"]) {
      const assertion = await assertionOf(client, keyFor(alg, "one RSA key"), `${api.url}${TOKEN}`);
      const fields = { ...CC, client_assertion_type: JWT_ASSERTION, client_assertion: assertion };
      statuses.push((await oauth.post(TOKEN, fields)).status);
    }
    expect(statuses).toEqual([200, 401, 401]);
  });
  test("the password and refresh grants", async () => {
    const key = keyFor("ES256");
    const client = await clientBy({ tokenEndpointAuthMethod: "private_key_jwt" }, inline(key), [VIEW]);
    const config = await openid.discovery(
      new URL(`${api.url}${TOKEN}`),
      client.clientId,
      undefined,
      openid.PrivateKeyJwt(await signer(key)),
      { execute: [openid.allowInsecureRequests] },
    );
    const first = await openid.genericGrantRequest(config, "password", { ...ADMIN, scope: VIEW });
    const second = await openid.refreshTokenGrant(config, first.refresh_token ?? "");
    expect((await api.ask("GET", APPLICATIONS, { as: `Bearer ${second.access_token}` })).status).toBe(200);
  });
  test("of a client of another tenant, at each of the tenant's addresses", async () => {
    await bootstrapTenant(tableOf(api.service), "acme.com", { username: "boss", password: "a good password" });
    const as = basic({ username: "boss@acme.com", password: "a good password" });
    const key = keyFor("ES256");
    const made = await api.ask("POST", APPLICATIONS, {
      as,
      body: {
        name: "theirs",
        advancedConfigurations: { certificate: inline(key) },
        inboundProtocolConfiguration: {
          oidc: { grantTypes: ALL_GRANTS, clientAuthentication: { tokenEndpointAuthMethod: "private_key_jwt" } },
        },
      },
    });
    const id = made.headers.get("location")?.split("/").at(-1) ?? "";
    const { clientId } = (await api.ask("GET", `${APPLICATIONS}/${id}/inbound-protocols/oidc`, { as })).body;
    const config = await openid.discovery(
      new URL(`${api.url}/t/acme.com${TOKEN}`),
      clientId,
      undefined,
      openid.PrivateKeyJwt(await signer(key)),
      { execute: [openid.allowInsecureRequests] },
    );
    expect((await openid.clientCredentialsGrant(config)).token_type).toBe("bearer");
    const statusAt = async (path: string, audience: string) => {
      const assertion = await assertionOf({ clientId }, key, audience);
      const fields = { ...CC, client_assertion_type: JWT_ASSERTION, client_assertion: assertion };
      return (await oauth.post(path, fields)).status;
    };
    expect(await statusAt(TOKEN, `${api.url}/t/acme.com${TOKEN}`)).toBe(200);
    expect(await statusAt(TOKEN, `${api.url}${TOKEN}`)).toBe(200);
    expect(await statusAt(`/t/acme.com${TOKEN}`, `${api.service.mtlsUrl}/t/acme.com${TOKEN}`)).toBe(200);
    expect(await statusAt(`/t/carbon.super${TOKEN}`, `${api.url}/t/acme.com${TOKEN}`)).toBe(401);
    expect(await statusAt(TOKEN, `${api.url}/t/other.com${TOKEN}`)).toBe(401);
  });
});

describe("client certificates", () => {
  test("tls_client_auth, by the registered subject", async () => {
    const client = await clientBy(
      { tokenEndpointAuthMethod: "tls_client_auth", tlsClientAuthSubjectDn: "CN=machine 7" },
      undefined,
      [VIEW],
    );
    const certified = fetchAs(await holderOf("machine 7"));
    expect(await useOpenid(client, openid.TlsClientAuth(), certified)).toEqual(used(client));
    expect(await useWebApi(client, oauth4webapi.TlsClientAuth(), certified)).toEqual(used(client));
  });
  test("self_signed_tls_client_auth, by the registered certificate", async () => {
    const holder = await holderOf("any name");
    const method = { tokenEndpointAuthMethod: "self_signed_tls_client_auth" };
    const client = await clientBy(method, pem(holder.certificate), [VIEW]);
    expect(await useOpenid(client, openid.TlsClientAuth(), fetchAs(holder))).toEqual(used(client));
    expect(await useWebApi(client, oauth4webapi.TlsClientAuth(), fetchAs(holder))).toEqual(used(client));
  });
});

describe("none", () => {
  test("a public client, by its id alone, at the token endpoint and at revocation", async () => {
    const client = await clientBy({ tokenEndpointAuthMethod: "none" }, undefined, [VIEW], { publicClient: true });
    const config = await openid.discovery(new URL(`${api.url}${TOKEN}`), client.clientId, undefined, openid.None(), {
      execute: [openid.allowInsecureRequests],
    });
    const { access_token: token } = await openid.genericGrantRequest(config, "password", { ...ADMIN, scope: VIEW });
    await openid.tokenRevocation(config, token);
    await expect(openid.tokenIntrospection(config, token)).rejects.toMatchObject({ status: 401 });
    expect((await oauth.post(TOKEN, { grant_type: "password", ...ADMIN }, client)).status).toBe(401);
  });
});

describe("a client may use the method that it registered, and no other", () => {
  const key = keyFor("ES256", "matrix");
  const methods: readonly string[] = [
    "client_secret_basic",
    "client_secret_post",
    "private_key_jwt",
    "tls_client_auth",
    "self_signed_tls_client_auth",
    "none",
    "",
  ];
  const settings = (method: string) => ({
    tokenEndpointAuthMethod: method,
    ...(method === "tls_client_auth" && { tlsClientAuthSubjectDn: "CN=matrix" }),
  });
  test.each(methods)("registered: %j", async (method) => {
    // One key pair for everything: what differs is the method alone.
    const holder = await holderOf("matrix");
    const own = { ...key, privateKey: createPrivateKey(holder.key), kid: "" };
    const oidc = method === "none" ? { publicClient: true } : {};
    const client = await clientBy(settings(method), pem(holder.certificate), [], oidc);
    const { clientId: client_id, clientSecret: client_secret } = client;
    const assertion = () => assertionOf(client, own, `${api.url}${TOKEN}`, { header: { kid: undefined } });
    const password = { grant_type: "password", ...ADMIN };
    const headers = { "content-type": "application/x-www-form-urlencoded" };
    const overTls = async () => {
      const sent = { method: "POST", headers, body: form({ ...password, client_id }) };
      return (await ask(holder, TOKEN, sent)).status;
    };
    const tries: Readonly<Record<string, () => Promise<number>>> = {
      client_secret_basic: async () => (await oauth.post(TOKEN, password, client)).status,
      client_secret_post: async () => (await oauth.post(TOKEN, { ...password, client_id, client_secret })).status,
      private_key_jwt: async () => {
        const fields = { ...password, client_assertion_type: JWT_ASSERTION, client_assertion: await assertion() };
        return (await oauth.post(TOKEN, fields)).status;
      },
      none: async () => (await oauth.post(TOKEN, { ...password, client_id })).status,
      "a certificate": overTls,
    };
    const accepted = [];
    for (const [name, attempt] of Object.entries(tries)) {
      const status = await attempt();
      if (status === 200) accepted.push(name);
      else expect([name, status]).toEqual([name, 401]);
    }
    const expected: Readonly<Record<string, readonly string[]>> = {
      "": ["client_secret_basic", "client_secret_post"],
      tls_client_auth: ["a certificate"],
      self_signed_tls_client_auth: ["a certificate"],
      // A certificate of the connection changes nothing for a public client.
      none: ["none", "a certificate"],
    };
    expect(accepted).toEqual(expected[method] ?? [method]);
  });
});
