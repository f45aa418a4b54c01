/** Sign-out by WS-Federation: the person is asked, the session ends, and its applications hear of it in the browser. */
import { beforeAll, describe, expect, test } from "vitest";
import type { Browser, Shown } from "#tests/support/browsing.ts";
import { passiveStsOf, type RelyingParty, requestPath, signInPath } from "#tests/support/passive-sts.ts";
import { saasOf } from "#tests/support/saas.ts";
import { PERSON } from "#tests/support/sign-in.ts";
import { APPLICATIONS, world } from "#tests/support/world.ts";

const api = world();
const { newParty, newApplication, requestOf, tokenIn, enter, browser } = passiveStsOf(api);
const { newTenant } = saasOf(api);
const EVIL = "https://evil.example/";

beforeAll(async () => {
  const body = { userName: PERSON.username, password: PERSON.password };
  expect((await api.ask("POST", "/scim2/Users", { body })).status).toBe(201);
});

/** A browser in which the person is signed in to applications. */
const signedInTo = async (...parties: readonly RelyingParty[]) => {
  const page = browser();
  for (const [at, party] of parties.entries()) {
    const shown = await page.open(signInPath(party));
    await tokenIn(page, at === 0 ? await enter(page) : shown);
  }
  return page;
};
const isSignedIn = async (page: Browser, party: RelyingParty) =>
  (await page.open(signInPath(party))).html.includes("wresult");
const framesIn = ({ html }: Shown) =>
  [...html.matchAll(/<iframe[^>]*src="([^"]*)"/g)].map(([, src]) => src?.replaceAll("&amp;", "&"));
const signOut = (fields: Readonly<Record<string, string>> = {}) => requestPath({ wa: "wsignout1.0", ...fields });
/** Presses the button of the page that asks. */
const confirm = (page: Browser, shown: Shown) => {
  expect([shown.status, shown.title]).toEqual([200, expect.stringContaining("Sign out")]);
  return page.submit({});
};
/** Where the browser goes in the end. */
const goalOf = ({ location, html }: Shown) => location?.href ?? /<a [^>]*href="(https:[^"]*)"/.exec(html)?.[1];

describe("askPassiveSts: wsignout1.0, takeSsoSignOut", () => {
  test("ends the session after the word of the person, and leads to the replyToLogout", async () => {
    const party = await newParty({ replyToLogout: "https://rp.example/bye" });
    const page = await signedInTo(party);
    const asked = await page.open(signOut({ wtrealm: party.realm }));
    expect(await isSignedIn(page, party)).toBe(true);
    await page.open(signOut({ wtrealm: party.realm }));
    expect(asked.title).toContain("Sign out");
    const done = await page.submit({});
    expect([goalOf(done), await isSignedIn(page, party)]).toEqual(["https://rp.example/bye", false]);
  });
  test("leads to the replyTo where no other address is registered, or the request names it", async () => {
    const party = await newParty();
    const page = await signedInTo(party);
    expect(goalOf(await confirm(page, await page.open(signOut({ wtrealm: party.realm }))))).toBe(party.replyTo);
    const both = await newParty({ replyToLogout: "https://rp.example/bye#now" });
    for (const wreply of [both.replyTo, "https://rp.example/bye#now"]) {
      const own = await signedInTo(both);
      const shown = await own.open(signOut({ wtrealm: both.realm, wreply }));
      expect(goalOf(await confirm(own, shown))).toBe(wreply);
    }
  });
  test("takes an address without a realm, if it is one of an application of the session", async () => {
    const party = await newParty();
    const page = await signedInTo(await newParty(), party);
    const shown = await page.open(signOut({ wreply: party.replyTo }));
    expect(goalOf(await confirm(page, shown))).toBe(party.replyTo);
  });
  test("leads to no other address: not of strangers, nor of applications without a part in the session", async () => {
    const [party, other] = [await newParty(), await newParty()];
    const page = await signedInTo(party);
    for (const wreply of [EVIL, other.replyTo, `${party.replyTo}/`, "//evil.example", "javascript:alert(1)"]) {
      const refused = await page.open(signOut({ wtrealm: party.realm, wreply }));
      expect([refused.status, refused.alert]).toEqual([400, expect.stringContaining("wreply is not")]);
      const shown = await page.open(signOut({ wreply }));
      expect([shown.title, shown.html.includes(wreply)]).toEqual([expect.stringContaining("Sign out"), false]);
    }
    expect(goalOf(await confirm(page, await page.open(signOut({ wreply: EVIL }))))).toBeUndefined();
    const stranger = browser();
    const none = await stranger.open(signOut({ wreply: party.replyTo }));
    expect([none.status, goalOf(none)]).toEqual([200, undefined]);
    expect((await page.open(signOut({ wtrealm: "urn:unknown" }))).status).toBe(400);
  });
  test("no registered address counts that a browser must not be led to", async () => {
    const party = await newParty({ replyToLogout: "http://rp.example/bye" });
    const page = await signedInTo(party);
    const refused = await page.open(signOut({ wtrealm: party.realm, wreply: "http://rp.example/bye" }));
    expect(refused.status).toBe(400);
    expect(goalOf(await confirm(page, await page.open(signOut({ wtrealm: party.realm }))))).toBe(party.replyTo);
  });
  test("is that of the tenant: a session of another one goes on", async () => {
    const tenant = await newTenant("out.example");
    const theirs = await newParty({}, {}, tenant.ask);
    const party = await newParty();
    const page = await signedInTo(party);
    const shown = await page.open(`/t/out.example${signOut({ wtrealm: theirs.realm })}`);
    expect(goalOf(shown)).toBe(theirs.replyTo);
    expect((await page.open(`/t/out.example${signOut({ wtrealm: party.realm })}`)).status).toBe(400);
    expect(await isSignedIn(page, party)).toBe(true);
  });
  test("by a form of another site the person is asked, too", async () => {
    const party = await newParty();
    const page = await signedInTo(party);
    const fields = { wa: "wsignout1.0", wtrealm: party.realm };
    const shown = await page.post("/passivests", fields, { "sec-fetch-site": "cross-site" });
    expect(await isSignedIn(page, party)).toBe(true);
    expect(shown.title).toContain("Sign out");
  });
});

