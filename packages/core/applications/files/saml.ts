/**
 * Maps a SAML service provider between the document `samlssoServiceProviderDTO` and the manual configuration. Pure.
 *
 * | element of samlssoServiceProviderDTO | member of the service provider's settings |
 * | --- | --- |
 * | issuer, issuerQualifier | issuer, serviceProviderQualifier; the issuer may end with the qualifier |
 * | assertionConsumerUrls/assertionConsumerUrl, or the older assertionConsumerUrl | assertionConsumerUrls |
 * | defaultAssertionConsumerUrl | defaultAssertionConsumerUrl |
 * | certAlias, doValidateSignatureInRequests | requestValidation.signatureValidationCertAlias, enableSignatureValidation |
 * | sloRequestURL, sloResponseURL, doSingleLogout | singleLogoutProfile.logoutRequestUrl, logoutResponseUrl, enabled |
 * | doFrontChannelLogout, frontChannelLogoutBinding | singleLogoutProfile.logoutMethod |
 * | idPInitSLOEnabled, idpInitSLOReturnToURLs | singleLogoutProfile.idpInitiatedSingleLogout |
 * | attributeConsumingServiceIndex | singleSignOnProfile.attributeConsumingServiceIndex |
 * | enableAttributeProfile, or any index | attributeProfile.enabled; WSO2 Identity Server exports false for enabled profiles |
 * | attributeNameFormat, enableAttributesByDefault | attributeProfile.nameFormat, alwaysIncludeAttributesInResponse |
 * | doSignResponse, signingAlgorithmURI | responseSigning |
 * | nameIDFormat | assertion.nameIdFormat, with `/` for `:` |
 * | requestedAudiences, requestedRecipients, digestAlgorithmURI | assertion.audiences, recipients, digestAlgorithm |
 * | doEnableEncryptedAssertion, assertionEncryptionAlgorithmURI, keyEncryptionAlgorithmURI | assertion.encryption |
 * | idPInitSSOEnabled | singleSignOnProfile.enableIdpInitiatedSingleSignOn |
 * | enableSAML2ArtifactBinding | singleSignOnProfile.bindings: POST and REDIRECT always, ARTIFACT where true |
 * | doValidateSignatureInArtifactResolve | singleSignOnProfile.enableSignatureValidationForArtifactBinding |
 * | isAssertionQueryRequestProfileEnabled, idpEntityIDAlias | enableAssertionQueryProfile, idpEntityIdAlias |
 * | doSignAssertions, loginPageURL, requestedClaims | written, not read |
 */
import {
  all,
  at,
  type Codec,
  constant,
  field,
  filled,
  flag,
  flagsNamed,
  isTrue,
  listOf,
  type Part,
  put,
  textsNamed,
} from "./parts.ts";
import { element, textAt } from "./tree.ts";

const QUALIFIER = ":urn:sp:qualifier:";
const BINDINGS = ["HTTP_POST", "HTTP_REDIRECT"];
const REDIRECT = "HTTPRedirectBinding";
const POST = "HTTPPostBinding";
const INDEX = ["singleSignOnProfile", "attributeConsumingServiceIndex"];
const PROFILE = ["attributeProfile", "enabled"];
const METHOD = ["singleLogoutProfile", "logoutMethod"];

const issuerPart: Part = {
  declares: textsNamed("issuer", "issuerQualifier"),
  read(parent) {
    const issuer = textAt(parent, "issuer") ?? "";
    const appended = issuer.slice(plainIssuer(issuer).length + QUALIFIER.length);
    const qualifier = textAt(parent, "issuerQualifier") || appended;
    return { issuer: plainIssuer(issuer), ...put(["serviceProviderQualifier"], qualifier || undefined) };
  },
  write(saml) {
    const qualifier = saml.serviceProviderQualifier as string | undefined;
    return [
      element("issuer", String(saml.issuer)),
      ...(qualifier === undefined ? [] : [element("issuerQualifier", qualifier)]),
    ];
  },
};

const consumers = listOf("assertionConsumerUrls", "assertionConsumerUrl", "assertionConsumerUrls");
const consumersPart: Part = {
  declares: { ...consumers.declares, ...textsNamed("assertionConsumerUrl") },
  read(parent) {
    const single = textAt(parent, "assertionConsumerUrl");
    const list = consumers.read(parent);
    const isEmpty = ((at(list, ["assertionConsumerUrls"]) ?? []) as readonly string[]).length === 0;
    return isEmpty && single ? put(["assertionConsumerUrls"], [single]) : list;
  },
  write: consumers.write,
};

const attributePart: Part = {
  declares: { ...textsNamed("attributeConsumingServiceIndex"), ...flagsNamed("enableAttributeProfile") },
  read(parent) {
    const index = textAt(parent, "attributeConsumingServiceIndex")?.trim() ?? "";
    return {
      ...put(INDEX, index || undefined),
      ...put(PROFILE, index !== "" || isTrue(parent, "enableAttributeProfile")),
    };
  },
  write: (saml) => [
    element("attributeConsumingServiceIndex", String(at(saml, INDEX) ?? "")),
    element("enableAttributeProfile", String(at(saml, PROFILE) ?? false)),
  ],
};

