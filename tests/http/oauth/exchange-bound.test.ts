/** Exchanges of tokens that are bound to a key: only its holder can exchange them, and the new token is bound to it. */
import { beforeAll, describe, expect, test } from "vitest";
import { dpopOf, newProofKey, thumbprintOf } from "#tests/support/dpop.ts";
import { ACCESS, EXCHANGE, exchangesOf } from "#tests/support/exchange.ts";
import type { TestClient } from "#tests/support/oauth.ts";
import { ADMIN, world } from "#tests/support/world.ts";

const api = world();
const { service, exchange, handedTo, userToken } = exchangesOf(api);
const dpop = dpopOf(api);
const USERS = "internal_user_mgt_list";
const PATH = "/scim2/Users";
const signIn = { grant_type: "password", ...ADMIN, scope: USERS };
const [key, other] = [newProofKey(), newProofKey()];

let client: TestClient;
beforeAll(async () => {
  client = await service([USERS]);
});
const request = (subject: string, more: Record<string, string> = {}) => ({
  grant_type: EXCHANGE,
  subject_token: subject,
  subject_token_type: ACCESS,
  ...more,
});

describe("a bound subject token", () => {
  test("is refused without the proof of its key, and with the proof of another", async () => {
    const { access_token: subject } = await dpop.bound(client, key, signIn);
    const without = await exchange(client, subject);
    const wrong = await dpop.post(client, request(subject), await dpop.tokenProof(other));
    for (const { status, body } of [without, wrong]) {
      expect([status, body.error, body.access_token]).toEqual([400, "invalid_request", undefined]);
    }
  });
  test("is exchanged with it, for a token that is bound to the same key", async () => {
    const { access_token: subject } = await dpop.bound(client, key, signIn);
    const proof = await dpop.tokenProof(key);
    const { status, body } = await dpop.post(client, request(subject), proof);
    expect([status, body.token_type]).toEqual([200, "DPoP"]);
    const { body: shown } = await dpop.post(client, { token: body.access_token }, undefined, "/oauth2/introspect");
    expect(shown).toMatchObject({ cnf: { jkt: await thumbprintOf(key) }, act: { sub: client.clientId } });
    const text = body.access_token;
    expect((await dpop.present(text, await dpop.apiProof(key, text, PATH), PATH)).status).toBe(200);
    expect((await dpop.present(text, undefined, PATH, "Bearer")).status).toBe(401);
    // A proof counts once.
    const again = await dpop.post(client, request(subject), proof);
    expect([again.status, again.body.error]).toEqual([400, "invalid_dpop_proof"]);
  });
  test("of an actor needs its proof too", async () => {
    const subject = await userToken(client, USERS);
    const { access_token: actor } = await dpop.bound(client, key, { grant_type: "client_credentials" });
    const fields = { actor_token: actor, actor_token_type: ACCESS };
    expect((await exchange(client, subject, fields)).body.error).toBe("invalid_request");
    expect((await dpop.post(client, request(subject, fields), await dpop.tokenProof(key))).status).toBe(200);
  });
});

test("an unbound token is exchanged for a bound one by a client that proves a key", async () => {
  const front = await service([USERS]);
  const handed = await handedTo(client, front, await userToken(front, USERS));
  const { status, body } = await dpop.post(client, request(handed), await dpop.tokenProof(key));
  expect([status, body.token_type, body.issued_token_type]).toEqual([200, "DPoP", ACCESS]);
});
