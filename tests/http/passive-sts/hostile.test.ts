/** Attacks on sign-in by WS-Federation: never a token, and never an error of the service. */
import { beforeAll, describe, expect, test, vi } from "vitest";
import type { Browser, Shown } from "#tests/support/browsing.ts";
import {
  passiveStsOf,
  type RelyingParty,
  requestPath,
  SAML_20,
  signInPath,
  typed,
  wreq,
} from "#tests/support/passive-sts.ts";
import { saasOf } from "#tests/support/saas.ts";
import { PERSON } from "#tests/support/sign-in.ts";
import { ssoOf } from "#tests/support/sso.ts";
import { APPLICATIONS, world } from "#tests/support/world.ts";

const api = world();
const sso = ssoOf(api);
const { newParty, tokenIn, sentBy, enter, browser } = passiveStsOf(api);
const { newTenant } = saasOf(api);
const LOCAL = "http://wso2.org/claims";
const EVIL = "https://evil.example/signin-wsfed";

let page: Browser;
let plain: RelyingParty;
let kim = "";

beforeAll(async () => {
  const body = { userName: PERSON.username, password: PERSON.password };
  kim = String((await api.ask("POST", "/scim2/Users", { body })).body.id);
  plain = await newParty();
  page = browser();
  await page.open(signInPath(plain));
  sentBy(page, await enter(page));
});

/** No token, and no error of the service: a page that says what is wrong. */
const expectRefused = ({ status, html, alert, location }: Shown, why: string | RegExp = /./) => {
  expect([status, location, html.includes("wresult")]).toEqual([400, undefined, false]);
  expect(alert).toMatch(why);
};
const heldAnswer = (path: string, at = page) => sso.heldAnswer(path, at, "/passivests/answer");
const patch = async (id: string, body: object) =>
  expect((await api.ask("PATCH", `${APPLICATIONS}/${id}`, { body })).status).toBe(200);
const claims = (...names: string[]) => ({
  claimConfiguration: {
    dialect: "LOCAL",
    requestedClaims: names.map((name) => ({ claim: { uri: `${LOCAL}/${name}` }, mandatory: false })),
  },
});

