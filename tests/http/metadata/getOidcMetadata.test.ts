import { expect, test } from "vitest";
import { APPLICATIONS, world } from "#tests/support/world.ts";

const api = world();
const { ask } = api;

test("returns grant types with names, lifetimes as texts, and the options of tokens", async () => {
  const { status, body } = await ask("GET", `${APPLICATIONS}/meta/inbound-protocols/oidc`);
  expect(status).toBe(200);
  const { allowedGrantTypes, ...rest } = body;
  expect(allowedGrantTypes.options).toHaveLength(13);
  expect(allowedGrantTypes.options).toContainEqual({
    name: "authorization_code",
    displayName: "Code",
    publicClientAllowed: true,
  });
  expect(allowedGrantTypes.options).toContainEqual({
    name: "client_credentials",
    displayName: "Client Credential",
    publicClientAllowed: false,
  });
  expect(rest).toEqual({
    defaultUserAccessTokenExpiryTime: "3600",
    defaultApplicationAccessTokenExpiryTime: "3600",
    defaultRefreshTokenExpiryTime: "86400",
    defaultIdTokenExpiryTime: "3600",
    idTokenEncryptionAlgorithm: {
      options: ["RSA-OAEP", "RSA1_5", "RSA-OAEP-256", "RSA-OAEP-384", "RSA-OAEP-512"],
      defaultValue: "RSA-OAEP",
    },
    idTokenEncryptionMethod: {
      options: ["A128GCM", "A192GCM", "A256GCM", "A128CBC-HS256", "A128CBC+HS256", "A192CBC-HS384"],
      defaultValue: "A128GCM",
    },
    scopeValidators: { options: ["Role based scope validator"] },
    accessTokenType: { options: ["JWT", "Default"], defaultValue: "Default" },
    accessTokenBindingType: {
      options: ["None", "cookie", "sso-session", "device-flow", "DPoP", "certificate", "client-request"],
      defaultValue: "None",
    },
    tokenEndpointAuthMethod: {
      options: [
        { name: "", displayName: "Select Option" },
        { name: "client_secret_basic", displayName: "Client Secret Basic" },
        { name: "client_secret_post", displayName: "Client Secret Post" },
        { name: "private_key_jwt", displayName: "Private Key JWT" },
        { name: "tls_client_auth", displayName: "Mutual TLS" },
        { name: "self_signed_tls_client_auth", displayName: "Mutual TLS with the registered certificate" },
        { name: "none", displayName: "None (public client)" },
      ],
    },
    tokenEndpointSignatureAlgorithm: {
      options: [
        ...["PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "RS256", "RS384", "RS512", "EdDSA", "Ed25519"],
        "SHA256withRSA",
      ],
    },
    tokenEndpointAllowReusePvtKeyJwt: false,
    idTokenSignatureAlgorithm: { options: ["RS256", "ES256", "PS256", "SHA256withRSA"] },
    requestObjectSignatureAlgorithm: { options: ["PS256", "ES256", "RS256", "SHA256withRSA"] },
    requestObjectEncryptionAlgorithm: {
      options: ["RSA-OAEP", "RSA1_5", "RSA-OAEP-256", "RSA-OAEP-384", "RSA-OAEP-512"],
    },
    requestObjectEncryptionMethod: {
      options: ["A128GCM", "A192GCM", "A256GCM", "A128CBC-HS256", "A128CBC+HS256", "A192CBC-HS384"],
    },
    subjectType: { options: ["public", "pairwise"], defaultValue: "public" },
    fapiMetadata: {
      fapiProfiles: { options: ["FAPI1_ADVANCED", "FAPI2_SECURITY"] },
      allowedSignatureAlgorithms: { options: ["PS256", "ES256"] },
      allowedEncryptionAlgorithms: { options: ["RSA-OAEP", "RSA-OAEP-256", "RSA-OAEP-384", "RSA-OAEP-512"] },
      tokenEndpointAuthMethod: { options: ["private_key_jwt", "tls_client_auth"] },
    },
    cibaMetadata: {
      supportedNotificationChannels: [
        { name: "email", displayName: "Email" },
        { name: "sms", displayName: "SMS" },
        { name: "external", displayName: "External" },
      ],
    },
    allowedIssuers: [`${api.url}/oauth2/token`],
  });
});

test("names the issuer of the caller's tenant, which is the one in its tokens", async () => {
  const at = `/t/carbon.super${APPLICATIONS}/meta/inbound-protocols/oidc`;
  const { body } = await ask("GET", at);
  const { body: document } = await ask("GET", "/oauth2/token/.well-known/openid-configuration");
  expect(body.allowedIssuers).toEqual([document.issuer]);
});
