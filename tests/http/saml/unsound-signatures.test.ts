/** Signatures that are none, and requests that would take long: refused without the key of a service provider. */
import { beforeAll, expect, test } from "vitest";
import {
  base64,
  newProviderKey,
  type Provider,
  type ProviderKey,
  requestXml,
  samlOf,
  signedXml,
} from "#tests/support/saml.ts";
import { world } from "#tests/support/world.ts";

const { newProvider, browser } = samlOf(world());
const EXCLUSIVE = '<ds:Transform Algorithm="http://www.w3.org/2001/10/xml-exc-c14n#"/>';
let [stranger, own]: ProviderKey[] = [];
let signing: Provider;

beforeAll(async () => {
  [stranger, own] = [await newProviderKey(), await newProviderKey()];
  const certificate = { type: "PEM", value: own.certificate };
  signing = await newProvider({ requestValidation: {} }, { advancedConfigurations: { certificate } });
});

const inside = (more: string) => (xml: string) => xml.replace("</samlp:AuthnRequest>", `${more}</samlp:AuthnRequest>`);

test.each<readonly [string, (xml: string) => string, string]>([
  ["without SignedInfo", (xml) => xml.replace(/<ds:SignedInfo>.*<\/ds:SignedInfo>/s, ""), "signature"],
  ["with two SignedInfo", (xml) => xml.replace(/<ds:SignedInfo>.*<\/ds:SignedInfo>/s, "$&$&"), "signature"],
  ["without Reference", (xml) => xml.replace(/<ds:Reference.*<\/ds:Reference>/s, ""), "signature"],
  [
    "with empty Transforms",
    (xml) => xml.replace(/<ds:Transforms>.*<\/ds:Transforms>/s, "<ds:Transforms/>"),
    "not right",
  ],
  ["without DigestMethod", (xml) => xml.replace(/<ds:DigestMethod[^>]*>/, ""), "signature"],
  ["without DigestValue", (xml) => xml.replace(/<ds:DigestValue>[^<]*<\/ds:DigestValue>/, ""), "signature"],
  ["with two DigestValue", (xml) => xml.replace(/<ds:DigestValue>[^<]*<\/ds:DigestValue>/, "$&$&"), "signature"],
  ["without CanonicalizationMethod", (xml) => xml.replace(/<ds:CanonicalizationMethod[^>]*>/, ""), "signature"],
  [
    "of another canonical form",
    (xml) => xml.replace(/(CanonicalizationMethod Algorithm=")[^"]*/, "$1urn:x"),
    "signature",
  ],
  ["that is empty", (xml) => xml.replace(/(<ds:Signature [^>]*>).*(<\/ds:Signature>)/s, "$1$2"), "signature"],
  ["with a third Transform", (xml) => xml.replace("</ds:Transforms>", `${EXCLUSIVE}$&`), "enveloped"],
  [
    "with a Transform of another namespace",
    (xml) => xml.replace("</ds:Transforms>", '<Transform xmlns="urn:x" Algorithm="urn:y"/>$&'),
    "enveloped",
  ],
  ["beside many comments", inside("a<!---->".repeat(51)), "more than 50 comments"],
  ["beside many instructions", inside("a<?b?>".repeat(51)), "more than 50 comments"],
  ["beside many sections", inside("a<![CDATA[]]>".repeat(51)), "more than 50 comments"],
])("a signature %s is refused", async (_, changed, why) => {
  for (const key of [stranger, own]) {
    const sent = changed(signedXml(requestXml(signing), key as ProviderKey));
    const shown = await browser().post("/samlsso", { SAMLRequest: base64(sent) }, { "sec-fetch-site": "cross-site" });
    expect([shown.status, shown.html.includes("SAMLResponse")]).toEqual([400, false]);
    expect(shown.alert).toContain(why);
  }
});
