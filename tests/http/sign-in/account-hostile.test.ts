/**
 * Hostile requests to the pages of the own account (decision 0190), for every form that the catalogue has: without a
 * session, with that of somebody else, from another site, with a handle that is changed, old, or for something else.
 */
import { afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { accountOperations } from "#core/sign-in/account/contract.ts";
import { sessionCookieName } from "#core/sign-in/flow/cookies.ts";
import type { Browser } from "#tests/support/browsing.ts";
import { setUp } from "#tests/support/codes.ts";
import { saasOf } from "#tests/support/saas.ts";
import { PERSON, signInOf } from "#tests/support/sign-in.ts";
import { world } from "#tests/support/world.ts";
import { codeAt } from "#tools/examples/authenticator.ts";

const api = world({ deployment: "[account]\ncan_delete = true\n" });
const { newApplication, requestOf, enter, browser } = signInOf(api);
const saas = saasOf(api);
const SYSTEM = "urn:scim:wso2:schema";
const MINUTE_MS = 60_000;
const MARKED = 'Kim"><script>alert(1)</script>\u202Egro.live';
const SIGN_IN = "Sign in to My account";

type Id = keyof typeof accountOperations;
const ids = Object.keys(accountOperations) as Id[];
const forms = ids.filter((id) => accountOperations[id].method === "POST");
const pages = ids.filter((id) => accountOperations[id].method === "GET");

/** Where the form of each operation is, by its button, and what the person adds. */
const buttons: Readonly<
  Record<string, readonly [page: string, button: RegExp, more?: Readonly<Record<string, string>>]>
> = {
  changeAccountProfile: ["/account/profile", /^Save$/, { nickName: "changed" }],
  endAccountSession: ["/account", /^Sign out everywhere$/],
  takeAccountConsentBack: ["/account", /^Take the access of .* back$/],
  removeAccountFactor: ["/account", /^Take the one-time codes/],
  deleteAccount: ["/account/deletion", /^Delete the account$/, { sure: "yes" }],
};

interface Victim {
  readonly id: string;
  readonly username: string;
  readonly password: string;
  readonly page: Browser;
  readonly secret: string;
}
let victim: Victim;
let attacker: Browser;

/** A person with one-time codes and a consent, in a browser with a fresh session. */
const newVictim = async (username: string): Promise<Victim> => {
  const body = { userName: username, password: PERSON.password, displayName: MARKED };
  const made = await api.ask("POST", "/scim2/Users", { body });
  if (made.status !== 201) throw new Error(made.text);
  const page = browser();
  const person = { username, password: PERSON.password };
  await page.open("/account/sign-in?task=app");
  const { secret } = await setUp(page, await enter(page, person));
  const client = await newApplication({}, { advancedConfigurations: { skipLoginConsent: false } });
  await page.open(requestOf(client, { scope: "openid profile" }));
  await page.submit({ answer: "allow" });
  return { ...person, id: made.body.id, page, secret };
};

const formOf = async (page: Browser, id: string) => {
  const [path, pattern, more = {}] = buttons[id] ?? [];
  if (path === undefined || pattern === undefined) throw new Error(`no form is known of ${id}`);
  const { html } = await page.open(path);
  const all = [...html.matchAll(/<button type="submit"[^>]*>([^<]*)</g)].map(([, text = ""]) => text);
  const { action, fields } = page.form(all.find((text) => pattern.test(text)) ?? String(pattern));
  return { action, fields: { ...fields, ...more } };
};

/** What the forms of all operations would change. */
const stateOf = async ({ id }: Victim) => {
  const [user, sessions, apps] = await Promise.all([
    api.ask("GET", `/scim2/Users/${id}`),
    api.ask("GET", `/api/users/v1/${id}/sessions`),
    api.ask("GET", `/api/users/v1/${id}/authorized-apps`),
  ]);
  return {
    status: user.status,
    nickName: user.body.nickName,
    codes: user.body[SYSTEM]?.totpEnabled,
    sessions: sessions.body.sessions.length,
    apps: apps.body.length,
  };
};

beforeAll(async () => {
  victim = await newVictim("victim");
  attacker = browser();
  await api.ask("POST", "/scim2/Users", { body: { userName: "attacker", password: PERSON.password } });
  await attacker.open("/account");
  await enter(attacker, { username: "attacker", password: PERSON.password });
});
afterEach(() => vi.useRealTimers());

test("every form of the catalogue has a case here", () => {
  expect(Object.keys(buttons).sort()).toEqual([...forms].sort());
});

describe.each(forms)("%s", (id) => {
  const refused = (answer: { status: number; title: string }) =>
    expect([answer.status, answer.title]).toEqual([400, "This does not work"]);

  test("does nothing without the session, from another site, or with a handle that does not count", async () => {
    const before = await stateOf(victim);
    const { action, fields } = await formOf(victim.page, id);
    const { request = "", ...others } = fields;

    expect((await browser().post(action, fields)).title).toBe(SIGN_IN);
    for (const site of ["cross-site", "same-site"]) {
      refused(await victim.page.post(action, fields, { "sec-fetch-site": site }));
    }
    refused(await victim.page.post(action, others));
    const [until = "", mac = ""] = request.split(".");
    const later = String(Number(until) + 60);
    for (const changed of ["", "x", `${later}.${mac}`, `${until}.${mac.slice(0, -2)}AA`, `${until}.`, `${request}x`]) {
      refused(await victim.page.post(action, { ...fields, request: changed }));
    }
    // The handle of another form, and that of another person.
    const other = await formOf(
      victim.page,
      id === "endAccountSession" ? "takeAccountConsentBack" : "endAccountSession",
    );
    refused(await victim.page.post(action, { ...fields, request: other.fields.request ?? "" }));
    const { html } = await attacker.open("/account");
    const [, foreign = ""] = /name="request" value="([^"]*)"/.exec(html) ?? [];
    refused(await victim.page.post(action, { ...fields, request: foreign }));
    expect(await stateOf(victim)).toEqual(before);
  });

  test("does nothing to another person, whose handle and ids were seen", async () => {
    const before = await stateOf(victim);
    const { action, fields } = await formOf(victim.page, id);
    const answer = await attacker.post(action, fields);
    expect([400, 403]).toContain(answer.status);
    expect(await stateOf(victim)).toEqual(before);
  });

  test("does nothing in another tenant, and with two cookies of one name", async () => {
    const before = await stateOf(victim);
    const { action, fields } = await formOf(victim.page, id);
    const name = sessionCookieName("carbon.super");
    const value = victim.page.cookies.get(name) ?? "";
    const domain = `${id.toLowerCase()}.example`;
    await saas.newTenant(domain);
    for (const [path, cookie] of [
      [`/t/${domain}${action}`, `${name}=${value}`],
      [`/t/${domain}${action}`, `${sessionCookieName(domain)}=${value}`],
      [action, `${name}=${value}; ${name}=${value}`],
      [action, `${name}=${value.slice(0, -1)}`],
    ] as const) {
      const answer = await api.ask("POST", path, {
        ...{ as: null, raw: new URLSearchParams(fields).toString() },
        headers: { "content-type": "application/x-www-form-urlencoded", cookie, "sec-fetch-site": "same-origin" },
      });
      expect([answer.status, answer.headers.get("location")]).toEqual([
        303,
        expect.stringMatching(/^(\/t\/[a-z.]+)?\/account\/sign-in(\?|$)/),
      ]);
    }
    expect(await stateOf(victim)).toEqual(before);
  });

  test("does nothing half an hour after the page, nor with a page from before a new sign-in", async () => {
    const own = await newVictim(`own-${id.toLowerCase()}`);
    const { action, fields } = await formOf(own.page, id);
    const secret = own.page.cookies.get(sessionCookieName("carbon.super"));
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 31 * MINUTE_MS });
    const late = await own.page.post(action, fields);
    expect([
      [400, "This does not work"],
      [200, SIGN_IN],
    ]).toContainEqual([late.status, late.title]);
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() - 29 * MINUTE_MS });
    await own.page.open("/account/sign-in?again=yes");
    await enter(own.page, own);
    expect((await own.page.submit({ code: codeAt(own.secret) })).title).toBe("My account");
    expect(own.page.cookies.get(sessionCookieName("carbon.super"))).not.toBe(secret);
    const stale = await own.page.post(action, fields);
    expect([stale.status, stale.title]).toEqual([400, "This does not work"]);
    expect(await stateOf(own)).toMatchObject({ status: 200, nickName: undefined, codes: "true", apps: 1 });
  });
});

