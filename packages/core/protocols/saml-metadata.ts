/**
 * SAML metadata of a service provider (OASIS saml-metadata-2.0-os) to the settings that a person would write by hand
 * (reference section 6.2.5). Documents with a document type, entities, or more depth than metadata has are refused unread.
 */
import { X509Certificate } from "node:crypto";
import { parseXml, XmlElement, XmlError } from "@rgrove/parse-xml";
import * as z from "zod";
import { Fault } from "../faults/faults.ts";
import { SamlManual } from "./shapes.ts";

const DEPTH_MAX = 30;
const TAGS_MAX = 5_000;
const EMAIL_FORMAT = "urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress";
const METADATA = "urn:oasis:names:tc:SAML:2.0:metadata";

const refuse = (reason: string): Fault => new Fault("saml.invalid", `Error parsing SAML SP metadata. ${reason}`);

const decode = (bytes: Uint8Array): string => {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw refuse("The document is not UTF-8.");
  }
};

/** Looks at the text before any parser does: no document type, no entities beyond XML's own five, bounded depth and size. */
const checkText = (text: string): void => {
  if (/<!DOCTYPE|<!ENTITY/i.test(text)) throw refuse("A document type declaration is not accepted.");
  const declared = /^\s*<\?xml[^>]*encoding\s*=\s*["']([^"']+)["']/i.exec(text)?.[1];
  if (declared && !/^(utf-8|us-ascii)$/i.test(declared))
    throw refuse(`The encoding ${declared.slice(0, 30)} is not accepted.`);
  let depth = 0;
  let tags = 0;
  for (const [tag] of text.matchAll(/<(?![?!])\/?[^<>]*>/g)) {
    tags += 1;
    if (tag.startsWith("</")) depth -= 1;
    else if (!tag.endsWith("/>")) depth += 1;
    if (depth > DEPTH_MAX || tags > TAGS_MAX) throw refuse("The document is deeper or larger than metadata is.");
  }
};

const one = <T extends z.ZodType>(of: T) =>
  z
    .array(of)
    .transform(([first]) => first as z.output<T> | undefined)
    .optional();
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

/** An element as plain data: attributes with an `@`, text as `#text`, and every child in a list by its local name. */
const toTree = (element: XmlElement): Tree => {
  const tree: Record<string, string | Tree[]> = {};
  for (const [name, value] of Object.entries(element.attributes)) tree[`@${name}`] = value;
  for (const child of element.children) {
    if (!(child instanceof XmlElement)) continue;
    const name = child.name.replace(/^[^:]*:/, "");
    const siblings = tree[name];
    if (Array.isArray(siblings)) siblings.push(toTree(child));
    else tree[name] = [toTree(child)];
  }
  tree["#text"] = element.text;
  return tree;
};

const parse = (text: string): Tree => {
  let root: XmlElement | null;
  try {
    root = parseXml(text).root;
  } catch (cause) {
    const reason = cause instanceof XmlError ? cause.message.split("\n")[0] : "It is not well-formed XML.";
    throw refuse(`${reason?.slice(0, 200)}`);
  }
  if (root?.name.replace(/^[^:]*:/, "") !== "EntityDescriptor") throw refuse("The root must be one EntityDescriptor.");
  return toTree(root);
};

/** The PEM of a certificate's Base64, checked. */
const pemOf = (base64: string): string => {
  const body = base64.replace(/\s+/g, "");
  const pem = `-----BEGIN CERTIFICATE-----\n${body.match(/.{1,64}/g)?.join("\n")}\n-----END CERTIFICATE-----\n`;
  try {
    return new X509Certificate(pem) && pem;
  } catch {
    throw refuse("The signing certificate is not a certificate.");
  }
};

const isTrue = (text: string | undefined): boolean => text === "true" || text === "1";

/** What metadata says: settings as written by hand, and the signing certificate as the Base64 of its PEM. */
export interface SamlMetadata {
  readonly manual: z.output<typeof SamlManual>;
  readonly certificate?: string;
}

/** Reads the metadata of a service provider. Throws `saml.invalid`. */
export const readSamlMetadata = (bytes: Uint8Array): SamlMetadata => {
  const text = decode(bytes);
  checkText(text);
  const root = parse(text);
  if (!text.includes(METADATA)) throw refuse(`The namespace ${METADATA} is not declared.`);
  const parsed = Descriptor.safeParse(root);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw refuse(`${issue?.path.filter((part) => part !== 0).join("/") ?? ""} is missing or not as metadata has it.`);
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
};
