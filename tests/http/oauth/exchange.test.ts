/** Token exchange (RFC 8693): what a service gets for the token of a user, by two independent client libraries too. */
import * as oauth from "oauth4webapi";
import * as openid from "openid-client";
import { beforeAll, describe, expect, test, vi } from "vitest";
import { apiResourcesOf, scopesNamed } from "#tests/support/api-resources.ts";
import { ACCESS, EXCHANGE, exchangesOf, JWT } from "#tests/support/exchange.ts";
import type { TestClient } from "#tests/support/oauth.ts";
import { addUser, idOf } from "#tests/support/people.ts";
import { partsOf } from "#tests/support/signing.ts";
import { APPLICATIONS, world } from "#tests/support/world.ts";
import { costOf, listening } from "#tools/bench/calls.ts";

const api = world();
const { newClient, service, userToken, exchange, exchanged, handedTo, post, ownToken } = exchangesOf(api);
const { register, authorize } = apiResourcesOf(api);
const VIEW = "internal_application_mgt_view";
const CREATE = "internal_application_mgt_create";
const USERS = "internal_user_mgt_list";
const LOGIN = "internal_login";
const ORDERS = "https://orders.example";

let front: TestClient;
let orders: TestClient;
let mail: TestClient;
let inspector: TestClient;
let admin = "";
beforeAll(async () => {
  front = await service([VIEW, CREATE, USERS], { accessToken: { type: "JWT" } });
  // The id of a service can be the identifier of its API: then a token for the API is one for the service.
  orders = await service([VIEW, USERS], { clientId: ORDERS, accessToken: { type: "JWT" } });
  mail = await service([USERS]);
  inspector = await service(["internal_oauth2_introspect"]);
  const id = await register({
    name: "Orders",
    identifier: ORDERS,
    requiresAuthorization: false,
    scopes: scopesNamed("orders:read"),
  });
  for (const { applicationId } of [front, orders]) {
    await authorize(applicationId, { id, policyIdentifier: "No Policy", scopes: ["orders:read"] });
  }
  admin = await idOf(api.service, "admin");
});

/** The client by its form: the id of a client can have a colon, which the Basic scheme must encode. */
const inForm = ({ clientId, clientSecret }: TestClient) => ({ client_id: clientId, client_secret: clientSecret });
const asOrders = (subject: string, fields: Record<string, string> = {}) =>
  exchange(null, subject, { ...inForm(orders), ...fields });
const claimsOf = (text: string) => partsOf(text).payload as Record<string, unknown>;
const inspect = async (text: string) => (await post("/oauth2/introspect", { token: text }, inspector)).body;
/** The records of the log that a request adds. */
const recordsOf = async (during: () => Promise<unknown>): Promise<Readonly<Record<string, unknown>>[]> => {
  const lines: string[] = [];
  const spies = (["log", "info"] as const).map((method) =>
    vi.spyOn(console, method).mockImplementation((...texts: unknown[]) => {
      lines.push(texts.map(String).join(" "));
    }),
  );
  await during();
  for (const spy of spies) spy.mockRestore();
  return lines.flatMap((line) => (line.startsWith("{") ? [JSON.parse(line)] : []));
};
const statusOf = async (path: string, text: string) => (await api.ask("GET", path, { as: `Bearer ${text}` })).status;

