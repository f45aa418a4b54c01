/** Invitations, checks of addresses, and notices: the mails that follow from changes of users (decision 0182). */
import { describe, expect, test } from "vitest";
import { mailsOf, type ReadMail } from "#tests/support/mails.ts";
import { saasOf } from "#tests/support/saas.ts";
import { type Ask, basic, world } from "#tests/support/world.ts";

const SYSTEM = "urn:scim:wso2:schema";
const PATCH_OP = "urn:ietf:params:scim:api:messages:2.0:PatchOp";
const FORM = { "content-type": "application/x-www-form-urlencoded" };
const PASSWORD = "a-good-Password-of-mine";
const RESEND = "/api/identity/user/v1.0/resend-code";
const email = '[email]\nsender = "no-reply@example.com"\nprovider = "outbox"\n';

const api = world({ deployment: email });
const { newTenant } = saasOf(api);
const mails = mailsOf(api);
let count = 0;

const newUser = async (attributes: object, query = "") => {
  count += 1;
  const userName = `guest-${count}`;
  const address = `${userName}@example.com`;
  const body = { userName, emails: [{ value: address, primary: true }], ...attributes };
  const answer = await api.ask("POST", `/scim2/Users${query}`, { body });
  return { answer, userName, address, id: answer.body?.id as string, as: { username: userName, password: PASSWORD } };
};
const invited = { [SYSTEM]: { askPassword: true } };
const patch = (path: string, value: object, more: Ask = {}) =>
  api.ask("PATCH", path, { body: { schemas: [PATCH_OP], Operations: [{ op: "replace", value }] }, ...more });
const submit = (path: string, fields: Readonly<Record<string, string>>) =>
  api.ask("POST", path, { raw: new URLSearchParams(fields).toString(), headers: FORM, as: null });
const choose = (code: string, password = PASSWORD) =>
  submit("/oauth2/reset-password", { code, password, repeated: password });
const confirm = (code: string) => submit("/oauth2/verify-address", { code });
const signsIn = async (as: { readonly username: string; readonly password: string }) =>
  (await api.ask("GET", "/scim2/Me", { as })).status === 200;
const system = async (id: string) => (await api.ask("GET", `/scim2/Users/${id}`)).body[SYSTEM] ?? {};
const only = (all: readonly ReadMail[]): ReadMail => {
  const [mail, ...more] = all;
  if (!mail || more.length > 0) throw new Error(`expected one mail: ${all.map(({ subject }) => subject).join("; ")}`);
  return mail;
};
const resend = (user: object, scenario: string, more: Ask = {}) =>
  api.ask("POST", RESEND, { body: { user, properties: [{ key: "RecoveryScenario", value: scenario }] }, ...more });

