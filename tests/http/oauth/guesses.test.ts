/** Guesses at client secrets: who is locked, what a response shows of it, and what requests of strangers cost. */
import { beforeAll, describe, expect, test } from "vitest";
import { apiResourceItems } from "#core/applications/apis/store.ts";
import { keys } from "#core/database/table/keys.ts";
import { newId } from "#core/kernel/ids.ts";
import { apiResourcesOf } from "#tests/support/api-resources.ts";
import { form, oauthOf, type TestClient, TOKEN } from "#tests/support/oauth.ts";
import { addUser, TENANT, tableOf } from "#tests/support/people.ts";
import { postFrom } from "#tests/support/sources.ts";
import { type Answer, basic, world } from "#tests/support/world.ts";
import { type LogLine, listening } from "#tools/bench/calls.ts";

const api = world();
const { newClient, post, oidcPath } = oauthOf(api);
const { authorize } = apiResourcesOf(api);
const CC = { grant_type: "client_credentials" };
const LIMIT = 10;
const OWN = Array.from({ length: 100 }, (_, at) => `guess:${at}`);

const withSecret = (client: TestClient, clientSecret: string): TestClient => ({ ...client, clientSecret });
const asBasic = ({ clientId, clientSecret }: TestClient) => basic({ username: clientId, password: clientSecret });
const inForm = ({ clientId, clientSecret }: TestClient) => ({ client_id: clientId, client_secret: clientSecret });

/** A response without what differs between any two, and the work of the token endpoint. */
const workOf = async (send: () => Promise<Answer>) => {
  let answer: Answer | undefined;
  const lines = await listening(async () => {
    answer = await send();
  });
  const [line] = lines.filter(({ service, RoundTrips }: LogLine) => service === "oauth2" && RoundTrips !== undefined);
  if (!answer || !line) throw new Error("a request has a response and a line in the log");
  const { RoundTrips, ReadUnits, WriteUnits } = line;
  return { status: answer.status, text: answer.text, RoundTrips, ReadUnits: ReadUnits ?? 0, WriteUnits };
};

/** How a client can authenticate, and where. */
const doors: Readonly<Record<string, (client: TestClient) => Promise<Answer>>> = {
  "the token endpoint, by header": (client) => post(TOKEN, CC, client),
  "the token endpoint, by form": (client) => post(TOKEN, { ...CC, ...inForm(client) }),
  "revocation, by header": (client) => post("/oauth2/revoke", { token: "x" }, client),
  "revocation, by form": (client) => post("/oauth2/revoke", { token: "x", ...inForm(client) }),
  "introspection, by header": (client) => post("/oauth2/introspect", { token: "x" }, client),
  "introspection, by form": (client) => post("/oauth2/introspect", { token: "x", ...inForm(client) }),
};

beforeAll(async () => {
  const scopes = OWN.map((name) => ({ id: newId(), name, displayName: name }));
  const resource = { id: newId(), identifier: "urn:guesses", name: "Guesses", type: "BUSINESS", scopes } as const;
  const table = tableOf(api.service);
  for (const item of apiResourceItems(TENANT, { ...resource, requiresAuthorization: true })) {
    await table.write({ put: item, when: "any", otherwise: () => new Error("any") });
  }
  const client = await newClient();
  await authorize(client.applicationId, { id: resource.id, scopes: OWN });
  full = client;
  // The first request of a container reads what later ones remember.
  await post(TOKEN, CC, client);
});
let full: TestClient;

/** Without the count of round trips: it can be one higher where parallel reads interleave. */
function workBelow({ RoundTrips: _, ...rest }: Awaited<ReturnType<typeof workOf>>) {
  return rest;
}