describe("a service that got the token of a user", () => {
  test("acts for the user at this service, with the scopes that token, client and user have", async () => {
    const subject = await handedTo(mail, front, await userToken(front, `${VIEW} ${USERS} ${CREATE}`));
    const answer = await exchange(mail, subject, { resource: `${api.url}/scim2` });
    expect([answer.status, answer.body]).toEqual([
      200,
      {
        access_token: expect.stringMatching(/^at_/),
        issued_token_type: ACCESS,
        token_type: "Bearer",
        expires_in: expect.any(Number),
        scope: USERS,
      },
    ]);
    const text = answer.body.access_token;
    expect(await inspect(text)).toMatchObject({
      active: true,
      sub: admin,
      client_id: mail.clientId,
      scope: USERS,
      aud: [`${api.url}/scim2`],
      aut: "APPLICATION_USER",
      // The latest actor first, then who acted before.
      act: { sub: mail.clientId, act: { sub: front.clientId } },
    });
    expect([await statusOf("/scim2/Users?count=1", text), await statusOf(APPLICATIONS, text)]).toEqual([200, 401]);
  });
  test("whose id is the identifier of its API exchanges the tokens for that API", async () => {
    const both = `${api.url}/api/server/v1`;
    const fields = `resource=${encodeURIComponent(ORDERS)}&resource=${encodeURIComponent(both)}`;
    const signIn = `grant_type=password&username=admin&password=admin&scope=orders%3Aread%20${VIEW}%20${USERS}`;
    const { body } = await post("/oauth2/token", `${signIn}&${fields}`, front);
    expect(body.scope).toBe(`orders:read ${VIEW}`);
    const answer = await asOrders(body.access_token, { resource: both });
    expect([answer.status, answer.body.scope, answer.body.issued_token_type]).toEqual([200, VIEW, ACCESS]);
    const claims = claimsOf(answer.body.access_token);
    expect(claims).toMatchObject({ sub: admin, client_id: ORDERS, aud: [both], act: { sub: ORDERS }, scope: VIEW });
    expect(await statusOf(APPLICATIONS, answer.body.access_token)).toBe(200);
    // Without a target the audience stays.
    const kept = await asOrders(body.access_token);
    expect([kept.body.scope, claimsOf(kept.body.access_token).aud]).toEqual([`orders:read ${VIEW}`, [ORDERS, both]]);
  });
  test("gets the format of its tokens, and can ask for it", async () => {
    const subject = await userToken(front, VIEW);
    const asJwt = await exchange(front, subject, { requested_token_type: JWT, subject_token_type: JWT });
    expect([asJwt.status, asJwt.body.issued_token_type]).toEqual([200, JWT]);
    expect(claimsOf(asJwt.body.access_token).aud).toEqual([front.clientId, api.url]);
    const opaque = await exchange(mail, await handedTo(mail, front, subject), { requested_token_type: ACCESS });
    expect(opaque.body.access_token).toMatch(/^at_/);
  });
  test("gets no refresh token, and no token that lives longer than the one it exchanged", async () => {
    const short = await service([VIEW], { accessToken: { type: "JWT", userAccessTokenExpiryInSeconds: 100 } });
    const long = await service([VIEW], { accessToken: { type: "JWT", userAccessTokenExpiryInSeconds: 5_000 } });
    const subject = await handedTo(long, short, await userToken(short, VIEW));
    const { body } = await exchange(long, subject);
    expect([body.refresh_token, claimsOf(body.access_token).exp]).toEqual([undefined, claimsOf(subject).exp]);
    // A client's own limit holds too.
    const other = await handedTo(short, long, await userToken(long, VIEW));
    expect((await exchange(short, other)).body.expires_in).toBe(100);
  });
  test("has exactly the scopes of the token: internal_login is not implied", async () => {
    const without = await exchanged(front, await userToken(front, USERS));
    const withLogin = await exchanged(front, await userToken(front, `${USERS} ${LOGIN}`));
    expect([await statusOf("/scim2/Me", without), await statusOf("/scim2/Me", withLogin)]).toEqual([403, 200]);
    expect(await statusOf("/scim2/Users?count=1", without)).toBe(200);
  });
  test("names an actor by a token of its own: a user, or the client itself", async () => {
    const helper = await addUser(api.service, { username: "helper", password: "a good password", scopes: [USERS] });
    const subject = await handedTo(mail, front, await userToken(front, USERS));
    const ofHelper = await userToken(mail, "", { username: "helper", password: "a good password" });
    const acting = await exchanged(mail, subject, { actor_token: ofHelper, actor_token_type: ACCESS });
    expect((await inspect(acting)).act).toEqual({
      sub: helper,
      client_id: mail.clientId,
      act: { sub: front.clientId },
    });
    const itself = await exchanged(mail, subject, { actor_token: await ownToken(mail), actor_token_type: ACCESS });
    expect((await inspect(itself)).act).toEqual({ sub: mail.clientId, act: { sub: front.clientId } });
  });
  test("shows who acts in the log lines of the exchange, the authorizer and the function", async () => {
    const subject = await handedTo(mail, front, await userToken(front, USERS));
    let text = "";
    const issuing = await recordsOf(async () => {
      text = await exchanged(mail, subject, { resource: `${api.url}/scim2` });
    });
    const actor = `${mail.clientId} ${front.clientId}`;
    expect(issuing.find(({ message }) => message === "token exchanged")).toMatchObject({
      service: "oauth2",
      tenant: "carbon.super",
      subject: admin,
      actor,
    });
    expect(JSON.stringify(issuing)).not.toContain(text);
    const using = await recordsOf(() => statusOf("/scim2/Users?count=1", text));
    expect(using.map((line) => [line.service, line.subject, line.actor])).toEqual([
      ["authorizer", admin, actor],
      ["scim2", admin, actor],
    ]);
  });
});