describe("an invitation", () => {
  test("leads a new user to a first password, once, and verifies the address", async () => {
    const { answer, userName, address, id, as } = await newUser(invited);
    expect(answer.status).toBe(201);
    const mail = only(await mails.next());
    expect([mail.to, mail.subject]).toEqual([address, "Your account at carbon.super"]);
    expect(mail.text).toContain(userName);
    const page = await api.ask("GET", `${mail.link?.pathname}${mail.link?.search}`, { as: null });
    expect([page.status, page.text]).toEqual([200, expect.stringContaining("<h1>Choose a password</h1>")]);
    expect((await choose(mail.code, "short")).status).toBe(400);
    const done = await choose(mail.code);
    expect([done.status, done.text]).toEqual([200, expect.stringContaining("Your account is ready")]);
    expect(await signsIn(as)).toBe(true);
    expect(await system(id)).toEqual({ emailVerified: true });
    expect((await choose(mail.code, "another-good-Password")).status).toBe(400);
    expect(await signsIn(as)).toBe(true);
    // Who has just chosen a first password knows of it.
    expect(await mails.next()).toEqual([]);
  });
  test("is written in the language of the user, by SCIM 1.1 and by PATCH too", async () => {
    const { id } = await newUser({ ...invited, preferredLanguage: "de-CH" });
    expect(only(await mails.next()).subject).toBe("Ihr Konto bei carbon.super");
    await patch(`/scim2/Users/${id}`, { [SYSTEM]: { askPassword: false } });
    await patch(`/scim2/Users/${id}`, { [SYSTEM]: { askPassword: true } });
    expect(only(await mails.next()).subject).toBe("Ihr Konto bei carbon.super");
    count += 1;
    const { status } = await api.ask("POST", "/svc/scim/Users", {
      body: {
        userName: `guest-${count}`,
        emails: [`guest-${count}@example.com`],
        wso2Extension: { askPassword: true },
      },
    });
    expect([status, only(await mails.next()).to]).toEqual([201, `guest-${count}@example.com`]);
  });
  test("ends with a password that an administrator sets, with another address, and with the user", async () => {
    const links: string[] = [];
    for (const change of [{ password: PASSWORD }, { emails: [{ value: "other@example.com" }] }, { active: false }]) {
      const { id } = await newUser(invited);
      links.push(only(await mails.next()).code);
      expect((await patch(`/scim2/Users/${id}`, change)).status).toBe(200);
      await mails.next();
    }
    const { id } = await newUser(invited);
    links.push(only(await mails.next()).code);
    await api.ask("DELETE", `/scim2/Users/${id}`);
    for (const code of links) expect((await choose(code, "a-password-of-a-thief")).status).toBe(400);
    await mails.next();
  });
  test("of one tenant counts in no other, and at no other form", async () => {
    await newUser(invited);
    const { code } = only(await mails.next());
    const tenant = await newTenant("guests.example");
    const elsewhere = `/t/${tenant.domain}/oauth2/reset-password`;
    expect((await submit(elsewhere, { code, password: PASSWORD, repeated: PASSWORD })).status).toBe(400);
    expect((await confirm(code)).status).toBe(400);
    const confirmed = await api.ask("POST", "/api/users/v2/recovery/password/confirm", {
      body: { confirmationCode: code },
      as: null,
    });
    expect(confirmed.status).toBe(406);
    expect((await choose(code)).status).toBe(200);
  });
  test("of six submissions at once, one sets the password", async () => {
    const { as } = await newUser(invited);
    const { code } = only(await mails.next());
    const passwords = Array.from({ length: 6 }, (_, at) => `a-good-Password-${at}`);
    const statuses = await Promise.all(passwords.map(async (each) => (await choose(code, each)).status));
    expect(statuses.filter((status) => status === 200)).toHaveLength(1);
    const works = await Promise.all(passwords.map((password) => signsIn({ ...as, password })));
    expect(works).toEqual(statuses.map((status) => status === 200));
  });
  test("that was missed is sent again at the page for forgotten passwords", async () => {
    const { userName, as } = await newUser(invited);
    await mails.next();
    await submit("/oauth2/forgot-password", { username: userName });
    const { code } = only(await mails.next());
    expect((await choose(code)).status).toBe(200);
    expect(await signsIn(as)).toBe(true);
  });
  test("waits for an address, and goes to another one when that is mended", async () => {
    const { answer, id, address, as } = await newUser({ ...invited, emails: ["ü@example.com"] });
    expect([answer.status, await mails.next()]).toEqual([201, []]);
    await patch(`/scim2/Users/${id}`, { emails: [{ value: `wrong-${address}` }] });
    const first = only(await mails.next());
    await patch(`/scim2/Users/${id}`, { emails: [{ value: address }], title: "Mended" });
    const sent = await mails.next();
    const second = only(sent.filter(({ link }) => link?.pathname === "/oauth2/reset-password"));
    expect([first.to, second.to]).toEqual([`wrong-${address}`, address]);
    expect([(await choose(first.code)).status, (await choose(second.code)).status]).toEqual([400, 200]);
    expect(await signsIn(as)).toBe(true);
  });
  test("that was withdrawn, or whose address was another one meanwhile, does not count again", async () => {
    const set = (id: string, askPassword: boolean) => patch(`/scim2/Users/${id}`, { [SYSTEM]: { askPassword } });
    const one = await newUser(invited);
    const withdrawn = only(await mails.next()).code;
    await set(one.id, false);
    await set(one.id, true);
    const again = only(await mails.next()).code;
    const other = await newUser(invited);
    const readdressed = only(await mails.next()).code;
    for (const value of ["elsewhere@example.com", other.address]) {
      await patch(`/scim2/Users/${other.id}`, { emails: [{ value }] });
      await mails.next();
    }
    const codes = [withdrawn, readdressed, again];
    const statuses = [];
    for (const code of codes) statuses.push((await choose(code)).status);
    expect(statuses).toEqual([400, 400, 200]);
  });
  test("is not for a user who has a password", async () => {
    const { answer, userName } = await newUser({ ...invited, password: PASSWORD });
    expect(answer.status).toBe(201);
    expect((await resend({ username: userName }, "ASK_PASSWORD")).status).toBe(400);
    expect(await mails.next()).toEqual([]);
  });
  test("is not sent by a rehearsal, nor twice for a repeated request", async () => {
    const { answer } = await newUser(invited, "?dryRun=true");
    expect(answer.status).toBe(201);
    expect(await mails.next()).toEqual([]);
    const body = { userName: "repeated-guest", emails: [{ value: "repeated-guest@example.com" }], ...invited };
    const headers = { "idempotency-key": "an-invitation-once" };
    for (let at = 0; at < 2; at += 1) await api.ask("POST", "/scim2/Users", { body, headers });
    expect(only(await mails.next()).to).toBe("repeated-guest@example.com");
  });
});

