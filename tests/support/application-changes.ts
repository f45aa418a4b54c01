/**
 * Changes of every setting of an application, each with whether it is a gain (decision 0061). Tests check that every
 * member of every body is here, so a new member must be judged.
 */

import { grantTypes } from "#core/applications/protocols/options.ts";
import { systemApis } from "#core/kernel/domain/system-apis.ts";
import { metadata } from "./protocols.ts";
import { type Answer, APPLICATIONS, type Ask } from "./world.ts";

/** The scope that the applications are authorized for, and its API. */
export const SCOPE = "internal_user_mgt_list";
export const API = systemApis.find(({ scopes }) => scopes.some(({ name }) => name === SCOPE))?.id ?? "";

type Body = Readonly<Record<string, unknown>>;
type Members = Readonly<Record<string, readonly (readonly [value: unknown, isGain: boolean])[]>>;
export type Send = (method: string, path: string, ask?: Ask) => Promise<Answer>;

/** One change of an application. */
export interface Change {
  readonly name: string;
  readonly operation: string;
  readonly state: keyof typeof states;
  readonly isGain: boolean;
  readonly send: (ask: Send, id: string) => Promise<Answer>;
}

const CALLBACK = "https://rides.example/back";
/** A certificate without a known key. */
const CERTIFICATE = [
  "MIIBfDCCASOgAwIBAgIULXJoR+V0lsonZUoJcKBjwiLAuUAwCgYIKoZIzj0EAwIwEzERMA8GA1UEAwwIc3RyYW5nZXIwIBcNMjYx",
  "MTIyMTM0NDQxWhgPMjEyNjEwMjkxMzQ0NDFaMBMxETAPBgNVBAMMCHN0cmFuZ2VyMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE",
  "3DGtPT4OdG3LZG88EBgk862l+ABTe+Do6m7+P+AL8fCQvIXZB7+UyDAWZ6bXDQ1Z6AW2gTr6XOs4dfeOG+hBXqNTMFEwHQYDVR0O",
  "BBYEFDWW1e8a4d45Au6thvw0bLdNGyKmMB8GA1UdIwQYMBaAFDWW1e8a4d45Au6thvw0bLdNGyKmMA8GA1UdEwEB/wQFMAMBAf8w",
  "CgYIKoZIzj0EAwIDRwAwRAIgJSLyYbqVeweu5gRRtNeGeKJ4Npyea6lTj36u/uJoO4ACIBC2JnK7sdSbhEvi/v0CUVW6UBQrmVjk",
  "fdu32HlIhBj3",
].join("");
const who = { applicationClaim: "who", localClaim: { uri: "http://wso2.org/claims/username" } };
const mail = { applicationClaim: "mail", localClaim: { uri: "http://wso2.org/claims/emailaddress" } };
const local = (authenticator: string) => ({ idp: "LOCAL", authenticator });
const [basicStep, codeStep] = [
  { id: 1, options: [local("BasicAuthenticator"), local("fido")] },
  { id: 2, options: [local("totp"), local("fido"), local("BasicAuthenticator")] },
];
export const saml = { issuer: "https://sp.example", assertionConsumerUrls: ["https://sp.example/acs"] };
export const passiveSts = { realm: "rides", replyTo: "https://rides.example/reply" };
export const wsTrust = { audience: "https://rides.example/trust", certificateAlias: "wso2carbon" };
const oidc = {
  grantTypes: ["password", "refresh_token"],
  callbackURLs: [CALLBACK, `${CALLBACK}/2`],
  pkce: { mandatory: true },
  accessToken: { bindingType: "DPoP", validateTokenBinding: true },
  scopeValidators: ["Role based scope validator"],
  validateRequestObjectSignature: true,
  pushAuthorizationRequest: { requirePushAuthorizationRequest: true },
  requestObject: {
    requestObjectSigningAlg: "PS256",
    encryption: { algorithm: "RSA-OAEP", method: "A128GCM" },
  },
  idToken: { encryption: { enabled: true, algorithm: "RSA-OAEP", method: "A128GCM" } },
  hybridFlow: { enable: true, responseType: "code id_token" },
  subject: { subjectType: "pairwise", sectorIdentifierUri: "https://rides.example/sector.json" },
  cibaAuthenticationRequest: { notificationChannels: ["email"] },
};
const signing = { tokenEndpointAuthMethod: "private_key_jwt", tokenEndpointAuthSigningAlg: "ES256" };
const common = {
  associatedRoles: { allowedAudience: "APPLICATION" },
  claimConfiguration: { dialect: "CUSTOM", claimMappings: [who, mail], subject: { claim: { uri: "who" } } },
  authenticationSequence: { type: "USER_DEFINED", steps: [basicStep, codeStep] },
  advancedConfigurations: {
    enableAuthorization: true,
    attestationMetaData: { enableClientAttestation: true, androidPackageName: "example.rides" },
  },
};
const others = { saml: { manualConfiguration: saml }, passiveSts, wsTrust };
const withClient = (more: Body) => ({
  ...common,
  inboundProtocolConfiguration: { ...others, oidc: { ...oidc, ...more } },
});
const acting = ["client_credentials", "refresh_token"];

