/**
 * Client certificates at the token endpoint and tokens that are bound to them (RFC 8705), through real handshakes: which
 * certificates are accepted, and that a bound token counts with its certificate only.
 */
import { createHash, X509Certificate } from "node:crypto";
import { decodeJwt } from "jose";
import { beforeAll, describe, expect, test } from "vitest";
import { bootstrapTenant } from "#core/directory/tenants/bootstrap.ts";
import { issueAuthority } from "#local/issue.ts";
import { inline, keyFor, registering } from "#tests/support/client-keys.ts";
import { type Holder, mtlsOf } from "#tests/support/mtls.ts";
import { ALL_GRANTS, form, oauthOf, type TestClient, TOKEN } from "#tests/support/oauth.ts";
import { tableOf } from "#tests/support/people.ts";
import { withTwins } from "#tests/support/twins.ts";
import { ADMIN, APPLICATIONS, basic, world } from "#tests/support/world.ts";

const api = world({
  hasMtls: true,
  deployment: await withTwins(`
    [intermediate_cert_validation]
    enable = true
    exempt_contexts = ["/scim2/Groups"]
    [[intermediate_cert_validation.issuer]]
    cn = "Identity Admin API development CA"
    tenants = ["carbon.super"]

    [[resource.access_control]]
    context = "/scim2/Me"
    http_method = "GET"
    scope = []
    allowed_auth_handlers = ["ClientCertificate"]
  `),
});
const oauth = oauthOf(api);
const { clientBy } = registering(api, oauth);
const { holderOf, ask } = mtlsOf(api);
const VIEW = "internal_application_mgt_view";
const CC = { grant_type: "client_credentials" };
const FORM = { "content-type": "application/x-www-form-urlencoded" };
const pem = ({ certificate }: Holder) => ({ type: "PEM", value: certificate });
const thumbprint = ({ certificate }: Holder) =>
  createHash("sha256").update(new X509Certificate(certificate).raw).digest("base64url");

let machine: Holder;
let another: Holder;
let administrator: Holder;
beforeAll(async () => {
  machine = await holderOf("machine");
  another = await holderOf("another machine");
  administrator = await holderOf("admin");
});

const post = async (holder: Holder, fields: Readonly<Record<string, string | undefined>>, more: object = {}) => {
  const headers = { ...FORM, ...more };
  const answer = await ask(holder, TOKEN, { method: "POST", headers, body: form(fields) });
  return { status: answer.status, body: (await answer.json()) as Record<string, string> };
};
const get = async (holder: Holder, token: string, path = APPLICATIONS) =>
  (await ask(holder, path, { headers: { authorization: `Bearer ${token}` } })).status;

describe("tls_client_auth", () => {
  const by = (tlsClientAuthSubjectDn?: string, certificate?: unknown) =>
    clientBy({ tokenEndpointAuthMethod: "tls_client_auth", tlsClientAuthSubjectDn }, certificate);
  const statusOf = async (client: TestClient, holder: Holder) =>
    (await post(holder, { ...CC, client_id: client.clientId })).status;

  test.each([
    ["as it is", "CN=machine"],
    ["with another name of the type", "2.5.4.3=machine"],
    ["in small letters", "cn=machine"],
    ["with escapes", "CN=\\6d\\61chine"],
    ["with blanks around it", " CN = machine "],
  ])("accepts the subject %s", async (_, subject) => {
    expect(await statusOf(await by(subject), machine)).toBe(200);
  });
  test.each([
    "CN=MACHINE",
    "CN=machin",
    "CN=machine2",
    "CN=machine,O=Example",
    "O=Example,CN=machine",
    "CN=machine+OU=a",
    "OU=machine",
    "CN=another machine",
  ])("refuses a certificate with another subject than %s", async (subject) => {
    expect(await statusOf(await by(subject), machine)).toBe(401);
  });
  test("without a subject the registered certificate itself is required", async () => {
    const client = await by(undefined, pem(machine));
    expect(await statusOf(client, machine)).toBe(200);
    expect(await statusOf(client, await holderOf("machine"))).toBe(401);
    expect(await statusOf(await by(), machine)).toBe(401);
  });
  test("a certificate with the subject is enough, the secret is not", async () => {
    const client = await by("CN=machine");
    const { clientId: client_id, clientSecret: client_secret } = client;
    expect((await post(machine, { ...CC, client_id, client_secret })).status).toBe(401);
    expect((await oauth.post(TOKEN, CC, client)).status).toBe(401);
    expect((await oauth.post(TOKEN, { ...CC, client_id })).status).toBe(401);
  });
  test("a certificate in a header is none", async () => {
    const client = await by("CN=machine");
    const text = encodeURIComponent(machine.certificate);
    for (const name of ["x-ssl-cert", "x-client-cert", "x-amzn-mtls-clientcert", "client-cert", "ssl-client-cert"]) {
      const answer = await api.ask("POST", TOKEN, {
        as: null,
        raw: form({ ...CC, client_id: client.clientId }),
        headers: { ...FORM, [name]: text },
      });
      expect([name, answer.status]).toEqual([name, 401]);
    }
  });
  test("an authority for other tenants names no client of this one", async () => {
    await bootstrapTenant(tableOf(api.service), "acme.com", { username: "boss", password: "a good password" });
    const as = basic({ username: "boss@acme.com", password: "a good password" });
    const made = async (clientAuthentication: unknown, certificate?: unknown) => {
      const oidc = { grantTypes: ALL_GRANTS, clientAuthentication };
      const body = {
        name: `theirs ${JSON.stringify(clientAuthentication).length}`,
        ...(certificate !== undefined && { advancedConfigurations: { certificate } }),
        inboundProtocolConfiguration: { oidc },
      };
      const { headers } = await api.ask("POST", APPLICATIONS, { as, body });
      const id = headers.get("location")?.split("/").at(-1);
      return (await api.ask("GET", `${APPLICATIONS}/${id}/inbound-protocols/oidc`, { as })).body as TestClient;
    };
    const named = { tokenEndpointAuthMethod: "tls_client_auth", tlsClientAuthSubjectDn: "CN=machine" };
    expect(await statusOf(await made(named), machine)).toBe(401);
    // Who registers a certificate means this one, whatever signed it.
    const registered = { tokenEndpointAuthMethod: "self_signed_tls_client_auth" };
    expect(await statusOf(await made(registered, pem(machine)), machine)).toBe(200);
  });
});

