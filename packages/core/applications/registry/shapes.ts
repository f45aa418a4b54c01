/**
 * The shapes of applications (AM-061 to AM-092), with the further members that WSO2's clients send. Members are
 * optional and have no defaults here: PATCH uses the same shapes, and a default would reset what the caller did not
 * send. model.ts has the defaults of a fresh application.
 */

import { isMissing, messageOf } from "../../kernel/issues.ts";
import { PageLinks, withoutNulls } from "../../kernel/management-api.ts";
import * as z from "../../kernel/zod.ts";
import { InboundProtocolRef, InboundProtocolsBody } from "../protocols/shapes.ts";
import { ClaimConfiguration } from "./shapes-claims.ts";
import { list, text } from "./shapes-parts.ts";
import { AssociatedRoles, AssociatedRolesShown, DiscoverableGroups, DiscoverableGroupsShown } from "./shapes-roles.ts";

/** The scopes of the operations on applications. */
export const applicationScopes = {
  view: "internal_application_mgt_view",
  create: "internal_application_mgt_create",
  update: "internal_application_mgt_update",
  delete: "internal_application_mgt_delete",
} as const;

/** The id of an application: opaque text that fits a key. */
export const ApplicationId = z.string().min(1).max(255);

export const AuthenticationStep = z
  .object({
    id: z.int().min(1).max(100),
    options: z
      .array(z.object({ idp: text(255).min(1), authenticator: text(255).min(1) }))
      .min(1)
      .max(100),
  })
  .meta({ id: "AuthenticationStep" });

export const AuthenticationSequence = z
  .object({
    type: z.enum(["DEFAULT", "USER_DEFINED"]).optional(),
    steps: z.array(AuthenticationStep).max(100).optional(),
    requestPathAuthenticators: z.array(text(255).min(1)).max(100).optional(),
    script: text(100_000).optional(),
    subjectStepId: z.int().optional(),
    attributeStepId: z.int().optional(),
  })
  .meta({ id: "AuthenticationSequence" });

export const Certificate = z
  .object({ type: z.enum(["PEM", "JWKS"]), value: text(20_000).min(1) })
  .meta({ id: "Certificate" });

/** The switches of `advancedConfigurations`; off by default. */
export const advancedSwitches = [
  "saas",
  "discoverableByEndUsers",
  "skipLoginConsent",
  "skipLogoutConsent",
  "useExternalConsentPage",
  "returnAuthenticatedIdpList",
  "enableAuthorization",
  "fragment",
  "enableAPIBasedAuthentication",
] as const;
type Switches<S extends z.ZodType> = { [Name in (typeof advancedSwitches)[number]]: S };

const TrustedApp = z.object({
  isFIDOTrustedApp: z.boolean().optional(),
  isConsentGranted: z.boolean().optional(),
  androidPackageName: text(255).optional(),
  androidThumbprints: z.array(text(255)).max(20).optional(),
  appleAppId: text(255).optional(),
});

const Attestation = z.object({
  enableClientAttestation: z.boolean().optional(),
  androidPackageName: text(255).optional(),
  appleAppId: text(255).optional(),
});

const SpProperty = z.object({ name: text(255), value: text(1024).optional(), displayName: text(255).optional() });

export const AdvancedConfigurations = z
  .object({
    ...switches(z.boolean().optional()),
    certificate: Certificate.optional(),
    trustedAppConfiguration: TrustedApp.optional(),
    attestationMetaData: Attestation.optional(),
    discoverableGroups: DiscoverableGroups.optional(),
    additionalSpProperties: list(SpProperty).optional(),
  })
  .meta({ id: "AdvancedApplicationConfiguration" });

const InboundProvisioning = z.object({
  proxyMode: z.boolean().optional(),
  provisioningUserstoreDomain: text(255).optional(),
});

export const ProvisioningConfiguration = z
  .object({
    inboundProvisioning: InboundProvisioning.optional(),
    outboundProvisioningIdps: list(
      z.object({
        idp: text(255).min(1),
        connector: text(255).min(1),
        blocking: z.boolean().optional(),
        rules: z.boolean().optional(),
        jit: z.boolean().optional(),
      }),
    ).optional(),
  })
  .meta({ id: "ProvisioningConfiguration" });

