/**
 * Pages that were left open: none brings a session back that has ended, and each leads to one session or answer
 * (decision 0146). The list is the contract of sign-in: a new form without a row here fails.
 */
import { afterEach, beforeAll, expect, test, vi } from "vitest";
import { signInOperations } from "#core/sign-in/flow/contract.ts";
import type { Browser } from "#tests/support/browsing.ts";
import { secretIn, sequenceOf } from "#tests/support/codes.ts";
import { mailsOf } from "#tests/support/mails.ts";
import type { TestClient } from "#tests/support/oauth.ts";
import { create, use } from "#tests/support/passkeys.ts";
import { PERSON, signInOf } from "#tests/support/sign-in.ts";
import { world } from "#tests/support/world.ts";
import { codeAt, newAuthenticator, STEP_MS } from "#tools/examples/authenticator.ts";

const api = world();
const { newApplication, requestOf, enter, answerOf, browser } = signInOf(api);
const mails = mailsOf(api);
const EITHER = sequenceOf(["BasicAuthenticator"], ["totp", "FIDOAuthenticator"]);
const consenting = { advancedConfigurations: { skipLoginConsent: false } };
const SYSTEM = "urn:scim:wso2:schema";
let strict: TestClient;
let plain: TestClient;
let asking: TestClient;
let byMail: TestClient;
let count = 0;

beforeAll(async () => {
  strict = await newApplication({}, EITHER);
  plain = await newApplication();
  asking = await newApplication({}, consenting);
  byMail = await newApplication({}, sequenceOf(["email-otp-authenticator", "MagicLinkAuthenticator"]));
});
afterEach(() => vi.useRealTimers());

interface Person {
  readonly username: string;
  readonly password: string;
  readonly id: string;
}
const newPerson = async (attributes: object = {}): Promise<Person> => {
  count += 1;
  const username = `opener-${count}`;
  const emails = [{ value: `${username}@example.com`, primary: true }];
  const body = { userName: username, password: PERSON.password, emails, ...attributes };
  const { status, body: created, text } = await api.ask("POST", "/scim2/Users", { body });
  if (status !== 201) throw new Error(text);
  return { username, password: PERSON.password, id: created.id };
};
const passwordOf = ({ username, password }: Person) => ({ username, password });
const atPage = async (client: TestClient, person?: Person, fields = {}) => {
  const page = browser();
  await page.open(requestOf(client, fields));
  if (person) await enter(page, person);
  return page;
};
const endSessions = ({ id }: Person) => api.ask("DELETE", `/api/users/v1/${id}/sessions`);

/** A form that is open, and what a person would send with it to get on. */
interface Open {
  readonly page: Browser;
  readonly path: string;
  readonly request: string;
  readonly fields: Readonly<Record<string, string>>;
  /** Sends it for the first time. */
  readonly go: () => Promise<{ readonly status: number }>;
}
const opened = (page: Browser, path: string, fields: Open["fields"] = {}, go?: Open["go"]): Open => {
  const request = page.fields().request ?? "";
  return { page, path, request, fields, go: go ?? (() => page.submit(fields)) };
};
const send = ({ page, path, request, fields }: Open) =>
  api.ask("POST", path, {
    as: null,
    raw: new URLSearchParams({ ...fields, request }).toString(),
    headers: {
      cookie: [...page.cookies].map(([name, value]) => `${name}=${value}`).join("; "),
      "content-type": "application/x-www-form-urlencoded",
    },
  });

