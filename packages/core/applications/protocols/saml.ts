/** SAML service providers: from a manual configuration, or metadata, to settings. */
import { randomInt } from "node:crypto";
import type * as z from "zod";
import type { Clock } from "../../kernel/clock.ts";
import { Fault } from "../../kernel/faults.ts";
import type { Exempt } from "../../kernel/public-fetch.ts";
import { checkEach, checkTogether } from "../../kernel/together.ts";
import { listed } from "../../kernel/words.ts";
import { readAddress, shownAddress, storedAddress } from "./addresses.ts";
import type { SamlServiceProvider } from "./model.ts";
import { samlOptions } from "./options.ts";
import { checkImported, importedAfter, logoutMethodOf, readAgain } from "./saml-metadata-kept.ts";
import type { SamlBody, SamlManual } from "./shapes.ts";

type Body = z.output<typeof SamlBody>;
type Manual = z.output<typeof SamlManual>;

/** The manual configuration of a body, or of its metadata. */
export interface SamlSource {
  readonly manual: Manual;
  /** The signing certificate of the metadata, as the Base64 of its PEM. */
  readonly certificate?: string;
  /** Whether it is metadata from an address. */
  readonly isFetched?: boolean;
}

const ATTRIBUTE_NAME_FORMAT = "urn:oasis:names:tc:SAML:2.0:attrname-format:basic";
const BINDINGS_READ = ["HTTP_POST", "HTTP_REDIRECT"];
const INDEX_MAX = 2 ** 31 - 1;

const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;

/** The settings after a body. Metadata from the address that it came from before keeps what it does not say. */
export function samlAfter({ manual, isFetched }: SamlSource, before: SamlServiceProvider | undefined) {
  const isAgain = isFetched && manual.imported?.metadataURL === before?.imported?.metadataURL;
  return samlServiceProvider(before && isAgain ? readAgain(manual, before) : manual, before);
}

/**
 * The settings after a manual configuration, which replaces all of them; what metadata has said stays. A part without
 * its switch is on, an absent part is off. `isImported`: algorithms that are not secure are kept, and no one can sign
 * in with them. Throws `saml.invalid`.
 */
export function samlServiceProvider(
  given: Manual,
  before: SamlServiceProvider | undefined,
  isImported = false,
): SamlServiceProvider {
  checkTogether(
    () => checkKeys(given),
    () => checkAddresses(given),
    () => checkImported(given),
    () => {
      if (!isImported) checkAlgorithms(given);
    },
  );
  const manual = withStoredAddresses(given);
  const { attributeProfile, singleLogoutProfile: logout, requestValidation, responseSigning } = manual;
  const { assertionConsumerUrls: urls, defaultAssertionConsumerUrl: requested } = manual;
  const withAttributes = attributeProfile?.enabled ?? false;
  const { enabled: _, logoutMethod: __, idpInitiatedSingleLogout, ...logoutUrls } = logout ?? {};
  const imported = importedAfter(manual, before);
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
      logoutMethod: logoutMethodOf(manual, imported),
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
      signingAlgorithm: responseSigning?.signingAlgorithm ?? samlOptions.responseSigningAlgorithm.defaultValue,
    },
    enableAssertionQueryProfile: manual.enableAssertionQueryProfile ?? false,
    ...(imported && { imported }),
  };
}

function checkKeys({ issuer, serviceProviderQualifier }: Manual): void {
  checkTogether(
    () => {
      if (issuer.trim() === "") throw refuse("issuer: A value for the Issuer is mandatory.");
    },
    ...Object.entries({ issuer, serviceProviderQualifier }).map(([member, part = ""]) => () => {
      if (part.includes("@")) throw refuse(`${member}: '@' is reserved: remove it from '${part.slice(0, 200)}'.`);
    }),
  );
}

/** Refuses unknown algorithms. The middle of the sentence is Identity Server's. */
function checkAlgorithms({ responseSigning, singleSignOnProfile: { assertion = {} } = {} }: Manual): void {
  const { encryption = {} } = assertion;
  const own = "singleSignOnProfile.assertion";
  const given = [
    [
      "responseSigning.signingAlgorithm",
      responseSigning?.signingAlgorithm,
      "responseSigningAlgorithm",
      "Response Signing",
    ],
    [`${own}.digestAlgorithm`, assertion.digestAlgorithm, "responseDigestAlgorithm", "Response Digest"],
    [
      `${own}.encryption.assertionEncryptionAlgorithm`,
      encryption.assertionEncryptionAlgorithm,
      "assertionEncryptionAlgorithm",
      "Assertion Encryption",
    ],
    [
      `${own}.encryption.keyEncryptionAlgorithm`,
      encryption.keyEncryptionAlgorithm,
      "keyEncryptionAlgorithm",
      "Key Encryption",
    ],
  ] as const;
  checkEach(given, ([member, value, name, what]) => {
    const options: readonly string[] = samlOptions[name].options;
    if (value === undefined || options.includes(value)) return;
    throw refuse(`${member}: Invalid ${what} Algorithm: ${value.slice(0, 200)}. It takes ${listed(options, "and")}.`);
  });
}

