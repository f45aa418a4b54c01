/** SAML service providers: from a manual configuration, or metadata, to settings. */
import { randomInt } from "node:crypto";
import type * as z from "zod";
import { Fault } from "../../platform/faults.ts";
import type { Exempt } from "../../platform/public-fetch.ts";
import type { SamlServiceProvider } from "./model.ts";
import { samlOptions } from "./options.ts";
import type { SamlBody, SamlManual } from "./shapes.ts";
import { isRunnable } from "./urls.ts";

type Body = z.output<typeof SamlBody>;
type Manual = z.output<typeof SamlManual>;

/** The manual configuration of a body, or of its metadata. */
export interface SamlSource {
  readonly manual: Manual;
  /** The signing certificate of the metadata, as the Base64 of its PEM. */
  readonly certificate?: string;
}

const ATTRIBUTE_NAME_FORMAT = "urn:oasis:names:tc:SAML:2.0:attrname-format:basic";
const BINDINGS_READ = ["HTTP_POST", "HTTP_REDIRECT"];
const INDEX_MAX = 2 ** 31 - 1;

const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;

/**
 * The settings after a manual configuration, which replaces all of them. A part without its switch is on, an absent
 * part is off. Throws `saml.invalid`.
 */
export function samlServiceProvider(manual: Manual, before: SamlServiceProvider | undefined): SamlServiceProvider {
  checkKeys(manual);
  checkAddresses(manual);
  const { attributeProfile, singleLogoutProfile: logout, requestValidation, responseSigning } = manual;
  const { assertionConsumerUrls: urls, defaultAssertionConsumerUrl: requested } = manual;
  const withAttributes = attributeProfile?.enabled ?? false;
  const { enabled: _, logoutMethod, idpInitiatedSingleLogout, ...logoutUrls } = logout ?? {};
  return {
    issuer: manual.issuer,
    ...(manual.serviceProviderQualifier && { serviceProviderQualifier: manual.serviceProviderQualifier }),
    assertionConsumerUrls: [...new Set(urls)],
    defaultAssertionConsumerUrl: requested !== undefined && urls.includes(requested) ? requested : (urls[0] ?? ""),
    ...(manual.idpEntityIdAlias !== undefined && { idpEntityIdAlias: manual.idpEntityIdAlias }),
    singleSignOnProfile: singleSignOn(manual.singleSignOnProfile ?? {}, attributeIndex(manual, before)),
    attributeProfile: {
      enabled: withAttributes,
      alwaysIncludeAttributesInResponse:
        withAttributes && (attributeProfile?.alwaysIncludeAttributesInResponse ?? false),
      nameFormat: attributeProfile?.nameFormat ?? ATTRIBUTE_NAME_FORMAT,
    },
    singleLogoutProfile: {
      ...logoutUrls,
      enabled: logout ? (logout.enabled ?? true) : false,
      logoutMethod: logoutMethod ?? "BACKCHANNEL",
      idpInitiatedSingleLogout: {
        enabled: idpInitiatedSingleLogout?.enabled ?? false,
        returnToUrls: idpInitiatedSingleLogout?.returnToUrls ?? [],
      },
    },
    requestValidation: {
      ...requestValidation,
      enableSignatureValidation: requestValidation ? (requestValidation.enableSignatureValidation ?? true) : false,
    },
    responseSigning: {
      enabled: responseSigning ? (responseSigning.enabled ?? true) : false,
      signingAlgorithm: algorithm(
        responseSigning?.signingAlgorithm,
        samlOptions.responseSigningAlgorithm,
        "Response Signing",
      ),
    },
    enableAssertionQueryProfile: manual.enableAssertionQueryProfile ?? false,
  };
}

function checkKeys({ issuer, serviceProviderQualifier }: Manual): void {
  if (issuer.trim() === "") throw refuse("A value for the Issuer is mandatory.");
  for (const part of [issuer, serviceProviderQualifier ?? ""]) {
    if (part.includes("@")) throw refuse(`'@' is reserved: remove it from '${part.slice(0, 200)}'.`);
  }
}

/** Refuses addresses that a browser would execute. */
function checkAddresses({ assertionConsumerUrls, singleLogoutProfile: logout }: Manual): void {
  const { logoutRequestUrl = "", logoutResponseUrl = "", idpInitiatedSingleLogout } = logout ?? {};
  const returns = idpInitiatedSingleLogout?.returnToUrls ?? [];
  for (const address of [...assertionConsumerUrls, logoutRequestUrl, logoutResponseUrl, ...returns]) {
    if (isRunnable(address)) throw refuse(`The address '${address.slice(0, 100)}' has a scheme that is not allowed.`);
  }
}

