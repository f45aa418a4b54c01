/** The pages of the own account: what people see and change there, and when they sign in again (decisions 0190 to 0192). */
import { afterEach, describe, expect, test, vi } from "vitest";
import type { Browser, Shown } from "#tests/support/browsing.ts";
import { setUp, TWO_STEPS } from "#tests/support/codes.ts";
import { create, use } from "#tests/support/passkeys.ts";
import { saasOf } from "#tests/support/saas.ts";
import { PERSON, signInOf } from "#tests/support/sign-in.ts";
import { ADMIN, type Answer, world } from "#tests/support/world.ts";
import { codeAt, newAuthenticator } from "#tools/examples/authenticator.ts";

const api = world({ deployment: "[account]\ncan_delete = true\n" });
const { newApplication, requestOf, enter, answerOf, browser, redeem } = signInOf(api);
const saas = saasOf(api);
const SYSTEM = "urn:scim:wso2:schema";
const NEW = "maple-Tree-4242";
const MINUTE_MS = 60_000;
let count = 0;

interface Person {
  readonly username: string;
  readonly password: string;
  readonly id: string;
}
const newPerson = async (more: object = {}): Promise<Person> => {
  count += 1;
  const username = `owner-${count}`;
  const body = { userName: username, password: PERSON.password, ...more };
  const { status, body: created, text } = await api.ask("POST", "/scim2/Users", { body });
  if (status !== 201) throw new Error(text);
  return { username, password: PERSON.password, id: created.id };
};
const read = async ({ id }: Person) => (await api.ask("GET", `/scim2/Users/${id}`)).body;
const me = ({ username, password }: Person): Promise<Answer> =>
  api.ask("GET", "/scim2/Me", { as: { username, password } });
/** Signs a person in to the account, in a new browser. */
const visit = async (person: Person): Promise<{ page: Browser; shown: Shown }> => {
  const page = browser();
  await page.open("/account");
  return { page, shown: await enter(page, person) };
};
const press = (page: Browser, button: string, fields: Readonly<Record<string, string>> = {}) => {
  const form = page.form(button);
  return page.post(form.action, { ...form.fields, ...fields });
};
const pass = (ms: number) => vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + ms });
afterEach(() => vi.useRealTimers());

