/** What each setting of an inbound protocol does (decision 0075). */
import { enforced, kept, type Rows, refused } from "./row.ts";

const SIGN_IN = "The sign-in side";
/** The tests of sign-in. */
const SIGN_INS = "http/sign-in/sign-in.test.ts";
const CLAIMS = "http/sign-in/claims.test.ts";
const NO_KEY = "without a key, or by an algorithm that is not secure, every sign-in is refused";
const BY_METHOD = "an ID token is encrypted by the method of the application";
const ID_TOKENS = "ES256, audiences and lifetime are those of the application";
const TOKENS = "http/oauth/requestToken.test.ts";
const REFRESH = "http/oauth/refresh.test.ts";
const METHODS = "http/oauth/client-methods.test.ts";
const EFFECTS = "http/oauth/settings-of-tokens.test.ts";
const SAML = "http/protocols/saml.test.ts";
const CUSTOM = "http/protocols/custom.test.ts";

const FRONT = "http/sign-in/answers-with-tokens.test.ts";
const UNLISTED = "for a response that the application does not list is unsupported_response_type, in the fragment";
const OBJECTS = "http/sign-in/request-objects.test.ts";
const ENCRYPTED = "Encrypted request objects are refused: sign them only.";

/** OAuth2 and OpenID Connect. */
export const oidcRows: Rows = {
  clientId: enforced(
    "Names the client at the token endpoint; unique on the server",
    "http/protocols/oidc.test.ts",
    "returns 409 for a client id in use and changes nothing, also for concurrent requests",
  ),
  clientSecret: enforced(
    "Authenticates the client",
    TOKENS,
    "a secret with special characters in a header, plain or encoded as in RFC 6749; any other text is wrong",
  ),
  clientSecretExpiresAt: enforced(
    "The latest secret is refused from this second on",
    "http/protocols/client-secrets.test.ts",
    "of the first secret is set with a new client, and ends it",
  ),
  "clientAuthentication.tokenEndpointAuthMethod": enforced(
    "The only method by which the client may authenticate",
    METHODS,
    "a public client, by its id alone, at the token endpoint and at revocation",
  ),
  "clientAuthentication.tokenEndpointAuthSigningAlg": enforced(
    "The only algorithm of assertions",
    METHODS,
    "another algorithm than the registered one is refused",
  ),
  "clientAuthentication.tokenEndpointAllowReusePvtKeyJwt": enforced(
    "An assertion may be used until it expires",
    "http/oauth/hostile-assertions.test.ts",
    "tokenEndpointAllowReusePvtKeyJwt allows it until it expires",
  ),
  "clientAuthentication.tlsClientAuthSubjectDn": enforced(
    "The subject of the client's certificate",
    METHODS,
    "tls_client_auth, by the registered subject",
  ),
  grantTypes: enforced("The client may use no other grant", TOKENS, "that the application does not list"),
  callbackURLs: enforced(
    "Where codes go",
    "http/sign-in/hostile.test.ts",
    "an expression matches the whole address, and never one that a browser runs",
  ),
  allowedOrigins: enforced(
    "Scripts of these origins may read tokens and claims (CORS)",
    "http/sign-in/scripts.test.ts",
    "of the token endpoint may be read by the origins of the client, an error too, and by no other",
  ),
  publicClient: enforced(
    "The client needs no secret and cannot act on its own account",
    TOKENS,
    "a public client sends its id alone",
  ),
  "pkce.mandatory": enforced(
    "A code needs a proof",
    SIGN_INS,
    "PKCE is required where the application says so, and of public clients",
  ),
  "pkce.supportPlainTransformAlgorithm": enforced(
    "The proof may be plain text",
    SIGN_INS,
    "plain where the application allows it",
  ),
  "accessToken.type": enforced(
    "JWT: tokens are signed; Default: they are opaque",
    TOKENS,
    "a JWT has the claims of RFC 9068",
  ),
  "accessToken.userAccessTokenExpiryInSeconds": enforced(
    "The life of tokens of users",
    TOKENS,
    "the application sets the lifetimes, for users and for itself",
  ),
  "accessToken.applicationAccessTokenExpiryInSeconds": enforced(
    "The life of tokens of the application itself",
    TOKENS,
    "the application sets the lifetimes, for users and for itself",
  ),
  "accessToken.bindingType": enforced(
    `DPoP, certificate: all tokens are bound to a key; cookie, sso-session, device-flow: kept for the sign-in side`,
    "http/oauth/dpop.test.ts",
    "certificate issues no token without a client certificate",
  ),
  "accessToken.validateTokenBinding": enforced(
    "A bound token never counts without its key, also for false; with client-request, true is 400",
    "http/access/bound-certificates.test.ts",
    "does not count with another certificate, without one, or with the certificate of a user",
  ),
  "accessToken.revokeTokensWhenIDPSessionTerminated": enforced(
    "The tokens of a session end with it, however it ends; of sign-ins after the setting was made",
    "http/sessions/sessions.test.ts",
    "end with a sign-out by an application too, and a code that was not redeemed counts no more",
  ),
  "accessToken.accessTokenAttributes": enforced(
    "Claims about the user in JWTs: names of OpenID Connect or URIs of local claims, up to 2,048 characters",
    CLAIMS,
    "are claims of JWTs of users, and replace none of the token's own",
  ),
  "accessToken.enableJwtScopeAsArray": enforced(
    "The claim scope of a JWT is a list",
    EFFECTS,
    "enableJwtScopeAsArray makes the claim scope of a JWT a list, which this service reads too",
  ),
  "refreshToken.expiryInSeconds": enforced(
    "The life of refresh tokens",
    REFRESH,
    "the application sets the lifetime of refresh tokens",
  ),
  "refreshToken.renewRefreshToken": enforced(
    "A refresh token can be used once",
    REFRESH,
    "an application can turn rotation off; a public client cannot",
  ),
  "refreshToken.extendRenewedRefreshTokenExpiryTime": enforced(
    "false: a renewed refresh token expires when the one before it would have",
    EFFECTS,
    "extendRenewedRefreshTokenExpiryTime: false keeps the expiry of the first refresh token",
  ),
  "refreshToken.gracefulRefreshTokenRotationEnabled": refused("A second use of a refresh token ends its sign-in", true),
  "refreshToken.gracefulRefreshTokenRotationValidityPeriod": refused("A used refresh token is not valid any more", 30),
  "refreshToken.gracefulRefreshTokenReuseLimit": refused("A used refresh token is not valid any more", 5),
  "idToken.expiryInSeconds": enforced("The life of ID tokens; has a ceiling", SIGN_INS, ID_TOKENS),
  "idToken.audience": enforced("Further audiences of ID tokens", SIGN_INS, ID_TOKENS),
  "idToken.idTokenSignedResponseAlg": enforced("RS256, ES256 or PS256", SIGN_INS, ID_TOKENS),
  "idToken.encryption.enabled": enforced(
    "ID tokens are encrypted with the certificate of the application",
    CLAIMS,
    "with a certificate without such a key, the token endpoint says so, and the code still counts",
  ),
  "idToken.encryption.algorithm": enforced("How; RSA1_5 refuses sign-in", CLAIMS, NO_KEY),
  "idToken.encryption.method": enforced("How", CLAIMS, BY_METHOD),
  "logout.backChannelLogoutUrl": enforced(
    "Gets a logout token when a session ends; only https and public addresses are called",
    "http/sign-in/back-channel.test.ts",
    "goes to every application of the session, by a sign-out at one of them",
  ),
  "logout.frontChannelLogoutUrl": enforced(
    "Is opened in a frame of the page at a sign-out, with iss and sid",
    "http/sign-in/front-channel.test.ts",
    "are opened by the page, which names their origins and nothing else, and goes on after some seconds",
  ),
  "subjectToken.enable": kept(`${SIGN_IN}: tokens to act as another user`, "Tokens are exchanged without it."),
  "subjectToken.applicationSubjectTokenExpiryInSeconds": kept(`${SIGN_IN}: the life of such tokens; has a ceiling`),
  validateRequestObjectSignature: enforced(
    "Requests must be signed, by value or in a pushed request",
    OBJECTS,
    "is required where the application says so, also in a pushed request",
  ),
  scopeValidators: kept(
    `${SIGN_IN}: how scopes are granted; checked`,
    "The token endpoint grants scopes by the roles of a user in any case.",
  ),
  "hybridFlow.enable": enforced("The application may use the response types of the hybrid flow", FRONT, UNLISTED),
  "hybridFlow.responseType": enforced("Which of them; with the grant implicit those of that flow", FRONT, UNLISTED),
  "requestObject.requestObjectSigningAlg": enforced(
    "The only algorithm of request objects; otherwise PS256, ES256 and RS256",
    OBJECTS,
    "counts with the algorithm of the application alone",
  ),
  "requestObject.encryption.algorithm": kept("How the client may encrypt requests; checked", ENCRYPTED),
  "requestObject.encryption.method": kept("How the client may encrypt requests; checked", ENCRYPTED),
  "pushAuthorizationRequest.requirePushAuthorizationRequest": enforced(
    "Requests must be pushed",
    "http/sign-in/pushed-requests.test.ts",
    "where the application requires it, is the only way to sign in",
  ),
  "subject.subjectType": enforced(
    "pairwise: one subject for each sector, in every token; access tokens are opaque then",
    CLAIMS,
    "are one for each sector, and the same in every token of it",
  ),
  "subject.sectorIdentifierUri": enforced(
    "Names the sector; its document must list the address of the answer",
    CLAIMS,
    "of several hosts need a document, which must list the address",
  ),
  "cibaAuthenticationRequest.authReqExpiryTime": kept(`${SIGN_IN}: sign-in that another device begins`),
  "cibaAuthenticationRequest.notificationChannels": kept(`${SIGN_IN}: how the user hears of it; checked`),
  "cibaAuthenticationRequest.skipUserValidation": kept(`${SIGN_IN}: the hint is not looked up`),
  "cibaAuthenticationRequest.allowFederatedUsers": kept(`${SIGN_IN}: needs skipUserValidation`),
  isFAPIApplication: enforced(
    "true is accepted only with settings of its FAPI profile, and FAPI 2.0 is enforced; with others every sign-in is refused",
    "http/sign-in/fapi.test.ts",
    "happy-flow",
  ),
  fapiProfile: enforced(
    "FAPI2_SECURITY: the rules of that profile. FAPI1_ADVANCED: its settings are compared, and every sign-in is refused",
    "http/sign-in/fapi.test.ts",
    "an application does not take passwords, and FAPI 1.0 gets no sign-in",
  ),
  "issuer.value": refused("Tokens have the issuer of their tenant", "https://id.example/oauth2/token"),
  "issuer.organizationId": refused("Tokens have the issuer of their tenant", "10084a8d-113f-4211-a0d5-efe36b082211"),
  "issuer.tenantDomain": refused("Tokens have the issuer of their tenant", "acme.example"),
};

