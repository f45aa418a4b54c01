/** Ways to say who one is without a password: a passkey, a code by mail, a link by mail (decision 0184). */
import { afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import type { Browser, Shown } from "#tests/support/browsing.ts";
import { sequenceOf, setUp, TWO_STEPS } from "#tests/support/codes.ts";
import { mailsOf, type ReadMail } from "#tests/support/mails.ts";
import { oauthOf, type TestClient } from "#tests/support/oauth.ts";
import { create, PASSKEY_STEP, use } from "#tests/support/passkeys.ts";
import { claimsIn, PERSON, signInOf } from "#tests/support/sign-in.ts";
import { world } from "#tests/support/world.ts";
import { askedIn, codeAt, newAuthenticator, STEP_MS } from "#tools/examples/authenticator.ts";

const api = world();
const { newApplication, requestOf, enter, answerOf, redeem, browser } = signInOf(api);
const { post } = oauthOf(api);
const mails = mailsOf(api);
const PATCH_OP = "urn:ietf:params:scim:api:messages:2.0:PatchOp";
const [BASIC, FIDO, TOTP] = ["BasicAuthenticator", "FIDOAuthenticator", "totp"];
const [CODE, LINK] = ["email-otp-authenticator", "MagicLinkAuthenticator"];
const HOUR_MS = 60 * 60_000;
let setup: TestClient;
let byPasskey: TestClient;
let byEither: TestClient;
let byCode: TestClient;
let byLink: TestClient;
let count = 0;

beforeAll(async () => {
  setup = await newApplication({}, PASSKEY_STEP);
  byPasskey = await newApplication({}, sequenceOf([FIDO]));
  byEither = await newApplication({}, sequenceOf([BASIC, FIDO, CODE]));
  byCode = await newApplication({}, sequenceOf([CODE]));
  byLink = await newApplication({}, sequenceOf([LINK]));
});
afterEach(() => vi.useRealTimers());

const later = (ms: number) => vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + ms });

const newPerson = async (attributes: object = {}) => {
  count += 1;
  const username = `person-${count}`;
  const mail = `${username}@example.com`;
  const { body, status, text } = await api.ask("POST", "/scim2/Users", {
    body: { userName: username, password: PERSON.password, emails: [{ value: mail, primary: true }], ...attributes },
  });
  if (status !== 201) throw new Error(text);
  return { username, password: PERSON.password, mail, id: body.id as string };
};
const change = async (id: string, value: object) => {
  const body = { schemas: [PATCH_OP], Operations: [{ op: "replace", value }] };
  const answer = await api.ask("PATCH", `/scim2/Users/${id}`, { body });
  if (answer.status !== 200) throw new Error(answer.text);
  return answer;
};
/** A person with a passkey, and the authenticator. */
const withPasskey = async () => {
  const person = await newPerson();
  const key = newAuthenticator(api.url);
  const page = browser();
  await page.open(requestOf(setup));
  const done = await create(page, await enter(page, person), key);
  if (!done.location) throw new Error(done.html);
  // Each challenge is later than the one before.
  later(1);
  return { person, key };
};
const idTokenOf = async (client: TestClient, shown: Shown) =>
  claimsIn((await redeem(client, answerOf(shown).code)).body.id_token);
const codeIn = ({ text }: ReadMail): string => /\d{4} \d{4}/.exec(text)?.[0] ?? "";
/** At the page that waits for the mail of a name. */
const asking = async (client: TestClient, username: string, way = "mail-code") => {
  const page = browser();
  await page.open(requestOf(client));
  return { page, shown: await page.submit({ username, choice: way }) };
};
const mailTo = async ({ mail }: { readonly mail: string }) =>
  (await mails.next()).filter(({ to, subject }) => to === mail && /^(Your code|Sign in)/.test(subject));