/** The members that create, PATCH and templates share. rules.ts checks `name`, with codes of its own. */
export const editable = {
  name: z.string().trim(),
  description: text(1024).optional(),
  imageUrl: text(1024).optional(),
  accessUrl: text(1024).optional(),
  logoutReturnUrl: text(2048).optional(),
  templateId: text(255).optional(),
  templateVersion: text(255).optional(),
  applicationVersion: text(50).optional().meta({ description: "Managed by the server: any other version is refused" }),
  applicationEnabled: z.boolean().optional(),
  enhancedOrgAuthenticationEnabled: z.boolean().optional(),
  associatedRoles: AssociatedRoles.optional(),
  claimConfiguration: ClaimConfiguration.optional(),
  authenticationSequence: AuthenticationSequence.optional(),
  advancedConfigurations: AdvancedConfigurations.optional(),
  provisioningConfigurations: ProvisioningConfiguration.optional(),
};

/** Members that only a new application can be given. */
export const fixedSwitches = { isManagementApp: z.boolean().optional(), isB2BSelfServiceApp: z.boolean().optional() };

/** The protocols of a body whose settings are checked later, for the API document and for unknown members. */
export const protocolBodies = {
  saml: { $ref: "#/$defs/SAML2Configuration" },
  oidc: { $ref: "#/$defs/OIDCConfigurationBody" },
  passiveSts: { $ref: "#/$defs/PassiveSTSBody" },
  wsTrust: { $ref: "#/$defs/WSTrustBody" },
  custom: { type: "array", items: { $ref: "#/$defs/CustomProtocolBody" } },
} as const;

/** Adds what is wrong in protocols whatever a template has, so that it is told with the faults of other members. */
function tellFaultsOfProtocols(given: object, context: z.RefinementCtx<object>): void {
  const parsed = InboundProtocolsBody.safeParse(given, { reportInput: true, error: messageOf });
  for (const issue of parsed.error?.issues ?? []) {
    if (!isMissing(issue)) context.addIssue({ ...issue, path: [...issue.path] });
  }
}

/** Body of create as it arrives: its protocols are checked after the template has been merged into it. */
export const NewApplicationBody = z.preprocess(
  withoutNulls,
  z
    .object({
      ...editable,
      ...fixedSwitches,
      inboundProtocolConfiguration: z.looseObject({}).superRefine(tellFaultsOfProtocols).optional().meta({
        description:
          "Each member is like the body of its own PUT; members that the template has may be absent, required ones too",
        properties: protocolBodies,
      }),
    })
    .meta({ id: "NewApplication" }),
);

/** Body of create, merged with the template. */
export const NewApplication = z.preprocess(
  withoutNulls,
  z
    .object({
      ...editable,
      ...fixedSwitches,
      inboundProtocolConfiguration: InboundProtocolsBody.optional(),
    })
    .meta({ id: "CompleteApplication" }),
);

/** Body of PATCH. Absent members stay as they are. */
export const ApplicationPatch = z.preprocess(
  withoutNulls,
  z.object({ ...editable, name: editable.name.optional() }).meta({ id: "ApplicationPatch" }),
);

export const ResidentUpdate = z.preprocess(withoutNulls, ProvisioningConfiguration);

const Bool = z.boolean();

/** Shapes of responses have no limits: a later, lower limit must not make stored data unreadable. */
const ClaimRefShown = z
  .object({ uri: z.string().optional(), id: z.string().optional(), displayName: z.string().optional() })
  .meta({ id: "ClaimRefShown" });
const StepShown = z.object({
  id: z.int(),
  options: z.array(z.object({ idp: z.string(), authenticator: z.string() })),
});
const AdvancedShown = z
  .object({
    ...switches(Bool),
    certificate: z.object({ type: z.string(), value: z.string() }).optional(),
    trustedAppConfiguration: z
      .object({ ...TrustedApp.shape, androidThumbprints: z.array(z.string()).optional() })
      .optional(),
    attestationMetaData: Attestation.optional(),
    discoverableGroups: DiscoverableGroupsShown.optional(),
    additionalSpProperties: z.array(SpProperty),
  })
  .meta({ id: "ApplicationAdvancedConfigurations" });