/** Applications from which no caller can take a token with their own scopes. */
export const states = {
  users: withClient({}),
  public: withClient({ grantTypes: acting, publicClient: true }),
  disabled: { ...withClient({ grantTypes: acting }), applicationEnabled: false },
  revoked: withClient({ grantTypes: acting }),
  rotating: withClient({}),
  signing: withClient({ clientAuthentication: signing }),
  clientless: { ...common, inboundProtocolConfiguration: others },
} as const satisfies Readonly<Record<string, Body>>;

/** By member of the body of `PUT .../oidc`, which begins as it was read. */
export const oidcMembers: Members = {
  // PUT cannot change them.
  clientId: [],
  clientSecret: [],
  clientSecretExpiresAt: [],
  grantTypes: [
    [["password"], false],
    ...grantTypes
      .filter(({ name }) => !oidc.grantTypes.includes(name))
      .map(({ name }) => [[...oidc.grantTypes, name], true] as const),
  ],
  callbackURLs: [
    [[...oidc.callbackURLs, "https://stranger.example"], true],
    [["regexp=https://rides\\.example/.*"], true],
    [[CALLBACK], false],
  ],
  allowedOrigins: [[["https://rides.example"], false]],
  publicClient: [[true, true]],
  "pkce.mandatory": [[false, true]],
  "pkce.supportPlainTransformAlgorithm": [[true, true]],
  "accessToken.type": [["JWT", false]],
  "accessToken.userAccessTokenExpiryInSeconds": [[1_800, false]],
  "accessToken.applicationAccessTokenExpiryInSeconds": [[1_800, false]],
  "accessToken.bindingType": [
    ["cookie", true],
    ["None", true],
  ],
  "accessToken.revokeTokensWhenIDPSessionTerminated": [[true, false]],
  "accessToken.validateTokenBinding": [[false, true]],
  "accessToken.accessTokenAttributes": [[["email"], false]],
  "accessToken.enableJwtScopeAsArray": [[true, false]],
  "refreshToken.expiryInSeconds": [[1_800, false]],
  "refreshToken.renewRefreshToken": [[true, false]],
  "refreshToken.extendRenewedRefreshTokenExpiryTime": [[false, false]],
  "refreshToken.gracefulRefreshTokenRotationEnabled": [[true, false]],
  "refreshToken.gracefulRefreshTokenRotationValidityPeriod": [[20, false]],
  "refreshToken.gracefulRefreshTokenReuseLimit": [[2, false]],
  "idToken.expiryInSeconds": [[1_800, false]],
  "idToken.audience": [[["https://rides.example"], false]],
  "idToken.idTokenSignedResponseAlg": [["PS256", false]],
  "idToken.encryption": [
    [undefined, true],
    [{ enabled: false }, true],
    [{ enabled: true, algorithm: "RSA-OAEP-256", method: "A128GCM" }, false],
  ],
  logout: [[{ backChannelLogoutUrl: "https://rides.example/out" }, false]],
  subjectToken: [
    [{ enable: true }, true],
    [{ enable: false, applicationSubjectTokenExpiryInSeconds: 60 }, false],
  ],
  validateRequestObjectSignature: [[false, true]],
  scopeValidators: [[[], true]],
  clientAuthentication: [
    [{ tokenEndpointAuthMethod: "client_secret_post" }, false],
    [{ tokenEndpointAuthMethod: "private_key_jwt" }, true],
    [{ tokenEndpointAuthMethod: "tls_client_auth", tlsClientAuthSubjectDn: "CN=stranger" }, true],
    [{ tokenEndpointAuthMethod: "self_signed_tls_client_auth" }, true],
  ],
  "hybridFlow.enable": [[false, false]],
  "hybridFlow.responseType": [["code id_token, code token", true]],
  "requestObject.requestObjectSigningAlg": [
    ["ES256", true],
    ["", true],
  ],
  "requestObject.encryption": [
    [undefined, true],
    [{ algorithm: "RSA-OAEP-256", method: "A128GCM" }, false],
  ],
  "pushAuthorizationRequest.requirePushAuthorizationRequest": [[false, true]],
  "subject.subjectType": [["public", true]],
  "subject.sectorIdentifierUri": [["https://stranger.example/sector.json", true]],
  "cibaAuthenticationRequest.authReqExpiryTime": [[60, false]],
  "cibaAuthenticationRequest.notificationChannels": [
    [["email", "sms"], true],
    [[], false],
  ],
  "cibaAuthenticationRequest.skipUserValidation": [[true, true]],
  // Needs skipUserValidation.
  "cibaAuthenticationRequest.allowFederatedUsers": [],
  isFAPIApplication: [[false, false]],
  fapiProfile: [["FAPI2_SECURITY", false]],
  "issuer.value": [["", false]],
  "issuer.organizationId": [["", false]],
  "issuer.tenantDomain": [["", false]],
};

