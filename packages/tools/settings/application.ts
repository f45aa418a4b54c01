/** What each setting of an application itself does (decision 0075). */
import { enforced, kept, type Rows, refused } from "./row.ts";

const SIGN_IN = "The sign-in side";
/** The tests of sign-in. */
const SIGN_INS = "http/sign-in/sign-in.test.ts";
const CODES = "http/sign-in/codes.test.ts";
const FACTOR = "where a second factor is needed, a password is not enough";
const STEPS = "a step that codes can satisfy among others needs a code; what nothing here satisfies is refused";
const GRANT = "the grant password is refused for an application that asks for more than a password";
const CONSENT = "is asked once for each application and scope, and remembered";
const CLAIMS = "an application that requests claims gets these, and the subject that it chose";
const ROLE_NAMES = "roles have the names that the application gives them";
const CREATE = "http/applications/createApplication.test.ts";
const ROLES = "http/oauth/associated-roles.test.ts";

const CLAIMS_OF = "http/sign-in/claims.test.ts";
const CUSTOM = "dialect CUSTOM gives the names of claimMappings";
const BY_ID = "a requested claim and the subject can be named by their ids";
const ROLE_CLAIM = "role.includeUserDomain and role.claim change names of roles and of their claim";

const claim = (what: string, test: string): Rows => ({
  [`${what}.uri`]: enforced("The claim", CLAIMS_OF, test),
  [`${what}.id`]: enforced("The claim, where it has no uri", CLAIMS_OF, test),
  [`${what}.displayName`]: kept("A label for people"),
});

const advanced: Rows = {
  "advancedConfigurations.saas": enforced(
    "Users of other tenants sign in",
    "http/sign-in/saas.test.ts",
    "gets tokens of the application's tenant, with a subject and names that end in the own one",
  ),
  "advancedConfigurations.discoverableByEndUsers": kept("A portal lists the application; needs accessUrl"),
  "advancedConfigurations.skipLoginConsent": enforced("Users are not asked for consent", SIGN_INS, CONSENT),
  "advancedConfigurations.skipLogoutConsent": kept(
    "A sign-out with the ID token of the session does not ask, any other always does",
  ),
  "advancedConfigurations.useExternalConsentPage": kept(`${SIGN_IN}: consent on a page of its own; not with SAML2`),
  "advancedConfigurations.returnAuthenticatedIdpList": kept(`${SIGN_IN}: names the identity providers`),
  "advancedConfigurations.enableAuthorization": kept(
    `${SIGN_IN}: a policy decides who may sign in`,
    "The token endpoint asks no policy.",
  ),
  "advancedConfigurations.fragment": kept("Marks a part of an application that organisations share"),
  "advancedConfigurations.enableAPIBasedAuthentication": kept(`${SIGN_IN}: sign-in by an API, without a browser`),
  "advancedConfigurations.certificate.type": enforced(
    "Where the keys of the application are: PEM or JWKS; checked",
    "http/oauth/hostile-assertions.test.ts",
    "without a certificate no assertion is right",
  ),
  "advancedConfigurations.certificate.value": enforced(
    "The keys by which the client authenticates; checked",
    "http/oauth/hostile-assertions.test.ts",
    "a replaced key is refused at once, and the new one is accepted",
  ),
  "advancedConfigurations.trustedAppConfiguration.isFIDOTrustedApp": kept(`${SIGN_IN}: passkeys of a mobile app`),
  "advancedConfigurations.trustedAppConfiguration.isConsentGranted": kept(`${SIGN_IN}: consent to the listing`),
  "advancedConfigurations.trustedAppConfiguration.androidPackageName": kept(`${SIGN_IN}: the mobile app`),
  "advancedConfigurations.trustedAppConfiguration.androidThumbprints": kept(`${SIGN_IN}: the mobile app`),
  "advancedConfigurations.trustedAppConfiguration.appleAppId": kept(`${SIGN_IN}: the mobile app`),
  "advancedConfigurations.attestationMetaData.enableClientAttestation": kept(
    `${SIGN_IN}: a mobile app proves that it is genuine`,
    "The token endpoint asks for no attestation.",
  ),
  "advancedConfigurations.attestationMetaData.androidPackageName": kept(`${SIGN_IN}: the mobile app`),
  "advancedConfigurations.attestationMetaData.appleAppId": kept(`${SIGN_IN}: the mobile app`),
  "advancedConfigurations.discoverableGroups[].userStore": kept("A portal: which groups find the application"),
  "advancedConfigurations.discoverableGroups[].groups[].id": kept("A portal: a group; not looked up"),
  "advancedConfigurations.discoverableGroups[].groups[].name": kept("A label for people"),
  ...Object.fromEntries(
    ["name", "value", "displayName"].map((member) => [
      `advancedConfigurations.additionalSpProperties[].${member}`,
      refused("No property of its own kind has an effect; an empty list is accepted", "x"),
    ]),
  ),
};

