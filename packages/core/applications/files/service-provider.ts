/**
 * The mapping between a file and the settings of an application, in two pure functions over one table (reference section 9.3).
 * The settings have the shape of the body that makes an application (`shapes.ts`); what they cannot say stays behind in
 * the tree (`keep.ts`), and what the format cannot say is written beside it (`exact.ts`).
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
 * | ClientAttestationMetaData | advancedConfigurations.attestationMetaData |
 * | TrustedAppMetadata | advancedConfigurations.trustedAppConfiguration |
 */
import type { CustomProtocolKind } from "../protocols/custom-kind.ts";
import { claimField, claimsPart, provisioningPart, rolesPart } from "./claims.ts";
import { inboundPart } from "./inbound.ts";
import {
  all,
  at,
  field,
  filled,
  flag,
  group,
  type Json,
  optionalGroup,
  type Part,
  put,
  text,
  unusual,
} from "./parts.ts";
import { ROOT } from "./read-xml.ts";
import { requestPathPart, scriptPart, stepsPart } from "./sequence.ts";
import { childrenOf, type Element, element, textAt } from "./tree.ts";

const CERTIFICATE = ["advancedConfigurations", "certificate"];
/** The element of each type of certificate; an application has one. */
const certificateElements = [
  ["PEM", "Certificate"],
  ["JWKS", "JwksUri"],
] as const;

const certificatePart: Part = {
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

const signInPart = group(
  "LocalAndOutBoundAuthenticationConfig",
  stepsPart,
  field("alwaysSendBackAuthenticatedListOfIdPs", "advancedConfigurations.returnAuthenticatedIdpList", unusual()),
  claimField("subjectClaimUri", "claimConfiguration.subject.claim"),
  field("UseTenantDomainInUsername", "claimConfiguration.subject.includeTenantDomain", unusual()),
  field("UseUserstoreDomainInRoles", "claimConfiguration.role.includeUserDomain", unusual(true)),
  field("UseUserstoreDomainInUsername", "claimConfiguration.subject.includeUserDomain", unusual()),
  field("SkipConsent", "advancedConfigurations.skipLoginConsent", unusual()),
  field("skipLogoutConsent", "advancedConfigurations.skipLogoutConsent", unusual()),
  field("EnableAuthorization", "advancedConfigurations.enableAuthorization", unusual()),
  scriptPart,
  field("UseExternalizedConsentPage", "advancedConfigurations.useExternalConsentPage", unusual()),
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

/** One element for each thumbprint; older exports write one with commas. */
const thumbprintsPart: Part = {
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

/** What a file says, as settings that nobody has judged yet. Throws `application.invalid` for what cannot be read. */
export function readServiceProvider(root: Element, kinds: readonly CustomProtocolKind[]): Json {
  return rootPart(kinds).read(root);
}

/** The file that says the settings, as far as the format can. */
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
    field("IsSaaSApp", "advancedConfigurations.saas", unusual()),
    field("ImageUrl", "imageUrl", text),
    field("AccessUrl", "accessUrl", text),
    field("IsDiscoverable", "advancedConfigurations.discoverableByEndUsers", unusual()),
    field("TemplateId", "templateId", text),
    field("TemplateVersion", "templateVersion", text),
    field("IsManagementApp", "isManagementApp", flag()),
    field("IsApplicationEnabled", "applicationEnabled", flag(true)),
    field("IsAPIBasedAuthenticationEnabled", "advancedConfigurations.enableAPIBasedAuthentication", unusual()),
    attestationPart,
    trustedAppPart,
  );
}
