/** The metadata of this service as a protected resource (RFC 9728), and the challenges that lead to it. */
import * as oauth from "oauth4webapi";
import { beforeAll, describe, expect, test } from "vitest";
import { bootstrapTenant } from "#core/directory/tenants/bootstrap.ts";
import { protectedResources, resourceOfPath } from "#core/kernel/domain/protected-resources.ts";
import { systemApis, systemScopes } from "#core/kernel/domain/system-apis.ts";
import { type Operation, PUBLIC } from "#core/kernel/operation/operation.ts";
import { operations } from "#core/service/catalogue.ts";
import { PROOF_ALGORITHMS } from "#core/tokens/dpop-key.ts";
import { PUBLISHED_SECONDS } from "#core/tokens/key-ring.ts";
import { oauthOf, type TestClient } from "#tests/support/oauth.ts";
import { tableOf } from "#tests/support/people.ts";
import { APPLICATIONS, basic, world } from "#tests/support/world.ts";

const api = world();
const { newClient } = oauthOf(api);
const WELL_KNOWN = "/.well-known/oauth-protected-resource";
const VIEW = "internal_application_mgt_view";
const get = (path: string) => api.ask("GET", path, { as: null });

let client: TestClient;
beforeAll(async () => {
  await bootstrapTenant(tableOf(api.service), "acme.com", { username: "boss", password: "a good password" });
  client = await newClient([VIEW]);
});

const expected = (path: string, tenant = "") => ({
  resource: `${api.url}${tenant}${path}`,
  authorization_servers: [`${api.url}${tenant}/oauth2/token`],
  scopes_supported: [...resourceOfPath(path).scopes],
  bearer_methods_supported: ["header"],
  dpop_signing_alg_values_supported: [...PROOF_ALGORITHMS],
  tls_client_certificate_bound_access_tokens: true,
  resource_name: expect.any(String),
  resource_documentation: `${api.url}/openapi.json`,
});

/** The document of a path, and of the same path of a tenant. */
const documentAt = (path: string) => async () => {
  const answer = await get(`${WELL_KNOWN}${path}`);
  expect([answer.status, answer.body]).toEqual([200, expected(path)]);
  expect(answer.headers.get("cache-control")).toBe(`public, max-age=${PUBLISHED_SECONDS}`);
};
const documentOfTenantAt = (path: string) => async () => {
  for (const one of [`${WELL_KNOWN}/t/acme.com${path}`, `/t/acme.com${WELL_KNOWN}${path}`]) {
    const answer = await get(one);
    expect([answer.status, answer.body]).toEqual([200, expected(path, "/t/acme.com")]);
  }
  for (const one of [`${WELL_KNOWN}/t/unknown.example${path}`, `/t/unknown.example${WELL_KNOWN}${path}`]) {
    expect((await get(one)).status).toBe(404);
  }
};

const PROMISE = "is public, can be cached for an hour, and names the issuer and the scopes";
const PROMISE_OF_TENANT = "is at both addresses of a tenant, and 404 for an unknown one";
describe("getResourceMetadata", () => test(PROMISE, documentAt("")));
describe("getManagementResourceMetadata", () => test(PROMISE, documentAt("/api/server/v1")));
describe("getScim2ResourceMetadata", () => test(PROMISE, documentAt("/scim2")));
describe("getScim1ResourceMetadata", () => test(PROMISE, documentAt("/svc/scim")));
describe("getIntrospectionResourceMetadata", () => test(PROMISE, documentAt("/oauth2/introspect")));
describe("getSignalsResourceMetadata", () => test(PROMISE, documentAt("/ssf")));
describe("getTenantSignalsResourceMetadata", () => test(PROMISE_OF_TENANT, documentOfTenantAt("/ssf")));
describe("getAccessResourceMetadata", () => test(PROMISE, documentAt("/access/v1")));
describe("getTenantAccessResourceMetadata", () => test(PROMISE_OF_TENANT, documentOfTenantAt("/access/v1")));
describe("getTenantResourceMetadata", () => test(PROMISE_OF_TENANT, documentOfTenantAt("")));
describe("getTenantManagementResourceMetadata", () => test(PROMISE_OF_TENANT, documentOfTenantAt("/api/server/v1")));
describe("getTenantScim2ResourceMetadata", () => test(PROMISE_OF_TENANT, documentOfTenantAt("/scim2")));
describe("getTenantScim1ResourceMetadata", () => test(PROMISE_OF_TENANT, documentOfTenantAt("/svc/scim")));
describe("getTenantIntrospectionResourceMetadata", () =>
  test(PROMISE_OF_TENANT, documentOfTenantAt("/oauth2/introspect")));

test("an unknown resource is 404 for everybody, and headers change nothing", async () => {
  for (const path of ["/x", "/scim2/Users", "/t", "/t/acme.com/x"]) {
    expect([path, (await get(`${WELL_KNOWN}${path}`)).status]).toEqual([path, 404]);
  }
  const headers = { "x-forwarded-host": "evil.example", forwarded: "host=evil.example" };
  expect((await api.ask("GET", WELL_KNOWN, { as: null, headers })).body.resource).toBe(api.url);
});

