/** Sign-in to relying parties of WS-Federation (decision 0203): what two independent readers find in the tokens. */
import { beforeAll, describe, expect, test, vi } from "vitest";
import type { Browser } from "#tests/support/browsing.ts";
import { setUp, TWO_STEPS } from "#tests/support/codes.ts";
import {
  passiveStsOf,
  type RelyingParty,
  requestPath,
  SAML_11,
  SAML_20,
  signInPath,
  typed,
  wreq,
} from "#tests/support/passive-sts.ts";
import { saasOf } from "#tests/support/saas.ts";
import { PERSON } from "#tests/support/sign-in.ts";
import { APPLICATIONS, world } from "#tests/support/world.ts";
import { type LogLine, listening } from "#tools/bench/calls.ts";

const api = world();
const { newParty, tokenIn, sentBy, enter, browser } = passiveStsOf(api);
const { newTenant } = saasOf(api);
const LOCAL = "http://wso2.org/claims/";
const UNSPECIFIED = "urn:oasis:names:tc:SAML:1.1:nameid-format:unspecified";
const PASSWORD = "urn:oasis:names:tc:SAML:1.0:am:password";
const SEVERAL = "http://schemas.microsoft.com/claims/multipleauthn";
const MFA = "https://refeds.org/profile/mfa";
const TRUST_2005 = "http://schemas.xmlsoap.org/ws/2005/02/trust";

let page: Browser;

beforeAll(async () => {
  const body = {
    userName: PERSON.username,
    password: PERSON.password,
    name: { givenName: "Kim", familyName: '<Jansen> & "Co"\r\n\tof\nÄrö 😀' },
    emails: [{ value: "kim@cars.example", primary: true }],
  };
  const made = await api.ask("POST", "/scim2/Users", { body });
  expect(made.status).toBe(201);
  const of = [{ value: made.body.id }];
  await api.ask("POST", "/scim2/Groups", { body: { displayName: "drivers", members: of } });
  await api.ask("POST", "/scim2/Groups", { body: { displayName: "crew", members: of } });
  page = await signedIn();
});

const signedIn = async () => {
  const used = browser();
  await used.open(signInPath(await newParty()));
  sentBy(used, await enter(used));
  return used;
};
const tokenFor = async (party: RelyingParty, fields: Readonly<Record<string, string>> = {}, used = page) =>
  tokenIn(used, await used.open(signInPath(party, fields)));
const claims = (...names: readonly string[]) => ({
  claimConfiguration: {
    dialect: "LOCAL",
    requestedClaims: names.map((name) => ({ claim: { uri: `${LOCAL}${name}` }, mandatory: false })),
  },
});
const secondsFrom = (from: string, to: string) => (Date.parse(to) - Date.parse(from)) / 1_000;