describe("askPassiveSts", () => {
  test("a token goes to the registered address alone, whatever wreply says", async () => {
    const { replyTo } = plain;
    for (const wreply of [
      EVIL,
      `${replyTo}/`,
      `${replyTo}?next=${EVIL}`,
      `${replyTo}#fragment`,
      replyTo.toUpperCase(),
      replyTo.replace("https:", "http:"),
      replyTo.replace("https://", "https://kim@"),
      replyTo.replace("/signin", "/x/../signin"),
      replyTo.replace("/signin", "/%73ignin"),
      `${replyTo}.evil.example`,
      `//evil.example`,
      "javascript:alert(1)",
      `${replyTo}\n`,
      ` ${replyTo}`,
    ]) {
      expectRefused(await page.open(signInPath(plain, { wreply })), "wreply is not the replyTo");
    }
    const twice = `${signInPath(plain, { wreply: replyTo })}&wreply=${encodeURIComponent(EVIL)}`;
    expectRefused(await page.open(twice), "more than once");
  });
  test("an address that others can read, or a browser would run, gets no token although it is registered", async () => {
    const party = await newParty({ replyTo: "http://rp.example/in" });
    expectRefused(await page.open(signInPath(party)), "must be https");
    const local = await newParty({ replyTo: "http://localhost:5000/in" });
    expect((await tokenIn(page, await page.open(signInPath(local)))).action).toBe("http://localhost:5000/in");
    const fragment = await newParty({ replyTo: "https://rp.example/in#x" });
    expectRefused(await page.open(signInPath(fragment)), "must be https");
  });
  test("a realm is that of its tenant, to the character", async () => {
    const tenant = await newTenant("rival.example");
    const party = await newParty({ realm: "urn:rival" }, {}, tenant.ask);
    expectRefused(await page.open(signInPath(party)), "no application");
    expectRefused(await page.open(signInPath(plain, {}, "/t/rival.example")), "no application");
    for (const realm of [
      "",
      " ",
      `${plain.realm} `,
      plain.realm.toUpperCase(),
      "urn:other",
      "x".repeat(3_000),
      "ü😀",
    ]) {
      expectRefused(await page.open(signInPath({ realm })));
    }
    // Its person has no session there.
    expect((await page.open(signInPath(party, {}, "/t/rival.example"))).title).toContain("Sign in");
    await tenant.setActive(false);
    expectRefused(await page.open(signInPath(party, {}, "/t/rival.example")), "no application");
  });
  test("an application that is disabled, or asks for what is not here, gives no token", async () => {
    const party = await newParty();
    const [ticket, held] = [await sso.locationOf(signInPath(party)), await heldAnswer(signInPath(party))];
    await patch(party.id, { applicationEnabled: false });
    expectRefused(await page.open(signInPath(party)), "not enabled");
    expectRefused(await page.open(ticket), "changed meanwhile");
    expectRefused(await page.open(held), "changed meanwhile");
    const options = [{ idp: "LOCAL", authenticator: "sms-otp-authenticator" }];
    const steps = [{ id: 1, options }];
    const unmet = await newParty({}, { authenticationSequence: { type: "USER_DEFINED", steps } });
    expectRefused(await page.open(signInPath(unmet)), "does not have");
  });
  test("wctx comes back byte for byte, and is no markup of the page", async () => {
    for (const wctx of [
      '"><script>alert(1)</script>',
      "</form><form action='https://evil.example'>",
      "a&b=c;d&amp;e",
      "äöü€😀",
      " space ",
      "%2e%2e%0d%0a",
      "rm=0&id=passive&ru=%2fdefault.aspx%3fa%3db",
      "&#13;&#10;",
      "x".repeat(2_000),
    ]) {
      const shown = await page.open(signInPath(plain, { wctx }));
      expect(shown.html).not.toContain("<script>alert");
      expect((await tokenIn(page, shown)).sent.wctx).toBe(wctx);
      expect(shown.html.match(/<form/g)).toHaveLength(1);
    }
    expect(sentBy(page, await page.open(`${signInPath(plain)}&wctx=`)).sent.wctx).toBe("");
    expect(sentBy(page, await page.open(signInPath(plain))).sent.wctx).toBeUndefined();
    for (const wctx of ["line\nbreak", "line\rbreak", "line\r\nbreak", "\u0000", "a\u0007"]) {
      expectRefused(await page.open(signInPath(plain, { wctx })), "line breaks");
    }
    expectRefused(await page.open(`${signInPath(plain)}&wctx=%FF%FE`), "UTF-8");
    expectRefused(await page.open(signInPath(plain, { wctx: "x".repeat(6_000) })), "too long");
  });
  test("wauth that cannot be met gives no token", async () => {
    for (const wauth of [
      "urn:ietf:rfc:2246",
      "urn:oasis:names:tc:SAML:1.0:am:X509-PKI",
      "urn:oasis:names:tc:SAML:2.0:ac:classes:Smartcard",
      "http://schemas.microsoft.com/ws/2008/06/identity/authenticationmethod/windows",
      "password",
      "constructor",
      `${"a".repeat(2_000)}`,
    ]) {
      expectRefused(await page.open(signInPath(plain, { wauth })), "No sign-in here is of the method");
    }
  });
  test("a request that is older or newer than five minutes is none", async () => {
    for (const ms of [-6 * 60_000, 6 * 60_000]) {
      const wct = new Date(Date.now() + ms).toISOString();
      expectRefused(await page.open(signInPath(plain, { wct })), "wct must be the time");
    }
  });
  test.each<readonly [string, Readonly<Record<string, string | undefined>>]>([
    ["no parameter", {}],
    ["no action", { wtrealm: "urn:x" }],
    ["an unknown action", { wa: "wsignin2.0", wtrealm: "urn:x" }],
    ["an action in other letters", { wa: "WSIGNIN1.0", wtrealm: "urn:x" }],
    ["a request for attributes", { wa: "wattr1.0", wtrealm: "urn:x" }],
    ["a request for a pseudonym", { wa: "wpseudo1.0", wtrealm: "urn:x" }],
    ["no realm", { wa: "wsignin1.0" }],
    ["wfresh below zero", { wfresh: "-1" }],
    ["wfresh with a fraction", { wfresh: "1.5" }],
    ["wfresh that is no number", { wfresh: "soon" }],
    ["wfresh that is very long", { wfresh: "9".repeat(400) }],
    ["wfresh in other digits", { wfresh: "١" }],
    ["wct that is no time", { wct: "today" }],
    ["wct without a zone", { wct: new Date().toISOString().slice(0, 19) }],
    ["wct of another zone", { wct: "2026-01-01T00:00:00+01:00" }],
    ["wct of no day", { wct: "2026-02-31T99:00:00Z" }],
    ["wreqptr", { wreqptr: "https://evil.example/wreq" }],
    ["wreq that is no XML", { wreq: "SAMLV2.0" }],
    ["wreq that ends early", { wreq: "<trust:RequestSecurityToken" }],
    ["wreq with a document type", { wreq: `<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]>${typed("&e;")}` }],
    [
      "wreq that expands",
      { wreq: `<!DOCTYPE x [<!ENTITY a "${"x".repeat(99)}"><!ENTITY b "&a;&a;">]>${typed("&b;")}` },
    ],
    ["wreq of another document", { wreq: "<a/>" }],
    ["wreq of another namespace", { wreq: wreq("", "", "urn:other") }],
    ["wreq with a prefix that is not declared", { wreq: "<t:RequestSecurityToken/>" }],
    ["wreq with two types", { wreq: wreq(`<trust:TokenType>${SAML_20}</trust:TokenType>`.repeat(2)) }],
    ["wreq with a type in an element", { wreq: typed(`<x>${SAML_20}</x>`) }],
    ["wreq for another token", { wreq: typed("urn:ietf:params:oauth:token-type:jwt") }],
    ["wreq with an empty type", { wreq: typed("") }],
    ["wreq for a token with a key", { wreq: wreq("<trust:KeyType>http://x/SymmetricKey</trust:KeyType>") }],
    ["wreq with a long context", { wreq: wreq("", ` Context="${"c".repeat(501)}"`) }],
    ["wreq of many levels", { wreq: wreq("<a>".repeat(60) + "</a>".repeat(60)) }],
    ["wreq of many elements", { wreq: wreq("<a/>".repeat(900)) }],
    ["wreq with an ID twice", { wreq: wreq('<a ID="x"/><b ID="x"/>') }],
    ["wreq in UTF-16", { wreq: `<?xml version="1.0" encoding="utf-16"?>${typed(SAML_20)}` }],
  ])("refuses %s", async (_, fields) => {
    const isWhole = "wa" in fields || "wtrealm" in fields || Object.keys(fields).length === 0;
    const all = isWhole ? fields : { wa: "wsignin1.0", wtrealm: plain.realm, ...fields };
    expectRefused(await page.open(requestPath(all)));
    const given = Object.entries(all).flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const]));
    expectRefused(await page.post("/passivests", Object.fromEntries(given), { "sec-fetch-site": "cross-site" }));
  });
});

