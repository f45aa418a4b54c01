/** Queries of service providers: attributes of a user, and assertions by their IDs (decision 0204). */
import { afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { childOf, childrenOf, readTree, textOf } from "#core/sign-in/saml/tree.ts";
import type { Browser } from "#tests/support/browsing.ts";
import { saasOf } from "#tests/support/saas.ts";
import {
  logoutXml,
  newProviderKey,
  type Provider,
  redirectPath,
  requestXml,
  samlOf,
  signedXml,
} from "#tests/support/saml.ts";
import {
  askingXml,
  envelope,
  isSignedBy,
  type KeyedProvider,
  QUERIES,
  type SoapAnswer,
  soapOf,
  wrappings,
} from "#tests/support/saml-soap.ts";
import { PERSON } from "#tests/support/sign-in.ts";
import { APPLICATIONS, basic, world } from "#tests/support/world.ts";

const api = world();
const saml = samlOf(api);
const { newProvider, answerIn, enter, browser, certificateOf } = saml;
const { sendSoap, newKeyed, ask } = soapOf(api, saml);
const { newTenant } = saasOf(api);

const LOCAL = "http://wso2.org/claims";
const UNSPECIFIED = "urn:oasis:names:tc:SAML:1.1:nameid-format:unspecified";
const EMAIL = "urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress";
const PERSISTENT = "urn:oasis:names:tc:SAML:2.0:nameid-format:persistent";
const MINUTE_MS = 60_000;
const on = { enableAssertionQueryProfile: true, attributeProfile: { enabled: true } };
const always = { ...on, attributeProfile: { enabled: true, alwaysIncludeAttributesInResponse: true } };
const claims = (...names: string[]) => ({
  claimConfiguration: {
    dialect: "LOCAL",
    requestedClaims: names.map((name) => ({ claim: { uri: `${LOCAL}/${name}` } })),
  },
});
const NAMES = ["givenname", "lastname", "emailaddress"];

let kim = "";
let provider: KeyedProvider;
let page: Browser;

beforeAll(async () => {
  const body = {
    userName: PERSON.username,
    password: PERSON.password,
    name: { givenName: "Kim", familyName: "Lee" },
    emails: [{ value: "kim@cars.example", primary: true }],
  };
  kim = String((await api.ask("POST", "/scim2/Users", { body })).body.id);
  const lee = { userName: "lee", password: PERSON.password, name: { givenName: "Lee", familyName: "Ann" } };
  expect((await api.ask("POST", "/scim2/Users", { body: lee })).status).toBe(201);
  provider = await newKeyed(on, claims(...NAMES));
  page = browser();
  await signIn(page, provider);
});
afterEach(() => vi.useRealTimers());

/** Signs in, and returns the answer. */
const signIn = async (at: Browser, of: Provider, person = PERSON) => {
  const shown = await at.open(redirectPath(requestXml(of)));
  return answerIn(at, shown.title.includes("Sign in") ? await enter(at, person) : shown);
};
interface Name {
  readonly value: string;
  readonly format?: string;
}
const subject = ({ value, format }: Name) =>
  `<saml:Subject><saml:NameID${format === undefined ? "" : ` Format="${format}"`}>${value}</saml:NameID></saml:Subject>`;
const wanting = (...names: readonly string[]) =>
  names.map((name) => `<saml:Attribute Name="${LOCAL}/${name}"/>`).join("");
const queryXml = (of: Provider, name: Name = { value: PERSON.username }, wanted = "", attributes: object = {}) =>
  askingXml("AttributeQuery", of, `${subject(name)}${wanted}`, { ...attributes });
const query = (of: KeyedProvider, name?: Name, wanted = "") => ask("AttributeQuery", of, queryXml(of, name, wanted));
const idsXml = (of: Provider, ...ids: readonly string[]) =>
  askingXml("AssertionIDRequest", of, ids.map((id) => `<saml:AssertionIDRef>${id}</saml:AssertionIDRef>`).join(""));
const fetchAssertion = (of: KeyedProvider, ...ids: readonly string[]) =>
  ask("AssertionIDRequest", of, idsXml(of, ...ids));
/** What a response without a browser says. */
const toldIn = (answer: SoapAnswer) => {
  expect(answer.status).toBe(200);
  return Object.fromEntries(
    Object.entries(answer.answer?.attributes ?? {}).map(([name, values]) => [name.slice(LOCAL.length + 1), values]),
  );
};
const expectTold = (answer: SoapAnswer, ...names: readonly string[]) =>
  expect([answer.codes, Object.keys(toldIn(answer)).sort()]).toEqual([["Success"], [...names].sort()]);
const expectStatus = ({ status, codes, text }: SoapAnswer, ...expected: readonly string[]) => {
  expect([status, codes]).toEqual([200, expected]);
  expect(text).not.toMatch(/<saml:(Encrypted)?Assertion/);
};
const expectRefused = ({ status, text }: SoapAnswer, why = "") => {
  expect(status).toBe(400);
  expect(text).toContain(why);
  expect(text).not.toMatch(/<samlp?:/);
};
const idOf = (answer: { readonly assertion: SoapAnswer["root"] }) => answer.assertion?.attributes.get("ID") ?? "";

describe("querySamlAssertions", () => {
  test("tells the attributes of a user who is signed in, in a signed assertion that signs no one in", async () => {
    const xml = queryXml(provider);
    const answer = await ask("AttributeQuery", provider, xml);
    expect(toldIn(answer)).toEqual({ givenname: ["Kim"], lastname: ["Lee"], emailaddress: ["kim@cars.example"] });
    expect(answer.root?.attributes.get("InResponseTo")).toBe(readTree(xml).attributes.get("ID"));
    const assertion = answer.answer?.assertion;
    expect(assertion?.children.map(({ name }) => name)).toEqual([
      ...["Issuer", "Signature", "Subject", "Conditions", "AttributeStatement"],
    ]);
    const told = assertion && childOf(assertion, "assertion", "Subject");
    expect(told?.children.map(({ name }) => name)).toEqual(["NameID"]);
    const conditions = assertion && childOf(assertion, "assertion", "Conditions");
    const audience = conditions?.children[0] && childrenOf(conditions.children[0], "assertion", "Audience").map(textOf);
    expect(audience).toEqual([provider.issuer]);
    expect(isSignedBy(answer.text, await certificateOf(), "samlp:Response")).toBe(true);
    const [own = ""] = /<saml:Assertion[\s\S]*<\/saml:Assertion>/.exec(answer.text) ?? [];
    expect(isSignedBy(own, await certificateOf(), "saml:Assertion")).toBe(true);
    expect(isSignedBy(own.replace(">Lee<", ">Ann<"), await certificateOf(), "saml:Assertion")).toBe(false);
  });
  test("tells only what is asked for, and only its values", async () => {
    expectTold(await query(provider, undefined, wanting("lastname", "nickname")), "lastname");
    const valued = (value: string) =>
      `<saml:Attribute Name="${LOCAL}/lastname"><saml:AttributeValue>${value}</saml:AttributeValue></saml:Attribute>`;
    expectTold(await query(provider, undefined, valued("Lee")), "lastname");
    expectStatus(await query(provider, undefined, valued("Smith")), "Responder", "InvalidAttrNameOrValue");
    expectStatus(await query(provider, undefined, wanting("userid")), "Responder", "InvalidAttrNameOrValue");
  });
  test("knows a user by the name of its assertion in its format", async () => {
    const pairwise = await newKeyed(
      { ...on, singleSignOnProfile: { assertion: { nameIdFormat: PERSISTENT } } },
      claims(...NAMES),
    );
    const { nameId = "" } = await signIn(page, pairwise);
    const answer = await query(pairwise, { value: nameId, format: PERSISTENT });
    expectTold(answer, ...NAMES);
    const assertion = answer.answer?.assertion;
    const told = assertion && childOf(assertion, "assertion", "Subject")?.children[0];
    expect(told?.attributes.get("SPNameQualifier")).toBe(pairwise.issuer);
    expectStatus(await query(pairwise, { value: nameId }), "Responder", "UnknownPrincipal");
    expectStatus(await query(pairwise), "Responder", "UnknownPrincipal");
    expectTold(await query(provider, { value: PERSON.username, format: UNSPECIFIED }), ...NAMES);
  });
  test("gives an assertion by its ID for five minutes, as it was sent", async () => {
    const sent = await signIn(page, provider);
    const answer = await fetchAssertion(provider, idOf(sent));
    const [own = ""] = /<saml:Assertion[\s\S]*<\/saml:Assertion>/.exec(answer.text) ?? [];
    expect(sent.xml).toContain(own);
    expect(answer.answer?.nameId).toBe(PERSON.username);
    const next = await signIn(page, provider);
    const both = await fetchAssertion(provider, idOf(sent), idOf(next));
    expect(both.root && childrenOf(both.root, "assertion", "Assertion").length).toBe(2);
    expect(isSignedBy(both.text, await certificateOf(), "samlp:Response")).toBe(true);
    expectStatus(await fetchAssertion(provider, idOf(sent), "_none"), "Responder", "RequestDenied");
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 5 * MINUTE_MS + 1_000 });
    const late = idsXml(provider, idOf(sent));
    expectStatus(await ask("AssertionIDRequest", provider, late), "Responder", "RequestDenied");
  });
  test("assertions are encrypted in answers, too, where the settings say so", async () => {
    const assertion = { encryption: { enabled: true } };
    const encrypting = await newKeyed({ ...on, singleSignOnProfile: { assertion } }, claims(...NAMES));
    await signIn(page, encrypting);
    const answer = await query(encrypting);
    expect(answer.codes).toEqual(["Success"]);
    expect(answer.text).toContain("<saml:EncryptedAssertion");
    expect(answer.text).not.toContain("kim@cars.example");
  });
  test("a guest is told as in an assertion: nothing that its own tenant has verified", async () => {
    const tenant = await newTenant("query.example");
    const emails = [{ value: "gus@query.example", primary: true }];
    await tenant.newUser("gus", PERSON.password, { name: { givenName: "Gus", familyName: "Tav" }, emails });
    const advancedConfigurations = { saas: true };
    const taking = await newKeyed(always, { ...claims(...NAMES), advancedConfigurations });
    const guest = browser();
    await guest.open(redirectPath(requestXml(taking)));
    await enter(guest, { username: "gus@query.example", password: PERSON.password });
    const { nameId = "" } = answerIn(guest, await guest.submit({ answer: "allow" }));
    expectTold(await query(taking, { value: nameId }), "givenname", "lastname");
    await tenant.setActive(false);
    expectStatus(await query(taking, { value: nameId }), "Responder", "UnknownPrincipal");
  });
});

