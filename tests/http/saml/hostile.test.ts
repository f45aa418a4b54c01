/** Attacks on the identity provider of SAML 2.0: never an assertion, and never an error of the service. */
import { generateKeyPairSync, randomBytes } from "node:crypto";
import { deflateRawSync } from "node:zlib";
import { beforeAll, describe, expect, test } from "vitest";
import type { Browser } from "#tests/support/browsing.ts";
import { saasOf } from "#tests/support/saas.ts";
import {
  ASSERTION,
  base64,
  newId,
  newProviderKey,
  PROTOCOL,
  type Provider,
  type ProviderKey,
  redirectPath,
  requestXml,
  samlOf,
  signedXml,
} from "#tests/support/saml.ts";
import { PERSON } from "#tests/support/sign-in.ts";
import { APPLICATIONS, world } from "#tests/support/world.ts";

const api = world();
const { newProvider, answerIn, enter, browser } = samlOf(api);
const { newTenant } = saasOf(api);
const EVIL = "https://evil.example/acs";
const DSIG = "http://www.w3.org/2000/09/xmldsig#";

let key: ProviderKey;
let other: ProviderKey;
let page: Browser;
/** Its requests must be signed; and one whose need not be. */
let signing: Provider;
let plain: Provider;

const certificate = (...of: readonly ProviderKey[]) => ({
  type: "PEM",
  value: Buffer.from(of.map((each) => each.certificate).join("")).toString("base64"),
});
const withKeys = (...of: readonly ProviderKey[]) => ({
  advancedConfigurations: { skipLoginConsent: true, certificate: certificate(...of) },
});

beforeAll(async () => {
  [key, other] = [await newProviderKey(), await newProviderKey()];
  const body = { userName: PERSON.username, password: PERSON.password };
  expect((await api.ask("POST", "/scim2/Users", { body })).status).toBe(201);
  signing = await newProvider({ requestValidation: {} }, withKeys(key));
  plain = await newProvider();
  page = browser();
  await page.open(redirectPath(requestXml(plain)));
  answerIn(page, await enter(page));
});

const post = (xml: string, at = page) =>
  at.post("/samlsso", { SAMLRequest: base64(xml) }, { "sec-fetch-site": "cross-site" });
/** No assertion, and no error of the service: a page that says what is wrong. */
const refused = async (sending: ReturnType<typeof post>, why: string | RegExp = /./) => {
  const { status, html, alert, location } = await sending;
  expect([status, location, html.includes('name="SAMLResponse"')]).toEqual([400, undefined, false]);
  expect(alert).toMatch(why);
};
const accepted = async (sending: ReturnType<typeof post>, at = page) =>
  expect(answerIn(at, await sending).status).toEqual(["Success"]);

/** A signed request, and one that its sender would like to be read. */
const good = () => signedXml(requestXml(signing), key);
const evil = () => requestXml(signing, { AssertionConsumerServiceURL: EVIL });
const signatureIn = (xml: string) => /<ds:Signature [\s\S]*<\/ds:Signature>/.exec(xml)?.[0] ?? "";
const without = (xml: string) => xml.replace(signatureIn(xml), "");
const inside = (xml: string, more: string) => xml.replace("</samlp:AuthnRequest>", `${more}</samlp:AuthnRequest>`);