const sequence: Rows = {
  "authenticationSequence.type": enforced("With DEFAULT a password is enough, and no step counts", CODES, GRANT),
  "authenticationSequence.steps[].id": enforced("The order of the steps", CODES, STEPS),
  "authenticationSequence.steps[].options[].idp": enforced("Of another identity provider there is none", CODES, STEPS),
  "authenticationSequence.steps[].options[].authenticator": enforced(
    "BasicAuthenticator and totp; a step without one of those that are here refuses sign-ins",
    CODES,
    FACTOR,
  ),
  "authenticationSequence.requestPathAuthenticators": kept(`${SIGN_IN}: authenticators of the request; checked`),
  "authenticationSequence.script": enforced("Never runs: with a script, sign-ins are refused", CODES, STEPS),
  "authenticationSequence.subjectStepId": kept(`${SIGN_IN}: the step that names the subject`),
  "authenticationSequence.attributeStepId": kept(`${SIGN_IN}: the step with the attributes`),
};

const claims: Rows = {
  "claimConfiguration.dialect": enforced("CUSTOM: claims have the names of claimMappings", CLAIMS_OF, CUSTOM),
  "claimConfiguration.claimMappings[].applicationClaim": enforced("The name of a claim", CLAIMS_OF, CUSTOM),
  ...claim("claimConfiguration.claimMappings[].localClaim", CUSTOM),
  ...claim("claimConfiguration.requestedClaims[].claim", BY_ID),
  "claimConfiguration.requestedClaims[].mandatory": enforced(
    "A user without a value gets no code, and is not asked for one",
    CLAIMS_OF,
    "a user without a mandatory claim gets an error that names it, and a user with it signs in",
  ),
  ...claim("claimConfiguration.subject.claim", BY_ID),
  "claimConfiguration.subject.includeUserDomain": enforced(
    "The subject begins with the user store, except PRIMARY",
    "http/sign-in/stores.test.ts",
    "its users sign in with their store before the name, and users of the table are others",
  ),
  "claimConfiguration.subject.includeTenantDomain": enforced("The subject ends in the tenant", SIGN_INS, CLAIMS),
  "claimConfiguration.subject.useMappedLocalSubject": kept(`${SIGN_IN}: the subject of a federated user`),
  "claimConfiguration.subject.mappedLocalSubjectMandatory": kept(`${SIGN_IN}: the subject of a federated user`),
  "claimConfiguration.role.mappings[].localRole": enforced("A role in claims", SIGN_INS, ROLE_NAMES),
  "claimConfiguration.role.mappings[].applicationRole": enforced("Its name in claims", SIGN_INS, ROLE_NAMES),
  "claimConfiguration.role.includeUserDomain": enforced(
    "Names of roles in claims begin with Internal or Application",
    CLAIMS_OF,
    ROLE_CLAIM,
  ),
  ...claim("claimConfiguration.role.claim", ROLE_CLAIM),
};

const provisioning: Rows = {
  "provisioningConfigurations.inboundProvisioning.proxyMode": kept("Provisioning through the application"),
  "provisioningConfigurations.inboundProvisioning.provisioningUserstoreDomain": kept(
    "Provisioning through the application",
  ),
  ...Object.fromEntries(
    ["idp", "connector", "blocking", "rules", "jit"].map((member) => [
      `provisioningConfigurations.outboundProvisioningIdps[].${member}`,
      kept("Provisioning to an identity provider, which this service does not do"),
    ]),
  ),
};

/** The rows of an application without its protocols. */
export const applicationRows: Rows = {
  name: enforced("Unique in the tenant", CREATE, "one of many concurrent requests gets the name"),
  description: kept("A text for people"),
  imageUrl: kept("A portal: the image"),
  accessUrl: kept("A portal: where the application is"),
  logoutReturnUrl: kept("A portal shows it; a sign-out goes to one of the callbackURLs, if the request names it"),
  templateId: kept("What the application was made from"),
  templateVersion: kept("What the application was made from"),
  applicationVersion: refused("The server manages it; its own value is accepted", "v1.0.0"),
  applicationEnabled: enforced(
    "A disabled application gets no token, and its tokens end",
    "http/oauth/requestToken.test.ts",
    "a client whose application is disabled or deleted, or whose configuration is deleted",
  ),
  isManagementApp: kept("A label of applications that manage the server; set once"),
  isB2BSelfServiceApp: kept("A label of applications for organisations; set once"),
  enhancedOrgAuthenticationEnabled: kept(`${SIGN_IN}: users of organisations may sign in`),
  "associatedRoles.allowedAudience": enforced(
    "APPLICATION: roles of the tenant give no scopes in tokens of the application",
    ROLES,
    "with the audience APPLICATION, roles of the tenant do not count",
  ),
  "associatedRoles.roles[].id": enforced(
    "Only these roles give scopes in tokens of the application",
    ROLES,
    "only the listed roles count",
  ),
  "associatedRoles.roles[].name": enforced(
    "The server fills in the name of the role",
    ROLES,
    "are shown with the names that they have",
  ),
  ...claims,
  ...sequence,
  ...advanced,
  ...provisioning,
};