describe("visitAccount, showAccount", () => {
  test("a person without a session signs in and comes back; one with a session does not", async () => {
    const person = await newPerson();
    const page = browser();
    const asked = await page.open("/account");
    expect([asked.status, asked.title]).toEqual([200, "Sign in to My account"]);
    const shown = await enter(page, person);
    expect([shown.status, shown.title]).toEqual([200, "My account"]);
    expect(shown.html).toContain(`You are signed in as ${person.username}.`);
    expect((await page.open("/account")).title).toBe("My account");
    expect((await page.open("/account/sign-in")).title).toBe("My account");
  });

  test("the session of an application opens the account, and that of the account an application", async () => {
    const client = await newApplication();
    const person = await newPerson();
    const { page } = await visit(person);
    expect(answerOf(await page.open(requestOf(client))).code).toMatch(/^ac_/);
    const other = browser();
    await other.open(requestOf(client));
    await enter(other, person);
    expect((await other.open("/account")).title).toBe("My account");
  });

  test("a session without the second factor that its user has proves it first", async () => {
    const [plain, strict] = [await newApplication(), await newApplication({}, TWO_STEPS)];
    const person = await newPerson();
    const first = browser();
    await first.open(requestOf(strict));
    const { secret } = await setUp(first, await enter(first, person));
    const page = browser();
    await page.open(requestOf(plain));
    expect(answerOf(await enter(page, person)).code).toMatch(/^ac_/);
    const asked = await page.open("/account");
    expect(asked.title).toBe("Enter your code");
    pass(MINUTE_MS);
    expect((await page.submit({ code: codeAt(secret) })).title).toBe("My account");
  });

  test("no code and no client comes of it", async () => {
    const person = await newPerson();
    await visit(person);
    const { body } = await api.ask("GET", `/api/users/v1/${person.id}/sessions`);
    expect(body.sessions).toMatchObject([{ applications: [] }]);
  });

  test("a person who must choose another password does so first", async () => {
    const person = await newPerson({ [SYSTEM]: { forcePasswordReset: true } });
    const { page, shown } = await visit(person);
    expect(shown.title).toBe("Choose a new password");
    expect((await page.submit({ password: NEW, repeated: NEW })).title).toBe("My account");
  });

  test.each([
    ["disabled", { accountDisabled: true }],
    ["locked", { accountLocked: true }],
  ])("a user who is %s meanwhile sees a sign-in, which fails", async (_, system) => {
    const person = await newPerson();
    const { page } = await visit(person);
    const value = { [SYSTEM]: system };
    const schemas = ["urn:ietf:params:scim:api:messages:2.0:PatchOp"];
    await api.ask("PATCH", `/scim2/Users/${person.id}`, { body: { schemas, Operations: [{ op: "replace", value }] } });
    expect((await page.open("/account")).title).toBe("Sign in to My account");
    expect((await enter(page, person)).alert).toMatch(/is wrong, or the user may not sign in/);
  });

  test("each tenant has its own: its users see theirs, and no session of another tenant opens it", async () => {
    const tenant = await saas.newTenant("acme.example");
    await tenant.newUser("kim");
    const { page } = await visit(await newPerson());
    const asked = await page.open("/t/acme.example/account");
    expect(asked.title).toBe("Sign in to My account");
    const shown = await enter(page, { username: "kim", password: PERSON.password });
    expect(shown.html).toContain("You are signed in as kim.");
    expect(shown.html).toContain('href="/t/acme.example/account/profile"');
    expect((await page.open("/account")).html).toContain("You are signed in as owner-");
    await tenant.setActive(false);
    const off = await page.open("/t/acme.example/account");
    expect([off.status, off.title]).toEqual([400, "This does not work"]);
    expect((await page.open("/t/nowhere.example/account")).status).toBe(400);
  });

  test("a guest of another tenant has the account in the own tenant alone", async () => {
    const tenant = await saas.newTenant("guest.example");
    await tenant.newUser("kim");
    const client = await saas.newSaas();
    const page = browser();
    await page.open(requestOf(client));
    const shown = await enter(page, { username: "kim@guest.example", password: PERSON.password });
    expect(shown.html).toContain('href="/t/guest.example/account"');
    await saas.agree(page, shown);
    expect((await page.open("/account")).title).toBe("Sign in to My account");
    const own = await page.open("/t/guest.example/account");
    expect(own.title).toBe("My account");
    const taken = await press(page, />(Take the access of [^<]* back)</.exec(own.html)?.[1] ?? "");
    expect(taken.html).toContain("You have given no application access");
  });
});

describe("showAccountProfile, changeAccountProfile", () => {
  test("changes what /scim2/Me lets a person change, and nothing else", async () => {
    const person = await newPerson({
      name: { givenName: "Kim", formatted: "Kim Berry" },
      nickName: "Kimmy",
      emails: [{ value: "kim@corp.example", type: "work", primary: true }],
      [SYSTEM]: { emailVerified: true },
    });
    const { page, shown } = await visit(person);
    expect(shown.html).toContain("kim@corp.example (verified)");
    await page.open("/account/profile");
    const { action, fields } = page.form("Save");
    const changes = { givenName: "Kimberly", nickName: " ", displayName: "<b>Kim</b> & \u202Eco" };
    const sent = { ...fields, ...changes, userName: "admin", active: "false" };
    const saved = await page.post(action, { ...sent, email: ["kim@new.example", "kim@home.example"] });
    expect([saved.title, saved.html.includes("Your profile is saved.")]).toEqual(["My account", true]);
    expect(saved.html).not.toContain("<b>Kim");
    expect(saved.html).toContain("&lt;b&gt;Kim&lt;/b&gt; &amp; co");
    const { userName, active, name, nickName, displayName, emails, [SYSTEM]: system } = await read(person);
    expect({ userName, active, name, nickName, displayName, emails, verified: system?.emailVerified }).toEqual({
      ...{ userName: person.username, active: true, nickName: undefined, displayName: changes.displayName },
      name: { givenName: "Kimberly", formatted: "Kim Berry" },
      emails: [{ value: "kim@new.example", type: "work", primary: true }, { value: "kim@home.example" }],
      verified: false,
    });
  });

  test("says what is wrong with an address, and keeps what was entered", async () => {
    const person = await newPerson();
    const { page } = await visit(person);
    await page.open("/account/profile");
    const wrong = await press(page, "Save", { email: "kim at home", nickName: "Kimmy" });
    expect([wrong.status, wrong.alert]).toEqual([
      400,
      "An e-mail address is not complete. It looks like kim@example.com.",
    ]);
    expect(wrong.html).toContain('value="Kimmy"');
    const saved = await press(page, "Save", { email: "kim@home.example" });
    expect(saved.html).toContain("kim@home.example");
  });

  test("refuses a form of an earlier state of the profile", async () => {
    const person = await newPerson();
    const { page } = await visit(person);
    await page.open("/account/profile");
    const old = page.form("Save");
    expect((await page.post(old.action, { ...old.fields, nickName: "first" })).title).toBe("My account");
    const again = await page.post(old.action, { ...old.fields, nickName: "second" });
    expect([again.status, again.alert]).toEqual([400, expect.stringMatching(/something has changed since/)]);
    expect((await read(person)).nickName).toBe("first");
  });

  test("needs a sign-in of the last five minutes", async () => {
    const person = await newPerson();
    const { page } = await visit(person);
    await page.open("/account/profile");
    const { action, fields } = page.form("Save");
    pass(6 * MINUTE_MS);
    const asked = await page.post(action, { ...fields, nickName: "late" });
    expect(asked.title).toBe("Sign in to My account");
    expect((await read(person)).nickName).toBeUndefined();
    expect((await enter(page, person)).title).toBe("Change your profile");
  });
});

