/** Resources of tokens (RFC 8707): what a token is for, which scopes it has, and which APIs refuse it. */
import { beforeAll, describe, expect, test } from "vitest";
import { bootstrapTenant } from "#core/directory/tenants/bootstrap.ts";
import { apiResourcesOf, scopesNamed } from "#tests/support/api-resources.ts";
import { form, oauthOf, type TestClient, TOKEN } from "#tests/support/oauth.ts";
import { tableOf } from "#tests/support/people.ts";
import { partsOf } from "#tests/support/signing.ts";
import { ADMIN, APPLICATIONS, basic, world } from "#tests/support/world.ts";
import { costOf, listening } from "#tools/bench/calls.ts";

const api = world();
const { newClient, post, token } = oauthOf(api);
const { register, authorize } = apiResourcesOf(api);
const VIEW = "internal_application_mgt_view";
const USERS = "internal_user_mgt_list";
const VIEW_USER = "internal_user_mgt_view";
const DELETED_USERS = "/api/server/v1/deleted-resources?resourceType=user";
const [READ, MANAGE] = ["ssf.read", "ssf.manage"];
const INTROSPECT = "internal_oauth2_introspect";
const ORDERS = "https://orders.example/v1";
const FOREIGN = "https://foreign.example";
const CC = { grant_type: "client_credentials" };
const PASSWORD = { grant_type: "password", ...ADMIN };
const SCOPES = `${VIEW} ${USERS} ${INTROSPECT} orders:read`;

let jwt: TestClient;
let opaque: TestClient;
let ordersId: string;
beforeAll(async () => {
  ordersId = await register({ name: "Orders", identifier: ORDERS, scopes: scopesNamed("orders:read") });
  await register({ name: "Foreign", identifier: FOREIGN, scopes: scopesNamed("foreign:read") });
  await register({ name: "No URI", identifier: "not-a-uri", scopes: scopesNamed("plain:read") });
  jwt = await newClient([VIEW, USERS, INTROSPECT], { accessToken: { type: "JWT" } });
  opaque = await newClient([VIEW, USERS, INTROSPECT]);
  for (const { applicationId } of [jwt, opaque]) {
    await authorize(applicationId, { id: ordersId, scopes: ["orders:read"] });
  }
});

/** A form in which parameters may be repeated. */
const repeated = (fields: Record<string, string>, ...resources: string[]) =>
  [form(fields), ...resources.map((one) => form({ resource: one }))].join("&");
const audienceOf = (text: string) => partsOf(text).payload.aud;
const inspect = async (text: string) => (await post("/oauth2/introspect", { token: text }, opaque)).body;
const statusOf = async (path: string, text: string) => (await api.ask("GET", path, { as: `Bearer ${text}` })).status;
const list = (text: string) => statusOf(APPLICATIONS, text);
const users = (text: string) => statusOf("/scim2/Users?count=1", text);