const codeFor = async (person: { readonly username: string; readonly mail: string }, client = byCode) => {
  const { page } = await asking(client, person.username);
  const [mail] = await mailTo(person);
  if (!mail) throw new Error("no mail");
  return { page, code: codeIn(mail) };
};
const linkFor = async (person: { readonly username: string; readonly mail: string }, client = byLink) => {
  const { page, shown } = await asking(client, person.username, "mail-link");
  const [mail] = await mailTo(person);
  if (!mail?.link) throw new Error("no mail");
  return { page, shown, path: `${mail.link.pathname}${mail.link.search}` };
};

describe("signIn: by a passkey", () => {
  test("needs no name, and is more than a password: amr and acr say so", async () => {
    const { person, key } = await withPasskey();
    const page = browser();
    const shown = await page.open(requestOf(byPasskey));
    expect(shown.html).not.toContain('name="username"');
    expect(askedIn(shown)).toMatchObject({ allowCredentials: [], userVerification: "required" });
    const claims = await idTokenOf(byPasskey, await use(page, shown, key));
    expect(claims).toMatchObject({ sub: person.id, amr: ["pop", "user", "mfa"], acr: "mfa" });
  });
  test("stands next to the password where the application takes both, in the field of the name too", async () => {
    const { person, key } = await withPasskey();
    const page = browser();
    const shown = await page.open(requestOf(byEither));
    expect(shown.html).toContain('autocomplete="username webauthn"');
    expect((await idTokenOf(byEither, await use(page, shown, key))).sub).toBe(person.id);
    const other = browser();
    await other.open(requestOf(byEither));
    expect((await idTokenOf(byEither, await enter(other, person))).amr).toEqual(["pwd"]);
  });
  test("is not enough where the password is a step of its own, and the password page goes on from there", async () => {
    const { person, key } = await withPasskey();
    const both = await newApplication({}, sequenceOf([FIDO], [BASIC]));
    const page = browser();
    const shown = await page.open(requestOf(both));
    const asked = await use(page, shown, key);
    expect([asked.title, asked.location]).toEqual([expect.stringContaining("Sign in to"), undefined]);
    expect(asked.html).not.toContain("data-passkey");
    const wrong = await page.submit({ username: person.username, password: "wrong-Password-1" });
    expect(wrong.status).toBe(400);
    const claims = await idTokenOf(both, await page.submit({ username: person.username, password: person.password }));
    expect(claims.amr).toEqual(["pwd", "pop", "user", "mfa"]);
  });
  test("does not become fresh by a later password: after five minutes it is asked for again", async () => {
    const { person, key } = await withPasskey();
    const both = await newApplication({}, sequenceOf([FIDO], [BASIC]));
    const page = browser();
    await use(page, await page.open(requestOf(byPasskey)), key);
    later(6 * 60_000);
    const asked = await page.open(requestOf(both));
    expect(asked.title).toContain("Sign in to");
    const shown = await page.submit({ username: person.username, password: person.password });
    expect([shown.location, shown.title]).toEqual([undefined, "Use your passkey"]);
    const claims = await idTokenOf(both, await use(page, shown, key));
    expect(claims.amr).toEqual(["pwd", "pop", "user", "mfa"]);
    expect(Date.now() / 1_000 - claims.auth_time).toBeLessThan(60);
  });
  test("is what the application asks for, whatever class the client asks for", async () => {
    const [{ person, key }, strict] = [await withPasskey(), await newApplication({}, TWO_STEPS)];
    const page = browser();
    await page.open(requestOf(strict));
    const shown = await enter(page, person);
    // The passkey that is there is proven before codes are set up.
    await setUp(page, await use(page, shown, key));
    const withCode = browser();
    await withCode.open(requestOf(strict));
    await enter(withCode, person);
    later(2 * STEP_MS);
    const plain = await newApplication();
    for (const fields of [{}, { acr_values: "mfa" }]) {
      expect((await page.open(requestOf(byPasskey, fields))).location?.searchParams.get("code")).toBeTruthy();
    }
    const alone = browser();
    await use(alone, await alone.open(requestOf(byPasskey)), key);
    for (const fields of [{}, { acr_values: "mfa" }]) {
      expect((await alone.open(requestOf(plain, fields))).title).toContain("Sign in to");
    }
  });
  test("of another person than the one of the password adds nothing", async () => {
    const { key } = await withPasskey();
    const other = await newPerson();
    const both = await newApplication({}, sequenceOf([FIDO], [BASIC]));
    const page = browser();
    await use(page, await page.open(requestOf(both)), key);
    const shown = await page.submit({ username: other.username, password: other.password });
    expect([shown.location, shown.title]).toEqual([undefined, "Create a passkey"]);
  });
  test("opens the own account, and sets up another passkey there", async () => {
    const { key } = await withPasskey();
    const page = browser();
    const shown = await page.open("/account/sign-in");
    const account = await use(page, shown, key);
    expect(account.title).toContain("account");
    later(1);
    const again = await page.open("/account/sign-in?task=passkey");
    const next = await use(page, again, key);
    expect(next.title).toBe("Create a passkey");
  });

  describe("does not count", () => {
    const refused = async (act: (page: Browser, shown: Shown) => Promise<Shown>) => {
      const page = browser();
      const answer = await act(page, await page.open(requestOf(byPasskey)));
      return [answer.status, answer.alert ?? (page.cookies.has("__Host-session") ? "signed in" : "")];
    };
    const UNKNOWN = [400, expect.stringContaining("belongs to no account here")];
    test.each([
      ["where the authenticator has not verified its user", { flags: 1 }],
      ["without the handle of a user", { userHandle: undefined }],
      ["for another site", { rpId: "evil.example" }],
      ["from a page of another site", { origin: "https://evil.example" }],
      [
        "with a changed signature",
        { tamper: (signature: Buffer) => Buffer.from(signature.map((byte, at) => (at === 40 ? byte ^ 1 : byte))) },
      ],
      ["of another challenge", { challenge: "A".repeat(43) }],
      ["of an unknown key", { id: "A".repeat(43) }],
      ["with a handle longer than any key", { userHandle: Buffer.alloc(3_000, "a").toString("base64url") }],
      ["with a handle that is none", { userHandle: "A".repeat(22) }],
      [
        "with a handle that leads to another row",
        { userHandle: Buffer.from("0123456789abcdefx#LOCK").toString("base64url") },
      ],
    ] as const)("%s", async (_, lies) => {
      const { key } = await withPasskey();
      expect(await refused((page, shown) => use(page, shown, key, lies))).toEqual(UNKNOWN);
    });
    test("with the handle of another user", async () => {
      const [{ key }, victim] = [await withPasskey(), await withPasskey()];
      const page = browser();
      const handle = JSON.parse(victim.key.get(askedIn(await page.open(requestOf(byPasskey))))).response.userHandle;
      expect(await refused((at, shown) => use(at, shown, key, { userHandle: handle }))).toEqual(UNKNOWN);
    });
    test("twice, and not from the page of another browser", async () => {
      const { key } = await withPasskey();
      const page = browser();
      const shown = await page.open(requestOf(byPasskey));
      const credential = key.get(askedIn(shown));
      const fields = page.fields();
      expect((await page.submit({ credential })).status).toBe(303);
      const again = await page.post("/oauth2/sign-in", { ...fields, credential });
      expect([again.status, again.location]).toEqual([400, undefined]);
      const other = browser();
      await other.open(requestOf(byPasskey));
      expect((await other.post("/oauth2/sign-in", { ...fields, credential })).status).toBe(400);
    });
    test("of a disabled or deleted user, and once an administrator has taken it away", async () => {
      const [disabled, deleted, without] = [await withPasskey(), await withPasskey(), await withPasskey()];
      await change(disabled.person.id, { active: false });
      await api.ask("DELETE", `/scim2/Users/${deleted.person.id}`);
      await change(without.person.id, { "urn:scim:wso2:schema": { enabledAuthenticators: "none" } });
      for (const { person, key } of [disabled, deleted, without]) {
        expect([person, ...(await refused((page, shown) => use(page, shown, key)))]).toEqual([person, ...UNKNOWN]);
      }
    });
    test("in another tenant", async () => {
      const { key } = await withPasskey();
      const domain = `tenant-${count}.example`;
      await api.ask("POST", "/api/server/v1/tenants", {
        body: {
          domain,
          owners: [
            {
              username: "owner",
              password: "A-good-Password-9",
              email: `o@${domain}`,
              firstname: "O",
              lastname: "W",
              provisioningMethod: "inline-password",
            },
          ],
        },
      });
      const page = browser();
      const shown = await page.open(`/t/${domain}/account/sign-in`);
      const answer = await use(page, shown, key);
      expect([answer.status, answer.alert]).toEqual(UNKNOWN);
    });
    test("after twenty wrong answers with the right handle; a password still does", async () => {
      const { person, key } = await withPasskey();
      for (let attempt = 0; attempt < 20; attempt += 1) {
        await refused((page, shown) => use(page, shown, key, { challenge: "A".repeat(43) }));
      }
      expect(await refused((page, shown) => use(page, shown, key))).toEqual([
        400,
        expect.stringContaining("Too many attempts"),
      ]);
      const page = browser();
      await page.open(requestOf(byEither));
      expect((await enter(page, person)).status).toBe(303);
    });
  });
});