describe("self_signed_tls_client_auth", () => {
  const by = (certificate: unknown) =>
    clientBy({ tokenEndpointAuthMethod: "self_signed_tls_client_auth" }, certificate);
  const statusOf = async ({ clientId }: TestClient, holder: Holder) =>
    (await post(holder, { ...CC, client_id: clientId })).status;

  test("accepts the registered certificate only", async () => {
    const client = await by(pem(machine));
    expect(await statusOf(client, machine)).toBe(200);
    expect(await statusOf(client, await holderOf("machine"))).toBe(401);
    expect(await statusOf(client, administrator)).toBe(401);
    expect((await oauth.post(TOKEN, CC, client)).status).toBe(401);
  });
  test("accepts a certificate of a JWK set with x5c", async () => {
    const x5c = [new X509Certificate(machine.certificate).raw.toString("base64")];
    const jwk = { ...new X509Certificate(machine.certificate).publicKey.export({ format: "jwk" }), x5c };
    const client = await by({ type: "JWKS", value: JSON.stringify({ keys: [jwk] }) });
    expect(await statusOf(client, machine)).toBe(200);
    expect(await statusOf(client, another)).toBe(401);
    expect(await statusOf(await by(inline(keyFor("ES256"))), machine)).toBe(401);
  });
  test("a replaced certificate is refused at once", async () => {
    const client = await by(pem(machine));
    const body = { advancedConfigurations: { certificate: pem(another) } };
    expect((await api.ask("PATCH", `${APPLICATIONS}/${client.applicationId}`, { body })).status).toBe(200);
    expect([await statusOf(client, machine), await statusOf(client, another)]).toEqual([401, 200]);
  });
  test("a connection with a certificate of no authority of the truststore fails", async () => {
    const stranger = await issueAuthority("machine");
    const client = await by(pem(stranger));
    await expect(statusOf(client, stranger)).rejects.toThrow();
  });
});

