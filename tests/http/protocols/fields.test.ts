/**
 * Every field that the requirements name is stored and returned as it was sent (AM-083, AM-093 to AM-105, AM-113 to
 * AM-125).
 */
import { expect, test } from "vitest";
import { APPLICATIONS, world } from "#tests/support/world.ts";

const { ask, create } = world();

/** Sets a protocol configuration with PUT, and returns the result of a GET. */
const stored = async (name: string, protocol: string, body: unknown) => {
  const path = `${APPLICATIONS}/${await create({ name })}/inbound-protocols/${protocol}`;
  const answer = await ask("PUT", path, { body });
  expect(answer.status, answer.text).toBe(200);
  return (await ask("GET", path)).body;
};

test("returns the fields of a SAML2 configuration", async () => {
  const manualConfiguration = {
    issuer: "https://fields.example",
    serviceProviderQualifier: "q",
    assertionConsumerUrls: ["https://fields.example/acs", "https://fields.example/acs2"],
    defaultAssertionConsumerUrl: "https://fields.example/acs2",
    idpEntityIdAlias: "https://idp.example",
    singleSignOnProfile: {
      bindings: ["HTTP_POST"],
      enableSignatureValidationForArtifactBinding: true,
      attributeConsumingServiceIndex: "42",
      enableIdpInitiatedSingleSignOn: true,
      assertion: {
        nameIdFormat: "urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress",
        encryption: { enabled: true },
      },
    },
    attributeProfile: { enabled: true, alwaysIncludeAttributesInResponse: true },
    singleLogoutProfile: {
      enabled: true,
      logoutRequestUrl: "https://fields.example/slo",
      logoutResponseUrl: "https://fields.example/slo-done",
      logoutMethod: "BACKCHANNEL",
      idpInitiatedSingleLogout: { enabled: true, returnToUrls: ["https://fields.example/bye"] },
    },
    requestValidation: { enableSignatureValidation: true, signatureValidationCertAlias: "wso2carbon" },
    responseSigning: { enabled: true, signingAlgorithm: "http://www.w3.org/2001/04/xmldsig-more#rsa-sha512" },
    enableAssertionQueryProfile: true,
  };
  expect(await stored("saml fields", "saml", { manualConfiguration })).toMatchObject(manualConfiguration);
});

test("returns the fields of an OIDC configuration", async () => {
  const body = {
    grantTypes: ["authorization_code", "refresh_token"],
    callbackURLs: ["https://fields.example/cb", "regexp=https://(a|b)\\.example/cb"],
    allowedOrigins: ["https://fields.example"],
    publicClient: true,
    pkce: { mandatory: true, supportPlainTransformAlgorithm: true },
    accessToken: {
      type: "JWT",
      userAccessTokenExpiryInSeconds: 120,
      applicationAccessTokenExpiryInSeconds: 240,
      bindingType: "cookie",
      revokeTokensWhenIDPSessionTerminated: true,
      validateTokenBinding: true,
    },
    refreshToken: { expiryInSeconds: 480, renewRefreshToken: true },
    idToken: { expiryInSeconds: 60, encryption: { enabled: true, algorithm: "RSA-OAEP", method: "A128GCM" } },
    logout: { backChannelLogoutUrl: "https://fields.example/bye" },
    subjectToken: { enable: true, applicationSubjectTokenExpiryInSeconds: 90 },
    validateRequestObjectSignature: true,
    scopeValidators: ["Role based scope validator"],
  };
  expect(await stored("oidc fields", "oidc", body)).toMatchObject(body);
});

test("shows subject tokens of a client only if they are set, with the default lifetime of 180 seconds", async () => {
  const grantTypes = ["password"];
  expect(await stored("no subject token", "oidc", { grantTypes })).not.toHaveProperty("subjectToken");
  for (const applicationSubjectTokenExpiryInSeconds of [0, undefined]) {
    const name = `subject token ${applicationSubjectTokenExpiryInSeconds}`;
    const sent = { grantTypes, subjectToken: { applicationSubjectTokenExpiryInSeconds } };
    expect((await stored(name, "oidc", sent)).subjectToken).toEqual({
      enable: false,
      applicationSubjectTokenExpiryInSeconds: 180,
    });
  }
});

test("returns the switches of an application", async () => {
  const advancedConfigurations = {
    saas: true,
    discoverableByEndUsers: true,
    skipLoginConsent: true,
    skipLogoutConsent: true,
    useExternalConsentPage: true,
    returnAuthenticatedIdpList: true,
    enableAuthorization: true,
  };
  const id = await create({ name: "switches", accessUrl: "https://fields.example", advancedConfigurations });
  expect((await ask("GET", `${APPLICATIONS}/${id}`)).body).toMatchObject({ advancedConfigurations });
});
