/** What the metadata of a service provider decides at a sign-in (decision 0199). */
import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { promisify } from "node:util";
import { beforeAll, describe, expect, test, vi } from "vitest";
import { childOf } from "#core/sign-in/saml/tree.ts";
import type { Browser } from "#tests/support/browsing.ts";
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
import { decrypt } from "#tests/support/saml-libraries.js";
import { endpoint, keyDescriptor, metadataFile, provider } from "#tests/support/saml-metadata.ts";
import { PERSON } from "#tests/support/sign-in.ts";
import { APPLICATIONS, world } from "#tests/support/world.ts";

const api = world();
const { answerIn, enter, browser, newProvider } = samlOf(api);
let [first, second, encrypting, other] = [{}, {}, {}, {}] as ProviderKey[] as [
  ProviderKey,
  ProviderKey,
  ProviderKey,
  ProviderKey,
];
/** A browser with a session. */
let page: Browser;

beforeAll(async () => {
  [first, second, encrypting, other] = [
    await newProviderKey(),
    await newProviderKey(),
    await newProviderKey(),
    await newProviderKey(),
  ];
  const emails = [{ value: "kim@cars.example", primary: true }];
  const body = { userName: PERSON.username, password: PERSON.password, emails };
  expect((await api.ask("POST", "/scim2/Users", { body })).status).toBe(201);
  page = browser();
  const plain = await newProvider();
  await page.open(redirectPath(requestXml(plain)));
  answerIn(page, await enter(page));
});

/** The certificate of a new key, as PEM. */
const newPem = (...kind: readonly string[]) => {
  const made = ["req", "-x509", "-newkey", ...kind, "-nodes", "-keyout", "/dev/null", "-subj", "/CN=sp", "-days", "30"];
  return execFileSync("openssl", made, { stdio: ["ignore", "pipe", "ignore"] }).toString();
};
const at = (id: string) => `${APPLICATIONS}/${id}/inbound-protocols/saml`;
const acs = (host: string, path: string, more: string, binding = "HTTP-POST") =>
  endpoint("AssertionConsumerService", binding, `https://${host}/${path}`, more);
/** Registers a provider with the metadata that is made for its host; `settings` change what comes of it. */
const registered = async (
  textOf: (host: string) => string,
  settings: object = {},
  application: object = {},
): Promise<Provider> => {
  const host = `sp-${randomBytes(4).toString("hex")}.example`;
  const text = textOf(host);
  const made = await api.ask("POST", APPLICATIONS, {
    body: {
      name: host,
      advancedConfigurations: { skipLoginConsent: true },
      ...application,
      inboundProtocolConfiguration: { saml: { metadataFile: base64(text) } },
    },
  });
  expect([made.status, made.text]).toEqual([201, expect.anything()]);
  const id = made.headers.get("location")?.split("/").at(-1) ?? "";
  const { body: shown } = await api.ask("GET", at(id));
  const after = await api.ask("PUT", at(id), { body: { manualConfiguration: { ...shown, ...settings } } });
  expect([after.status, after.text]).toEqual([200, expect.anything()]);
  return { id, issuer: shown.issuer, acs: shown.defaultAssertionConsumerUrl, destination: `${api.url}/samlsso` };
};
const plain = (host: string, inside = "", ofRole = "") =>
  provider(`https://${host}`, inside + acs(host, "acs", 'index="0"'), ofRole);
const open = async (of: Provider, attributes: Readonly<Record<string, string>> = {}) =>
  page.open(redirectPath(requestXml(of, attributes)));
const actionOf = async (of: Provider, attributes: Readonly<Record<string, string>> = {}) =>
  answerIn(page, await open(of, attributes)).action;

