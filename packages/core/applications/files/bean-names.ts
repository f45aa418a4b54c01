/**
 * The names of the JSON and YAML form of application files: those of the Java beans of WSO2 Identity Server, by the
 * names of the XML form. A name that is not here is the same in all forms.
 */

/** Names that are not the XML name with a small first letter. */
const irregular: Readonly<Record<string, string>> = {
  IsSaaSApp: "saasApp",
  IsDiscoverable: "discoverable",
  IsManagementApp: "managementApp",
  IsB2BSelfServiceApp: "b2BSelfServiceApp",
  IsApplicationEnabled: "applicationEnabled",
  IsAPIBasedAuthenticationEnabled: "apiBasedAuthenticationEnabled",
  IsProvisioningEnabled: "provisioningEnabled",
  IsDumbModeEnabled: "dumbMode",
  IsPasswordProvisioningEnabled: "passwordProvisioningEnabled",
  IsConfidential: "confidential",
  IsAdvanced: "advanced",
  IsEnabled: "enabled",
  IsPrimary: "primary",
  IsFederationHub: "federationHub",
  IsAttestationEnabled: "attestationEnabled",
  IsFidoTrusted: "fidoTrusted",
  IsConsentGranted: "consentGranted",
  RequestClaim: "requested",
  MandatoryClaim: "mandatory",
  AuthenticationScript: "authenticationScriptConfig",
  AssociatedRoles: "roles",
  inboundConfiguration: "inboundConfigurationProtocol",
};

/** Names that begin with a capital letter in XML and with a small one here. */
const capital: readonly string[] = [
  ...["ApplicationName", "ApplicationVersion", "Description", "Certificate", "JwksUri", "ImageUrl", "AccessUrl"],
  ...["TemplateId", "TemplateVersion", "InboundAuthenticationConfig", "InboundAuthenticationRequestConfigs"],
  ...["InboundAuthKey", "InboundAuthType", "InboundConfigType", "Properties", "Name", "Value", "DisplayName"],
  ...["Required", "DisplayOrder", "LocalAndOutBoundAuthenticationConfig", "AuthenticationSteps", "AuthenticationType"],
  ...["AuthenticationStepForSubject", "AuthenticationStepForAttributes", "UseTenantDomainInUsername"],
  ...["UseUserstoreDomainInRoles", "UseUserstoreDomainInUsername", "SkipConsent", "EnableAuthorization"],
  ...["ExternalizedConsentPageConfig", "UseExternalizedConsentPage", "StepOrder", "SubjectStep", "AttributeStep"],
  ...["LocalAuthenticatorConfigs", "FederatedIdentityProviders", "FederatedAuthenticatorConfigs", "Tags", "DefinedBy"],
  ...["IdentityProviderName", "IdentityProviderDescription", "Alias", "HomeRealmId", "ProvisioningRole"],
  ...["DefaultAuthenticatorConfig", "ProvisioningConnectorConfigs", "DefaultProvisioningConnectorConfig"],
  ...["JustInTimeProvisioningConfig", "AllowModifyUserName", "PromptConsent", "RequestPathAuthenticatorConfigs"],
  ...["InboundProvisioningConfig", "ProvisioningUserStore", "OutboundProvisioningConfig", "ProvisionByRoleList"],
  ...["ProvisioningIdentityProviders", "ClaimConfig", "RoleClaimURI", "UserClaimURI", "LocalClaimDialect"],
  ...["ClaimMappings", "LocalClaim", "RemoteClaim", "ClaimUri", "DefaultValue", "AlwaysSendMappedLocalSubjectId"],
  ...["MappedLocalSubjectMandatory", "SPClaimDialects", "PermissionAndRoleConfig", "Permissions", "RoleMappings"],
  ...["LocalRoleName", "UserStoreId", "IdpRoles", "AssociatedRolesConfig", "AllowedAudience", "Id"],
  ...["ClientAttestationMetaData", "AndroidPackageName", "AndroidAttestationServiceCredentials", "AppleAppId"],
  ...["TrustedAppMetadata", "AndroidThumbprints", "ExactSettings", "IdpClaim"],
];

/** Lists by the XML name of the element that holds them, with the name of their items. */
export const listItems: Readonly<Record<string, string>> = {
  InboundAuthenticationRequestConfigs: "InboundAuthenticationRequestConfig",
  Properties: "Property",
  AuthenticationSteps: "AuthenticationStep",
  LocalAuthenticatorConfigs: "LocalAuthenticatorConfig",
  FederatedIdentityProviders: "FederatedIdentityProvider",
  FederatedAuthenticatorConfigs: "FederatedAuthenticatorConfig",
  ProvisioningConnectorConfigs: "ProvisioningConnectorConfig",
  RequestPathAuthenticatorConfigs: "RequestPathAuthenticatorConfig",
  ProvisioningIdentityProviders: "IdentityProvider",
  ClaimMappings: "ClaimMapping",
  SPClaimDialects: "SPClaimDialect",
  Permissions: "ApplicationPermission",
  RoleMappings: "RoleMapping",
  IdpRoles: "IdpRole",
  AssociatedRoles: "AssociatedRole",
  scopeValidators: "scopeValidator",
  audiences: "audience",
  accessTokenClaims: "accessTokenClaim",
  additionalOauthConsumerSecrets: "additionalOauthConsumerSecret",
  assertionConsumerUrls: "assertionConsumerUrl",
  requestedClaims: "requestedClaim",
  requestedAudiences: "requestedAudience",
  requestedRecipients: "requestedRecipient",
  idpInitSLOReturnToURLs: "idpInitSLOReturnToURL",
  supportedAssertionQueryRequestTypes: "supportedAssertionQueryRequestType",
};

/** Elements whose children have the same names in all forms. */
const verbatim: ReadonlySet<string> = new Set([
  ...["oAuthAppDO", "samlssoServiceProviderDTO", "DefaultProvisioningConnectorConfig"],
]);

/** Texts that are words or numbers in Java too, and not flags. */
export const texts: ReadonlySet<string> = new Set(["renewRefreshTokenEnabled", "Value", "DefaultValue"]);
/** Elements that are numbers. */
export const numbers: ReadonlySet<string> = new Set(["StepOrder", "DisplayOrder", "claimId"]);

const beanNames = new Map<string, string>([
  ...capital.map((name): [string, string] => [name, decapitalized(name)]),
  ...Object.entries(irregular),
]);
const xmlNames = new Map([...beanNames].map(([xml, bean]) => [bean, xml]));

/** Marks a name of XML that would be read as another one. */
const MARK = "xml:";

/** The name of an element in JSON and YAML. */
export function beanNameOf(name: string, parent: string): string {
  if (verbatim.has(parent)) return name;
  return beanNames.get(name) ?? (xmlNames.has(name) ? `${MARK}${name}` : name);
}

/** The name of the element that a member stands for. */
export function xmlNameOf(name: string, parent: string): string {
  if (name.startsWith(MARK)) return name.slice(MARK.length);
  return (verbatim.has(parent) ? undefined : xmlNames.get(name)) ?? name;
}

/** As in Java: a name that begins with two capital letters stays. */
function decapitalized(name: string): string {
  return /^[A-Z]{2}/.test(name) ? name : name.charAt(0).toLowerCase() + name.slice(1);
}