describe("showVerifyAddress, verifyAddress", () => {
  test("makes an address count that a person entered, and the old one hears of the change", async () => {
    const { id, address, as, userName } = await newUser({ password: PASSWORD });
    const next = `new-${address}`;
    const emails = [{ value: next, primary: true }];
    expect((await patch("/scim2/Me", { emails }, { as: basic(as) })).status).toBe(200);
    const sent = await mails.next();
    const to = (wanted: string) => only(sent.filter((mail) => mail.to === wanted));
    expect(sent).toHaveLength(2);
    expect(to(address).subject).toBe("Your e-mail address at carbon.super was changed");
    const check = to(next);
    expect([check.subject, check.text]).toEqual([
      "Confirm your e-mail address for carbon.super",
      expect.stringContaining(userName),
    ]);
    // Mail about the account goes nowhere until then.
    await submit("/oauth2/forgot-password", { username: userName });
    expect(await mails.next()).toEqual([]);
    const page = await api.ask("GET", `/oauth2/verify-address?code=${check.code}`, { as: null });
    expect([page.status, page.text]).toEqual([200, expect.stringContaining(next)]);
    expect((await system(id)).emailVerified).toBeUndefined();
    expect((await confirm(check.code)).status).toBe(200);
    expect(await system(id)).toMatchObject({ emailVerified: true, verifiedEmailAddresses: [next] });
    expect((await confirm(check.code)).status).toBe(400);
    await submit("/oauth2/forgot-password", { username: userName });
    expect(only(await mails.next()).to).toBe(next);
  });
  test("makes an address count again that was verified, removed and entered again", async () => {
    const { id, address, as } = await newUser({ password: PASSWORD, [SYSTEM]: { verifyEmail: true } });
    await confirm(only(await mails.next()).code);
    const enter = (value: string) => patch("/scim2/Me", { emails: [{ value, primary: true }] }, { as: basic(as) });
    await enter(`second-${address}`);
    await enter(address);
    await submit("/oauth2/forgot-password", { username: as.username });
    const sent = await mails.next();
    expect(sent.some(({ link }) => link?.pathname === "/oauth2/reset-password")).toBe(false);
    const check = sent.filter(({ to, link }) => to === address && link?.pathname === "/oauth2/verify-address");
    expect((await confirm(check.at(-1)?.code ?? "")).status).toBe(200);
    await submit("/oauth2/forgot-password", { username: as.username });
    expect(only(await mails.next()).to).toBe(address);
    expect((await system(id)).verifiedEmailAddresses).toEqual([address]);
  });
  test("makes an address count that an administrator had listed before the person entered it", async () => {
    const listed = "listed-before@example.com";
    const { address, as } = await newUser({ password: PASSWORD, [SYSTEM]: { verifiedEmailAddresses: [listed] } });
    await patch("/scim2/Me", { emails: [{ value: listed, primary: true }] }, { as: basic(as) });
    const check = only((await mails.next()).filter(({ to }) => to !== address));
    expect((await confirm(check.code)).status).toBe(200);
    await submit("/oauth2/forgot-password", { username: as.username });
    expect(only(await mails.next()).to).toBe(listed);
  });
  test("is sent where an administrator asks for it", async () => {
    const { id, address } = await newUser({ password: PASSWORD, [SYSTEM]: { verifyEmail: true } });
    const { to, code } = only(await mails.next());
    expect(to).toBe(address);
    expect((await confirm(code)).status).toBe(200);
    expect(await system(id)).toEqual({ emailVerified: true, verifiedEmailAddresses: [address] });
  });
  test("of two addresses confirms each by itself", async () => {
    const { id, address, as } = await newUser({ password: PASSWORD });
    const entered = [`one-${address}`, `two-${address}`];
    const emails = entered.map((value, at) => ({ value, primary: at === 0 }));
    await patch("/scim2/Me", { emails }, { as: basic(as) });
    const checks = (await mails.next()).filter(({ to }) => entered.includes(to));
    expect(checks).toHaveLength(2);
    for (const { code } of checks) expect((await confirm(code)).status).toBe(200);
    expect((await system(id)).verifiedEmailAddresses.toSorted()).toEqual(entered);
  });
  test("does not make another address count than the one that got the mail", async () => {
    const { address, as } = await newUser({ password: PASSWORD });
    const enter = (value: string) => patch("/scim2/Me", { emails: [{ value, primary: true }] }, { as: basic(as) });
    await enter(`mine-${address}`);
    const check = (await mails.next()).find(({ to }) => to === `mine-${address}`);
    await enter("victim@example.com");
    await mails.next();
    expect((await confirm(check?.code ?? "")).status).toBe(400);
  });
  test("cannot flood strangers: a user has five an hour sent", async () => {
    const { as } = await newUser({ password: PASSWORD });
    const strangers = Array.from({ length: 8 }, (_, at) => `stranger-${at}@example.com`);
    for (const value of strangers) await patch("/scim2/Me", { emails: [{ value, primary: true }] }, { as: basic(as) });
    // Only the last address is still that of the user.
    const values = strangers.map((value) => ({ value }));
    await patch("/scim2/Me", { emails: values }, { as: basic(as) });
    expect((await mails.next()).filter(({ to }) => to.startsWith("stranger-"))).toHaveLength(5);
  });
});