const ofSaml = (names: readonly string[], use: string): Rows =>
  Object.fromEntries(names.map((name) => [`manualConfiguration.${name}`, kept(`${SIGN_IN}: ${use}`)]));

/** SAML2. */
export const samlRows: Rows = {
  metadataFile: enforced("Read once: becomes the settings", SAML, "accepts the metadata file of WSO2"),
  metadataURL: enforced("Fetched once: becomes the settings", SAML, "fetches metadata from an exempt host"),
  "manualConfiguration.issuer": enforced(
    "Unique in the tenant",
    SAML,
    "a new issuer replaces the old one, which is free at once",
  ),
  "manualConfiguration.serviceProviderQualifier": enforced(
    "Part of the unique key",
    SAML,
    "a qualifier makes a different provider of the same issuer and is part of its key",
  ),
  ...ofSaml(["assertionConsumerUrls", "defaultAssertionConsumerUrl"], "where assertions go; checked"),
  ...ofSaml(["idpEntityIdAlias"], "the name of this identity provider"),
  ...ofSaml(
    [
      "singleSignOnProfile.bindings",
      "singleSignOnProfile.enableSignatureValidationForArtifactBinding",
      "singleSignOnProfile.attributeConsumingServiceIndex",
      "singleSignOnProfile.enableIdpInitiatedSingleSignOn",
    ],
    "how requests and responses travel",
  ),
  ...ofSaml(
    [
      "singleSignOnProfile.assertion.nameIdFormat",
      "singleSignOnProfile.assertion.audiences",
      "singleSignOnProfile.assertion.recipients",
    ],
    "the content of assertions",
  ),
  ...ofSaml(
    [
      "singleSignOnProfile.assertion.digestAlgorithm",
      "singleSignOnProfile.assertion.encryption.enabled",
      "singleSignOnProfile.assertion.encryption.assertionEncryptionAlgorithm",
      "singleSignOnProfile.assertion.encryption.keyEncryptionAlgorithm",
      "responseSigning.enabled",
      "responseSigning.signingAlgorithm",
    ],
    "how responses are protected; algorithms are checked",
  ),
  ...ofSaml(
    ["attributeProfile.enabled", "attributeProfile.alwaysIncludeAttributesInResponse", "attributeProfile.nameFormat"],
    "attributes in assertions",
  ),
  ...ofSaml(
    [
      "singleLogoutProfile.enabled",
      "singleLogoutProfile.logoutRequestUrl",
      "singleLogoutProfile.logoutResponseUrl",
      "singleLogoutProfile.logoutMethod",
      "singleLogoutProfile.idpInitiatedSingleLogout.enabled",
      "singleLogoutProfile.idpInitiatedSingleLogout.returnToUrls",
    ],
    "logout",
  ),
  ...ofSaml(
    ["requestValidation.enableSignatureValidation", "requestValidation.signatureValidationCertAlias"],
    "requests must be signed",
  ),
  ...ofSaml(["enableAssertionQueryProfile"], "queries for assertions"),
};

/** WS-Federation (Passive STS). */
export const passiveStsRows: Rows = {
  realm: enforced(
    "Unique in the tenant",
    "http/protocols/others.test.ts",
    "the key stays until the protocol is removed; a key in use is 409",
  ),
  replyTo: kept(`${SIGN_IN}: where tokens go; checked`),
  replyToLogout: kept(`${SIGN_IN}: where a user comes to after the logout; checked`),
};

/** WS-Trust. */
export const wsTrustRows: Rows = {
  audience: enforced(
    "Unique in the tenant",
    "http/protocols/others.test.ts",
    "the key stays until the protocol is removed; a key in use is 409",
  ),
  certificateAlias: kept(`${SIGN_IN}: the certificate of the relying party`),
};

/** Custom protocols. */
export const customRows: Rows = {
  name: enforced(
    "A protocol that deployment.toml declares",
    CUSTOM,
    "an undeclared protocol is 400, also in a new application",
  ),
  configName: kept("The name of the settings in files"),
  "properties[].key": enforced(
    "A property that the declaration has",
    CUSTOM,
    "replaces all values, and sets them in a new application",
  ),
  "properties[].value": kept(`${SIGN_IN}: checked by the declaration; sealed where it is confidential`),
};