describe("the scopes of the resources", () => {
  test.each(Object.entries(operations).filter(([, { scope }]) => scope !== PUBLIC))("include those of %s", (_, one) => {
    const {
      scope,
      furtherScopes = [],
      partialScopes = [],
      path,
    } = one as typeof one & {
      furtherScopes?: readonly string[];
      partialScopes?: readonly string[];
    };
    const resource = resourceOfPath(path);
    // One operation alone is of no other resource than the whole service.
    if (path !== "/api/identity/user/v1.0/resend-code") expect(resource.path).not.toBe("");
    expect([scope, ...furtherScopes, ...partialScopes].filter((name) => !resource.scopes.has(name))).toEqual([]);
  });
  test("of the Management API are those of its own APIs, and of others those that its operations know", () => {
    const path = "/api/server/v1";
    const own = systemApis.filter(({ identifier }) => identifier.startsWith(`${path}/`));
    const known = Object.values<Operation>(operations).filter((one) => resourceOfPath(one.path).path === path);
    expect(resourceOfPath(path).scopes).toEqual(
      new Set([
        ...own.flatMap(({ scopes }) => scopes.map(({ name }) => name)),
        ...known.flatMap(({ scope, furtherScopes = [], partialScopes = [] }) => [
          scope,
          ...furtherScopes,
          ...partialScopes,
        ]),
      ]),
    );
  });
  test("are together all scopes of the service, which the service as a whole has", () => {
    const [whole, ...parts] = protectedResources;
    expect(whole?.scopes).toEqual(systemScopes);
    expect(new Set(parts.flatMap(({ scopes }) => [...scopes]))).toEqual(systemScopes);
  });
});

describe("oauth4webapi", () => {
  const insecure = { [oauth.allowInsecureRequests]: true } as const;

  test("goes from a refused request to a token for this resource, knowing nothing but its address", async () => {
    const asked = new URL(`${api.url}${APPLICATIONS}`);
    const refused = await oauth
      .protectedResourceRequest("wrong", "GET", asked, undefined, undefined, insecure)
      .catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(oauth.WWWAuthenticateChallengeError);
    const challenges = (refused as oauth.WWWAuthenticateChallengeError).cause;
    expect(challenges.map(({ scheme }) => scheme)).toEqual(["basic", "bearer"]);
    const address = challenges[1]?.parameters.resource_metadata ?? "";
    expect(address).toBe(`${api.url}${WELL_KNOWN}/api/server/v1`);

    const resource = new URL(address.replace(WELL_KNOWN, ""));
    const found = await oauth.resourceDiscoveryRequest(resource, insecure);
    const metadata = await oauth.processResourceDiscoveryResponse(resource, found);
    expect(metadata.scopes_supported).toContain(VIEW);
    const issuer = new URL(metadata.authorization_servers?.[0] ?? "");
    const discovered = await oauth.discoveryRequest(issuer, { ...insecure, algorithm: "oauth2" });
    const server = await oauth.processDiscoveryResponse(issuer, discovered);
    expect(server.protected_resources).toContain(metadata.resource);

    const answer = await oauth.clientCredentialsGrantRequest(
      server,
      { client_id: client.clientId },
      oauth.ClientSecretBasic(client.clientSecret),
      { scope: VIEW, resource: metadata.resource },
      insecure,
    );
    const { access_token: text } = await oauth.processClientCredentialsResponse(
      server,
      { client_id: client.clientId },
      answer,
    );
    const accepted = await oauth.protectedResourceRequest(text, "GET", asked, undefined, undefined, insecure);
    expect(accepted.status).toBe(200);
  });
  test.each(["", "/api/server/v1", "/scim2", "/svc/scim", "/oauth2/introspect"])(
    "discovers %j of each tenant",
    async (path) => {
      for (const tenant of ["", "/t/acme.com"]) {
        const resource = new URL(`${api.url}${tenant}${path}`);
        const found = await oauth.resourceDiscoveryRequest(resource, insecure);
        const { authorization_servers: servers } = await oauth.processResourceDiscoveryResponse(resource, found);
        expect(servers).toEqual([`${api.url}${tenant}/oauth2/token`]);
      }
    },
  );
});

describe("the challenge of a refusal", () => {
  const challengeOf = async (path: string, as: string | null = null) =>
    (await api.ask("GET", path, { as })).headers.get("www-authenticate") ?? "";
  test.each([
    ["/scim2/Users", "/scim2"],
    ["/scim2/v2/Roles", "/scim2"],
    ["/svc/scim/Users", "/svc/scim"],
    ["/api/server/v1/tenants", "/api/server/v1"],
    ["/api/server/v1/unknown", "/api/server/v1"],
    ["/t/acme.com/scim2/Users", "/t/acme.com/scim2"],
    ["/oauth2/unknown", ""],
  ])("of %s leads to the metadata of its resource", async (path, resource) => {
    for (const as of [null, "Bearer x", "Bearer", basic({ username: "admin", password: "wrong" })]) {
      const challenge = await challengeOf(path, as);
      expect(challenge).toMatch(/^Basic realm="[^"]+", charset="UTF-8", Bearer realm="[^"]+"/);
      expect(challenge).toContain(`, resource_metadata="${api.url}${WELL_KNOWN}${resource}"`);
    }
  });
  test("repeats nothing of a path that names no possible tenant", async () => {
    for (const tenant of ["%22evil", "a%0Ab", "%20x", "é", "a,b"]) {
      const challenge = await challengeOf(`/t/${tenant}/scim2/Users`);
      expect(challenge).toMatch(new RegExp(`resource_metadata="${api.url}${WELL_KNOWN}/scim2"$`));
    }
  });
  test("of introspection leads to its own metadata", async () => {
    const answer = await api.ask("POST", "/oauth2/introspect", {
      as: "Bearer at_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
      raw: "token=x",
      headers: { "content-type": "application/x-www-form-urlencoded" },
    });
    expect(answer.status).toBe(401);
    expect(answer.headers.get("www-authenticate")).toContain(
      `resource_metadata="${api.url}${WELL_KNOWN}/oauth2/introspect"`,
    );
  });
});
