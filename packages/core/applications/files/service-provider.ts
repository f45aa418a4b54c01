/**
 * Maps between a file and the settings of an application: two pure functions over one table. The settings have the
 * shape of the body that creates an application (`shapes.ts`). For content that they cannot hold see `unmapped.ts`; for
 * settings that the file format cannot hold see `exact.ts`.
 *
 * | element of ServiceProvider | member |
 * | --- | --- |
 * | ApplicationName, Description, ImageUrl, AccessUrl | name, description, imageUrl, accessUrl |
 * | TemplateId, TemplateVersion | templateId, templateVersion |
 * | Certificate, else JwksUri | advancedConfigurations.certificate of the type PEM, JWKS |
 * | InboundAuthenticationConfig | inbound.ts |
 * | LocalAndOutBoundAuthenticationConfig: steps, script | sequence.ts |
 * | .../subjectClaimUri, UseTenantDomainInUsername, UseUserstoreDomainInUsername | claimConfiguration.subject |
 * | .../UseUserstoreDomainInRoles, true where absent | claimConfiguration.role.includeUserDomain |
 * | .../alwaysSendBackAuthenticatedListOfIdPs | advancedConfigurations.returnAuthenticatedIdpList |
 * | .../SkipConsent, skipLogoutConsent, EnableAuthorization | advancedConfigurations.skipLoginConsent, skipLogoutConsent, enableAuthorization |
 * | .../UseExternalizedConsentPage | advancedConfigurations.useExternalConsentPage |
 * | RequestPathAuthenticatorConfigs | sequence.ts |
 * | InboundProvisioningConfig, OutboundProvisioningConfig, ClaimConfig, PermissionAndRoleConfig | claims.ts |
 * | IsSaaSApp, IsDiscoverable, IsAPIBasedAuthenticationEnabled | advancedConfigurations.saas, discoverableByEndUsers, enableAPIBasedAuthentication |
 * | IsManagementApp, IsApplicationEnabled, true where absent | isManagementApp, applicationEnabled |
 * | IsB2BSelfServiceApp | isB2BSelfServiceApp |
 * | AssociatedRolesConfig/AllowedAudience, AssociatedRoles/AssociatedRole/Id, Name | associatedRoles |
 * | ClientAttestationMetaData | advancedConfigurations.attestationMetaData |
 * | TrustedAppMetadata | advancedConfigurations.trustedAppConfiguration |
 */
import type { CustomProtocolKind } from "../protocols/custom-kind.ts";
import type { AssociatedRoleSettings } from "../registry/model.ts";
import { claimField, claimsPart, provisioningPart, rolesPart } from "./claims.ts";
import { inboundPart } from "./inbound.ts";
import {
  all,
  at,
  type Codec,
  field,
  filled,
  flag,
  group,
  grouped,
  type Json,
  listed,
  nonDefaultFlag,
  optionalGroup,
  type Part,
  put,
  type Shapes,
  text,
  textsNamed,
} from "./parts.ts";
import { ROOT } from "./read-xml.ts";
import { requestPathPart, scriptPart, stepsPart } from "./sequence.ts";
import { childrenOf, type Element, element, find, textAt } from "./tree.ts";

const CERTIFICATE = ["advancedConfigurations", "certificate"];
/** The element per type of certificate. An application has one certificate. */
const certificateElements = [
  ["PEM", "Certificate"],
  ["JWKS", "JwksUri"],
] as const;

const certificatePart: Part = {
  declares: textsNamed("Certificate", "JwksUri"),
  read(root) {
    for (const [type, name] of certificateElements) {
      const value = textAt(root, name) ?? "";
      if (value.trim() !== "") return put(CERTIFICATE, { type, value });
    }
    return {};
  },
  write(settings) {
    const certificate = at(settings, CERTIFICATE) as { type: string; value: string } | undefined;
    return certificateElements.flatMap(([type, name]) =>
      certificate?.type === type ? [element(name, certificate.value)] : [],
    );
  },
};

/** A flag that is written only where it is set. */
const setFlag: Codec = { ...nonDefaultFlag(), write: (value) => (value ? "true" : undefined) };

const signInPart = group(
  "LocalAndOutBoundAuthenticationConfig",
  stepsPart,
  field("alwaysSendBackAuthenticatedListOfIdPs", "advancedConfigurations.returnAuthenticatedIdpList", nonDefaultFlag()),
  claimField("subjectClaimUri", "claimConfiguration.subject.claim"),
  field("UseTenantDomainInUsername", "claimConfiguration.subject.includeTenantDomain", nonDefaultFlag()),
  field("UseUserstoreDomainInRoles", "claimConfiguration.role.includeUserDomain", nonDefaultFlag(true)),
  field("UseUserstoreDomainInUsername", "claimConfiguration.subject.includeUserDomain", nonDefaultFlag()),
  field("SkipConsent", "advancedConfigurations.skipLoginConsent", nonDefaultFlag()),
  field("skipLogoutConsent", "advancedConfigurations.skipLogoutConsent", nonDefaultFlag()),
  field("EnableAuthorization", "advancedConfigurations.enableAuthorization", nonDefaultFlag()),
  scriptPart,
  field("UseExternalizedConsentPage", "advancedConfigurations.useExternalConsentPage", nonDefaultFlag()),
);