describe("resendCode", () => {
  test("sends an invitation and the check of an address again, five times an hour", async () => {
    const { userName, address } = await newUser({ ...invited, [SYSTEM]: { askPassword: true, verifyEmail: true } });
    await mails.next();
    for (const scenario of ["ASK_PASSWORD", "EMAIL_VERIFICATION", "EMAIL_VERIFICATION_ON_UPDATE"]) {
      const { status, text } = await resend({ username: userName, realm: "PRIMARY" }, scenario);
      expect([status, text]).toEqual([201, ""]);
      expect(only(await mails.next()).to).toBe(address);
    }
    for (let at = 0; at < 2; at += 1) await resend({ username: userName }, "ASK_PASSWORD");
    expect((await resend({ username: userName }, "ASK_PASSWORD")).status).toBe(429);
    expect(await mails.next()).toHaveLength(2);
  });
  test("is not rehearsed", async () => {
    const { userName } = await newUser(invited);
    await mails.next();
    const body = { user: { username: userName }, properties: [{ key: "RecoveryScenario", value: "ASK_PASSWORD" }] };
    expect((await api.ask("POST", `${RESEND}?dryRun=true`, { body })).status).toBe(400);
    expect(await mails.next()).toEqual([]);
  });
  test("refuses what it cannot send, with a sentence", async () => {
    const { userName } = await newUser({ password: PASSWORD });
    const refusals = [
      await resend({ username: userName }, "ASK_PASSWORD"),
      await resend({ username: userName }, "constructor"),
      await resend({ username: userName, "tenant-domain": "other.com" }, "ASK_PASSWORD"),
      await resend({ username: userName, realm: "NOWHERE" }, "ASK_PASSWORD"),
      await resend({ username: "nobody-of-this-name" }, "ASK_PASSWORD"),
    ];
    expect(refusals.map(({ status }) => status)).toEqual([400, 400, 400, 400, 404]);
    for (const { body } of refusals) expect(body.description).toMatch(/\.$/);
    expect(await mails.next()).toEqual([]);
  });
  test("needs the right to change users, and reaches those of the own tenant alone", async () => {
    const { userName } = await newUser(invited);
    await mails.next();
    const plain = await newUser({ password: PASSWORD });
    expect((await resend({ username: userName }, "ASK_PASSWORD", { as: plain.as })).status).toBe(403);
    expect((await resend({ username: userName }, "ASK_PASSWORD", { as: null })).status).toBe(401);
    const tenant = await newTenant("others.example");
    const properties = [{ key: "RecoveryScenario", value: "ASK_PASSWORD" }];
    const elsewhere = await tenant.ask("POST", RESEND, { body: { user: { username: userName }, properties } });
    expect(elsewhere.status).toBe(404);
    expect(await mails.next()).toEqual([]);
  });
});