/** Changes of the method of a client that signs with ES256. */
const ofSigning: readonly (readonly [name: string, value: Body, isGain: boolean])[] = [
  ["as it was", signing, false],
  ["with any algorithm", { tokenEndpointAuthMethod: "private_key_jwt" }, true],
  ["with assertions that count more than once", { ...signing, tokenEndpointAllowReusePvtKeyJwt: true }, true],
  ["by its secret", { tokenEndpointAuthMethod: "client_secret_basic" }, true],
  ["by any method of a secret", {}, true],
];

/** By member of the body of `PATCH /applications/{id}`. */
export const patchMembers: Members = {
  name: [["another name", false]],
  description: [["rides", false]],
  imageUrl: [["https://rides.example/i.png", false]],
  accessUrl: [["https://rides.example", false]],
  logoutReturnUrl: [["https://rides.example/bye", false]],
  templateId: [["a", false]],
  templateVersion: [["1", false]],
  applicationVersion: [["v2.0.0", false]],
  enhancedOrgAuthenticationEnabled: flags(true),
  "associatedRoles.allowedAudience": [["ORGANIZATION", true]],
  // With an audience: below, and tests/unit/applications/role-rules.test.ts.
  "associatedRoles.roles": [],
  applicationEnabled: [[false, false]],
  "claimConfiguration.dialect": [["LOCAL", true]],
  "claimConfiguration.claimMappings": [
    [[who], false],
    [[who, mail, { ...mail, applicationClaim: "post" }], false],
    [[mail, { ...mail, applicationClaim: "who" }], true],
  ],
  "claimConfiguration.requestedClaims": [[[{ claim: { uri: "mail" } }], false]],
  "claimConfiguration.subject.claim": [
    [{ uri: "mail" }, true],
    [{ uri: "who", displayName: "Who" }, false],
  ],
  "claimConfiguration.subject.includeUserDomain": flags(true),
  "claimConfiguration.subject.includeTenantDomain": flags(true),
  "claimConfiguration.subject.useMappedLocalSubject": flags(true),
  "claimConfiguration.subject.mappedLocalSubjectMandatory": flags(true),
  "claimConfiguration.role": [[{ mappings: [{ localRole: "a", applicationRole: "b" }] }, false]],
  "authenticationSequence.type": [["DEFAULT", true]],
  "authenticationSequence.steps": [
    [[basicStep], true],
    [[basicStep, { id: 2, options: [...codeStep.options, { idp: "stranger", authenticator: "oidc" }] }], true],
    [[{ id: 1, options: [local("BasicAuthenticator")] }, codeStep], false],
    [[basicStep, { id: 2, options: [local("totp"), local("BasicAuthenticator")] }], false],
    [[basicStep, { id: 2, options: [local("totp")] }], false],
    // The password alone satisfies both steps; or each step needs a proof of its own.
    [
      [
        { id: 1, options: [local("BasicAuthenticator")] },
        { id: 2, options: [local("BasicAuthenticator")] },
      ],
      true,
    ],
    [[basicStep, { id: 2, options: [local("BasicAuthenticator")] }], false],
    [[{ id: 1, options: [local("fido")] }, codeStep], false],
  ],
  "authenticationSequence.requestPathAuthenticators": [[["BasicAuthRequestPathAuthenticator"], true]],
  "authenticationSequence.script": [["var onLoginRequest = function (context) {};", true]],
  "authenticationSequence.subjectStepId": [[2, true]],
  "authenticationSequence.attributeStepId": [[2, true]],
  "advancedConfigurations.saas": flags(true),
  "advancedConfigurations.discoverableByEndUsers": [[false, false]],
  "advancedConfigurations.skipLoginConsent": flags(true),
  "advancedConfigurations.skipLogoutConsent": [[true, false]],
  "advancedConfigurations.useExternalConsentPage": [[false, false]],
  "advancedConfigurations.returnAuthenticatedIdpList": [[true, false]],
  "advancedConfigurations.enableAuthorization": [[false, true]],
  "advancedConfigurations.fragment": [[true, false]],
  "advancedConfigurations.enableAPIBasedAuthentication": flags(true),
  "advancedConfigurations.certificate": [[{ type: "JWKS", value: "https://stranger.example/jwks" }, true]],
  "advancedConfigurations.trustedAppConfiguration": [
    [{ isFIDOTrustedApp: false, isConsentGranted: true }, false],
    [{ isFIDOTrustedApp: true }, true],
    [{ androidPackageName: "stranger.example", androidThumbprints: ["AA"] }, true],
    [{ appleAppId: "stranger.example" }, true],
  ],
  "advancedConfigurations.attestationMetaData": [
    [{ enableClientAttestation: true, androidPackageName: "example.rides" }, false],
    [{ enableClientAttestation: true, androidPackageName: "stranger.example" }, true],
    [{ enableClientAttestation: true, appleAppId: "stranger.example" }, true],
    [{ enableClientAttestation: false, androidPackageName: "example.rides" }, true],
  ],
  "advancedConfigurations.discoverableGroups": [[[{ userStore: "PRIMARY", groups: [{ id: "a" }] }], false]],
  "advancedConfigurations.additionalSpProperties": [[[], false]],
  provisioningConfigurations: [[{ outboundProvisioningIdps: [{ idp: "hub", connector: "scim" }] }, false]],
};

