/** Passwords that exist stay valid; at a page of sign-in the person hears which rule one breaks, and may change it. */
import { beforeAll, expect, test, vi } from "vitest";
import { setUp, TWO_STEPS } from "#tests/support/codes.ts";
import { oauthOf, type TestClient } from "#tests/support/oauth.ts";
import { addUser } from "#tests/support/people.ts";
import { claimsIn, PERSON, signInOf } from "#tests/support/sign-in.ts";
import { ADMIN, world } from "#tests/support/world.ts";
import { codeAt, STEP_MS } from "#tools/examples/authenticator.ts";

const NEW = "another-good-Password-2";
const api = world({ deployment: "[password]\nhistory = 2\n" });
const { newApplication, requestOf, enter, answerOf, redeem, browser } = signInOf(api);
const { post } = oauthOf(api);
let plain: TestClient;
let count = 0;
beforeAll(async () => {
  plain = await newApplication({ grantTypes: ["authorization_code", "password"] });
});

const newPerson = async (password: string) => {
  count += 1;
  const username = `weakling-${count}`;
  return { username, password, id: await addUser(api.service, { username, password }) };
};
const atPage = async (person: { username: string; password: string }, client = plain) => {
  const page = browser();
  await page.open(requestOf(client));
  return { page, shown: await enter(page, person) };
};

test.each([
  ["seven77", "8 to 100 characters"],
  ["Sunshine1", "most common passwords"],
  ["the own name", "must not be your user name"],
])("%s: the person is told, and goes on without a change", async (given, sentence) => {
  const person = await newPerson(given === "the own name" ? `weakling-${count + 1}` : given);
  const { page, shown } = await atPage(person);
  expect([shown.status, shown.title, shown.alert]).toEqual([
    200,
    expect.stringContaining("Choose a new password"),
    expect.stringContaining(sentence),
  ]);
  expect(shown.html).not.toContain(`>${person.password}<`);
  expect(page.cookies.has("__Host-session")).toBe(false);
  const done = await page.submit({ choice: "later" });
  const { body } = await redeem(plain, answerOf(done).code);
  expect(claimsIn(body.id_token).sub).toBe(person.id);
  // Once for a sign-in, not for each request of the session.
  expect(answerOf(await page.open(requestOf(plain))).code).toMatch(/^ac_/);
});

test("a password that follows the rules, and one of the administrator of npm start, ask nothing", async () => {
  expect((await atPage(await newPerson("four maple trees"))).shown.status).toBe(303);
  const { shown } = await atPage(ADMIN);
  expect([shown.status, shown.title, shown.alert]).toEqual([303, "", undefined]);
});

test("a change at once: sessions of before end, the former one counts no more, and rules hold", async () => {
  const person = await newPerson("Sunshine1");
  const { page } = await atPage(person);
  for (const [password, problem] of [
    ["baseball1", "most common passwords"],
    [person.password, "most common passwords"],
    ["", "Enter a new password"],
  ] as const) {
    const refused = await page.submit({ password, repeated: password });
    expect([refused.status, refused.alert]).toEqual([400, expect.stringContaining(problem)]);
  }
  const done = await page.submit({ password: NEW, repeated: NEW });
  expect(claimsIn((await redeem(plain, answerOf(done).code)).body.id_token).sub).toBe(person.id);
  expect((await atPage(person)).shown.status).toBe(400);
  expect((await atPage({ ...person, password: NEW })).shown.status).toBe(303);
});

test("a wrong password tells nothing, and no other door does", async () => {
  const person = await newPerson("Sunshine1");
  expect((await atPage({ ...person, password: "baseball1" })).shown.alert).toContain("is wrong");
  const granted = await post("/oauth2/token", { grant_type: "password", ...person, id: undefined }, plain);
  expect(granted.status).toBe(200);
});

test("a password that must be changed cannot be kept", async () => {
  const person = await newPerson("Sunshine1");
  const Operations = [{ op: "replace", value: { "urn:scim:wso2:schema": { forcePasswordReset: true } } }];
  const body = { schemas: ["urn:ietf:params:scim:api:messages:2.0:PatchOp"], Operations };
  expect((await api.ask("PATCH", `/scim2/Users/${person.id}`, { body })).status).toBe(200);
  const { page, shown } = await atPage(person);
  expect(shown.html).not.toContain('value="later"');
  expect((await page.submit({ choice: "later" })).title).toContain("Choose a new password");
  // One of the last two: it was set by another way, and the page compares it.
  const set = await page.submit({ password: NEW, repeated: NEW });
  expect(answerOf(set).code).toMatch(/^ac_/);
});

test("a former one is refused with its own sentence", async () => {
  const { body } = await api.ask("POST", "/scim2/Users", {
    body: { userName: "former", password: PERSON.password, "urn:scim:wso2:schema": { forcePasswordReset: true } },
  });
  const Operations = [{ op: "replace", path: "password", value: NEW }];
  const patch = { schemas: ["urn:ietf:params:scim:api:messages:2.0:PatchOp"], Operations };
  expect((await api.ask("PATCH", `/scim2/Users/${body.id}`, { body: patch })).status).toBe(200);
  const { page } = await atPage({ username: "former", password: NEW });
  const refused = await page.submit({ password: PERSON.password, repeated: PERSON.password });
  expect([refused.status, refused.alert]).toEqual([400, expect.stringContaining("have used this password before")]);
});

test("a password alone does not change it where there is a second factor, which the application does not ask for", async () => {
  const strict = await newApplication({}, TWO_STEPS);
  const person = await newPerson("Sunshine1");
  const { page, shown } = await atPage(person, strict);
  const { secret, done } = await setUp(page, shown);
  expect(done.title).toContain("Choose a new password");
  // The factor is proven: the person is told.
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + STEP_MS });
  const again = await atPage(person, strict);
  expect(again.shown.title).toContain("Enter your code");
  expect((await again.page.submit({ code: codeAt(secret) })).title).toContain("Choose a new password");
  // It is not: nothing is offered.
  expect((await atPage(person)).shown.status).toBe(303);
  vi.useRealTimers();
});