/** A caller who may change users, and holds no right of an administrator. */
const newManager = async () => {
  const { id, as } = await newUser({ password: PASSWORD });
  const permissions = ["list", "view", "create", "update"].map((verb) => `internal_user_mgt_${verb}`);
  const body = { displayName: `managers-${id}`, permissions, users: [{ value: id }] };
  const { status, text } = await api.ask("POST", "/scim2/v2/Roles", { body });
  if (status !== 201) throw new Error(text);
  await mails.next();
  return as;
};
/** A user who holds a role with rights that a manager of users lacks. */
const newKeeper = async (attributes: object) => {
  const user = await newUser(attributes);
  const body = {
    displayName: `keepers-${user.id}`,
    permissions: ["internal_role_mgt_update"],
    users: [{ value: user.id }],
  };
  const { status, text } = await api.ask("POST", "/scim2/v2/Roles", { body });
  if (status !== 201) throw new Error(text);
  await mails.next();
  return user;
};

describe("an address that links are sent to", () => {
  test("is changed by callers alone who could set the password of the user", async () => {
    const manager = await newManager();
    const keeper = await newKeeper({ password: PASSWORD });
    const thief = [{ value: "thief@evil.example", primary: true }];
    const path = `/scim2/Users/${keeper.id}`;
    const { body: whole } = await api.ask("GET", path);
    const { id: administrator } = (await api.ask("GET", "/scim2/Me")).body;
    const attempts = [
      await patch(path, { emails: thief }, { as: manager }),
      await api.ask("PUT", path, { body: { ...whole, emails: thief }, as: manager }),
      await patch(path, { emails: thief, [SYSTEM]: { emailVerified: true } }, { as: manager }),
      await api.ask("PATCH", `/svc/scim/Users/${keeper.id}`, { body: { emails: thief }, as: manager }),
      await patch(`/scim2/Users/${administrator}`, { emails: thief }, { as: manager }),
    ];
    expect(attempts.map(({ status }) => status)).toEqual([403, 403, 403, 403, 403]);
    expect((await api.ask("GET", path)).body.emails).toEqual(whole.emails);
    expect(await mails.next()).toEqual([]);
    // Other attributes, and users with fewer rights, are theirs to change.
    expect((await patch(path, { title: "Keeper" }, { as: manager })).status).toBe(200);
    const plain = await newUser({ password: PASSWORD });
    expect((await patch(`/scim2/Users/${plain.id}`, { emails: thief }, { as: manager })).status).toBe(200);
    await mails.next();
  });
  test("is not verified for a user with more rights, nor is such a user invited", async () => {
    const manager = await newManager();
    const keeper = await newKeeper({ password: PASSWORD });
    const value = "own-but-unproven@example.com";
    await patch("/scim2/Me", { emails: [{ value, primary: true }] }, { as: basic(keeper.as) });
    const path = `/scim2/Users/${keeper.id}`;
    const vouch = await patch(path, { [SYSTEM]: { verifiedEmailAddresses: [value] } }, { as: manager });
    expect(vouch.status).toBe(403);
    const bare = await newKeeper(invited);
    await patch(`/scim2/Users/${bare.id}`, { [SYSTEM]: { askPassword: false } });
    const invite = await patch(`/scim2/Users/${bare.id}`, { [SYSTEM]: { askPassword: true } }, { as: manager });
    expect(invite.status).toBe(403);
    await mails.next();
  });
  test("of the owner of another tenant is changed by those alone who could set the password", async () => {
    const { as, id } = await newUser({ password: PASSWORD });
    const permissions = ["internal_modify_tenants", "internal_list_tenants", "internal_user_mgt_update"];
    const role = { displayName: "tenants", permissions, users: [{ value: id }] };
    expect((await api.ask("POST", "/scim2/v2/Roles", { body: role })).status).toBe(201);
    const tenant = await newTenant("owned.example");
    const { body } = await api.ask("GET", "/api/server/v1/tenants?filter=domainName%20eq%20owned.example");
    const [{ id: tenantId }] = body.tenants;
    const owners = `/api/server/v1/tenants/${tenantId}/owners`;
    const [owner] = (await api.ask("GET", owners)).body;
    const names = { firstname: "B", lastname: "B" };
    const change = (email: string) =>
      api.ask("PUT", `${owners}/${owner.id}`, { body: { ...names, email }, as: basic(as) });
    expect((await change("thief@evil.example")).status).toBe(403);
    expect((await change(`boss@${tenant.domain}`)).status).toBe(200);
    await mails.next();
  });
});