/** By member of the manual settings of `PUT .../saml`. */
export const samlMembers: Members = {
  issuer: [["https://sp2.example", false]],
  serviceProviderQualifier: [["q", false]],
  assertionConsumerUrls: [[[...saml.assertionConsumerUrls, "https://stranger.example"], true]],
  defaultAssertionConsumerUrl: [[saml.assertionConsumerUrls[0], false]],
  idpEntityIdAlias: [["alias", false]],
  singleSignOnProfile: [[{ bindings: ["HTTP_POST"] }, false]],
  attributeProfile: [[{ enabled: true }, false]],
  singleLogoutProfile: [[{ enabled: true, logoutRequestUrl: "https://sp.example/out" }, false]],
  requestValidation: [[{ enableSignatureValidation: true, signatureValidationCertAlias: "a" }, false]],
  responseSigning: [[{ enabled: true }, false]],
  enableAssertionQueryProfile: [[true, false]],
  imported: [
    [{ keys: [{ use: "signing", certificate: CERTIFICATE }] }, true],
    [
      {
        validUntil: "2030-01-01T00:00:00Z",
        assertionConsumerServices: [{ binding: "HTTP-POST", location: "https://stranger.example", index: 1 }],
        singleLogoutServices: [{ binding: "SOAP", location: "https://stranger.example" }],
      },
      false,
    ],
  ],
};

/** By member of the body of `PUT .../passive-sts`. */
export const passiveStsMembers: Members = {
  // PUT cannot change it.
  realm: [],
  replyTo: [["https://stranger.example", true]],
  replyToLogout: [["https://rides.example/bye", false]],
};

