/** Requests and settings that would promise more than they hold. */
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import type { Browser } from "#tests/support/browsing.ts";
import { saasOf } from "#tests/support/saas.ts";
import {
  base64,
  newProviderKey,
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
const LOCAL = "http://wso2.org/claims";
const withPem = (pem: string) => ({
  advancedConfigurations: { skipLoginConsent: true, certificate: { type: "PEM", value: pem } },
});

let key: ProviderKey;
let page: Browser;
let signing: Provider;

beforeAll(async () => {
  key = await newProviderKey();
  const body = { userName: PERSON.username, password: PERSON.password };
  expect((await api.ask("POST", "/scim2/Users", { body })).status).toBe(201);
  signing = await newProvider({ requestValidation: {} }, withPem(key.certificate));
  page = browser();
  await page.open(redirectPath(requestXml(await newProvider())));
  answerIn(page, await enter(page));
});

const refused = async (sending: ReturnType<Browser["open"]>, why: string) => {
  const { status, html, alert } = await sending;
  expect([status, html.includes('name="SAMLResponse"')]).toEqual([400, false]);
  expect(alert).toContain(why);
};

describe("signOnBySaml, signOnBySamlForm", () => {
  test.each(["RelayStat%65=injected", "%52elayState=injected", "RelayState=&RelayStat%65=injected"])(
    "what a signature does not cover is not delivered: %s",
    async (more) => {
      await refused(page.open(`${redirectPath(requestXml(signing), { key: key.key })}&${more}`), "");
      const relayState = "signed";
      await refused(page.open(`${redirectPath(requestXml(signing), { key: key.key, relayState })}&${more}`), "");
    },
  );
  test("a signed request names where it goes", async () => {
    const xml = requestXml(signing, { Destination: undefined });
    await refused(page.open(redirectPath(xml, { key: key.key })), "Its Destination must be");
    const sent = { SAMLRequest: base64(signedXml(xml, key)) };
    await refused(page.post("/samlsso", sent, { "sec-fetch-site": "cross-site" }), "Its Destination must be");
    // One that is not signed shows nothing by that.
    answerIn(page, await page.open(redirectPath(requestXml(await newProvider(), { Destination: undefined }))));
  });
  test("only the names of the format unspecified leave the choice to the settings", async () => {
    const provider = await newProvider();
    const statusOf = async (format: string) => {
      const policy = `<samlp:NameIDPolicy Format="${format}"/>`;
      return answerIn(page, await page.open(redirectPath(requestXml(provider, {}, policy)))).status;
    };
    for (const version of ["1.1", "2.0"]) {
      expect(await statusOf(`urn:oasis:names:tc:SAML:${version}:nameid-format:unspecified`)).toEqual(["Success"]);
    }
    expect(await statusOf("urn:example:unspecified")).toEqual(["Requester", "InvalidNameIDPolicy"]);
  });
  test("an application that nothing can be encrypted for gives no assertion, and says why", async () => {
    const folder = mkdtempSync(join(tmpdir(), "saml-"));
    const newPem = (...kind: string[]) => {
      const [at, of] = [join(folder, "pem"), ["req", "-x509", "-nodes", "-keyout", join(folder, "key")]];
      execFileSync("openssl", [...of, "-newkey", ...kind, "-out", at, "-subj", "/CN=x"], { stdio: "ignore" });
      return readFileSync(at, "utf8");
    };
    const encryption = { singleSignOnProfile: { assertion: { encryption: { enabled: true } } } };
    for (const pem of [newPem("ec", "-pkeyopt", "ec_paramgen_curve:P-256"), newPem("rsa:1024")]) {
      const provider = await newProvider(encryption, withPem(pem));
      const told = answerIn(page, await page.open(redirectPath(requestXml(provider))));
      expect([told.status, told.assertion]).toEqual([["Responder", "RequestDenied"], undefined]);
      expect(told.xml).toContain("RSA of 2048 bits");
    }
  });
  test("an address with a fragment is refused when it is saved", async () => {
    const manualConfiguration = {
      issuer: "https://hash.example",
      assertionConsumerUrls: ["https://hash.example/#acs"],
    };
    const made = await api.ask("POST", APPLICATIONS, {
      body: { name: "Hash", inboundProtocolConfiguration: { saml: { manualConfiguration } } },
    });
    expect([made.status, made.text.includes("fragment")]).toEqual([400, true]);
  });
});

describe("sendSamlResponse", () => {
  const profile = { attributeProfile: { enabled: true, alwaysIncludeAttributesInResponse: true } };
  const attributesOfGuest = async (...names: readonly string[]) => {
    const requestedClaims = names.map((name) => ({ claim: { uri: `${LOCAL}/${name}` }, mandatory: false }));
    const claimConfiguration = { dialect: "LOCAL", requestedClaims };
    const provider = await newProvider(profile, { claimConfiguration, advancedConfigurations: { saas: true } });
    const guest = browser();
    await guest.open(redirectPath(requestXml(provider)));
    await enter(guest, { username: "eve@rogue.example", password: PERSON.password });
    return answerIn(guest, await guest.submit({ answer: "allow" })).attributes;
  };
  test("the address and number of a guest are told with the word that they are not verified, or not", async () => {
    const tenant = await newTenant("rogue.example");
    await tenant.newUser("eve", PERSON.password, {
      emails: [{ value: "ceo@cars.example", primary: true }],
      phoneNumbers: [{ type: "mobile", value: "+491234" }],
    });
    expect(await attributesOfGuest("emailaddress", "mobile", "emailAddresses", "userid")).toEqual({
      [`${LOCAL}/userid`]: [expect.any(String)],
    });
    const verifiers = ["identity/emailVerified", "identity/phoneVerified"];
    expect(await attributesOfGuest("emailaddress", "mobile", ...verifiers)).toEqual({
      [`${LOCAL}/emailaddress`]: ["ceo@cars.example"],
      [`${LOCAL}/mobile`]: ["+491234"],
      [`${LOCAL}/identity/emailVerified`]: ["false"],
      [`${LOCAL}/identity/phoneVerified`]: ["false"],
    });
  });
});