describe("a notice", () => {
  test.each([
    ["with the address", { emails: [{ value: "thief@evil.example", primary: true }] }],
    ["with a flag that says the address is not verified", { [SYSTEM]: { emailVerified: false } }],
    ["with the removal of all addresses", { emails: [] }],
  ])("of a password that is changed %s goes to the former address", async (_, change) => {
    const { id, address } = await newUser({ password: PASSWORD });
    await patch(`/scim2/Users/${id}`, { password: "chosen-by-a-Thief", ...change });
    const subjects = (await mails.next()).filter(({ to }) => to === address).map(({ subject }) => subject);
    expect(subjects).toContain("Your password for carbon.super was changed");
  });
  test("goes to the former address where that was said to be unverified before", async () => {
    const { id, address } = await newUser({ password: PASSWORD });
    await patch(`/scim2/Users/${id}`, { [SYSTEM]: { emailVerified: false } });
    await patch(`/scim2/Users/${id}`, { emails: [{ value: "thief@evil.example" }], [SYSTEM]: { emailVerified: true } });
    expect((await mails.next()).map(({ to }) => to)).toContain(address);
  });
  test("is not sent where an address with another alphabet stays as it is", async () => {
    const { id } = await newUser({ password: PASSWORD, emails: [{ value: "kim@bücher.example", primary: true }] });
    await patch(`/scim2/Users/${id}`, { title: "One" });
    expect(await mails.next()).toEqual([]);
    await patch(`/scim2/Users/${id}`, { [SYSTEM]: { verifyEmail: true } });
    const { to, code } = only(await mails.next());
    expect([to, (await confirm(code)).status]).toEqual(["kim@bücher.example", 200]);
  });
  test("and invitations reach an address ten times an hour at most, each kind by itself", async () => {
    const { id, address } = await newUser(invited);
    for (let at = 0; at < 24; at += 1) await patch(`/scim2/Users/${id}`, { [SYSTEM]: { askPassword: at % 2 === 1 } });
    expect((await mails.next()).filter(({ to }) => to === address)).toHaveLength(10);
    await patch(`/scim2/Users/${id}`, { emails: [{ value: "new-place@example.com" }] });
    expect((await mails.next()).filter(({ to }) => to === address)).toHaveLength(1);
  });
  test("tells of a password that an administrator or the person has changed", async () => {
    const { id, address, as } = await newUser({ password: PASSWORD });
    await patch(`/scim2/Users/${id}`, { password: "chosen-by-an-Administrator" });
    const subject = "Your password for carbon.super was changed";
    expect(only(await mails.next())).toMatchObject({ to: address, subject });
    const own = { ...as, password: "chosen-by-an-Administrator" };
    expect((await patch("/scim2/Me", { password: PASSWORD }, { as: basic(own) })).status).toBe(200);
    expect(only(await mails.next())).toMatchObject({ to: address, subject });
    await patch(`/scim2/Users/${id}`, { title: "Unchanged otherwise" });
    expect(await mails.next()).toEqual([]);
  });
  test("goes to the address that counted before, and cannot be hidden by asking for other mails", async () => {
    const { id, userName, address } = await newUser({ password: PASSWORD });
    for (const name of [userName, address, userName.toUpperCase()])
      for (let at = 0; at < 5; at += 1) await submit("/oauth2/forgot-password", { username: name });
    expect((await mails.next()).length).toBeLessThanOrEqual(10);
    await patch(`/scim2/Users/${id}`, { emails: [{ value: "thief@example.com", primary: true }] });
    const told = only((await mails.next()).filter(({ to }) => to === address));
    expect(told.subject).toBe("Your e-mail address at carbon.super was changed");
    expect(told.text).not.toContain("thief@example.com");
  });
  test("is not sent for a new user", async () => {
    await newUser({ password: PASSWORD });
    expect(await mails.next()).toEqual([]);
  });
});
