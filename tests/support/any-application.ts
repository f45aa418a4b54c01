/**
 * Arbitrary request bodies of applications that the API accepts: every member, with texts that are hard to serialise.
 */
import fc from "fast-check";
import { defaultClientLimits, strengthOf } from "#core/applications/protocols/limits.ts";

/** The deployment whose custom protocol the applications use. */
export const deployment = `[[custom_inbound_protocol]]
name = "any protocol"
[[custom_inbound_protocol.property]]
name = "plain"
[[custom_inbound_protocol.property]]
name = "password"
confidential = true
`;

const TRAPS = [
  ...["]]>", "<![CDATA[x]]>", "&amp;", "<a>&b;</a>", "&#13;", "\r", "\r\n", "\n", " \n ", "\t", " ", "null", "true"],
  ...["\u0000", "\u0001\u000B\u001F", "\u007F\u0085", "\u2028", "\uFFFE\uFFFF", "\uFFFD", "\u{1F600}", "regexp=", "{}"],
  ...["__proto__", "LOCAL", "<?xml version='1.0'?>", "<!DOCTYPE x>", "\\", '"', "'"],
];
const anyText = (maxLength: number, minLength = 0) =>
  fc
    .array(fc.oneof(fc.constantFrom(...TRAPS), fc.string({ unit: "binary", maxLength: 10 })), { maxLength: 6 })
    .map((parts) => parts.join("").slice(0, maxLength))
    // A cut may leave half of a surrogate pair.
    .map((text) => text.toWellFormed())
    .filter((text) => text.length >= minLength);
const maybe = <T>(of: fc.Arbitrary<T>) => fc.option(of, { nil: undefined });
const flag = maybe(fc.boolean());
const few = <T>(of: fc.Arbitrary<T>) => maybe(fc.array(of, { maxLength: 4 }));
const word = anyText(100, 1);
const address = fc.webUrl({ withQueryParameters: true, validSchemes: ["https"] }).map((url) => url.replaceAll("'", ""));
const seconds = maybe(fc.integer({ min: 0, max: defaultClientLimits.idTokenSecondsMax }));

const claim = fc
  .record({ uri: maybe(word), id: maybe(word), displayName: maybe(word) })
  .filter(({ uri, id }) => Boolean(uri ?? id));
const mapping = fc.record({ applicationClaim: word, localClaim: claim });

const claimConfiguration = fc
  .record({
    dialect: maybe(fc.constantFrom("LOCAL", "CUSTOM")),
    claimMappings: maybe(fc.uniqueArray(mapping, { maxLength: 4, selector: (each) => each.applicationClaim })),
    requestedClaims: few(fc.record({ claim, mandatory: flag })),
    subject: maybe(
      fc.record({
        claim: maybe(claim),
        includeUserDomain: flag,
        includeTenantDomain: flag,
        useMappedLocalSubject: fc.constantFrom(true, undefined),
        mappedLocalSubjectMandatory: flag,
      }),
    ),
    role: maybe(
      fc.record({
        mappings: few(fc.record({ localRole: word, applicationRole: word })),
        includeUserDomain: flag,
        claim: maybe(claim),
      }),
    ),
  })
  .map((claims) => {
    const mapped = claims.claimMappings?.[0]?.applicationClaim;
    const known = mapped === undefined ? undefined : { uri: mapped };
    // In the CUSTOM dialect, an application names its own claims.
    return claims.dialect === "CUSTOM"
      ? {
          ...claims,
          ...(claims.subject && { subject: { ...claims.subject, claim: known } }),
          ...(claims.role && { role: { ...claims.role, claim: known } }),
          // Requested claims without mappings map to themselves: duplicates would map twice.
          ...(!claims.claimMappings && { requestedClaims: undefined }),
        }
      : { ...claims, ...(!claims.claimMappings && { requestedClaims: claims.requestedClaims?.slice(0, 1) }) };
  });

