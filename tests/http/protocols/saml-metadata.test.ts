/** What the service keeps of SAML metadata (decision 0199), and that nothing of it breaks the service. */
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { exported, idIn, upload } from "#tests/support/files.ts";
import { base64 } from "#tests/support/protocols.ts";
import { newProviderKey, type ProviderKey } from "#tests/support/saml.ts";
import { derOf, endpoint, keyDescriptor, metadataFile, provider } from "#tests/support/saml-metadata.ts";
import { APPLICATIONS, world } from "#tests/support/world.ts";

const keys: Record<string, ProviderKey> = {};
let documents: Server;
let address = "";
/** What the address of the metadata answers now. */
let served = "";
// The service reads which hosts are exempt when it starts, so this server starts first.
beforeAll(async () => {
  for (const name of ["signing", "next", "encryption", "other"]) keys[name] = await newProviderKey();
  documents = createServer((_, response) => void response.end(served)).listen(0, "127.0.0.1");
  await new Promise((done) => documents.once("listening", done));
  const host = `127.0.0.1:${(documents.address() as AddressInfo).port}`;
  process.env.METADATA_HOSTS = host;
  address = `http://${host}/metadata`;
});
afterAll(() => void documents.close());

const api = world();
const { ask, create } = api;
const at = (id: string) => `${APPLICATIONS}/${id}/inbound-protocols/saml`;
const put = (id: string, body: unknown) => ask("PUT", at(id), { body });
const get = async (id: string) => (await ask("GET", at(id))).body;
let made = 0;
const bare = () => create({ name: `metadata ${made++}` });
/** A new application with the metadata, and its settings. */
const imported = async (text: string) => {
  const id = await bare();
  const { status, text: answer } = await put(id, { metadataFile: base64(text) });
  expect([status, answer]).toEqual([200, expect.anything()]);
  return { id, shown: await get(id) };
};
const own = () => `https://sp${made}.example`;
const CONSUMER = endpoint("AssertionConsumerService", "HTTP-POST", "https://sp.example/acs", 'index="0"');
const logout = (binding: string, path: string, more = "") =>
  endpoint("SingleLogoutService", binding, `https://sp.example/${path}`, more);
const keyOf = (name: string, use?: string) => ({ ...(use && { use }), certificate: derOf(keys[name] as ProviderKey) });

