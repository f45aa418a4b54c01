/** What people are told by mail: sign-ins in new browsers, factors, names and deletions (decision 0182). */
import { afterEach, describe, expect, test, vi } from "vitest";
import type { Browser } from "#tests/support/browsing.ts";
import { setUp } from "#tests/support/codes.ts";
import { mailsOf, type ReadMail } from "#tests/support/mails.ts";
import { signInOf } from "#tests/support/sign-in.ts";
import { basic, world } from "#tests/support/world.ts";

const PATCH_OP = "urn:ietf:params:scim:api:messages:2.0:PatchOp";
const SYSTEM = "urn:scim:wso2:schema";
const PASSWORD = "a-good-Password-of-mine";
const FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0";
const DAY_MS = 24 * 60 * 60_000;
const deployment = '[email]\nsender = "no-reply@example.com"\nprovider = "outbox"\n[account]\ncan_delete = true\n';

const api = world({ deployment });
const { enter, browser } = signInOf(api);
const mails = mailsOf(api);
let count = 0;
afterEach(() => vi.useRealTimers());

interface Person {
  readonly username: string;
  readonly password: string;
  readonly id: string;
  readonly address: string;
}
const newPerson = async (attributes: object = {}): Promise<Person> => {
  count += 1;
  const username = `told-${count}`;
  const address = `${username}@example.com`;
  const body = { userName: username, password: PASSWORD, emails: [{ value: address, primary: true }], ...attributes };
  const made = await api.ask("POST", "/scim2/Users", { body });
  if (made.status !== 201) throw new Error(made.text);
  return { username, password: PASSWORD, id: made.body.id, address };
};
const patch = (path: string, value: object, as?: Person) => {
  const body = { schemas: [PATCH_OP], Operations: [{ op: "replace", value }] };
  return api.ask("PATCH", path, { body, ...(as && { as: basic(as) }) });
};
const signsIn = async (person: Person, page: Browser = browser(), userAgent = FIREFOX) => {
  await page.open("/account");
  const shown = await page.submit(
    { username: person.username, password: person.password },
    { "user-agent": userAgent },
  );
  expect(shown.title).toBe("My account");
  return page;
};
const signsOut = (page: Browser) => {
  for (const name of [...page.cookies.keys()]) if (name.startsWith("__Host-session")) page.cookies.delete(name);
};
const press = (page: Browser, button: string, fields: Readonly<Record<string, string>> = {}) => {
  const form = page.form(button);
  return page.post(form.action, { ...form.fields, ...fields });
};
const subjects = (all: readonly ReadMail[]) => all.map(({ subject }) => subject);
const only = (all: readonly ReadMail[]): ReadMail => {
  const [mail, ...more] = all;
  if (!mail || more.length > 0) throw new Error(`expected one mail: ${subjects(all).join("; ")}`);
  return mail;
};

