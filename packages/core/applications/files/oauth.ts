/**
 * Maps an OAuth2 / OpenID Connect client between the document `oAuthAppDO` and the settings. Pure.
 *
 * | element of oAuthAppDO | member of the client's settings |
 * | --- | --- |
 * | oauthConsumerKey | clientId |
 * | secrets | secrets.ts |
 * | callbackUrl | callbackURLs: one unchanged, several joined as `regexp=(a|b)` |
 * | grantTypes | grantTypes, separated by spaces |
 * | scopeValidators/scopeValidator | scopeValidators, without the one that WSO2 Identity Server removed |
 * | pkceSupportPlain, pkceMandatory | pkce.supportPlainTransformAlgorithm, mandatory |
 * | state | state |
 * | userAccessTokenExpiryTime, applicationAccessTokenExpiryTime | accessToken.userAccessTokenExpiryInSeconds, application... |
 * | refreshTokenExpiryTime, renewRefreshTokenEnabled | refreshToken.expiryInSeconds, renewRefreshToken (may be absent) |
 * | idTokenExpiryTime, audiences/audience | idToken.expiryInSeconds, audience |
 * | idTokenEncryptionEnabled, ...Algorithm, ...Method | idToken.encryption; the word `null` means no value |
 * | bypassClientCredentials | publicClient |
 * | requestObjectSignatureValidationEnabled | validateRequestObjectSignature |
 * | backChannelLogoutUrl, frontchannelLogoutUrl | logout.backChannelLogoutUrl, frontChannelLogoutUrl |
 * | tokenType, tokenBindingType | accessToken.type, bindingType |
 * | tokenRevocationWithIDPSessionTerminationEnabled | accessToken.revokeTokensWhenIDPSessionTerminated |
 * | tokenBindingValidationEnabled | accessToken.validateTokenBinding |
 * | jwtScopeAsArrayEnabled, idTokenSignatureAlgorithm | accessToken.enableJwtScopeAsArray, idToken.idTokenSignedResponseAlg |
 * | extendRenewedRefreshTokenExpiryTime | refreshToken.extendRenewedRefreshTokenExpiryTime |
 * | gracefulRefreshTokenRotationEnabled, ...ValidityPeriod, gracefulRefreshTokenReuseLimit | the same of refreshToken |
 * | hybridFlowEnabled, hybridFlowResponseType | hybridFlow.enable, responseType |
 * | subjectType, sectorIdentifierURI | subject.subjectType in lower case, sectorIdentifierUri |
 * | requestObjectSignatureAlgorithm, ...EncryptionAlgorithm, ...Method | requestObject.requestObjectSigningAlg, encryption |
 * | requirePushedAuthorizationRequests | pushAuthorizationRequest.requirePushAuthorizationRequest |
 * | fapiConformanceEnabled, fapiProfile | isFAPIApplication, fapiProfile |
 * | accessTokenClaims/accessTokenClaim | accessToken.accessTokenAttributes |
 * | subjectTokenEnabled, subjectTokenExpiryTime | subjectToken.enable, application... (may be absent) |
 * | tokenEndpointAuthMethod | clientAuthentication.tokenEndpointAuthMethod; the word `null` means no value |
 * | tokenEndpointAuthSignatureAlgorithm, tlsClientAuthSubjectDN | clientAuthentication.tokenEndpointAuthSigningAlg, tlsClientAuthSubjectDn; likewise |
 * | tokenEndpointAllowReusePvtKeyJwt | clientAuthentication.tokenEndpointAllowReusePvtKeyJwt |
 * | applicationName, oauthVersion | written, not read |
 */
import {
  all,
  at,
  type Codec,
  constant,
  count,
  field,
  filled,
  flag,
  listOf,
  nonDefaultFlag,
  nullable,
  type Part,
  put,
  seconds,
  wordList,
} from "./parts.ts";
import { additionalSecretParts, latestSecretParts } from "./secrets.ts";

const EXPRESSION = "regexp=";

/** The format holds one callback only. */
const callbacks: Codec = {
  is: "text",
  read: (given) => (given.trim() === "" ? [] : [given.trim()]),
  write(value) {
    const [first = "", ...more] = (value ?? []) as readonly string[];
    return more.length === 0 ? first : `${EXPRESSION}(${[first, ...more].map(literal).join("|")})`;
  },
};

/** Validators of older releases. A client is imported without them. */
const REMOVED_VALIDATORS: ReadonlySet<string> = new Set(["XACML Scope Validator"]);

/** `true`, `false` or absent. */
const { read: readSwitch } = flag();
const optionalFlag: Codec = {
  is: "flag",
  read: (given, name) => (given.trim() === "" ? undefined : readSwitch(given, name)),
  write: (value) => (value === undefined ? undefined : String(value)),
};

/** A word of which the case does not matter. */
const word: Codec = { ...filled(), read: (given) => given.trim().toLowerCase() || undefined };

const validators = listOf("scopeValidators", "scopeValidator", "scopeValidators");
const scopeValidators: Part = {
  declares: validators.declares,
  read(parent) {
    const names = at(validators.read(parent), ["scopeValidators"]) as readonly string[] | undefined;
    return put(
      ["scopeValidators"],
      names?.filter((name) => !REMOVED_VALIDATORS.has(name)),
    );
  },
  write: validators.write,
};

const attributes = listOf("accessTokenClaims", "accessTokenClaim", "accessToken.accessTokenAttributes");
const accessTokenClaims: Part = {
  declares: attributes.declares,
  read: attributes.read,
  write: (client) => attributes.write(client).filter(({ children }) => children.length > 0),
};