describe("signIn, enterMailedCode", () => {
  test("a code of a mail says who the person is: by the user name, or by the address", async () => {
    const person = await newPerson();
    for (const name of [person.username, ` ${person.mail.toUpperCase()} `]) {
      const { page, shown } = await asking(byCode, name);
      expect([shown.status, shown.title]).toEqual([200, "Enter the code of the e-mail"]);
      const [mail] = await mailTo(person);
      if (!mail) throw new Error("no mail");
      expect([mail.subject, mail.text]).toEqual([
        "Your code for carbon.super",
        expect.stringContaining(person.username),
      ]);
      expect(mail.html).toContain(codeIn(mail));
      const claims = await idTokenOf(byCode, await page.submit({ code: codeIn(mail) }));
      expect(claims).toMatchObject({ sub: person.id, amr: ["otp"], acr: "pwd" });
    }
  });
  test("counts once, on its page alone, for ten minutes", async () => {
    const person = await newPerson();
    const first = await codeFor(person);
    const second = await codeFor(person);
    const fields = second.page.fields();
    expect((await first.page.submit({ code: second.code })).alert).toContain("The code is wrong");
    expect((await second.page.submit({ code: second.code.replace(" ", "-") })).status).toBe(303);
    expect((await second.page.post("/oauth2/sign-in/code", { ...fields, code: second.code })).status).toBe(400);
    const late = await codeFor(person);
    later(10 * 60_000);
    expect((await late.page.submit({ code: late.code })).status).toBe(400);
  });
  test("five attempts count; the sixth is refused, even the right one", async () => {
    const person = await newPerson();
    const { page, code } = await codeFor(person);
    const wrong = code.replace(/^\d/, (digit) => String((Number(digit) + 1) % 10));
    for (let attempt = 0; attempt < 5; attempt += 1) {
      expect((await page.submit({ code: wrong })).alert).toContain("The code is wrong");
    }
    expect((await page.submit({ code })).alert).toContain("Too many wrong codes");
    await page.submit({ choice: "again" });
    const [mail] = await mailTo(person);
    expect((await page.submit({ code: codeIn(mail as ReadMail) })).status).toBe(303);
  });
  test("of many at once, one succeeds", async () => {
    const { page, code } = await codeFor(await newPerson());
    const fields = page.fields();
    const answers = await Promise.all(
      Array.from({ length: 4 }, () => page.post("/oauth2/sign-in/code", { ...fields, code })),
    );
    expect(answers.filter(({ status }) => status === 303)).toHaveLength(1);
  });
  test("who does not exist, may not sign in, or has no address sees the same page and gets no mail", async () => {
    const [person, disabled, without] = [await newPerson(), await newPerson(), await newPerson({ emails: [] })];
    await change(disabled.id, { active: false });
    const plain = (html: string) => html.replaceAll(/value="[^"]*"/g, "").replaceAll(/as [\w.@-]+\./g, "");
    const page = plain((await asking(byCode, person.username)).shown.html);
    expect(await mailTo(person)).toHaveLength(1);
    for (const name of ["no-such-person", "no-such@example.com", disabled.username, without.username]) {
      expect(plain((await asking(byCode, name)).shown.html)).toBe(page);
    }
    expect(await mails.next()).toEqual([]);
  });
  test("does not count once the address has changed, the user was disabled, or signed out everywhere", async () => {
    const acts = [
      (id: string) => change(id, { emails: [{ value: "other@example.com", primary: true }] }),
      (id: string) => change(id, { active: false }),
      (id: string) => api.ask("DELETE", `/api/users/v1/${id}/sessions`),
      (id: string) => api.ask("DELETE", `/scim2/Users/${id}`),
    ];
    for (const act of acts) {
      const person = await newPerson();
      const elsewhere = browser();
      await elsewhere.open(requestOf(byEither));
      await enter(elsewhere, person);
      const { page, code } = await codeFor(person);
      const { status } = await act(person.id);
      expect(status).toBeLessThan(300);
      expect([act.toString(), (await page.submit({ code })).status]).toEqual([act.toString(), 400]);
    }
  });
  test("five mails of an hour are sent by name, and five more to somebody who has entered the password", async () => {
    const person = await newPerson();
    for (let asked = 0; asked < 7; asked += 1) await asking(byCode, person.username);
    expect(await mailTo(person)).toHaveLength(5);
    const second = await newApplication({}, sequenceOf([BASIC], [CODE]));
    const page = browser();
    await page.open(requestOf(second));
    await enter(page, person);
    for (let asked = 0; asked < 6; asked += 1) await page.submit({ choice: "again" });
    expect(await mailTo(person)).toHaveLength(5);
    later(HOUR_MS);
    await asking(byCode, person.username);
    expect(await mailTo(person)).toHaveLength(1);
  });
  test("goes to somebody who asks for it by name, and only where the application takes one", async () => {
    const person = await newPerson();
    const nameless = await asking(byCode, " ");
    expect([nameless.shown.status, nameless.shown.alert]).toEqual([400, "Enter your name first."]);
    const plain = await newApplication();
    const { shown } = await asking(plain, person.username);
    expect(shown.title).toContain("Sign in to");
    expect(await mails.next()).toEqual([]);
  });
  test("after a password it is the second step, and belongs to the person of the password", async () => {
    const [person, other] = [await newPerson(), await newPerson()];
    const second = await newApplication({}, sequenceOf([BASIC], [CODE]));
    const page = browser();
    await page.open(requestOf(second));
    const shown = await enter(page, person);
    expect(shown.title).toBe("Enter the code of the e-mail");
    const foreign = await codeFor(other);
    expect(await mailTo(person)).toHaveLength(0);
    expect((await page.submit({ code: foreign.code })).status).toBe(400);
    await page.submit({ choice: "again" });
    const [mail] = await mailTo(person);
    const claims = await idTokenOf(second, await page.submit({ code: codeIn(mail as ReadMail) }));
    // A mailbox is not what clients mean by a second factor.
    expect(claims).toMatchObject({ amr: ["pwd", "otp"], acr: "pwd" });
  });
  test("a session leads to the page without a mail, which a button sends", async () => {
    const person = await newPerson();
    const second = await newApplication({}, sequenceOf([BASIC], [CODE]));
    const page = browser();
    await page.open(requestOf(await newApplication()));
    await enter(page, person);
    for (let visit = 0; visit < 12; visit += 1) {
      expect((await page.open(requestOf(second))).html).not.toContain('name="code"');
    }
    expect(await mailTo(person)).toEqual([]);
    await page.submit({ choice: "again" });
    const [mail] = await mailTo(person);
    expect((await page.submit({ code: codeIn(mail as ReadMail) })).status).toBe(303);
  });
  test("no mail goes out for a right password that is refused, whenever the name is locked", async () => {
    const second = await newApplication({}, sequenceOf([BASIC], [CODE]));
    const outcomes: (readonly [isAdmitted: boolean, mails: number])[] = [];
    // The lock comes before the password is verified, or meanwhile: it takes some moments to meet both.
    for (const afterMs of [0, 5, 10, 15, 20, 30, 40, 60, 1_000]) {
      const person = await newPerson();
      const pages = await Promise.all(
        Array.from({ length: 16 }, async () => {
          const page = browser();
          await page.open(requestOf(second));
          return page;
        }),
      );
      const [own, ...others] = pages;
      if (!own) throw new Error("no page");
      const guesses = others.map((page) => enter(page, { ...person, password: "wrong-Password-1" }));
      await new Promise((done) => setTimeout(done, afterMs));
      const shown = await enter(own, person);
      await Promise.all(guesses);
      outcomes.push([shown.status === 200, (await mailTo(person)).length]);
    }
    expect(outcomes.filter(([isAdmitted, sent]) => isAdmitted !== sent > 0)).toEqual([]);
    expect(outcomes.some(([isAdmitted]) => !isAdmitted)).toBe(true);
  });
  test("a code that went to somebody else who has the name by then does not count for the person", async () => {
    const person = await newPerson();
    const second = await newApplication({}, sequenceOf([BASIC], [CODE]));
    const page = browser();
    await page.open(requestOf(second));
    await enter(page, person);
    // The mail is written later than it was asked for.
    const renamed = `${person.username}-renamed`;
    await change(person.id, { userName: renamed });
    // With one mailbox for both, only the user tells them apart.
    const emails = [{ value: person.mail, primary: true }];
    const heir = await api.ask("POST", "/scim2/Users", {
      body: { userName: person.username, password: PERSON.password, emails },
    });
    expect(heir.status).toBe(201);
    const [mail] = await mailTo(person);
    expect(mail?.text).toContain(`- ${person.username}\n`);
    const answer = await page.submit({ code: codeIn(mail as ReadMail) });
    expect([answer.status, page.cookies.has("__Host-session")]).toEqual([400, false]);
  });
  test("one mail does not stand for two steps, and a password grant gets no token", async () => {
    const person = await newPerson();
    const two = await newApplication(
      { grantTypes: ["authorization_code", "password"] },
      sequenceOf([BASIC, CODE], [CODE]),
    );
    const page = browser();
    const shown = await page.open(requestOf(two));
    expect(shown.html).not.toContain('value="mail-code"');
    expect((await enter(page, person)).title).toBe("Enter the code of the e-mail");
    for (const client of [
      two,
      await newApplication({ grantTypes: ["authorization_code", "password"] }, sequenceOf([CODE])),
    ]) {
      const fields = { grant_type: "password", username: person.username, password: person.password };
      expect((await post("/oauth2/token", fields, client)).status).toBe(400);
    }
  });
  test("a mailbox lifts no second factor: the own account and its changes ask for it", async () => {
    const person = await newPerson();
    const strict = await newApplication({}, TWO_STEPS);
    const page = browser();
    await page.open(requestOf(strict));
    const { secret } = await setUp(page, await enter(page, person));
    const { page: mailed, code } = await codeFor(person);
    expect((await mailed.submit({ code })).status).toBe(303);
    expect((await mailed.open("/account")).title).not.toContain("Your account");
    expect((await mailed.open("/account/sign-in")).title).toBe("Enter your code");
    later(2 * STEP_MS);
    expect((await mailed.submit({ code: codeAt(secret) })).title).toContain("account");
  });
  test("a token of a mailbox alone does not change the password of who has a second factor", async () => {
    const person = await newPerson();
    const strict = await newApplication({}, TWO_STEPS);
    const page = browser();
    await page.open(requestOf(strict));
    await setUp(page, await enter(page, person));
    const own = await newApplication(
      {},
      { ...sequenceOf([CODE]), advancedConfigurations: { skipLoginConsent: false } },
    );
    const { page: mailed } = await asking(own, person.username);
    const [mail] = await mailTo(person);
    await mailed.open(requestOf(own, { scope: "openid internal_login" }));
    const shown = await mailed.submit({ username: person.username, choice: "mail-code" });
    expect([mail?.to, shown.title]).toEqual([person.mail, "Enter the code of the e-mail"]);
    const [again] = await mailTo(person);
    const consent = await mailed.submit({ code: codeIn(again as ReadMail) });
    const done = consent.location ? consent : await mailed.submit({ answer: "allow" });
    const { body } = await redeem(own, answerOf(done).code);
    const { status } = await api.ask("PATCH", "/scim2/Me", {
      as: null,
      headers: { authorization: `Bearer ${body.access_token}` },
      body: { schemas: [PATCH_OP], Operations: [{ op: "replace", value: { password: "another-Password-7" } }] },
    });
    expect(status).toBe(403);
  });
});

