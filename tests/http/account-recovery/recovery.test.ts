/** Forgotten passwords by the API and the pages: what a person needs, and what a stranger tries. */
import { request } from "node:http";
import { afterEach, describe, expect, test, vi } from "vitest";
import { setUp, TWO_STEPS } from "#tests/support/codes.ts";
import { mailsOf } from "#tests/support/mails.ts";
import { oauthOf } from "#tests/support/oauth.ts";
import { saasOf } from "#tests/support/saas.ts";
import { PERSON, signInOf } from "#tests/support/sign-in.ts";
import { type Ask, basic, world } from "#tests/support/world.ts";

const BASE = "/api/users/v2/recovery";
const USER_NAME = "http://wso2.org/claims/username";
const EMAIL = "http://wso2.org/claims/emailaddress";
const NEW = "another-good-Password-2";
const PATCH_OP = "urn:ietf:params:scim:api:messages:2.0:PatchOp";
const SYSTEM = "urn:scim:wso2:schema";
const FORM = { "content-type": "application/x-www-form-urlencoded" };

const api = world({
  deployment: `[email]
sender = "Example <no-reply@example.com>"
provider = "outbox"
mails_per_name = 5
requests_per_source = 1000
[sign_in]
`,
});
/** The same with a low limit of requests. */
const limited = world({
  deployment: '[email]\nsender = "no-reply@example.com"\nprovider = "outbox"\nrequests_per_source = 5\n',
});
const { newApplication, requestOf, enter, browser } = signInOf(api);
const { post } = oauthOf(api);
const { newTenant } = saasOf(api);
const mails = mailsOf(api);
let count = 0;

afterEach(() => vi.useRealTimers());

const newPerson = async (attributes: object = {}) => {
  count += 1;
  const username = `forgetful-${count}`;
  const email = `${username}@example.com`;
  const { status, body, text } = await api.ask("POST", "/scim2/Users", {
    body: { userName: username, password: PERSON.password, emails: [{ value: email, primary: true }], ...attributes },
  });
  if (status !== 201) throw new Error(text);
  return { username, email, password: PERSON.password, id: body.id as string };
};
const patch = (id: string, value: object, more: Ask = {}) =>
  api.ask("PATCH", `/scim2/Users/${id}`, {
    body: { schemas: [PATCH_OP], Operations: [{ op: "replace", value }] },
    ...more,
  });
const call = (step: string, body: object, { tenant, headers }: { tenant?: string; headers?: Ask["headers"] } = {}) =>
  api.ask("POST", `${tenant === undefined ? "" : `/t/${tenant}`}${BASE}/${step}`, {
    body,
    as: null,
    ...(headers && { headers }),
  });
const claim = (value: string, uri = USER_NAME) => ({ claims: [{ uri, value }] });
const ask = async (
  name: string,
  { kind = "password", uri = USER_NAME, tenant = undefined as string | undefined } = {},
) => {
  const begun = await call(`${kind}/init`, claim(name, uri), tenant === undefined ? {} : { tenant });
  const { recoveryCode } = begun.body[0].channelInfo;
  const sent = await call(`${kind}/recover`, { recoveryCode, channelId: "1" }, tenant === undefined ? {} : { tenant });
  return { begun, sent };
};
/** Asks for a mail, and returns its code. */
const codeOf = async (name: string): Promise<string> => {
  await ask(name);
  // Besides notices of what was changed before.
  const mail = (await mails.next()).find(({ code }) => code !== "");
  if (!mail) throw new Error(`no mail for ${name}`);
  return mail.code;
};
const confirm = async (confirmationCode: string): Promise<string> =>
  (await call("password/confirm", { confirmationCode })).body.resetCode;
const signsIn = async (username: string, password: string): Promise<boolean> =>
  (await api.ask("GET", "/scim2/Me", { as: { username, password } })).status === 200;
const forget = (fields: Readonly<Record<string, string>>, headers: Ask["headers"] = {}) =>
  api.ask("POST", "/oauth2/forgot-password", {
    raw: new URLSearchParams(fields).toString(),
    headers: { ...FORM, ...headers },
    as: null,
  });
const resetByPage = (code: string, password: string, repeated = password, path = "/oauth2/reset-password") =>
  api.ask("POST", path, { raw: new URLSearchParams({ code, password, repeated }).toString(), headers: FORM, as: null });