const logoutPart: Part = {
  declares: { ...textsNamed("frontChannelLogoutBinding"), ...flagsNamed("doFrontChannelLogout") },
  read(parent) {
    const isPost = /post/i.test(textAt(parent, "frontChannelLogoutBinding") ?? "");
    const front = isPost ? "FRONTCHANNEL_HTTP_POST" : "FRONTCHANNEL_HTTP_REDIRECT";
    return put(METHOD, isTrue(parent, "doFrontChannelLogout") ? front : "BACKCHANNEL");
  },
  write(saml) {
    const method = at(saml, METHOD) ?? "BACKCHANNEL";
    if (method === "BACKCHANNEL") return [element("doFrontChannelLogout", "false")];
    return [
      element("frontChannelLogoutBinding", method === "FRONTCHANNEL_HTTP_POST" ? POST : REDIRECT),
      element("doFrontChannelLogout", "true"),
    ];
  },
};

const nameId: Codec = {
  is: "text",
  read: (given) =>
    given.trim() === "" ? undefined : given.trim().replace(/^urn\/.*$/, (urn) => urn.replaceAll("/", ":")),
  write: (value) => String(value ?? "").replace(/^urn:.*$/, (urn) => urn.replaceAll(":", "/")),
};

const bindingsPart: Part = {
  declares: flagsNamed("enableSAML2ArtifactBinding"),
  read: (parent) =>
    put(
      ["singleSignOnProfile", "bindings"],
      [...BINDINGS, ...(isTrue(parent, "enableSAML2ArtifactBinding") ? ["ARTIFACT"] : [])],
    ),
  write(saml) {
    const bindings = (at(saml, ["singleSignOnProfile", "bindings"]) ?? []) as readonly string[];
    return [element("enableSAML2ArtifactBinding", String(bindings.includes("ARTIFACT")))];
  },
};

/** The parts of `samlssoServiceProviderDTO`. */
export const samlParts: Part = all(
  issuerPart,
  consumersPart,
  field("defaultAssertionConsumerUrl", "defaultAssertionConsumerUrl", filled()),
  field("certAlias", "requestValidation.signatureValidationCertAlias", filled()),
  field("sloResponseURL", "singleLogoutProfile.logoutResponseUrl", filled()),
  field("sloRequestURL", "singleLogoutProfile.logoutRequestUrl", filled()),
  constant("loginPageURL", ""),
  attributePart,
  logoutPart,
  field("doSingleLogout", "singleLogoutProfile.enabled", flag()),
  constant("doSignAssertions", "true"),
  field("doSignResponse", "responseSigning.enabled", flag()),
  constant("requestedClaims", ""),
  listOf("requestedAudiences", "requestedAudience", "singleSignOnProfile.assertion.audiences"),
  listOf("requestedRecipients", "requestedRecipient", "singleSignOnProfile.assertion.recipients"),
  field("attributeNameFormat", "attributeProfile.nameFormat", filled()),
  field("enableAttributesByDefault", "attributeProfile.alwaysIncludeAttributesInResponse", flag()),
  field("isAssertionQueryRequestProfileEnabled", "enableAssertionQueryProfile", flag()),
  field("nameIDFormat", "singleSignOnProfile.assertion.nameIdFormat", nameId),
  field("idPInitSSOEnabled", "singleSignOnProfile.enableIdpInitiatedSingleSignOn", flag()),
  field("idPInitSLOEnabled", "singleLogoutProfile.idpInitiatedSingleLogout.enabled", flag()),
  listOf(
    "idpInitSLOReturnToURLs",
    "idpInitSLOReturnToURL",
    "singleLogoutProfile.idpInitiatedSingleLogout.returnToUrls",
  ),
  field("doEnableEncryptedAssertion", "singleSignOnProfile.assertion.encryption.enabled", flag()),
  field("doValidateSignatureInRequests", "requestValidation.enableSignatureValidation", flag()),
  field("signingAlgorithmURI", "responseSigning.signingAlgorithm", filled()),
  field("digestAlgorithmURI", "singleSignOnProfile.assertion.digestAlgorithm", filled()),
  field(
    "assertionEncryptionAlgorithmURI",
    "singleSignOnProfile.assertion.encryption.assertionEncryptionAlgorithm",
    filled(),
  ),
  field("keyEncryptionAlgorithmURI", "singleSignOnProfile.assertion.encryption.keyEncryptionAlgorithm", filled()),
  bindingsPart,
  field(
    "doValidateSignatureInArtifactResolve",
    "singleSignOnProfile.enableSignatureValidationForArtifactBinding",
    flag(),
  ),
  field("idpEntityIDAlias", "idpEntityIdAlias", filled()),
);

/** An issuer without the qualifier at its end. */
export function plainIssuer(issuer: string): string {
  return issuer.split(QUALIFIER, 1)[0] ?? "";
}