describe.each(Object.entries(doors))("%s", (_, send) => {
  test("ten wrong secrets lock the client for their source; the response and the work stay the same", async () => {
    const client = await newClient();
    const unknown = { ...client, clientId: `unknown-${client.clientId}` };
    expect((await send(client)).status).toBe(200);
    const works: Awaited<ReturnType<typeof workOf>>[][] = [];
    for (const one of [client, unknown]) {
      const all = [];
      for (let at = 1; at <= LIMIT + 2; at += 1) all.push(await workOf(() => send(withSecret(one, `wrong-${at}`))));
      // The right secret too: nothing shows that it is right.
      all.push(await workOf(() => send(one)));
      works.push(all);
    }
    const [known = [], strange = []] = works;
    expect(known.map(({ status }) => status)).toEqual(known.map(() => 401));
    expect(known.map(workBelow)).toEqual(strange.map(workBelow));
    const [, second, , , , , , , , , eleventh, , right] = known.map(workBelow);
    expect([eleventh, right]).toEqual([second, second]);
  });
});

test("guesses count together at every endpoint; the right secret is accepted from another source", async () => {
  const client = await newClient();
  const sends = Object.values(doors);
  for (let at = 0; at < LIMIT; at += 1) await sends[at % sends.length]?.(withSecret(client, "wrong"));
  expect((await post(TOKEN, CC, client)).status).toBe(401);
  const url = `${api.url}${TOKEN}`;
  expect((await postFrom("127.0.0.2", url, form(CC), asBasic(client))).status).toBe(200);
  expect((await postFrom("127.0.0.2", url, form({ ...CC, ...inForm(client) }))).status).toBe(200);
});

test("a header of the caller does not make another source", async () => {
  const client = await newClient();
  const wrong = asBasic(withSecret(client, "wrong"));
  const ask = (as: string, from: string) =>
    api.ask("POST", TOKEN, {
      raw: form(CC),
      as,
      headers: {
        "content-type": "application/x-www-form-urlencoded",
        "x-forwarded-for": from,
        forwarded: `for=${from}`,
        "x-real-ip": from,
      },
    });
  for (let at = 0; at < LIMIT; at += 1) await ask(wrong, `203.0.113.${at}`);
  expect((await ask(asBasic(client), "203.0.113.99")).status).toBe(401);
});

test("a new secret ends the lock", async () => {
  const client = await newClient();
  for (let at = 0; at < LIMIT; at += 1) await post(TOKEN, CC, withSecret(client, "wrong"));
  expect((await post(TOKEN, CC, client)).status).toBe(401);
  const { clientSecret } = (await api.ask("POST", `${oidcPath(client.applicationId)}/regenerate-secret`)).body;
  expect((await post(TOKEN, CC, withSecret(client, clientSecret))).status).toBe(200);
});

test("a lock that a clock ahead made does not hold", async () => {
  const client = await newClient();
  for (let at = 0; at < LIMIT; at += 1) await post(TOKEN, CC, withSecret(client, "wrong"));
  const table = tableOf(api.service);
  const PK = keys.clientLock(client.clientId, "").PK;
  const [row] = await table.queryAll({ PK, limit: 10 });
  if (!row) throw new Error("the guesses have a row");
  const aheadMs = 86_400_000;
  const set = {
    lockedFromMs: Number(row.lockedFromMs) + aheadMs,
    lockedUntilMs: Number(row.lockedUntilMs) + aheadMs,
  };
  await table.write({ change: row, set, when: "present", otherwise: () => new Error("gone") });
  expect((await post(TOKEN, CC, client)).status).toBe(200);
});

test("a public client without a secret is not locked by guesses, and no secret is no guess", async () => {
  const [open, closed] = [await newClient([], { publicClient: true }), await newClient()];
  for (let at = 0; at < LIMIT + 1; at += 1) {
    await post(TOKEN, { ...CC, ...inForm(withSecret(open, "wrong")) });
    await post(TOKEN, { ...CC, client_id: closed.clientId });
  }
  const refresh = { grant_type: "refresh_token", refresh_token: "x", client_id: open.clientId };
  expect((await post(TOKEN, refresh)).body.error).toBe("invalid_grant");
  expect((await post(TOKEN, CC, closed)).status).toBe(200);
});

test("a user who introspects by Basic makes no guess at a client, and costs no write", async () => {
  const user = { username: "introspector", password: "right-password" };
  await addUser(api.service, { ...user, scopes: ["internal_oauth2_introspect"] });
  const introspect = () => post("/oauth2/introspect", { token: "x" }, basic(user));
  for (let at = 0; at < LIMIT + 1; at += 1) expect((await introspect()).status).toBe(200);
  expect((await workOf(introspect)).WriteUnits).toBe(0);
  const rows = await tableOf(api.service).queryAll({ PK: keys.clientLock(user.username, "").PK, limit: 10 });
  expect(rows).toEqual([]);
});