describe("initPasswordRecovery, recoverPassword, confirmPasswordRecovery, resetPassword, resendPasswordRecovery", () => {
  test("lead from a name to a new password, and the person is told", async () => {
    const person = await newPerson();
    const { begun, sent } = await ask(person.username);
    expect(begun.status).toBe(200);
    expect(begun.body[0]).toMatchObject({
      mode: "recoverWithNotifications",
      channelInfo: { channels: [{ id: "1", type: "EMAIL", value: "**********", preferred: true }] },
      links: [{ rel: "next", href: `${BASE}/password/recover`, type: "POST" }],
    });
    expect(sent.status).toBe(202);
    expect(sent.body).toMatchObject({ code: "PWR-02002", notificationChannel: "EMAIL" });
    expect(sent.body.flowConfirmationCode).toBe(begun.body[0].flowConfirmationCode);
    const [mail, ...more] = await mails.next();
    expect([mail?.to, mail?.from, more]).toEqual([person.email, '"Example" <no-reply@example.com>', []]);
    expect(mail?.text).toContain(person.username);
    const confirmed = await call("password/confirm", { confirmationCode: mail?.code });
    expect(confirmed.status).toBe(200);
    const weak = await call("password/reset", { resetCode: confirmed.body.resetCode, password: "short" });
    expect([weak.status, weak.body.code]).toEqual([412, "PWR-10001"]);
    const { flowConfirmationCode } = sent.body;
    const done = await call("password/reset", {
      ...{ resetCode: confirmed.body.resetCode, flowConfirmationCode, password: NEW },
    });
    expect([done.status, done.body.code]).toEqual([200, "PWR-02005"]);
    expect([await signsIn(person.username, person.password), await signsIn(person.username, NEW)]).toEqual([
      false,
      true,
    ]);
    const [told] = await mails.next();
    expect([told?.to, told?.subject]).toEqual([person.email, "Your password for carbon.super was changed"]);
  });

  test("a mail can be sent again, and says the same in German", async () => {
    const person = await newPerson();
    const { sent } = await ask(person.username);
    const again = await call(
      "password/resend",
      { resendCode: sent.body.resendCode },
      { headers: { "accept-language": "de" } },
    );
    expect([again.status, again.body.flowConfirmationCode]).toEqual([202, sent.body.flowConfirmationCode]);
    expect((await mails.next()).map(({ subject }) => subject).sort()).toEqual([
      "Choose a new password for carbon.super",
      "Neues Passwort für carbon.super wählen",
    ]);
  });

  test("an address finds the account that alone has it", async () => {
    const person = await newPerson();
    await ask(person.email.toUpperCase(), { uri: EMAIL });
    expect((await mails.next()).map(({ to }) => to)).toEqual([person.email]);
    await newPerson({ emails: [{ value: person.email, primary: true }] });
    await ask(person.email, { uri: EMAIL });
    expect(await mails.next()).toEqual([]);
  });

  test("answer the same for every account, and where there is none", async () => {
    const [person, locked, disabled, inactive, alone, hidden] = [
      await newPerson(),
      await newPerson({ [SYSTEM]: { accountLocked: true } }),
      await newPerson({ [SYSTEM]: { accountDisabled: true } }),
      await newPerson({ active: false }),
      await newPerson({ emails: [] }),
      await newPerson({ [SYSTEM]: { emailVerified: false } }),
    ];
    const names = ["no.such.person", "CORP/someone", "kim@elsewhere.example", "x\u0000y", "🦊"];
    for (const { username } of [locked, disabled, inactive, alone, hidden]) names.push(username);
    const shapeOf = ({ status, headers, body }: Awaited<ReturnType<typeof call>>) => ({
      status,
      headers: [...headers.keys()].sort(),
      body: JSON.parse(JSON.stringify(body), (_, value) =>
        typeof value !== "string" ? value : value.length > 40 ? "a code" : value,
      ),
    });
    const known = await ask(person.username);
    expect(await mails.next()).toHaveLength(1);
    for (const name of names) {
      const { begun, sent } = await ask(name);
      expect(shapeOf(begun), name).toEqual(shapeOf(known.begun));
      expect(shapeOf(sent), name).toEqual(shapeOf(known.sent));
      expect(await mails.next(), name).toEqual([]);
    }
  });

  test.each([
    ["another claim", claim("kim", "http://wso2.org/claims/givenname"), 400],
    ["no claim", { claims: [] }, 400],
    ["two claims", { claims: [claim("kim").claims[0], claim("kim").claims[0]] }, 400],
    ["a claim without a value", { claims: [{ uri: USER_NAME }] }, 400],
    ["a value that is no text", { claims: [{ uri: USER_NAME, value: { a: 1 } }] }, 400],
    ["claims that are no list", { claims: "kim" }, 400],
    ["nothing", {}, 400],
  ])("%s is refused", async (_, body, status) => {
    expect((await call("password/init", body)).status).toBe(status);
  });

  test("codes count at their own step, tenant and recovery alone", async () => {
    const [person, other] = [await newPerson(), await newPerson()];
    const shop = await newTenant("recovering.example");
    const { begun, sent } = await ask(person.username);
    const { recoveryCode } = begun.body[0].channelInfo;
    const { resendCode } = sent.body;
    const names = await call("username/init", claim(person.email, EMAIL));
    const ofNames = names.body[0].channelInfo.recoveryCode;
    const [mail] = await mails.next();
    const code = mail?.code ?? "";
    const resetCode = await confirm(await codeOf(other.username));
    const refused = [
      ["password/recover", { recoveryCode: resendCode, channelId: "1" }],
      ["password/recover", { recoveryCode: ofNames, channelId: "1" }],
      ["username/recover", { recoveryCode, channelId: "1" }],
      ["password/recover", { recoveryCode: `${recoveryCode}x`, channelId: "1" }],
      ["password/recover", { recoveryCode, channelId: "2" }],
      ["password/resend", { resendCode: recoveryCode }],
      ["password/confirm", { confirmationCode: resetCode }],
      ["password/confirm", { confirmationCode: recoveryCode }],
      ["password/confirm", { confirmationCode: sent.body.flowConfirmationCode }],
      ["password/confirm", { confirmationCode: `ml_${"A".repeat(43)}` }],
      ["password/reset", { resetCode: code, password: NEW }],
      ["password/reset", { resetCode: recoveryCode, password: NEW }],
      ["password/reset", { resetCode: `nw_${"A".repeat(43)}`, password: NEW }],
      ["password/reset", { resetCode, flowConfirmationCode: sent.body.flowConfirmationCode, password: NEW }],
      ["password/reset", { resetCode, flowConfirmationCode: "x", password: NEW }],
    ] as const;
    for (const [step, body] of refused) {
      const { status, body: answer } = await call(step, body);
      expect([status, answer.code], `${step} ${JSON.stringify(body)}`).toEqual([406, "PWR-10003"]);
    }
    for (const [step, body] of [
      ["password/recover", { recoveryCode, channelId: "1" }],
      ["password/resend", { resendCode }],
      ["password/confirm", { confirmationCode: code }],
      ["password/reset", { resetCode, password: NEW }],
    ] as const) {
      expect((await call(step, body, { tenant: shop.domain })).status, step).toBe(406);
    }
    expect((await resetByPage(resetCode, NEW)).status).toBe(400);
    expect((await resetByPage(code, NEW, NEW, `/t/${shop.domain}/oauth2/reset-password`)).status).toBe(400);
    expect(await mails.next()).toEqual([]);
    for (const { username, password } of [person, other]) expect(await signsIn(username, password)).toBe(true);
    // What was refused has used nothing up.
    expect((await call("password/reset", { resetCode, password: NEW })).status).toBe(200);
    expect((await resetByPage(code, NEW)).status).toBe(200);
    await mails.next();
  });

  test("a code counts once, and others of the user end with it", async () => {
    const person = await newPerson();
    const [first, second] = [await codeOf(person.username), await codeOf(person.username)];
    const resetCode = await confirm(first);
    expect((await call("password/confirm", { confirmationCode: first })).status).toBe(406);
    expect((await resetByPage(first, NEW)).status).toBe(400);
    expect((await call("password/reset", { resetCode, password: NEW })).status).toBe(200);
    expect((await call("password/reset", { resetCode, password: `${NEW}-again` })).status).toBe(406);
    expect((await call("password/confirm", { confirmationCode: second })).status).toBe(406);
    expect((await resetByPage(second, `${NEW}-again`)).status).toBe(400);
    expect(await signsIn(person.username, NEW)).toBe(true);
    await mails.next();
  });

  test("of several at once, with one code or two, one sets the password", async () => {
    const person = await newPerson();
    const [one, two] = [await codeOf(person.username), await codeOf(person.username)];
    const passwords = Array.from({ length: 6 }, (_, at) => `${NEW}-${at}`);
    const answers = await Promise.all(passwords.map((password, at) => resetByPage(at % 2 ? one : two, password)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 400, 400, 400, 400, 400]);
    const won = answers.findIndex(({ status }) => status === 200);
    expect(await Promise.all(passwords.map((password) => signsIn(person.username, password)))).toEqual(
      passwords.map((_, at) => at === won),
    );
    expect(await mails.next()).toHaveLength(1);
  });

  test.each([
    ["half an hour", async () => vi.setSystemTime(Date.now() + 31 * 60_000)],
    ["another password", async (id: string) => patch(id, { password: "yet-another-Password-3" })],
    [
      "another address",
      async (id: string) => patch(id, { emails: [{ value: "elsewhere@example.com", primary: true }] }),
    ],
    ["a lock", async (id: string) => patch(id, { [SYSTEM]: { accountLocked: true } })],
    [
      "a lock that has ended",
      async (id: string) => {
        await patch(id, { [SYSTEM]: { accountLocked: true } });
        await patch(id, { [SYSTEM]: { accountLocked: false } });
      },
    ],
    ["a deactivation", async (id: string) => patch(id, { active: false })],
    ["a deletion", async (id: string) => api.ask("DELETE", `/scim2/Users/${id}`)],
  ])("%s ends links", async (_, end) => {
    vi.useFakeTimers({ toFake: ["Date"] });
    const person = await newPerson();
    const code = await codeOf(person.username);
    const resetCode = await confirm(await codeOf(person.username));
    await end(person.id);
    expect((await call("password/confirm", { confirmationCode: code })).status).toBe(406);
    expect((await call("password/reset", { resetCode, password: NEW })).status).toBe(406);
    expect((await api.ask("GET", `/oauth2/reset-password?code=${code}`, { as: null })).status).toBe(400);
    expect((await resetByPage(code, NEW)).status).toBe(400);
    expect(await signsIn(person.username, NEW)).toBe(false);
    expect((await mails.next()).filter((mail) => mail.link?.pathname === "/oauth2/reset-password")).toEqual([]);
  });

  test("a link begins with the configured address, whatever host a request names", async () => {
    const person = await newPerson();
    const { port } = new URL(api.url);
    const body = new URLSearchParams({ username: person.username }).toString();
    const headers = {
      ...FORM,
      host: "127.0.0.1",
      "x-forwarded-host": "evil.example",
      forwarded: "host=evil.example;proto=http",
      "x-forwarded-proto": "ftp",
      "x-original-host": "evil.example",
      "content-length": String(Buffer.byteLength(body)),
    };
    const status = await new Promise((resolve, reject) => {
      const sent = request(
        { port, host: "127.0.0.1", method: "POST", path: "/oauth2/forgot-password", headers },
        (answer) => {
          answer.resume();
          answer.on("end", () => resolve(answer.statusCode));
        },
      );
      sent.on("error", reject);
      sent.end(body);
    });
    expect(status).toBe(200);
    const [mail] = await mails.next();
    expect(mail?.link?.origin).toBe(api.url);
    expect(mail?.bytes.toString()).not.toContain("evil.example");
  });

  test("an address that the user wrote gets nothing, until another one writes or verifies it", async () => {
    const person = await newPerson();
    const own = basic(person);
    const value = { emails: [{ value: "thief@example.net", primary: true }] };
    const changed = await api.ask("PATCH", "/scim2/Me", {
      body: { schemas: [PATCH_OP], Operations: [{ op: "replace", value }] },
      as: own,
    });
    expect(changed.status, changed.text).toBe(200);
    const names = async () => {
      // Notices of the change.
      await mails.next();
      await ask(person.username);
      await ask("thief@example.net", { kind: "username", uri: EMAIL });
      return (await mails.next()).map(({ to }) => to);
    };
    expect(await names()).toEqual([]);
    await patch(person.id, { [SYSTEM]: { emailVerified: true } });
    expect(await names()).toEqual(["thief@example.net", "thief@example.net"]);
    await patch(person.id, { emails: [{ value: person.email, primary: true }] });
    expect(await names()).toEqual([person.email]);
  });

  test("a reset ends sessions and refresh tokens, and lifts no second factor", async () => {
    const [client, both] = [await newApplication(), await newApplication({}, TWO_STEPS)];
    const person = await newPerson();
    const page = browser();
    await page.open(requestOf(both));
    const { done } = await setUp(page, await enter(page, person));
    expect(done.location?.searchParams.get("code")).toMatch(/^ac_/);
    const grants = await newApplication({ grantTypes: ["authorization_code", "password", "refresh_token"] });
    const { body: tokens } = await post(
      "/oauth2/token",
      { grant_type: "password", ...person, scope: "openid" },
      grants,
    );
    expect((await page.open(requestOf(client, { prompt: "none" }))).location?.searchParams.get("code")).toMatch(/^ac_/);
    expect((await resetByPage(await codeOf(person.username), NEW)).status).toBe(200);
    const silent = await page.open(requestOf(client, { prompt: "none" }));
    expect(silent.location?.searchParams.get("error")).toBe("login_required");
    const refreshed = await post(
      "/oauth2/token",
      { grant_type: "refresh_token", refresh_token: tokens.refresh_token },
      grants,
    );
    expect(refreshed.body.error).toBe("invalid_grant");
    const again = browser();
    await again.open(requestOf(both));
    expect((await enter(again, { ...person, password: NEW })).title).toContain("Enter your code");
    await mails.next();
  });
});

