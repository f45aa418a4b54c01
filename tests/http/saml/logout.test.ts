/** Single logout of service providers of SAML, with the unchanged software of others (decision 0200). */
import { inflateRawSync } from "node:zlib";
import { beforeAll, describe, expect, test } from "vitest";
import { childOf, childrenOf, readTree, textOf } from "#core/sign-in/saml/tree.ts";
import type { Browser, Shown } from "#tests/support/browsing.ts";
import { receiver } from "#tests/support/receiver.ts";
import {
  base64,
  logoutXml,
  newProviderKey,
  type Provider,
  type ProviderKey,
  redirectPath,
  requestXml,
  samlOf,
  signedXml,
} from "#tests/support/saml.ts";
import type { Profile, SAML } from "#tests/support/saml-libraries.js";
import { PERSON } from "#tests/support/sign-in.ts";
import { APPLICATIONS, world } from "#tests/support/world.ts";

const inbox = receiver();
const api = world({ delivers: true });
const { newProvider, nodeSaml, answerIn, enter, browser, newApplication, requestOf, answerOf, redeem } = samlOf(api);

const RETURNED = "https://start.example/signed-out";
const LEE = { ...PERSON, username: "lee" };
const UNSPECIFIED = "urn:oasis:names:tc:SAML:1.1:nameid-format:unspecified";
const TRANSIENT = "urn:oasis:names:tc:SAML:2.0:nameid-format:transient";
const PERSISTENT = "urn:oasis:names:tc:SAML:2.0:nameid-format:persistent";
const EMAIL = "urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress";
const FRONT = "FRONTCHANNEL_HTTP_REDIRECT";
const POSTED = "FRONTCHANNEL_HTTP_POST";

let key: ProviderKey;

beforeAll(async () => {
  key = await newProviderKey();
  for (const userName of [PERSON.username, LEE.username]) {
    const body = {
      userName,
      password: PERSON.password,
      emails: [{ value: `${userName}@cars.example`, primary: true }],
    };
    expect((await api.ask("POST", "/scim2/Users", { body })).status).toBe(201);
  }
});

/** A service provider with a key that takes part in logouts by a method. */
interface Participant extends Provider {
  readonly out: string;
  readonly saml: SAML;
}

const participant = async (
  logoutMethod: string,
  profile: object = {},
  out?: string,
  saml: object = {},
): Promise<Participant> => {
  const address = out ?? `https://out-${Math.random().toString(36).slice(2)}.example/slo`;
  const certificate = { type: "PEM", value: Buffer.from(key.certificate).toString("base64") };
  const provider = await newProvider(
    { singleLogoutProfile: { logoutMethod, logoutRequestUrl: address, ...profile }, ...saml },
    { advancedConfigurations: { skipLoginConsent: true, certificate } },
  );
  return {
    ...provider,
    out: address,
    saml: await nodeSaml(provider, {
      logoutUrl: `${api.url}/samlsso`,
      privateKey: key.key,
      publicCert: key.certificate,
      signatureAlgorithm: "sha256",
      digestAlgorithm: "sha256",
    }),
  };
};
/** Signs in to a provider in a browser. Returns what its software knows of the person. */
const signIn = async (page: Browser, { saml }: Participant, person = PERSON): Promise<Profile> => {
  const shown = await page.open(await saml.getAuthorizeUrlAsync("", undefined, {}));
  const answer = answerIn(page, shown.title.includes("Sign in") ? await enter(page, person) : shown);
  const { profile } = await saml.validatePostResponseAsync(answer.fields);
  if (!profile) throw new Error("no profile");
  return profile;
};
const queryOf = ({ location, title, alert, status, html }: Shown) => ({
  to: location ? `${location.origin}${location.pathname}` : `${status} ${title}: ${alert} ${html.slice(0, 300)}`,
  fields: Object.fromEntries(location?.searchParams ?? []),
  query: location?.search.slice(1) ?? "",
});
/** What a provider that the browser was sent to by redirect reads of the request. */
const requestAt = async ({ saml, out }: Participant, shown: Shown): Promise<Profile> => {
  const { to, fields, query } = queryOf(shown);
  expect(to).toBe(out);
  const { profile } = await saml.validateRedirectAsync(fields, query);
  if (!profile) throw new Error("no request");
  return profile;
};
/** What the provider that asked is answered. */
const answerAt = async ({ saml, out }: Participant, shown: Shown) => {
  const { to, fields, query } = queryOf(shown);
  expect(to).toBe(out);
  expect((await saml.validateRedirectAsync(fields, query)).loggedOut).toBe(true);
  const root = readTree(inflated(fields.SAMLResponse ?? ""));
  const said = childOf(root, "protocol", "Status");
  const first = said && childOf(said, "protocol", "StatusCode");
  const second = first && childOf(first, "protocol", "StatusCode");
  return {
    relayState: fields.RelayState,
    inResponseTo: root.attributes.get("InResponseTo"),
    isPartial: second?.attributes.get("Value")?.endsWith(":PartialLogout") ?? false,
  };
};
/** The text of an answer of a provider to a request. */
const responseXml = (
  { issuer, destination }: Provider,
  id: string | undefined,
  code = '<samlp:StatusCode Value="urn:oasis:names:tc:SAML:2.0:status:Success"/>',
  attributes: Readonly<Record<string, string>> = {},
) =>
  requestXml(
    { issuer, ...(destination !== undefined && { destination }) },
    { InResponseTo: id, ...attributes },
    `<samlp:Status>${code}</samlp:Status>`,
  ).replaceAll("AuthnRequest", "LogoutResponse");
