/** Tenants that are switched off while somebody signs in, and browsers with sessions in many of them. */
import { beforeAll, describe, expect, test } from "vitest";
import { saasOf } from "#tests/support/saas.ts";
import { PERSON } from "#tests/support/sign-in.ts";
import { world } from "#tests/support/world.ts";

const api = world();
const saas = saasOf(api);
const { newTenant, newSaas, requestOf, enter, answerOf, browser, agree } = saas;
const KIM = { ...PERSON, username: "kim@acme.example" };
const CHANGED = /The application was changed meanwhile/;

beforeAll(async () => {
  await (await newTenant("acme.example")).newUser("kim");
});

describe("a tenant that is switched off", () => {
  test.each([
    ["a user of it", { ...PERSON, username: "own" }, "own.example"],
    ["a guest", KIM, "guest.example"],
  ])("signs nobody in to its applications any more, whatever page is open: %s", async (_, person, domain) => {
    const shop = await newTenant(domain);
    await shop.newUser("own");
    const client = await shop.newApplication(
      { advancedConfigurations: { saas: true } },
      { grantTypes: ["authorization_code", "implicit"] },
    );
    const fields = { response_type: "id_token", nonce: "n" };
    const [before, asked, answered] = [browser(), browser(), browser()];
    for (const page of [before, asked, answered]) await page.open(requestOf(client, fields));
    expect((await enter(asked, person)).title).toMatch(/asks for access/);
    await enter(answered, person);
    const { headers } = await api.ask("POST", `/t/${domain}/oauth2/consent`, {
      as: null,
      raw: new URLSearchParams({ request: answered.fields().request ?? "", answer: "allow" }).toString(),
      headers: {
        "content-type": "application/x-www-form-urlencoded",
        cookie: [...answered.cookies].map(([name, value]) => `${name}=${value}`).join("; "),
      },
    });
    const answer = headers.get("location") ?? "";
    expect(answer).toContain("/oauth2/answer?ticket=");
    await shop.setActive(false);
    const entered = await enter(before, person);
    expect([entered.status, entered.location, saas.sessionsIn(before)]).toEqual([400, undefined, []]);
    const allowed = await asked.submit({ answer: "allow" });
    expect([allowed.status, allowed.location]).toEqual([400, undefined]);
    expect(allowed.html).toMatch(CHANGED);
    const fetched = await answered.open(answer);
    expect(fetched.location?.hash).toMatch(/^#error=unauthorized_client/);
  });
});

test("a guest with sessions in more than five other tenants signs in: the consent is that of the guest's session", async () => {
  const client = await newSaas();
  const page = browser();
  for (let at = 0; at < 7; at += 1) {
    const tenant = await newTenant(`many-${at}.example`);
    await tenant.newUser("kim");
    await page.open(requestOf(await tenant.newApplication()));
    await enter(page, PERSON);
  }
  expect(saas.sessionsIn(page)).toHaveLength(7);
  // The session that the browser has had for longest keeps its place among the cookies.
  await page.open(requestOf(client, { prompt: "login" }));
  const asked = await enter(page, { ...PERSON, username: "kim@many-0.example" });
  expect(asked.title).toMatch(/asks for access/);
  expect(answerOf(await agree(page, asked)).code).toMatch(/^ac_/);
});
