/**
 * Converts the SAML metadata of a service provider (OASIS saml-metadata-2.0-os) to a manual configuration. Documents
 * with a document type, entities, or too much depth are refused before they are read.
 */
import { X509Certificate } from "node:crypto";
import { XmlElement, XmlText } from "@rgrove/parse-xml";
import { Fault } from "../../kernel/faults.ts";
import { decodeXml, parseXmlText } from "../../kernel/xml.ts";
import * as z from "../../kernel/zod.ts";
import { SamlManual } from "./shapes.ts";

const LIMITS = { depth: 30, elements: 5_000, attributes: 20_000 };
const EMAIL_FORMAT = "urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress";
const METADATA = "urn:oasis:names:tc:SAML:2.0:metadata";
const PROTOCOL = "urn:oasis:names:tc:SAML:2.0:protocol";
const BINDINGS = "urn:oasis:names:tc:SAML:2.0:bindings:";
/** xs:dateTime of four-digit years, and xs:duration without a sign. */
const DATE_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d)?$/;
const DURATION = /^P(?=\d|T\d)(?:\d+Y)?(?:\d+M)?(?:\d+D)?(?:T(?=\d)(?:\d+H)?(?:\d+M)?(?:\d+(?:\.\d+)?S)?)?$/;
const READ_NAMESPACES: ReadonlySet<string> = new Set([METADATA, "http://www.w3.org/2000/09/xmldsig#"]);
const attribute = z.string().optional();
const Text = z.object({ "#text": z.string() }).transform((node) => node["#text"]);

const KeyDescriptor = z.object({
  "@use": attribute,
  KeyInfo: one(z.object({ X509Data: one(z.object({ X509Certificate: one(Text) })) })),
});
/** xs:anyURI: white space around it is no part of it, and inside it is one blank (XML Schema 2 section 3.2.17). */
const uri = z.string().transform((text) => text.replace(/[ \t\r\n]+/g, " ").trim());
const Endpoint = z.object({
  "@Location": uri.pipe(z.string().min(1)),
  "@ResponseLocation": uri.optional(),
  "@Binding": uri.optional(),
  "@isDefault": attribute,
  "@index": attribute,
});
/** How long an element counts (SAML Metadata 2.0 section 2.3.1). */
const lifetime = { "@validUntil": attribute, "@cacheDuration": attribute };
const Provider = z.object({
  ...lifetime,
  "@AuthnRequestsSigned": attribute,
  KeyDescriptor: z.array(KeyDescriptor).optional(),
  NameIDFormat: one(Text),
  SingleLogoutService: z.array(Endpoint).optional(),
  AssertionConsumerService: z.array(Endpoint).min(1),
  AttributeConsumingService: z.array(z.object({ "@index": attribute, "@isDefault": attribute })).optional(),
});
const Descriptor = z.object({ "@entityID": uri.pipe(z.string().min(1)), ...lifetime, SPSSODescriptor: one(Provider) });
/** The role descriptors of an entity, of which one is read. */
const Roles = z.object({
  SPSSODescriptor: z.array(z.looseObject({ "@protocolSupportEnumeration": attribute })).min(1),
});

type Tree = { readonly [name: string]: string | readonly Tree[] };