describe("hostile queries", () => {
  test("a name is known to the provider alone that was given it", async () => {
    const other = await newKeyed(on, claims(...NAMES));
    expectStatus(await query(other), "Responder", "UnknownPrincipal");
    expectStatus(await query(provider, { value: "lee" }), "Responder", "UnknownPrincipal");
    const sent = await signIn(page, provider);
    expectStatus(await fetchAssertion(other, idOf(sent)), "Responder", "RequestDenied");
    expectRefused(await query({ ...other, issuer: provider.issuer }), "signature");
    expectRefused(await query({ ...provider, key: await newProviderKey() }), "signature");
  });
  test("queries are off by default, and need a key", async () => {
    const off = await newKeyed({ attributeProfile: { enabled: true } }, claims(...NAMES));
    const sent = await signIn(page, off);
    expectRefused(await query(off), "enableAssertionQueryProfile");
    expectRefused(await fetchAssertion(off, idOf(sent)), "enableAssertionQueryProfile");
    const keyless = await newProvider(on, claims(...NAMES));
    await signIn(page, keyless);
    expectRefused(await sendSoap(QUERIES, envelope(queryXml(keyless))), "no certificate");
    expectRefused(await sendSoap(QUERIES, envelope(queryXml(provider))), "no signature");
    // What was sent while they were off is not kept.
    const manualConfiguration = { issuer: off.issuer, assertionConsumerUrls: [off.acs], ...on };
    const put = await api.ask("PUT", `${APPLICATIONS}/${off.id}/inbound-protocols/saml`, {
      body: { manualConfiguration },
    });
    expect(put.status).toBe(200);
    expectStatus(await fetchAssertion(off, idOf(sent)), "Responder", "RequestDenied");
  });
  test("a query counts once, and for this address alone", async () => {
    const signed = signedXml(queryXml(provider), provider.key, { root: "AttributeQuery" });
    expectTold(await sendSoap(QUERIES, envelope(signed)), ...NAMES);
    expectRefused(await sendSoap(QUERIES, envelope(signed)), "answered before");
    for (const Destination of [undefined, "https://other.example/services/SAMLQueryService", provider.destination]) {
      const xml = queryXml(provider, undefined, "", { Destination });
      expectRefused(await ask("AttributeQuery", provider, xml), "Destination");
    }
    const IssueInstant = new Date(Date.now() - 6 * MINUTE_MS).toISOString();
    expectRefused(
      await ask("AttributeQuery", provider, queryXml(provider, undefined, "", { IssueInstant })),
      "IssueInstant",
    );
    expect((await ask("AttributeQuery", provider, queryXml(provider), "/t/none.example")).status).toBe(400);
  });
  test("after a sign-out, by the person, by the provider or by the account, nothing is told", async () => {
    const lee = { username: "lee", password: PERSON.password };
    const name = { value: "lee" };
    const one = browser();
    await signIn(one, provider, lee);
    expectTold(await query(provider, name), "givenname", "lastname");
    await one.open("/oidc/logout");
    await one.submit({});
    expectStatus(await query(provider, name), "Responder", "UnknownPrincipal");

    const two = browser();
    const out = await newKeyed(
      { ...on, singleLogoutProfile: { logoutRequestUrl: "https://out.example/slo" } },
      claims(...NAMES),
    );
    await signIn(two, out, lee);
    expectTold(await query(out, name), "givenname", "lastname");
    const logout = logoutXml(out, { format: UNSPECIFIED, value: "lee" });
    expect((await sendSoap("/samlsso", envelope(signedXml(logout, out.key, { root: "LogoutRequest" })))).codes).toEqual(
      ["Success"],
    );
    expectStatus(await query(out, name), "Responder", "UnknownPrincipal");

    const three = browser();
    await signIn(three, provider, lee);
    const { body } = await api.ask("GET", `/scim2/Users?filter=${encodeURIComponent('userName eq "lee"')}`);
    const id = String(body.Resources[0].id);
    const value = { active: false };
    const patch = {
      schemas: ["urn:ietf:params:scim:api:messages:2.0:PatchOp"],
      Operations: [{ op: "replace", value }],
    };
    expect((await api.ask("PATCH", `/scim2/Users/${id}`, { body: patch })).status).toBe(200);
    expectStatus(await query(provider, name), "Responder", "UnknownPrincipal");
  });
  test("nothing is told that the user has not agreed to, or after it was taken back", async () => {
    const advancedConfigurations = { skipLoginConsent: false };
    const asking = await newKeyed(always, { ...claims("givenname"), advancedConfigurations });
    await page.open(redirectPath(requestXml(asking)));
    answerIn(page, await page.submit({ answer: "allow" }));
    expectTold(await query(asking), "givenname");
    const change = async (body: object) =>
      expect((await api.ask("PATCH", `${APPLICATIONS}/${asking.id}`, { body })).status).toBe(200);
    await change(claims("givenname", "emailaddress"));
    expectStatus(await query(asking), "Responder", "RequestDenied");
    await change(claims("givenname"));
    expectTold(await query(asking), "givenname");
    const as = basic(PERSON);
    expect((await api.ask("DELETE", `/api/users/v1/me/authorized-apps/${asking.id}`, { as })).status).toBe(204);
    const after = await query(asking);
    expect(after.codes[0]).toBe("Responder");
    expect(toldIn(after)).toEqual({});
  });
  test("nothing is told of a user who lost the assignment, nor by an application that was disabled", async () => {
    const advancedConfigurations = { enableAuthorization: true };
    const assigning = await newKeyed(on, { ...claims(...NAMES), advancedConfigurations });
    const at = `${APPLICATIONS}/${assigning.id}/assignments`;
    const { id } = (await api.ask("POST", at, { body: { type: "user", id: kim } })).body;
    await signIn(page, assigning);
    expectTold(await query(assigning), ...NAMES);
    expect((await api.ask("DELETE", `${at}/${id}`)).status).toBe(204);
    expectStatus(await query(assigning), "Responder", "RequestDenied");
    const sent = await signIn(page, provider);
    const enable = (applicationEnabled: boolean) =>
      api.ask("PATCH", `${APPLICATIONS}/${provider.id}`, { body: { applicationEnabled } });
    expect((await enable(false)).status).toBe(200);
    expectStatus(await query(provider), "Responder", "RequestDenied");
    expectStatus(await fetchAssertion(provider, idOf(sent)), "Responder", "RequestDenied");
    expect((await enable(true)).status).toBe(200);
    expectTold(await query(provider), ...NAMES);
  });
  test("an address that has moved to another user is the name of neither", async () => {
    const [one, other] = [browser(), browser()];
    const users = await Promise.all(
      ["ann", "bob"].map(async (userName) => {
        const emails = [{ value: `${userName}@moved.example`, primary: true }];
        const body = { userName, password: PERSON.password, name: { givenName: userName, familyName: "X" }, emails };
        return String((await api.ask("POST", "/scim2/Users", { body })).body.id);
      }),
    );
    const mailed = await newKeyed(
      { ...on, singleSignOnProfile: { assertion: { nameIdFormat: EMAIL } } },
      claims(...NAMES),
    );
    const name = { value: "ann@moved.example", format: EMAIL };
    const move = async (id: string | undefined, address: string) => {
      const Operations = [{ op: "replace", value: { emails: [{ value: address, primary: true }] } }];
      const body = { schemas: ["urn:ietf:params:scim:api:messages:2.0:PatchOp"], Operations };
      expect((await api.ask("PATCH", `/scim2/Users/${id}`, { body })).status).toBe(200);
    };
    await signIn(one, mailed, { username: "ann", password: PERSON.password });
    expect(toldIn(await query(mailed, name)).givenname).toEqual(["ann"]);
    await move(users[0], "old@moved.example");
    await move(users[1], name.value);
    await signIn(other, mailed, { username: "bob", password: PERSON.password });
    expectStatus(await query(mailed, name), "Responder", "UnknownPrincipal");
  });
  test("where attributes are off, there are none", async () => {
    const off = await newKeyed(
      { enableAssertionQueryProfile: true, attributeProfile: { enabled: false } },
      claims(...NAMES),
    );
    await signIn(page, off);
    expectStatus(await query(off), "Responder", "InvalidAttrNameOrValue");
  });
  test("signatures that cover another element do not count", async () => {
    const own = signedXml(queryXml(provider, { value: "stranger" }), provider.key, { root: "AttributeQuery" });
    const evil = queryXml(provider);
    const wrapped = [
      ...wrappings(own, evil, "<saml:Subject>"),
      envelope(own.replace(">stranger<", `>${PERSON.username}<`)),
      envelope(own.replace(">stranger<", `>${PERSON.username}<!---->x<`)),
    ];
    for (const each of await Promise.all(wrapped.map((text) => sendSoap(QUERIES, text)))) expectRefused(each);
    const commented = queryXml(provider, { value: `${PERSON.username}<!-- -->x` });
    expectStatus(await ask("AttributeQuery", provider, commented), "Responder", "UnknownPrincipal");
  });
  test("malformed queries are refused, and never with 5xx or an assertion", async () => {
    const good = queryXml(provider);
    const signed = (xml: string, name: "AttributeQuery" | "AssertionIDRequest" = "AttributeQuery") =>
      envelope(signedXml(xml, provider.key, { root: name }));
    const renamed = (name: string) =>
      envelope(signedXml(good.replaceAll("AttributeQuery", name), provider.key, { root: name }));
    const malformed = [
      ...["", " ", "x", "<a/>", "<a></b>", good, envelope(""), envelope("text"), `${signed(good)}<b/>`, "{}"],
      ...[envelope(envelope(good)), `<!DOCTYPE a>${signed(good)}`, signed(good).slice(0, -5), signed(good).slice(5)],
      ...["AuthnQuery", "AuthzDecisionQuery", "SubjectQuery", "AuthnRequest", "ArtifactResolve", "LogoutRequest"].map(
        renamed,
      ),
      signed(good.replace(/<saml:Subject>.*<\/saml:Subject>/, "")),
      signed(good.replace(/<saml:NameID.*<\/saml:NameID>/, "")),
      signed(good.replace(/<saml:NameID.*<\/saml:NameID>/, "<saml:NameID></saml:NameID>")),
      signed(good.replace(/<saml:NameID.*<\/saml:NameID>/, "<saml:EncryptedID/>")),
      signed(good.replace("</saml:NameID>", "</saml:NameID><saml:NameID>lee</saml:NameID>")),
      signed(good.replace("</saml:Subject>", "</saml:Subject><saml:Subject/>")),
      signed(good.replace("</saml:NameID>", "<x/></saml:NameID>")),
      signed(queryXml(provider, { value: "x".repeat(3_000) })),
      signed(good.replace('Version="2.0"', 'Version="1.1"')),
      signed(
        good.replace(
          "</saml:Subject>",
          "</saml:Subject><saml:Attribute><saml:AttributeValue><x/></saml:AttributeValue></saml:Attribute>",
        ),
      ),
      signed(idsXml(provider), "AssertionIDRequest"),
      signed(idsXml(provider, ...Array.from({ length: 21 }, (_, at) => `_${at}`)), "AssertionIDRequest"),
      signed(idsXml(provider, "<x/>"), "AssertionIDRequest"),
    ];
    expect(malformed.length).toBeGreaterThanOrEqual(30);
    const all = await Promise.all(malformed.map((text) => sendSoap(QUERIES, text)));
    expect(malformed.filter((_, at) => all[at]?.status !== 400)).toEqual([]);
    for (const { text } of all) expect(text).not.toMatch(/<saml|kim@cars/);
    expectTold(await query(provider), ...NAMES);
  });
});