describe("signOnBySaml", () => {
  test("AssertionConsumerServiceIndex is the index of the metadata, not a place", async () => {
    let at = "";
    const found = await registered((host) => {
      at = `https://${host}`;
      return provider(at, acs(host, "five", 'index="5"') + acs(host, "one", 'index="1" isDefault="true"'));
    });
    expect(await actionOf(found)).toBe(`${at}/one`);
    expect(await actionOf(found, { AssertionConsumerServiceIndex: "5" })).toBe(`${at}/five`);
    expect(await actionOf(found, { AssertionConsumerServiceIndex: "1" })).toBe(`${at}/one`);
    const refused = await open(found, { AssertionConsumerServiceIndex: "0" });
    expect([refused.status, refused.html.includes("SAMLResponse")]).toEqual([400, false]);
  });
  test("an address that the settings do not allow any more is none by its index either", async () => {
    const found = await registered(
      (host) => provider(`https://${host}`, acs(host, "kept", 'index="1"') + acs(host, "gone", 'index="2"')),
      {},
    );
    const { body: shown } = await api.ask("GET", at(found.id));
    const manual = { ...shown, assertionConsumerUrls: [found.acs] };
    expect((await api.ask("PUT", at(found.id), { body: { manualConfiguration: manual } })).status).toBe(200);
    expect(await actionOf(found, { AssertionConsumerServiceIndex: "1" })).toBe(found.acs);
    expect((await open(found, { AssertionConsumerServiceIndex: "2" })).status).toBe(400);
  });
  test("no answer is posted to an address of another binding, by index, by name or by default", async () => {
    const file = await metadataFile("shibboleth", { signing: first, encryption: encrypting });
    const wiki = await registered((host) => file.replaceAll("wiki.example", host));
    const base = new URL(wiki.acs).origin;
    expect(await actionOf(wiki)).toBe(`${base}/Shibboleth.sso/SAML2/POST`);
    expect(await actionOf(wiki, { AssertionConsumerServiceIndex: "1" })).toBe(`${base}/Shibboleth.sso/SAML2/POST`);
    for (const attributes of [
      ...["2", "4", "5"].map((index) => ({ AssertionConsumerServiceIndex: index })),
      ...["SAML2/ECP", "SAML/POST"].map((path) => ({
        AssertionConsumerServiceURL: `${base}/Shibboleth.sso/${path}`,
      })),
    ]) {
      const { status, html } = await open(wiki, attributes);
      expect([attributes, status, html.includes("SAMLResponse")]).toEqual([attributes, 400, false]);
    }
    const artifacts = `${base}/Shibboleth.sso/SAML2/Artifact`;
    for (const attributes of [
      { AssertionConsumerServiceIndex: "3" },
      { AssertionConsumerServiceURL: artifacts },
    ] as readonly Readonly<Record<string, string>>[]) {
      const { location, html } = await open(wiki, attributes);
      expect([location?.href.startsWith(`${artifacts}?SAMLart=`), html.includes("SAMLResponse")]).toEqual([
        true,
        false,
      ]);
    }
  });
  test("one address that takes several bindings is posted to", async () => {
    const found = await registered((host) =>
      provider(
        `https://${host}`,
        acs(host, "ls/", 'index="1"', "HTTP-Artifact") + acs(host, "ls/", 'index="0" isDefault="true"'),
      ),
    );
    expect(await actionOf(found)).toBe(found.acs);
    const byIndex = await open(found, { AssertionConsumerServiceIndex: "1" });
    expect(byIndex.location?.href.startsWith(`${found.acs}?SAMLart=`)).toBe(true);
  });
  test("requests count by each signing key of the metadata, with and without a use, and by no other", async () => {
    const found = await registered((host) =>
      plain(
        host,
        keyDescriptor(first, "signing") + keyDescriptor(second) + keyDescriptor(encrypting, "encryption"),
        'AuthnRequestsSigned="true"',
      ),
    );
    for (const key of [first, second]) {
      const shown = await page.open(redirectPath(requestXml(found), { key: key.key }));
      expect(answerIn(page, shown).status).toEqual(["Success"]);
      const form = await page.post(
        "/samlsso",
        { SAMLRequest: base64(signedXml(requestXml(found), key)) },
        { "sec-fetch-site": "cross-site" },
      );
      expect(answerIn(page, form).status).toEqual(["Success"]);
    }
    for (const key of [encrypting, other]) {
      const shown = await page.open(redirectPath(requestXml(found), { key: key.key }));
      expect([shown.status, shown.html.includes("SAMLResponse")]).toEqual([400, false]);
    }
  });
  test("the certificate of the application counts, too, and a PUT of manual settings keeps all", async () => {
    const found = await registered((host) =>
      plain(host, keyDescriptor(first, "signing"), 'AuthnRequestsSigned="true"'),
    );
    const value = Buffer.from(other.certificate).toString("base64");
    const body = { advancedConfigurations: { certificate: { type: "PEM", value } } };
    expect((await api.ask("PATCH", `${APPLICATIONS}/${found.id}`, { body })).status).toBe(200);
    const manual = { issuer: found.issuer, assertionConsumerUrls: [found.acs], requestValidation: {} };
    expect((await api.ask("PUT", at(found.id), { body: { manualConfiguration: manual } })).status).toBe(200);
    for (const key of [first, other]) {
      const shown = await page.open(redirectPath(requestXml(found), { key: key.key }));
      expect(answerIn(page, shown).status).toEqual(["Success"]);
    }
    expect((await page.open(redirectPath(requestXml(found), { key: second.key }))).status).toBe(400);
  });
  test("metadata without a key cannot ask for signed requests: no one signs in until there is one", async () => {
    const found = await registered((host) => plain(host, "", 'AuthnRequestsSigned="true"'));
    const shown = await page.open(redirectPath(requestXml(found), { key: first.key }));
    expect([shown.status, shown.html.includes("SAMLResponse")]).toEqual([400, false]);
  });
});