describe("initUserNameRecovery, recoverUserName", () => {
  test("send the names of the accounts with an address to that address alone", async () => {
    const person = await newPerson();
    const twin = await newPerson({ emails: [{ value: person.email, primary: true }] });
    const second = await newPerson({
      emails: [{ value: "first@example.com", primary: true }, { value: person.email }],
    });
    const { begun, sent } = await ask(person.email, { kind: "username", uri: EMAIL });
    expect(begun.body[0].flowConfirmationCode).toBeUndefined();
    expect(sent.body).toEqual({
      code: "UNR-02001",
      message: "The mail is sent if there is such an account.",
      notificationChannel: "EMAIL",
    });
    const all = await mails.next();
    expect(all.map(({ to }) => to)).toEqual([person.email]);
    expect(all[0]?.text).toContain(person.username);
    expect(all[0]?.text).toContain(twin.username);
    expect(all[0]?.text).not.toContain(second.username);
  });
  test("answer the same for an unknown address", async () => {
    const { begun, sent } = await ask("unknown@example.com", { kind: "username", uri: EMAIL });
    expect([begun.status, sent.status]).toEqual([200, 202]);
    expect(await mails.next()).toEqual([]);
    expect((await call("username/init", claim("kim"))).status).toBe(400);
  });
});

