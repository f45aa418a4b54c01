/**
 * Settings of an application that have every leaf which this service only keeps, each with another value than its
 * default. tests/contract/settings.test.ts says which one is missing.
 */

const LOCAL = "http://wso2.org/claims";
/** A claim has an id only where it has no uri: each place of the contract is there with both. */
const claim = (name: string) => ({ uri: `${LOCAL}/${name}`, id: `id of ${name}`, displayName: `The ${name}` });

/** An application without its protocols. */
export const applicationSample = {
  description: "Every setting that is kept",
  imageUrl: "https://rides.example/logo.png",
  accessUrl: "https://rides.example",
  logoutReturnUrl: "https://rides.example/bye",
  templateId: "b9c5e11e-fc78-484b-9bec-015d247561b8",
  templateVersion: "1.2.3",
  isManagementApp: true,
  isB2BSelfServiceApp: true,
  enhancedOrgAuthenticationEnabled: true,
  claimConfiguration: {
    dialect: "CUSTOM",
    claimMappings: [
      { applicationClaim: "who", localClaim: claim("username") },
      { applicationClaim: "part", localClaim: claim("role") },
    ],
    requestedClaims: [{ claim: { ...claim("username"), uri: "who" }, mandatory: true }],
    subject: {
      claim: { ...claim("username"), uri: "who" },
      includeUserDomain: true,
      includeTenantDomain: true,
      useMappedLocalSubject: true,
      mappedLocalSubjectMandatory: true,
    },
    role: {
      mappings: [{ localRole: "admin", applicationRole: "chief" }],
      includeUserDomain: false,
      claim: { ...claim("role"), uri: "part" },
    },
  },
  authenticationSequence: {
    type: "USER_DEFINED",
    steps: [
      { id: 1, options: [{ idp: "LOCAL", authenticator: "BasicAuthenticator" }] },
      { id: 2, options: [{ idp: "Acme", authenticator: "OpenIDConnectAuthenticator" }] },
    ],
    requestPathAuthenticators: ["BasicAuthRequestPathAuthenticator"],
    script: "var onLoginRequest = function (context) { executeStep(1); };",
    subjectStepId: 2,
    attributeStepId: 2,
  },
  advancedConfigurations: {
    saas: true,
    discoverableByEndUsers: true,
    skipLoginConsent: true,
    skipLogoutConsent: true,
    returnAuthenticatedIdpList: true,
    enableAuthorization: true,
    fragment: true,
    enableAPIBasedAuthentication: true,
    certificate: { type: "JWKS", value: "https://rides.example/jwks" },
    trustedAppConfiguration: {
      isFIDOTrustedApp: true,
      isConsentGranted: true,
      androidPackageName: "com.rides",
      androidThumbprints: ["AA:BB"],
      appleAppId: "TEAM.com.rides",
    },
    attestationMetaData: {
      enableClientAttestation: true,
      androidPackageName: "com.rides",
      appleAppId: "TEAM.com.rides",
    },
    discoverableGroups: [{ userStore: "PRIMARY", groups: [{ id: "3c4f6b1e", name: "drivers" }] }],
  },
  provisioningConfigurations: {
    inboundProvisioning: { proxyMode: true, provisioningUserstoreDomain: "PRIMARY" },
    outboundProvisioningIdps: [{ idp: "Acme", connector: "scim2", blocking: true, rules: true, jit: true }],
  },
};

/** One setting that a SAML2 application cannot have. */
export const consentPageSample = { advancedConfigurations: { useExternalConsentPage: true } };