describe("signOnBySaml, signOnBySamlForm, continueSamlLogout", () => {
  test("a logout is answered by the binding that the request came by, to the service of the metadata", async () => {
    const logout = (binding: string, location: string, more = "") =>
      endpoint("SingleLogoutService", binding, location, more);
    const found = await registered((host) =>
      plain(
        host,
        keyDescriptor(first, "signing") +
          logout("SOAP", `https://${host}/soap`) +
          logout("HTTP-Redirect", `https://${host}/redirect`, `ResponseLocation="https://${host}/redirected"`) +
          logout("HTTP-POST", `https://${host}/post`),
      ),
    );
    const base = new URL(found.acs).origin;
    const { body: shown } = await api.ask("GET", at(found.id));
    expect(shown.singleLogoutProfile).toMatchObject({ logoutMethod: "BACKCHANNEL", logoutRequestUrl: `${base}/soap` });
    /** A browser with a session, and the request that ends it. */
    const asking = async () => {
      const own = browser();
      await own.open(redirectPath(requestXml(found)));
      const { assertion, nameId = "", format = "" } = answerIn(own, await enter(own));
      const statement = assertion && childOf(assertion, "assertion", "AuthnStatement");
      const index = statement?.attributes.get("SessionIndex") ?? "";
      return { own, xml: logoutXml(found, { format, value: nameId }, [index]) };
    };
    const byRedirect = await asking();
    const { location } = await byRedirect.own.open(redirectPath(byRedirect.xml, { key: first.key }));
    expect(`${location?.origin}${location?.pathname}`).toBe(`${base}/redirected`);
    expect(location?.searchParams.has("SAMLResponse")).toBe(true);

    const byForm = await asking();
    const signed = signedXml(byForm.xml, first, { root: "LogoutRequest" });
    const sent = { SAMLRequest: base64(signed) };
    const answer = answerIn(byForm.own, await byForm.own.post("/samlsso", sent, { "sec-fetch-site": "cross-site" }));
    expect([answer.action, answer.status]).toEqual([`${base}/post`, ["Success"]]);
  });
});