describe("showForgotPassword, forgotPassword, showResetPassword, resetForgottenPassword", () => {
  test("lead from the page of sign-in to a new password, without JavaScript", async () => {
    const client = await newApplication();
    const person = await newPerson();
    const page = browser();
    const shown = await page.open(requestOf(client));
    expect(shown.html).toContain('<a href="/oauth2/forgot-password">Forgot your password?</a>');
    const form = await page.open("/oauth2/forgot-password");
    expect([form.status, form.html.includes("<script")]).toEqual([200, false]);
    expect((await page.submit({ username: "  " })).alert).toBe("Enter your user name or your e-mail address.");
    expect((await page.submit({ username: person.username })).title).toBe("Look at your mail");
    const [mail] = await mails.next();
    const { pathname, search } = mail?.link ?? new URL(api.url);
    // A program that looks at mails opens links, and does not use them up.
    for (let opened = 0; opened < 3; opened += 1) await page.open(pathname + search);
    const reset = await page.open(pathname + search);
    expect([reset.status, reset.title]).toEqual([200, "Choose a new password"]);
    expect((await page.submit({ password: NEW, repeated: "another" })).alert).toBe(
      "The two passwords are not the same.",
    );
    expect((await page.submit({ password: "short", repeated: "short" })).alert).toContain("must have 8 to 100");
    const done = await page.submit({ password: NEW, repeated: NEW });
    expect([done.status, done.title]).toEqual([200, "Your password is changed"]);
    expect((await page.open(pathname + search)).title).toBe("This link does not work any more");
    await page.open(requestOf(client));
    expect((await enter(page, { ...person, password: NEW })).location?.searchParams.get("code")).toMatch(/^ac_/);
    await mails.next();
  });

  test("the page says the same for every name", async () => {
    const person = await newPerson();
    const [known, unknown] = [
      await forget({ username: person.username }),
      await forget({ username: "no.such.person" }),
    ];
    expect([known.status, unknown.status, known.text]).toEqual([200, 200, unknown.text]);
    await mails.next();
  });

  test("a page of another site cannot send the forms", async () => {
    const person = await newPerson();
    const foreign = { "sec-fetch-site": "cross-site" };
    expect((await forget({ username: person.username }, foreign)).status).toBe(400);
    expect(await mails.next()).toEqual([]);
  });

  test("a link of a tenant leads to its pages, and counts there alone", async () => {
    const shop = await newTenant("forgetting.example");
    await shop.newUser("sam", PERSON.password, { emails: [{ value: "sam@forgetting.example", primary: true }] });
    await ask("sam");
    expect(await mails.next()).toEqual([]);
    await ask("sam", { tenant: shop.domain });
    const [mail] = await mails.next();
    expect([mail?.to, mail?.link?.pathname]).toEqual([
      "sam@forgetting.example",
      "/t/forgetting.example/oauth2/reset-password",
    ]);
    expect((await resetByPage(mail?.code ?? "", NEW)).status).toBe(400);
    expect((await resetByPage(mail?.code ?? "", NEW, NEW, mail?.link?.pathname)).status).toBe(200);
    await shop.setActive(false);
    expect((await call("password/init", claim("sam"), { tenant: shop.domain })).status).toBe(404);
    expect((await call("password/init", claim("sam"), { tenant: "none.example" })).status).toBe(404);
    await mails.next();
  });

  test("what a user is called comes into a mail as it is, without effect", async () => {
    const username = '<b>&quot;eve.example"';
    const made = await api.ask("POST", "/scim2/Users", {
      body: { userName: username, password: PERSON.password, emails: [{ value: "eve@example.com", primary: true }] },
    });
    expect(made.status, made.text).toBe(201);
    await ask(username);
    const [mail] = await mails.next();
    expect(mail?.text).toContain(username);
    expect(mail?.html).toContain("&lt;b&gt;&amp;quot;eve.example&quot;");
  });

  test("addresses that a header could read as others get nothing", async () => {
    for (const value of [
      "a@example.com,b@example.com",
      '"x"@example.com',
      "x@example.com\r\nBcc: y@example.com",
      "jürgen@example.com",
      "x@[127.0.0.1]",
      "<x@example.com>",
    ]) {
      const { username } = await newPerson({ emails: [{ value, primary: true }] });
      await ask(username);
      expect(await mails.next(), value).toEqual([]);
    }
  });
});