describe("askPassiveSts, takeSsoRequest, sendPassiveStsToken", () => {
  test("signs a person in, and single signs on to the next application", async () => {
    const party = await newParty();
    const own = browser();
    const shown = await own.open(signInPath(party, { wreply: party.replyTo, wctx: "rm=0&id=passive&ru=%2f" }));
    expect(shown.title).toContain("Sign in");
    const token = await tokenIn(own, await enter(own));
    expect([token.action, token.sent.wa, token.sent.wctx, token.name]).toEqual([
      party.replyTo,
      "wsignin1.0",
      "rm=0&id=passive&ru=%2f",
      PERSON.username,
    ]);
    const next = await newParty();
    const again = await tokenIn(own, await own.open(signInPath(next)));
    expect([again.action, again.audience, again.name, again.sent.wctx]).toEqual([
      next.replyTo,
      next.realm,
      PERSON.username,
      undefined,
    ]);
  });
  test("a token of SAML 1.1 is for the realm alone, and lives for five minutes", async () => {
    const party = await newParty();
    const token = await tokenFor(party);
    expect(token).toMatchObject({
      version: "1.1",
      tokenType: SAML_11,
      keyType: "http://docs.oasis-open.org/ws-sx/ws-trust/200512/Bearer",
      requestType: "http://docs.oasis-open.org/ws-sx/ws-trust/200512/Issue",
      appliesTo: party.realm,
      audience: party.realm,
      issuer: api.url,
      name: PERSON.username,
      format: UNSPECIFIED,
      confirmation: "urn:oasis:names:tc:SAML:1.0:cm:bearer",
      method: PASSWORD,
      attributes: {},
      context: "",
    });
    expect([
      secondsFrom(token.created, token.notBefore),
      secondsFrom(token.created, token.notOnOrAfter),
      secondsFrom(token.created, token.expires),
      Math.abs(Date.parse(token.created) - Date.now()) < 30_000,
      Math.abs(Date.parse(token.authenticated) - Date.now()) < 300_000,
    ]).toEqual([-60, 300, 300, true, true]);
  });
  test("a token has the version of SAML that the request asks for", async () => {
    const party = await newParty({}, claims("emailaddress"));
    const token = await tokenFor(party, { wreq: typed(SAML_20) });
    expect(token).toMatchObject({
      version: "2.0",
      tokenType: SAML_20,
      audience: party.realm,
      issuer: api.url,
      name: PERSON.username,
      format: UNSPECIFIED,
      confirmation: "urn:oasis:names:tc:SAML:2.0:cm:bearer",
      method: "urn:oasis:names:tc:SAML:2.0:ac:classes:PasswordProtectedTransport",
      attributes: { [`${LOCAL}emailaddress`]: ["kim@cars.example"] },
    });
    expect(token.wresult).toContain(`Recipient="${party.replyTo}"`);
    const older = wreq("<trust:TokenType>urn:oasis:names:tc:SAML:2.0:assertion</trust:TokenType>", "", TRUST_2005);
    expect((await tokenFor(party, { wreq: older })).version).toBe("2.0");
    expect((await tokenFor(party, { wreq: typed(SAML_11) })).version).toBe("1.1");
    expect((await tokenFor(party, { wreq: typed("urn:oasis:names:tc:SAML:1.0:assertion") })).version).toBe("1.1");
    expect((await tokenFor(party, { wreq: wreq("", ' Context="urn:my&amp;context"') })).context).toBe("urn:my&context");
  });
  test.each([SAML_11, SAML_20])("attributes are those of the claim configuration, as %s has them", async (type) => {
    const party = await newParty({}, claims("lastname", "groups", "emailaddress", "nickname"));
    const { attributes, wresult } = await tokenFor(party, { wreq: typed(type) });
    // Some parsers leave what a browser makes of line breaks as it is.
    expect(wresult).not.toMatch(/[\r\n]/);
    const { [`${LOCAL}groups`]: groups, ...others } = attributes;
    expect(groups?.toSorted()).toEqual(["crew", "drivers"]);
    expect(others).toEqual({
      [`${LOCAL}lastname`]: ['<Jansen> & "Co"\r\n\tof\nÄrö 😀'],
      [`${LOCAL}emailaddress`]: ["kim@cars.example"],
    });
  });
  test("attributes have the names of the application, and a name without a slash stands for both parts", async () => {
    const email = "http://schemas.xmlsoap.org/ws/2005/05/identity/claims/emailaddress";
    const party = await newParty(
      {},
      {
        claimConfiguration: {
          dialect: "CUSTOM",
          claimMappings: [
            { applicationClaim: email, localClaim: { uri: `${LOCAL}emailaddress` } },
            { applicationClaim: "given", localClaim: { uri: `${LOCAL}givenname` } },
          ],
          requestedClaims: [{ claim: { uri: email } }, { claim: { uri: "given" } }],
        },
      },
    );
    expect((await tokenFor(party)).attributes).toEqual({ [email]: ["kim@cars.example"], "given/given": ["Kim"] });
    expect((await tokenFor(party, { wreq: typed(SAML_20) })).attributes).toEqual({
      [email]: ["kim@cars.example"],
      given: ["Kim"],
    });
  });
  test("the name is the claim that is the subject, else the user name", async () => {
    const subject = (uri: string) => ({
      claimConfiguration: { dialect: "LOCAL", subject: { claim: { uri: `${LOCAL}${uri}` } } },
    });
    expect((await tokenFor(await newParty({}, subject("emailaddress")))).name).toBe("kim@cars.example");
    expect((await tokenFor(await newParty({}, subject("nickname")))).name).toBe(PERSON.username);
  });
  test("asks for consent, and tells nothing without it", async () => {
    const party = await newParty({}, { ...claims("emailaddress"), advancedConfigurations: {} });
    const asked = await page.open(signInPath(party));
    expect(asked.html).toContain("asks for access");
    const refused = await page.submit({ answer: "deny" });
    expect([refused.status, refused.html.includes("wresult")]).toEqual([400, false]);
    expect(refused.said).toContain("You were not signed in");
    await page.open(signInPath(party));
    const token = await tokenIn(page, await page.submit({ answer: "allow" }));
    expect(token.attributes).toEqual({ [`${LOCAL}emailaddress`]: ["kim@cars.example"] });
  });
  test("who gives the sign-in up is told so, and the application gets nothing", async () => {
    const own = browser();
    await own.open(signInPath(await newParty()));
    const shown = await own.submit({ choice: "cancel" });
    expect([shown.status, shown.html.includes("wresult")]).toEqual([400, false]);
    expect(shown.said).toContain("You were not signed in");
  });
  test("a guest of another tenant signs in where the application takes guests", async () => {
    const tenant = await newTenant("guests.example");
    await tenant.newUser("gus");
    const party = await newParty({}, { advancedConfigurations: { saas: true } });
    const guest = browser();
    await guest.open(signInPath(party));
    await enter(guest, { username: "gus@guests.example", password: PERSON.password });
    const token = await tokenIn(guest, await guest.submit({ answer: "allow" }));
    expect(token.name).toContain("@guests.example");
    const closed = await newParty();
    expect((await guest.open(signInPath(closed))).title).toContain("Sign in");
  });
  test("each tenant has its own relying parties, name and key", async () => {
    const tenant = await newTenant("own.example");
    await tenant.newUser("kim");
    const party = await newParty({}, {}, tenant.ask);
    const own = browser();
    await own.open(signInPath(party, {}, "/t/own.example"));
    const token = await tokenIn(own, await enter(own), "/t/own.example");
    expect([token.issuer, token.audience]).toEqual([`${api.url}/t/own.example`, party.realm]);
    const { wresult } = token;
    const { readByDom } = await import("#tests/support/passive-sts-dom.js");
    const { certificateOf } = passiveStsOf(api);
    const other = await certificateOf();
    expect(() => readByDom(wresult, other)).toThrow("signature");
  });
});