describe("a token for a resource", () => {
  test.each(["JWT", "opaque"])("%s: is for it, has its scopes only, and no other API accepts it", async (kind) => {
    const client = kind === "JWT" ? jwt : opaque;
    const management = `${api.url}/api/server/v1`;
    const body = await token(client, { ...CC, scope: SCOPES, resource: management });
    expect(body.scope).toBe(VIEW);
    expect((await inspect(body.access_token)).aud).toEqual([management]);
    if (kind === "JWT") expect(audienceOf(body.access_token)).toEqual([management]);
    expect([await list(body.access_token), await users(body.access_token)]).toEqual([200, 401]);
    expect(await statusOf("/svc/scim/Users?count=1", body.access_token)).toBe(401);

    const scim = await token(client, { ...CC, scope: SCOPES, resource: `${api.url}/scim2` });
    expect(scim.scope).toBe(USERS);
    expect([await list(scim.access_token), await users(scim.access_token)]).toEqual([401, 200]);
  });
  test("the service as a whole: every scope of the service, at every API", async () => {
    for (const resource of [api.url, `${api.url}/`]) {
      const body = await token(jwt, { ...CC, scope: SCOPES, resource });
      expect([body.scope, audienceOf(body.access_token)]).toEqual([`${VIEW} ${USERS} ${INTROSPECT}`, [resource]]);
      expect([await list(body.access_token), await users(body.access_token)]).toEqual([200, 200]);
    }
  });
  test("several: the parameter is repeated, and each counts", async () => {
    const [one, other] = [`${api.url}/api/server/v1`, ORDERS];
    const answer = await post(TOKEN, repeated({ ...CC, scope: SCOPES }, one, other, one), jwt);
    expect([answer.status, answer.body.scope]).toEqual([200, `${VIEW} orders:read`]);
    expect(audienceOf(answer.body.access_token)).toEqual([one, other]);
    expect([await list(answer.body.access_token), await users(answer.body.access_token)]).toEqual([200, 401]);
  });
  test("an API of the tenant: this service refuses the token everywhere", async () => {
    const { access_token: text, scope } = await token(jwt, { ...CC, scope: SCOPES, resource: ORDERS });
    expect([scope, audienceOf(text)]).toEqual(["orders:read", [ORDERS]]);
    for (const path of [APPLICATIONS, "/scim2/Users", "/scim2/Me", "/svc/scim/Users", "/scim2/Schemas"]) {
      expect([path, await statusOf(path, text)]).toEqual([path, 401]);
    }
    const refused = await post("/oauth2/introspect", { token: text }, `Bearer ${text}`);
    expect(refused.status).toBe(401);
    // The resource server learns all of it.
    expect(await inspect(text)).toMatchObject({ active: true, aud: [ORDERS], scope: "orders:read" });
  });
  test("Shared Signals: only a token for it is accepted there", async () => {
    const client = await newClient([VIEW, READ, MANAGE]);
    const scope = `${VIEW} ${READ} ${MANAGE}`;
    const own = await token(client, { ...CC, scope, resource: `${api.url}/ssf` });
    expect(own.scope).toBe(`${READ} ${MANAGE}`);
    expect([await statusOf("/ssf/streams", own.access_token), await list(own.access_token)]).toEqual([200, 401]);
    const other = await token(client, { ...CC, scope, resource: `${api.url}/api/server/v1` });
    expect(await statusOf("/ssf/streams", other.access_token)).toBe(401);
  });
  test("management: scopes of users count for deleted ones, which no SCIM API shows", async () => {
    const client = await newClient([USERS, VIEW_USER]);
    const resource = `${api.url}/api/server/v1`;
    const { access_token: text, scope } = await token(client, { ...CC, scope: `${USERS} ${VIEW_USER}`, resource });
    expect(scope).toBe(VIEW_USER);
    expect([await statusOf(DELETED_USERS, text), await users(text), await list(text)]).toEqual([200, 401, 403]);
  });
  test("introspection: only a token for it is accepted there", async () => {
    const own = await token(jwt, { ...CC, scope: SCOPES, resource: `${api.url}/oauth2/introspect` });
    expect(own.scope).toBe(INTROSPECT);
    expect((await post("/oauth2/introspect", { token: "x" }, `Bearer ${own.access_token}`)).status).toBe(200);
    const other = await token(jwt, { ...CC, scope: SCOPES, resource: `${api.url}/scim2` });
    expect((await post("/oauth2/introspect", { token: "x" }, `Bearer ${other.access_token}`)).status).toBe(401);
  });
  test("without a resource nothing changes: the token is for all of this service", async () => {
    const { access_token: text, scope } = await token(jwt, { ...CC, scope: SCOPES });
    expect([scope, audienceOf(text)]).toEqual([SCOPES, [jwt.clientId, api.url]]);
    expect([await list(text), await users(text)]).toEqual([200, 200]);
    expect((await token(jwt, { ...CC, scope: VIEW, resource: "" })).scope).toBe(VIEW);
  });
  test("a client whose id is the address of an API gets a token for that API only, if it asks for one", async () => {
    const clientId = `${api.url}/scim2`;
    const { clientSecret } = await newClient([VIEW], { clientId, accessToken: { type: "JWT" } });
    const inForm = { client_id: clientId, client_secret: clientSecret };
    const answer = await post(TOKEN, { ...CC, ...inForm, scope: VIEW, resource: clientId });
    expect([audienceOf(answer.body.access_token), await list(answer.body.access_token)]).toEqual([[clientId], 401]);
  });
});