describe.each(["JWT", "Default"])("tokens that are bound to a certificate: %s", (type) => {
  const bound = { accessToken: { type, bindingType: "certificate" } };

  test("count with that certificate only, which need not name a user", async () => {
    const method = { tokenEndpointAuthMethod: "tls_client_auth", tlsClientAuthSubjectDn: "CN=machine" };
    const client = await clientBy(method, undefined, [VIEW], bound);
    const { body } = await post(machine, { ...CC, client_id: client.clientId, scope: VIEW });
    expect(body.token_type).toBe("Bearer");
    const token = body.access_token ?? "";
    if (type === "JWT") expect(decodeJwt(token).cnf).toEqual({ "x5t#S256": thumbprint(machine) });
    expect(await get(machine, token)).toBe(200);
    for (const wrong of [another, administrator, await holderOf("machine")]) expect(await get(wrong, token)).toBe(401);
    const plain = await api.ask("GET", APPLICATIONS, { as: `Bearer ${token}` });
    expect([plain.status, plain.headers.get("www-authenticate")]).toEqual([
      401,
      expect.stringContaining('Bearer realm="Identity Admin API", error="invalid_token"'),
    ]);
    // Where the operator lets certificates count for nothing, the token is bound all the same.
    expect((await api.ask("GET", "/scim2/Groups", { as: `Bearer ${token}` })).status).toBe(401);
    expect(await get(machine, token, "/scim2/Groups")).toBe(403);
    // A rule that asks for a user's certificate is not met by the certificate of a token.
    expect(await get(machine, token, "/scim2/Me")).toBe(401);
    const introspector = await oauth.newClient(["internal_oauth2_introspect"]);
    const seen = (await oauth.post("/oauth2/introspect", { token }, introspector)).body;
    expect([seen.active, seen.cnf]).toEqual([true, { "x5t#S256": thumbprint(machine) }]);
  });

  test("are issued with a certificate only", async () => {
    const client = await clientBy({}, undefined, [VIEW], bound);
    const answer = await oauth.post(TOKEN, CC, client);
    expect([answer.status, answer.body.error]).toEqual([400, "invalid_request"]);
    expect(answer.body.error_description).toContain("certificate");
    const authorization = basic({ username: client.clientId, password: client.clientSecret });
    const { status, body } = await post(another, { ...CC, scope: VIEW }, { authorization });
    expect([status, await get(another, body.access_token ?? ""), await get(machine, body.access_token ?? "")]).toEqual([
      200, 200, 401,
    ]);
  });

  test("of a user: the refresh token of a public client is bound too", async () => {
    const client = await clientBy({}, undefined, [VIEW], { ...bound, publicClient: true });
    const { clientId: client_id } = client;
    const first = (await post(machine, { grant_type: "password", ...ADMIN, client_id, scope: VIEW })).body;
    expect(await get(machine, first.access_token ?? "")).toBe(200);
    expect(await get(administrator, first.access_token ?? "")).toBe(401);
    const refresh = (holder: Holder, refresh_token = first.refresh_token) =>
      post(holder, { grant_type: "refresh_token", client_id, refresh_token });
    const stolen = await refresh(another);
    expect([stolen.status, stolen.body.error]).toEqual([400, "invalid_grant"]);
    expect(
      (await oauth.post(TOKEN, { grant_type: "refresh_token", client_id, refresh_token: first.refresh_token })).status,
    ).toBe(400);
    const second = await refresh(machine);
    expect([second.status, await get(machine, second.body.access_token ?? "")]).toEqual([200, 200]);
  });
});

describe("on the name with client certificates", () => {
  test("a token that is not bound still needs the certificate of its user", async () => {
    const client = await oauth.newClient([VIEW]);
    const own = await oauth.ownToken(client, VIEW);
    expect(await get(machine, own)).toBe(401);
    const { access_token: ofUser } = await oauth.token(client, { grant_type: "password", ...ADMIN, scope: VIEW });
    expect([await get(administrator, ofUser), await get(machine, ofUser)]).toEqual([200, 401]);
  });
  test("a certificate that names no user does not disturb client authentication, introspection and revocation", async () => {
    const client = await oauth.newClient([VIEW]);
    const headers = { ...FORM, authorization: basic({ username: client.clientId, password: client.clientSecret }) };
    const { status, body } = await post(machine, CC, headers);
    expect(status).toBe(200);
    for (const path of ["/oauth2/introspect", "/oauth2/revoke"]) {
      const sent = { method: "POST", headers, body: form({ token: body.access_token }) };
      expect((await ask(machine, path, sent)).status).toBe(200);
    }
  });
  test("the metadata names it, and the issuer stays the same on both names", async () => {
    const path = "/.well-known/oauth-authorization-server";
    const { body } = await api.ask("GET", path, { as: null });
    const mtls = api.service.mtlsUrl;
    expect(body).toMatchObject({
      issuer: `${api.url}${TOKEN}`,
      token_endpoint: `${api.url}${TOKEN}`,
      tls_client_certificate_bound_access_tokens: true,
      mtls_endpoint_aliases: {
        token_endpoint: `${mtls}${TOKEN}`,
        revocation_endpoint: `${mtls}/oauth2/revoke`,
        introspection_endpoint: `${mtls}/oauth2/introspect`,
      },
    });
    const methods = [
      ...["client_secret_basic", "client_secret_post", "private_key_jwt", "tls_client_auth"],
      "self_signed_tls_client_auth",
    ];
    expect(body.introspection_endpoint_auth_methods_supported).toEqual(methods);
    expect(body.token_endpoint_auth_methods_supported).toEqual([...methods, "none"]);
    expect(await (await ask(machine, path)).json()).toEqual(body);
    const theirs = await api.ask("GET", `/t/carbon.super${path}`, { as: null });
    expect(theirs.body.mtls_endpoint_aliases.token_endpoint).toBe(`${mtls}${TOKEN}`);
  });
});