test("single sign-on costs five round trips, as that of SAML 2.0", async () => {
  const party = await newParty();
  await tokenFor(party);
  for (const next of [party, await newParty()]) {
    const lines = await listening(() => page.open(signInPath(next)));
    const trips = lines.flatMap(({ service, RoundTrips }: LogLine) =>
      ["sign-in", "sso"].includes(service ?? "") && RoundTrips !== undefined ? [RoundTrips] : [],
    );
    expect(trips).toEqual([2, 1, 2]);
  }
});

describe("wfresh, wauth, wct", () => {
  test("wfresh=0 asks for the password, also of somebody who has just signed in", async () => {
    const party = await newParty();
    const own = await signedIn();
    const shown = await own.open(signInPath(party, { wfresh: "0" }));
    expect([shown.title, shown.html.includes("wresult")]).toEqual([expect.stringContaining("Sign in"), false]);
    const token = await tokenIn(own, await enter(own));
    expect([token.name, secondsFrom(token.created, token.notOnOrAfter)]).toEqual([PERSON.username, 300]);
  });
  test("wfresh is the most minutes since the sign-in, and no token lives longer", async () => {
    const party = await newParty();
    const own = await signedIn();
    const token = await tokenFor(party, { wfresh: "2" }, own);
    expect([secondsFrom(token.created, token.notOnOrAfter), secondsFrom(token.created, token.expires)]).toEqual([
      120, 120,
    ]);
    const newer = await tokenFor(party, { wfresh: "1", wreq: typed(SAML_20) }, own);
    expect(secondsFrom(newer.created, newer.notOnOrAfter)).toBe(60);
    expect(
      secondsFrom(newer.created, /SubjectConfirmationData NotOnOrAfter="([^"]+)"/.exec(newer.wresult)?.[1] ?? ""),
    ).toBe(60);
    const longer = await tokenFor(party, { wfresh: "60" }, own);
    expect(secondsFrom(longer.created, longer.notOnOrAfter)).toBe(300);
    vi.useFakeTimers({ toFake: ["Date"] });
    try {
      vi.setSystemTime(Date.now() + 3 * 60_000);
      expect((await own.open(signInPath(party, { wfresh: "2" }))).title).toContain("Sign in");
      sentBy(own, await own.open(signInPath(party, { wfresh: "4" })));
    } finally {
      vi.useRealTimers();
    }
  });
  test("a token names the method of wauth, where that was proven", async () => {
    const party = await newParty();
    for (const method of [
      PASSWORD,
      "http://schemas.microsoft.com/ws/2008/06/identity/authenticationmethod/password",
      "urn:oasis:names:tc:SAML:2.0:ac:classes:PasswordProtectedTransport",
      "urn:oasis:names:tc:SAML:1.0:am:unspecified",
    ]) {
      expect((await tokenFor(party, { wauth: method })).method).toBe(method);
      expect((await tokenFor(party, { wauth: method, wreq: typed(SAML_20) })).method).toBe(method);
    }
  });
  test("a second factor is asked for where wauth names one, and named in each version", async () => {
    const body = { userName: "fay", password: PERSON.password };
    expect((await api.ask("POST", "/scim2/Users", { body })).status).toBe(201);
    const fay = browser();
    const party = await newParty();
    await fay.open(signInPath(party, { wauth: SEVERAL }));
    const first = await enter(fay, { username: "fay", password: PERSON.password });
    expect(first.html).not.toContain("wresult");
    const { done } = await setUp(fay, first);
    const token = await tokenIn(fay, done);
    expect([token.name, token.method]).toEqual(["fay", SEVERAL]);
    expect((await tokenFor(party, {}, fay)).method).toBe(SEVERAL);
    expect((await tokenFor(party, { wreq: typed(SAML_20) }, fay)).method).toBe(MFA);
    expect((await tokenFor(party, { wauth: MFA }, fay)).method).toBe(MFA);
    expect((await tokenFor(await newParty({}, TWO_STEPS), {}, fay)).method).toBe(SEVERAL);
  });
  test("a parameter without a value is none", async () => {
    const empty = { wreply: "", wct: "", wfresh: "", wauth: "", wreq: "", wreqptr: "" };
    expect((await tokenFor(await newParty(), empty)).name).toBe(PERSON.username);
  });
  test("wct is the time of now", async () => {
    const party = await newParty();
    const at = (ms: number) => new Date(Date.now() + ms).toISOString();
    expect((await tokenFor(party, { wct: at(0) })).name).toBe(PERSON.username);
    expect((await tokenFor(party, { wct: `${at(-4 * 60_000).slice(0, 19)}Z` })).name).toBe(PERSON.username);
  });
});

