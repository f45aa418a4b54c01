/** The reference implementation of XML signatures accepts every message. It is a program: without it this is skipped. */
import { execFile, spawnSync } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  newProviderKey,
  type Provider,
  type ProviderKey,
  redirectPath,
  requestXml,
  samlOf,
} from "#tests/support/saml.ts";
import { PERSON } from "#tests/support/sign-in.ts";
import { world } from "#tests/support/world.ts";

const run = promisify(execFile);
const isInstalled = spawnSync("xmlsec1", ["--version"]).status === 0;
if (!isInstalled) process.stderr.write("xmlsec1 is not installed: no message is compared with it.\n");

const api = world();
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
const verifies = async (xml: string, element: "Response" | "Assertion") => {
  const file = join(folder, "message.xml");
  await writeFile(file, xml);
  const { stderr, stdout } = await run("xmlsec1", [
    "--verify",
    ...["--pubkey-cert-pem", join(folder, "own.pem"), "--trusted-pem", join(folder, "own.pem")],
    ...["--id-attr:ID", "urn:oasis:names:tc:SAML:2.0:protocol:Response"],
    ...["--id-attr:ID", "urn:oasis:names:tc:SAML:2.0:assertion:Assertion"],
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
});