/** The namespaces that an element declares, and those around it. Copying them for each element would be quadratic. */
interface Namespaces {
  readonly own: ReadonlyMap<string, string>;
  readonly outside?: Namespaces;
}

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
  const root = parse(decodeXml(bytes, refuse));
  const parsed = Descriptor.safeParse({ ...root, SPSSODescriptor: [roleOf(root)] });
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw refuse(`${issue?.path.filter((part) => part !== 0).join("/") ?? ""} is missing or invalid.`);
  }
  const { SPSSODescriptor: provider, "@entityID": issuer } = parsed.data;
  if (!provider) throw refuse("There is no SPSSODescriptor.");
  checkLifetime("EntityDescriptor", parsed.data, nowMs);
  checkLifetime("SPSSODescriptor", provider, nowMs);
  const endpoints = provider.AssertionConsumerService;
  const attributes = defaultOf(provider.AttributeConsumingService ?? []);
  const signing = provider.KeyDescriptor?.find((key) => key["@use"] === undefined || key["@use"] === "signing");
  const base64 = signing?.KeyInfo?.X509Data?.X509Certificate;
  const logout = logoutOf(provider.SingleLogoutService ?? []);
  const manual = SamlManual.safeParse({
    issuer,
    assertionConsumerUrls: endpoints.map((endpoint) => endpoint["@Location"]),
    defaultAssertionConsumerUrl: defaultOf(endpoints)?.["@Location"],
    singleSignOnProfile: {
      ...(attributes && { attributeConsumingServiceIndex: attributes["@index"] ?? "" }),
      assertion: { nameIdFormat: provider.NameIDFormat?.trim() ?? EMAIL_FORMAT },
    },
    ...(attributes && { attributeProfile: { enabled: true, alwaysIncludeAttributesInResponse: true } }),
    ...(logout && { singleLogoutProfile: logout }),
    requestValidation: {
      enableSignatureValidation: isTrue(provider["@AuthnRequestsSigned"]),
      ...(base64 && { signatureValidationCertAlias: issuer }),
    },
  });
  if (!manual.success) throw refuse(`${manual.error.issues[0]?.path.join(".")}: ${manual.error.issues[0]?.message}.`);
  if (!base64) return { manual: manual.data };
  return { manual: manual.data, certificate: Buffer.from(pemOf(base64), "utf8").toString("base64") };
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
function defaultOf<T extends { readonly "@isDefault"?: string | undefined }>(list: readonly T[]): T | undefined {
  return (
    list.find((each) => isTrue(each["@isDefault"])) ?? list.find((each) => each["@isDefault"] === undefined) ?? list[0]
  );
}

/** How a logout travels: to the back channel where there is a binding of it, else through the browser. */
function logoutOf(services: readonly z.output<typeof Endpoint>[]) {
  const methods = [
    ["SOAP", "BACKCHANNEL"],
    ["HTTP-POST", "FRONTCHANNEL_HTTP_POST"],
    ["HTTP-Redirect", "FRONTCHANNEL_HTTP_REDIRECT"],
  ] as const;
  const known = methods.flatMap(([binding, logoutMethod]) =>
    services.flatMap((service) => (service["@Binding"] === `${BINDINGS}${binding}` ? [{ service, logoutMethod }] : [])),
  );
  // Old files name no binding.
  const unnamed = services.flatMap((service) =>
    service["@Binding"] === undefined ? [{ service, logoutMethod: "BACKCHANNEL" as const }] : [],
  );
  const [found] = [...known, ...unnamed];
  if (!found) return undefined;
  const { service, logoutMethod } = found;
  return {
    enabled: true,
    logoutMethod,
    logoutRequestUrl: service["@Location"],
    ...(service["@ResponseLocation"] && { logoutResponseUrl: service["@ResponseLocation"] }),
  };
}

/** Refuses an element that has expired, and times that are none. */
function checkLifetime(
  name: string,
  { "@validUntil": until, "@cacheDuration": duration }: { readonly [N in keyof typeof lifetime]?: string | undefined },
  nowMs: number,
): void {
  if (until !== undefined) {
    const text = until.trim();
    const endsMs = timeOf(text);
    if (Number.isNaN(endsMs)) {
      throw refuse(`validUntil of ${name} must be a date and time such as 2030-01-31T08:00:00Z, not '${shown(text)}'.`);
    }
    if (endsMs <= nowMs) {
      throw refuse(
        `It has expired: validUntil of ${name} is ${shown(text)}. Get the current metadata of the application.`,
      );
    }
  }
  if (duration !== undefined && !DURATION.test(duration.trim())) {
    throw refuse(`cacheDuration of ${name} must be a duration such as PT1H or P1D, not '${shown(duration.trim())}'.`);
  }
}