describe("signOnBySamlForm", () => {
  test("takes a request that is signed with the key of the application", () => accepted(post(good())));
  test("takes a request by each of two keys while a service provider changes them", async () => {
    const changing = await newProvider({ requestValidation: {} }, withKeys(other, key));
    await accepted(post(signedXml(requestXml(changing), key)));
    await accepted(post(signedXml(requestXml(changing), other)));
    await accepted(page.open(redirectPath(requestXml(changing), { key: key.key })));
  });

  test.each<readonly [string, () => string]>([
    [
      "1: the signed request inside the signature of another root",
      () => {
        const xml = good();
        const signature = signatureIn(xml);
        const wrapped = signature.replace("</ds:Signature>", `<ds:Object>${without(xml)}</ds:Object></ds:Signature>`);
        return evil().replace("</saml:Issuer>", `</saml:Issuer>${wrapped}`);
      },
    ],
    [
      "2: the signature and the signed request next to each other",
      () => {
        const xml = good();
        return inside(evil(), signatureIn(xml) + without(xml));
      },
    ],
    [
      "3: the signed request as the first child of another root",
      () => evil().replace(/(<samlp:AuthnRequest[^>]*>)/, (root) => root + good()),
    ],
    [
      "4: another request inside the signed one",
      () => {
        const xml = good();
        return inside(xml, evil());
      },
    ],
    [
      "5: a changed root with the signature, and a copy with its ID",
      () => {
        const xml = good();
        const changed = xml.replace(" Version=", ` AssertionConsumerServiceURL="${EVIL}" Version=`);
        return inside(changed, without(xml));
      },
    ],
    [
      "6: a copy inside the signature of a changed root",
      () => {
        const xml = good();
        const changed = xml.replace(" Version=", ` AssertionConsumerServiceURL="${EVIL}" Version=`);
        return changed.replace("</ds:Signature>", `<ds:Object>${without(xml)}</ds:Object></ds:Signature>`);
      },
    ],
    [
      "7: a copy in Extensions of another root",
      () => {
        const xml = good();
        const extensions = `<samlp:Extensions>${without(xml)}</samlp:Extensions>`;
        return evil().replace("</saml:Issuer>", `</saml:Issuer>${signatureIn(xml)}${extensions}`);
      },
    ],
    [
      "8: the original inside an object of the signature of a root with another ID",
      () => {
        const xml = good();
        const [, id = ""] = / ID="([^"]*)"/.exec(xml) ?? [];
        const changed = xml.replace(` ID="${id}"`, ` ID="${newId()}" AssertionConsumerServiceURL="${EVIL}"`);
        return changed.replace("</ds:Signature>", `<ds:Object>${without(xml)}</ds:Object></ds:Signature>`);
      },
    ],
  ])("refuses signature wrapping %s", async (_, wrapped) => {
    await refused(post(wrapped()), "SAML message is not valid");
  });

  test.each<readonly [string, () => string, string]>([
    ["stripped", () => without(good()), "no signature"],
    ["of another key", () => signedXml(requestXml(signing), other), "not right"],
    [
      "of another request",
      () => {
        const xml = requestXml(signing);
        return xml.replace("</saml:Issuer>", `</saml:Issuer>${signatureIn(good())}`);
      },
      "refer to the ID",
    ],
    [
      "over another address",
      () => good().replace(" Version=", ` AssertionConsumerServiceURL="${EVIL}" Version=`),
      "not right",
    ],
    ["twice", () => inside(good(), signatureIn(good())), "one signature"],
    [
      "elsewhere than in the root",
      () => {
        const xml = good();
        return inside(without(xml), `<samlp:Extensions>${signatureIn(xml)}</samlp:Extensions>`);
      },
      "one signature",
    ],
    ["by SHA-1", () => signedXml(requestXml(signing), key, { algorithm: `${DSIG}rsa-sha1` }), "SHA-256 or better"],
    [
      "with a digest of SHA-1",
      () => signedXml(requestXml(signing), key, { digest: `${DSIG}sha1` }),
      "SHA-256 or better",
    ],
    [
      "by HMAC with the certificate as key",
      () => good().replaceAll("http://www.w3.org/2001/04/xmldsig-more#rsa-sha256", `${DSIG}hmac-sha1`),
      "SHA-256 or better",
    ],
    ["by HMAC of SHA-256", () => good().replaceAll("#rsa-sha256", "#hmac-sha256"), "SHA-256 or better"],
    ["of nothing", () => good().replace(/URI="#[^"]*"/, 'URI=""'), "refer to the ID"],
    [
      "in a form that keeps comments",
      () => good().replaceAll("xml-exc-c14n#", "xml-exc-c14n#WithComments"),
      "without comments",
    ],
    [
      "that an XSLT would change",
      () =>
        good().replace(
          'http://www.w3.org/2001/10/xml-exc-c14n#"/></ds:Transforms>',
          'http://www.w3.org/TR/1999/REC-xslt-19991116"/></ds:Transforms>',
        ),
      "without comments",
    ],
    [
      "with a key of its own",
      () => {
        const { publicKey } = generateKeyPairSync("rsa", { modulusLength: 2_048 });
        expect(publicKey).toBeDefined();
        return signedXml(requestXml(signing), other).replace(key.certificate, other.certificate);
      },
      "not right",
    ],
  ])("refuses a signature %s", async (_, made, why) => {
    await refused(post(made()), why);
  });

  test.each<readonly [string, () => string]>([
    ["a document type", () => `<!DOCTYPE x>${requestXml(plain)}`],
    [
      "an external entity",
      () => `<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]>${requestXml(plain).replace(plain.issuer, "&e;")}`,
    ],
    [
      "a parameter entity of another host",
      () => `<!DOCTYPE x [<!ENTITY % e SYSTEM "http://127.0.0.1:9/x"> %e;]>${requestXml(plain)}`,
    ],
    [
      "a bomb of entities",
      () =>
        `<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa">${"bcdefghij".replace(/./g, (name) => `<!ENTITY ${name} "${`&${String.fromCharCode(name.charCodeAt(0) - 1)};`.repeat(10)}">`)}]>${requestXml(plain).replace(plain.issuer, "&j;")}`,
    ],
    ["an entity without a declaration", () => requestXml(plain).replace(plain.issuer, "&nbsp;")],
    [
      "an ID twice",
      () => {
        const xml = requestXml(plain, { ID: "_twice" });
        return inside(xml, '<samlp:Extensions><x xmlns="urn:x" ID="_twice"/></samlp:Extensions>');
      },
    ],
    [
      "an ID twice under other names",
      () => {
        const xml = requestXml(plain, { ID: "_twice" });
        return inside(xml, '<samlp:Extensions><x xmlns="urn:x" xml:id="_twice"/></samlp:Extensions>');
      },
    ],
    ["more than one issuer", () => inside(requestXml(plain), `<saml:Issuer>${signing.issuer}</saml:Issuer>`)],
    ["elements inside the issuer", () => requestXml(plain).replace(plain.issuer, `${plain.issuer}<b xmlns="urn:b"/>`)],
    ["no issuer", () => requestXml(plain).replace(/<saml:Issuer>.*<\/saml:Issuer>/, "")],
    ["an empty issuer", () => requestXml({ issuer: " " })],
    ["an unknown issuer", () => requestXml({ issuer: "https://nobody.example" })],
    ["a very long issuer", () => requestXml({ issuer: `https://${"a".repeat(4_000)}.example` })],
    ["the issuer of the prototype", () => requestXml({ issuer: "__proto__" })],
    ["another root", () => requestXml(plain).replaceAll("AuthnRequest", "ArtifactResolve")],
    ["a response", () => requestXml(plain).replaceAll("AuthnRequest", "Response")],
    ["a logout", () => requestXml(plain).replaceAll("AuthnRequest", "LogoutRequest")],
    ["another namespace", () => requestXml(plain).replaceAll(PROTOCOL, "urn:oasis:names:tc:SAML:1.0:protocol")],
    ["another namespace of the issuer", () => requestXml(plain).replaceAll(ASSERTION, "urn:other")],
    ["a prefix that is not declared", () => requestXml(plain).replace(/ xmlns:saml="[^"]*"/, "")],
    ["another version", () => requestXml(plain, { Version: "1.1" })],
    ["no ID", () => requestXml(plain, { ID: undefined })],
    ["an ID that is no name", () => requestXml(plain, { ID: "1 2" })],
    ["a very long ID", () => requestXml(plain, { ID: `_${"a".repeat(300)}` })],
    ["no time", () => requestXml(plain, { IssueInstant: undefined })],
    ["a time that is none", () => requestXml(plain, { IssueInstant: "yesterday" })],
    ["a time of a day that is none", () => requestXml(plain, { IssueInstant: "2026-02-31T25:61:00Z" })],
    ["an old time", () => requestXml(plain, { IssueInstant: new Date(Date.now() - 301_000).toISOString() })],
    ["a time of the future", () => requestXml(plain, { IssueInstant: new Date(Date.now() + 301_000).toISOString() })],
    [
      "a time with another zone",
      () => requestXml(plain, { IssueInstant: `${new Date().toISOString().slice(0, -1)}+00:00` }),
    ],
    ["another destination", () => requestXml(plain, { Destination: "https://evil.example/samlsso" })],
    ["an address that is not registered", () => requestXml(plain, { AssertionConsumerServiceURL: EVIL })],
    [
      "an address with another case",
      () => requestXml(plain, { AssertionConsumerServiceURL: plain.acs.replace("/acs", "/ACS") }),
    ],
    [
      "an address below a registered one",
      () => requestXml(plain, { AssertionConsumerServiceURL: `${plain.acs}/../evil` }),
    ],
    [
      "an address with a user before it",
      () => requestXml(plain, { AssertionConsumerServiceURL: plain.acs.replace("https://", "https://evil.example@") }),
    ],
    [
      "an address that a browser executes",
      () => requestXml(plain, { AssertionConsumerServiceURL: "javascript:alert(1)" }),
    ],
    ["the address of another provider", () => requestXml(plain, { AssertionConsumerServiceURL: signing.acs })],
    ["a place that has no address", () => requestXml(plain, { AssertionConsumerServiceIndex: "7" })],
    ["a place of the prototype", () => requestXml(plain, { AssertionConsumerServiceIndex: "length" })],
    [
      "an address and a place",
      () => requestXml(plain, { AssertionConsumerServiceURL: plain.acs, AssertionConsumerServiceIndex: "0" }),
    ],
    ["an attribute twice", () => requestXml(plain).replace(" Version=", ' Version="2.0" Version=')],
    ["a tag that is not closed", () => requestXml(plain).replace("</samlp:AuthnRequest>", "")],
    ["text behind its end", () => `${requestXml(plain)}x`],
    ["two roots", () => requestXml(plain) + requestXml(plain)],
    ["a character that XML cannot have", () => requestXml(plain).replace(plain.issuer, "\u0000")],
    ["another encoding", () => `<?xml version="1.0" encoding="UTF-16"?>${requestXml(plain)}`],
    ["nothing", () => " "],
    ["JSON", () => "{}"],
    ["many levels", () => inside(requestXml(plain), "<a xmlns='urn:a'>".repeat(30) + "</a>".repeat(30))],
    ["many elements", () => inside(requestXml(plain), "<a xmlns='urn:a'/>".repeat(600))],
    ["more than 64 KiB", () => inside(requestXml(plain), `<a xmlns='urn:a'>${"a".repeat(66_000)}</a>`)],
  ])("refuses a message with %s", async (_, made) => {
    await refused(post(made()));
    const path = redirectPath(made());
    if (path.length < 8_000) await refused(page.open(path));
  });

  test("refuses what is no Base64 and no UTF-8, and what is missing", async () => {
    for (const SAMLRequest of ["%%%", "a", "====", Buffer.from([0xff, 0xfe, 0x3c]).toString("base64"), ""]) {
      await refused(page.post("/samlsso", { SAMLRequest }));
    }
    await refused(page.post("/samlsso", {}));
    await refused(page.open("/samlsso"), "Send SAMLRequest");
    await refused(page.post("/samlsso", { RelayState: "x" }), "Send SAMLRequest");
    await refused(page.post("/samlsso", { SAMLResponse: base64("<x/>") }), "no answer to a logout request");
  });
  test("a comment inside a name changes no value", async () => {
    const halves = plain.issuer.slice(0, 12);
    const commented = requestXml({ issuer: plain.issuer.replace(halves, `${halves}<!-- .evil.example -->`) });
    await accepted(post(commented));
    // The name before the comment is that of another provider: it is not the issuer.
    const [short, long] = [`https://${randomBytes(4).toString("hex")}.example`, ".longer.example"];
    await newProvider({ issuer: short, assertionConsumerUrls: [EVIL] });
    await refused(post(requestXml({ issuer: `${short}<!-- -->${long}` })), "no application");
    const subject = `<saml:Subject><saml:NameID>${PERSON.username}<!-- -->@evil.example</saml:NameID></saml:Subject>`;
    expect(answerIn(page, await post(requestXml(plain, {}, subject))).status).toEqual([
      "Responder",
      "UnknownPrincipal",
    ]);
  });
  test("a comment inside a signed request does not make it another one", async () => {
    const subject = `<saml:Subject><saml:NameID>${PERSON.username}@evil.example</saml:NameID></saml:Subject>`;
    const xml = signedXml(requestXml(signing, {}, subject), key);
    // A comment is no part of what is signed: the signature stays right, and so must the value.
    const shown = answerIn(page, await post(xml.replace("@evil", "<!-- -->@evil")));
    expect(shown.status).toEqual(["Responder", "UnknownPrincipal"]);
  });
});

