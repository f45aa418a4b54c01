/** An application: what a fresh one has, and how a body changes it. Pure. */
import type * as z from "zod";
import { storedAddress } from "../protocols/addresses.ts";
import type { InboundProtocols } from "../protocols/model.ts";
import { isInline } from "./client-keys.ts";
import type {
  AdvancedConfigurations,
  ApplicationPatch,
  AuthenticationSequence,
  ProvisioningConfiguration,
} from "./shapes.ts";
import type { ClaimConfiguration } from "./shapes-claims.ts";
import type { AssociatedRoles } from "./shapes-roles.ts";

type Patch = z.output<typeof ApplicationPatch>;
type Claims = z.output<typeof ClaimConfiguration>;
type Sequence = z.output<typeof AuthenticationSequence>;
type Advanced = z.output<typeof AdvancedConfigurations>;
type Provisioning = z.output<typeof ProvisioningConfiguration>;
/** The roles that count in tokens of an application. */
export type AssociatedRoleSettings = z.output<typeof AssociatedRoles>;
type Defined<T> = { [Name in keyof T]-?: Exclude<T[Name], undefined> };

/** The settings of an application. Texts that were never set are absent; lists are always present. */
export interface Application {
  readonly id: string;
  readonly name: string;
  readonly description?: string;
  readonly imageUrl?: string;
  readonly accessUrl?: string;
  readonly logoutReturnUrl?: string;
  readonly templateId?: string;
  readonly templateVersion?: string;
  readonly isManagementApp: boolean;
  readonly isB2BSelfServiceApp?: boolean;
  readonly applicationEnabled: boolean;
  readonly enhancedOrgAuthenticationEnabled?: boolean;
  /** Absent: all roles of the tenant and of the application count. */
  readonly associatedRoles?: AssociatedRoleSettings;
  readonly claimConfiguration: Defined<Pick<Claims, "dialect" | "claimMappings" | "requestedClaims">> & {
    readonly subject: NonNullable<Claims["subject"]>;
    readonly role: NonNullable<Claims["role"]>;
  };
  readonly authenticationSequence: Defined<Omit<Sequence, "script">> & { readonly script?: string };
  readonly advancedConfigurations: Omit<Advanced, "additionalSpProperties">;
  readonly provisioningConfigurations: ProvisioningSettings;
  readonly inbound: InboundProtocols;
  /** Content of the imported file that has no setting here: sealed, for exports only (decision 0041). */
  readonly kept?: string;
  /** The id of the user who owns it; empty for none. No operation shows it. */
  readonly ownerId: string;
}

/** Provisioning of users, for an application or the resident application. */
export interface ProvisioningSettings {
  readonly inboundProvisioning?: NonNullable<Provisioning["inboundProvisioning"]>;
  readonly outboundProvisioningIdps: NonNullable<Provisioning["outboundProvisioningIdps"]>;
}

export const noProvisioning: ProvisioningSettings = { outboundProvisioningIdps: [] };

type ClaimMapping = Application["claimConfiguration"]["claimMappings"][number];

/** The version of the settings of applications: the one of WSO2 Identity Server that this service follows. */
export const APPLICATION_VERSION = "v2.0.0";

/** A fresh application that has only a name. */
export function freshApplication(id: string, name: string, ownerId: string, isManagementApp: boolean): Application {
  return {
    id,
    name,
    isManagementApp,
    applicationEnabled: true,
    claimConfiguration: { dialect: "LOCAL", claimMappings: [], requestedClaims: [], subject: {}, role: {} },
    authenticationSequence: {
      type: "DEFAULT",
      steps: [],
      requestPathAuthenticators: [],
      subjectStepId: 1,
      attributeStepId: 1,
    },
    advancedConfigurations: {},
    provisioningConfigurations: noProvisioning,
    inbound: {},
    ownerId,
  };
}

/** The application with the certificate of SAML metadata (Base64 of a PEM), if there is one. */
export function withCertificate(before: Application, certificate: string | undefined): Application {
  return certificate === undefined
    ? before
    : {
        ...before,
        advancedConfigurations: { ...before.advancedConfigurations, certificate: { type: "PEM", value: certificate } },
      };
}

/** The provisioning settings after a body. Members that the body does not have stay. */
export function mergeProvisioning(before: ProvisioningSettings, body: Provisioning): ProvisioningSettings {
  const inbound = { ...before.inboundProvisioning, ...body.inboundProvisioning };
  return {
    ...(Object.keys(inbound).length > 0 && { inboundProvisioning: inbound }),
    outboundProvisioningIdps: body.outboundProvisioningIdps ?? before.outboundProvisioningIdps,
  };
}