const attestationPart = optionalGroup(
  "ClientAttestationMetaData",
  "advancedConfigurations.attestationMetaData",
  field("IsAttestationEnabled", "advancedConfigurations.attestationMetaData.enableClientAttestation", flag()),
  field("AndroidPackageName", "advancedConfigurations.attestationMetaData.androidPackageName", filled()),
  field("AppleAppId", "advancedConfigurations.attestationMetaData.appleAppId", filled()),
);

const TRUSTED = "advancedConfigurations.trustedAppConfiguration";
const THUMBPRINTS = [...TRUSTED.split("."), "androidThumbprints"];

/** One element per thumbprint. Older exports write one element, separated by commas. */
const thumbprintsPart: Part = {
  declares: { AndroidThumbprints: { is: "text", repeats: true } },
  read(parent) {
    const texts = childrenOf(parent, "AndroidThumbprints").flatMap(({ text: each }) => each.split(","));
    const thumbprints = texts.map((each) => each.trim()).filter((each) => each !== "");
    return put(THUMBPRINTS, thumbprints.length > 0 ? thumbprints : undefined);
  },
  write: (settings) =>
    ((at(settings, THUMBPRINTS) ?? []) as readonly string[]).map((each) => element("AndroidThumbprints", each)),
};

const trustedAppPart = optionalGroup(
  "TrustedAppMetadata",
  TRUSTED,
  field("AndroidPackageName", `${TRUSTED}.androidPackageName`, filled()),
  thumbprintsPart,
  field("AppleAppId", `${TRUSTED}.appleAppId`, filled()),
  field("IsFidoTrusted", `${TRUSTED}.isFIDOTrustedApp`, flag()),
  field("IsConsentGranted", `${TRUSTED}.isConsentGranted`, flag()),
);

/** The roles by id and name; a file of another server has ids that mean nothing here (apply.ts). */
const rolesOfApplicationPart: Part = {
  declares: grouped("AssociatedRolesConfig", {
    ...textsNamed("AllowedAudience"),
    ...listed("AssociatedRoles", "AssociatedRole", { is: "group", inside: textsNamed("Id", "Name") }),
  }),
  read(root) {
    const config = find(root, "AssociatedRolesConfig");
    const allowedAudience = textAt(config, "AllowedAudience")?.trim().toUpperCase();
    if (!config || !allowedAudience) return {};
    const roles = childrenOf(find(config, "AssociatedRoles"), "AssociatedRole").map((role) => ({
      ...put(["id"], textAt(role, "Id")?.trim() || undefined),
      ...put(["name"], textAt(role, "Name") || undefined),
    }));
    return put(["associatedRoles"], { allowedAudience, ...(roles.length > 0 && { roles }) });
  },
  write(settings) {
    const { associatedRoles } = settings as { readonly associatedRoles?: AssociatedRoleSettings };
    if (!associatedRoles) return [];
    const roles = (associatedRoles.roles ?? []).map(({ id, name }) =>
      element("AssociatedRole", [element("Id", id), ...(name === undefined ? [] : [element("Name", name)])]),
    );
    return [
      element("AssociatedRolesConfig", [
        element("AllowedAudience", associatedRoles.allowedAudience),
        element("AssociatedRoles", roles),
      ]),
    ];
  },
};

/** Reads the settings of a file, not yet validated. Throws `application.invalid`. */
export function readServiceProvider(root: Element, kinds: readonly CustomProtocolKind[]): Json {
  return rootPart(kinds).read(root);
}

/** The elements that are read, of every file. */
export const declaredElements: Shapes = rootPart([]).declares;

/** Writes the settings that the format can hold. */
export function writeServiceProvider(settings: Json): Element {
  return element(ROOT, rootPart([]).write(settings));
}

function rootPart(kinds: readonly CustomProtocolKind[]): Part {
  return all(
    field("ApplicationName", "name", text),
    field("Description", "description", text),
    certificatePart,
    inboundPart(kinds),
    signInPart,
    requestPathPart,
    provisioningPart,
    claimsPart,
    rolesPart,
    field("IsSaaSApp", "advancedConfigurations.saas", nonDefaultFlag()),
    field("ImageUrl", "imageUrl", text),
    field("AccessUrl", "accessUrl", text),
    field("IsDiscoverable", "advancedConfigurations.discoverableByEndUsers", nonDefaultFlag()),
    field("TemplateId", "templateId", text),
    field("TemplateVersion", "templateVersion", text),
    field("IsManagementApp", "isManagementApp", flag()),
    field("IsB2BSelfServiceApp", "isB2BSelfServiceApp", setFlag),
    rolesOfApplicationPart,
    field("IsApplicationEnabled", "applicationEnabled", flag(true)),
    field("IsAPIBasedAuthenticationEnabled", "advancedConfigurations.enableAPIBasedAuthentication", nonDefaultFlag()),
    attestationPart,
    trustedAppPart,
  );
}
