/**
 * The allowed values of protocol settings, for the metadata operations and for validation. Those of WSO2 Identity
 * Server, without algorithms of SAML that are not secure.
 */
import { digests, encryptions, keyEncryptions, SAFE, signatures } from "./saml-algorithms.ts";

/** The allowed values of one setting, and its default. */
export interface Options {
  readonly options: readonly string[];
  readonly defaultValue?: string;
}

/** The alias of the server's certificate. */
export const SERVER_CERTIFICATE_ALIAS = "wso2carbon";

export const samlOptions = {
  defaultNameIdFormat: "urn:oasis:names:tc:SAML:1.1:nameid-format:unspecified",
  responseSigningAlgorithm: { options: Object.keys(signatures), defaultValue: SAFE.signature },
  responseDigestAlgorithm: { options: Object.keys(digests), defaultValue: SAFE.digest },
  assertionEncryptionAlgorithm: { options: Object.keys(encryptions), defaultValue: SAFE.encryption },
  keyEncryptionAlgorithm: { options: Object.keys(keyEncryptions), defaultValue: SAFE.keyEncryption },
} as const satisfies Record<string, Options | string>;

/** The grant types that a client may have, with display names. */
export const grantTypes = [
  { name: "refresh_token", displayName: "Refresh Token" },
  { name: "urn:ietf:params:oauth:grant-type:saml2-bearer", displayName: "SAML2" },
  { name: "implicit", displayName: "Implicit" },
  { name: "password", displayName: "Password" },
  { name: "client_credentials", displayName: "Client Credential" },
  { name: "iwa:ntlm", displayName: "IWA-NTLM" },
  { name: "urn:ietf:params:oauth:grant-type:device_code", displayName: "Device Code" },
  { name: "authorization_code", displayName: "Code" },
  { name: "urn:openid:params:grant-type:ciba", displayName: "CIBA" },
  { name: "account_switch", displayName: "account_switch" },
  { name: "urn:ietf:params:oauth:grant-type:token-exchange", displayName: "Token Exchange" },
  { name: "organization_switch", displayName: "Organization Switch" },
  { name: "urn:ietf:params:oauth:grant-type:jwt-bearer", displayName: "JWT Bearer" },
] as const;

/** The default lifetimes of tokens, in seconds. */
export const tokenLifetimes = {
  userAccessTokenSeconds: 3_600,
  applicationAccessTokenSeconds: 3_600,
  refreshTokenSeconds: 86_400,
  idTokenSeconds: 3_600,
  subjectTokenSeconds: 180,
} as const;

export const oidcOptions = {
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
  // WSO2 Identity Server calls RS256 SHA256withRSA.
  idTokenSignatureAlgorithm: { options: ["RS256", "ES256", "PS256", "SHA256withRSA"] },
  requestObjectSignatureAlgorithm: { options: ["PS256", "ES256", "RS256", "SHA256withRSA"] },
  requestObjectEncryptionAlgorithm: {
    options: ["RSA-OAEP", "RSA1_5", "RSA-OAEP-256", "RSA-OAEP-384", "RSA-OAEP-512"],
  },
  requestObjectEncryptionMethod: {
    options: ["A128GCM", "A192GCM", "A256GCM", "A128CBC-HS256", "A128CBC+HS256", "A192CBC-HS384"],
  },
  subjectType: { options: ["public", "pairwise"], defaultValue: "public" },
} as const satisfies Record<string, Options>;

/** How a client may authenticate, if its application names a method (RFC 6749, 7523, 8705); `none`: a public client. */
export const clientAuthenticationMethods = [
  { name: "client_secret_basic", displayName: "Client Secret Basic" },
  { name: "client_secret_post", displayName: "Client Secret Post" },
  { name: "private_key_jwt", displayName: "Private Key JWT" },
  { name: "tls_client_auth", displayName: "Mutual TLS" },
  { name: "self_signed_tls_client_auth", displayName: "Mutual TLS with the registered certificate" },
  { name: "none", displayName: "None (public client)" },
] as const;

/** The name of a method. */
export type ClientAuthenticationMethod = (typeof clientAuthenticationMethods)[number]["name"];

/** What WSO2 Identity Server calls RS256. */
export const RS256_ALIAS = "SHA256withRSA";
/** The response types of the hybrid flow (OpenID Connect Core 1.0 section 3.3). */
export const hybridResponseTypes: readonly string[] = ["code token", "code id_token", "code id_token token"];

/** Those of the implicit flow (section 3.2), and of OAuth (RFC 6749 section 4.2). */
export const implicitResponseTypes: readonly string[] = ["id_token", "token", "id_token token"];
/** Every response type that an application can list. */
export const responseTypes: readonly string[] = ["code", ...implicitResponseTypes, ...hybridResponseTypes];

/** What an application with a FAPI profile may use (FAPI 1.0 Advanced section 8.6, FAPI 2.0 Security Profile). */
export const fapiOptions = {
  profiles: ["FAPI1_ADVANCED", "FAPI2_SECURITY"],
  signatureAlgorithms: ["PS256", "ES256"],
  encryptionAlgorithms: ["RSA-OAEP", "RSA-OAEP-256", "RSA-OAEP-384", "RSA-OAEP-512"],
  authenticationMethods: ["private_key_jwt", "tls_client_auth"],
  /** DPoP for FAPI 2.0 only. */
  bindings: ["certificate", "DPoP"],
} as const satisfies Record<string, readonly string[]>;

/** How users hear of a sign-in that another device began. */
export const cibaChannels = [
  { name: "email", displayName: "Email" },
  { name: "sms", displayName: "SMS" },
  { name: "external", displayName: "External" },
] as const;

/** The grants that a client without a secret may use, for user interfaces. */
export const publicGrants: ReadonlySet<string> = new Set(
  grantTypes
    .map(({ name }) => name)
    .filter((name) => !["implicit", "client_credentials", "urn:openid:params:grant-type:ciba"].includes(name)),
);
