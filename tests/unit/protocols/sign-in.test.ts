/** Settings of the sign-in side: what is checked of them, with the field path. */
import { describe, expect, test } from "vitest";
import type * as z from "zod";
import { OidcBody } from "#core/applications/protocols/shapes.ts";
import { checkSignIn, fapiProblems, signInSettings } from "#core/applications/protocols/sign-in.ts";
import { Fault } from "#core/kernel/faults.ts";

const bodyWith = (more: object): z.output<typeof OidcBody> =>
  OidcBody.parse({ grantTypes: ["authorization_code"], callbackURLs: ["https://a.example/cb"], ...more });
const faultOf = (more: object): string => {
  try {
    checkSignIn(bodyWith(more));
    return "accepted";
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    return `${error.row.code} ${error.description}`;
  }
};

describe("is refused with its path:", () => {
  test.each([
    [{ hybridFlow: { enable: true } }, "APP-60517 hybridFlow.responseType"],
    [{ hybridFlow: { enable: true, responseType: " " } }, "APP-60517 hybridFlow.responseType"],
    [{ hybridFlow: { enable: true, responseType: "code token,token" } }, "APP-60518 hybridFlow.responseType: 'token'"],
    [{ hybridFlow: { enable: false, responseType: "id_token" } }, "APP-60518 hybridFlow.responseType: 'id_token'"],
    [{ idToken: { idTokenSignedResponseAlg: "none" } }, "OAUTH-60001 idToken.idTokenSignedResponseAlg: 'none'"],
    [{ idToken: { idTokenSignedResponseAlg: "HS256" } }, "OAUTH-60001 idToken.idTokenSignedResponseAlg: 'HS256'"],
    [
      { requestObject: { requestObjectSigningAlg: "none" } },
      "OAUTH-60001 requestObject.requestObjectSigningAlg: 'none'",
    ],
    [
      { requestObject: { encryption: { algorithm: "dir", method: "A128GCM" } } },
      "OAUTH-60001 requestObject.encryption.algorithm: 'dir'",
    ],
    [
      { requestObject: { encryption: { algorithm: "RSA-OAEP", method: "A1" } } },
      "OAUTH-60001 requestObject.encryption.method: 'A1'",
    ],
    [{ requestObject: { encryption: { algorithm: "RSA-OAEP" } } }, "OAUTH-60001 requestObject.encryption needs"],
    [
      { subject: { subjectType: "pairwise" }, callbackURLs: ["https://a.example/cb", "https://b.example/cb"] },
      "OAUTH-60001 subject.sectorIdentifierUri is required",
    ],
    [
      { subject: { subjectType: "pairwise" }, callbackURLs: ["https://a.example/cb", "regexp=https://b.*"] },
      "OAUTH-60001 subject.sectorIdentifierUri is required",
    ],
    [
      { subject: { sectorIdentifierUri: "http://a.example/s" } },
      "OAUTH-60001 subject.sectorIdentifierUri must be an https URL",
    ],
    [
      { cibaAuthenticationRequest: { notificationChannels: ["email", "pigeon"] } },
      "OAUTH-60001 cibaAuthenticationRequest.notificationChannels: 'pigeon'",
    ],
    [
      { cibaAuthenticationRequest: { allowFederatedUsers: true } },
      "OAUTH-60001 cibaAuthenticationRequest.allowFederatedUsers needs",
    ],
    [{ issuer: { organizationId: "x" } }, "OAUTH-60001 issuer.organizationId"],
    [{ isFAPIApplication: true }, "OAUTH-60001 clientAuthentication.tokenEndpointAuthMethod of a FAPI application"],
  ])("%j", (more, message) => {
    expect(faultOf(more)).toContain(message);
  });
  test.each([{ authReqExpiryTime: 0 }, { authReqExpiryTime: -1 }])("cibaAuthenticationRequest %j", (ciba) => {
    expect(() => bodyWith({ cibaAuthenticationRequest: ciba })).toThrow("authReqExpiryTime");
  });
});

describe("is accepted:", () => {
  test.each([
    {},
    { hybridFlow: { enable: false } },
    { hybridFlow: { enable: true, responseType: "code id_token token, code token" } },
    { subject: { subjectType: "pairwise" }, callbackURLs: ["https://a.example/1", "https://a.example/2"] },
    { subject: { subjectType: "public" }, callbackURLs: ["https://a.example/1", "https://b.example/2"] },
    { requestObject: { requestObjectSigningAlg: "", encryption: { algorithm: "", method: "" } } },
    { idToken: { idTokenSignedResponseAlg: "SHA256withRSA" } },
    { isFAPIApplication: false, fapiProfile: "FAPI1_ADVANCED" },
  ])("%j", (more) => {
    expect(faultOf(more)).toBe("accepted");
  });
  test("and kept as it was written, without members that were not", () => {
    const more = { hybridFlow: { enable: false }, subject: { subjectType: "public" }, isFAPIApplication: false };
    expect(signInSettings(bodyWith(more))).toEqual(more);
    expect(signInSettings(bodyWith({}))).toEqual({});
  });
});

describe("a FAPI application", () => {
  const secure = {
    clientAuthentication: { tokenEndpointAuthMethod: "private_key_jwt", tokenEndpointAuthSigningAlg: "PS256" },
    accessToken: { bindingType: "certificate" },
    idToken: { idTokenSignedResponseAlg: "ES256", encryption: { enabled: true, algorithm: "RSA-OAEP-256" } },
    requestObject: { requestObjectSigningAlg: "PS256" },
  };
  test("has the settings of its profile", () => {
    expect(fapiProblems(secure)).toEqual([]);
    expect(fapiProblems({ ...secure, fapiProfile: "FAPI2_SECURITY" })).toEqual([]);
    const dpop = { ...secure, accessToken: { bindingType: "DPoP" } };
    expect(fapiProblems({ ...dpop, fapiProfile: "FAPI2_SECURITY" })).toEqual([]);
    expect(fapiProblems({ ...dpop, fapiProfile: "FAPI1_ADVANCED" })).toHaveLength(1);
  });
  test.each([
    [{ clientAuthentication: {} }, "clientAuthentication.tokenEndpointAuthMethod"],
    [{ clientAuthentication: { tokenEndpointAuthMethod: "client_secret_basic" } }, "tokenEndpointAuthMethod"],
    [
      { clientAuthentication: { ...secure.clientAuthentication, tokenEndpointAuthSigningAlg: "RS384" } },
      "clientAuthentication.tokenEndpointAuthSigningAlg",
    ],
    [{ accessToken: {} }, "accessToken.bindingType"],
    [{ accessToken: { bindingType: "cookie" } }, "accessToken.bindingType"],
    [{ idToken: { idTokenSignedResponseAlg: "RS256" } }, "idToken.idTokenSignedResponseAlg"],
    [{ idToken: { encryption: { enabled: true, algorithm: "RSA1_5" } } }, "idToken.encryption.algorithm"],
    [{ requestObject: { requestObjectSigningAlg: "RS256" } }, "requestObject.requestObjectSigningAlg"],
    [{ requestObject: { encryption: { algorithm: "RSA1_5" } } }, "requestObject.encryption.algorithm"],
  ])("with %j has not", (more, field) => {
    const [problem, ...others] = fapiProblems({ ...secure, ...more });
    expect(problem).toContain(`${field} of a FAPI application must be one of`);
    expect(others).toEqual([]);
  });
});