describe("showMailedLink, useMailedLink", () => {
  test("a link signs in the browser that asked, once it is confirmed there", async () => {
    const person = await newPerson();
    const { page, shown, path } = await linkFor(person);
    expect(shown.title).toBe("Open the link of the e-mail");
    for (let look = 0; look < 2; look += 1) {
      const opened = await page.open(path, { "sec-fetch-site": "cross-site" });
      expect([opened.status, opened.title]).toEqual([200, expect.stringContaining("Sign in to")]);
      expect(page.cookies.has("__Host-session")).toBe(false);
    }
    const claims = await idTokenOf(byLink, await page.submit({}));
    expect(claims).toMatchObject({ sub: person.id, amr: ["otp"], acr: "pwd" });
    expect(await page.open(path)).toMatchObject({ status: 400, alert: expect.stringContaining("used before") });
  });
  test("another browser is told to open it where it was asked for, and the link still counts there", async () => {
    const person = await newPerson();
    const { page, path } = await linkFor(person);
    const other = browser();
    await other.open(requestOf(byLink));
    const opened = await other.open(path);
    expect([opened.status, opened.alert]).toEqual([400, "Open the link in the browser in which you asked for it."]);
    const { html } = await page.open(path);
    const fields = page.fields();
    expect(html).not.toContain(person.username);
    expect((await other.post("/oauth2/sign-in/link", fields)).status).toBe(400);
    expect((await page.submit({})).status).toBe(303);
  });
  test("a link does not count with the form of another request of the same browser", async () => {
    const [person, attacker] = [await newPerson(), await newPerson()];
    const { page, path } = await linkFor(attacker);
    await page.open(path);
    const { code = "" } = page.fields();
    await page.open(requestOf(byLink));
    await page.submit({ username: person.username, choice: "mail-link" });
    const { request = "" } = page.fields();
    expect((await page.post("/oauth2/sign-in/link", { request, code })).status).toBe(400);
  });
  test("a handle that is none, ended, or of another kind is refused", async () => {
    const person = await newPerson();
    const { page, path } = await linkFor(person);
    for (const code of ["", "sl_x", `sl_${"A".repeat(43)}`, `ml_${"A".repeat(43)}`]) {
      expect((await page.open(`/oauth2/sign-in/link?code=${code}`)).status).toBe(400);
    }
    await page.open(path);
    later(10 * 60_000 + 1);
    expect((await page.submit({})).status).toBe(400);
    expect((await page.open(path)).status).toBe(400);
  });
  test("a link is another way for a second step, and the person can choose", async () => {
    const person = await newPerson();
    const second = await newApplication({}, sequenceOf([BASIC], [TOTP, LINK, CODE]));
    const page = browser();
    await page.open(requestOf(second));
    expect((await enter(page, person)).title).toBe("Open the link of the e-mail");
    expect((await page.submit({ choice: "mail-code" })).title).toBe("Enter the code of the e-mail");
    expect((await page.submit({ choice: "mail-link", language: "de" })).title).toBe("Code aus der E-Mail eingeben");
    expect(await mailTo(person)).toHaveLength(2);
    expect((await page.submit({ choice: "mail-link" })).title).toBe("Link aus der E-Mail öffnen");
    const mail = (await mails.next()).find(({ to }) => to === person.mail);
    if (!mail?.link) throw new Error("no mail");
    await page.open(`${mail.link.pathname}${mail.link.search}`);
    expect((await idTokenOf(second, await page.submit({}))).amr).toEqual(["pwd", "otp"]);
  });
});