describe("wsignoutcleanup1.0", () => {
  test("is opened at the applications of the session, by any sign-out in the browser", async () => {
    const [one, other, absent] = [
      await newParty({ replyTo: "https://one.example/in?a=b" }),
      await newParty(),
      await newParty(),
    ];
    const client = await newApplication({ logout: { frontChannelLogoutUrl: "https://front.example/out" } });
    for (const path of ["/oidc/logout", signOut({ wtrealm: one.realm })]) {
      const page = await signedInTo(one, other);
      await page.open(requestOf(client));
      const done = await confirm(page, await page.open(path));
      expect(framesIn(done).toSorted()).toEqual(
        [
          "https://one.example/in?a=b&wa=wsignoutcleanup1.0",
          `${other.replyTo}?wa=wsignoutcleanup1.0`,
          expect.stringMatching(/^https:\/\/front\.example\/out\?iss=.*&sid=/),
        ].toSorted((a, b) => (String(a) < String(b) ? -1 : 1)),
      );
      expect(done.html).not.toContain(absent.replyTo);
      const policy = done.headers.get("content-security-policy") ?? "";
      expect(/frame-src ([^;]*)/.exec(policy)?.[1]).toContain(new URL(other.replyTo).origin);
    }
  });
  test("is opened at no application that has another protocol now", async () => {
    const party = await newParty();
    const page = await signedInTo(party);
    const at = `${APPLICATIONS}/${party.id}/inbound-protocols/passive-sts`;
    expect((await api.ask("DELETE", at)).status).toBe(204);
    expect(framesIn(await confirm(page, await page.open("/oidc/logout")))).toEqual([]);
  });
  test("sent to this service ends nothing without the word of the person", async () => {
    const party = await newParty();
    const page = await signedInTo(party);
    const shown = await page.open(requestPath({ wa: "wsignoutcleanup1.0", wreply: EVIL }));
    expect([shown.status, shown.title, shown.html.includes(EVIL)]).toEqual([
      200,
      expect.stringContaining("Sign out"),
      false,
    ]);
    expect(shown.headers.get("content-security-policy")).toContain("frame-ancestors 'none'");
    expect(await isSignedIn(page, party)).toBe(true);
    await page.open(requestPath({ wa: "wsignoutcleanup1.0" }));
    await page.submit({});
    expect(await isSignedIn(page, party)).toBe(false);
  });
});
