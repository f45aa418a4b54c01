/**
 * Converts the SAML metadata of a service provider (OASIS saml-metadata-2.0-os) to a manual configuration, with what
 * that has no member for (decision 0199).
 */
import { X509Certificate } from "node:crypto";
import * as z from "../../kernel/zod.ts";
import { ARTIFACT, derOf, logoutBindings, POST } from "./saml-imported.ts";
import { lifetimeOf } from "./saml-metadata-lifetime.ts";
import { entityIn, refuse, type Tree } from "./saml-metadata-tree.ts";
import { SamlManual } from "./shapes.ts";
import { INDEX_MAX } from "./shapes-imported.ts";

const PROTOCOL = "urn:oasis:names:tc:SAML:2.0:protocol";
const BINDINGS = "urn:oasis:names:tc:SAML:2.0:bindings:";
/** The formats that answers can have; the first one is that of metadata that names none. */
const NAME_ID_FORMATS = [
  "urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress",
  "urn:oasis:names:tc:SAML:1.1:nameid-format:unspecified",
  "urn:oasis:names:tc:SAML:2.0:nameid-format:persistent",
  "urn:oasis:names:tc:SAML:2.0:nameid-format:transient",
] as const;

const attribute = z.string().optional();
/** White space around a value is no part of it. */
const trimmed = z.string().trim();
const Text = z.object({ "#text": trimmed }).transform((node) => node["#text"]);
/** xs:anyURI: inside it, white space is one blank (XML Schema 2 section 3.2.17). */
const uri = z.string().transform((text) => text.replace(/[ \t\r\n]+/g, " ").trim());
const flag = trimmed
  .regex(/^(?:true|false|1|0)$/)
  .transform((text) => text === "true" || text === "1")
  .optional();
/** xs:unsignedShort. */
const index = trimmed
  .regex(/^0*\d{1,5}$/)
  .transform(Number)
  .pipe(z.int().max(INDEX_MAX))
  .optional();

const KeyDescriptor = z.object({
  "@use": trimmed.pipe(z.enum(["signing", "encryption"])).optional(),
  KeyInfo: one(z.object({ X509Data: one(z.object({ X509Certificate: one(Text) })) })),
});
const indexed = { "@index": index, "@isDefault": flag };
const Endpoint = z.object({
  "@Location": uri.pipe(z.string().min(1)),
  "@ResponseLocation": uri.optional(),
  "@Binding": uri.optional(),
});
/** How long an element counts. */
const lifetime = { "@validUntil": attribute, "@cacheDuration": attribute };
const Provider = z.object({
  ...lifetime,
  "@AuthnRequestsSigned": flag,
  KeyDescriptor: z.array(KeyDescriptor).optional(),
  NameIDFormat: z.array(Text).optional(),
  SingleLogoutService: z.array(Endpoint).optional(),
  AssertionConsumerService: z.array(Endpoint.extend(indexed)).min(1),
  AttributeConsumingService: z.array(z.object(indexed)).optional(),
});
const Descriptor = z.object({ "@entityID": uri.pipe(z.string().min(1)), ...lifetime, SPSSODescriptor: one(Provider) });
/** The role descriptors of an entity, of which one is read. */
const Roles = z.object({
  SPSSODescriptor: z.array(z.looseObject({ "@protocolSupportEnumeration": attribute })).min(1),
});

type ReadEndpoint = z.output<typeof Endpoint>;

/** A manual configuration, and the signing certificate as the Base64 of its PEM. */
export interface SamlMetadata {
  readonly manual: z.output<typeof SamlManual>;
  readonly certificate?: string;
}

/**
 * Reads the metadata of one entity at a time, in milliseconds since 1970. Of several role descriptors it takes the
 * first service provider of SAML 2.0. Throws `saml.invalid`, also for metadata that has expired.
 */
export function readSamlMetadata(bytes: Uint8Array, nowMs: number): SamlMetadata {
  const root = entityIn(bytes);
  const parsed = Descriptor.safeParse({ ...root, SPSSODescriptor: [roleOf(root)] });
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw refuse(`${issue?.path.filter((part) => part !== 0).join("/") ?? ""} is missing or invalid.`);
  }
  const { SPSSODescriptor: provider, "@entityID": issuer } = parsed.data;
  if (!provider) throw refuse("There is no SPSSODescriptor.");
  const { AssertionConsumerService: consumers, AttributeConsumingService: attributes = [] } = provider;
  const { SingleLogoutService: logouts = [], KeyDescriptor: descriptors = [], NameIDFormat: formats = [] } = provider;
  const posts = consumers.filter((each) => consumerBinding(each) === POST);
  const takesArtifacts = consumers.some((each) => bindingOf(each) === ARTIFACT);
  const attributeService = defaultOf(attributes);
  const logout = logoutOf(logouts);
  const keys = descriptors.flatMap(({ "@use": use, KeyInfo }) => {
    const text = KeyInfo?.X509Data?.X509Certificate;
    return text ? [{ ...(use && { use }), certificate: certificateOf(text) }] : [];
  });
  const signing = keys.find(({ use }) => use !== "encryption")?.certificate;
  const manual = SamlManual.safeParse({
    issuer,
    assertionConsumerUrls: consumers.map((each) => each["@Location"]),
    // An answer is posted: the default of another binding would not take it.
    defaultAssertionConsumerUrl: defaultOf(posts.length > 0 ? posts : consumers)?.["@Location"],
    singleSignOnProfile: {
      ...(takesArtifacts && { bindings: ["HTTP_POST", "HTTP_REDIRECT", "ARTIFACT"] }),
      ...(attributeService && { attributeConsumingServiceIndex: String(attributeService["@index"] ?? "") }),
      assertion: { nameIdFormat: nameIdFormatOf(formats) },
    },
    ...(attributeService && { attributeProfile: { enabled: true, alwaysIncludeAttributesInResponse: true } }),
    ...(logout && { singleLogoutProfile: logout }),
    requestValidation: {
      enableSignatureValidation: provider["@AuthnRequestsSigned"] ?? false,
      ...(signing !== undefined && { signatureValidationCertAlias: issuer }),
    },
    imported: {
      ...lifetimeOf({ EntityDescriptor: parsed.data, SPSSODescriptor: provider }, nowMs),
      assertionConsumerServices: consumers.map(({ "@index": at, ...each }) => ({
        binding: consumerBinding(each),
        location: each["@Location"],
        ...(at !== undefined && { index: at }),
      })),
      ...filled("singleLogoutServices", logouts.flatMap(logoutService)),
      ...filled(
        "attributeConsumingServiceIndexes",
        attributes.flatMap((each) => each["@index"] ?? []),
      ),
      ...filled("keys", keys),
    },
  });
  if (!manual.success) throw refuse(`${manual.error.issues[0]?.path.join(".")}: ${manual.error.issues[0]?.message}.`);
  if (signing === undefined) return { manual: manual.data };
  const pem = new X509Certificate(Buffer.from(signing, "base64")).toString();
  return { manual: manual.data, certificate: Buffer.from(pem, "utf8").toString("base64") };
}