describe("limits", () => {
  test("a name gets five mails an hour, in whatever spelling; others get theirs", async () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    vi.setSystemTime(Math.ceil(Date.now() / 3_600_000) * 3_600_000 + 60_000);
    const [person, other] = [await newPerson(), await newPerson()];
    const name = person.username;
    const spellings = [name, name.toUpperCase(), `PRIMARY/${name}`, ` ${name} `, `${name}@carbon.super`, name, name];
    for (const each of spellings) expect((await ask(each)).sent.status).toBe(202);
    expect(await mails.next()).toHaveLength(5);
    await ask(other.username);
    expect(await mails.next()).toHaveLength(1);
    vi.setSystemTime(Date.now() + 3_600_000);
    await ask(name);
    expect(await mails.next()).toHaveLength(1);
  });

  test("an address gets ten mails an hour, for whatever names", async () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    vi.setSystemTime(Math.ceil(Date.now() / 3_600_000) * 3_600_000 + 3_660_000);
    const emails = [{ value: "shared@example.com", primary: true }];
    for (let at = 0; at < 12; at += 1) await ask((await newPerson({ emails })).username);
    expect(await mails.next()).toHaveLength(10);
  });

  test("a source gets five answers an hour, from the API and the page, in all tenants", async () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    vi.setSystemTime(Math.ceil(Date.now() / 3_600_000) * 3_600_000 + 60_000);
    const begin = (path = "") =>
      limited.ask("POST", `${path}${BASE}/password/init`, { body: claim("unknown"), as: null });
    const form = () =>
      limited.ask("POST", "/oauth2/forgot-password", {
        raw: "username=unknown",
        headers: { "content-type": "application/x-www-form-urlencoded", "sec-fetch-site": "same-origin" },
        as: null,
      });
    const answers = [await begin(), await begin("/t/carbon.super"), await begin(), await form(), await form()];
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
    expect([(await begin()).status, (await form()).status]).toEqual([429, 429]);
    vi.setSystemTime(Date.now() + 3_600_000);
    expect((await begin()).status).toBe(200);
  });
});
