/** Token exchanges that are refused (RFC 8693 section 2.2.2): each with its error, and without a token. */
import { beforeAll, describe, expect, test } from "vitest";
import { bootstrapTenant } from "#core/directory/tenants/bootstrap.ts";
import { everyKey } from "#tests/support/api-resources.ts";
import { ACCESS, EXCHANGE, exchangesOf, JWT } from "#tests/support/exchange.ts";
import { form, type TestClient, TOKEN } from "#tests/support/oauth.ts";
import { addUser, tableOf } from "#tests/support/people.ts";
import { foreignKey, partsOf, sign, signingKey } from "#tests/support/signing.ts";
import { type Answer, APPLICATIONS, basic, world } from "#tests/support/world.ts";

const api = world();
const { newClient, service, userToken, exchange, exchanged, handedTo, post, token, ownToken } = exchangesOf(api);
const VIEW = "internal_application_mgt_view";
const CREATE = "internal_application_mgt_create";
const USERS = "internal_user_mgt_list";
const TYPES = "urn:ietf:params:oauth:token-type";
const password = "a good password";

let front: TestClient;
let mail: TestClient;
let jwt: TestClient;
let plain: TestClient;
let theirs: TestClient;
/** A token of `jwt`, which it may exchange. */
let good = "";
let theirToken = "";
beforeAll(async () => {
  front = await service([VIEW, USERS, CREATE]);
  mail = await service([USERS]);
  jwt = await service([VIEW, USERS], { accessToken: { type: "JWT" } });
  plain = await newClient([VIEW, USERS]);
  good = await userToken(jwt, `${VIEW} ${USERS}`);
  await bootstrapTenant(tableOf(api.service), "acme.com", { username: "boss", password });
  const as = basic({ username: "boss@acme.com", password });
  const made = await api.ask("POST", APPLICATIONS, {
    body: { name: "theirs", inboundProtocolConfiguration: { oidc: { grantTypes: ["password", EXCHANGE] } } },
    as,
  });
  const applicationId = made.headers.get("location")?.split("/").at(-1) ?? "";
  const { body } = await api.ask("GET", `${APPLICATIONS}/${applicationId}/inbound-protocols/oidc`, { as });
  theirs = { applicationId, clientId: body.clientId, clientSecret: body.clientSecret };
  theirToken = (await token(theirs, { grant_type: "password", username: "boss", password })).access_token;
});

const tokensIn = async () =>
  (await everyKey(api.service)).filter((key) => key.includes("#AT#") || key.includes("#FAM#"));

/** Expects that a request is refused with an error of the RFC, and that it issues nothing. */
const refused = async (send: () => Promise<Answer>, error: string, status = 400) => {
  const before = await tokensIn();
  const { status: actual, body, headers } = await send();
  expect([actual, body.error, Object.keys(body).sort()]).toEqual([status, error, ["error", "error_description"]]);
  expect(headers.get("cache-control")).toBe("no-store");
  expect(await tokensIn()).toEqual(before);
};

test("accepts the token that the hostile ones derive from", async () => {
  expect((await exchange(jwt, good)).status).toBe(200);
  expect((await exchange(jwt, good, { subject_token_type: JWT })).status).toBe(200);
  expect((await exchange(theirs, theirToken)).status).toBe(200);
});

