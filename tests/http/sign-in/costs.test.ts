/** What a sign-in costs: sequential round trips and units of each of its requests. */
import { beforeAll, expect, test, vi } from "vitest";
import { secretIn, TWO_STEPS } from "#tests/support/codes.ts";
import { create, PASSKEY_STEP, use } from "#tests/support/passkeys.ts";
import { claimsIn, PERSON, signInOf } from "#tests/support/sign-in.ts";
import { world } from "#tests/support/world.ts";
import { type LogLine, listening } from "#tools/bench/calls.ts";
import { codeAt, newAuthenticator, STEP_MS } from "#tools/examples/authenticator.ts";

const api = world();
const { newApplication, requestOf, enter, answerOf, redeem, browser } = signInOf(api);

beforeAll(async () => {
  await api.ask("POST", "/scim2/Users", { body: { userName: PERSON.username, password: PERSON.password } });
});

/** The cost of the request that a function served. */
const costOf = async (service: string, send: () => Promise<unknown>) => {
  const lines = await listening(send);
  const [line] = lines.filter((each: LogLine) => each.service === service && each.RoundTrips !== undefined);
  const { RoundTrips: trips = 99, ReadUnits: reads = 99, WriteUnits: writes = 99 } = line ?? {};
  return { trips, reads, writes };
};

test("round trips and units of a page, a password, single sign-on, a code and claims", async () => {
  const client = await newApplication({ accessToken: { type: "JWT" } });
  const scope = "openid profile email";
  // Warms the containers: key rings, and the tenant.
  const first = browser();
  await first.open(requestOf(client, { scope }));
  const warm = await redeem(client, answerOf(await enter(first)).code);
  await api.ask("GET", "/oauth2/userinfo", { as: `Bearer ${warm.body.access_token}` });

  const page = browser();
  const shown = await costOf("sign-in", () => page.open(requestOf(client, { scope })));
  let code: string | undefined;
  const password = await costOf("sign-in", async () => {
    code = answerOf(await enter(page)).code;
  });
  let token = "";
  const redeemed = await costOf("oauth2", async () => {
    token = (await redeem(client, code)).body.access_token;
  });
  const again = await costOf("sign-in", () => page.open(requestOf(client, { scope })));
  const other = await newApplication();
  const elsewhere = await costOf("sign-in", () => page.open(requestOf(other, { scope })));
  const claims = await costOf("sign-in", () => api.ask("GET", "/oauth2/userinfo", { as: `Bearer ${token}` }));
  expect({ shown, password, redeemed, again, elsewhere, claims }).toEqual({
    shown: { trips: 2, reads: expect.any(Number), writes: 0 },
    password: { trips: 3, reads: expect.any(Number), writes: expect.any(Number) },
    redeemed: { trips: 3, reads: expect.any(Number), writes: expect.any(Number) },
    again: { trips: 3, reads: expect.any(Number), writes: expect.any(Number) },
    elsewhere: { trips: 3, reads: expect.any(Number), writes: expect.any(Number) },
    claims: { trips: 1, reads: expect.any(Number), writes: 0 },
  });
});

