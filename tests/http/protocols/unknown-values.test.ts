/** A value that is not allowed is refused with one code, however long it is. */
import { describe, expect, test } from "vitest";
import { OidcBody, SamlManual } from "#core/applications/protocols/shapes.ts";
import * as z from "#core/kernel/zod.ts";
import { APPLICATIONS, world } from "#tests/support/world.ts";

const { ask, create } = world();
const CODE = { grantTypes: ["authorization_code"], callbackURLs: ["https://a.example/cb"] };
const SAML = { issuer: "https://a.example", assertionConsumerUrls: ["https://a.example/acs"] };
const LENGTHS = [4, 50, 51, 255, 256, 5_000];

/** The members that take one of some words, with a body that has a word in one of them. */
const oidc: Readonly<Record<string, (word: string) => object>> = {
  grantTypes: (word) => ({ grantTypes: ["authorization_code", word] }),
  scopeValidators: (word) => ({ scopeValidators: [word] }),
  "accessToken.type": (type) => ({ accessToken: { type } }),
  "accessToken.bindingType": (bindingType) => ({ accessToken: { bindingType } }),
  "idToken.idTokenSignedResponseAlg": (idTokenSignedResponseAlg) => ({ idToken: { idTokenSignedResponseAlg } }),
  "idToken.encryption.algorithm": (algorithm) => ({
    idToken: { encryption: { enabled: true, algorithm, method: "A128GCM" } },
  }),
  "idToken.encryption.method": (method) => ({
    idToken: { encryption: { enabled: true, algorithm: "RSA-OAEP", method } },
  }),
  "clientAuthentication.tokenEndpointAuthMethod": (tokenEndpointAuthMethod) => ({
    clientAuthentication: { tokenEndpointAuthMethod },
  }),
  "clientAuthentication.tokenEndpointAuthSigningAlg": (tokenEndpointAuthSigningAlg) => ({
    clientAuthentication: { tokenEndpointAuthMethod: "private_key_jwt", tokenEndpointAuthSigningAlg },
  }),
  "hybridFlow.responseType": (responseType) => ({ hybridFlow: { enable: true, responseType } }),
  "requestObject.requestObjectSigningAlg": (requestObjectSigningAlg) => ({
    requestObject: { requestObjectSigningAlg },
  }),
  "requestObject.encryption.algorithm": (algorithm) => ({
    requestObject: { encryption: { algorithm, method: "A128GCM" } },
  }),
  "requestObject.encryption.method": (method) => ({ requestObject: { encryption: { algorithm: "RSA-OAEP", method } } }),
  "subject.subjectType": (subjectType) => ({ subject: { subjectType } }),
  "cibaAuthenticationRequest.notificationChannels": (word) => ({
    cibaAuthenticationRequest: { notificationChannels: [word] },
  }),
  fapiProfile: (fapiProfile) => ({ isFAPIApplication: true, fapiProfile }),
};
const profile = (more: object) => ({ singleSignOnProfile: more });
const saml: Readonly<Record<string, (word: string) => object>> = {
  "singleSignOnProfile.bindings": (word) => profile({ bindings: [word] }),
  "singleSignOnProfile.assertion.digestAlgorithm": (digestAlgorithm) => profile({ assertion: { digestAlgorithm } }),
  "singleSignOnProfile.assertion.encryption.assertionEncryptionAlgorithm": (word) =>
    profile({ assertion: { encryption: { assertionEncryptionAlgorithm: word } } }),
  "singleSignOnProfile.assertion.encryption.keyEncryptionAlgorithm": (word) =>
    profile({ assertion: { encryption: { keyEncryptionAlgorithm: word } } }),
  "singleLogoutProfile.logoutMethod": (logoutMethod) => ({ singleLogoutProfile: { logoutMethod } }),
  "responseSigning.signingAlgorithm": (signingAlgorithm) => ({ responseSigning: { signingAlgorithm } }),
};

/** The codes of `UE-10000` are of words that the shape itself lists. */
const listed = new Set([
  "subject.subjectType",
  "fapiProfile",
  "singleSignOnProfile.bindings",
  "singleLogoutProfile.logoutMethod",
]);
const otherCodes: Readonly<Record<string, string>> = { "hybridFlow.responseType": "APP-60518" };

let made = 0;
const refusals = async (protocol: string, bodyWith: (word: string) => object) => {
  const path = `${APPLICATIONS}/${await create({ name: `words ${made++}` })}/inbound-protocols/${protocol}`;
  const answers = await Promise.all(LENGTHS.map((length) => ask("PUT", path, { body: bodyWith("x".repeat(length)) })));
  for (const { text } of answers) expect(text.length).toBeLessThan(2_000);
  return answers.map(({ status, body }) => `${status} ${body.code}`);
};

describe("an unknown word of any length has one code:", () => {
  test.each(Object.entries(oidc))("%s", async (path, more) => {
    const code = listed.has(path) ? "UE-10000" : (otherCodes[path] ?? "OAUTH-60001");
    const got = await refusals("oidc", (word) => ({ ...CODE, ...more(word) }));
    expect(got).toEqual(LENGTHS.map(() => `400 ${code}`));
  });
  test.each(Object.entries(saml))("%s", async (path, more) => {
    const code = listed.has(path) ? "UE-10000" : "SAML-60001";
    const got = await refusals("saml", (word) => ({ manualConfiguration: { ...SAML, ...more(word) } }));
    expect(got).toEqual(LENGTHS.map(() => `400 ${code}`));
  });
});

test("every member whose name says that it is a choice is in the lists above", () => {
  const names = /(algorithm|alg|method|type|types|bindings|profile|channels|validators)$/i;
  const isAbove = new Set([...Object.keys(oidc), ...Object.keys(saml)]);
  const missing = [OidcBody, SamlManual].flatMap((shape) => {
    const { properties = {} } = z.toJSONSchema(shape, { reused: "inline" });
    return pathsIn(properties).filter((path) => names.test(path) && !isAbove.has(path));
  });
  expect(missing).toEqual([]);
});

/** The paths of the members that are texts or lists of texts. */
function pathsIn(properties: object, prefix = ""): readonly string[] {
  return Object.entries(properties as Readonly<Record<string, { type?: string; properties?: object }>>).flatMap(
    ([name, schema]) => (schema.properties ? pathsIn(schema.properties, `${prefix}${name}.`) : [`${prefix}${name}`]),
  );
}

test("a list of response types that repeats itself is refused", async () => {
  const responseType = Array.from({ length: 100 }, () => "code token").join(",");
  const path = `${APPLICATIONS}/${await create({ name: "repeats" })}/inbound-protocols/oidc`;
  const answer = await ask("PUT", path, { body: { ...CODE, hybridFlow: { enable: true, responseType } } });
  expect([answer.status, answer.body.code]).toEqual([400, "OAUTH-60001"]);
});