describe("a subject token", () => {
  const signed = async (payload: Record<string, unknown>, header: Record<string, unknown> = {}) => {
    const parts = partsOf(good);
    return sign(await signingKey(api), { ...parts.header, ...header }, { ...parts.payload, ...payload });
  };
  const now = () => Math.floor(Date.now() / 1_000);

  test.each<[string, () => Promise<string> | string, (() => TestClient)?]>([
    ["of another tenant", () => theirToken],
    ["of this tenant, sent by a client of another", () => good, () => theirs],
    ["of another client, that does not name this one", () => userToken(front, USERS), () => mail],
    ["of another client, for a resource", () => userToken(front, USERS, { resource: `${api.url}/scim2` }), () => mail],
    ["that was handed to another client", async () => handedTo(mail, front, await userToken(front, USERS)), () => jwt],
    ["of an application on its own account", () => ownToken(jwt, VIEW)],
    ["that is unknown", () => `at_${"A".repeat(43)}`],
    ["that is no token", () => "x"],
    [
      "that is a refresh token",
      async () =>
        (await token(jwt, { grant_type: "password", username: "admin", password: "admin" })).refresh_token ?? "",
    ],
    ["that has expired", () => signed({ exp: now() - 1 })],
    ["from the future", () => signed({ iat: now() + 600, nbf: now() + 600, exp: now() + 900 })],
    ["that is signed by another key", () => sign(foreignKey(), partsOf(good).header, partsOf(good).payload)],
    ["without a signature", () => `${good.split(".").slice(0, 2).join(".")}.`],
    ["with the type of an ID token", () => signed({}, { typ: "JWT" })],
    ["of another issuer", () => signed({ iss: "https://evil.example/oauth2/token" })],
    ["that claims another tenant", () => signed({ iss: `${api.url}/t/acme.com/oauth2/token` })],
    [
      "whose chain has another form",
      () => signed({ idp: { ...(partsOf(good).payload.idp as object), exchanges: [["a"]] } }),
    ],
    [
      "whose chain is longer than any",
      () => signed({ idp: { ...(partsOf(good).payload.idp as object), exchanges: Array(5).fill(["a", "b", 1]) } }),
    ],
    ["that is bound to the key of a certificate", () => signed({ cnf: { "x5t#S256": "A".repeat(43) } })],
    ["that is bound to the key of a proof", () => signed({ cnf: { jkt: "A".repeat(43) } })],
    ["that is bound in an unknown way", () => signed({ cnf: { jwk: {} } })],
  ])("%s", async (_, subject, by = () => jwt) => {
    const text = await subject();
    await refused(() => exchange(by(), text), "invalid_request");
  });
  test("for this service, sent by a client that has the address of this service as its id", async () => {
    for (const clientId of [api.url, `${api.url}/scim2`]) {
      const { clientSecret } = await service([USERS], { clientId });
      const text = await userToken(front, USERS, { resource: clientId });
      const inForm = { client_id: clientId, client_secret: clientSecret };
      await refused(() => exchange(null, text, inForm), "invalid_request");
    }
  });
  test("that was revoked", async () => {
    for (const client of [jwt, front]) {
      const text = await userToken(client, USERS);
      expect((await post("/oauth2/revoke", { token: text }, client)).status).toBe(200);
      await refused(() => exchange(client, text), "invalid_request");
    }
  });
  test("of a user who was deactivated or deleted", async () => {
    for (const event of ["PATCH", "DELETE"]) {
      const username = `gone-${event.toLowerCase()}`;
      const id = await addUser(api.service, { username, password, scopes: [USERS] });
      const text = await userToken(jwt, USERS, { username, password });
      expect((await exchange(jwt, text)).status).toBe(200);
      const body = {
        schemas: ["urn:ietf:params:scim:api:messages:2.0:PatchOp"],
        Operations: [{ op: "replace", path: "active", value: false }],
      };
      const answer = await api.ask(event, `/scim2/Users/${id}`, event === "PATCH" ? { body } : {});
      expect([200, 204]).toContain(answer.status);
      await refused(() => exchange(jwt, text), "invalid_request");
    }
  });
  test.each(["refresh_token", "id_token", "saml1", "saml2", "", "ACCESS_TOKEN"])("of the type %j", async (name) => {
    await refused(() => exchange(jwt, good, { subject_token_type: `${TYPES}:${name}` }), "invalid_request");
  });
  test("that is missing, empty, repeated, without a type, or a JWT by type only", async () => {
    for (const fields of [{ subject_token: "" }, { subject_token_type: "" }]) {
      await refused(() => exchange(jwt, good, fields), "invalid_request");
    }
    const twice = `${form({ grant_type: EXCHANGE, subject_token: good, subject_token_type: ACCESS })}&subject_token=x`;
    await refused(() => post(TOKEN, twice, jwt), "invalid_request");
    const opaque = await userToken(front, USERS);
    await refused(() => exchange(front, opaque, { subject_token_type: JWT }), "invalid_request");
    await refused(() => post(`${TOKEN}?subject_token=x`, { grant_type: EXCHANGE }, jwt), "invalid_request");
  });
});