test("a password that no container has seen, and claims of groups and roles", async () => {
  const people = ["sam", "kit", "lou", "max"].map((userName) => ({
    userName,
    password: `a-good-Password-of-${userName}`,
  }));
  const created = await Promise.all(people.map((body) => api.ask("POST", "/scim2/Users", { body })));
  const members = created.map(({ body }) => ({ value: body.id }));
  await api.ask("POST", "/scim2/Groups", { body: { displayName: "drivers", members } });
  await api.ask("POST", "/scim2/v2/Roles", { body: { displayName: "manager", users: members } });
  const client = await newApplication({ accessToken: { type: "JWT" } });
  const costsOf = async (scope: string, person: (typeof people)[number]) => {
    const page = browser();
    const shown = await costOf("sign-in", () => page.open(requestOf(client, { scope })));
    let code: string | undefined;
    const password = await costOf("sign-in", async () => {
      code = answerOf(await enter(page, { username: person.userName, password: person.password })).code;
    });
    let tokens: Readonly<Record<string, string>> = {};
    const redeemed = await costOf("oauth2", async () => {
      tokens = (await redeem(client, code)).body;
    });
    const again = await costOf("sign-in", () => page.open(requestOf(client, { scope })));
    const claims = await costOf("sign-in", () =>
      api.ask("GET", "/oauth2/userinfo", { as: `Bearer ${tokens.access_token}` }),
    );
    const costs = { shown, password, redeemed, again, claims };
    const trips = Object.fromEntries(Object.entries(costs).map(([name, cost]) => [name, cost.trips]));
    return { trips, claims: claimsIn(tokens.id_token ?? "") };
  };
  // The hash takes a while, in which the lock may have begun: it is read again while the session is written.
  // Whether the two overlap is a matter of a millisecond, which a busy machine may not have: one of some sign-ins does.
  const firsts = [];
  for (const person of people) firsts.push(await costsOf("openid profile email groups", person));
  for (const first of firsts) {
    expect(first).toMatchObject({
      trips: { shown: 2, redeemed: 3, again: 3, claims: 2 },
      claims: { groups: ["drivers"] },
    });
  }
  expect(Math.min(...firsts.map(({ trips }) => trips.password ?? 0))).toBe(3);
  const [seen] = people;
  if (!seen) throw new Error("no people");
  const second = await costsOf("openid roles groups", seen);
  expect(second).toMatchObject({
    trips: { shown: 2, password: 3, redeemed: 3, again: 3, claims: 3 },
    claims: { groups: ["drivers"], roles: expect.arrayContaining(["manager", "everyone"]) },
  });
});

test("a second factor: setting one up, a code, and a passkey", async () => {
  const factors = await newApplication({}, TWO_STEPS);
  const keys = await newApplication({}, PASSKEY_STEP);
  const key = newAuthenticator(api.url);
  const newPerson = async (username: string) => {
    await api.ask("POST", "/scim2/Users", { body: { userName: username, password: PERSON.password } });
    return { username, password: PERSON.password };
  };
  const [coded, keyed] = [await newPerson("coded"), await newPerson("keyed")];
  // A container that has seen the password of a person knows it.
  for (const person of [coded, keyed]) {
    const page = browser();
    await page.open(requestOf(await newApplication()));
    await enter(page, person);
  }
  const costs: Record<string, Awaited<ReturnType<typeof costOf>>> = {};
  const page = browser();
  const step = async <R>(name: string, send: () => Promise<R>): Promise<R> => {
    let result: R | undefined;
    costs[name] = await costOf("sign-in", async () => {
      result = await send();
    });
    return result as R;
  };
  await page.open(requestOf(factors));
  const shown = await step("password before codes", () => enter(page, coded));
  const secret = secretIn(shown);
  await step("first code", () => page.submit({ code: codeAt(secret) }));
  const first = await step("recovery codes", () => page.submit({}));
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + STEP_MS });
  await page.open(requestOf(factors, { prompt: "login" }));
  await enter(page, coded);
  const code = await step("code", () => page.submit({ code: codeAt(secret) }));
  vi.useRealTimers();
  const next = browser();
  await next.open(requestOf(keys));
  const setup = await step("password before passkeys", () => enter(next, keyed));
  const created = await step("new passkey", () => create(next, setup, key));
  await next.open(requestOf(keys, { prompt: "login" }));
  const asked = await enter(next, keyed);
  const used = await step("passkey", () => use(next, asked, key));
  await step("script", () => api.ask("GET", "/oauth2/page-script", { as: null }));
  for (const done of [first, code, created, used]) expect(answerOf(done).code).toMatch(/^ac_/);
  const writing = { reads: expect.any(Number), writes: expect.any(Number) };
  const reading = { reads: expect.any(Number), writes: 0 };
  expect(costs).toEqual({
    "password before codes": { trips: 2, ...reading },
    "first code": { trips: 3, ...writing },
    "recovery codes": { trips: 2, ...writing },
    // The form, the attempt, the answer.
    code: { trips: 3, ...writing },
    "password before passkeys": { trips: 2, ...reading },
    "new passkey": { trips: 4, ...writing },
    passkey: { trips: 3, ...writing },
    script: { trips: 0, ...reading },
  });
});