describe("a third-party client", () => {
  const insecure = { [oauth.allowInsecureRequests]: true } as const;

  test("openid-client exchanges a token, with the id of a URI in a Basic header", async () => {
    const config = await openid.discovery(
      new URL(`${api.url}/oauth2/token`),
      orders.clientId,
      undefined,
      openid.ClientSecretBasic(orders.clientSecret),
      { algorithm: "oauth2", execute: [openid.allowInsecureRequests] },
    );
    const resource = `${api.url}/api/server/v1`;
    const wide = await userToken(front, `${VIEW} orders:read`);
    const subject = await exchanged(front, wide, { audience: ORDERS, resource });
    const tokens = await openid.genericGrantRequest(config, EXCHANGE, {
      subject_token: subject,
      subject_token_type: ACCESS,
      resource,
      scope: VIEW,
    });
    expect([tokens.issued_token_type, tokens.scope]).toEqual([ACCESS, VIEW]);
    expect((await openid.tokenIntrospection(config, tokens.access_token)).act).toEqual({
      sub: ORDERS,
      act: { sub: front.clientId },
    });
    const url = new URL(`${api.url}${APPLICATIONS}`);
    expect((await openid.fetchProtectedResource(config, tokens.access_token, url, "GET")).status).toBe(200);
    await expect(
      openid.genericGrantRequest(config, EXCHANGE, { subject_token: "at_x", subject_token_type: ACCESS }),
    ).rejects.toMatchObject({ error: "invalid_request", status: 400 });
  });
  test("oauth4webapi exchanges a token for two resources", async () => {
    const issuer = new URL(`${api.url}/oauth2/token`);
    const found = await oauth.discoveryRequest(issuer, { ...insecure, algorithm: "oauth2" });
    const server = await oauth.processDiscoveryResponse(issuer, found);
    expect(server.grant_types_supported).toContain(EXCHANGE);
    const client = { client_id: front.clientId };
    const parameters = [
      ["subject_token", await userToken(front, `${VIEW} ${USERS} ${CREATE}`)],
      ["subject_token_type", ACCESS],
      ["resource", `${api.url}/scim2`],
      ["resource", `${api.url}/api/server/v1`],
    ];
    const answer = await oauth.genericTokenEndpointRequest(
      server,
      client,
      oauth.ClientSecretPost(front.clientSecret),
      EXCHANGE,
      new URLSearchParams(parameters.map(([name = "", value = ""]): [string, string] => [name, value])),
      insecure,
    );
    const tokens = await oauth.processGenericTokenEndpointResponse(server, client, answer);
    expect([tokens.token_type, tokens.issued_token_type, tokens.scope]).toEqual([
      "bearer",
      ACCESS,
      `${VIEW} ${USERS} ${CREATE}`,
    ]);
    expect(claimsOf(tokens.access_token).aud).toEqual([`${api.url}/scim2`, `${api.url}/api/server/v1`]);
  });
});

test("an exchange costs at most 6 round trips and 20 units, with the longest chain too", async () => {
  const costs = [];
  for (const type of ["JWT", "Default"]) {
    const client = await service([VIEW, USERS], { accessToken: { type } });
    let text = await userToken(client, `${VIEW} ${USERS}`);
    for (let at = 0; at < 4; at += 1) {
      const lines = await listening(async () => {
        text = await exchanged(client, text);
      });
      costs.push(costOf(lines.find((line) => line.service === "oauth2" && line.RoundTrips !== undefined)));
    }
  }
  for (const { roundTrips, readUnits, writeUnits } of costs) {
    expect(roundTrips).toBeLessThanOrEqual(6);
    expect(readUnits + writeUnits).toBeLessThanOrEqual(20);
  }
});

test("a plain client cannot exchange, and a token of an application is not one of a user", async () => {
  const plain = await newClient([VIEW]);
  const answer = await exchange(plain, await userToken(plain, VIEW));
  expect([answer.status, answer.body.error]).toEqual([400, "unauthorized_client"]);
  const own = await exchange(front, await ownToken(front, VIEW));
  expect([own.status, own.body.error]).toEqual([400, "invalid_request"]);
});