describe("updateSamlConfiguration, getSamlConfiguration", () => {
  describe("metadata of the form of well-known software is read whole", () => {
    test("Salesforce", async () => {
      const { shown } = await imported(await metadataFile("salesforce", keys));
      expect(shown).toMatchObject({
        issuer: "https://crm.my.salesforce.example",
        assertionConsumerUrls: [
          "https://crm.my.salesforce.example?so=00D0000000000AA",
          "https://crm.my.site.example/login?so=00D0000000000AA",
        ],
        singleLogoutProfile: {
          enabled: true,
          logoutMethod: "FRONTCHANNEL_HTTP_POST",
          logoutRequestUrl: "https://crm.my.salesforce.example/services/auth/sp/saml2/logout",
        },
        requestValidation: { enableSignatureValidation: true },
        singleSignOnProfile: { assertion: { nameIdFormat: "urn:oasis:names:tc:SAML:1.1:nameid-format:unspecified" } },
        imported: { validUntil: "2099-01-31T08:00:00.000Z", keys: [keyOf("signing", "signing")] },
      });
      expect(shown.imported.singleLogoutServices.map(({ binding }: { binding: string }) => binding)).toEqual([
        "HTTP-POST",
        "HTTP-Redirect",
      ]);
    });
    test("AWS", async () => {
      const { shown } = await imported(await metadataFile("aws", keys));
      expect(shown).toMatchObject({
        issuer: "urn:amazon:webservices:example",
        defaultAssertionConsumerUrl: "https://signin.aws.example/saml",
        singleLogoutProfile: { enabled: false },
        attributeProfile: { enabled: true, alwaysIncludeAttributesInResponse: true },
        singleSignOnProfile: {
          attributeConsumingServiceIndex: "1",
          assertion: { nameIdFormat: "urn:oasis:names:tc:SAML:2.0:nameid-format:transient" },
        },
        imported: { attributeConsumingServiceIndexes: [1], keys: [keyOf("signing", "signing")] },
      });
      expect(shown.imported.assertionConsumerServices).toEqual([
        { binding: "HTTP-POST", location: "https://signin.aws.example/saml", index: 1 },
        { binding: "HTTP-POST", location: "https://eu-central-1.signin.aws.example/saml", index: 2 },
        { binding: "HTTP-POST", location: "https://us-east-1.signin.aws.example/saml", index: 3 },
      ]);
    });
    test("GitLab", async () => {
      const { shown } = await imported(await metadataFile("gitlab", keys));
      expect(shown).toMatchObject({
        issuer: "https://gitlab.example",
        defaultAssertionConsumerUrl: "https://gitlab.example/users/auth/saml/callback",
        singleLogoutProfile: {
          logoutMethod: "FRONTCHANNEL_HTTP_REDIRECT",
          logoutRequestUrl: "https://gitlab.example/users/auth/saml/slo",
          logoutResponseUrl: "https://gitlab.example/users/auth/saml/slo/done",
        },
        requestValidation: { enableSignatureValidation: false },
      });
      expect(shown.imported).toEqual({
        assertionConsumerServices: [
          { binding: "HTTP-POST", location: "https://gitlab.example/users/auth/saml/callback", index: 0 },
        ],
        singleLogoutServices: [
          {
            binding: "HTTP-Redirect",
            location: "https://gitlab.example/users/auth/saml/slo",
            responseLocation: "https://gitlab.example/users/auth/saml/slo/done",
          },
        ],
        attributeConsumingServiceIndexes: [1],
      });
    });
    test("Zoom", async () => {
      const { shown } = await imported(await metadataFile("zoom", keys));
      expect(shown).toMatchObject({
        issuer: "acme.zoom.example",
        assertionConsumerUrls: ["https://acme.zoom.example/saml/SSO"],
        singleLogoutProfile: { logoutMethod: "FRONTCHANNEL_HTTP_POST" },
        singleSignOnProfile: { assertion: { nameIdFormat: "urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress" } },
        imported: { keys: [keyOf("signing", "signing"), keyOf("encryption", "encryption")] },
      });
      expect(shown.imported.assertionConsumerServices).toMatchObject([
        { binding: "HTTP-POST", index: 0 },
        { binding: "HTTP-Artifact", index: 1 },
      ]);
    });
    test("ADFS: the role of SAML 2.0 among those of WS-Federation and of an identity provider", async () => {
      const { id, shown } = await imported(await metadataFile("adfs", keys));
      expect(shown).toMatchObject({
        issuer: "http://fs.example/adfs/services/trust",
        assertionConsumerUrls: ["https://fs.example/adfs/ls/"],
        singleLogoutProfile: {
          logoutMethod: "FRONTCHANNEL_HTTP_POST",
          logoutRequestUrl: "https://fs.example/adfs/ls/",
        },
        imported: {
          keys: [keyOf("encryption", "encryption"), keyOf("signing", "signing"), keyOf("next", "signing")],
        },
      });
      // The first key of signatures is that of the application, too, as in WSO2 Identity Server.
      const { advancedConfigurations } = (await ask("GET", `${APPLICATIONS}/${id}`)).body;
      expect(Buffer.from(advancedConfigurations.certificate.value, "base64").toString()).toBe(
        keys.signing?.certificate,
      );
    });
    test("Shibboleth: SOAP comes first, and all bindings are kept", async () => {
      const { shown } = await imported(await metadataFile("shibboleth", keys));
      const at = "https://wiki.example/Shibboleth.sso";
      expect(shown).toMatchObject({
        defaultAssertionConsumerUrl: `${at}/SAML2/POST`,
        singleLogoutProfile: { logoutMethod: "BACKCHANNEL", logoutRequestUrl: `${at}/SLO/SOAP` },
        imported: { keys: [keyOf("signing", "signing"), keyOf("encryption", "encryption")] },
      });
      expect(shown.assertionConsumerUrls).toHaveLength(5);
      expect(shown.imported.singleLogoutServices).toEqual([
        { binding: "SOAP", location: `${at}/SLO/SOAP` },
        { binding: "HTTP-Redirect", location: `${at}/SLO/Redirect` },
        { binding: "HTTP-POST", location: `${at}/SLO/POST` },
        { binding: "HTTP-Artifact", location: `${at}/SLO/Artifact` },
      ]);
      expect(
        shown.imported.assertionConsumerServices.map((each: { binding: string; index: number }) => [
          each.index,
          each.binding,
        ]),
      ).toEqual([
        [1, "HTTP-POST"],
        [2, "HTTP-POST-SimpleSign"],
        [3, "HTTP-Artifact"],
        [4, "PAOS"],
        [5, "urn:oasis:names:tc:SAML:1.0:profiles:browser-post"],
      ]);
    });
  });

  test("validUntil is the earliest one, and cacheDuration that of the role", async () => {
    const text = provider(
      own(),
      CONSUMER,
      'validUntil="2030-01-02T00:00:00+02:00" cacheDuration="PT1H"',
      'validUntil="2040-01-01T00:00:00Z" cacheDuration="P7D"',
    );
    expect((await imported(text)).shown.imported).toMatchObject({
      validUntil: "2030-01-01T22:00:00.000Z",
      cacheDuration: "PT1H",
    });
  });

  test("the default address takes posted answers, whatever is the default of another binding", async () => {
    const text = provider(
      own(),
      endpoint("AssertionConsumerService", "HTTP-Artifact", "https://sp.example/artifact", 'index="0" isDefault="1"') +
        endpoint("AssertionConsumerService", "HTTP-POST", "https://sp.example/no", 'index="1" isDefault="false"') +
        endpoint("AssertionConsumerService", "HTTP-POST", "https://sp.example/yes", 'index="2"'),
    );
    expect((await imported(text)).shown.defaultAssertionConsumerUrl).toBe("https://sp.example/yes");
  });

  test("a consumer without a binding takes posts, and a logout without one is none", async () => {
    const bare = (xml: string) => xml.replace(/Binding="[^"]*"/, "");
    const { shown } = await imported(provider(own(), bare(logout("SOAP", "logout")) + bare(CONSUMER)));
    expect(shown.imported).toEqual({
      assertionConsumerServices: [{ binding: "HTTP-POST", location: "https://sp.example/acs", index: 0 }],
    });
    expect(shown.singleLogoutProfile.enabled).toBe(false);
  });

  test("a key without a use is for both, and white space and lines of a PEM are no part of it", async () => {
    const spread = keyDescriptor(keys.signing as ProviderKey).replace(
      /<X509Certificate>(.*)<\/X509Certificate>/,
      (_, der: string) =>
        `<X509Certificate>\n-----BEGIN CERTIFICATE-----\n${der.match(/.{1,40}/g)?.join("\n\t ")}\n` +
        "-----END CERTIFICATE-----\n</X509Certificate>",
    );
    const named = keyDescriptor(keys.next as ProviderKey, " signing ");
    const { shown } = await imported(provider(own(), spread + named + CONSUMER));
    expect(shown.imported.keys).toEqual([keyOf("signing"), keyOf("next", "signing")]);
  });

  test("the format of names is the first that answers can have", async () => {
    const formats = [
      "\n urn:oasis:names:tc:SAML:1.1:nameid-format:X509SubjectName",
      " urn:oasis:names:tc:SAML:2.0:nameid-format:persistent\n",
      "urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress",
    ];
    const { shown } = await imported(
      provider(own(), formats.map((each) => `<NameIDFormat>${each}</NameIDFormat>`).join("") + CONSUMER),
    );
    expect(shown.singleSignOnProfile.assertion.nameIdFormat).toBe(
      "urn:oasis:names:tc:SAML:2.0:nameid-format:persistent",
    );
  });

  describe("manual settings after metadata", () => {
    const SERVICES = logout("HTTP-Redirect", "redirect") + logout("SOAP", "soap") + logout("HTTP-Artifact", "artifact");
    const whole = () => provider(own(), keyDescriptor(keys.signing as ProviderKey) + SERVICES + CONSUMER);

    test("keep the keys and services that they do not name", async () => {
      const { id, shown } = await imported(whole());
      const { issuer } = shown;
      const manual = { issuer, assertionConsumerUrls: ["https://sp.example/other"] };
      expect((await put(id, { manualConfiguration: manual })).status).toBe(200);
      const after = await get(id);
      expect(after.imported).toEqual(shown.imported);
      expect([after.assertionConsumerUrls, after.singleLogoutProfile.enabled]).toEqual([
        ["https://sp.example/other"],
        false,
      ]);
    });
    test("can be what was shown: nothing changes", async () => {
      const { id, shown } = await imported(whole());
      expect((await put(id, { manualConfiguration: shown })).status).toBe(200);
      expect(await get(id)).toEqual(shown);
    });
    test("forget it with an empty imported, and with another issuer", async () => {
      for (const change of [{ imported: {} }, { issuer: "https://another.example" }]) {
        const { id, shown } = await imported(whole());
        const { imported: _, ...manual } = shown;
        expect((await put(id, { manualConfiguration: { ...manual, ...change } })).status).toBe(200);
        expect(await get(id)).not.toHaveProperty("imported");
      }
    });
    test("never send SOAP to an address for redirects", async () => {
      const { id, shown } = await imported(whole());
      const withLogout = (singleLogoutProfile: object) => {
        const { imported: _, ...manual } = shown;
        return put(id, { manualConfiguration: { ...manual, singleLogoutProfile } });
      };
      const logoutRequestUrl = "https://sp.example/redirect";
      expect((await withLogout({ logoutRequestUrl })).status).toBe(200);
      expect((await get(id)).singleLogoutProfile.logoutMethod).toBe("FRONTCHANNEL_HTTP_REDIRECT");
      const wrong = await withLogout({ logoutRequestUrl, logoutMethod: "BACKCHANNEL" });
      expect([wrong.status, wrong.body.code]).toEqual([400, "SAML-60001"]);
      expect(wrong.body.description).toContain("Choose FRONTCHANNEL_HTTP_REDIRECT");
      const artifact = { logoutRequestUrl: "https://sp.example/artifact" };
      expect((await withLogout(artifact)).body.description).toContain("Choose another address");
      // An address that the metadata does not know is that of the settings.
      expect(
        (await withLogout({ logoutRequestUrl: "https://sp.example/new", logoutMethod: "BACKCHANNEL" })).status,
      ).toBe(200);
    });
    test.each([
      ["an address of no scheme", { singleLogoutServices: [{ binding: "SOAP", location: "sp.example" }] }],
      ["a script", { assertionConsumerServices: [{ binding: "HTTP-POST", location: "javascript:alert(1)" }] }],
      [
        "a script for answers",
        { singleLogoutServices: [{ binding: "SOAP", location: "https://a.example", responseLocation: "data:,x" }] },
      ],
      ["a key that is none", { keys: [{ certificate: "AAAA" }] }],
      ["a key in text", { keys: [{ certificate: "-----BEGIN CERTIFICATE-----" }] }],
      [
        "an index twice",
        {
          assertionConsumerServices: [0, 0].map((index) => ({ binding: "PAOS", location: "https://a.example", index })),
        },
      ],
      ["an index of attributes twice", { attributeConsumingServiceIndexes: [4, 4] }],
      ["a password in the address of metadata", { metadataURL: "https://me:secret@sp.example/metadata" }],
    ])("with %s are refused", async (_, given) => {
      const manual = { issuer: own(), assertionConsumerUrls: ["https://sp.example/acs"] };
      const answer = await put(await bare(), { manualConfiguration: { ...manual, imported: given } });
      expect([answer.status, answer.body.code]).toEqual([400, "SAML-60001"]);
      expect(answer.body.description).toMatch(/^imported\./);
      expect(answer.text).not.toContain("secret");
    });
  });

  describe("an address of metadata", () => {
    const first = () => logout("HTTP-Redirect", "redirect") + logout("HTTP-POST", "post") + CONSUMER;
    const fetched = async (inside: string, ofRole = "") => {
      served = provider(own(), inside, ofRole);
      const id = await bare();
      expect((await put(id, { metadataURL: address })).status).toBe(200);
      return id;
    };
    const again = async (id: string, inside: string, ofRole = "") => {
      served = provider((await get(id)).issuer, inside, ofRole);
      expect((await put(id, { metadataURL: address })).status).toBe(200);
      return get(id);
    };

    test("is kept, and PUT with it reads again: new keys and services, and what was set besides stays", async () => {
      const id = await fetched(keyDescriptor(keys.signing as ProviderKey) + first());
      const shown = await get(id);
      expect(shown.imported.metadataURL).toBe(address);
      const set = {
        ...shown,
        idpEntityIdAlias: "https://alias.example",
        singleSignOnProfile: {
          ...shown.singleSignOnProfile,
          enableIdpInitiatedSingleSignOn: true,
          assertion: { ...shown.singleSignOnProfile.assertion, encryption: { enabled: true } },
        },
        singleLogoutProfile: {
          logoutMethod: "FRONTCHANNEL_HTTP_REDIRECT",
          logoutRequestUrl: "https://sp.example/redirect",
        },
        requestValidation: {},
        responseSigning: {},
      };
      expect((await put(id, { manualConfiguration: set })).status).toBe(200);
      const moved = first()
        .replace("sp.example/redirect", "sp.example/moved")
        .replace("sp.example/acs", "sp.example/new");
      const after = await again(id, keyDescriptor(keys.next as ProviderKey) + moved);
      expect(after).toMatchObject({
        idpEntityIdAlias: "https://alias.example",
        assertionConsumerUrls: ["https://sp.example/new"],
        defaultAssertionConsumerUrl: "https://sp.example/new",
        singleSignOnProfile: { enableIdpInitiatedSingleSignOn: true, assertion: { encryption: { enabled: true } } },
        singleLogoutProfile: {
          enabled: true,
          logoutMethod: "FRONTCHANNEL_HTTP_REDIRECT",
          logoutRequestUrl: "https://sp.example/moved",
        },
        requestValidation: { enableSignatureValidation: true },
        responseSigning: { enabled: true },
        imported: { metadataURL: address, keys: [keyOf("next")] },
      });
    });
    test("logout that the metadata does not have any more is off, one that was switched off stays off", async () => {
      const id = await fetched(first());
      expect((await again(id, CONSUMER)).singleLogoutProfile).toEqual({
        enabled: false,
        logoutMethod: "FRONTCHANNEL_HTTP_POST",
        idpInitiatedSingleLogout: { enabled: false, returnToUrls: [] },
      });
      expect((await again(id, first())).singleLogoutProfile.enabled).toBe(true);
      const { singleLogoutProfile, ...rest } = await get(id);
      await put(id, {
        manualConfiguration: { ...rest, singleLogoutProfile: { ...singleLogoutProfile, enabled: false } },
      });
      expect((await again(id, first())).singleLogoutProfile.enabled).toBe(false);
      // The chosen method is gone: there is another one.
      expect((await again(id, logout("SOAP", "soap") + CONSUMER)).singleLogoutProfile).toMatchObject({
        logoutMethod: "BACKCHANNEL",
        logoutRequestUrl: "https://sp.example/soap",
      });
    });
    test("can ask for signed requests later", async () => {
      const id = await fetched(first());
      expect((await get(id)).requestValidation.enableSignatureValidation).toBe(false);
      const after = await again(id, keyDescriptor(keys.signing as ProviderKey) + first(), 'AuthnRequestsSigned="true"');
      expect(after.requestValidation.enableSignatureValidation).toBe(true);
    });
    test("another source replaces all settings", async () => {
      const id = await fetched(first());
      const shown = await get(id);
      await put(id, { manualConfiguration: { ...shown, idpEntityIdAlias: "https://alias.example" } });
      await put(id, { metadataFile: base64(served) });
      const after = await get(id);
      expect(after).not.toHaveProperty("idpEntityIdAlias");
      expect(after.imported).not.toHaveProperty("metadataURL");
    });
  });

  test("what is kept survives an exported file, a version that is restored, and a rehearsal changes nothing", async () => {
    const { id, shown } = await imported(
      provider(own(), keyDescriptor(keys.signing as ProviderKey, "encryption") + logout("SOAP", "soap") + CONSUMER),
    );
    const rehearsed = await ask("PUT", `${at(id)}?dryRun=true`, {
      body: { manualConfiguration: { ...shown, imported: {} } },
    });
    expect(rehearsed.status).toBe(200);
    expect(await get(id)).toEqual(shown);

    const { body: history } = await ask("GET", `${at(id)}/history`);
    const [{ version }] = history.records;
    await put(id, { manualConfiguration: { ...shown, imported: {} } });
    expect(await get(id)).not.toHaveProperty("imported");
    expect((await ask("GET", `${at(id)}/history/${version}`)).body.imported).toEqual(shown.imported);
    expect((await ask("POST", `${at(id)}/history/${version}/restore`)).status).toBeLessThan(300);
    expect(await get(id)).toEqual(shown);

    const file = await exported(api, id, "");
    expect((await ask("DELETE", `${APPLICATIONS}/${id}`)).status).toBe(204);
    expect(await get(idIn(await upload(api, "POST", file)))).toEqual(shown);
  });
});

