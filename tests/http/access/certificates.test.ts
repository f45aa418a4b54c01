/** The mTLS port, through real handshakes: which certificates authenticate, alone and with other credentials. */
import { readFileSync } from "node:fs";
import { request } from "node:https";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { issueLeaf } from "#local/issue.ts";
import { withTwins } from "#tests/support/twins.ts";
import { basic, world } from "#tests/support/world.ts";

const CA = "Identity Admin API development CA";
const api = world({
  hasMtls: true,
  deployment: await withTwins(`
    [intermediate_cert_validation]
    enable = true
    cert_cns = ["Another CA"]
    exempt_contexts = ["/scim2/Schemas"]

    [[intermediate_cert_validation.issuer]]
    cn = "${CA}"
    tenants = ["carbon.super", "acme.example"]

    [[resource.access_control]]
    context = "/scim2/ServiceProviderConfig"
    http_method = "GET"
    secured = false

    [[resource.access_control]]
    context = "/scim2/v2/Roles"
    http_method = "GET"
    scope = "internal_login"
    allowed_auth_handlers = ["ClientCertificate"]

    [[resource.access_control]]
    context = "scim2/Users"
    http_method = "GET"
    scope = []

    [[resource.access_control]]
    context = "(.*)/scim2/Groups(.*)"
    http_method = "GET"
    scope = ["internal_group_mgt_view", "internal_idp_view"]
  `),
});
const password = "a-long-password";
let ca: { certificate: string; key: string };
const pemAt = (name: string) => readFileSync(join(api.service.certificates ?? "", name), "utf8");

interface Holder {
  readonly certificate: string;
  readonly key: string;
}
const holderOf = (commonName: string): Promise<Holder> => issueLeaf(ca, commonName, { kind: "client" });

const ask = (path: string, holder: Holder | undefined, headers: Record<string, string> = {}) =>
  new Promise<{ status: number; body: string }>((resolve, reject) => {
    const url = new URL(path, api.service.mtlsUrl);
    const sent = request(
      url,
      {
        ca: ca.certificate,
        servername: "localhost",
        headers,
        ...(holder && { cert: holder.certificate, key: holder.key }),
      },
      (answer) => {
        let body = "";
        answer.setEncoding("utf8").on("data", (part: string) => {
          body += part;
        });
        answer.on("end", () => resolve({ status: answer.statusCode ?? 0, body }));
      },
    );
    sent.on("error", reject).end();
  });
const statusOf = async (holder: Holder | undefined, path = "/scim2/Me", headers?: Record<string, string>) =>
  (await ask(path, holder, headers)).status;

beforeAll(async () => {
  ca = { certificate: pemAt("ca.pem"), key: pemAt("ca.key") };
  await api.ask("POST", "/scim2/Users", { body: { userName: "alice", password } });
  await api.ask("POST", "/scim2/Users", { body: { userName: "alice@corp.example", password } });
  for (const domain of ["acme.example", "other.example"]) {
    const body = { domain, owners: [{ username: "alice", password }] };
    await api.ask("POST", "/api/server/v1/tenants", { body });
  }
});

describe("accepts", () => {
  test("the development certificate of the administrator", async () => {
    const admin = { certificate: pemAt("client-admin.pem"), key: pemAt("client-admin.key") };
    expect(JSON.parse((await ask("/scim2/Me", admin)).body)).toMatchObject({ userName: "admin" });
    expect(await statusOf(admin, "/api/server/v1/applications")).toBe(200);
  });
  test.each([
    ["alice", "/scim2/Users/"],
    ["PRIMARY/alice", "/scim2/Users/"],
    ["alice@carbon.super", "/scim2/Users/"],
    ["alice@acme.example", "/t/acme.example/scim2/Users/"],
    ["primary/alice@acme.example", "/t/acme.example/scim2/Users/"],
  ])("CN=%s", async (commonName, location) => {
    const { status, body } = await ask("/scim2/Me", await holderOf(commonName));
    expect(status).toBe(200);
    expect(JSON.parse(body).meta.location).toContain(location);
  });
  test("an e-mail address as the name, if its domain is not a tenant", async () => {
    const { status, body } = await ask("/scim2/Me", await holderOf("alice@corp.example"));
    expect([status, JSON.parse(body).userName]).toEqual([200, "alice@corp.example"]);
  });
  test("a certificate with another credential of the same user", async () => {
    const authorization = basic({ username: "alice", password });
    expect(await statusOf(await holderOf("alice"), "/scim2/Me", { authorization })).toBe(200);
  });
  test("a user, with the permissions of its roles", async () => {
    expect(await statusOf(await holderOf("alice"), "/api/server/v1/applications")).toBe(403);
  });
});

