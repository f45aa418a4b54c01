/** Messages in envelopes (SAML Bindings 2.0 section 3.2). Pure. */
import { type XmlNode as ParsedNode, parseXml, XmlElement } from "@rgrove/parse-xml";
import { securityHeaders } from "../../http/security-headers.ts";
import type { Canonical } from "../../kernel/canonical-xml.ts";
import type { PageResult } from "../../kernel/operation/operation.ts";
import { soapOf } from "./logout-message.ts";
import { readTree, refuse } from "./tree.ts";

const SOAP = "http://schemas.xmlsoap.org/soap/envelope/";
const BYTES_MAX = 65_536;

/**
 * The message in the body of an envelope, as a document of its own: an element with the declarations of all elements
 * around it, so that its signature covers the same. Throws `request.invalid`.
 */
export function bodyOf(envelope: string): string {
  if (Buffer.byteLength(envelope, "utf8") > BYTES_MAX) throw refuse(`It is longer than ${BYTES_MAX} bytes.`);
  const root = readTree(envelope);
  const bodies = root.children.filter(({ name, namespace }) => name === "Body" && namespace === SOAP);
  if (root.name !== "Envelope" || root.namespace !== SOAP || bodies.length !== 1 || bodies[0]?.children.length !== 1) {
    throw refuse("By SOAP, it is an envelope of SOAP 1.1 with one message in its body.");
  }
  // What `readTree` takes is well-formed, and has no document type.
  const text = envelope.replace(/\r\n?/g, "\n");
  const outer = parseXml(text, { includeOffsets: true }).root;
  const body = elementsIn(outer).find(({ name }) => name.split(":").at(-1) === "Body");
  const [message] = elementsIn(body);
  if (!outer || !body || !message) throw refuse("The envelope has no message.");
  const around = { ...declarationsOf(outer), ...declarationsOf(body) };
  const own = declarationsOf(message);
  const missing = Object.entries(around).filter(([name]) => !(name in own));
  const start = message.start + 1 + message.name.length;
  const declared = missing.map(([name, value]) => ` ${name}="${attributeText(value)}"`).join("");
  return `<${message.name}${declared}${text.slice(start, message.end)}`;
}

/** The answer to a message by SOAP. */
export function soapAnswer(message: Canonical): PageResult {
  const headers = { ...securityHeaders, "content-type": "text/xml; charset=utf-8", "cache-control": "no-store" };
  return { status: 200, headers, html: soapOf(message) };
}

function elementsIn(node: { readonly children: readonly ParsedNode[] } | null | undefined): readonly XmlElement[] {
  return (node?.children ?? []).filter((child): child is XmlElement => child instanceof XmlElement);
}

function declarationsOf({ attributes }: XmlElement): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(attributes).filter(([name]) => name === "xmlns" || name.startsWith("xmlns:")),
  );
}

function attributeText(value: string): string {
  return value.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");
}