describe("a client", () => {
  test("that does not list the grant, is public, disabled, unknown, or has a wrong secret", async () => {
    const own = await userToken(plain, VIEW);
    await refused(() => exchange(plain, own), "unauthorized_client");
    const open = await service([VIEW], { publicClient: true });
    const signIn = { grant_type: "password", username: "admin", password: "admin", client_id: open.clientId };
    const ofOpen = (await post(TOKEN, signIn)).body.access_token;
    await refused(() => exchange(null, ofOpen, { client_id: open.clientId }), "unauthorized_client");
    const off = await service([VIEW]);
    const ofOff = await userToken(off, VIEW);
    await api.ask("PATCH", `${APPLICATIONS}/${off.applicationId}`, { body: { applicationEnabled: false } });
    await refused(() => exchange(off, ofOff), "invalid_client", 401);
    await refused(() => exchange({ ...jwt, clientSecret: "wrong" }, good), "invalid_client", 401);
    await refused(() => exchange({ ...jwt, clientId: "unknown" }, good), "invalid_client", 401);
  });
});

describe("a request", () => {
  test("for scopes that the subject token does not have, whatever the client and the user have", async () => {
    const narrow = await userToken(jwt, VIEW);
    for (const scope of [USERS, `${VIEW} ${USERS}`, CREATE, "SYSTEM", "internal_login", "openid"]) {
      await refused(() => exchange(jwt, narrow, { scope }), "invalid_scope");
    }
    await refused(() => exchange(jwt, narrow, { scope: "a\u0001b" }), "invalid_scope");
  });
  test("for scopes that the client is not authorized for: they are left out", async () => {
    const handed = await handedTo(mail, front, await userToken(front, `${VIEW} ${USERS} ${CREATE}`));
    const answer = await exchange(mail, handed, { scope: `${VIEW} ${USERS}` });
    expect([answer.status, answer.body.scope]).toEqual([200, USERS]);
    expect((await exchange(mail, handed, { scope: VIEW })).body.scope).toBeUndefined();
  });
  test("for a resource beyond that of the client's own token", async () => {
    const own = await userToken(jwt, `${VIEW} ${USERS}`, { resource: `${api.url}/scim2` });
    expect((await exchange(jwt, own, { resource: `${api.url}/scim2` })).status).toBe(200);
    for (const resource of [api.url, `${api.url}/api/server/v1`, "https://unknown.example", "x", `${api.url}#x`]) {
      await refused(() => exchange(jwt, own, { resource }), "invalid_target");
    }
  });
  test("for the client itself, with a token for a resource: it would lead beyond that resource", async () => {
    const narrow = await userToken(mail, USERS, { resource: `${api.url}/scim2` });
    await refused(() => exchange(mail, narrow, { audience: mail.clientId }), "invalid_target");
    await refused(
      () => exchange(mail, narrow, { resource: `${api.url}/scim2`, audience: mail.clientId }),
      "invalid_target",
    );
    expect((await exchange(mail, await userToken(mail, USERS), { audience: mail.clientId })).status).toBe(200);
  });
  test("for a resource of which the token would have no scope", async () => {
    const handed = await handedTo(mail, front, await userToken(front, `${VIEW} ${USERS}`));
    // The client has no scope of it; the token has.
    await refused(() => exchange(mail, handed, { resource: `${api.url}/api/server/v1` }), "invalid_target");
    await refused(() => exchange(mail, handed, { resource: `${api.url}/svc/scim`, scope: VIEW }), "invalid_target");
    // Otherwise it would reach the account of the user, which needs no scope.
    const empty = await handedTo(mail, front, await userToken(front, ""));
    await refused(() => exchange(mail, empty, { resource: `${api.url}/scim2` }), "invalid_target");
  });
  test.each(["audience", "resource"])("for a text in %s that fits no key", async (name) => {
    const text = `https://x.example/${"y".repeat(3_000)}`;
    await refused(() => exchange(jwt, good, { [name]: text }), "invalid_target");
  });
  test("for an audience that is no client that may exchange tokens", async () => {
    const off = await service([VIEW]);
    await api.ask("PATCH", `${APPLICATIONS}/${off.applicationId}`, { body: { applicationEnabled: false } });
    for (const audience of ["unknown", plain.clientId, theirs.clientId, off.clientId, "urn:x"]) {
      await refused(() => exchange(jwt, good, { audience }), "invalid_target");
    }
    // Only an exchange has audiences of that kind.
    const signIn = { grant_type: "password", username: "admin", password: "admin" };
    await refused(() => post(TOKEN, { ...signIn, resource: mail.clientId }, jwt), "invalid_target");
  });
  test.each(["refresh_token", "id_token", "saml2", "x"])("for a token of the type %s", async (name) => {
    await refused(() => exchange(jwt, good, { requested_token_type: `${TYPES}:${name}` }), "invalid_request");
  });
  test("for a JWT, by a client that gets opaque tokens", async () => {
    const own = await userToken(front, USERS);
    await refused(() => exchange(front, own, { requested_token_type: JWT }), "invalid_request");
  });
  test("with an actor token that is not one of the client, or without its type", async () => {
    const ofOther = await userToken(front, USERS);
    const own = await ownToken(jwt);
    const again = await exchanged(jwt, good);
    for (const actor of [ofOther, theirToken, again, "x", `at_${"A".repeat(43)}`]) {
      await refused(() => exchange(jwt, good, { actor_token: actor, actor_token_type: ACCESS }), "invalid_request");
    }
    await refused(() => exchange(jwt, good, { actor_token: own }), "invalid_request");
    await refused(() => exchange(jwt, good, { actor_token_type: ACCESS }), "invalid_request");
    await refused(
      () => exchange(jwt, good, { actor_token: own, actor_token_type: `${TYPES}:id_token` }),
      "invalid_request",
    );
  });
});

test("a chain ends after four exchanges, also between two clients", async () => {
  const clients = [jwt, front];
  let text = await userToken(jwt, USERS);
  for (let at = 0; at < 4; at += 1) {
    const [from = jwt, to = front] = at % 2 === 0 ? clients : [...clients].reverse();
    text = await handedTo(to, from, text);
  }
  await refused(() => exchange(jwt, text), "invalid_request");
  const { body } = await post("/oauth2/introspect", { token: text }, jwt);
  const [a, b] = [front.clientId, jwt.clientId];
  expect(body.act).toEqual({ sub: a, act: { sub: b, act: { sub: a, act: { sub: b } } } });
});

test("an exchanged token gives nothing away that it does not have", async () => {
  const manager = "internal_role_mgt_create";
  const client = await service([manager, USERS]);
  const text = await exchanged(client, await userToken(client, `${manager} ${USERS}`), { scope: manager });
  const create = (permission: string, displayName: string) =>
    api.ask("POST", "/scim2/v2/Roles", {
      body: { displayName, permissions: [{ value: permission }] },
      as: `Bearer ${text}`,
    });
  expect([(await create(USERS, "more")).status, (await create(manager, "same")).status]).toEqual([403, 201]);
});