/** The application after a body. Members that the body does not have stay (decision 0006). */
export function mergeApplication(before: Application, body: Patch): Application {
  const {
    claimConfiguration,
    authenticationSequence,
    advancedConfigurations,
    provisioningConfigurations,
    imageUrl,
    accessUrl,
    logoutReturnUrl,
    applicationVersion: _,
    enhancedOrgAuthenticationEnabled,
    associatedRoles,
    ...scalars
  } = body;
  return {
    ...before,
    ...scalars,
    name: scalars.name ?? before.name,
    applicationEnabled: scalars.applicationEnabled ?? before.applicationEnabled,
    ...(enhancedOrgAuthenticationEnabled !== undefined && { enhancedOrgAuthenticationEnabled }),
    // Replaced as a whole: an audience without a list means all roles of the audience.
    ...(associatedRoles && { associatedRoles }),
    ...(imageUrl !== undefined && { imageUrl: storedLink(imageUrl) }),
    ...(accessUrl !== undefined && { accessUrl: storedLink(accessUrl) }),
    ...(logoutReturnUrl !== undefined && { logoutReturnUrl: storedLink(logoutReturnUrl) }),
    ...(claimConfiguration && { claimConfiguration: mergeClaims(before.claimConfiguration, claimConfiguration) }),
    ...(authenticationSequence && {
      authenticationSequence: mergeSequence(before.authenticationSequence, authenticationSequence),
    }),
    ...(advancedConfigurations && {
      advancedConfigurations: mergeAdvanced(before.advancedConfigurations, advancedConfigurations),
    }),
    ...(provisioningConfigurations && {
      provisioningConfigurations: mergeProvisioning(before.provisioningConfigurations, provisioningConfigurations),
    }),
  };
}

function storedLink(address: string): string {
  return storedAddress(address.trim(), "link");
}

function mergeClaims(before: Application["claimConfiguration"], body: Claims): Application["claimConfiguration"] {
  return {
    dialect: body.dialect ?? before.dialect,
    claimMappings: mappingsOf(before.claimMappings, body),
    requestedClaims: body.requestedClaims ?? before.requestedClaims,
    subject: { ...before.subject, ...withoutEmptyClaim(body.subject) },
    role: { ...before.role, ...withoutEmptyClaim(body.role) },
  };
}

/** A claim with an empty `uri` is an absent member. */
function withoutEmptyClaim<P extends Claims["subject"] | Claims["role"]>(part: P): P {
  if (part?.claim?.uri !== "") return part;
  const { claim, ...rest } = part;
  const { uri: _, ...named } = claim ?? {};
  return { ...rest, ...(named.id && { claim: named }) } as P;
}

/**
 * Requested claims without mappings are mapped to themselves. Only a body with mappings replaces mappings of other
 * kinds.
 */
function mappingsOf(before: readonly ClaimMapping[], body: Claims): ClaimMapping[] {
  if (body.claimMappings) return body.claimMappings;
  if (!body.requestedClaims || !before.every(isIdentity)) return [...before];
  return body.requestedClaims.map(({ claim }) => ({
    applicationClaim: claim.uri ?? claim.id ?? "",
    localClaim: claim,
  }));
}

function isIdentity({ applicationClaim, localClaim }: ClaimMapping): boolean {
  return applicationClaim === (localClaim.uri ?? localClaim.id);
}

function mergeSequence(
  before: Application["authenticationSequence"],
  body: Sequence,
): Application["authenticationSequence"] {
  const requestPathAuthenticators = body.requestPathAuthenticators ?? before.requestPathAuthenticators;
  const named = body.script?.trim() ? { script: body.script } : {};
  const type = body.type ?? (body.steps?.length ? "USER_DEFINED" : before.type);
  if (type === "DEFAULT") {
    // The default sequence replaces everything that was defined, except its own script.
    const script = before.type === "DEFAULT" && before.script !== undefined ? { script: before.script } : {};
    return { type, steps: [], requestPathAuthenticators, subjectStepId: 1, attributeStepId: 1, ...script, ...named };
  }
  const steps = [...(body.steps ?? before.steps)].sort((a, b) => a.id - b.id);
  return {
    type,
    steps,
    requestPathAuthenticators,
    subjectStepId: stepOr1(body.subjectStepId ?? before.subjectStepId, steps),
    attributeStepId: stepOr1(body.attributeStepId ?? before.attributeStepId, steps),
    ...(before.script !== undefined && { script: before.script }),
    ...named,
  };
}

/** A step number that no step has means the first step. */
function stepOr1(number: number, steps: readonly unknown[]): number {
  return number >= 1 && number <= steps.length ? number : 1;
}

function mergeAdvanced(
  before: Application["advancedConfigurations"],
  { additionalSpProperties: _, ...body }: Advanced,
): Application["advancedConfigurations"] {
  const { certificate } = body;
  const isAddress = certificate?.type === "JWKS" && !isInline(certificate.value);
  return {
    ...before,
    ...body,
    ...(isAddress && { certificate: { ...certificate, value: storedAddress(certificate.value, "endpoint") } }),
  };
}