const signedResponse = (of: Provider, id: string | undefined, code?: string) =>
  signedXml(responseXml(of, id, code), key, { root: "LogoutResponse" });
const inflated = (encoded: string) => inflateRawSync(Buffer.from(encoded, "base64")).toString("utf8");
const envelope = (message: string) =>
  `<s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/" xmlns:unused="urn:x"><s:Header/><s:Body>${message}</s:Body></s:Envelope>`;
const sendSoap = async (text: string, type = "text/xml; charset=utf-8") => {
  const response = await fetch(`${api.url}/samlsso`, {
    method: "POST",
    body: text,
    headers: { "content-type": type, soapaction: '""' },
  });
  return { status: response.status, text: await response.text() };
};
/** The answer to a signed logout request by SOAP. Its namespaces are declared around the message. */
const soap = async (
  of: Provider,
  name: { format: string; value: string },
  indexes: readonly string[] = [],
  type?: string,
) => {
  const xml = signedXml(logoutXml(of, name, indexes), key, { root: "LogoutRequest" });
  const [declared = ""] = / xmlns:samlp="[^"]*"/.exec(xml) ?? [];
  const text = envelope(xml.replace(declared, "")).replace("<s:Body", `<s:Body${declared}`);
  const answer = await sendSoap(`\u{FEFF}<?xml version="1.0"?><!-- \u{1F511} -->\r\n${text}`, type);
  const response = answer.status === 200 ? readTree(answer.text).children[0]?.children[0] : undefined;
  const said = response && childOf(response, "protocol", "Status");
  const first = said && childOf(said, "protocol", "StatusCode");
  const second = first && childOf(first, "protocol", "StatusCode");
  const codes = [first, second].flatMap((each) => each?.attributes.get("Value")?.split(":").at(-1) ?? []);
  return { status: answer.status, codes, text: answer.text };
};
/** Whether a browser is signed in. */
const isSignedIn = async (page: Browser) => {
  const probe = await newProvider();
  return !(await page.open(redirectPath(requestXml(probe)))).title.includes("Sign in");
};