describe("sendPassiveStsToken", () => {
  test("an answer counts once, and in the browser of the sign-in alone", async () => {
    const held = await heldAnswer(signInPath(plain));
    expectRefused(await browser().open(held), "another browser");
    const thief = browser();
    thief.cookies.set("__Host-sign-in", page.cookies.get("__Host-sign-in") ?? "");
    expectRefused(await thief.open(held), "session has ended");
    await tokenIn(page, await page.open(held));
    expectRefused(await page.open(held), "answered before");
  });
  test("a request that goes on several times at once has one token", async () => {
    const ticket = await sso.locationOf(signInPath(plain));
    const held = await Promise.all([1, 2, 3, 4].map(() => sso.locationOf(ticket, page)));
    const cookie = [...page.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const shown = await Promise.all(
      held.map(async (path) => (await fetch(`${api.url}${path}`, { headers: { cookie } })).text()),
    );
    expect(shown.filter((html) => html.includes("wresult"))).toHaveLength(1);
    // The next request of the application is another one.
    await tokenIn(page, await page.open(signInPath(plain)));
  });
  test("an answer counts for a minute, and not beyond the session", async () => {
    const held = await heldAnswer(signInPath(plain));
    vi.useFakeTimers({ toFake: ["Date"] });
    try {
      vi.setSystemTime(Date.now() + 61_000);
      expectRefused(await page.open(held), "too old");
    } finally {
      vi.useRealTimers();
    }
    const own = browser();
    await own.open(signInPath(plain));
    sentBy(own, await enter(own));
    const other = await heldAnswer(signInPath(plain), own);
    await own.open("/oidc/logout");
    await own.submit({});
    expectRefused(await own.open(other));
  });
  test("a page that was left open for hours leads to no token", async () => {
    const ticket = await sso.locationOf(signInPath(plain));
    const slow = browser();
    vi.useFakeTimers({ toFake: ["Date"] });
    try {
      const beganMs = Date.now();
      await slow.open(ticket);
      for (let minutes = 9; minutes <= 126; minutes += 9) {
        vi.setSystemTime(beganMs + minutes * 60_000);
        expect((await slow.submit({ language: minutes % 2 === 0 ? "de" : "en" })).status).toBe(200);
      }
      expectRefused(await enter(slow), "too old");
      expectRefused(await slow.open(ticket), "some minutes old");
    } finally {
      vi.useRealTimers();
    }
  });
  test("a page that was used before leads to no second token", async () => {
    const own = browser();
    await own.open(signInPath(plain));
    const { request = "" } = own.fields();
    sentBy(own, await enter(own));
    const again = await own.post("/oauth2/sign-in", { request, ...PERSON });
    expect([again.status, again.html.includes("wresult")]).toEqual([400, false]);
  });
  test("changed, foreign and missing texts are refused", async () => {
    const ticket = await sso.locationOf(signInPath(plain));
    const held = await heldAnswer(signInPath(plain));
    const middle = held.length - 40;
    for (const path of [
      held.slice(0, middle) + (held[middle] === "A" ? "B" : "A") + held.slice(middle + 1),
      "/passivests/answer",
      "/passivests/answer?answer=",
      "/passivests/answer?answer=s1.x.y",
      `/passivests/answer?answer=${ticket.split("=")[1]}`,
      held.replace("/passivests", "/samlsso"),
      held.replace("/passivests", "/t/rival.example/passivests"),
    ]) {
      expectRefused(await page.open(path));
    }
    await tokenIn(page, await page.open(held));
  });
  test("sends none after the assignment or the consent was taken away", async () => {
    const advancedConfigurations = { skipLoginConsent: true, enableAuthorization: true };
    const assigned = await newParty({}, { advancedConfigurations });
    const at = `${APPLICATIONS}/${assigned.id}/assignments`;
    const { id } = (await api.ask("POST", at, { body: { type: "user", id: kim } })).body;
    await tokenIn(page, await page.open(signInPath(assigned)));
    const held = await heldAnswer(signInPath(assigned));
    expect((await api.ask("DELETE", `${at}/${id}`)).status).toBe(204);
    expectRefused(await page.open(held));
    const asking = await newParty({}, { ...claims("username"), advancedConfigurations: {} });
    await page.open(signInPath(asking));
    await tokenIn(page, await page.submit({ answer: "allow" }));
    const other = await heldAnswer(signInPath(asking));
    await patch(asking.id, claims("username", "userid"));
    expectRefused(await page.open(other), "changed meanwhile");
  });
  test("sends none to a moved address, nor for a step that the application asks for now", async () => {
    const party = await newParty();
    const held = await heldAnswer(signInPath(party));
    const settings = { realm: party.realm, replyTo: EVIL };
    const put = await api.ask("PUT", `${APPLICATIONS}/${party.id}/inbound-protocols/passive-sts`, { body: settings });
    expect(put.status).toBe(200);
    expectRefused(await page.open(held), "changed meanwhile");
    const stepping = await newParty();
    const other = await heldAnswer(signInPath(stepping));
    const options = (authenticator: string) => [{ idp: "LOCAL", authenticator }];
    const steps = [
      { id: 1, options: options("BasicAuthenticator") },
      { id: 2, options: options("totp") },
    ];
    await patch(stepping.id, { authenticationSequence: { type: "USER_DEFINED", steps } });
    expectRefused(await page.open(other), "changed meanwhile");
  });
});
