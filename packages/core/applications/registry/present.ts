/** The representation of an application: its settings, with the defaults of those that were never set. */
import type * as z from "zod";
import { protocolRefs, samlKey } from "../protocols/kinds.ts";
import { defaultSteps, LOCAL_IDP, localAuthenticators } from "./authenticators.ts";
import { APPLICATION_VERSION, type Application, type ProvisioningSettings } from "./model.ts";
import { type Application as ApplicationShape, advancedSwitches, type StepAuthenticators } from "./shapes.ts";

type Shown = z.input<typeof ApplicationShape>;

/** The subject of tokens in the local dialect, where an application names none. */
export const SUBJECT_CLAIM = "http://wso2.org/claims/userid";
const ROLE_CLAIM = "http://wso2.org/claims/role";

/** The path of an application, with its tenant. */
export function selfOf(tenant: string, id: string): string {
  return `/t/${tenant}/api/server/v1/applications/${id}`;
}

/** The advanced configurations with every switch shown. */
export function presentAdvanced({
  advancedConfigurations,
}: Pick<Application, "advancedConfigurations">): Shown["advancedConfigurations"] {
  return {
    attestationMetaData: { enableClientAttestation: false },
    ...advancedConfigurations,
    ...(Object.fromEntries(advancedSwitches.map((name) => [name, advancedConfigurations[name] ?? false])) as Record<
      (typeof advancedSwitches)[number],
      boolean
    >),
    additionalSpProperties: [],
  };
}

/** The provisioning settings with every switch of an identity provider shown. */
export function presentProvisioning(settings: ProvisioningSettings): Shown["provisioningConfigurations"] {
  return {
    ...settings,
    outboundProvisioningIdps: settings.outboundProvisioningIdps.map(({ blocking, rules, jit, ...named }) => ({
      ...named,
      blocking: blocking ?? false,
      rules: rules ?? false,
      jit: jit ?? false,
    })),
  };
}

export function presentApplication(tenant: string, application: Application): Shown {
  const {
    ownerId: _,
    kept: ___,
    claimConfiguration: __,
    inbound,
    provisioningConfigurations,
    authenticationSequence,
    ...plain
  } = application;
  return {
    ...plain,
    clientId: inbound.oidc?.clientId ?? "",
    issuer: inbound.saml ? samlKey(inbound.saml) : "",
    realm: inbound.passiveSts?.realm ?? "",
    applicationVersion: APPLICATION_VERSION,
    isB2BSelfServiceApp: application.isB2BSelfServiceApp ?? false,
    enhancedOrgAuthenticationEnabled: application.enhancedOrgAuthenticationEnabled ?? false,
    associatedRoles: presentAssociatedRoles(application),
    claimConfiguration: presentClaims(application),
    inboundProtocols: protocolRefs(inbound, selfOf(tenant, application.id)),
    authenticationSequence: { ...authenticationSequence, steps: effectiveSteps(application) },
    advancedConfigurations: presentAdvanced(application),
    provisioningConfigurations: presentProvisioning(provisioningConfigurations),
    access: "WRITE",
  };
}

/** The roles that count in tokens of the application. */
export function presentAssociatedRoles({
  associatedRoles,
}: Pick<Application, "associatedRoles">): Shown["associatedRoles"] {
  return associatedRoles ?? { allowedAudience: "ORGANIZATION" };
}

function presentClaims({ claimConfiguration }: Application): Shown["claimConfiguration"] {
  const { dialect, claimMappings, requestedClaims, subject, role } = claimConfiguration;
  return {
    dialect,
    claimMappings,
    requestedClaims: requestedClaims.map(({ claim, mandatory }) => ({ claim, mandatory: mandatory ?? false })),
    subject: {
      ...claimOr(subject.claim, dialect, SUBJECT_CLAIM),
      includeUserDomain: subject.includeUserDomain ?? false,
      includeTenantDomain: subject.includeTenantDomain ?? false,
      useMappedLocalSubject: subject.useMappedLocalSubject ?? false,
      mappedLocalSubjectMandatory: subject.mappedLocalSubjectMandatory ?? false,
    },
    role: {
      ...(role.mappings?.length && { mappings: role.mappings }),
      includeUserDomain: role.includeUserDomain ?? true,
      ...claimOr(role.claim, dialect, ROLE_CLAIM),
    },
  };
}

/** The claim, or the default of the local dialect; the custom dialect has no default. */
function claimOr<C extends { uri?: string | undefined }>(claim: C | undefined, dialect: string, uri: string) {
  if (claim) return { claim };
  return dialect === "LOCAL" ? { claim: { uri } } : {};
}

/** The authenticators of each step: local ones by display name, federated ones by identity provider. */
export function presentAuthenticators(application: Application): z.input<typeof StepAuthenticators>[] {
  return effectiveSteps(application).map(({ id, options }) => ({
    stepId: id,
    localAuthenticators: options
      .filter(({ idp }) => idp === LOCAL_IDP)
      .map(({ authenticator }) => ({
        name: localAuthenticators.get(authenticator)?.displayName ?? authenticator,
        type: authenticator,
      })),
    federatedAuthenticators: options
      .filter(({ idp }) => idp !== LOCAL_IDP)
      .map(({ idp, authenticator }) => ({ name: idp, type: authenticator })),
  }));
}

/** The steps of the application, or of the default sequence. */
function effectiveSteps({ authenticationSequence: { type, steps } }: Application) {
  return type === "DEFAULT" ? defaultSteps : steps;
}