describe("signOnBySaml, continueSamlLogout, signSamlLogoutRequest, takeSsoSignOut", () => {
  test("node-saml signs a person out, and each other provider by its method", async () => {
    const page = browser();
    const [asking, visited, posted] = [await participant(FRONT), await participant(FRONT), await participant(POSTED)];
    const told = await participant("BACKCHANNEL", {}, inbox.url("/soap"));
    const framed = await newApplication({ logout: { frontChannelLogoutUrl: "https://frame.example/out" } });
    const client = await newApplication({ logout: { backChannelLogoutUrl: inbox.url("/client") } });
    const kim = await signIn(page, asking);
    const [atVisited, , atTold] = [
      await signIn(page, visited),
      await signIn(page, posted),
      await signIn(page, told),
      await page.open(requestOf(framed)),
      await redeem(client, answerOf(await page.open(requestOf(client))).code),
    ];

    // Pages of other clients are opened first: a provider that sends no one back does not keep them from it.
    const opened = await page.open(await asking.saml.getLogoutUrlAsync(kim, "a.state", {}));
    expect(opened.html).toContain("https://frame.example/out");
    const toVisited = await page.open(/url=(.*)/.exec(opened.headers.get("refresh") ?? "")?.[1] ?? "");
    const requested = await requestAt(visited, toVisited);
    expect([requested.nameID, requested.sessionIndex]).toEqual([PERSON.username, atVisited.sessionIndex]);
    const confirmation = await visited.saml.getLogoutResponseUrlAsync(requested, "", {}, true);
    await page.open(confirmation);
    const { SAMLRequest = "" } = page.fields();
    expect((await posted.saml.validatePostRequestAsync({ SAMLRequest })).profile?.nameID).toBe(PERSON.username);
    const id = readTree(Buffer.from(SAMLRequest, "base64").toString("utf8")).attributes.get("ID");
    const last = await page.post("/samlsso", { SAMLResponse: base64(signedResponse(posted, id)) });
    const { relayState, isPartial } = await answerAt(asking, last);
    expect({ relayState, isPartial }).toEqual({ relayState: "a.state", isPartial: false });

    const [soap] = await inbox.waitFor("/soap", 1);
    expect(soap?.headers).toMatchObject({ "content-type": "text/xml; charset=utf-8" });
    const request = readTree(soap?.text ?? "").children[0]?.children[0];
    expect(request?.attributes.get("Destination")).toBe(inbox.url("/soap"));
    expect(request && childrenOf(request, "protocol", "SessionIndex").map(textOf)).toEqual([atTold.sessionIndex]);
    await inbox.waitFor("/client", 1);
    expect(await isSignedIn(page)).toBe(false);
  });
  test("a request by a form of another site, without cookies, is answered by a form", async () => {
    const page = browser();
    const asking = await participant(POSTED);
    const { sessionIndex = "" } = await signIn(page, asking);
    const name = { format: UNSPECIFIED, value: PERSON.username };
    const SAMLRequest = base64(signedXml(logoutXml(asking, name, [sessionIndex]), key, { root: "LogoutRequest" }));
    // The browser sends the cookies with the GET that follows.
    const other = browser();
    const sent = await other.post("/samlsso", { SAMLRequest, RelayState: "<a&b>" }, { "sec-fetch-site": "cross-site" });
    expect(/<form[^>]*action="([^"]*)"/.exec(sent.html)?.[1]).toBe(asking.out);
    const { RelayState, SAMLResponse = "" } = other.fields();
    expect(RelayState).toBe("<a&b>");
    const strict = await nodeSaml(asking, { validateInResponseTo: "never" });
    expect((await strict.validatePostResponseAsync({ SAMLResponse })).loggedOut).toBe(true);
    expect(await isSignedIn(page)).toBe(false);
  });
  test("a request by SOAP ends the sessions that it names, and without a SessionIndex all of the name", async () => {
    const told = await participant("BACKCHANNEL", {}, inbox.url("/initiator"));
    const [one, other, third] = [browser(), browser(), browser()];
    const [first] = [await signIn(one, told), await signIn(other, told), await signIn(third, told, LEE)];
    const name = { format: UNSPECIFIED, value: PERSON.username };
    const answer = await soap(told, name, [first.sessionIndex ?? ""]);
    expect(answer).toMatchObject({ status: 200, codes: ["Success"] });
    expect([await isSignedIn(one), await isSignedIn(other)]).toEqual([false, true]);
    // The provider that asks whether somebody is signed in takes part in no logout. pysaml2 names the type of SOAP 1.2.
    const all = await soap(told, name, [], "application/soap+xml");
    expect(all).toMatchObject({ status: 200, codes: ["Success", "PartialLogout"] });
    expect([await isSignedIn(other), await isSignedIn(third)]).toEqual([false, true]);
    // Who asked is not told.
    expect(inbox.at("/initiator")).toEqual([]);
  });
  test("a request without a SessionIndex ends twenty sessions, and says what other browsers did not do", async () => {
    const [asking, visited] = [await participant(FRONT), await participant(FRONT)];
    const pages = Array.from({ length: 20 }, () => browser());
    for (const each of pages) await signIn(each, asking);
    const [page, other] = pages as [Browser, Browser];
    await signIn(other, visited);
    const xml = logoutXml(asking, { format: UNSPECIFIED, value: PERSON.username });
    const strict = await nodeSaml(asking, { validateInResponseTo: "never" });
    const last = await page.open(redirectPath(xml, { key: key.key }));
    expect((await answerAt({ ...asking, saml: strict }, last)).isPartial).toBe(true);
    expect(await Promise.all(pages.map(isSignedIn))).toEqual(Array(20).fill(false));
  });
  test("a SOAP request says that providers that only a browser reaches were not told", async () => {
    const page = browser();
    const [told, visited] = [await participant("BACKCHANNEL", {}, inbox.url("/none")), await participant(FRONT)];
    await signIn(page, visited);
    await signIn(page, told);
    const answer = await soap(told, { format: UNSPECIFIED, value: PERSON.username });
    expect(answer.codes).toEqual(["Success", "PartialLogout"]);
  });
  test.each([
    ["says that it failed", '<samlp:StatusCode Value="urn:oasis:names:tc:SAML:2.0:status:Responder"/>', true],
    [
      "was partly successful",
      '<samlp:StatusCode Value="urn:oasis:names:tc:SAML:2.0:status:Success">' +
        '<samlp:StatusCode Value="urn:oasis:names:tc:SAML:2.0:status:PartialLogout"/></samlp:StatusCode>',
      true,
    ],
    ["sends an answer that is not signed", undefined, false],
    ["sends an answer for another address", undefined, true, { Destination: "https://other.example/samlsso" }],
    ["sends an answer of a while ago", undefined, true, { IssueInstant: new Date(Date.now() - 400_000).toISOString() }],
  ])(
    "the logout is partial where a provider %s",
    async (_, code, isSigned, attributes: Readonly<Record<string, string>> = {}) => {
      const page = browser();
      const [asking, visited] = [await participant(FRONT), await participant(FRONT)];
      const kim = await signIn(page, asking);
      await signIn(page, visited);
      const toVisited = await page.open(await asking.saml.getLogoutUrlAsync(kim, "", {}));
      const request = readTree(inflated(queryOf(toVisited).fields.SAMLRequest ?? ""));
      const id = request.attributes.get("ID");
      const path = redirectPath(responseXml(visited, id, code, attributes), {
        parameter: "SAMLResponse",
        ...(isSigned && { key: key.key }),
      });
      expect(await answerAt(asking, await page.open(path))).toMatchObject({ isPartial: true });
    },
  );
  test("a person who comes back from a provider without an answer goes on", async () => {
    const page = browser();
    const [asking, visited] = [await participant(FRONT), await participant(FRONT)];
    const kim = await signIn(page, asking);
    await signIn(page, visited);
    const sent = await fetch(await asking.saml.getLogoutUrlAsync(kim, "", {}), { redirect: "manual" });
    const chain = sent.headers.get("location") ?? "";
    await requestAt(visited, await page.open(chain));
    const last = await page.open(chain);
    expect(await answerAt(asking, last)).toMatchObject({ isPartial: true });
  });
  test("a sign-out of OpenID Connect visits the service providers, and ends at its address", async () => {
    const page = browser();
    const visited = await participant(FRONT);
    const client = await newApplication({ callbackURLs: [RETURNED, "https://app.example/cb"] });
    await page.open(requestOf(client, { redirect_uri: RETURNED }));
    const { body } = await redeem(client, answerOf(await enter(page)).code, { redirect_uri: RETURNED });
    await signIn(page, visited);
    const query = new URLSearchParams({ id_token_hint: body.id_token, post_logout_redirect_uri: RETURNED, state: "s" });
    const requested = await requestAt(visited, await page.open(`/oidc/logout?${query}`));
    const last = await page.open(await visited.saml.getLogoutResponseUrlAsync(requested, "", {}, true));
    expect(last.location?.href).toBe(`${RETURNED}?state=s`);
    expect(await isSignedIn(page)).toBe(false);
  });
  test("a logout that begins here asks the person, and leads to a registered address", async () => {
    const page = browser();
    const idpInitiatedSingleLogout = { enabled: true, returnToUrls: [RETURNED] };
    const asking = await participant(FRONT, { idpInitiatedSingleLogout });
    await signIn(page, asking);
    const path = (returnTo: string) =>
      `/samlsso?${new URLSearchParams({ slo: "true", spEntityID: asking.issuer, returnTo })}`;
    for (const other of [`${RETURNED}/`, "https://evil.example/", "//evil.example"]) {
      expect(await page.open(path(other))).toMatchObject({ status: 400, location: undefined });
    }
    expect((await page.open(path(RETURNED))).title).toContain("Sign out");
    const requested = await requestAt(asking, await page.submit({}));
    const last = await page.open(await asking.saml.getLogoutResponseUrlAsync(requested, "", {}, true));
    expect(last.location?.href).toBe(RETURNED);
    expect(await isSignedIn(page)).toBe(false);
  });
  test("the address for answers gets them, also where requests go by SOAP", async () => {
    const page = browser();
    const soapOut = { logoutResponseUrl: RETURNED };
    const asking = await participant("BACKCHANNEL", soapOut, inbox.url("/soap-and-answers"));
    const kim = await signIn(page, asking);
    const last = await page.open(await asking.saml.getLogoutUrlAsync(kim, "r", {}));
    expect(queryOf(last)).toMatchObject({ to: RETURNED, fields: { RelayState: "r" } });
    // An address of SOAP gets nothing by a browser.
    const silent = await participant("BACKCHANNEL", {}, inbox.url("/soap-alone"));
    const other = await signIn(page, silent);
    expect((await page.open(await silent.saml.getLogoutUrlAsync(other, "", {}))).title).toContain("signed out");
  });
  test("a transient name stays while the session lasts, so that it can be signed out by it", async () => {
    const [page, other] = [browser(), browser()];
    const assertion = { nameIdFormat: TRANSIENT };
    const asking = await participant(FRONT, {}, undefined, { singleSignOnProfile: { assertion } });
    const [one, again, elsewhere] = [
      await signIn(page, asking),
      await signIn(page, asking),
      await signIn(other, asking),
    ];
    expect(one.nameID).toBe(again.nameID);
    expect(one.nameID).not.toBe(elsewhere.nameID);
    await page.open(await asking.saml.getLogoutUrlAsync(one, "", {}));
    expect([await isSignedIn(page), await isSignedIn(other)]).toEqual([false, true]);
  });
  test("a provider without a key signs out the session of the browser that names it", async () => {
    const page = browser();
    const asking = await newProvider({ singleLogoutProfile: { logoutMethod: FRONT, logoutRequestUrl: RETURNED } });
    await page.open(redirectPath(requestXml(asking)));
    const { assertion } = answerIn(page, await enter(page));
    const index = assertion && childOf(assertion, "assertion", "AuthnStatement")?.attributes.get("SessionIndex");
    const name = { format: UNSPECIFIED, value: PERSON.username };
    const [named, unnamed] = [logoutXml(asking, name, [index ?? "", index ?? ""]), logoutXml(asking, name)];
    expect((await page.open(redirectPath(unnamed))).status).toBe(400);
    expect((await browser().open(redirectPath(named))).status).toBe(400);
    // A cookie that names the session has no secret of it.
    const cookie = [...page.cookies]
      .map(([of, value]) => `${of}=${value.replace(/ss_.{9}/, "ss_AAAAAAAAA")}`)
      .join("; ");
    const forged = await fetch(`${api.url}${redirectPath(named)}`, { headers: { cookie }, redirect: "manual" });
    expect(forged.status).toBe(400);
    expect((await page.post("/samlsso", { SAMLRequest: base64(named) }, { cookie: "" })).status).toBe(400);
    expect(await isSignedIn(page)).toBe(true);
    expect((await page.open(redirectPath(named, { relayState: "r" }))).location?.searchParams.get("RelayState")).toBe(
      "r",
    );
    expect(await isSignedIn(page)).toBe(false);
  });
});

