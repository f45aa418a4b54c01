/** People who register by a page (decision 0183). */
import { afterEach, describe, expect, test, vi } from "vitest";
import { mailsOf, type ReadMail } from "#tests/support/mails.ts";
import { saasOf } from "#tests/support/saas.ts";
import { signInOf } from "#tests/support/sign-in.ts";
import { basic, world } from "#tests/support/world.ts";

const SYSTEM = "urn:scim:wso2:schema";
const FORM = { "content-type": "application/x-www-form-urlencoded" };
const PASSWORD = "a-good-Password-of-mine";
const HOUR_MS = 60 * 60_000;
const deployment = `
[email]
sender = "no-reply@example.com"
provider = "outbox"
requests_per_source = 1000

[registration]
enabled = true

[registration.tenants."strict.example"]
email_domains = ["Example.com", "bücher.example"]
terms_url = "https://example.com/terms?a=1&b=2"

[registration.tenants."closed.example"]
enabled = false

[registration.tenants."small.example"]
requests_per_hour = 3
`;

const api = world({ deployment });
const { newTenant } = saasOf(api);
const { newApplication, requestOf, enter, browser } = signInOf(api);
const mails = mailsOf(api);
let count = 0;
afterEach(() => vi.useRealTimers());

const fresh = () => {
  count += 1;
  return `newcomer-${count}@example.com`;
};
type Fields = Readonly<Record<string, string>>;
const submit = (path: string, fields: Fields, headers: object = {}) =>
  api.ask("POST", path, { raw: new URLSearchParams(fields).toString(), headers: { ...FORM, ...headers }, as: null });
const ask = (address: string, base = "") => submit(`${base}/oauth2/register`, { address });
const only = (all: readonly ReadMail[]): ReadMail => {
  const [mail, ...more] = all;
  if (!mail || more.length > 0) throw new Error(`expected one mail: ${all.map(({ subject }) => subject).join("; ")}`);
  return mail;
};
const codeFor = async (address: string, base = "") => {
  expect((await ask(address, base)).status).toBe(200);
  return only(await mails.next()).code;
};
const complete = (code: string, fields: Fields = {}, base = "") => {
  const all = { username: `user-${code.slice(3, 12)}`, password: PASSWORD, repeated: PASSWORD, ...fields };
  return submit(`${base}/oauth2/complete-registration`, { code, ...all });
};
const usersAt = async (address: string) => {
  const { body } = await api.ask("GET", `/scim2/Users?filter=${encodeURIComponent(`emails eq "${address}"`)}`);
  return body.Resources ?? [];
};
const signsIn = async (username: string, password = PASSWORD) => {
  const page = browser();
  await page.open("/account");
  return (await enter(page, { username, password })).title === "My account";
};