describe("refuses as invalid_target, and issues nothing:", () => {
  test.each<[string, () => string]>([
    ["a relative reference", () => "/scim2"],
    ["a text", () => "scim2"],
    ["a fragment", () => `${api.url}/scim2#x`],
    ["an empty fragment", () => `${api.url}/scim2#`],
    ["a blank in it", () => `${api.url}/scim2 `],
    ["a line break in it", () => `${api.url}/sc\nim2`],
    ["an unknown address", () => "https://unknown.example"],
    ["an address that fits no key", () => `https://unknown.example/${"x".repeat(3_000)}`],
    ["an unknown path of this service", () => `${api.url}/scim3`],
    ["a path below a resource", () => `${api.url}/scim2/Users`],
    ["a query", () => `${api.url}/scim2?x=1`],
    ["an address with this one in front", () => `${api.url}.evil.example/scim2`],
    ["the resource of another tenant", () => `${api.url}/t/acme.com/scim2`],
    ["an API that the client is not authorized for", () => FOREIGN],
    ["the identifier of an API that is no URI", () => "not-a-uri"],
  ])("%s", async (_, resource) => {
    for (const grant of [CC, PASSWORD]) {
      for (const client of [jwt, opaque]) {
        const answer = await post(TOKEN, { ...grant, scope: SCOPES, resource: resource() }, client);
        expect([answer.status, answer.body.error, answer.body.access_token]).toEqual([
          400,
          "invalid_target",
          undefined,
        ]);
      }
    }
  });
  test("one unknown resource among known ones; more than four", async () => {
    const mixed = await post(TOKEN, repeated(CC, `${api.url}/scim2`, FOREIGN), jwt);
    expect([mixed.status, mixed.body.error]).toEqual([400, "invalid_target"]);
    const five = Array.from({ length: 5 }, (_, at) => `https://api-${at}.example`);
    const many = await post(TOKEN, repeated(CC, ...five), jwt);
    expect([many.status, many.body.error]).toEqual([400, "invalid_request"]);
  });
  test("only to an authenticated client; in the URL not at all", async () => {
    const wrong = await post(TOKEN, { ...CC, resource: FOREIGN }, { ...jwt, clientSecret: "wrong" });
    expect([wrong.status, wrong.body.error]).toEqual([401, "invalid_client"]);
    const inUrl = await post(`${TOKEN}?resource=x`, CC, jwt);
    expect([inUrl.status, inUrl.body.error]).toEqual([400, "invalid_request"]);
    for (const name of ["scope", "grant_type", "client_id"]) {
      const twice = await post(TOKEN, `${form(CC)}&${name}=a&${name}=b`, jwt);
      expect([name, twice.status, twice.body.error]).toEqual([name, 400, "invalid_request"]);
    }
  });
});