describe("pages", () => {
  test.each(pages)("%s cannot be framed, cached or scripted, and shows a name as text", async (id) => {
    const { path } = accountOperations[id];
    const { status, headers, html } = await victim.page.open(path);
    expect(status).toBe(200);
    const policy = headers.get("content-security-policy") ?? "";
    expect(policy).toMatch(
      /^default-src 'none'; style-src 'sha256-[^ ]+'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'$/,
    );
    expect(headers.get("x-frame-options")).toBe("DENY");
    expect(headers.get("cache-control")).toBe("no-store");
    expect(headers.get("referrer-policy")).toBe("no-referrer");
    if (id === "exportAccount") return expect(headers.get("x-content-type-options")).toBe("nosniff");
    expect(html).not.toMatch(/<script|\son\w+=|javascript:|style="/i);
    expect(html).not.toContain("\u202E");
  });

  test.each([
    "/account/sign-in?page=//evil.example",
    "/account/sign-in?page=https://evil.example",
    "/account/sign-in?page=../oauth2/token",
    "/account/sign-in?task=delete",
    "/account/sign-in?again=no",
    "/account?done=%3Cscript%3E",
  ])("%s is refused, and leads nowhere", async (path) => {
    const answer = await victim.page.open(path);
    expect([answer.status, answer.location]).toEqual([400, undefined]);
    expect(answer.html).not.toContain("<script");
  });

  test("no application can be the account, and no client asks for it", async () => {
    const { status } = await api.ask("GET", `/oauth2/authorize?${new URLSearchParams({ client_id: "·account" })}`);
    expect(status).toBe(400);
    const inboundProtocolConfiguration = {
      oidc: { clientId: "·account", grantTypes: ["authorization_code"], callbackURLs: ["https://evil.example/"] },
    };
    const made = await api.ask("POST", "/api/server/v1/applications", {
      body: { name: "the account", inboundProtocolConfiguration },
    });
    expect([made.status, made.body.description]).toEqual([400, expect.stringMatching(/clientId/)]);
  });

  test("another method than that of a page is refused with a page", async () => {
    const answer = await api.ask("GET", "/account/sessions", { as: null, headers: { accept: "text/html" } });
    expect(answer.status).toBe(405);
    expect(answer.text).toContain("<!doctype html>");
  });
});