describe("showRegister, register, showRegistration, completeRegistration", () => {
  test("lead from the page of sign-in to an account, and nothing is stored before the link is used", async () => {
    const page = browser();
    const shown = await page.open(requestOf(await newApplication()));
    expect(shown.html).toContain('<a href="/oauth2/register">Create an account</a>');
    const form = await page.open("/oauth2/register");
    expect([form.status, form.title]).toEqual([200, "Create an account"]);
    const address = fresh();
    const asked = await page.submit({ address });
    expect([asked.status, asked.title]).toEqual([200, "Look at your mail"]);
    const mail = only(await mails.next());
    expect([mail.to, mail.subject]).toEqual([address, "Create your account at carbon.super"]);
    expect(await usersAt(address)).toEqual([]);
    const opened = await page.open(`${mail.link?.pathname}${mail.link?.search}`);
    expect([opened.status, opened.title]).toEqual([200, "Create an account"]);
    expect(page.fields()).toMatchObject({ code: mail.code, username: address });
    expect(await usersAt(address)).toEqual([]);
    const names = { given: "Ada", family: "<b>Lovelace</b>" };
    const done = await page.submit({ username: "ada", ...names, password: PASSWORD, repeated: PASSWORD });
    expect([done.status, done.title]).toEqual([200, "Your account is ready"]);
    const [user, ...more] = await usersAt(address);
    expect(more).toEqual([]);
    expect(user).toMatchObject({
      userName: "ada",
      name: { givenName: "Ada", familyName: "<b>Lovelace</b>" },
      emails: [{ value: address, primary: true }],
      [SYSTEM]: { emailVerified: true, verifiedEmailAddresses: [address] },
    });
    expect(user.roles ?? []).toEqual([]);
    expect([await signsIn("ada"), await signsIn(address)]).toEqual([true, true]);
    const { body } = await api.ask("GET", `/scim2/Users/${user.id}/history`);
    expect(JSON.stringify(body)).toContain(user.id);
    expect((await complete(mail.code, { username: "ada-again" })).status).toBe(400);
    expect(await usersAt(address)).toHaveLength(1);
  });
  test("say the same for every address, and a person with an account gets its name", async () => {
    const [known, unknown, blocked] = [fresh(), fresh(), fresh()];
    const made = { userName: "known-already", password: PASSWORD, emails: [{ value: known, primary: true }] };
    await api.ask("POST", "/scim2/Users", { body: made });
    const off = { userName: "blocked-already", password: PASSWORD, active: false, emails: [{ value: blocked }] };
    await api.ask("POST", "/scim2/Users", { body: off });
    await mails.next();
    const pages = [await ask(known), await ask(unknown), await ask(blocked)];
    expect(new Set(pages.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
    const sent = await mails.next();
    expect(sent.map(({ to }) => to).sort()).toEqual([known, unknown].sort());
    const told = sent.find(({ to }) => to === known);
    expect([told?.subject, told?.text.includes("known-already")]).toEqual(["Your user name at carbon.super", true]);
  });
  test("keep to one user for an address: a second link of it does not count after the first", async () => {
    const address = fresh();
    const [one, two] = [await codeFor(address), await codeFor(address)];
    expect((await complete(one)).status).toBe(200);
    expect((await complete(two)).status).toBe(400);
    expect(await usersAt(address)).toHaveLength(1);
  });
  test("are not kept from the owner of an address by somebody who has entered it", async () => {
    const address = fresh();
    const thief = { username: `thief-of-${count}`, password: PASSWORD };
    await api.ask("POST", "/scim2/Users", { body: { userName: thief.username, password: PASSWORD } });
    const value = { emails: [{ value: address, primary: true }] };
    const body = { Operations: [{ op: "replace", value }] };
    expect((await api.ask("PATCH", "/scim2/Me", { body, as: basic(thief) })).status).toBe(200);
    await mails.next();
    expect((await complete(await codeFor(address), { username: "owner-of-it" })).status).toBe(200);
    expect([await signsIn(address), await signsIn("owner-of-it")]).toEqual([true, true]);
  });
  test("send no link to the second address of a user", async () => {
    const [primary, second] = [fresh(), fresh()];
    const emails = [{ value: primary, primary: true }, { value: second }];
    await api.ask("POST", "/scim2/Users", { body: { userName: "two-addresses", password: PASSWORD, emails } });
    await mails.next();
    expect((await ask(second)).status).toBe(200);
    expect((await mails.next()).map(({ subject }) => subject)).toEqual([]);
  });
  test("of links of one address that are used at once, one creates a user, and another one after its deletion", async () => {
    const address = fresh();
    const codes = [await codeFor(address), await codeFor(address), await codeFor(address)];
    const all = await Promise.all(codes.map((code, at) => complete(code, { username: `of-links-${count}-${at}` })));
    expect(all.filter(({ status }) => status === 200)).toHaveLength(1);
    const [user, ...more] = await usersAt(address);
    expect(more).toEqual([]);
    await api.ask("DELETE", `/scim2/Users/${user.id}`);
    await mails.next();
    expect((await complete(await codeFor(address), { username: `after-links-${count}` })).status).toBe(200);
  });
  test("count once, also where the user is gone again", async () => {
    const address = fresh();
    const code = await codeFor(address);
    expect((await complete(code)).status).toBe(200);
    const [user] = await usersAt(address);
    await api.ask("DELETE", `/scim2/Users/${user.id}`);
    await mails.next();
    expect((await complete(code, { username: "once-more" })).status).toBe(400);
  });
  test("take no name that sign-ins read in the address of a user of the tenant", async () => {
    const tenant = await newTenant("named.example");
    const base = "/t/named.example";
    const emails = [{ value: "kim@named.example" }];
    await tenant.ask("POST", "/scim2/Users", { body: { userName: "other-name", password: PASSWORD, emails } });
    const code = await codeFor(fresh(), base);
    expect((await complete(code, { username: "KIM" }, base)).text).toContain("in use");
    expect((await complete(code, { username: "kim-2" }, base)).status).toBe(200);
    const own = await codeFor("ada@named.example", base);
    expect((await complete(own, { username: "ada" }, base)).status).toBe(200);
  });
  test("send no link to an address whose domain an administrator has written in another spelling", async () => {
    const emails = [{ value: "kim@bücher.example" }];
    await api.ask("POST", "/scim2/Users", {
      body: { userName: "in-unicode", password: PASSWORD, active: false, emails },
    });
    await mails.next();
    expect((await ask("kim@xn--bcher-kva.example")).status).toBe(200);
    expect((await mails.next()).map(({ subject }) => subject)).toEqual([]);
  });
  test("of six submissions at once, one creates a user", async () => {
    const address = fresh();
    const code = await codeFor(address);
    const all = await Promise.all([1, 2, 3, 4, 5, 6].map((at) => complete(code, { username: `racer-${at}` })));
    expect(all.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(await usersAt(address)).toHaveLength(1);
  });
  test("count for a day, in their tenant, at their own form", async () => {
    const tenant = await newTenant("other.example");
    const base = "/t/other.example";
    const address = fresh();
    const code = await codeFor(address, base);
    expect((await complete(code)).status).toBe(400);
    for (const [path, fields] of [
      ["/oauth2/reset-password", { code, password: PASSWORD, repeated: PASSWORD }],
      ["/oauth2/verify-address", { code }],
    ] as const)
      expect((await submit(`${base}${path}`, fields)).status).toBe(400);
    expect((await complete(code, { username: "in-the-tenant" }, base)).status).toBe(200);
    const { body } = await tenant.ask("GET", "/scim2/Users?filter=userName+eq+in-the-tenant");
    expect(body.totalResults).toBe(1);
    const late = await codeFor(fresh());
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 25 * HOUR_MS });
    expect((await complete(late)).status).toBe(400);
  });
  test("refuse with a sentence, and keep what was entered", async () => {
    for (const address of ["", "kim", "kim@", "kim@exa mple.com", '"k m"@example.com', "kïm@example.com"])
      expect((await ask(address)).status).toBe(400);
    const code = await codeFor(fresh());
    await api.ask("POST", "/scim2/Users", { body: { userName: "taken", password: PASSWORD } });
    const refused: readonly (readonly [Fields, RegExp])[] = [
      [{ username: "" }, /Enter a user name/],
      [{ username: "TAKEN" }, /in use/],
      [{ username: "LDAP/kim" }, /cannot be a user name/],
      [{ username: "kim\u202Eevil" }, /cannot be a user name/],
      // Another person may sign in with it.
      [{ username: "victim@example.com" }, /cannot be a user name/],
      [{ username: "+49 170 1234567" }, /cannot be a user name/],
      [{ username: "someone@strict.example.unknown/" }, /cannot be a user name/],
      [{ password: "" }, /password/],
      [{ repeated: "something-Else-1" }, /not the same|differ/],
      [{ password: "password", repeated: "password" }, /common/],
      [{ password: "short", repeated: "short" }, /characters/],
    ];
    for (const [fields, says] of refused) {
      const { status, text } = await complete(code, { username: "fine-name", given: '"><i>', ...fields });
      expect([status, text.match(says) !== null, fields]).toEqual([400, true, fields]);
      expect(text).toContain("&quot;&gt;&lt;i&gt;");
      expect(text).not.toContain(PASSWORD);
    }
    expect((await complete(code)).status).toBe(200);
  });
  test("hold to the domains and the terms of a tenant", async () => {
    await newTenant("strict.example");
    const base = "/t/strict.example";
    expect((await ask("kim@evil.example", base)).text).toContain("cannot register here");
    expect((await ask("kim@sub.example.com", base)).status).toBe(400);
    expect(await mails.next()).toEqual([]);
    expect((await ask("kim@xn--bcher-kva.example", base)).status).toBe(200);
    await mails.next();
    const code = await codeFor(fresh().toUpperCase(), base);
    const { text } = await api.ask("GET", `${base}/oauth2/complete-registration?code=${code}`, { as: null });
    expect(text).toContain('href="https://example.com/terms?a=1&amp;b=2"');
    expect((await complete(code, {}, base)).text).toContain("Accept the terms");
    expect((await complete(code, { terms: "yes" }, base)).status).toBe(200);
  });
  test("are off where the operator has not switched them on, and in no other tenant then", async () => {
    await newTenant("closed.example");
    for (const path of ["register", "complete-registration?code=rg_x"]) {
      const shown = await api.ask("GET", `/t/closed.example/oauth2/${path}`, { as: null });
      expect(shown.status).toBe(404);
    }
    expect((await ask(fresh(), "/t/closed.example")).status).toBe(404);
    expect((await complete(await codeFor(fresh()), {}, "/t/closed.example")).status).toBe(404);
    expect((await ask(fresh(), "/t/nowhere.example")).status).toBe(404);
    const page = await api.ask("GET", "/t/closed.example/account", { as: null });
    expect(page.text).not.toContain("/oauth2/register");
  });
  test("are not sent by a page of another site", async () => {
    const headers = { "sec-fetch-site": "cross-site" };
    expect((await submit("/oauth2/register", { address: fresh() }, headers)).status).toBe(400);
    expect(await mails.next()).toEqual([]);
    const code = await codeFor(fresh());
    const fields = { code, username: "forced", password: PASSWORD, repeated: PASSWORD };
    expect((await submit("/oauth2/complete-registration", fields, headers)).status).toBe(400);
  });
});

describe("a flood", () => {
  test("sends an address five mails an hour, in whatever spelling", async () => {
    const address = fresh();
    for (let at = 0; at < 8; at += 1) expect((await ask(at % 2 ? address : ` ${address} `)).status).toBe(200);
    expect(await mails.next()).toHaveLength(5);
  });
  test("of many addresses ends at the limit of the tenant, which other tenants do not feel", async () => {
    await newTenant("small.example");
    const statuses = [];
    for (let at = 0; at < 5; at += 1) statuses.push((await ask(fresh(), "/t/small.example")).status);
    expect(statuses).toEqual([200, 200, 200, 429, 429]);
    expect((await ask(fresh())).status).toBe(200);
    expect((await mails.next()).length).toBe(4);
  });
});