describe("a refresh", () => {
  const refresh = (text: string | undefined, ...resources: string[]) =>
    post(TOKEN, repeated({ grant_type: "refresh_token", refresh_token: text ?? "" }, ...resources), jwt);

  test("keeps the resources, narrows them for one token, and never widens them", async () => {
    const [scim, management] = [`${api.url}/scim2`, `${api.url}/api/server/v1`];
    const first = await post(TOKEN, repeated({ ...PASSWORD, scope: SCOPES }, scim, management), jwt);
    expect(first.body.scope).toBe(`${VIEW} ${USERS}`);
    expect((await inspect(first.body.refresh_token)).aud).toEqual([scim, management]);

    const narrow = await refresh(first.body.refresh_token, scim);
    expect([narrow.body.scope, audienceOf(narrow.body.access_token)]).toEqual([USERS, [scim]]);
    const kept = await refresh(narrow.body.refresh_token);
    expect([kept.body.scope, audienceOf(kept.body.access_token)]).toEqual([`${VIEW} ${USERS}`, [scim, management]]);

    for (const wider of [api.url, ORDERS, `${api.url}/oauth2/introspect`]) {
      const answer = await refresh(kept.body.refresh_token, scim, wider);
      expect([wider, answer.status, answer.body.error]).toEqual([wider, 400, "invalid_target"]);
    }
    // A refused request does not use the refresh token up.
    expect((await refresh(kept.body.refresh_token)).status).toBe(200);
  });
  test("of a token for all of this service may narrow it", async () => {
    const first = await token(jwt, { ...PASSWORD, scope: SCOPES });
    const narrow = await refresh(first.refresh_token, `${api.url}/scim2`);
    expect([narrow.body.scope, await list(narrow.body.access_token)]).toEqual([USERS, 401]);
    const kept = await refresh(narrow.body.refresh_token);
    expect(audienceOf(kept.body.access_token)).toEqual([jwt.clientId, api.url]);
  });
  test("ends with the API of the tenant that it is for", async () => {
    const gone = await register({ name: "Gone", identifier: "urn:gone", scopes: scopesNamed("gone:read") });
    await authorize(jwt.applicationId, { id: gone, scopes: ["gone:read"] });
    const first = await token(jwt, { ...PASSWORD, resource: "urn:gone" });
    expect((await api.ask("DELETE", `/api/server/v1/api-resources/${gone}`)).status).toBe(204);
    const answer = await refresh(first.refresh_token);
    expect([answer.status, answer.body.error]).toEqual([400, "invalid_target"]);
  });
});

test("the resources of a tenant are its own, with and without the tenant in their address", async () => {
  const administrator = { username: "boss", password: "a good password" };
  await bootstrapTenant(tableOf(api.service), "acme.com", administrator);
  const as = basic({ username: "boss@acme.com", password: administrator.password });
  const oidc = { grantTypes: ["password"], accessToken: { type: "JWT" } };
  const made = await api.ask("POST", APPLICATIONS, {
    body: { name: "theirs", inboundProtocolConfiguration: { oidc } },
    as,
  });
  const applicationId = made.headers.get("location")?.split("/").at(-1) ?? "";
  const { body } = await api.ask("GET", `${APPLICATIONS}/${applicationId}/inbound-protocols/oidc`, { as });
  const theirs = { applicationId, clientId: body.clientId, clientSecret: body.clientSecret };
  const signIn = { grant_type: "password", ...administrator };
  for (const resource of [`${api.url}/t/acme.com/scim2`, `${api.url}/scim2`]) {
    const { access_token: text } = await token(theirs, { ...signIn, resource });
    expect(audienceOf(text)).toEqual([resource]);
    for (const path of ["/t/acme.com/scim2/Me", "/scim2/Me"]) expect(await statusOf(path, text)).toBe(200);
    expect(await statusOf("/t/acme.com/svc/scim/Users/me", text)).toBe(401);
  }
  // An API of another tenant is unknown here, whatever its identifier.
  const foreign = await post(TOKEN, { ...signIn, resource: ORDERS }, theirs);
  expect([foreign.status, foreign.body.error]).toEqual([400, "invalid_target"]);
  const own = await post(TOKEN, { ...signIn, resource: `${api.url}/t/carbon.super/scim2` }, theirs);
  expect([own.status, own.body.error]).toEqual([400, "invalid_target"]);
});

test("a resource of this service costs nothing; an API of the tenant one unit and no round trip", async () => {
  const cost = async (fields: Record<string, string>) => {
    await post(TOKEN, { ...CC, scope: VIEW, ...fields }, opaque);
    const lines = await listening(() => post(TOKEN, { ...CC, scope: VIEW, ...fields }, opaque));
    return costOf(lines.find(({ service }) => service === "oauth2"));
  };
  const plain = await cost({});
  expect(await cost({ resource: `${api.url}/scim2` })).toEqual(plain);
  const own = await cost({ resource: ORDERS });
  expect(own.roundTrips).toBe(2);
  expect(own.readUnits + own.writeUnits).toBeLessThanOrEqual(6);
  expect(own.readUnits - plain.readUnits).toBeLessThanOrEqual(1);
});