describe("what strangers cost", () => {
  const grants = ["client_credentials", "password", "refresh_token", "implicit", "urn:x"];
  const strangers: Readonly<Record<string, () => TestClient | null>> = {
    "no client": () => null,
    "an unknown client": () => ({ ...full, clientId: "stranger" }),
    "a wrong secret": () => withSecret(full, "wrong"),
  };
  test.each(Object.keys(strangers))("%s: at most 8 units for 100 scopes, with any grant", async (who) => {
    for (const grant_type of grants) {
      const fields = { grant_type, scope: OWN.join(" "), username: "u", password: "p", refresh_token: "r" };
      const { status, ReadUnits } = await workOf(() => post(TOKEN, fields, strangers[who]?.() ?? null));
      expect([status, ReadUnits <= 8]).toEqual([401, true]);
    }
  });
  test.each(Object.keys(strangers))("%s: at most 8 units for four resources too", async (who) => {
    const resources = [1, 2, 3, 4].map((at) => form({ resource: `urn:unknown:${at}` }));
    for (const scope of ["", OWN[0], OWN.join(" ")]) {
      const fields = [form({ ...CC, scope }), ...resources].join("&");
      const { status, ReadUnits } = await workOf(() => post(TOKEN, fields, strangers[who]?.() ?? null));
      expect([status, ReadUnits <= 8]).toEqual([401, true]);
    }
  });
  test("a public client, whose id everybody knows, reads no scopes before a user or token is known", async () => {
    const open = await newClient([], { publicClient: true });
    for (const grant_type of grants) {
      const fields = { grant_type, scope: OWN.join(" "), username: "u", password: "p", refresh_token: "rt_x" };
      const { status, ReadUnits } = await workOf(() => post(TOKEN, { ...fields, client_id: open.clientId }));
      expect([grant_type, status, ReadUnits <= 12]).toEqual([grant_type, 400, true]);
    }
  });
});

describe("what clients cost", () => {
  test.each([1, 4, 100])(
    "%i scopes of the tenant's own: no round trip more for a client that was accepted",
    async (many) => {
      const scope = OWN.slice(0, many).join(" ");
      const first = await workOf(() => post(TOKEN, { ...CC, scope }, full));
      const second = await workOf(() => post(TOKEN, { ...CC, scope }, full));
      expect([first.status, JSON.parse(second.text).scope]).toEqual([200, scope]);
      expect([(first.RoundTrips ?? 9) <= (many <= 4 ? 2 : 3), second.RoundTrips]).toEqual([true, 2]);
    },
  );
  test("a container that does not know the credentials reads more than four scopes one round trip later", async () => {
    const { clientSecret } = (await api.ask("POST", `${oidcPath(full.applicationId)}/regenerate-secret`)).body;
    full = withSecret(full, clientSecret);
    const trips = [];
    for (const many of [5, 100, 100]) {
      trips.push((await workOf(() => post(TOKEN, { ...CC, scope: OWN.slice(0, many).join(" ") }, full))).RoundTrips);
    }
    expect(trips).toEqual([3, 2, 2]);
  });
  test("the grants password and refresh_token cost the same round trips with 100 scopes as with one", async () => {
    const user = { username: "scoped", password: "right-password" };
    await addUser(api.service, { ...user, scopes: OWN });
    const tokens = async (scope?: string) => {
      const signIn = await workOf(() => post(TOKEN, { grant_type: "password", ...user, scope }, full));
      const { refresh_token } = JSON.parse(signIn.text);
      const refresh = await workOf(() => post(TOKEN, { grant_type: "refresh_token", refresh_token, scope }, full));
      return [signIn.status, refresh.status, signIn.RoundTrips, refresh.RoundTrips];
    };
    await tokens(OWN[0]);
    const withOne = await tokens(OWN[0]);
    expect(withOne.slice(0, 2)).toEqual([200, 200]);
    expect(await tokens(OWN.join(" "))).toEqual(withOne);
  });
});