describe("sendSamlResponse", () => {
  const encryption = { singleSignOnProfile: { assertion: { encryption: { enabled: true } } } };
  const opened = async (of: Provider, key: ProviderKey) => {
    const { xml, assertion } = answerIn(page, await open(of));
    expect(assertion).toBeUndefined();
    const element = /<xenc:EncryptedData[\s\S]*<\/xenc:EncryptedData>/.exec(xml)?.[0] ?? "";
    return promisify(decrypt)(element, { key: key.key });
  };
  test.each<[string, () => string]>([
    ["the key for encryption", () => keyDescriptor(first, "signing") + keyDescriptor(encrypting, "encryption")],
    ["the key without a use", () => keyDescriptor(first, "signing") + keyDescriptor(encrypting)],
    [
      "the first of two",
      () => keyDescriptor(encrypting, "encryption") + keyDescriptor(second, "encryption") + keyDescriptor(first),
    ],
  ])("assertions are encrypted for %s of the metadata", async (_, inside) => {
    const found = await registered((host) => plain(host, inside()), encryption);
    expect(await opened(found, encrypting)).toContain(`>${PERSON.username}</saml:NameID>`);
    await expect(opened(found, first)).rejects.toThrow();
  });
  test("where the metadata has none, for the certificate of the application", async () => {
    const found = await registered((host) => plain(host, keyDescriptor(first, "signing")), encryption);
    expect(await opened(found, first)).toContain(`>${PERSON.username}</saml:NameID>`);
  });
  test("a key that cannot encrypt is left out, and without another one no one signs in", async () => {
    const elliptic = { key: "", certificate: newPem("ec", "-pkeyopt", "ec_paramgen_curve:P-256") };
    const both = keyDescriptor(elliptic, "encryption") + keyDescriptor(encrypting, "encryption");
    expect(await opened(await registered((host) => plain(host, both), encryption), encrypting)).toContain("NameID");
    const alone = await registered(
      (host) => plain(host, keyDescriptor(first, "signing") + keyDescriptor(elliptic, "encryption")),
      encryption,
    );
    expect(answerIn(page, await open(alone)).status).toEqual(["Responder", "RequestDenied"]);
  });
  test("every AttributeConsumingService of the metadata gets attributes", async () => {
    const services = '<AttributeConsumingService index="3"/><AttributeConsumingService index="4" isDefault="true"/>';
    const found = await registered(
      (host) => plain(host, services),
      { attributeProfile: { enabled: true } },
      {
        claimConfiguration: {
          requestedClaims: [{ claim: { uri: "http://wso2.org/claims/username" } }],
        },
        advancedConfigurations: { skipLoginConsent: true },
      },
    );
    const namesFor = async (index?: string) => {
      const attributes: Record<string, string> = index === undefined ? {} : { AttributeConsumingServiceIndex: index };
      return Object.keys(answerIn(page, await open(found, attributes)).attributes);
    };
    expect(await namesFor()).toEqual([]);
    for (const index of ["3", "4"]) expect(await namesFor(index)).toEqual(["http://wso2.org/claims/username"]);
    expect(await namesFor("5")).toEqual([]);
  });
  test("after validUntil sign-ins go on, and the line of the log says so", async () => {
    const linesOf = async (of: Provider) => {
      const lines: string[] = [];
      for (const method of ["log", "info"] as const) {
        vi.spyOn(console, method).mockImplementation((...texts: unknown[]) => {
          lines.push(texts.map(String).join(" "));
        });
      }
      const answer = answerIn(page, await open(of));
      vi.restoreAllMocks();
      expect(answer.status).toEqual(["Success"]);
      return lines.flatMap((line) => (line.includes("saml-metadata-ended") ? [JSON.parse(line)] : []));
    };
    const found = await registered((host) => plain(host, "", 'validUntil="2099-01-01T00:00:00Z"'));
    expect(await linesOf(found)).toEqual([]);
    const { body: shown } = await api.ask("GET", at(found.id));
    const ended = { ...shown, imported: { ...shown.imported, validUntil: "2020-01-01T00:00:00Z" } };
    expect((await api.ask("PUT", at(found.id), { body: { manualConfiguration: ended } })).status).toBe(200);
    expect(await linesOf(found)).toMatchObject([
      { operation: "sendSamlResponse", event: "saml-metadata-ended", tenant: "carbon.super", resource: found.id },
    ]);
  });
});
