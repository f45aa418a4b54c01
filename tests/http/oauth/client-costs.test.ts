/** What client authentication costs: round trips and capacity units of a token, by method; and guesses at assertions. */
import { beforeAll, describe, expect, test } from "vitest";
import { assertionOf, inline, JWT_ASSERTION, keyFor, registering } from "#tests/support/client-keys.ts";
import { mtlsOf } from "#tests/support/mtls.ts";
import { form, oauthOf, type TestClient, TOKEN } from "#tests/support/oauth.ts";
import { postFrom } from "#tests/support/sources.ts";
import { ADMIN, world } from "#tests/support/world.ts";
import { type LogLine, listening } from "#tools/bench/calls.ts";

const api = world({ hasMtls: true });
const oauth = oauthOf(api);
const { clientBy, setCertificate } = registering(api, oauth);
const { holderOf, ask } = mtlsOf(api);
const CC = { grant_type: "client_credentials" };
const key = keyFor("RS256", "costs");
const rsaKeys = ["RS256", "RS384", "RS512", "PS256"].map((alg) => keyFor(alg, `costs ${alg}`));
const LIMIT = 10;

const signed = async (client: Pick<TestClient, "clientId">, by = key) => ({
  client_assertion_type: JWT_ASSERTION,
  client_assertion: await assertionOf(client, by, `${api.url}${TOKEN}`),
});

/** The costs of a request, after one that warms the container. */
const costOf = async (send: () => Promise<{ readonly status: number }>, expected = 200) => {
  expect((await send()).status).toBe(expected);
  let status = 0;
  const lines = await listening(async () => {
    status = (await send()).status;
  });
  expect(status).toBe(expected);
  const [line] = lines.filter(({ service, RoundTrips }: LogLine) => service === "oauth2" && RoundTrips !== undefined);
  const { RoundTrips: trips = 99, ReadUnits: reads = 99, WriteUnits: writes = 99 } = line ?? {};
  return { trips, reads, writes };
};

/** A client of a kind of tokens, for each method, and how it asks for a token. */
const ways = async (type: string) => {
  const oidc = { accessToken: { type } };
  const secret = await oauth.newClient([], oidc);
  const post = await clientBy({ tokenEndpointAuthMethod: "client_secret_post" }, undefined, [], oidc);
  const signing = await clientBy({ tokenEndpointAuthMethod: "private_key_jwt" }, inline(key, ...rsaKeys), [], oidc);
  const holder = await holderOf("costs");
  const dn = { tokenEndpointAuthMethod: "tls_client_auth", tlsClientAuthSubjectDn: "CN=costs" };
  const named = await clientBy(dn, undefined, [], oidc);
  const pem = { type: "PEM", value: holder.certificate };
  const registered = await clientBy({ tokenEndpointAuthMethod: "self_signed_tls_client_auth" }, pem, [], oidc);
  const headers = { "content-type": "application/x-www-form-urlencoded" };
  const certified = (client_id: string) =>
    ask(holder, TOKEN, { method: "POST", headers, body: form({ ...CC, client_id }) });
  const inForm = { client_id: post.clientId, client_secret: post.clientSecret };
  return {
    client_secret_basic: () => oauth.post(TOKEN, CC, secret),
    client_secret_post: () => oauth.post(TOKEN, { ...CC, ...inForm }),
    private_key_jwt: async () => oauth.post(TOKEN, { ...CC, ...(await signed(signing)) }),
    tls_client_auth: () => certified(named.clientId),
    self_signed_tls_client_auth: () => certified(registered.clientId),
  };
};

describe.each(["Default", "JWT"])("a token of client_credentials, %s", (type) => {
  let by: Awaited<ReturnType<typeof ways>>;
  beforeAll(async () => {
    by = await ways(type);
  });
  test("costs at most 2 round trips and 6 units with a secret that was accepted before, and the same with a certificate", async () => {
    const basic = await costOf(by.client_secret_basic);
    expect([basic.trips <= 2, basic.reads + basic.writes <= 6]).toEqual([true, true]);
    expect(await costOf(by.client_secret_post)).toEqual(basic);
    expect(await costOf(by.tls_client_auth)).toEqual(basic);
    expect(await costOf(by.self_signed_tls_client_auth)).toEqual(basic);
  });
  test("costs one write more with an assertion, also with five RSA keys", async () => {
    const basic = await costOf(by.client_secret_basic);
    const assertion = await costOf(by.private_key_jwt);
    expect(assertion.trips).toBe(2);
    // Five RSA keys are at most 4 KB: one read unit at most. A transaction of two rows costs two units for each.
    expect(assertion.reads - basic.reads).toBeLessThanOrEqual(1);
    expect(assertion.writes - basic.writes).toBe(type === "JWT" ? 2 : 3);
  });
});

test("an assertion adds no round trip to the grants password and refresh_token", async () => {
  const secret = await oauth.newClient();
  const signing = await clientBy({ tokenEndpointAuthMethod: "private_key_jwt" }, inline(key));
  const password = { grant_type: "password", ...ADMIN };
  const one = await costOf(() => oauth.post(TOKEN, password, secret));
  const other = await costOf(async () => oauth.post(TOKEN, { ...password, ...(await signed(signing)) }));
  expect([other.trips, other.reads, other.writes - one.writes]).toEqual([one.trips, one.reads, 2]);
});

describe("guesses at assertions", () => {
  const strange = keyFor("RS256", "strange RSA key");
  const send = async (client: Pick<TestClient, "clientId">, by = strange) =>
    oauth.post(TOKEN, { ...CC, ...(await signed(client, by)) });

  test("ten wrong ones lock the client for their source; unknown clients cost the same and look the same", async () => {
    const client = await clientBy({ tokenEndpointAuthMethod: "private_key_jwt" }, inline(key));
    const works = [];
    for (const one of [client, { clientId: "no such client" }]) {
      const all = [];
      for (let at = 1; at <= LIMIT + 2; at += 1) {
        let text = "";
        const cost = await costOfFirst(async () => {
          const answer = await send(one);
          ({ text } = answer);
          return answer;
        });
        all.push({ ...cost, text });
      }
      works.push(all);
    }
    const [known = [], unknown = []] = works;
    expect(known).toEqual(unknown);
    expect((await send(client, key)).status).toBe(401);
    // From another address the right assertion counts.
    const body = form({ ...CC, ...(await signed(client)) });
    expect((await postFrom("127.0.0.9", `${api.url}${TOKEN}`, body)).status).toBe(200);
    // A new key ends the lock.
    const next = keyFor("ES256", "next");
    await setCertificate(client, inline(next));
    expect((await send(client, next)).status).toBe(200);
  });
  test("a client without a registered key is no other", async () => {
    const client = await oauth.newClient();
    const texts = [await send(client), await send({ clientId: "unknown" })].map(({ status, text }) => [status, text]);
    expect(texts[0]).toEqual(texts[1]);
  });
});

/** The costs of one request, whatever the container knows. */
async function costOfFirst(send: () => Promise<{ readonly status: number }>) {
  const lines = await listening(send);
  const [line] = lines.filter(({ service, RoundTrips }: LogLine) => service === "oauth2" && RoundTrips !== undefined);
  const { ReadUnits: reads = 99, WriteUnits: writes = 99 } = line ?? {};
  return { reads, writes };
}