describe("refuses", () => {
  test.each([
    "nobody",
    "alice@other.example",
    "alice@nowhere.example",
    "SALES/alice",
    "INTERNAL/admin",
    "\u0430dmin",
    "ad\u200emin",
    " admin",
    "admin\u0000.evil",
    "john,CN=admin",
    "admin,O=x",
    "",
  ])("CN=%j", async (commonName) => {
    const holder = await holderOf(commonName).catch(() => undefined);
    if (holder) expect(await statusOf(holder)).toBe(401);
  });
  test("a user that is inactive, locked or deleted", async () => {
    const { id } = (await api.ask("POST", "/scim2/Users", { body: { userName: "leaver", password } })).body;
    const holder = await holderOf("leaver");
    expect(await statusOf(holder)).toBe(200);
    const patch = (value: Record<string, unknown>) =>
      api.ask("PATCH", `/scim2/Users/${id}`, { body: { Operations: [{ op: "replace", value }] } });
    await patch({ active: false });
    expect(await statusOf(holder)).toBe(401);
    await patch({ active: true, "urn:scim:wso2:schema": { accountLocked: true } });
    expect(await statusOf(holder)).toBe(401);
    await patch({ "urn:scim:wso2:schema": { accountLocked: false } });
    expect(await statusOf(holder)).toBe(200);
    await api.ask("DELETE", `/scim2/Users/${id}`);
    expect(await statusOf(holder)).toBe(401);
  });
  test("a certificate with another user's password, or with a wrong one", async () => {
    const holder = await holderOf("alice");
    for (const credential of [
      { username: "admin", password: "admin" },
      { username: "alice@acme.example", password },
      { username: "alice", password: "wrong-password" },
    ]) {
      expect(await statusOf(holder, "/scim2/Me", { authorization: basic(credential) })).toBe(401);
    }
    expect(await statusOf(holder, "/scim2/Me", { authorization: "Bearer nothing" })).toBe(401);
  });
  test("a certificate in a header", async () => {
    const pem = encodeURIComponent(pemAt("client-admin.pem")).slice(0, 3_000);
    for (const name of [
      "x-ssl-cert",
      "x-client-cert",
      "ssl-client-cert",
      "wso2-identity-user",
      "x-amzn-mtls-clientcert",
    ]) {
      expect((await api.ask("GET", "/scim2/Me", { as: null, headers: { [name]: pem } })).status).toBe(401);
    }
  });
  test("a connection without a certificate", async () => {
    await expect(ask("/scim2/Me", undefined)).rejects.toThrow();
  });
  test("a certificate alone below an exempt path, but not a password", async () => {
    const holder = await holderOf("alice");
    expect(await statusOf(holder, "/scim2/Schemas")).toBe(401);
    const authorization = basic({ username: "admin", password: "admin" });
    expect(await statusOf(holder, "/scim2/Schemas", { authorization })).toBe(200);
  });
});

describe("rules of deployment.toml", () => {
  test("open the description of the service to unauthenticated callers", async () => {
    const { status, body } = await api.ask("GET", "/scim2/ServiceProviderConfig", { as: null });
    expect([status, body.meta.location]).toEqual([200, `${api.url}/scim2/ServiceProviderConfig`]);
    expect((await api.ask("GET", "/scim2/ResourceTypes", { as: null })).status).toBe(401);
  });
  test("restrict an operation to certificates, of any user", async () => {
    expect((await api.ask("GET", "/scim2/v2/Roles")).status).toBe(401);
    expect(await statusOf(await holderOf("alice"), "/scim2/v2/Roles")).toBe(200);
    expect((await api.ask("POST", "/scim2/v2/Roles", { body: { displayName: "of the catalogue" } })).status).toBe(201);
  });
  test("need all their scopes, which the full-access role includes", async () => {
    expect((await api.ask("GET", "/scim2/Groups")).status).toBe(200);
    const user = { userName: "driver", password };
    const { id } = (await api.ask("POST", "/scim2/Users", { body: user })).body;
    const as = { username: "driver", password };
    const answer = await api.ask("GET", "/scim2/Groups", { as });
    expect([answer.status, answer.body.detail]).toEqual([403, expect.stringContaining("internal_group_mgt_view")]);
    const give = async (displayName: string, value: string) => {
      const role = { displayName, permissions: [{ value }], users: [{ value: id }] };
      expect((await api.ask("POST", "/scim2/v2/Roles", { body: role })).status).toBe(201);
    };
    await give("viewers", "internal_group_mgt_view");
    expect((await api.ask("GET", "/scim2/Groups", { as })).body.detail).toContain("internal_idp_view");
    await give("drivers", "internal_idp_view");
    expect((await api.ask("GET", "/scim2/Groups", { as })).status).toBe(200);
  });
  test("need only a valid credential for an empty list of scopes", async () => {
    await api.ask("POST", "/scim2/Users", { body: { userName: "plain", password } });
    const as = { username: "plain", password };
    expect((await api.ask("GET", "/scim2/Users", { as })).status).toBe(200);
    expect((await api.ask("GET", "/scim2/Users", { as: null })).status).toBe(401);
  });
});

test("a change of the holder's roles takes effect on the next request", async () => {
  const VIEW = "internal_application_mgt_view";
  const [userName, path] = ["certified", "/api/server/v1/applications"];
  const sent = async (method: string, to: string, body: unknown) => (await api.ask(method, to, { body })).body;
  const { id } = await sent("POST", "/scim2/Users", { userName, password });
  const group = await sent("POST", "/scim2/Groups", { displayName: "certified", members: [{ value: id }] });
  const role = await sent("POST", "/scim2/v2/Roles", { displayName: "certified", permissions: [{ value: VIEW }] });
  const holder = await holderOf(userName);
  const patch = (op: string, at: string, value?: unknown) =>
    api.ask("PATCH", `/scim2/v2/Roles/${role.id}`, { body: { Operations: [{ op, path: at, value }] } });
  expect(await statusOf(holder, path)).toBe(403);
  for (const [change, status] of [
    [() => patch("add", "groups", [{ value: group.id }]), 200],
    [() => patch("replace", "permissions", [{ value: "internal_user_mgt_list" }]), 403],
    [() => patch("add", "permissions", [{ value: VIEW }]), 200],
    [() => patch("remove", `groups[value eq "${group.id}"]`), 403],
  ] as const) {
    expect((await change()).status).toBe(200);
    expect(await statusOf(holder, path)).toBe(status);
  }
});