const ProvisioningShown = z
  .object({
    inboundProvisioning: InboundProvisioning.optional(),
    outboundProvisioningIdps: z.array(
      z.object({ idp: z.string(), connector: z.string(), blocking: Bool, rules: Bool, jit: Bool }),
    ),
  })
  .meta({ id: "ApplicationProvisioningConfigurations" });

/** An application in a response: every part is present. */
export const Application = z
  .object({
    id: z.string(),
    name: z.string(),
    description: z.string().optional(),
    imageUrl: z.string().optional(),
    accessUrl: z.string().optional(),
    logoutReturnUrl: z.string().optional(),
    templateId: z.string().optional(),
    templateVersion: z.string().optional(),
    clientId: z.string(),
    issuer: z.string(),
    realm: z.string(),
    applicationVersion: z.string(),
    isManagementApp: Bool,
    isB2BSelfServiceApp: Bool,
    applicationEnabled: Bool,
    enhancedOrgAuthenticationEnabled: Bool,
    associatedRoles: AssociatedRolesShown,
    claimConfiguration: z.object({
      dialect: z.enum(["CUSTOM", "LOCAL"]),
      claimMappings: z.array(z.object({ applicationClaim: z.string(), localClaim: ClaimRefShown })),
      requestedClaims: z.array(z.object({ claim: ClaimRefShown, mandatory: Bool })),
      subject: z.object({
        claim: ClaimRefShown.optional(),
        includeUserDomain: Bool,
        includeTenantDomain: Bool,
        useMappedLocalSubject: Bool,
        mappedLocalSubjectMandatory: Bool,
      }),
      role: z.object({
        mappings: z.array(z.object({ localRole: z.string(), applicationRole: z.string() })).optional(),
        includeUserDomain: Bool,
        claim: ClaimRefShown.optional(),
      }),
    }),
    inboundProtocols: z.array(InboundProtocolRef),
    authenticationSequence: z.object({
      type: z.enum(["DEFAULT", "USER_DEFINED"]),
      steps: z.array(StepShown),
      requestPathAuthenticators: z.array(z.string()),
      script: z.string().optional(),
      subjectStepId: z.int(),
      attributeStepId: z.int(),
    }),
    advancedConfigurations: AdvancedShown,
    provisioningConfigurations: ProvisioningShown,
    access: z.enum(["READ", "WRITE"]),
  })
  .meta({ id: "Application" });

export const ApplicationListItem = z
  .object({
    id: z.string(),
    name: z.string(),
    description: z.string().optional(),
    image: z.string().optional(),
    accessUrl: z.string().optional(),
    clientId: z.string().optional(),
    issuer: z.string().optional(),
    realm: z.string().optional(),
    templateId: z.string().optional(),
    templateVersion: z.string().optional(),
    applicationVersion: z.string().optional(),
    applicationEnabled: Bool.optional(),
    enhancedOrgAuthenticationEnabled: Bool.optional(),
    associatedRoles: AssociatedRolesShown.optional(),
    advancedConfigurations: Application.shape.advancedConfigurations.optional(),
    access: Application.shape.access,
    self: z.string(),
  })
  .meta({ id: "ApplicationListItem" });

export const ApplicationList = z
  .object({
    totalResults: z.int(),
    startIndex: z.int(),
    count: z.int(),
    applications: z.array(ApplicationListItem),
    links: PageLinks,
  })
  .meta({ id: "ApplicationList" });

export const StepAuthenticators = z
  .object({
    stepId: z.int(),
    localAuthenticators: z.array(z.object({ name: z.string(), type: z.string() })),
    federatedAuthenticators: z.array(z.object({ name: z.string(), type: z.string() })),
  })
  .meta({ id: "StepAuthenticators" });

export const ResidentApplication = z
  .object({ provisioningConfigurations: Application.shape.provisioningConfigurations })
  .meta({ id: "ResidentApplication" });

function switches<S extends z.ZodType>(schema: S): Switches<S> {
  // Object.fromEntries loses the names in its type.
  return Object.fromEntries(advancedSwitches.map((name) => [name, schema])) as Switches<S>;
}
