/**
 * What a change of an application newly lets somebody do: act as the application, or receive what its users sign in
 * for. A caller that makes such a change could have given the scopes of the application (decision 0061). Pure.
 */
import { assertionAlgorithms } from "../../tokens/assertion-algorithms.ts";
import { joseAlgorithm } from "../protocols/client-authentication.ts";
import { secretsOf } from "../protocols/client-secrets.ts";
import { fapiOptions, oidcOptions } from "../protocols/options.ts";
import { defaultSteps } from "./authenticators.ts";
import type { Application } from "./model.ts";
import { SUBJECT_CLAIM } from "./present.ts";
import { admitsMoreRoles } from "./role-rules.ts";
import { openingProofs } from "./sequence-model.ts";

type Client = NonNullable<Application["inbound"]["oidc"]>;

/**
 * The ways in that one setting opens. A change is a gain where it adds one: so whatever only removes ways is none. An
 * absent default and a default that was sent must give the same ways.
 */
type Ways<From> = (settings: From) => readonly string[];

const UNBOUND = "None";
/** What a client without a registered method may use. */
const SECRET_METHODS = ["client_secret_basic", "client_secret_post"];

const ofClient: Readonly<Record<string, Ways<Client>>> = {
  clientId: ({ clientId }) => [clientId],
  // Another expiry is another way: a longer one lets an expired secret be used again.
  clientSecret: (client) =>
    secretsOf(client).map(({ sealedSecret, expiresAtSeconds = 0 }) => JSON.stringify([sealedSecret, expiresAtSeconds])),
  state: ({ state }) => way(state === "ACTIVE"),
  grantTypes: ({ grantTypes }) => grantTypes,
  // A public client cannot act on its own account; a confidential one cannot act without its secret.
  publicClient: ({ publicClient, grantTypes }) => [
    ...way(publicClient, "without a secret"),
    ...way(!publicClient && grantTypes.includes("client_credentials"), "on its own account"),
  ],
  clientAuthentication: authenticationWays,
  callbackURLs: ({ callbackURLs }) => callbackURLs,
  pkce: ({ pkce }) => [
    ...way(!pkce.mandatory, "without a proof"),
    ...way(pkce.supportPlainTransformAlgorithm, "with the proof in plain text"),
  ],
  accessToken: ({ accessToken: { bindingType = UNBOUND, validateTokenBinding } }) => [
    ...(bindingType === UNBOUND ? oidcOptions.accessTokenBindingType.options : [bindingType]),
    ...way(!validateTokenBinding, "binding not validated"),
  ],
  // Who gets a subject token of a user can act as this user.
  subjectToken: ({ subjectToken }) => way(subjectToken?.enable),
  pushAuthorizationRequest: ({ pushAuthorizationRequest: pushed }) => way(!pushed?.requirePushAuthorizationRequest),
  requestObject: ({ requestObject: { requestObjectSigningAlg: algorithm, encryption } = {} }) => [
    ...(algorithm ? [algorithm] : oidcOptions.requestObjectSignatureAlgorithm.options),
    ...way(!encryption?.algorithm, "not encrypted"),
  ],
  idToken: ({ idToken: { encryption } }) => way(!encryption?.enabled, "not encrypted"),
  hybridFlow: ({ hybridFlow: { enable, responseType = "" } = {} }) =>
    enable ? responseType.split(",").map((type) => type.trim()) : [],
  subject: ({ subject: { subjectType = "public", sectorIdentifierUri = "" } = {} }) => [
    JSON.stringify([subjectType, subjectType === "public" ? "" : sectorIdentifierUri]),
  ],
  cibaAuthenticationRequest: ({ cibaAuthenticationRequest: ciba = {} }) => [
    ...(ciba.notificationChannels ?? []),
    ...way(ciba.skipUserValidation, "without validation of the user"),
    ...way(ciba.allowFederatedUsers, "federated users"),
  ],
  isFAPIApplication: ({ isFAPIApplication, fapiProfile = "" }) =>
    isFAPIApplication ? [fapiProfile] : ["", ...fapiOptions.profiles, "without a profile"],
  validateRequestObjectSignature: ({ validateRequestObjectSignature }) => way(!validateRequestObjectSignature),
  scopeValidators: ({ scopeValidators }) =>
    oidcOptions.scopeValidators.options.filter((name) => !scopeValidators.includes(name)),
};