describe("a sign-in", () => {
  const SUBJECT = "New sign-in to carbon.super";

  test("in a new browser is told with time, place and browser; the next one there is not", async () => {
    const person = await newPerson();
    const page = await signsIn(person);
    const mail = only(await mails.next());
    expect([mail.to, mail.subject]).toEqual([person.address, SUBJECT]);
    for (const part of [person.username, "Firefox on Linux", "127.0.0.1", "UTC", "choose another password at once"])
      expect(mail.text).toContain(part);
    expect(mail.link?.pathname).toBe("/oauth2/forgot-password");
    signsOut(page);
    await signsIn(person, page);
    expect(await mails.next()).toEqual([]);
    await signsIn(person);
    expect(only(await mails.next()).subject).toBe(SUBJECT);
  });
  test("of another person in that browser is told, and both are known there afterwards", async () => {
    const [one, other] = [await newPerson(), await newPerson({ preferredLanguage: "de-AT" })];
    const page = await signsIn(one);
    await mails.next();
    for (const person of [other, one, other]) {
      signsOut(page);
      await signsIn(person, page);
    }
    const mail = only(await mails.next());
    expect([mail.to, mail.subject]).toEqual([other.address, "Neue Anmeldung bei carbon.super"]);
    expect(mail.text).toContain("Firefox unter Linux");
  });
  test("is told again where the cookie is missing, changed, of another person, or half a year old", async () => {
    const [person, thief] = [await newPerson(), await newPerson()];
    const page = await signsIn(person);
    const ofThief = (await signsIn(thief)).cookies.get("__Host-devices") ?? "";
    await mails.next();
    const own = page.cookies.get("__Host-devices") ?? "";
    const changed = `${own.slice(0, -2)}${own.endsWith("A") ? "B" : "A"}${own.slice(-1)}`;
    for (const cookie of ["", "[]", changed, ofThief]) {
      const elsewhere = browser();
      elsewhere.cookies.set("__Host-devices", cookie);
      await signsIn(person, elsewhere);
      expect(only(await mails.next()).to).toBe(person.address);
    }
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 181 * DAY_MS });
    signsOut(page);
    await signsIn(person, page);
    expect(only(await mails.next()).subject).toBe(SUBJECT);
  });
  test("brings no words of the browser into the mail", async () => {
    const person = await newPerson();
    await signsIn(person, browser(), "Call +1 900 555 0100 to secure your account");
    const { text, html } = only(await mails.next());
    expect(text).toContain("The browser: unknown.");
    expect(text + html).not.toContain("900");
  });
  test("is told again after the devices were signed out, also with a copy of the cookie", async () => {
    const person = await newPerson();
    const page = await signsIn(person);
    await mails.next();
    await patch(`/scim2/Users/${person.id}`, { password: "another-good-Password" });
    await mails.next();
    signsOut(page);
    await new Promise((done) => setTimeout(done, 1_000));
    await signsIn({ ...person, password: "another-good-Password" }, page);
    expect(only(await mails.next()).subject).toBe(SUBJECT);
  });
  test("is told though a second account with that address has had its mails", async () => {
    const person = await newPerson();
    const twin = await newPerson({ emails: [{ value: person.address, primary: true }] });
    for (let at = 0; at < 11; at += 1) await signsIn(twin);
    expect(await mails.next()).toHaveLength(10);
    await signsIn(person);
    expect(only(await mails.next()).text).toContain(person.username);
  });
  test("with a wrong password is not told", async () => {
    const person = await newPerson();
    const page = browser();
    await page.open("/account");
    await enter(page, { ...person, password: "not-the-Password-1" });
    expect(await mails.next()).toEqual([]);
    expect(page.cookies.has("__Host-devices")).toBe(false);
  });
});

