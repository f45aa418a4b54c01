/** Addresses of people of LDAP directories: no one else registers one, or signs in by one that is shared (decision 0198). */
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { sequenceOf } from "#tests/support/codes.ts";
import { mailsOf, type ReadMail } from "#tests/support/mails.ts";
import { saasOf } from "#tests/support/saas.ts";
import { type Shown, scimOf } from "#tests/support/scim.ts";
import { directoryStore, hasSlapd, PEOPLE, startSlapd } from "#tests/support/slapd.ts";
import { basic, world } from "#tests/support/world.ts";

const PASSWORD = "a-good-Password-of-mine";
const FORM = { "content-type": "application/x-www-form-urlencoded" };
const deployment = `
[email]
sender = "no-reply@example.com"
provider = "outbox"
requests_per_source = 1000

[registration]
enabled = true
`;
let made = 0;
const fresh = (prefix: string) => {
  made += 1;
  return `${prefix}-${made}`;
};
const freshAddress = () => `${fresh("mail")}@example.com`;

describe.runIf(hasSlapd)("an address that a directory has", async () => {
  if (!hasSlapd) return;
  const slapd = await startSlapd();
  const api = world({ deployment: `${deployment}${directoryStore(slapd.url, "connect_timeout_ms = 1000")}` });
  const { newTenant, newApplication, requestOf, browser } = saasOf(api);
  const scim = scimOf(api, "wso2");
  const mails = mailsOf(api);
  beforeEach(() => slapd.start());
  afterAll(() => slapd.close());

  const entry = async (mail: string | undefined) => {
    const uid = fresh("person");
    const attributes = { objectClass: "inetOrgPerson", uid, cn: uid, sn: uid, userPassword: PASSWORD };
    const dn = `uid=${uid},${PEOPLE}`;
    await slapd.connected((client) => client.add(dn, { ...attributes, ...(mail !== undefined && { mail }) }));
    return { uid, dn };
  };
  const remove = (dn: string) => slapd.connected((client) => client.del(dn));
  const user = async (mail: string) => {
    const userName = fresh("user");
    await scim.user({ userName, password: PASSWORD, emails: [{ value: mail, primary: true }] });
    await mails.next();
    return userName;
  };
  const only = (all: readonly ReadMail[]): ReadMail => {
    const [mail, ...more] = all;
    if (!mail || more.length > 0) throw new Error(`expected one mail: ${all.map(({ subject }) => subject).join("; ")}`);
    return mail;
  };

  describe("showRegistration, completeRegistration", () => {
    type Fields = Readonly<Record<string, string>>;
    const submit = (path: string, fields: Fields) =>
      api.ask("POST", path, { raw: new URLSearchParams(fields).toString(), headers: FORM, as: null });
    const codeFor = async (address: string, base = "") => {
      expect((await submit(`${base}/oauth2/register`, { address })).status).toBe(200);
      return only(await mails.next()).code;
    };
    const opened = async (code: string) =>
      (await api.ask("GET", `/oauth2/complete-registration?code=${code}`, { as: null })).status;
    const completed = async (code: string, fields: Fields = {}, base = "") => {
      const all = { username: fresh("newcomer"), password: PASSWORD, repeated: PASSWORD, ...fields };
      return (await submit(`${base}/oauth2/complete-registration`, { code, ...all })).status;
    };
    const usersAt = async (address: string) =>
      (await scim.find(`emails eq "${address}"`)).Resources.filter(
        ({ userName }: Shown) => !userName.startsWith("CORP/"),
      );

    test("registers no one, in any case, until the directory has it no more", async () => {
      const address = freshAddress();
      const { dn } = await entry(address.toUpperCase());
      const code = await codeFor(address);
      expect([await opened(code), await completed(code), await usersAt(address)]).toEqual([400, 400, []]);
      await remove(dn);
      expect([await opened(code), await completed(code)]).toEqual([200, 200]);
      expect(await usersAt(address)).toHaveLength(1);
    });
    test("registers no one who has opened the form before the directory had it", async () => {
      const address = freshAddress();
      const code = await codeFor(address);
      expect(await opened(code)).toBe(200);
      await entry(address);
      expect([await completed(code), await usersAt(address)]).toEqual([400, []]);
    });
    test("is no user name of another, also where sign-ins would read it as one", async () => {
      const name = fresh("ash");
      await entry(`${name}@carbon.super`);
      const code = await codeFor(freshAddress());
      expect([await completed(code, { username: name }), await completed(code)]).toEqual([400, 200]);
    });
    test("keeps its owner from nothing where a person of the directory wrote it of itself", async () => {
      const address = freshAddress();
      const { uid } = await entry(undefined);
      const body = { Operations: [{ op: "replace", value: { emails: [{ value: address }] } }] };
      const as = basic({ username: `CORP/${uid}`, password: PASSWORD });
      expect((await api.ask("PATCH", "/scim2/Me", { body, as })).status).toBe(200);
      await mails.next();
      expect(await completed(await codeFor(address))).toBe(200);
    });
    test("is not decided while the directory is down; a request for the mail says nothing", async () => {
      const address = freshAddress();
      await slapd.kill();
      const code = await codeFor(address);
      expect([await opened(code), await completed(code)]).toEqual([503, 503]);
      await slapd.start();
      expect([await opened(code), await completed(code)]).toEqual([200, 200]);
    });
    test("is free in other tenants, which do not ask", async () => {
      const address = freshAddress();
      await entry(address);
      await newTenant("bikes.example");
      await slapd.kill();
      const base = "/t/bikes.example";
      expect(await completed(await codeFor(address, base), {}, base)).toBe(200);
    });
  });

  describe("enterMailedCode, useMailedLink", () => {
    const [CODE, LINK] = ["email-otp-authenticator", "MagicLinkAuthenticator"];
    const asking = async (authenticator: string, username: string) => {
      const page = browser();
      const client = await newApplication({}, sequenceOf([authenticator]));
      await page.open(requestOf(client));
      await page.submit({ username, choice: authenticator === CODE ? "mail-code" : "mail-link" });
      return { page, mail: (await mails.next()).filter(({ subject }) => /^(Your code|Sign in)/.test(subject))[0] };
    };
    /** What becomes of the code of a mail that was asked for with a name. */
    const byCode = async (username: string, meanwhile = async () => {}) => {
      const { page, mail } = await asking(CODE, username);
      await meanwhile();
      const code = /\d{4} \d{4}/.exec(mail?.text ?? "")?.[0] ?? "";
      const { status } = await page.submit({ code });
      return [mail !== undefined, status];
    };
    test("signs in no user of the table by a code who has it, too; the user name does", async () => {
      const address = freshAddress();
      const userName = await user(address);
      expect(await byCode(address)).toEqual([true, 303]);
      await entry(address);
      expect(await byCode(address)).toEqual([true, 400]);
      expect(await byCode(` ${address.toUpperCase()}`)).toEqual([true, 400]);
      expect(await byCode(userName)).toEqual([true, 303]);
    });
    test("nor by a link", async () => {
      const address = freshAddress();
      await user(address);
      const { page, mail } = await asking(LINK, address);
      await entry(address);
      await page.open(`${mail?.link?.pathname}${mail?.link?.search}`);
      expect((await page.submit({})).status).toBe(400);
    });
    test("is not decided while the directory is down; a code for a user name is", async () => {
      const address = freshAddress();
      const userName = await user(address);
      await slapd.kill();
      expect([await byCode(address), await byCode(userName)]).toEqual([
        [true, 503],
        [true, 303],
      ]);
    });
    test("gets its person of the directory no mail", async () => {
      const address = freshAddress();
      const { uid } = await entry(address);
      expect([await byCode(address), await byCode(`CORP/${uid}`)]).toEqual([
        [false, 400],
        [false, 400],
      ]);
    });
  });

  test("gets its person of the directory no mail of a recovery", async () => {
    const address = freshAddress();
    const { uid } = await entry(address);
    for (const username of [address, `CORP/${uid}`]) {
      const page = browser();
      await page.open("/oauth2/forgot-password");
      expect((await page.submit({ username })).status).toBe(200);
    }
    expect(await mails.next()).toEqual([]);
  });
});