describe("malformed metadata is refused with a sentence, and never an error of the service", () => {
  const P = "urn:oasis:names:tc:SAML:2.0:protocol";
  const consumer = (more: string) => endpoint("AssertionConsumerService", "HTTP-POST", "https://sp.example/acs", more);
  const withKey = (text: string) =>
    provider(own(), `${keyDescriptor(keys.signing as ProviderKey)}${CONSUMER}`).replace(
      /<X509Certificate>.*<\/X509Certificate>/,
      `<X509Certificate>${text}</X509Certificate>`,
    );
  test.each<[string, () => string]>([
    ["nothing", () => " "],
    ["no XML", () => "<html><body>Sign in</body>"],
    ["JSON", () => '{"entityID":"https://sp.example"}'],
    ["another root", () => "<EntityDescriptor/>"],
    ["several entities", () => `<EntitiesDescriptor xmlns="urn:oasis:names:tc:SAML:2.0:metadata"/>`],
    ["no entityID", () => provider("", CONSUMER)],
    ["an entityID of blanks", () => provider(" \t ", CONSUMER)],
    ["an entityID with @", () => provider("sp@example", CONSUMER)],
    ["an attribute twice", () => provider(own(), CONSUMER, "", 'entityID="https://b.example"')],
    ["no consumer", () => provider(own(), "")],
    ["a consumer without an address", () => provider(own(), '<AssertionConsumerService index="0"/>')],
    ["a consumer with an empty address", () => provider(own(), CONSUMER.replace(/Location="[^"]*"/, 'Location=""'))],
    ["a consumer that is a script", () => provider(own(), CONSUMER.replace("https:", "javascript:"))],
    ["a consumer with a fragment", () => provider(own(), CONSUMER.replace("/acs", "/acs#x"))],
    ["101 consumers", () => provider(own(), Array.from({ length: 101 }, (_, i) => consumer(`index="${i}"`)).join(""))],
    ["an index of letters", () => provider(own(), consumer('index="one"'))],
    ["an index below 0", () => provider(own(), consumer('index="-1"'))],
    ["an index above 65535", () => provider(own(), consumer('index="65536"'))],
    ["an index with a fraction", () => provider(own(), consumer('index="1.0"'))],
    ["an index twice", () => provider(own(), consumer('index="7"') + consumer('index="07"'))],
    ["an isDefault that is no boolean", () => provider(own(), consumer('index="0" isDefault="yes"'))],
    ["an AuthnRequestsSigned that is no boolean", () => provider(own(), CONSUMER, 'AuthnRequestsSigned="maybe"')],
    [
      "an index of attributes twice",
      () => provider(own(), '<AttributeConsumingService index="1"/>'.repeat(2) + CONSUMER),
    ],
    ["a use that is none", () => provider(own(), keyDescriptor(keys.signing as ProviderKey, "both") + CONSUMER)],
    ["a key of other bytes", () => withKey("MIIB")],
    ["a key that is no Base64", () => withKey("???")],
    ["a cut certificate", () => withKey(derOf(keys.signing as ProviderKey).slice(0, 400))],
    ["a private key", () => withKey(keys.signing?.key.replace("PRIVATE KEY", "CERTIFICATE") ?? "")],
    ["eleven keys", () => provider(own(), keyDescriptor(keys.signing as ProviderKey).repeat(11) + CONSUMER)],
    ["a logout address of no scheme", () => provider(own(), endpoint("SingleLogoutService", "SOAP", "sp") + CONSUMER)],
    [
      "a binding of 300 characters",
      () => provider(own(), endpoint("SingleLogoutService", "x".repeat(300), "https://a.example") + CONSUMER),
    ],
    ["a lifetime that is over", () => provider(own(), CONSUMER, 'validUntil="2001-01-01T00:00:00Z"')],
    ["a lifetime of words", () => provider(own(), CONSUMER, 'cacheDuration="an hour"')],
    ["a duration of 70 digits", () => provider(own(), CONSUMER, `cacheDuration="P${"9".repeat(70)}D"`)],
    ["another protocol", () => provider(own(), CONSUMER).replace(P, "urn:oasis:names:tc:SAML:1.1:protocol")],
    ["an entity of XML", () => `<!DOCTYPE a [<!ENTITY b "c">]>${provider(own(), CONSUMER)}`],
    [
      "a prefix that is not declared",
      () => provider(own(), CONSUMER).replace("<AssertionConsumerService", "<md:AssertionConsumerService"),
    ],
    ["a name of the prototype", () => provider(own(), "<__proto__/><constructor/>")],
    ["an identity provider", () => provider(own(), CONSUMER).replaceAll("SPSSODescriptor", "IDPSSODescriptor")],
    ["a character that XML has not", () => provider(own(), CONSUMER.replace("/acs", "/a\u0001cs"))],
  ])("%s", async (_, text) => {
    const id = await bare();
    const answer = await put(id, { metadataFile: base64(text()) });
    expect([answer.status, answer.body.code]).toEqual([400, "SAML-60001"]);
    expect(answer.body.description.length).toBeGreaterThan(20);
    expect((await ask("GET", at(id))).status).toBe(404);
  });
  test("but names of the prototype are elements that are not known", async () => {
    const { shown } = await imported(provider(own(), `<__proto__/><constructor/>${CONSUMER}`));
    expect(shown.assertionConsumerUrls).toEqual(["https://sp.example/acs"]);
  });
});
