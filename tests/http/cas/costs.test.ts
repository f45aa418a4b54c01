/** What a sign-in by CAS costs: round trips of the table, compared with OpenID Connect. */
import { beforeAll, expect, test } from "vitest";
import { casOf } from "#tests/support/cas.ts";
import { PERSON, signInOf } from "#tests/support/sign-in.ts";
import { tripsOf } from "#tests/support/sso.ts";
import { world } from "#tests/support/world.ts";

const api = world();
const { newApplication, ticketIn, login, call, enter, browser } = casOf(api);
const { newApplication: newClient, requestOf, answerOf, redeem } = signInOf(api);

beforeAll(async () => {
  const body = { userName: PERSON.username, password: PERSON.password };
  expect((await api.ask("POST", "/scim2/Users", { body })).status).toBe(201);
});

test("single sign-on costs at most two round trips more than that of OpenID Connect, whatever is registered", async () => {
  const client = await newClient({ accessToken: { type: "JWT" } });
  const [few, many] = [await newApplication(), await newApplication({ serviceURL: "https://many.example/*" })];
  for (let at = 0; at < 12; at += 1) await newApplication({ serviceURL: `https://many.example/${at}/*` });
  const page = browser();
  await page.open(requestOf(client, { scope: "openid profile email" }));
  await redeem(client, answerOf(await enter(page)).code);
  const signOn = async (service: string) => {
    const ticket = ticketIn(await login(page, service));
    expect((await call("serviceValidate", { service, ticket })).user).toBe(PERSON.username);
  };
  // Warms the containers.
  await signOn(few.service);
  await redeem(client, answerOf(await page.open(requestOf(client, { scope: "openid profile email" }))).code);

  const openId = await tripsOf(async () => {
    const { code } = answerOf(await page.open(requestOf(client, { scope: "openid profile email" })));
    await redeem(client, code);
  });
  const ofFew = await tripsOf(() => signOn(few.service));
  const ofMany = await tripsOf(() => signOn(`${many.service.replace("*", "a/b/c")}?d`));
  expect({ openId, ofFew, ofMany }).toEqual({
    openId: { each: [3, 3], all: 6 },
    ofFew: { each: [2, 1, 2, 2], all: 7 },
    ofMany: { each: [2, 1, 2, 2], all: 7 },
  });
  expect(ofFew.all).toBeLessThanOrEqual(openId.all + 2);
});