/** No answer is sent to such an address. */
const FRAGMENT = "must not contain a fragment (#)";

/** Refuses addresses that no message could be posted to; an empty text is no address. */
function checkAddresses({ assertionConsumerUrls, defaultAssertionConsumerUrl, singleLogoutProfile }: Manual): void {
  const { logoutRequestUrl, logoutResponseUrl, idpInitiatedSingleLogout } = singleLogoutProfile ?? {};
  const single = {
    defaultAssertionConsumerUrl,
    "singleLogoutProfile.logoutRequestUrl": logoutRequestUrl,
    "singleLogoutProfile.logoutResponseUrl": logoutResponseUrl,
  };
  const returns = idpInitiatedSingleLogout?.returnToUrls ?? [];
  const all = [
    ...assertionConsumerUrls.map((address) => ["assertionConsumerUrls", address] as const),
    ...Object.entries(single).flatMap(([member, address = ""]) =>
      address.trim() === "" ? [] : [[member, address] as const],
    ),
    ...returns.map((address) => ["singleLogoutProfile.idpInitiatedSingleLogout.returnToUrls", address] as const),
  ];
  checkTogether(
    ...all.map(([member, address]) => () => {
      const read = readAddress(address, "message");
      const fragment = member === "assertionConsumerUrls" && address.includes("#") ? FRAGMENT : undefined;
      const problem = "problem" in read ? read.problem : fragment;
      if (problem !== undefined) throw refuse(`${member}: '${shownAddress(address)}' ${problem}.`);
    }),
  );
}

/** A checked configuration with its addresses as they are stored. */
function withStoredAddresses(manual: Manual): Manual {
  const { defaultAssertionConsumerUrl, singleLogoutProfile: logout } = manual;
  const stored = (address: string) => (address.trim() === "" ? "" : storedAddress(address, "message"));
  const { logoutRequestUrl, logoutResponseUrl, idpInitiatedSingleLogout: initiated } = logout ?? {};
  return {
    ...manual,
    assertionConsumerUrls: manual.assertionConsumerUrls.map(stored),
    ...(defaultAssertionConsumerUrl !== undefined && {
      defaultAssertionConsumerUrl: stored(defaultAssertionConsumerUrl),
    }),
    ...(logout && {
      singleLogoutProfile: {
        ...logout,
        ...(logoutRequestUrl !== undefined && { logoutRequestUrl: stored(logoutRequestUrl) }),
        ...(logoutResponseUrl !== undefined && { logoutResponseUrl: stored(logoutResponseUrl) }),
        ...(initiated?.returnToUrls && {
          idpInitiatedSingleLogout: { ...initiated, returnToUrls: initiated.returnToUrls.map(stored) },
        }),
      },
    }),
  };
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
      digestAlgorithm: assertion.digestAlgorithm ?? responseDigestAlgorithm.defaultValue,
      encryption: {
        enabled: encryption.enabled ?? false,
        assertionEncryptionAlgorithm:
          encryption.assertionEncryptionAlgorithm ?? assertionEncryptionAlgorithm.defaultValue,
        keyEncryptionAlgorithm: encryption.keyEncryptionAlgorithm ?? keyEncryptionAlgorithm.defaultValue,
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

/**
 * Reads a body; metadata is fetched and parsed. Throws `saml.invalid`, `saml.metadata_unreachable`, and
 * `application.invalid` unless the body has exactly one of the three sources.
 */
export async function readSaml(
  body: Body,
  tenant: string,
  { metadataExempt: exempt, clock }: { readonly metadataExempt: Exempt; readonly clock: Clock },
): Promise<SamlSource> {
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
  const { manual, certificate } = readSamlMetadata(bytes, clock.now());
  const imported = { ...manual.imported, ...(metadataURL !== undefined && { metadataURL }) };
  return {
    manual: { ...manual, imported },
    ...(certificate !== undefined && { certificate }),
    isFetched: metadataURL !== undefined,
  };
}

function fileBytes(file: string): Uint8Array {
  const compact = file.replace(/\s/g, "");
  if (!BASE64.test(compact)) throw refuse("metadataFile is not Base64.");
  return Buffer.from(compact, "base64");
}

async function fetched(url: string, exempt: Exempt, tenant: string): Promise<Uint8Array> {
  const { fetchPublic, FetchRefused } = await import("../../kernel/public-fetch.ts");
  try {
    return await fetchPublic(url, exempt);
  } catch (cause) {
    const reason = cause instanceof FetchRefused ? ` ${cause.message}` : "";
    throw new Fault(
      "saml.metadata_unreachable",
      `metadataURL: Non-existing metadata URL for SAML service provider creation in tenantDomain: ${tenant}.${reason}`,
      { cause },
    );
  }
}

function refuse(description: string): Fault {
  return new Fault("saml.invalid", description);
}
