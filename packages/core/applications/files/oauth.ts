/**
 * An OAuth2 / OpenID Connect client, in the document `oAuthAppDO` and in the settings (reference section 9.8). Pure.
 *
 * | element of oAuthAppDO | member of the client's settings |
 * | --- | --- |
 * | oauthConsumerKey, oauthConsumerSecret | clientId, clientSecret |
 * | callbackUrl | callbackURLs: one as it is, several joined to one `regexp=(a|b)` |
 * | grantTypes | grantTypes, with blanks between them |
 * | scopeValidators/scopeValidator | scopeValidators, but for one that the product has given up |
 * | pkceSupportPlain, pkceMandatory | pkce.supportPlainTransformAlgorithm, mandatory |
 * | state | state |
 * | userAccessTokenExpiryTime, applicationAccessTokenExpiryTime | accessToken.userAccessTokenExpiryInSeconds, application... |
 * | refreshTokenExpiryTime, renewRefreshTokenEnabled | refreshToken.expiryInSeconds, renewRefreshToken, which may be unsaid |
 * | idTokenExpiryTime, audiences/audience | idToken.expiryInSeconds, audience |
 * | idTokenEncryptionEnabled, ...Algorithm, ...Method | idToken.encryption; the word `null` is no value |
 * | bypassClientCredentials | publicClient |
 * | requestObjectSignatureValidationEnabled | validateRequestObjectSignature |
 * | backChannelLogoutUrl, frontchannelLogoutUrl | logout.backChannelLogoutUrl, frontChannelLogoutUrl |
 * | tokenType, tokenBindingType | accessToken.type, bindingType |
 * | tokenRevocationWithIDPSessionTerminationEnabled | accessToken.revokeTokensWhenIDPSessionTerminated |
 * | tokenBindingValidationEnabled | accessToken.validateTokenBinding |
 * | accessTokenClaims/accessTokenClaim | accessToken.accessTokenAttributes |
 * | applicationName, oauthVersion | written, not read |
 */
import {
  all,
  at,
  type Codec,
  constant,
  field,
  filled,
  flag,
  listOf,
  nullable,
  type Part,
  put,
  seconds,
  words,
} from "./parts.ts";

const EXPRESSION = "regexp=";

/** The format has room for one callback. */
const callbacks: Codec = {
  read: (given) => (given.trim() === "" ? [] : [given.trim()]),
  write(value) {
    const [first = "", ...more] = (value ?? []) as readonly string[];
    return more.length === 0 ? first : `${EXPRESSION}(${[first, ...more].map(literal).join("|")})`;
  },
};

/** Validators that older releases knew: a client that names one is imported without it. */
const GIVEN_UP: ReadonlySet<string> = new Set(["XACML Scope Validator"]);

/** A switch that nobody has touched is neither on nor off. */
const { read: readSwitch } = flag();
const word: Codec = {
  read: (given, name) => (given.trim() === "" ? undefined : readSwitch(given, name)),
  write: (value) => (value === undefined ? undefined : String(value)),
};

const validators = listOf("scopeValidators", "scopeValidator", "scopeValidators");
const scopeValidators: Part = {
  read(parent) {
    const names = at(validators.read(parent), ["scopeValidators"]) as readonly string[] | undefined;
    return put(
      ["scopeValidators"],
      names?.filter((name) => !GIVEN_UP.has(name)),
    );
  },
  write: validators.write,
};

const attributes = listOf("accessTokenClaims", "accessTokenClaim", "accessToken.accessTokenAttributes");
const accessTokenClaims: Part = {
  read: attributes.read,
  write: (client) => attributes.write(client).filter(({ children }) => children.length > 0),
};

/** The parts of `oAuthAppDO`, in upstream's order. */
export const oauthParts: Part = all(
  field("oauthConsumerKey", "clientId", filled()),
  field("oauthConsumerSecret", "clientSecret", filled()),
  field("applicationName", "applicationName", filled()),
  field("callbackUrl", "callbackURLs", callbacks),
  constant("oauthVersion", "OAuth-2.0"),
  field("grantTypes", "grantTypes", words),
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
  field("renewRefreshTokenEnabled", "refreshToken.renewRefreshToken", word),
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
);

function literal(address: string): string {
  return address.startsWith(EXPRESSION)
    ? `(${address.slice(EXPRESSION.length)})`
    : address.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");
}