describe("signOnBySaml", () => {
  test("takes a signature over the parameters as they were sent", async () => {
    const sent = redirectPath(requestXml(signing), { key: key.key, relayState: "a b/ü" });
    await accepted(page.open(sent));
    // Escapes in small letters are other octets, which this signature does not cover.
    const again = redirectPath(requestXml(signing), { key: key.key, relayState: "a b/ü" });
    await refused(page.open(again.replace(/%[0-9A-F]{2}/g, (each) => each.toLowerCase())), "not right");
  });
  test.each<readonly [string, (path: string) => string, string]>([
    ["stripped", (path) => path.replace(/&SigAlg=.*/, ""), "no signature"],
    ["without its algorithm", (path) => path.replace(/&SigAlg=[^&]*/, ""), "no signature"],
    ["that is empty", (path) => path.replace(/Signature=.*/, "Signature="), "no signature"],
    ["of another RelayState", (path) => path.replace("RelayState=here", "RelayState=there"), "not right"],
    ["without the RelayState", (path) => path.replace("&RelayState=here", ""), "not right"],
    [
      "of another request",
      (path) => path.replace(/SAMLRequest=[^&]*/, redirectPath(requestXml(signing)).slice("/samlsso?".length)),
      "not right",
    ],
    ["under an escaped name", (path) => path.replace("Signature=", "Signatur%65="), "no signature"],
    ["of a request under an escaped name", (path) => path.replace("SAMLRequest=", "SAMLReques%74="), "no signature"],
    [
      "by an algorithm of the prototype",
      (path) => path.replace(/SigAlg=[^&]*/, "SigAlg=constructor"),
      "SHA-256 or better",
    ],
    [
      "by HMAC",
      (path) => path.replace(/SigAlg=[^&]*/, `SigAlg=${encodeURIComponent(`${DSIG}hmac-sha1`)}`),
      "SHA-256 or better",
    ],
  ])("refuses a signature %s", async (_, changed, why) => {
    const path = redirectPath(requestXml(signing), { key: key.key, relayState: "here" });
    await refused(page.open(changed(path)), why);
  });
  test("refuses signatures by SHA-1, of another key, and a repeated parameter", async () => {
    await refused(
      page.open(redirectPath(requestXml(signing), { key: key.key, algorithm: `${DSIG}rsa-sha1` })),
      "SHA-256",
    );
    await refused(page.open(redirectPath(requestXml(signing), { key: other.key })), "not right");
    const path = redirectPath(requestXml(signing), { key: key.key });
    await refused(page.open(`${path}&SAMLRequest=${encodeURIComponent("x")}`), "more than once");
  });
  test("refuses a bomb that inflates, and what is not deflated", async () => {
    const bomb = deflateRawSync(Buffer.alloc(50_000_000, "a")).toString("base64").slice(0, 1_000_000);
    await refused(page.post("/samlsso", { SAMLRequest: bomb.slice(0, 90_000) }));
    const small = deflateRawSync(Buffer.alloc(5_000_000, "a")).toString("base64");
    await refused(page.open(`/samlsso?SAMLRequest=${encodeURIComponent(small)}`), "longer than 65536 bytes");
    await refused(page.open(`/samlsso?SAMLRequest=${encodeURIComponent(base64(requestXml(plain)))}`), "deflated");
    await refused(page.open(`${redirectPath(requestXml(plain))}&SAMLEncoding=urn:other`), "SAMLEncoding");
  });
  test("RelayState comes back byte for byte, and is no markup of the page", async () => {
    for (const relayState of [
      '"><script>alert(1)</script>',
      "a&b=c;d",
      "äöü€😀",
      " space ",
      "%2e%2e",
      "line\r\nbreak",
      "x".repeat(2_000),
    ]) {
      const shown = await page.open(redirectPath(requestXml(plain), { relayState }));
      expect(shown.html).not.toContain("<script>alert");
      const [, sent = ""] = /name="RelayState" value="([^"]*)"/.exec(shown.html) ?? [];
      const read = sent.replace(/&(amp|lt|gt|quot|#39|#\d+);/g, (_all, name: string) => {
        const known: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"' };
        return known[name] ?? String.fromCharCode(Number(name.slice(1)));
      });
      // A browser sends a line break of a field as CRLF (HTML, form submission).
      expect(read).toBe(relayState);
    }
    await refused(page.open(redirectPath(requestXml(plain), { relayState: "x".repeat(5_000) })), "too long");
  });
  test("a provider of another tenant is none here, nor below the path of another one", async () => {
    const tenant = await newTenant("rival.example");
    const provider = { issuer: "https://rival.example/sp", acs: "https://rival.example/acs" };
    const made = await tenant.ask("POST", APPLICATIONS, {
      body: {
        name: "Rival",
        inboundProtocolConfiguration: {
          saml: { manualConfiguration: { issuer: provider.issuer, assertionConsumerUrls: [provider.acs] } },
        },
      },
    });
    expect(made.status).toBe(201);
    await refused(page.open(redirectPath(requestXml(provider))), "no application");
    await refused(page.open(`/t/rival.example${redirectPath(requestXml(plain))}`), "no application");
    // Its person has no session there.
    expect((await page.open(`/t/rival.example${redirectPath(requestXml(provider))}`)).title).toContain("Sign in");
    await tenant.setActive(false);
    await refused(page.open(`/t/rival.example${redirectPath(requestXml(provider))}`), "no application");
  });
  test("an application that is disabled gives no assertion, also where the sign-in begins here", async () => {
    const provider = await newProvider({ singleSignOnProfile: { enableIdpInitiatedSingleSignOn: true } });
    const ticket = await ticketOf(provider);
    const path = `/samlsso?spEntityID=${encodeURIComponent(provider.issuer)}`;
    await accepted(page.open(path));
    const at = `${APPLICATIONS}/${provider.id}`;
    expect((await api.ask("PATCH", at, { body: { applicationEnabled: false } })).status).toBe(200);
    const told = answerIn(page, await page.open(redirectPath(requestXml(provider))));
    expect([told.status, told.assertion]).toEqual([["Responder", "RequestDenied"], undefined]);
    await refused(page.open(path), "not enabled");
    await refused(page.open(ticket), "changed meanwhile");
  });
  test("an application whose assertions cannot be encrypted gives none", async () => {
    const provider = await newProvider({ singleSignOnProfile: { assertion: { encryption: { enabled: true } } } });
    const told = answerIn(page, await page.open(redirectPath(requestXml(provider))));
    expect([told.status, told.assertion]).toEqual([["Responder", "RequestDenied"], undefined]);
    // Whatever is signed: there is no key that could have.
    const unverifiable = await newProvider({ requestValidation: {} });
    await refused(page.open(redirectPath(requestXml(unverifiable), { key: key.key })), "not right");
  });
});

