/** Tokens that are bound to a client certificate (RFC 8705 section 3), through real handshakes on the mTLS port. */
import { readFileSync } from "node:fs";
import { request } from "node:https";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { confirmationOfCertificate } from "#core/tokens/confirmation.ts";
import { issueLeaf } from "#local/issue.ts";
import { athOf, claimsFor, dpopOf, newProofKey, proofOf } from "#tests/support/dpop.ts";
import { form, oauthOf, type TestClient, TOKEN } from "#tests/support/oauth.ts";
import { partsOf } from "#tests/support/signing.ts";
import { withTwins } from "#tests/support/twins.ts";
import { ADMIN, APPLICATIONS, basic, world } from "#tests/support/world.ts";

const VIEW = "internal_application_mgt_view";
const OWN = { grant_type: "client_credentials", scope: VIEW };
const CERTIFICATES_ONLY = "/api/server/v1/identity-providers";
const api = world({
  hasMtls: true,
  deployment: await withTwins(`
    [intermediate_cert_validation]
    enable = true

    [[intermediate_cert_validation.issuer]]
    cn = "Identity Admin API development CA"

    [[resource.access_control]]
    context = "${CERTIFICATES_ONLY}"
    http_method = "GET"
    scope = []
    allowed_auth_handlers = ["ClientCertificate"]

    [[resource.access_control]]
    context = "/api/server/v1/organizations"
    http_method = "GET"
    scope = []
    allowed_auth_handlers = ["OAuthAuthentication"]

    [[resource.access_control]]
    context = "/api/server/v1/userstores"
    http_method = "GET"
    scope = []
    allowed_auth_handlers = ["BasicAuthentication"]
  `),
});
const { newClient, ownToken } = oauthOf(api);
const { nonce } = dpopOf(api);

interface Holder {
  readonly certificate: string;
  readonly key: string;
}
let ca: Holder;
/** Its name is not that of a user. */
let machine: Holder;
let other: Holder;
let client: TestClient;
let jwtClient: TestClient;
const pemAt = (name: string) => readFileSync(join(api.service.certificates ?? "", name), "utf8");
beforeAll(async () => {
  ca = { certificate: pemAt("ca.pem"), key: pemAt("ca.key") };
  machine = await issueLeaf(ca, "billing-machine-7", { kind: "client" });
  other = await issueLeaf(ca, "billing-machine-8", { kind: "client" });
  const bindingType = "certificate";
  client = await newClient([VIEW], { accessToken: { bindingType, validateTokenBinding: true } });
  jwtClient = await newClient([VIEW], { accessToken: { bindingType, type: "JWT" } });
});

interface Sent {
  readonly method?: string;
  readonly headers?: Record<string, string>;
  readonly body?: string;
}
const ask = (path: string, holder: Holder, { method = "GET", headers = {}, body = "" }: Sent = {}) =>
  new Promise<{ status: number; text: string; challenge: string }>((resolve, reject) => {
    const tls = { ca: ca.certificate, servername: "localhost", cert: holder.certificate, key: holder.key };
    const sent = request(new URL(path, api.service.mtlsUrl), { ...tls, method, headers }, (answer) => {
      let text = "";
      answer.setEncoding("utf8").on("data", (part: string) => {
        text += part;
      });
      const challenge = String(answer.headers["www-authenticate"] ?? "");
      answer.on("end", () => resolve({ status: answer.statusCode ?? 0, text, challenge }));
    });
    sent.on("error", reject).end(body);
  });
const tokenBy = async (holder: Holder, of: TestClient, fields: Readonly<Record<string, string>> = OWN) => {
  const headers = {
    authorization: basic({ username: of.clientId, password: of.clientSecret }),
    "content-type": "application/x-www-form-urlencoded",
  };
  const { status, text } = await ask(TOKEN, holder, { method: "POST", headers, body: form(fields) });
  expect(status, text).toBe(200);
  return JSON.parse(text) as { access_token: string; refresh_token: string; token_type: string };
};
const bearer = (token: string) => ({ headers: { authorization: `Bearer ${token}` } });

