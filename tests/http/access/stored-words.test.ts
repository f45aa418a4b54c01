/**
 * Names of rights that are stored as a tenant's own scopes, of every kind, pass neither an operator's rule nor an
 * operation: not in tokens of clients, of users, exchanged ones, and not by roles.
 */
import { beforeAll, describe, expect, test } from "vitest";
import { defaultScopes } from "#core/applications/oidc-scopes/model.ts";
import { oidcScopeStore } from "#core/applications/oidc-scopes/store.ts";
import { keys } from "#core/database/table/keys.ts";
import { systemScopes } from "#core/kernel/domain/system-apis.ts";
import { exchangesOf } from "#tests/support/exchange.ts";
import type { TestClient } from "#tests/support/oauth.ts";
import { addUser, idOf, TENANT, tableOf } from "#tests/support/people.ts";
import { PERSON, signInOf } from "#tests/support/sign-in.ts";
import { partsOf } from "#tests/support/signing.ts";
import { withTwins } from "#tests/support/twins.ts";
import { APPLICATIONS, world } from "#tests/support/world.ts";

/** A right that a rule requires where it is unexpected. */
const RULE_WORD = "internal_idp_view";
const LIST = "internal_user_mgt_list";
const rule = `[[resource.access_control]]\ncontext = '/scim2/Users/(.*)'\nhttp_method = "GET"\nscope = ["${RULE_WORD}"]\n`;
const api = world({ deployment: await withTwins(rule) });
const { service, exchange, token, post } = exchangesOf(api);
const { newApplication, tokensOf } = signInOf(api);

/** Of the rule, of the catalogue, and reserved ones that no operation has. */
const WORDS = [RULE_WORD, LIST, "ssf.read", "internal_new_thing", "console:users", "SYSTEM"];
/** The scope that a tenant may have. */
const OWN = "people_read";
const kim = PERSON;
let front: TestClient;
let mail: TestClient;
let admin = "";

beforeAll(async () => {
  const table = tableOf(api.service);
  admin = await idOf(api.service, "admin");
  await addUser(api.service, kim);
  const apis = "/api/server/v1/api-resources";
  const made = await api.ask("POST", apis, {
    body: { name: "People", identifier: "people", scopes: [{ name: OWN }], requiresAuthorization: false },
  });
  front = await service([], { accessToken: { type: "JWT" } });
  mail = await service([]);
  for (const { applicationId } of [front, mail]) {
    const body = { id: made.body.id, policyIdentifier: "NO POLICY", scopes: [OWN] };
    const path = `${APPLICATIONS}/${applicationId}/authorized-apis`;
    expect((await api.ask("POST", path, { body })).status).toBeLessThan(300);
  }
  // Stored as no request could: as scopes of the API, and of OpenID Connect.
  const [claim] = await table.getMany([keys.scope(TENANT, OWN)]);
  for (const word of WORDS) {
    const put = { ...claim, ...keys.scope(TENANT, word) };
    await table.write({ put, when: "any", otherwise: () => new Error("not stored") });
  }
  await oidcScopeStore(table).update(TENANT, (before) => [
    ...(before.length > 0 ? before : defaultScopes),
    ...WORDS.map((name) => ({ name, displayName: name, claims: ["email"] })),
  ]);
  // A role takes the name of any scope that is stored. The rights themselves are not granted here.
  const permissions = [OWN, ...WORDS.filter((word) => !systemScopes.has(word))].map((value) => ({ value }));
  const role = { displayName: "people", permissions, users: [{ value: await idOf(api.service, "kim") }] };
  const answer = await api.ask("POST", "/scim2/v2/Roles", { body: role });
  expect(answer.status, answer.text).toBe(201);
});

const asked = `openid ${OWN} ${WORDS.join(" ")}`;
/** The tokens that somebody gets who asks for all of it. */
const tokens = async (): Promise<
  Readonly<Record<string, { readonly access_token: string; readonly scope?: string }>>
> => {
  const client = await token(front, { grant_type: "client_credentials", scope: asked });
  const user = await token(front, { grant_type: "password", ...kim, scope: asked });
  const ways = async (scope: string | undefined) => {
    const handed = await exchange(front, user.access_token, { audience: mail.clientId, scope });
    return {
      handed,
      later: await exchange(mail, handed.body.access_token ?? "", { scope }),
      ofClient: await exchange(front, client.access_token, { scope }),
      again: await exchange(front, user.access_token, { resource: `${api.url}/scim2`, scope }),
    };
  };
  const refresh_token = user.refresh_token;
  const all = {
    ...(await ways(undefined)),
    ...Object.fromEntries(Object.entries(await ways(asked)).map(([name, one]) => [`${name}, asked for all`, one])),
    refreshed: await post("/oauth2/token", { grant_type: "refresh_token", refresh_token, scope: asked }, front),
  };
  const granted = Object.entries(all).flatMap(([name, { status, body }]) => (status === 200 ? [[name, body]] : []));
  expect(granted.map(([name]) => name)).toEqual(expect.arrayContaining(["handed", "later"]));
  const signedIn = (await tokensOf(await newApplication(), { scope: asked })).tokens as Record<"access_token", string>;
  return { client, user, signedIn, ...Object.fromEntries(granted) };
};

test("no token has the words, of a client, of a user, exchanged or refreshed", async () => {
  for (const [name, { access_token, scope = "" }] of Object.entries(await tokens())) {
    const granted = scope.split(" ");
    expect(
      granted.filter((word) => WORDS.includes(word)),
      name,
    ).toEqual([]);
    if (access_token.split(".").length !== 3) continue;
    const { scope: inside = "" } = partsOf(access_token).payload as { scope?: string };
    expect(
      inside.split(" ").filter((word) => WORDS.includes(word)),
      name,
    ).toEqual([]);
  }
});

test("no token passes the rule, or an operation with the right", async () => {
  for (const [name, { access_token }] of Object.entries(await tokens())) {
    for (const path of [`/scim2/Users/${admin}`, "/scim2/Users", "/ssf/streams"]) {
      const { status } = await api.ask("GET", path, { as: `Bearer ${access_token}` });
      expect([403, 401], `${name} ${path}`).toContain(status);
    }
  }
  const byPassword = await api.ask("GET", `/scim2/Users/${admin}`, { as: kim });
  expect(byPassword.status).toBe(403);
});

describe("a role", () => {
  test.each(["ssf.nothing", "internal_other_thing", "console:others"])(
    "is not given the word %s, which is no scope",
    async (value) => {
      const body = { displayName: `with ${value}`, permissions: [{ value }] };
      const { status, text } = await api.ask("POST", "/scim2/v2/Roles", { body });
      expect([status, text]).toEqual([400, expect.stringContaining(value)]);
    },
  );
});

test("who has the right passes the rule", async () => {
  expect((await api.ask("GET", `/scim2/Users/${admin}`)).status).toBe(200);
});