/** Text that is written only if there is one; WSO2 Identity Server writes the word `null` for none. */
const unlessNull: Codec = { is: "text", read: nullable.read, write: filled().write };
const { read: readFlag } = nonDefaultFlag();
/** `true`, or absent for false. */
const unlessFalse: Codec = {
  is: "flag",
  read: (given, name) => (given.trim() === "null" ? undefined : readFlag(given, name)),
  write: (value) => (value === true ? "true" : undefined),
};

const hybridParts = all(
  field("hybridFlowEnabled", "hybridFlow.enable", optionalFlag),
  field("hybridFlowResponseType", "hybridFlow.responseType", filled()),
);
/** Releases without response types enabled all of them. Such a file is imported without the flow. */
const hybridFlow: Part = {
  declares: hybridParts.declares,
  read(parent) {
    const given = hybridParts.read(parent);
    const lacksType = at(given, ["hybridFlow", "enable"]) === true && !at(given, ["hybridFlow", "responseType"]);
    return lacksType ? {} : given;
  },
  write: hybridParts.write,
};

/** The parts of `oAuthAppDO`, in the order of WSO2 Identity Server. */
export const oauthParts: Part = all(
  field("oauthConsumerKey", "clientId", filled()),
  latestSecretParts,
  field("applicationName", "applicationName", filled()),
  field("callbackUrl", "callbackURLs", callbacks),
  constant("oauthVersion", "OAuth-2.0"),
  field("grantTypes", "grantTypes", wordList),
  scopeValidators,
  field("pkceSupportPlain", "pkce.supportPlainTransformAlgorithm", flag()),
  field("pkceMandatory", "pkce.mandatory", flag()),
  field("state", "state", filled()),
  field("userAccessTokenExpiryTime", "accessToken.userAccessTokenExpiryInSeconds", seconds),
  field("applicationAccessTokenExpiryTime", "accessToken.applicationAccessTokenExpiryInSeconds", seconds),
  field("refreshTokenExpiryTime", "refreshToken.expiryInSeconds", seconds),
  field("idTokenExpiryTime", "idToken.expiryInSeconds", seconds),
  listOf("audiences", "audience", "idToken.audience"),
  field("bypassClientCredentials", "publicClient", flag()),
  field("renewRefreshTokenEnabled", "refreshToken.renewRefreshToken", optionalFlag),
  field("requestObjectSignatureValidationEnabled", "validateRequestObjectSignature", flag()),
  field("idTokenEncryptionEnabled", "idToken.encryption.enabled", flag()),
  field("idTokenEncryptionAlgorithm", "idToken.encryption.algorithm", nullable),
  field("idTokenEncryptionMethod", "idToken.encryption.method", nullable),
  field("backChannelLogoutUrl", "logout.backChannelLogoutUrl", filled()),
  field("frontchannelLogoutUrl", "logout.frontChannelLogoutUrl", filled()),
  field("tokenType", "accessToken.type", filled()),
  field("tokenBindingType", "accessToken.bindingType", filled()),
  field("tokenRevocationWithIDPSessionTerminationEnabled", "accessToken.revokeTokensWhenIDPSessionTerminated", flag()),
  field("tokenBindingValidationEnabled", "accessToken.validateTokenBinding", flag()),
  accessTokenClaims,
  additionalSecretParts,
  field("subjectTokenEnabled", "subjectToken.enable", optionalFlag),
  field("subjectTokenExpiryTime", "subjectToken.applicationSubjectTokenExpiryInSeconds", seconds),
  field("tokenEndpointAuthMethod", "clientAuthentication.tokenEndpointAuthMethod", unlessNull),
  field("tokenEndpointAllowReusePvtKeyJwt", "clientAuthentication.tokenEndpointAllowReusePvtKeyJwt", unlessFalse),
  field("tokenEndpointAuthSignatureAlgorithm", "clientAuthentication.tokenEndpointAuthSigningAlg", unlessNull),
  field("tlsClientAuthSubjectDN", "clientAuthentication.tlsClientAuthSubjectDn", unlessNull),
  field("jwtScopeAsArrayEnabled", "accessToken.enableJwtScopeAsArray", optionalFlag),
  field("extendRenewedRefreshTokenExpiryTime", "refreshToken.extendRenewedRefreshTokenExpiryTime", optionalFlag),
  field("gracefulRefreshTokenRotationEnabled", "refreshToken.gracefulRefreshTokenRotationEnabled", optionalFlag),
  field(
    "gracefulRefreshTokenRotationValidityPeriod",
    "refreshToken.gracefulRefreshTokenRotationValidityPeriod",
    seconds,
  ),
  field("gracefulRefreshTokenReuseLimit", "refreshToken.gracefulRefreshTokenReuseLimit", count),
  field("idTokenSignatureAlgorithm", "idToken.idTokenSignedResponseAlg", filled()),
  hybridFlow,
  field("subjectType", "subject.subjectType", word),
  field("sectorIdentifierURI", "subject.sectorIdentifierUri", filled()),
  field("requestObjectSignatureAlgorithm", "requestObject.requestObjectSigningAlg", filled()),
  field("requestObjectEncryptionAlgorithm", "requestObject.encryption.algorithm", filled()),
  field("requestObjectEncryptionMethod", "requestObject.encryption.method", filled()),
  field("requirePushedAuthorizationRequests", "pushAuthorizationRequest.requirePushAuthorizationRequest", optionalFlag),
  field("fapiConformanceEnabled", "isFAPIApplication", optionalFlag),
  field("fapiProfile", "fapiProfile", filled()),
);

function literal(address: string): string {
  return address.startsWith(EXPRESSION)
    ? `(${address.slice(EXPRESSION.length)})`
    : address.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");
}