describe.each([
  ["an opaque token", () => client],
  ["a JWT", () => jwtClient],
])("%s", (_, clientOf) => {
  test("is bound to the certificate of the request, and counts with it, though it names no user", async () => {
    const { access_token: access, token_type: type } = await tokenBy(machine, clientOf());
    expect(type).toBe("Bearer");
    expect((await ask(APPLICATIONS, machine, bearer(access))).status).toBe(200);
    const cnf = confirmationOfCertificate(machine.certificate);
    const introspected = await oauthOf(api).post(
      "/oauth2/introspect",
      { token: access },
      await newClient(["internal_oauth2_introspect"]),
    );
    expect(introspected.body).toMatchObject({ active: true, token_type: "Bearer", cnf });
    if (access.includes(".")) expect(partsOf(access).payload.cnf).toEqual(cnf);
  });
  test("does not count with another certificate, without one, or with the certificate of a user", async () => {
    const { access_token: access } = await tokenBy(machine, clientOf());
    const admin = { certificate: pemAt("client-admin.pem"), key: pemAt("client-admin.key") };
    for (const holder of [other, admin]) {
      const { status, challenge } = await ask(APPLICATIONS, holder, bearer(access));
      expect([status, challenge]).toEqual([401, expect.stringMatching(/^Bearer .*error="invalid_token"/)]);
    }
    expect((await api.ask("GET", APPLICATIONS, { as: `Bearer ${access}` })).status).toBe(401);
    // A certificate in a header is not that of the connection.
    const headers = { "x-client-cert": machine.certificate.replaceAll("\n", " "), "ssl-client-cert": "x" };
    expect((await api.ask("GET", APPLICATIONS, { as: `Bearer ${access}`, headers })).status).toBe(401);
  });
  test("does not count with the scheme DPoP", async () => {
    const { access_token: access } = await tokenBy(machine, clientOf());
    expect((await ask(APPLICATIONS, machine, { headers: { authorization: `DPoP ${access}` } })).status).toBe(401);
  });
  test("does not open a path that only certificates of users open", async () => {
    const { access_token: access } = await tokenBy(machine, clientOf());
    expect((await ask(CERTIFICATES_ONLY, machine, bearer(access))).status).toBe(401);
  });
});

test("a refresh token of a public client is bound to the certificate too", async () => {
  const open = await newClient([VIEW], { publicClient: true, accessToken: { bindingType: "certificate" } });
  const { refresh_token } = await tokenBy(machine, open, {
    grant_type: "password",
    ...ADMIN,
    client_id: open.clientId,
  });
  const refresh = (holder: Holder) =>
    ask(TOKEN, holder, {
      method: "POST",
      headers: { "content-type": "application/x-www-form-urlencoded" },
      body: form({ grant_type: "refresh_token", refresh_token, client_id: open.clientId }),
    });
  expect(await refresh(other)).toMatchObject({ status: 400, text: expect.stringContaining("invalid_grant") });
  expect((await refresh(machine)).status).toBe(200);
});

test("a certificate that names no user is refused with an unbound token, and with the password of a user", async () => {
  const unbound = await ownToken(await newClient([VIEW]), VIEW);
  expect((await ask(APPLICATIONS, machine, bearer(unbound))).status).toBe(401);
  expect((await ask(APPLICATIONS, machine, { headers: { authorization: basic(ADMIN) } })).status).toBe(401);
});

test("a DPoP proof on this port names its own origin, or that of tokens", async () => {
  const key = newProofKey();
  const dpopClient = await newClient([VIEW], { accessToken: { bindingType: "DPoP" } });
  const { access_token: access } = await dpopOf(api).bound(dpopClient, key, OWN);
  const admin = { certificate: pemAt("client-admin.pem"), key: pemAt("client-admin.key") };
  const statusOf = async (origin: string) => {
    const claims = claimsFor("GET", `${origin}${APPLICATIONS}`, { nonce: await nonce(), ath: athOf(access) });
    const { status, text } = await ask(APPLICATIONS, admin, {
      headers: { authorization: `DPoP ${access}`, dpop: await proofOf(key, claims) },
    });
    return [status, /htu/.test(text)];
  };
  // The proof is accepted; the certificate is of another principal than the token.
  for (const origin of [api.service.mtlsUrl ?? "", api.url]) expect(await statusOf(origin)).toEqual([401, false]);
  expect(await statusOf("https://evil.example")).toEqual([401, true]);
});

test("the scheme DPoP is OAuthAuthentication in the rules of the operator", async () => {
  const key = newProofKey();
  const dpopClient = await newClient([VIEW]);
  const { bound, apiProof, present } = dpopOf(api);
  const { access_token: access } = await bound(dpopClient, key, OWN);
  const statusOf = async (path: string) => (await present(access, await apiProof(key, access, path), path)).status;
  expect([await statusOf("/api/server/v1/organizations"), await statusOf("/api/server/v1/userstores")]).toEqual([
    200, 401,
  ]);
});
