/** What ends the sign-ins and tokens of guests, which are users of other tenants (decision 0134). */
import { beforeAll, describe, expect, test } from "vitest";
import type { TestClient } from "#tests/support/oauth.ts";
import { receiver } from "#tests/support/receiver.ts";
import { saasOf } from "#tests/support/saas.ts";
import { claimsIn, PERSON } from "#tests/support/sign-in.ts";
import { APPLICATIONS, world } from "#tests/support/world.ts";
import { type LogLine, listening } from "#tools/bench/calls.ts";

const inbox = receiver();
const api = world({ delivers: true });
const saas = saasOf(api);
const { newTenant, newSaas, requestOf, enter, agree, answerOf, redeem, arrive, tokensOf, infoOf, silently } = saas;
const ACME = "acme.example";
let acme: Awaited<ReturnType<typeof newTenant>>;
let count = 0;

beforeAll(async () => {
  acme = await newTenant(ACME);
});

/** A guest who is signed in, with tokens, and a code that is not redeemed yet. */
const guestOf = async (client: TestClient) => {
  count += 1;
  const id = await acme.newUser(`guest-${count}`);
  const person = { ...PERSON, username: `guest-${count}@${ACME}` };
  const { page, tokens } = await tokensOf(client, person);
  const { code } = await silently(page, client);
  expect((await infoOf(tokens.access_token)).status).toBe(200);
  return { id, person, page, tokens, code };
};
type Guest = Awaited<ReturnType<typeof guestOf>>;

/** What still counts. */
const left = async (client: TestClient, { tokens, code, page }: Guest) => ({
  info: (await infoOf(tokens.access_token)).status,
  access: (await saas.introspect(tokens.access_token, client)).body.active,
  refresh: (await saas.introspect(tokens.refresh_token, client)).body.active,
  code: (await redeem(client, code)).status,
  refreshed: (await saas.refresh(client, tokens.refresh_token)).status,
  session: "code" in (await silently(page, client)),
});
const NOTHING = { info: 401, access: false, refresh: false, code: 400, refreshed: 400, session: false };
const patchApplication = ({ applicationId }: TestClient, body: object) =>
  api.ask("PATCH", `${APPLICATIONS}/${applicationId}`, { body });

describe("ends at once", () => {
  test.each([
    ["a new password", ({ id }: Guest) => acme.patchUser(id, { password: "another-Password-77" })],
    ["a user who is switched off", ({ id }: Guest) => acme.patchUser(id, { active: false })],
    ["a user who is deleted", ({ id }: Guest) => acme.ask("DELETE", `/scim2/Users/${id}`)],
  ])("%s", async (_, change) => {
    const client = await newSaas({ accessToken: { type: "JWT" } });
    const [guest, other] = [await guestOf(client), await guestOf(client)];
    expect((await change(guest)).status).toBeLessThan(300);
    expect(await left(client, guest)).toEqual(NOTHING);
    expect((await infoOf(other.tokens.access_token)).status).toBe(200);
  });

  test("a tenant that is switched off, until it is switched on again", async () => {
    const far = await newTenant("far.example");
    await far.newUser("kim");
    const client = await newSaas();
    const person = { ...PERSON, username: "kim@far.example" };
    const { page, tokens } = await tokensOf(client, person);
    const { code } = await silently(page, client);
    await far.setActive(false);
    expect(await left(client, { id: "", person, page, tokens, code: code ?? "" })).toEqual(NOTHING);
    await page.open(requestOf(client, { prompt: "login" }));
    expect((await enter(page, person)).alert).toMatch(/wrong/);
    await far.setActive(true);
    expect((await infoOf(tokens.access_token)).status).toBe(200);
    expect((await arrive(client, person)).code).toMatch(/^ac_/);
  });

  test("saas that is switched off, for guests alone; tokens do not come back with it", async () => {
    const client = await newSaas();
    const guest = await guestOf(client);
    const own = await tokensOf(client, { username: "admin", password: "admin" });
    expect((await patchApplication(client, { advancedConfigurations: { saas: false } })).status).toBe(200);
    expect(await left(client, guest)).toEqual(NOTHING);
    await guest.page.open(requestOf(client));
    expect((await enter(guest.page, guest.person)).alert).toMatch(/wrong/);
    expect((await infoOf(own.tokens.access_token)).status).toBe(200);
    expect((await saas.refresh(client, own.tokens.refresh_token)).status).toBe(200);
    await patchApplication(client, { advancedConfigurations: { saas: true } });
    const { session, ...tokens } = NOTHING;
    expect(await left(client, guest)).toEqual({ ...tokens, session: !session });
    // A sign-in right after that counts.
    const next = await tokensOf(client, guest.person);
    expect((await infoOf(next.tokens.access_token)).status).toBe(200);
    expect((await saas.refresh(client, next.tokens.refresh_token)).status).toBe(200);
  });

  test.each([
    ["disabled", (client: TestClient) => patchApplication(client, { applicationEnabled: false })],
    ["deleted", (client: TestClient) => api.ask("DELETE", `${APPLICATIONS}/${client.applicationId}`)],
  ])("an application that is %s", async (_, change) => {
    const client = await newSaas();
    const { tokens } = await guestOf(client);
    expect((await change(client)).status).toBeLessThan(300);
    expect((await infoOf(tokens.access_token)).status).toBe(401);
    expect((await saas.refresh(client, tokens.refresh_token)).status).toBe(401);
  });
});