/** Where a request leads, before the browser follows. */
const ticketOf = async (provider: Provider, attributes: Readonly<Record<string, string>> = {}) => {
  const response = await fetch(`${api.url}${redirectPath(requestXml(provider, attributes))}`, { redirect: "manual" });
  expect(response.status).toBe(302);
  return response.headers.get("location") ?? "";
};
/** Where an answer is fetched. */
const answerPathOf = async (at: Browser, ticket: string) => {
  const cookie = [...at.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
  const response = await fetch(`${api.url}${ticket}`, { redirect: "manual", headers: { cookie } });
  expect(response.status).toBe(302);
  return response.headers.get("location") ?? "";
};

describe("takeSsoRequest, sendSamlResponse", () => {
  test("a request is answered once, whoever sends it again", async () => {
    const path = redirectPath(requestXml(plain, { ID: "_once" }));
    await accepted(page.open(path));
    await refused(page.open(path), "answered before");
    // The same ID of another provider is another request.
    await accepted(page.open(redirectPath(requestXml(await newProvider(), { ID: "_once" }))));
  });
  test("a request that is sent twice at once has one assertion", async () => {
    const answers = await Promise.all(
      [1, 2, 3, 4].map(async () => answerPathOf(page, await ticketOf(plain, { ID: "_at-once" }))),
    );
    const cookie = [...page.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const shown = await Promise.all(
      answers.map(async (path) => (await fetch(`${api.url}${path}`, { headers: { cookie } })).text()),
    );
    expect(shown.filter((html) => html.includes('name="SAMLResponse"'))).toHaveLength(1);
  });
  test("an answer counts in the browser of the sign-in alone", async () => {
    const path = await answerPathOf(page, await ticketOf(plain));
    await refused(browser().open(path), "another browser");
    const thief = browser();
    thief.cookies.set("__Host-sign-in", page.cookies.get("__Host-sign-in") ?? "");
    await refused(thief.open(path), "session has ended");
    await accepted(page.open(path));
    await refused(page.open(path), "answered before");
  });
  test("an answer does not outlive the session", async () => {
    const own = browser();
    await own.open(redirectPath(requestXml(plain)));
    answerIn(own, await enter(own));
    const path = await answerPathOf(own, await ticketOf(plain));
    await own.open("/oidc/logout");
    await own.submit({});
    await refused(own.open(path));
  });
  test("changed, foreign and missing texts are none of this service", async () => {
    const ticket = await ticketOf(plain);
    const answer = await answerPathOf(page, await ticketOf(plain));
    const middle = ticket.length - 40;
    for (const path of [
      ticket.slice(0, middle) + (ticket[middle] === "A" ? "B" : "A") + ticket.slice(middle + 1),
      "/oauth2/sso",
      "/oauth2/sso?request=",
      `/oauth2/sso?request=${answer.split("=")[1]}`,
      `/samlsso/answer?answer=${ticket.split("=")[1]}`,
      "/samlsso/answer",
      "/samlsso/answer?answer=s1.x.y",
      ticket.replace("/oauth2", "/t/rival.example/oauth2"),
      answer.replace("/samlsso", "/t/rival.example/samlsso"),
    ]) {
      await refused(page.open(path));
    }
  });
  test("an address that was taken out of the settings meanwhile gets nothing", async () => {
    const provider = await newProvider();
    const [ticket, answer] = [await ticketOf(provider), await answerPathOf(page, await ticketOf(provider))];
    const manualConfiguration = { issuer: provider.issuer, assertionConsumerUrls: ["https://new.example/acs"] };
    const put = await api.ask("PUT", `${APPLICATIONS}/${provider.id}/inbound-protocols/saml`, {
      body: { manualConfiguration },
    });
    expect(put.status).toBe(200);
    await refused(page.open(ticket), "changed meanwhile");
    await refused(page.open(answer), "changed meanwhile");
  });
});