describe("a person is told", () => {
  test("of codes that are set up and taken away, with the place where the person does it", async () => {
    const person = await newPerson();
    const page = browser();
    await page.open("/account/sign-in?task=app");
    await setUp(page, await enter(page, person));
    const added = await mails.next();
    expect(subjects(added).sort()).toEqual([
      "New sign-in to carbon.super",
      "One-time codes were set up for carbon.super",
    ]);
    for (const { text } of added) expect(text).toContain("127.0.0.1");
    await press(page, "Take the one-time codes and recovery codes away");
    const removed = only(await mails.next());
    expect(removed.subject).toBe("One-time codes were removed from carbon.super");
    expect(removed.text).toContain("127.0.0.1");
  });
  test("of codes that an administrator takes away, without the place of the administrator", async () => {
    const person = await newPerson();
    const page = browser();
    await page.open("/account/sign-in?task=app");
    await setUp(page, await enter(page, person));
    await mails.next();
    expect((await patch(`/scim2/Users/${person.id}`, { [SYSTEM]: { totpEnabled: "false" } })).status).toBe(200);
    const { subject, text } = only(await mails.next());
    expect(subject).toBe("One-time codes were removed from carbon.super");
    expect(text).not.toContain("came from");
  });
  test("of another user name, and of nothing where only its case or another attribute changes", async () => {
    const person = await newPerson();
    await patch(`/scim2/Users/${person.id}`, { title: "Dr", userName: person.username.toUpperCase() });
    expect(await mails.next()).toEqual([]);
    await patch(`/scim2/Users/${person.id}`, { userName: `renamed-${person.username}` });
    const { to, subject, text } = only(await mails.next());
    expect([to, subject]).toEqual([person.address, "Your user name at carbon.super was changed"]);
    expect(text).toContain(`renamed-${person.username}`);
  });
  test("of a password that the person changes, with the place", async () => {
    const person = await newPerson();
    expect((await patch("/scim2/Me", { password: "another-good-Password" }, person)).status).toBe(200);
    expect(only(await mails.next()).text).toContain("127.0.0.1");
  });
  test("of the deletion of the account, in the own language, by the person or an administrator", async () => {
    const person = await newPerson({ preferredLanguage: "de-CH, en;q=0.5" });
    expect((await api.ask("DELETE", `/scim2/Users/${person.id}`)).status).toBe(204);
    const told = only(await mails.next());
    expect([told.to, told.subject]).toEqual([person.address, "Ihr Konto bei carbon.super wurde gelöscht"]);
    expect(told.text).toContain(person.username);
    expect([told.text.includes("127.0.0.1"), told.link]).toEqual([false, undefined]);
    const own = await newPerson();
    const page = await signsIn(own);
    await mails.next();
    await page.open("/account/deletion");
    await press(page, "Delete the account", { sure: "yes" });
    const { to, subject, text } = only(await mails.next());
    expect([to, subject]).toEqual([own.address, "Your account at carbon.super was deleted"]);
    expect(text).toContain("127.0.0.1");
  });
  test("of another address once, and of its removal: later changes use up no mail", async () => {
    const person = await newPerson();
    const SUBJECT = "Your e-mail address at carbon.super was changed";
    const [own, former] = [{ value: "thief@example.com", primary: true }, { value: person.address }];
    await patch("/scim2/Me", { emails: [own, former] }, person);
    for (let at = 0; at < 12; at += 1) await patch("/scim2/Me", { title: `Title ${at}` }, person);
    const told = (await mails.next()).filter(({ to }) => to === person.address);
    expect(subjects(told)).toEqual([SUBJECT]);
    await patch("/scim2/Me", { emails: [own] }, person);
    expect(subjects((await mails.next()).filter(({ to }) => to === person.address))).toEqual([SUBJECT]);
  });
  test("of a password by the name that the account had then, also where it is gone when the mail is written", async () => {
    const person = await newPerson();
    await patch(`/scim2/Users/${person.id}`, { password: "another-good-Password" });
    await patch(`/scim2/Users/${person.id}`, { userName: "www.evil.example.com" });
    await api.ask("DELETE", `/scim2/Users/${person.id}`);
    const sent = await mails.next();
    const changed = sent.find(({ subject }) => subject === "Your password for carbon.super was changed");
    expect(sent).toHaveLength(3);
    expect([changed?.text.includes(person.username), changed?.text.includes("evil")]).toEqual([true, false]);
  });
  test("of a deletion, whatever the profile says of languages", async () => {
    for (const [preferredLanguage, subject] of [
      [`${"a".repeat(99)}😀`, "Your account at carbon.super was deleted"],
      ["fr,de;q=0.8", "Ihr Konto bei carbon.super wurde gelöscht"],
      ["de;q=0.1, en;q=0.9", "Your account at carbon.super was deleted"],
    ] as const) {
      const person = await newPerson({ preferredLanguage });
      expect((await api.ask("DELETE", `/scim2/Users/${person.id}`)).status).toBe(204);
      expect(only(await mails.next()).subject).toBe(subject);
    }
    const person = await newPerson({ locale: "de_DE" });
    await api.ask("DELETE", `/scim2/Users/${person.id}`);
    expect(only(await mails.next()).subject).toBe("Ihr Konto bei carbon.super wurde gelöscht");
  });
  test("of nothing where there is no address, or none that counts", async () => {
    const nowhere = await newPerson({ emails: [] });
    await signsIn(nowhere);
    await patch("/scim2/Me", { emails: [{ value: "entered-by-myself@example.com" }] }, nowhere);
    await mails.next();
    await api.ask("DELETE", `/scim2/Users/${nowhere.id}`);
    expect(await mails.next()).toEqual([]);
  });
});