/** An xs:dateTime, which is UTC without a time zone; NaN for what is none, such as a 30 February. */
function timeOf(text: string): number {
  const [, year, month, day] = /^(\d{4})-(\d\d)-(\d\d)T/.exec(text) ?? [];
  const isDay = new Date(Date.UTC(Number(year), Number(month) - 1, Number(day))).getUTCDate() === Number(day);
  if (!isDay || !DATE_TIME.test(text)) return Number.NaN;
  return Date.parse(/(?:Z|[+-]\d\d:\d\d)$/.test(text) ? text : `${text}Z`);
}

function shown(text: string): string {
  return text.slice(0, 60).replace(/\p{C}/gu, "\uFFFD");
}

function parse(text: string): Tree {
  const root = parseXmlText(text, LIMITS, refuse);
  const name = splitName(root.name)[1];
  const tree = name === "EntityDescriptor" ? toTree(root) : undefined;
  if (!tree) {
    const many = name === "EntitiesDescriptor" ? " It has several entities: send the EntityDescriptor of the one." : "";
    throw refuse(`The root must be one EntityDescriptor of the namespace ${METADATA}.${many}`);
  }
  return tree;
}

/**
 * An element of metadata or of an XML signature as plain data: attributes with an `@`, its own text as `#text`, and
 * children in lists by local name. Elements of other namespaces are ignored.
 */
function toTree(element: XmlElement, outside?: Namespaces): Tree | undefined {
  const namespaces = namespacesIn(element, outside);
  const [prefix] = splitName(element.name);
  if (!READ_NAMESPACES.has(namespaceOf(prefix, namespaces))) return undefined;
  const tree: Record<string, string | Tree[]> = {};
  for (const [name, value] of Object.entries(element.attributes)) tree[`@${name}`] = value;
  let text = "";
  for (const child of element.children) {
    if (child instanceof XmlText) text += child.text;
    if (!(child instanceof XmlElement)) continue;
    const below = toTree(child, namespaces);
    if (!below) continue;
    const [, name] = splitName(child.name);
    const siblings = tree[name];
    if (Array.isArray(siblings)) siblings.push(below);
    else tree[name] = [below];
  }
  tree["#text"] = text;
  return tree;
}

/** The namespaces inside an element. */
function namespacesIn(element: XmlElement, outside: Namespaces | undefined): Namespaces {
  const own = new Map<string, string>();
  for (const [name, value] of Object.entries(element.attributes)) {
    if (name === "xmlns") own.set("", value);
    else if (name.startsWith("xmlns:")) own.set(name.slice("xmlns:".length), value);
  }
  return { own, ...(outside && { outside }) };
}

/** The namespace of a prefix. The levels of a document are limited. */
function namespaceOf(prefix: string, { own, outside }: Namespaces): string {
  return own.get(prefix) ?? (outside ? namespaceOf(prefix, outside) : "");
}

function splitName(name: string): readonly [prefix: string, local: string] {
  const colon = name.indexOf(":");
  return colon < 0 ? ["", name] : [name.slice(0, colon), name.slice(colon + 1)];
}

function isTrue(text: string | undefined): boolean {
  return text?.trim() === "true" || text?.trim() === "1";
}

/** The PEM of a Base64 certificate. Throws `saml.invalid`. */
function pemOf(base64: string): string {
  const body = base64.replace(/\s+/g, "");
  const pem = `-----BEGIN CERTIFICATE-----\n${body.match(/.{1,64}/g)?.join("\n")}\n-----END CERTIFICATE-----\n`;
  try {
    return new X509Certificate(pem) && pem;
  } catch {
    throw refuse("The signing certificate is not a certificate.");
  }
}

function refuse(reason: string): Fault {
  return new Fault("saml.invalid", `Error parsing SAML SP metadata. ${reason}`);
}

function one<T extends z.ZodType>(of: T) {
  return z
    .array(of)
    .transform(([first]) => first as z.output<T> | undefined)
    .optional();
}
