/**
 * Converts the SAML metadata of a service provider (OASIS saml-metadata-2.0-os) to a manual configuration. Documents
 * with a document type, entities, or too much depth are refused before they are read.
 */
import { X509Certificate } from "node:crypto";
import { XmlElement, XmlText } from "@rgrove/parse-xml";
import { Fault } from "../../platform/faults.ts";
import { decodeXml, parseXmlText } from "../../platform/xml.ts";
import * as z from "../../platform/zod.ts";
import { SamlManual } from "./shapes.ts";

const LIMITS = { depth: 30, elements: 5_000, attributes: 20_000 };
const EMAIL_FORMAT = "urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress";
const METADATA = "urn:oasis:names:tc:SAML:2.0:metadata";
const READ_NAMESPACES: ReadonlySet<string> = new Set([METADATA, "http://www.w3.org/2000/09/xmldsig#"]);
const attribute = z.string().optional();
const Text = z.object({ "#text": z.string() }).transform((node) => node["#text"]);

const KeyDescriptor = z.object({
  "@use": attribute,
  KeyInfo: one(z.object({ X509Data: one(z.object({ X509Certificate: one(Text) })) })),
});
const Endpoint = z.object({ "@Location": z.string().min(1), "@ResponseLocation": attribute, "@isDefault": attribute });
const Descriptor = z.object({
  "@entityID": z.string().min(1),
  SPSSODescriptor: z
    .array(
      z.object({
        "@AuthnRequestsSigned": attribute,
        KeyDescriptor: z.array(KeyDescriptor).optional(),
        NameIDFormat: one(Text),
        SingleLogoutService: z.array(Endpoint).optional(),
        AssertionConsumerService: z.array(Endpoint).min(1),
        AttributeConsumingService: z.array(z.object({ "@index": attribute })).optional(),
      }),
    )
    .min(1),
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

/** Throws `saml.invalid`. */
export function readSamlMetadata(bytes: Uint8Array): SamlMetadata {
  const root = parse(decodeXml(bytes, refuse));
  const parsed = Descriptor.safeParse(root);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw refuse(`${issue?.path.filter((part) => part !== 0).join("/") ?? ""} is missing or invalid.`);
  }
  const [provider] = parsed.data.SPSSODescriptor;
  if (!provider) throw refuse("There is no SPSSODescriptor.");
  const endpoints = provider.AssertionConsumerService;
  const [logout] = provider.SingleLogoutService ?? [];
  const [attributes] = provider.AttributeConsumingService ?? [];
  const signing = provider.KeyDescriptor?.find((key) => key["@use"] === undefined || key["@use"] === "signing");
  const base64 = signing?.KeyInfo?.X509Data?.X509Certificate;
  const manual = SamlManual.safeParse({
    issuer: parsed.data["@entityID"],
    assertionConsumerUrls: endpoints.map((endpoint) => endpoint["@Location"]),
    defaultAssertionConsumerUrl: endpoints.find((endpoint) => isTrue(endpoint["@isDefault"]))?.["@Location"],
    singleSignOnProfile: {
      ...(attributes && { attributeConsumingServiceIndex: attributes["@index"] ?? "" }),
      assertion: { nameIdFormat: provider.NameIDFormat?.trim() ?? EMAIL_FORMAT },
    },
    ...(attributes && { attributeProfile: { enabled: true, alwaysIncludeAttributesInResponse: true } }),
    ...(logout && {
      singleLogoutProfile: {
        enabled: true,
        logoutRequestUrl: logout["@Location"],
        ...(logout["@ResponseLocation"] && { logoutResponseUrl: logout["@ResponseLocation"] }),
      },
    }),
    requestValidation: {
      enableSignatureValidation: isTrue(provider["@AuthnRequestsSigned"]),
      ...(base64 && { signatureValidationCertAlias: parsed.data["@entityID"] }),
    },
  });
  if (!manual.success) throw refuse(`${manual.error.issues[0]?.path.join(".")}: ${manual.error.issues[0]?.message}.`);
  if (!base64) return { manual: manual.data };
  return { manual: manual.data, certificate: Buffer.from(pemOf(base64), "utf8").toString("base64") };
}

function parse(text: string): Tree {
  const root = parseXmlText(text, LIMITS, refuse);
  const tree = splitName(root.name)[1] === "EntityDescriptor" ? toTree(root) : undefined;
  if (!tree) throw refuse(`The root must be one EntityDescriptor of the namespace ${METADATA}.`);
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
  return text === "true" || text === "1";
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