/**
 * The first service provider that supports SAML 2.0. Where none says what it supports, as in old files, the first one.
 */
function roleOf(root: Tree): unknown {
  const roles = Roles.safeParse(root);
  if (!roles.success) {
    const isProvider = root.IDPSSODescriptor !== undefined;
    throw refuse(
      isProvider
        ? "It describes an identity provider. Send the metadata of the application: a service provider (SPSSODescriptor)."
        : "There is no SPSSODescriptor.",
    );
  }
  const protocolsOf = ({ "@protocolSupportEnumeration": text }: { readonly "@protocolSupportEnumeration"?: string }) =>
    (text ?? "").split(/[ \t\r\n]+/).filter((each) => each !== "");
  const all = roles.data.SPSSODescriptor;
  const found =
    all.find((role) => protocolsOf(role).includes(PROTOCOL)) ?? all.find((role) => protocolsOf(role).length === 0);
  if (found) return found;
  const named = [...new Set(all.flatMap(protocolsOf))].slice(0, 3).join(", ").slice(0, 200);
  throw refuse(
    `No SPSSODescriptor supports SAML 2.0: protocolSupportEnumeration has ${named}, and must contain ${PROTOCOL}.`,
  );
}

/** The default of indexed elements (SAML Metadata 2.0 section 2.2.3). */
function defaultOf<T extends { readonly "@isDefault"?: boolean | undefined }>(list: readonly T[]): T | undefined {
  return (
    list.find((each) => each["@isDefault"] === true) ?? list.find((each) => each["@isDefault"] === undefined) ?? list[0]
  );
}

/** A binding of SAML 2.0 by its name, another one by its URI. */
function bindingOf({ "@Binding": binding }: ReadEndpoint): string | undefined {
  return binding?.startsWith(BINDINGS) ? binding.slice(BINDINGS.length) : binding;
}

/** The binding of a consumer. Old files have none for what they mean to be posted to. */
function consumerBinding(consumer: ReadEndpoint): string {
  return bindingOf(consumer) || POST;
}

/** A service of logout. One that names no binding is none: SOAP could go to an address for browsers. */
function logoutService(service: ReadEndpoint) {
  const { "@Location": location, "@ResponseLocation": responseLocation } = service;
  const binding = bindingOf(service);
  return binding ? [{ binding, location, ...(responseLocation && { responseLocation }) }] : [];
}

/** How a logout travels: to the back channel where there is a binding of it, else through the browser. */
function logoutOf(services: readonly ReadEndpoint[]) {
  const known = services.flatMap(logoutService);
  const [found] = Object.entries(logoutBindings).flatMap(([logoutMethod, binding]) =>
    known.flatMap((service) => (service.binding === binding ? [{ ...service, logoutMethod }] : [])),
  );
  if (!found) return undefined;
  const { logoutMethod, location: logoutRequestUrl, responseLocation } = found;
  return {
    enabled: true,
    logoutMethod,
    logoutRequestUrl,
    ...(responseLocation !== undefined && { logoutResponseUrl: responseLocation }),
  };
}

/** The first format that answers can have; else the first one, which names users as settings without a format do. */
function nameIdFormatOf(formats: readonly string[]): string {
  const [usual] = NAME_ID_FORMATS;
  const given = formats.filter((format) => format !== "");
  return given.find((format) => NAME_ID_FORMATS.some((each) => each === format)) ?? given[0] ?? usual;
}

function filled<T>(name: string, list: readonly T[]) {
  return list.length > 0 ? { [name]: list } : {};
}

/** A certificate, as the Base64 of its DER. Some files have the lines of a PEM in it. Throws `saml.invalid`. */
function certificateOf(text: string): string {
  const certificate = derOf(text.replace(/-----(?:BEGIN|END) CERTIFICATE-----/g, ""));
  if (certificate === undefined) throw refuse("A certificate of a KeyDescriptor is not a certificate.");
  return certificate;
}

function one<T extends z.ZodType>(of: T) {
  return z
    .array(of)
    .transform(([first]) => first as z.output<T> | undefined)
    .optional();
}
