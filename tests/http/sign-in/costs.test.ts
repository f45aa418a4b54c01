/** What a sign-in costs: sequential round trips and units of each of its requests. */
import { beforeAll, expect, test } from "vitest";
import { PERSON, signInOf } from "#tests/support/sign-in.ts";
import { world } from "#tests/support/world.ts";
import { type LogLine, listening } from "#tools/bench/calls.ts";

const api = world();
const { newApplication, requestOf, enter, answerOf, redeem, browser } = signInOf(api);

beforeAll(async () => {
  await api.ask("POST", "/scim2/Users", { body: { userName: PERSON.username, password: PERSON.password } });
});

/** The cost of the request that a function served. */
const costOf = async (service: string, send: () => Promise<unknown>) => {
  const lines = await listening(async () => {
    await send();
  });
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
    password: { trips: 4, reads: expect.any(Number), writes: expect.any(Number) },
    redeemed: { trips: 5, reads: expect.any(Number), writes: expect.any(Number) },
    again: { trips: 3, reads: expect.any(Number), writes: expect.any(Number) },
    elsewhere: { trips: 3, reads: expect.any(Number), writes: expect.any(Number) },
    claims: { trips: 1, reads: expect.any(Number), writes: 0 },
  });
});