const ofApplication: Readonly<Record<string, Ways<Application>>> = {
  applicationEnabled: ({ applicationEnabled }) => way(applicationEnabled),
  enhancedOrgAuthenticationEnabled: ({ enhancedOrgAuthenticationEnabled }) => way(enhancedOrgAuthenticationEnabled),
  // The key of request objects and of client assertions.
  "advancedConfigurations.certificate": ({ advancedConfigurations: { certificate } }) =>
    certificate ? [JSON.stringify([certificate.type, certificate.value])] : [],
  "advancedConfigurations.saas": ({ advancedConfigurations: { saas } }) => way(saas),
  "advancedConfigurations.skipLoginConsent": ({ advancedConfigurations: { skipLoginConsent } }) =>
    way(skipLoginConsent),
  "advancedConfigurations.enableAPIBasedAuthentication": ({ advancedConfigurations: settings }) =>
    way(settings.enableAPIBasedAuthentication),
  "advancedConfigurations.enableAuthorization": ({ advancedConfigurations: { enableAuthorization } }) =>
    way(!enableAuthorization),
  "advancedConfigurations.attestationMetaData": ({ advancedConfigurations: { attestationMetaData: given = {} } }) => [
    ...way(!given.enableClientAttestation, "without attestation"),
    ...texts(given.androidPackageName, given.appleAppId),
  ],
  "advancedConfigurations.trustedAppConfiguration": ({ advancedConfigurations: settings }) => {
    const {
      isFIDOTrustedApp,
      androidPackageName,
      androidThumbprints = [],
      appleAppId,
    } = {
      ...settings.trustedAppConfiguration,
    };
    return [...way(isFIDOTrustedApp), ...texts(androidPackageName, appleAppId, ...androidThumbprints)];
  },
  authenticationSequence: sequenceWays,
  "claimConfiguration.subject": subjectWays,
  "saml.assertionConsumerUrls": ({ inbound: { saml } }) => saml?.assertionConsumerUrls ?? [],
  "saml.imported.keys": ({ inbound: { saml } }) => (saml?.imported?.keys ?? []).map((key) => JSON.stringify(key)),
  "passiveSts.replyTo": ({ inbound: { passiveSts } }) => texts(passiveSts?.replyTo),
};

/** The settings through which a change newly lets somebody do something; empty for one that only takes away. */
export function gainsOf(before: Application, after: Application): readonly string[] {
  const { oidc } = after.inbound;
  return [
    ...(oidc ? opened(ofClient, before.inbound.oidc, oidc) : []),
    ...opened(ofApplication, before, after),
    ...(admitsMoreRoles(before.associatedRoles, after.associatedRoles) ? ["associatedRoles"] : []),
  ];
}

function opened<From>(
  settings: Readonly<Record<string, Ways<From>>>,
  before: From | undefined,
  after: From,
): readonly string[] {
  return Object.entries(settings).flatMap(([setting, waysOf]) => {
    const had = new Set(before === undefined ? [] : waysOf(before));
    return waysOf(after).every((one) => had.has(one)) ? [] : [setting];
  });
}

/** How somebody may show to be the client. The certificate itself is a setting of the application. */
function authenticationWays({ clientAuthentication: settings, publicClient }: Client): readonly string[] {
  const { tokenEndpointAuthMethod: method, tokenEndpointAuthSigningAlg, tlsClientAuthSubjectDn } = { ...settings };
  if (!method) return publicClient ? [...SECRET_METHODS, "none"] : SECRET_METHODS;
  const algorithms = tokenEndpointAuthSigningAlg ? [joseAlgorithm(tokenEndpointAuthSigningAlg)] : assertionAlgorithms;
  return [
    method,
    ...(method === "private_key_jwt" ? algorithms : []),
    ...way(settings?.tokenEndpointAllowReusePvtKeyJwt, "an assertion again"),
    ...(method === "tls_client_auth" ? [`subject ${tlsClientAuthSubjectDn ?? "of the certificate"}`] : []),
  ];
}

/**
 * Who may sign in, by step. Removing an option of a step is no gain, unless less is enough then; removing a step is
 * one.
 */
function sequenceWays({ authenticationSequence: sequence }: Application): readonly string[] {
  const { type, steps: own, requestPathAuthenticators, script = "", subjectStepId, attributeStepId } = sequence;
  const steps = type === "DEFAULT" ? defaultSteps : own;
  return [
    JSON.stringify([steps.map(({ id }) => id), subjectStepId, attributeStepId, script]),
    ...steps.flatMap(({ id, options }) =>
      options.map(({ idp, authenticator }) => JSON.stringify([id, idp, authenticator])),
    ),
    ...openingProofs({ ...sequence, steps }),
    ...requestPathAuthenticators,
  ];
}

/** Which attribute of a user a token is about. */
function subjectWays({ claimConfiguration: { dialect, subject, claimMappings } }: Application): readonly string[] {
  const claim = subject.claim?.uri ?? subject.claim?.id ?? (dialect === "LOCAL" ? SUBJECT_CLAIM : "");
  const mapped = claimMappings.find(({ applicationClaim }) => applicationClaim === claim)?.localClaim;
  const local = dialect === "LOCAL" ? claim : (mapped?.uri ?? mapped?.id ?? "");
  const flags = [
    subject.includeUserDomain,
    subject.includeTenantDomain,
    subject.useMappedLocalSubject,
    subject.mappedLocalSubjectMandatory,
  ];
  return [JSON.stringify([local, ...flags.map(Boolean)])];
}

function way(isOpen: boolean | undefined, name = "open"): readonly string[] {
  return isOpen ? [name] : [];
}

function texts(...given: readonly (string | undefined)[]): readonly string[] {
  return given.filter((text) => text !== undefined && text !== "") as string[];
}