const option = fc.oneof(
  fc.record({ idp: fc.constant("LOCAL"), authenticator: fc.constantFrom("BasicAuthenticator", "totp", "fido") }),
  fc.record({ idp: word.filter((idp) => idp !== "LOCAL"), authenticator: word }),
);
const authenticationSequence = fc
  .record({
    type: fc.constantFrom("DEFAULT", "USER_DEFINED"),
    steps: fc.array(fc.array(option, { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 3 }),
    requestPathAuthenticators: few(
      fc.constantFrom("BasicAuthRequestPathAuthenticator", "OAuthRequestPathAuthenticator"),
    ),
    script: maybe(anyText(2_000)),
    subjectStepId: maybe(fc.integer({ min: -1, max: 5 })),
    attributeStepId: maybe(fc.integer({ min: -1, max: 5 })),
  })
  .map(({ steps, ...sequence }) => ({ ...sequence, steps: steps.map((options, at) => ({ id: at + 1, options })) }));

const advancedConfigurations = fc.record({
  saas: flag,
  skipLoginConsent: flag,
  skipLogoutConsent: flag,
  returnAuthenticatedIdpList: flag,
  enableAuthorization: flag,
  fragment: flag,
  enableAPIBasedAuthentication: flag,
  certificate: maybe(address.map((value) => ({ type: "JWKS", value }))),
  discoverableGroups: few(
    fc.record({
      userStore: word,
      groups: fc.array(fc.record({ id: word, name: maybe(anyText(100)) }), { minLength: 1, maxLength: 2 }),
    }),
  ),
  trustedAppConfiguration: maybe(
    fc.record({
      isFIDOTrustedApp: flag,
      isConsentGranted: flag,
      androidPackageName: maybe(anyText(100)),
      androidThumbprints: few(anyText(100)),
      appleAppId: maybe(anyText(100)),
    }),
  ),
  attestationMetaData: maybe(
    fc.record({ enableClientAttestation: flag, androidPackageName: maybe(anyText(100)), appleAppId: maybe(word) }),
  ),
});

const provisioningConfigurations = fc.record({
  inboundProvisioning: maybe(fc.record({ proxyMode: flag, provisioningUserstoreDomain: maybe(anyText(100)) })),
  outboundProvisioningIdps: few(fc.record({ idp: word, connector: word, blocking: flag, rules: flag, jit: flag })),
});

/** Settings of how a confidential client authenticates. */
const clientAuthentication = maybe(
  fc.constantFrom(
    {},
    { tokenEndpointAuthMethod: "", tokenEndpointAllowReusePvtKeyJwt: false },
    { tokenEndpointAuthMethod: "client_secret_post" },
    { tokenEndpointAuthMethod: "private_key_jwt", tokenEndpointAuthSigningAlg: "SHA256withRSA" },
    { tokenEndpointAuthMethod: "private_key_jwt", tokenEndpointAllowReusePvtKeyJwt: true },
    { tokenEndpointAuthMethod: "tls_client_auth", tlsClientAuthSubjectDn: "CN=a\\, b,O=<x>" },
    { tokenEndpointAuthMethod: "self_signed_tls_client_auth" },
  ),
);

const callback = fc.oneof(
  address,
  fc.constantFrom("regexp=https://(a|b)\\.example/cb", "regexp=(https://x\\.example|https://y\\.example)/\\d+"),
);
const oidc = fc
  .record({
    clientSecret: maybe(
      fc.stringMatching(/^[!-~]{24,60}$/).filter((secret) => strengthOf(secret) >= defaultClientLimits.secretBitsMin),
    ),
    grantTypes: fc.uniqueArray(fc.constantFrom("authorization_code", "refresh_token", "password", "iwa:ntlm"), {
      minLength: 1,
      maxLength: 4,
    }),
    callbackURLs: fc.array(callback, { minLength: 1, maxLength: 3 }),
    allowedOrigins: maybe(fc.constantFrom([], ["https://a.example"], ["https://b.example", "http://c.example:8080"])),
    publicClient: flag,
    pkce: maybe(fc.record({ mandatory: flag, supportPlainTransformAlgorithm: flag })),
    accessToken: maybe(
      fc.record({
        type: maybe(fc.constantFrom("JWT", "Default")),
        userAccessTokenExpiryInSeconds: seconds,
        applicationAccessTokenExpiryInSeconds: seconds,
        bindingType: maybe(fc.constantFrom("None", "cookie", "DPoP")),
        revokeTokensWhenIDPSessionTerminated: flag,
        validateTokenBinding: flag,
        accessTokenAttributes: few(anyText(100)),
        enableJwtScopeAsArray: flag,
      }),
    ),
    refreshToken: maybe(
      fc.record({
        expiryInSeconds: seconds,
        renewRefreshToken: flag,
        extendRenewedRefreshTokenExpiryTime: flag,
        gracefulRefreshTokenRotationEnabled: flag,
        gracefulRefreshTokenRotationValidityPeriod: maybe(fc.integer({ min: 0, max: 60 })),
        gracefulRefreshTokenReuseLimit: maybe(fc.integer({ min: 0, max: 5 })),
      }),
    ),
    idToken: maybe(
      fc.record({
        idTokenSignedResponseAlg: maybe(fc.constantFrom("", "ES256", "SHA256withRSA")),
        expiryInSeconds: seconds,
        audience: maybe(
          fc.uniqueArray(
            word.filter((each) => each.trim() !== ""),
            { maxLength: 3 },
          ),
        ),
        encryption: maybe(
          fc.record({
            enabled: fc.boolean(),
            algorithm: fc.constantFrom("RSA-OAEP", "RSA1_5"),
            method: fc.constantFrom("A128GCM", "A128CBC+HS256"),
          }),
        ),
      }),
    ),
    logout: maybe(fc.record({ backChannelLogoutUrl: maybe(address), frontChannelLogoutUrl: maybe(address) })),
    subjectToken: maybe(fc.record({ enable: flag, applicationSubjectTokenExpiryInSeconds: seconds })),
    validateRequestObjectSignature: flag,
    scopeValidators: maybe(fc.constantFrom([], ["Role based scope validator"])),
    clientAuthentication,
    hybridFlow: maybe(
      fc.record({ enable: flag, responseType: fc.constantFrom("code token", "code id_token, code id_token token") }),
    ),
    requestObject: maybe(
      fc.record({
        requestObjectSigningAlg: maybe(fc.constantFrom("", "PS256")),
        encryption: maybe(
          fc.constantFrom({}, { algorithm: "RSA1_5", method: "A256GCM" }, { algorithm: "", method: "" }),
        ),
      }),
    ),
    pushAuthorizationRequest: maybe(fc.record({ requirePushAuthorizationRequest: flag })),
    subject: maybe(
      fc.record({
        subjectType: maybe(fc.constantFrom("public", "pairwise")),
        sectorIdentifierUri: fc.constant("https://rides.example/sector"),
      }),
    ),
    cibaAuthenticationRequest: maybe(
      fc.record({
        authReqExpiryTime: maybe(fc.integer({ min: 1, max: 86_400 })),
        notificationChannels: few(fc.constantFrom("email", "sms", "external")),
        skipUserValidation: flag,
      }),
    ),
    isFAPIApplication: fc.constantFrom(undefined, false),
    fapiProfile: maybe(fc.constantFrom("FAPI1_ADVANCED", "FAPI2_SECURITY")),
  })
  .map((given) => (given.publicClient ? { ...given, clientAuthentication: undefined } : given));

const algorithm = maybe(fc.constantFrom("http://www.w3.org/2001/04/xmldsig-more#rsa-sha512"));
const saml = fc.record({
  serviceProviderQualifier: maybe(anyText(50).map((text) => text.replaceAll("@", ""))),
  assertionConsumerUrls: fc.array(address, { minLength: 1, maxLength: 3 }),
  defaultAssertionConsumerUrl: maybe(address),
  idpEntityIdAlias: maybe(anyText(100)),
  singleSignOnProfile: maybe(
    fc.record({
      bindings: maybe(fc.uniqueArray(fc.constantFrom("HTTP_POST", "HTTP_REDIRECT", "ARTIFACT"))),
      enableSignatureValidationForArtifactBinding: flag,
      attributeConsumingServiceIndex: maybe(anyText(20)),
      enableIdpInitiatedSingleSignOn: flag,
      assertion: maybe(
        fc.record({
          nameIdFormat: maybe(fc.oneof(anyText(100), fc.constant("urn:oasis:names:tc:SAML:2.0:nameid-format:x/y"))),
          audiences: few(anyText(100)),
          recipients: few(anyText(100)),
          digestAlgorithm: maybe(fc.constant("http://www.w3.org/2001/04/xmlenc#sha512")),
          encryption: maybe(fc.record({ enabled: flag })),
        }),
      ),
    }),
  ),
  attributeProfile: maybe(
    fc.record({ enabled: flag, alwaysIncludeAttributesInResponse: flag, nameFormat: maybe(anyText(100)) }),
  ),
  singleLogoutProfile: maybe(
    fc.record({
      enabled: flag,
      logoutRequestUrl: maybe(address),
      logoutResponseUrl: maybe(address),
      logoutMethod: maybe(fc.constantFrom("BACKCHANNEL", "FRONTCHANNEL_HTTP_REDIRECT", "FRONTCHANNEL_HTTP_POST")),
      idpInitiatedSingleLogout: maybe(fc.record({ enabled: flag, returnToUrls: few(address) })),
    }),
  ),
  imported: maybe(
    fc.record({
      metadataURL: maybe(address),
      validUntil: maybe(fc.constant("2040-01-31T08:00:00.000Z")),
      cacheDuration: maybe(fc.constant("PT1H")),
      assertionConsumerServices: maybe(
        fc.uniqueArray(
          fc.record({ binding: fc.constantFrom("HTTP-POST", "PAOS"), location: address, index: fc.nat(9) }),
          {
            selector: ({ index }) => index,
            maxLength: 3,
          },
        ),
      ),
      singleLogoutServices: maybe(fc.array(fc.record({ binding: fc.constant("SOAP"), location: address }))),
      attributeConsumingServiceIndexes: maybe(fc.uniqueArray(fc.nat(9))),
    }),
  ),
  requestValidation: maybe(
    fc.record({ enableSignatureValidation: flag, signatureValidationCertAlias: maybe(anyText(100)) }),
  ),
  responseSigning: maybe(fc.record({ enabled: flag, signingAlgorithm: algorithm })),
  enableAssertionQueryProfile: flag,
});

const custom = fc.record({
  configName: word,
  properties: fc
    .constantFrom("plain", "password", "both")
    .chain((which) =>
      fc
        .record({ plain: word, password: word })
        .map(({ plain, password }) => [
          ...(which === "password" ? [] : [{ key: "plain", value: plain }]),
          ...(which === "plain" ? [] : [{ key: "password", value: password }]),
        ]),
    ),
});

/** An arbitrary application. */
export const anyApplication = fc.record({
  description: maybe(anyText(1_024)),
  imageUrl: maybe(address),
  accessUrl: maybe(address),
  logoutReturnUrl: maybe(address),
  templateId: maybe(anyText(200)),
  templateVersion: maybe(anyText(200)),
  isManagementApp: flag,
  applicationEnabled: flag,
  isB2BSelfServiceApp: flag,
  enhancedOrgAuthenticationEnabled: flag,
  associatedRoles: maybe(fc.constantFrom({ allowedAudience: "ORGANIZATION" }, { allowedAudience: "APPLICATION" })),
  claimConfiguration: maybe(claimConfiguration),
  authenticationSequence: maybe(authenticationSequence),
  advancedConfigurations: maybe(advancedConfigurations),
  provisioningConfigurations: maybe(provisioningConfigurations),
  protocols: fc.record({
    oidc: maybe(oidc),
    saml: maybe(saml),
    passiveSts: maybe(fc.record({ replyTo: address, replyToLogout: maybe(address) })),
    wsTrust: maybe(fc.record({ certificateAlias: word })),
    custom: maybe(custom),
  }),
  key: anyText(50).map((text) => text.replaceAll("@", "")),
});

type AnyApplication = typeof anyApplication extends fc.Arbitrary<infer T> ? T : never;

/** The request body with unique names and keys. */
export const bodyOf = ({ protocols, key, ...rest }: AnyApplication, at: number) => {
  const { oidc: client, saml: provider, passiveSts, wsTrust, custom: settings } = protocols;
  return {
    ...rest,
    name: `any ${at}`,
    inboundProtocolConfiguration: {
      ...(client && { oidc: client }),
      ...(provider && { saml: { manualConfiguration: { issuer: `${at}${key}`, ...provider } } }),
      ...(passiveSts && { passiveSts: { realm: `${at}${key}`, ...passiveSts } }),
      ...(wsTrust && { wsTrust: { audience: `${at}${key}`, ...wsTrust } }),
      ...(settings && { custom: [{ name: "any protocol", ...settings }] }),
    },
  };
};