/** The protocols of `inboundProtocolConfiguration`. */
export const protocolSamples = {
  oidc: {
    grantTypes: ["authorization_code", "refresh_token", "urn:openid:params:grant-type:ciba"],
    callbackURLs: ["https://rides.example/back", "https://bikes.example/back"],
    allowedOrigins: ["https://rides.example"],
    pkce: { mandatory: true, supportPlainTransformAlgorithm: true },
    accessToken: {
      bindingType: "cookie",
      validateTokenBinding: true,
      revokeTokensWhenIDPSessionTerminated: true,
      accessTokenAttributes: ["email"],
    },
    idToken: {
      expiryInSeconds: 600,
      audience: ["https://rides.example/api"],
      idTokenSignedResponseAlg: "ES256",
      encryption: { enabled: true, algorithm: "RSA-OAEP-256", method: "A256GCM" },
    },
    logout: {
      backChannelLogoutUrl: "https://rides.example/out",
      frontChannelLogoutUrl: "https://rides.example/leave",
    },
    subjectToken: { enable: true, applicationSubjectTokenExpiryInSeconds: 120 },
    validateRequestObjectSignature: true,
    scopeValidators: ["Role based scope validator"],
    hybridFlow: { enable: true, responseType: "code token,code id_token" },
    requestObject: {
      requestObjectSigningAlg: "PS256",
      encryption: { algorithm: "RSA-OAEP-256", method: "A256GCM" },
    },
    pushAuthorizationRequest: { requirePushAuthorizationRequest: true },
    subject: { subjectType: "pairwise", sectorIdentifierUri: "https://rides.example/sector.json" },
    cibaAuthenticationRequest: {
      authReqExpiryTime: 120,
      notificationChannels: ["email", "sms"],
      skipUserValidation: true,
      allowFederatedUsers: true,
    },
    // true needs the settings of the profile: tests/unit/protocols/sign-in.test.ts
    isFAPIApplication: false,
    fapiProfile: "FAPI2_SECURITY",
  },
  saml: {
    manualConfiguration: {
      issuer: "https://sp.example",
      assertionConsumerUrls: ["https://sp.example/acs", "https://sp.example/acs2"],
      defaultAssertionConsumerUrl: "https://sp.example/acs2",
      idpEntityIdAlias: "https://idp.example",
      singleSignOnProfile: {
        bindings: ["HTTP_POST", "ARTIFACT"],
        enableSignatureValidationForArtifactBinding: true,
        attributeConsumingServiceIndex: "17",
        enableIdpInitiatedSingleSignOn: true,
        assertion: {
          nameIdFormat: "urn:oasis:names:tc:SAML:2.0:nameid-format:persistent",
          audiences: ["https://sp.example/audience"],
          recipients: ["https://sp.example/recipient"],
          digestAlgorithm: "http://www.w3.org/2001/04/xmlenc#sha512",
          encryption: {
            enabled: true,
            assertionEncryptionAlgorithm: "http://www.w3.org/2009/xmlenc11#aes256-gcm",
            keyEncryptionAlgorithm: "http://www.w3.org/2009/xmlenc11#rsa-oaep",
          },
        },
      },
      attributeProfile: {
        enabled: true,
        alwaysIncludeAttributesInResponse: true,
        nameFormat: "urn:oasis:names:tc:SAML:2.0:attrname-format:uri",
      },
      singleLogoutProfile: {
        enabled: true,
        logoutRequestUrl: "https://sp.example/logout",
        logoutResponseUrl: "https://sp.example/logged-out",
        logoutMethod: "FRONTCHANNEL_HTTP_POST",
        idpInitiatedSingleLogout: { enabled: true, returnToUrls: ["https://sp.example/start"] },
      },
      requestValidation: { enableSignatureValidation: true, signatureValidationCertAlias: "sp" },
      responseSigning: { enabled: true, signingAlgorithm: "http://www.w3.org/2001/04/xmldsig-more#rsa-sha512" },
      enableAssertionQueryProfile: true,
      imported: {
        cacheDuration: "PT1H",
        singleLogoutServices: [
          {
            binding: "HTTP-POST",
            location: "https://sp.example/logout",
            responseLocation: "https://sp.example/logged-out",
          },
        ],
      },
    },
  },
  passiveSts: {
    realm: "rides",
    replyTo: "https://rides.example/reply",
    replyToLogout: "https://rides.example/reply/out",
  },
  wsTrust: { audience: "https://rides.example/trust", certificateAlias: "rides" },
  custom: [
    {
      name: "cas",
      configName: "rides-cas",
      properties: [{ key: "serviceURL", value: "https://rides.example/cas" }],
    },
  ],
};

/** The values at the path of a leaf; `[]` means every element of a list. */
export const valuesAt = (from: unknown, leaf: string): readonly unknown[] =>
  leaf.split(".").reduce<readonly unknown[]>(
    (values, step) => {
      const name = step.replace(/\[\]$/, "");
      const found = values.flatMap((value) => {
        const member = (value as Record<string, unknown> | undefined)?.[name];
        return member === undefined ? [] : [member];
      });
      return step.endsWith("[]") ? found.flat() : found;
    },
    [from],
  );

/** The samples of a model of the table of settings. */
export const samplesOf: Readonly<Record<string, readonly unknown[]>> = {
  Application: [applicationSample, consentPageSample],
  "OAuth2 and OpenID Connect": [protocolSamples.oidc],
  SAML2: [protocolSamples.saml],
  "Passive STS": [protocolSamples.passiveSts],
  "WS-Trust": [protocolSamples.wsTrust],
  "Custom protocols": protocolSamples.custom,
};