describe("the password", () => {
  test("is changed after signing in again, by the rules for new passwords; all other sessions end", async () => {
    const person = await newPerson();
    const other = await visit(person);
    const { page } = await visit(person);
    const asked = await page.open("/account/sign-in?task=password");
    expect(asked.title).toBe("Sign in to My account");
    const choosing = await enter(page, person);
    expect([choosing.title, choosing.html.includes("must be changed")]).toEqual(["Choose a new password", false]);
    const common = await page.submit({ password: "password1", repeated: "password1" });
    expect([common.status, common.alert]).toEqual([400, expect.stringMatching(/most common/)]);
    expect((await page.submit({ password: person.password, repeated: person.password })).alert).toMatch(/have now/);
    const changed = await page.submit({ password: NEW, repeated: NEW });
    expect([changed.title, changed.html.includes("Your password is changed.")]).toEqual(["My account", true]);
    expect((await me(person)).status).toBe(401);
    expect((await me({ ...person, password: NEW })).status).toBe(200);
    expect((await other.page.open("/account")).title).toBe("Sign in to My account");
    expect(changed.html).toMatch(/Password<br><span class="quiet"><time [^>]*>[^<]*<\/time>, by you/);
  });

  test("a wrong current password counts as a failed sign-in, and changes nothing", async () => {
    const person = await newPerson();
    const { page } = await visit(person);
    await page.open("/account/sign-in?task=password");
    expect((await enter(page, { ...person, password: "not-this-1" })).alert).toMatch(/is wrong/);
    expect((await me(person)).status).toBe(200);
  });
});