describe("askPassiveStsByForm", () => {
  test("a form of another site is led on by a GET, which has the cookies", async () => {
    const party = await newParty();
    const fields = { wa: "wsignin1.0", wtrealm: party.realm, wctx: "a+b c" };
    const response = await fetch(`${api.url}/passivests`, {
      method: "POST",
      redirect: "manual",
      body: new URLSearchParams(fields),
    });
    expect([response.status, response.headers.get("location")?.startsWith("/oauth2/sso?request=")]).toEqual([
      303,
      true,
    ]);
    const shown = await page.post("/passivests", fields, { "sec-fetch-site": "cross-site" });
    expect((await tokenIn(page, shown)).sent.wctx).toBe("a+b c");
  });
});

describe("getFederationMetadata", () => {
  test("says name, address, types of tokens and the certificates of the tenant", async () => {
    await newTenant("described.example");
    for (const prefix of ["", "/t/described.example"]) {
      const response = await fetch(`${api.url}${prefix}/FederationMetadata/2007-06/FederationMetadata.xml`);
      expect([response.status, response.headers.get("content-type")]).toEqual([200, "application/samlmetadata+xml"]);
      const { readTree, childrenOf } = await import("#core/sign-in/saml/tree.ts");
      const root = readTree(await response.text());
      const [role, ...others] = root.children;
      const named = (name: string) => role?.children.filter((each) => each.name === name) ?? [];
      const addressIn = (name: string) => named(name).map((each) => each.children[0]?.children[0]?.text);
      expect([root.name, root.attributes.get("entityID"), role?.name, others]).toEqual([
        "EntityDescriptor",
        `${api.url}${prefix}`,
        "RoleDescriptor",
        [],
      ]);
      expect(role?.children.map(({ name }) => name)).toEqual([
        "KeyDescriptor",
        "TokenTypesOffered",
        "SecurityTokenServiceEndpoint",
        "PassiveRequestorEndpoint",
      ]);
      expect(named("TokenTypesOffered")[0]?.children.map((each) => each.attributes.get("Uri"))).toEqual([
        SAML_11,
        SAML_20,
      ]);
      expect([addressIn("PassiveRequestorEndpoint"), addressIn("SecurityTokenServiceEndpoint")]).toEqual([
        [`${api.url}${prefix}/passivests`],
        [`${api.url}${prefix}/passivests`],
      ]);
      const key = named("KeyDescriptor")[0];
      expect(key && childrenOf(key, "signature", "KeyInfo")).toHaveLength(1);
      // The same key as that of SAML: a tenant has one.
      const saml = await (await fetch(`${api.url}${prefix}/identity/metadata/saml2`)).text();
      expect(saml).toContain(key?.children[0]?.children[0]?.children[0]?.text);
    }
    expect((await page.open("/t/nowhere.example/FederationMetadata/2007-06/FederationMetadata.xml")).status).toBe(400);
  });
});

describe("replyTo, realm", () => {
  test("a token goes to the replyTo of the settings, and follows them", async () => {
    const party = await newParty();
    const settings = { realm: party.realm, replyTo: "https://moved.example/in?a=b" };
    const put = await api.ask("PUT", `${APPLICATIONS}/${party.id}/inbound-protocols/passive-sts`, { body: settings });
    expect(put.status).toBe(200);
    const { action } = await tokenFor(party);
    expect(action).toBe("https://moved.example/in?a=b");
    const shown = await page.open(requestPath({ wa: "wsignin1.0", wtrealm: party.realm, wreply: party.replyTo }));
    expect([shown.status, shown.alert]).toEqual([400, expect.stringContaining("wreply is not the replyTo")]);
  });
});