function singleSignOn(
  profile: NonNullable<Manual["singleSignOnProfile"]>,
  index: string,
): SamlServiceProvider["singleSignOnProfile"] {
  const { assertion = {} } = profile;
  const encryption = assertion.encryption ?? {};
  const { responseDigestAlgorithm, assertionEncryptionAlgorithm, keyEncryptionAlgorithm } = samlOptions;
  return {
    bindings: profile.bindings?.length ? [...new Set(profile.bindings)] : BINDINGS_READ,
    enableSignatureValidationForArtifactBinding: profile.enableSignatureValidationForArtifactBinding ?? false,
    attributeConsumingServiceIndex: index,
    enableIdpInitiatedSingleSignOn: profile.enableIdpInitiatedSingleSignOn ?? false,
    assertion: {
      nameIdFormat: nameIdFormat(assertion.nameIdFormat),
      audiences: assertion.audiences ?? [],
      recipients: assertion.recipients ?? [],
      digestAlgorithm: algorithm(assertion.digestAlgorithm, responseDigestAlgorithm, "Response Digest"),
      encryption: {
        enabled: encryption.enabled ?? false,
        assertionEncryptionAlgorithm: algorithm(
          encryption.assertionEncryptionAlgorithm,
          assertionEncryptionAlgorithm,
          "Assertion Encryption",
        ),
        keyEncryptionAlgorithm: algorithm(encryption.keyEncryptionAlgorithm, keyEncryptionAlgorithm, "Key Encryption"),
      },
    },
  };
}

/** Files of WSO2 Identity Server write URNs with slashes; they are stored with colons. */
function nameIdFormat(value: string | undefined): string {
  const format = value ?? samlOptions.defaultNameIdFormat;
  return /^urn[/:]/.test(format) ? format.replaceAll("/", ":") : format;
}

/** An index stays once it exists; without attributes there is none. */
function attributeIndex(manual: Manual, before: SamlServiceProvider | undefined): string {
  if (!manual.attributeProfile?.enabled) return "";
  return (
    manual.singleSignOnProfile?.attributeConsumingServiceIndex ||
    before?.singleSignOnProfile.attributeConsumingServiceIndex ||
    String(randomInt(INDEX_MAX))
  );
}

function algorithm(
  value: string | undefined,
  { options, defaultValue }: { readonly options: readonly string[]; readonly defaultValue: string },
  what: string,
): string {
  if (value === undefined) return defaultValue;
  if (!options.includes(value)) throw refuse(`Invalid ${what} Algorithm: ${value}`);
  return value;
}

/**
 * Reads a body; metadata is fetched and parsed. Throws `saml.invalid`, `saml.metadata_unreachable`, and
 * `application.invalid` unless the body has exactly one of the three sources.
 */
export async function readSaml(body: Body, tenant: string, exempt: Exempt): Promise<SamlSource> {
  const { metadataFile, metadataURL, manualConfiguration } = body;
  if ([metadataFile, metadataURL, manualConfiguration].filter((source) => source !== undefined).length !== 1) {
    throw new Fault(
      "application.invalid",
      "Invalid SAML2 Configuration. Exactly one of metadataFile, metadataURL or manualConfiguration needs to be present.",
    );
  }
  if (manualConfiguration) return { manual: manualConfiguration };
  const bytes = metadataFile !== undefined ? fileBytes(metadataFile) : await fetched(metadataURL ?? "", exempt, tenant);
  const { readSamlMetadata } = await import("./saml-metadata.ts");
  return readSamlMetadata(bytes);
}

function fileBytes(file: string): Uint8Array {
  const compact = file.replace(/\s/g, "");
  if (!BASE64.test(compact)) throw refuse("The metadata file is not Base64.");
  return Buffer.from(compact, "base64");
}

async function fetched(url: string, exempt: Exempt, tenant: string): Promise<Uint8Array> {
  const { fetchPublic, FetchRefused } = await import("../../platform/public-fetch.ts");
  try {
    return await fetchPublic(url, exempt);
  } catch (cause) {
    const reason = cause instanceof FetchRefused ? ` ${cause.message}` : "";
    throw new Fault(
      "saml.metadata_unreachable",
      `Non-existing metadata URL for SAML service provider creation in tenantDomain: ${tenant}.${reason}`,
      { cause },
    );
  }
}

function refuse(description: string): Fault {
  return new Fault("saml.invalid", description);
}