test("pages that are open when saas is switched off, or the tenant, sign nobody in", async () => {
  const client = await newSaas();
  await acme.newUser("joe");
  const person = { ...PERSON, username: `joe@${ACME}` };
  const [before, asked] = [saas.browser(), saas.browser()];
  await before.open(requestOf(client));
  await asked.open(requestOf(client));
  expect((await enter(asked, person)).title).toMatch(/asks for access/);
  await patchApplication(client, { advancedConfigurations: { saas: false } });
  expect((await enter(before, person)).alert).toMatch(/wrong/);
  expect(saas.sessionsIn(before)).toEqual([]);
  expect((await asked.submit({ answer: "allow" })).title).toMatch(/Sign in/);
  await patchApplication(client, { advancedConfigurations: { saas: true } });
  await asked.open(requestOf(client));
  await acme.setActive(false);
  expect((await asked.submit({ answer: "allow" })).title).toMatch(/Sign in/);
  await acme.setActive(true);
  const { code } = answerOf(await agree(asked, await asked.open(requestOf(client))));
  expect(code).toMatch(/^ac_/);
});

test("a refresh reads the account in the own tenant again: names of groups that the guest has now", async () => {
  const client = await newSaas();
  const id = await acme.newUser("mia");
  const { tokens } = await tokensOf(client, { username: `mia@${ACME}` }, { scope: "openid groups" });
  expect(claimsIn(tokens.id_token ?? "")).not.toHaveProperty("groups");
  await acme.ask("POST", "/scim2/Groups", { body: { displayName: "pilots", members: [{ value: id }] } });
  const { body } = await saas.refresh(client, tokens.refresh_token);
  expect(claimsIn(body.id_token).groups).toEqual([`pilots@${ACME}`]);
});

test("the application is told of the end of a session by a logout token of its own issuer", async () => {
  const client = await newSaas({ logout: { backChannelLogoutUrl: inbox.url("/guests") } });
  const { id, tokens } = await guestOf(client);
  const { sub, sid } = claimsIn(tokens.id_token ?? "");
  expect((await acme.ask("DELETE", `/api/users/v1/${id}/sessions`)).status).toBe(204);
  const [message] = await inbox.waitFor("/guests", 1);
  const token = claimsIn(new URLSearchParams(message?.text).get("logout_token") ?? "");
  expect(token).toMatchObject({ iss: `${api.url}/oauth2/token`, aud: client.clientId, sub, sid });
  const deleted = await guestOf(client);
  await acme.ask("DELETE", `/scim2/Users/${deleted.id}`);
  const [, second] = await inbox.waitFor("/guests", 2);
  expect(claimsIn(new URLSearchParams(second?.text).get("logout_token") ?? "").sub).toBe(`${deleted.id}@${ACME}`);
});

/** The round trips of the request that a function served. */
const tripsOf = async (service: string, send: () => Promise<unknown>) => {
  const lines = await listening(send);
  const [line] = lines.filter((each: LogLine) => each.service === service && each.RoundTrips !== undefined);
  return line?.RoundTrips ?? 99;
};

test("a guest costs at most two round trips more than a user of the tenant, and that user none", async () => {
  const client = await newSaas();
  await acme.newUser("ida");
  const scope = "openid profile email";
  const own = { username: "own", password: PERSON.password };
  await api.ask("POST", "/scim2/Users", { body: { userName: own.username, password: own.password } });
  const costsAgain = async (person: typeof own) => {
    const page = saas.browser();
    const shown = await tripsOf("sign-in", () => page.open(requestOf(client, { scope })));
    let code: string | undefined;
    const password = await tripsOf("sign-in", async () => {
      code = answerOf(await enter(page, person)).code;
    });
    let token = "";
    const redeemed = await tripsOf("oauth2", async () => {
      token = (await redeem(client, code)).body.access_token;
    });
    const again = await tripsOf("sign-in", () => page.open(requestOf(client, { scope })));
    const claims = await tripsOf("sign-in", () => infoOf(token));
    return { shown, password, redeemed, again, claims };
  };
  const costsOf = async (person: typeof own) => {
    // Warms the containers, and gives the consent.
    const first = await tokensOf(client, person, { scope });
    await infoOf(first.tokens.access_token);
    return costsAgain(person);
  };
  expect(await costsOf(own)).toEqual({ shown: 2, password: 3, redeemed: 3, again: 3, claims: 2 });
  expect(await costsOf({ ...own, username: `ida@${ACME}` })).toEqual({
    ...{ shown: 2, password: 3, redeemed: 3, again: 3, claims: 3 },
  });
});