/** Metadata with a certificate, which becomes that of the application. */
const signed = () =>
  metadata({
    entityId: "https://sp.example",
    inside: `<md:KeyDescriptor><KeyInfo xmlns="http://www.w3.org/2000/09/xmldsig#"><X509Data><X509Certificate>${CERTIFICATE}</X509Certificate></X509Data></KeyInfo></md:KeyDescriptor>`,
  });

const pathOf = (id: string, more = "") => `${APPLICATIONS}/${id}${more}`;
const protocol = (id: string, more: string) => pathOf(id, `/inbound-protocols/${more}`);

const inOidc = (state: keyof typeof states, set: (body: Body) => Body) => async (ask: Send, id: string) => {
  const { body } = await ask("GET", protocol(id, "oidc"));
  return ask("PUT", protocol(id, "oidc"), { body: set(state === "clientless" ? {} : body) });
};

const put = (operation: string, segment: string, members: Members, wrap: (member: Body) => Body): readonly Change[] =>
  each(
    operation,
    members,
    "users",
    (path, value) => (ask, id) => ask("PUT", protocol(id, segment), { body: wrap(nested(path, value)) }),
  );

const own = (
  operation: string,
  name: string,
  isGain: boolean,
  send: Change["send"],
  state: Change["state"] = "users",
): Change => ({ operation, name: `${operation}: ${name}`, state, isGain, send });

const authorizations = (id: string, more = "") => pathOf(id, `/authorized-apis${more}`);
const ANOTHER = "internal_user_mgt_view";

const removals: Readonly<Record<string, string>> = {
  oidc: "deleteOidcConfiguration",
  saml: "deleteSamlConfiguration",
  "passive-sts": "deletePassiveStsConfiguration",
  "ws-trust": "deleteWsTrustConfiguration",
  cas: "deleteCustomConfiguration",
};