describe("removeAccountFactor", () => {
  test("an app is set up, replaced and taken away, each after signing in again", async () => {
    const person = await newPerson();
    const { page } = await visit(person);
    expect((await page.open("/account/sign-in?task=app")).title).toBe("Sign in to My account");
    const setup = await enter(page, person);
    const first = await setUp(page, setup);
    expect(first.codes).toHaveLength(8);
    expect([first.done.title, first.done.html.includes("They are set up")]).toEqual(["My account", true]);
    await page.open("/account/sign-in?task=app");
    pass(MINUTE_MS);
    expect((await enter(page, person)).title).toBe("Enter your code");
    const again = await page.submit({ code: codeAt(first.secret) });
    const second = await setUp(page, again);
    expect(second.secret).not.toBe(first.secret);
    expect(second.done.title).toBe("My account");
    const removed = await press(page, "Take the one-time codes and recovery codes away");
    expect(removed.html).toContain("Your one-time codes and recovery codes are taken away.");
    expect((await read(person))[SYSTEM]?.totpEnabled).not.toBe("true");
    expect((await page.open("/account")).title).toBe("Sign in to My account");
    expect((await enter(page, person)).html).toContain("They are not set up.");
  });

  test("passkeys are created, added and taken away", async () => {
    const person = await newPerson();
    const { page } = await visit(person);
    const [one, other] = [newAuthenticator(api.url), newAuthenticator(api.url)];
    await page.open("/account/sign-in?task=passkey");
    const done = await create(page, await enter(page, person), one);
    expect([done.title, done.html.includes("You have passkeys.")]).toEqual(["My account", true]);
    await page.open("/account/sign-in?task=passkey");
    const more = await use(page, await enter(page, person), one);
    expect(more.title).toBe("Create a passkey");
    expect((await create(page, more, other)).title).toBe("My account");
    expect((await press(page, "Take all passkeys away")).html).toContain("Your passkeys are taken away.");
    expect((await visit(person)).shown.html).toContain("You have no passkeys.");
  });

  test("neither an old sign-in nor a password alone takes one away", async () => {
    const person = await newPerson();
    const { page } = await visit(person);
    await page.open("/account/sign-in?task=app");
    const { secret } = await setUp(page, await enter(page, person));
    await page.open("/account");
    const { action, fields } = page.form("Take the one-time codes and recovery codes away");
    pass(6 * MINUTE_MS);
    expect((await page.post(action, fields)).title).toBe("Sign in to My account");
    const half = await enter(page, person);
    expect(half.title).toBe("Enter your code");
    expect((await page.post(action, fields)).title).toBe("Sign in to My account");
    expect((await read(person))[SYSTEM].totpEnabled).toBe("true");
    expect(secret).toMatch(/^[A-Z2-7]+$/);
  });
});

describe("endAccountSession", () => {
  test("shows the sessions with this device, ends another one, and all", async () => {
    const person = await newPerson();
    const client = await newApplication();
    const other = browser();
    await other.open(requestOf(client), { "user-agent": "x" });
    await enter(other, person);
    const { page, shown } = await visit(person);
    expect(shown.html.match(/This device/g)).toHaveLength(1);
    const button =
      /value="[^"]*">\s*<button type="submit" class="second">(Sign out on [^<]*)</.exec(shown.html)?.[1] ?? "";
    const { action, fields } = page.form(button);
    const ended = await page.post(action, fields);
    expect(ended.html).toContain("The session has ended.");
    expect((await other.open(requestOf(client))).location).toBeUndefined();
    const again = await page.post(action, fields);
    expect([again.status, again.alert]).toEqual([400, expect.stringMatching(/done already/)]);
    await page.open("/account");
    expect((await press(page, "Sign out everywhere")).html).toContain("You are signed out everywhere.");
    expect((await page.open("/account")).title).toBe("Sign in to My account");
  });
});

describe("the applications", () => {
  test("that the person can open are links, and none that only others find", async () => {
    const person = await newPerson();
    const discoverable = (name: string, more: object = {}) =>
      newApplication(
        {},
        {
          ...{ name, description: "Cars & <b>more</b>", accessUrl: `https://${name}.example.com/start` },
          advancedConfigurations: { discoverableByEndUsers: true, ...more },
        },
      );
    await discoverable("cars");
    const { applicationId } = await discoverable("secret", { enableAuthorization: true });
    const role = (await api.ask("POST", "/scim2/v2/Roles", { body: { displayName: "finders" } })).body.id;
    await api.ask("POST", `/api/server/v1/applications/${applicationId}/assignments`, {
      body: { type: "role", id: role },
    });
    const { shown } = await visit(person);
    expect(shown.html).toContain('<a href="https://cars.example.com/start" rel="noopener">cars</a>');
    expect(shown.html).toContain("Cars &amp; &lt;b&gt;more&lt;/b&gt;");
    expect(shown.html).not.toContain("secret.example.com");
  });
});

describe("takeAccountConsentBack", () => {
  test("the page of consent leads to it, and tokens end with the consent", async () => {
    const client = await newApplication({}, { advancedConfigurations: { skipLoginConsent: false } });
    const person = await newPerson();
    const page = browser();
    await page.open(requestOf(client, { scope: "openid profile" }));
    const asked = await enter(page, person);
    expect(asked.html).toContain('<a href="/account">You can take it back in your account.</a>');
    const { code } = answerOf(await page.submit({ answer: "allow" }));
    const { body: tokens } = await redeem(client, code);
    const shown = await page.open("/account");
    expect(shown.html).toContain("Your name, and what your profile says about you");
    const button = />(Take the access of [^<]* back)</.exec(shown.html)?.[1] ?? "";
    expect((await press(page, button)).html).toContain("The access is taken back.");
    const { status } = await api.ask("GET", "/oauth2/userinfo", { as: `Bearer ${tokens.access_token}` });
    expect(status).toBe(401);
    expect((await page.open(requestOf(client))).title).toMatch(/asks for access/);
  });
});

