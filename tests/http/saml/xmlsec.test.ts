/** The reference implementation of XML signatures accepts every message. It is a program: without it this is skipped. */
import { execFile, spawnSync } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
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
import { PERSON } from "#tests/support/sign-in.ts";
import { world } from "#tests/support/world.ts";

const run = promisify(execFile);
const isInstalled = spawnSync("xmlsec1", ["--version"]).status === 0;
if (!isInstalled) process.stderr.write("xmlsec1 is not installed: no message is compared with it.\n");

const inbox = receiver();
const api = world({ delivers: true });
const { newProvider, certificateOf, answerIn, enter, browser } = samlOf(api);
let folder = "";
let key: ProviderKey;
let page: ReturnType<typeof browser>;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "saml-"));
  key = await newProviderKey();
  const body = { userName: PERSON.username, password: PERSON.password, name: { familyName: 'Jänsen <&> "Co"\t\r' } };
  await api.ask("POST", "/scim2/Users", { body });
  page = browser();
  await page.open(redirectPath(requestXml(await newProvider())));
  answerIn(page, await enter(page));
  const pem = `-----BEGIN CERTIFICATE-----\n${await certificateOf()}\n-----END CERTIFICATE-----\n`;
  await writeFile(join(folder, "own.pem"), pem);
});
afterAll(() => rm(folder, { recursive: true }));

/** Verifies the signature of an element of a message. */
const verifies = async (xml: string, element: "Response" | "Assertion" | "LogoutRequest" | "LogoutResponse") => {
  const file = join(folder, "message.xml");
  await writeFile(file, xml);
  const { stderr, stdout } = await run("xmlsec1", [
    "--verify",
    ...["--pubkey-cert-pem", join(folder, "own.pem"), "--trusted-pem", join(folder, "own.pem")],
    ...["--id-attr:ID", `urn:oasis:names:tc:SAML:2.0:${element === "Assertion" ? "assertion" : "protocol"}:${element}`],
    ...["--node-xpath", `//*[local-name()='${element}']/*[local-name()='Signature']`],
    file,
  ]);
  return `${stdout}${stderr}`.includes("OK");
};
const claims = {
  claimConfiguration: {
    dialect: "LOCAL",
    requestedClaims: [{ claim: { uri: "http://wso2.org/claims/lastname" } }],
  },
};
const answerTo = async (provider: Provider, attributes: Readonly<Record<string, string>> = {}) =>
  answerIn(page, await page.open(redirectPath(requestXml(provider, attributes), { relayState: "x" })));

describe.skipIf(!isInstalled)("xmlsec1 --verify", () => {
  test.each(["256", "384", "512"])("accepts responses and assertions by SHA-%s", async (bits) => {
    const digestAlgorithm =
      bits === "384" ? "http://www.w3.org/2001/04/xmldsig-more#sha384" : `http://www.w3.org/2001/04/xmlenc#sha${bits}`;
    const provider = await newProvider(
      {
        attributeProfile: { enabled: true, alwaysIncludeAttributesInResponse: true },
        responseSigning: { signingAlgorithm: `http://www.w3.org/2001/04/xmldsig-more#rsa-sha${bits}` },
        singleSignOnProfile: { assertion: { digestAlgorithm } },
      },
      claims,
    );
    const { xml, status } = await answerTo(provider);
    expect([status, await verifies(xml, "Response"), await verifies(xml, "Assertion")]).toEqual([
      ["Success"],
      true,
      true,
    ]);
    await expect(verifies(xml.replace("Jänsen", "Other"), "Assertion")).rejects.toThrow();
  });
  test("accepts responses with an encrypted assertion, and those without one", async () => {
    const certificate = { type: "PEM", value: Buffer.from(key.certificate).toString("base64") };
    const provider = await newProvider(
      { singleSignOnProfile: { assertion: { encryption: { enabled: true } } } },
      { advancedConfigurations: { skipLoginConsent: true, certificate } },
    );
    expect(await verifies((await answerTo(provider)).xml, "Response")).toBe(true);
    const refused = await answerTo(provider, { IsPassive: "true", ForceAuthn: "true" });
    expect([refused.status, await verifies(refused.xml, "Response")]).toEqual([["Responder", "NoPassive"], true]);
  });
  describe("accepts messages of logout", () => {
    const name = { format: "urn:oasis:names:tc:SAML:1.1:nameid-format:unspecified", value: PERSON.username };
    /** A service provider that is told of logouts by a method. */
    const told = (logoutMethod: string, logoutRequestUrl: string) =>
      newProvider(
        { singleLogoutProfile: { logoutMethod, logoutRequestUrl } },
        {
          advancedConfigurations: {
            skipLoginConsent: true,
            certificate: { type: "PEM", value: Buffer.from(key.certificate).toString("base64") },
          },
        },
      );
    const posted = () => told("FRONTCHANNEL_HTTP_POST", "https://out.example/slo");
    const requestOf = (provider: Provider) => signedXml(logoutXml(provider, name), key, { root: "LogoutRequest" });
    const signedInTo = async (...providers: readonly Provider[]) => {
      const used = browser();
      for (const provider of providers) {
        const shown = await used.open(redirectPath(requestXml(provider)));
        answerIn(used, shown.title.includes("Sign in") ? await enter(used) : shown);
      }
      return used;
    };
    const inForm = (used: ReturnType<typeof browser>, field: "SAMLRequest" | "SAMLResponse") =>
      Buffer.from(used.fields()[field] ?? "", "base64").toString("utf8");

    test("by form", async () => {
      const [asking, visited] = [await posted(), await posted()];
      const used = await signedInTo(asking, visited);
      await used.post("/samlsso", { SAMLRequest: base64(requestOf(asking)) });
      const request = inForm(used, "SAMLRequest");
      expect(await verifies(request, "LogoutRequest")).toBe(true);
      await expect(verifies(request.replace(`>${PERSON.username}<`, ">lee<"), "LogoutRequest")).rejects.toThrow();
      const alone = await signedInTo(asking);
      await alone.post("/samlsso", { SAMLRequest: base64(requestOf(asking)) });
      const response = inForm(alone, "SAMLResponse");
      expect(await verifies(response, "LogoutResponse")).toBe(true);
      await expect(verifies(response.replace(":Success", ":Responder"), "LogoutResponse")).rejects.toThrow();
    });
    test("by SOAP, inside their envelopes", async () => {
      const [asking, other] = [await posted(), await told("BACKCHANNEL", inbox.url("/soap"))];
      await signedInTo(asking, other);
      const envelope = `<s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/"><s:Body>${requestOf(asking)}</s:Body></s:Envelope>`;
      const headers = { "content-type": "text/xml" };
      const answer = await fetch(`${api.url}/samlsso`, { method: "POST", body: envelope, headers });
      expect(await verifies(await answer.text(), "LogoutResponse")).toBe(true);
      const [request] = await inbox.waitFor("/soap", 1);
      expect(await verifies(request?.text ?? "", "LogoutRequest")).toBe(true);
    });
  });
});