describe("hostile logout requests", () => {
  let page: Browser;
  let asking: Participant;
  let index = "";
  const name = { format: UNSPECIFIED, value: PERSON.username };
  beforeAll(async () => {
    page = browser();
    asking = await participant(FRONT);
    index = (await signIn(page, asking)).sessionIndex ?? "";
  });
  const signed = (xml: string, by = key) => redirectPath(xml, { key: by.key });

  test("without a signature, and with one of another key, end nothing", async () => {
    const xml = logoutXml(asking, name, [index]);
    const stranger = await newProviderKey();
    const forms = [
      base64(xml),
      base64(signedXml(xml, stranger, { root: "LogoutRequest" })),
      base64(signedXml(xml, key, { root: "LogoutRequest" }).replace(`>${PERSON.username}<`, ">lee<")),
    ];
    for (const path of [redirectPath(xml), signed(xml, stranger)]) {
      expect(await page.open(path)).toMatchObject({ status: 400, location: undefined });
    }
    for (const SAMLRequest of forms) expect((await page.post("/samlsso", { SAMLRequest })).status).toBe(400);
    expect(await isSignedIn(page)).toBe(true);
  });
  test("of one provider end no session that it did not get, whatever name and index they have", async () => {
    const other = await participant(FRONT);
    const [lees, elsewhere] = [browser(), browser()];
    const lee = await signIn(lees, asking, LEE);
    await signIn(elsewhere, other, LEE);
    for (const [by, value, ...indexes] of [
      [other, PERSON.username],
      [other, PERSON.username, index],
      [asking, "lee", index],
      [asking, PERSON.username, lee.sessionIndex ?? ""],
      [asking, "Kim"],
      [asking, PERSON.username, "_none"],
    ] as const) {
      // A session that is over, or was never there, is answered as one that has just ended.
      const shown = await page.open(signed(logoutXml(by, { ...name, value }, indexes)));
      expect(queryOf(shown).to).toBe(by.out);
    }
    const email = { format: EMAIL, value: PERSON.username };
    await page.open(signed(logoutXml(asking, email, [index])));
    expect([await isSignedIn(page), await isSignedIn(lees), await isSignedIn(elsewhere)]).toEqual([true, true, true]);
  });
  test.each([
    ["is too old", { IssueInstant: new Date(Date.now() - 400_000).toISOString() }],
    ["is over", { NotOnOrAfter: new Date(Date.now() - 400_000).toISOString() }],
    ["ends at no time", { NotOnOrAfter: "soon" }],
    ["is for another address", { Destination: "https://other.example/samlsso" }],
    ["has no destination", { Destination: undefined }],
    ["has another version", { Version: "1.1" }],
    ["has no ID", { ID: undefined }],
  ])("a request that %s ends nothing", async (_, attributes) => {
    expect(await page.open(signed(logoutXml(asking, name, [index], attributes)))).toMatchObject({ status: 400 });
    expect(await isSignedIn(page)).toBe(true);
  });
  test("one of another tenant, or where logout is off, ends nothing", async () => {
    const off = await participant(FRONT, { enabled: false });
    const own = browser();
    const kim = await signIn(own, off);
    expect((await own.open(await off.saml.getLogoutUrlAsync(kim, "", {}))).status).toBe(400);
    expect((await own.open(`/t/none.example${signed(logoutXml(asking, name, [index]))}`)).status).toBe(400);
    expect([await isSignedIn(own), await isSignedIn(page)]).toEqual([true, true]);
  });
  test("a request that was taken does not end the next session", async () => {
    const own = browser();
    await signIn(own, asking);
    const all = signed(logoutXml(asking, name));
    await own.open(all);
    const later = browser();
    await signIn(later, asking);
    expect((await own.open(all)).status).toBe(400);
    expect(await isSignedIn(later)).toBe(true);
    page = browser();
    index = (await signIn(page, asking)).sessionIndex ?? "";
  });
  test("an answer of another provider, or to no request, goes nowhere", async () => {
    const own = browser();
    const [visited, stranger] = [await participant(FRONT), await participant(FRONT)];
    const kim = await signIn(own, asking);
    await signIn(own, visited);
    const toVisited = await own.open(await asking.saml.getLogoutUrlAsync(kim, "", {}));
    const id = readTree(inflated(queryOf(toVisited).fields.SAMLRequest ?? "")).attributes.get("ID") ?? "";
    const answer = (of: Provider, to: string) =>
      own.open(redirectPath(responseXml(of, to), { parameter: "SAMLResponse", key: key.key }));
    for (const other of [`${id}1`, id.replace(/.\.1$/, "=.1"), "_none", ""]) {
      expect((await answer(visited, other)).status).toBe(400);
    }
    // It is no confirmation of the provider that was asked.
    expect((await answerAt(asking, await answer(stranger, id))).isPartial).toBe(true);
    expect((await answer(visited, id)).status).toBe(400);
    expect((await own.open("/samlsso/logout?chain=lc_none")).status).toBe(400);
    expect((await own.open("/samlsso/logout")).status).toBe(400);
  });
  test("a browser without the cookie of the session sees no request to another provider", async () => {
    const own = browser();
    const [visited, second] = [await participant(FRONT), await participant(FRONT)];
    const kim = await signIn(own, asking);
    await signIn(own, visited);
    await signIn(own, second);
    // The provider that asks follows the way of the browser by itself, and gets its own answer alone.
    const sent = await fetch(await asking.saml.getLogoutUrlAsync(kim, "r", {}), { redirect: "manual" });
    const chain = sent.headers.get("location") ?? "";
    const toVisited = await own.open(chain);
    const id = readTree(inflated(queryOf(toVisited).fields.SAMLRequest ?? "")).attributes.get("ID") ?? "";
    const [, digest] = /^_(.{43})\.1$/.exec(id) ?? [];
    expect((await browser().open(`/samlsso/logout?chain=${digest}`)).location).toBeUndefined();
    // A provider that was visited has the ID of its request, and no more than that.
    const answer = redirectPath(responseXml(visited, id), { parameter: "SAMLResponse", key: key.key });
    const elsewhere = await browser().open(answer);
    expect([elsewhere.title, elsewhere.location]).toEqual(["You are signed out", undefined]);
    // The browser of the session goes on.
    await requestAt(second, await own.open(chain));
    const strangers = await browser().open(chain);
    expect((await answerAt(asking, strangers)).isPartial).toBe(true);
  });
  test("a request that is sent twice goes on with the sign-out that it has begun", async () => {
    const own = browser();
    const visited = await participant(FRONT);
    const kim = await signIn(own, asking);
    await signIn(own, visited);
    const address = await asking.saml.getLogoutUrlAsync(kim, "r", {});
    await fetch(address, { redirect: "manual" });
    await requestAt(visited, await own.open(address));
  });
  test("a request that met no session is answered, and ends no later one", async () => {
    const other = await participant(FRONT);
    const own = browser();
    const kim = await signIn(own, other);
    await own.open(await other.saml.getLogoutUrlAsync(kim, "", {}));
    // What it has begun is over: another request has its own answer.
    const xml = logoutXml(other, name);
    const path = signed(xml);
    const shown = queryOf(await own.open(path));
    expect(shown.to).toBe(other.out);
    const answered = readTree(inflated(shown.fields.SAMLResponse ?? "")).attributes.get("InResponseTo");
    expect(answered).toBe(readTree(xml).attributes.get("ID"));
    await signIn(own, other);
    expect((await own.open(path)).status).toBe(400);
    expect(await isSignedIn(own)).toBe(true);
  });
  test("a NameID without a format, and with blanks around it, is that of the assertion", async () => {
    const persistent = { singleSignOnProfile: { assertion: { nameIdFormat: PERSISTENT } } };
    const other = await participant(FRONT, {}, undefined, persistent);
    const own = browser();
    const kim = await signIn(own, other);
    const xml = logoutXml(other, { format: UNSPECIFIED, value: ` ${kim.nameID} ` }, [kim.sessionIndex ?? ""]);
    await own.open(signed(xml.replace(/<saml:NameID Format="[^"]*">/, "<saml:NameID>")));
    expect(await isSignedIn(own)).toBe(false);
  });
  test("a RelayState that no address has room for is refused before anything ends", async () => {
    const own = browser();
    const { sessionIndex = "" } = await signIn(own, asking);
    const xml = signedXml(logoutXml(asking, name, [sessionIndex]), key, { root: "LogoutRequest" });
    const sent = { SAMLRequest: base64(xml), RelayState: "x".repeat(5_000) };
    expect((await own.post("/samlsso", sent)).status).toBe(400);
    expect(await isSignedIn(own)).toBe(true);
  });
  test("no name goes to http on another machine", async () => {
    const own = browser();
    const open = await participant(FRONT, {}, "http://open.example/slo");
    const kim = await signIn(own, asking);
    await signIn(own, open);
    expect((await answerAt(asking, await own.open(await asking.saml.getLogoutUrlAsync(kim, "", {})))).isPartial).toBe(
      true,
    );
    const askedOpen = await signIn(own, open);
    expect((await own.open(await open.saml.getLogoutUrlAsync(askedOpen, "", {}))).title).toBe("You are signed out");
  });
  test("a sign-out that is over for half an hour, or was deleted in the middle, ends at a page", async () => {
    const own = browser();
    const visited = await participant(FRONT);
    const kim = await signIn(own, asking);
    await signIn(own, visited);
    const toVisited = await own.open(await asking.saml.getLogoutUrlAsync(kim, "", {}));
    const id = readTree(inflated(queryOf(toVisited).fields.SAMLRequest ?? "")).attributes.get("ID") ?? "";
    expect((await api.ask("DELETE", `${APPLICATIONS}/${visited.id}`)).status).toBe(204);
    const last = await own.open(redirectPath(responseXml(visited, id), { parameter: "SAMLResponse", key: key.key }));
    expect((await answerAt(asking, last)).isPartial).toBe(true);
    // The cookies of the session are gone with it.
    expect([...own.cookies].filter(([of, value]) => of.startsWith("__Host-session") && value !== "")).toEqual([]);
  });
  test("a logout does not begin here where the settings say so, nor ends in another tenant", async () => {
    expect(
      (await page.open(`/samlsso?${new URLSearchParams({ slo: "true", spEntityID: asking.issuer })}`)).status,
    ).toBe(400);
    expect((await page.open("/samlsso?slo=yes")).status).toBe(400);
    const begun = await fetch(`${api.url}/samlsso?slo=true`, { redirect: "manual" });
    const asks = begun.headers.get("location") ?? "";
    expect((await page.open(asks)).title).toContain("Sign out");
    expect((await page.open(`/t/other.example${asks}`)).status).toBe(400);
  });
  test("two providers know a session by different indexes", async () => {
    const other = await participant(FRONT);
    expect((await signIn(page, other)).sessionIndex).not.toBe(index);
  });
  test("one envelope has one message, and one request fifty sessions at most", async () => {
    const sign = (xml: string) => signedXml(xml, key, { root: "LogoutRequest" });
    const good = sign(logoutXml(asking, name, [index]));
    const body = `<s:Body>${good}</s:Body>`;
    const two = envelope(good).replace(body, `${body}<s:Body>${sign(logoutXml(asking, name))}</s:Body>`);
    const many = envelope(
      sign(
        logoutXml(
          asking,
          name,
          Array.from({ length: 51 }, (_, at) => `_${at}`),
        ),
      ),
    );
    const long = envelope(good).replace("<s:Header/>", `<s:Header><!--${"x".repeat(66_000)}--></s:Header>`);
    for (const text of [two, many, long]) expect((await sendSoap(text)).status).toBe(400);
    expect(await isSignedIn(page)).toBe(true);
  });
  test("the form of messages does not take an envelope", async () => {
    expect((await page.post("/samlsso", { soap: envelope(logoutXml(asking, name)) })).status).toBe(400);
  });
  test("an order of a logout request is one of this service", async () => {
    for (const order of ["", "x", "a.b.c"]) {
      const sent = await fetch(`${api.url}/samlsso/logout-request`, {
        method: "POST",
        body: new URLSearchParams({ order }),
      });
      expect(sent.status).toBe(400);
    }
  });
  test("malformed messages are refused by each binding, and never with 5xx", async () => {
    const good = logoutXml(asking, name, [index]);
    const bad = [
      ["<a/>", "", "x", good.slice(1), good.slice(0, -5), good.replace("samlp:LogoutRequest", "samlp:Logout")],
      [good.replaceAll("LogoutRequest", "ManageNameIDRequest"), good.replaceAll("LogoutRequest", "LogoutResponse")],
      [`<!DOCTYPE a [<!ENTITY b "c">]>${good}`, good.replace("<saml:NameID", "<saml:EncryptedID")],
      [good.replace(/<saml:NameID.*NameID>/, ""), good.replace(/>[^<]*<\/saml:NameID>/, "></saml:NameID>")],
      [good.replace("</saml:NameID>", "</saml:NameID><saml:NameID>lee</saml:NameID>")],
      [good.replace("</saml:Issuer>", "</saml:Issuer><saml:Issuer>other</saml:Issuer>")],
      [good.replace(/<saml:Issuer>.*<\/saml:Issuer>/, ""), good.replace("https://sp", "https://none")],
      [
        good.replace("<samlp:SessionIndex>", "<samlp:SessionIndex><x/>"),
        good.replace(`>${index}<`, "><"),
        good.replace(`>${index}<`, `>${"i".repeat(2_000)}<`),
        good + good,
        `${good}<b/>`,
      ],
    ].flat();
    const statuses = await Promise.all(
      bad.flatMap((xml) => [
        page.open(redirectPath(xml)),
        page.open(redirectPath(xml, { key: key.key })),
        page.open(redirectPath(xml, { key: key.key, parameter: "SAMLResponse" })),
        page.post("/samlsso", { SAMLRequest: base64(xml) }),
        page.post("/samlsso", { SAMLResponse: base64(xml) }),
        ...[xml, envelope(xml), envelope(envelope(xml)), envelope(`${xml}${xml}`)].map((text) => sendSoap(text)),
      ]),
    );
    expect(statuses.map(({ status }) => status).filter((status) => status !== 400)).toEqual([]);
    expect(await isSignedIn(page)).toBe(true);
  });
});