describe("exportAccount", () => {
  test("downloads the own data, without values of secrets and without the names of others", async () => {
    const person = await newPerson({ nickName: "Kimmy" });
    const members = [{ value: person.id }];
    await api.ask("POST", "/scim2/Groups", { body: { displayName: "exported", members } });
    await api.ask("POST", "/scim2/v2/Roles", { body: { displayName: "exporting", users: members } });
    const { page } = await visit(person);
    const { status, headers, html } = await page.open("/account/data");
    expect([
      status,
      headers.get("content-type"),
      headers.get("content-disposition"),
      headers.get("cache-control"),
    ]).toEqual([200, "application/json; charset=utf-8", 'attachment; filename="my-account.json"', "no-store"]);
    const data = JSON.parse(html);
    expect(data).toMatchObject({
      tenant: "carbon.super",
      account: { id: person.id, userName: person.username, nickName: "Kimmy" },
      groups: ["exported"],
      roles: ["exporting"],
      sessions: [{ ip: expect.any(String) }],
      consents: [],
      changes: [{ by: "others", attributes: ["created", "password"] }],
    });
    expect(html).not.toContain(ADMIN.username);
    expect(html).not.toContain(PERSON.password);
    const signedOut = browser();
    expect((await signedOut.open("/account/data")).title).toBe("Sign in to My account");
  });
});

describe("showAccountDeletion, deleteAccount", () => {
  test("deletes the account of a person who is sure and has just signed in, with all that belongs to it", async () => {
    const person = await newPerson({ externalId: "e-7", emails: [{ value: "leaving@example.com" }] });
    const members = [{ value: person.id }];
    const group = await api.ask("POST", "/scim2/Groups", { body: { displayName: "leaving", members } });
    const role = await api.ask("POST", "/scim2/v2/Roles", { body: { displayName: "leaving", users: members } });
    const client = await newApplication({}, { advancedConfigurations: { skipLoginConsent: false } });
    const assigning = { body: { type: "user", id: person.id } };
    await api.ask("POST", `/api/server/v1/applications/${client.applicationId}/assignments`, assigning);
    const { page } = await visit(person);
    await page.open(requestOf(client));
    await page.submit({ answer: "allow" });
    expect((await page.open("/account/deletion")).title).toBe("Delete your account");
    const {
      action,
      fields: { request = "" },
    } = page.form("Delete the account");
    const unsure = await page.post(action, { request });
    expect([unsure.status, unsure.alert]).toEqual([400, "Tick the box if you want to delete your account."]);
    pass(6 * MINUTE_MS);
    expect((await page.post(action, { request, sure: "yes" })).title).toBe("Sign in to My account");
    expect((await enter(page, person)).title).toBe("Delete your account");
    const deleted = await press(page, "Delete the account", { sure: "yes" });
    expect([deleted.status, deleted.title]).toEqual([200, "Your account is deleted"]);
    expect((await api.ask("GET", `/scim2/Users/${person.id}`)).status).toBe(404);
    expect((await api.ask("GET", `/scim2/Groups/${group.body.id}`)).body.members ?? []).toEqual([]);
    expect((await api.ask("GET", `/scim2/v2/Roles/${role.body.id}`)).body.users ?? []).toEqual([]);
    expect((await page.open("/account")).title).toBe("Sign in to My account");
    expect((await enter(page, person)).alert).toMatch(/is wrong/);
    const restored = await api.ask("POST", `/api/server/v1/deleted-resources/${person.id}/restore`);
    expect(restored.status).toBeLessThan(300);
    expect((await visit(person)).shown.title).toBe("My account");
  });

  test("never that of the administrator of a tenant", async () => {
    const page = browser();
    await page.open("/account");
    const shown = await enter(page, ADMIN);
    expect(shown.html).not.toContain("/account/deletion");
    const refused = await page.open("/account/deletion");
    expect([refused.status, refused.alert]).toEqual([403, expect.stringMatching(/You are the administrator/)]);
  });
});