/** The mail of a sign-in, among notices. */
const mailOfSignIn = async () => (await mails.next()).find(({ subject }) => /^(Your code|Sign in)/.test(subject));
const withCodes = async (person: Person) => {
  const page = await atPage(strict, person);
  // The page that is shown first sets codes up.
  const secret = secretIn(await page.submit({}));
  return { page, secret };
};
const forms: Readonly<Record<string, (person: Person) => Promise<Open>>> = {
  async signIn(person) {
    return opened(await atPage(plain), signInOperations.signIn.path, passwordOf(person));
  },
  async setUpCodes(person) {
    const { page, secret } = await withCodes(person);
    return opened(page, signInOperations.setUpCodes.path, { code: codeAt(secret) }, async () => {
      await page.submit({ code: codeAt(secret) });
      return page.submit({});
    });
  },
  async goOnWithCodes(person) {
    const { page, secret } = await withCodes(person);
    await page.submit({ code: codeAt(secret) });
    return opened(page, signInOperations.goOnWithCodes.path);
  },
  async enterCode(person) {
    const { page, secret } = await withCodes(person);
    await page.submit({ code: codeAt(secret) });
    await page.submit({});
    const next = await atPage(strict, person);
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + STEP_MS });
    return opened(next, signInOperations.enterCode.path, { code: codeAt(secret) });
  },
  async createPasskey(person) {
    const page = await atPage(strict, person);
    const shown = await page.submit({ choice: "passkey" });
    const key = newAuthenticator(api.url);
    return opened(page, signInOperations.createPasskey.path, { choice: "skip" }, () => create(page, shown, key));
  },
  async usePasskey(person) {
    const key = newAuthenticator(api.url);
    const page = await atPage(strict, person);
    await create(page, await page.submit({ choice: "passkey" }), key);
    const next = browser();
    await next.open(requestOf(strict));
    const shown = await enter(next, person);
    return opened(next, signInOperations.usePasskey.path, { choice: "code" }, () => use(next, shown, key));
  },
  async enterMailedCode(person) {
    const page = await atPage(byMail);
    await page.submit({ username: person.username, choice: "mail-code" });
    const mail = await mailOfSignIn();
    const code = /\d{4} \d{4}/.exec(mail?.text ?? "")?.[0] ?? "";
    return opened(page, signInOperations.enterMailedCode.path, { code });
  },
  async useMailedLink(person) {
    const page = await atPage(byMail);
    await page.submit({ username: person.username, choice: "mail-link" });
    const mail = await mailOfSignIn();
    await page.open(`${mail?.link?.pathname}${mail?.link?.search}`);
    return opened(page, signInOperations.useMailedLink.path, { code: mail?.code ?? "" });
  },
  async choosePassword(person) {
    const change = { schemas: [], Operations: [{ op: "replace", value: { [SYSTEM]: { forcePasswordReset: true } } }] };
    await api.ask("PATCH", `/scim2/Users/${person.id}`, { body: change });
    const password = "another-Password-7";
    return opened(await atPage(plain, person), signInOperations.choosePassword.path, { password, repeated: password });
  },
  async giveConsent(person) {
    return opened(await atPage(asking, person), signInOperations.giveConsent.path, { answer: "allow" });
  },
  async signOut(person) {
    const page = await atPage(plain, person);
    await page.open("/oidc/logout");
    return opened(page, signInOperations.signOut.path);
  },
};
const names = Object.keys(forms);

test("every operation that takes a sealed form is here", () => {
  const taking = Object.entries(signInOperations).filter(
    ([name, { method, ...operation }]) =>
      method === "POST" && !name.startsWith("authorize") && !name.startsWith("endSession") && "body" in operation,
  );
  expect(taking.map(([name]) => name).sort()).toEqual([...names].sort());
});

const sessionsOf = async ({ id }: Person) =>
  (await api.ask("GET", `/api/users/v1/${id}/sessions`)).body.sessions as readonly unknown[];
const codeIn = ({ headers }: { readonly headers: Headers }) => headers.get("location")?.includes("code=") ?? false;

test.each(names)("%s: a page that was used leads to no second session and no second code", async (name) => {
  const person = await newPerson();
  const form = await forms[name]?.(person);
  if (!form) throw new Error(name);
  expect((await form.go()).status).toBeLessThan(400);
  const open = await sessionsOf(person);
  const again = await send(form);
  expect([name, again.status < 500, codeIn(again), again.headers.getSetCookie()]).toEqual([
    ...[name, true, false],
    // A sign-out takes the cookies away.
    name === "signOut" ? expect.any(Array) : [],
  ]);
  expect(await sessionsOf(person)).toEqual(open);
});

test.each(names)("%s: a page brings no session back after it was used and the sessions ended", async (name) => {
  const person = await newPerson();
  const form = await forms[name]?.(person);
  if (!form) throw new Error(name);
  await form.go();
  await endSessions(person);
  const again = await send(form);
  expect([name, codeIn(again), await sessionsOf(person)]).toEqual([name, false, []]);
});

/** A page of a password in itself proves nothing; that of signing out ends a session. */
const proven = names.filter((name) => name !== "signIn" && name !== "signOut");
test.each(proven)("%s: a page that was open when a session of its user ended leads to none", async (name) => {
  const person = await newPerson();
  const elsewhere = await atPage(plain, person);
  expect(elsewhere.cookies.size).toBeGreaterThan(1);
  const form = await forms[name]?.(person);
  if (!form) throw new Error(name);
  if ((await sessionsOf(person)).length === 0) await atPage(plain, { ...person, password: "another-Password-7" });
  await endSessions(person);
  const again = await send(form);
  expect([name, codeIn(again)]).toEqual([name, false]);
  if (name !== "choosePassword") expect(await sessionsOf(person)).toEqual([]);
});

test("who sends a page twice signs in again from there, also at once", async () => {
  const person = await newPerson();
  const page = await atPage(plain);
  const form = opened(page, signInOperations.signIn.path, passwordOf(person));
  const both = await Promise.all([send(form), send(form)]);
  expect(both.map(codeIn).sort()).toEqual([false, true]);
  const next = await page.submit(passwordOf(person));
  expect(next.alert).toBe("This page was used before. Sign in again.");
  expect(answerOf(await enter(page, person)).code).toMatch(/^ac_/);
});