/** Every change. */
export const changes: readonly Change[] = [
  ...each("updateOidcConfiguration", oidcMembers, "users", (path, value) =>
    inOidc("users", (body) => withMember(body, path, value)),
  ),
  own(
    "updateOidcConfiguration",
    "as it was read",
    false,
    inOidc("users", (body) => body),
  ),
  own(
    "updateOidcConfiguration",
    "public to confidential",
    true,
    inOidc("public", (body) => ({ ...body, publicClient: false })),
    "public",
  ),
  own(
    "updateOidcConfiguration",
    "public to confidential without the grant",
    false,
    inOidc("public", (body) => ({ ...body, publicClient: false, grantTypes: ["refresh_token"] })),
    "public",
  ),
  own(
    "updateOidcConfiguration",
    "a new client",
    true,
    inOidc("clientless", () => ({
      clientId: "mine",
      clientSecret: "a-secret-of-my-own-which-is-long",
      grantTypes: acting,
    })),
    "clientless",
  ),
  ...ofSigning.map(([name, clientAuthentication, isGain]) =>
    own(
      "updateOidcConfiguration",
      `authenticating ${name}`,
      isGain,
      inOidc("signing", (body) => ({ ...body, clientAuthentication })),
      "signing",
    ),
  ),
  own("regenerateClientSecret", "of an active client", true, regenerate),
  own("regenerateClientSecret", "of a revoked client", true, regenerate, "revoked"),
  own("createClientSecret", "a further secret", true, (ask, id) => ask("POST", protocol(id, "oidc/secrets"))),
  own(
    "deleteClientSecret",
    "a former secret",
    false,
    async (ask, id) => {
      const { body } = await ask("GET", protocol(id, "oidc/secrets"));
      return ask("DELETE", `${protocol(id, "oidc/secrets")}/${body.list.at(-1).secretId}`);
    },
    "rotating",
  ),
  own("revokeClient", "it", false, (ask, id) => ask("POST", protocol(id, "oidc/revoke"))),
  ...["oidc", "saml", "passive-sts", "ws-trust", "cas"].map((segment) =>
    own(removals[segment] ?? "", "it", false, (ask, id) => ask("DELETE", protocol(id, segment))),
  ),
  ...put("updateSamlConfiguration", "saml", samlMembers, (member) => ({ manualConfiguration: { ...saml, ...member } })),
  own("updateSamlConfiguration", "metadata with another certificate", true, (ask, id) =>
    ask("PUT", protocol(id, "saml"), { body: { metadataFile: Buffer.from(signed()).toString("base64") } }),
  ),
  ...put("updatePassiveStsConfiguration", "passive-sts", passiveStsMembers, (member) => ({ ...passiveSts, ...member })),
  own("updateWsTrustConfiguration", "another certificate", false, (ask, id) =>
    ask("PUT", protocol(id, "ws-trust"), { body: { ...wsTrust, certificateAlias: "other" } }),
  ),
  own("updateCustomConfiguration", "an address", false, (ask, id) =>
    ask("PUT", protocol(id, "cas"), {
      body: { name: "cas", configName: "cas", properties: [{ key: "serviceURL", value: "https://stranger.example" }] },
    }),
  ),
  ...each(
    "patchApplication",
    patchMembers,
    "users",
    (path, value) => (ask, id) => ask("PATCH", pathOf(id), { body: nested(path, value) }),
  ),
  own("patchApplication", "as it was read", false, async (ask, id) => {
    const {
      id: _,
      clientId,
      issuer,
      realm,
      isManagementApp,
      isB2BSelfServiceApp,
      inboundProtocols,
      access,
      ...body
    } = (await ask("GET", pathOf(id))).body;
    return ask("PATCH", pathOf(id), { body });
  }),
  own(
    "patchApplication",
    "enabled",
    true,
    (ask, id) => ask("PATCH", pathOf(id), { body: { applicationEnabled: true } }),
    "disabled",
  ),
  own(
    "patchApplication",
    "its description, while disabled",
    false,
    (ask, id) => ask("PATCH", pathOf(id), { body: { description: "b" } }),
    "disabled",
  ),
  own("updateAuthenticationScript", "a script", true, (ask, id) =>
    ask("PUT", pathOf(id, "/authenticationSequence/script"), { body: { script: "executeStep(2);" } }),
  ),
  own("updateAuthenticationScript", "none", false, (ask, id) =>
    ask("PUT", pathOf(id, "/authenticationSequence/script"), { body: { script: "" } }),
  ),
  own("deleteApplication", "it", false, (ask, id) => ask("DELETE", pathOf(id))),
  own("changeApplicationOwner", "to the caller", false, async (ask, id) => {
    const me = (await ask("GET", "/scim2/Me")).body.id;
    return ask("PUT", pathOf(id, "/owner"), { body: { id: me } });
  }),
  own("authorizeApi", "for a scope", true, async (ask, id) => {
    const role = systemApis.find(({ identifier }) => identifier === "/scim2/Groups");
    return ask("POST", authorizations(id), { body: { id: role?.id, scopes: ["internal_group_mgt_view"] } });
  }),
  own("patchAuthorizedApi", "for one more scope", true, (ask, id) =>
    ask("PATCH", authorizations(id, `/${API}`), { body: { addedScopes: [ANOTHER] } }),
  ),
  own("patchAuthorizedApi", "for one scope less", false, (ask, id) =>
    ask("PATCH", authorizations(id, `/${API}`), { body: { removedScopes: [SCOPE] } }),
  ),
  own("deleteAuthorizedApi", "it", false, (ask, id) => ask("DELETE", authorizations(id, `/${API}`))),
];

function regenerate(ask: Send, id: string): Promise<Answer> {
  return ask("POST", protocol(id, "oidc/regenerate-secret"));
}

/** A change for each value of each member. */
function each(
  operation: string,
  members: Members,
  state: Change["state"],
  sending: (path: string, value: unknown) => Change["send"],
): readonly Change[] {
  return Object.entries(members).flatMap(([path, values]) =>
    values.map(([value, isGain]) => ({
      operation,
      name: `${operation}: ${path} ${String(JSON.stringify(value)).slice(0, 80)}`,
      state,
      isGain,
      send: sending(path, value),
    })),
  );
}

/** A flag whose default is false. */
function flags(isGain: boolean): readonly (readonly [boolean, boolean])[] {
  return [
    [true, isGain],
    [false, false],
  ];
}

/** An object with the value at a path. */
function nested(path: string, value: unknown): Body {
  return path.split(".").reduceRight<unknown>((below, name) => ({ [name]: below }), value) as Body;
}

function withMember(body: Body, path: string, value: unknown): Body {
  const [name = "", ...rest] = path.split(".");
  if (rest.length === 0) return { ...body, [name]: value };
  return { ...body, [name]: withMember((body[name] ?? {}) as Body, rest.join("."), value) };
}
