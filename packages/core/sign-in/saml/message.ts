/** The bindings of requests (SAML Bindings 2.0 sections 3.4 and 3.5): from parameters to a message. Pure. */
import { inflateRawSync } from "node:zlib";
import { decodeXml } from "../../kernel/xml.ts";
import { refuse } from "./tree.ts";

/** How a message came. */
export type Binding = "HTTP_REDIRECT" | "HTTP_POST" | "SOAP";

const DEFLATE = "urn:oasis:names:tc:SAML:2.0:bindings:URL-Encoding:DEFLATE";
/** Of a message, however small it was made. */
const BYTES_MAX = 65_536;
const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;

/** The text of a message by a binding. Throws `request.invalid` for what is none, and for more than 64 KiB. */
export function messageIn(encoded: string, binding: Exclude<Binding, "SOAP">, samlEncoding?: string): string {
  // White space in Base64 is allowed (RFC 2045 section 6.8); a blank is a plus sign that nobody encoded.
  const compact = encoded.replace(/[\t\r\n]+/g, "").replaceAll(" ", "+");
  if (compact === "" || !BASE64.test(compact)) throw refuse("It is not Base64.");
  const bytes = Buffer.from(compact, "base64");
  if (binding === "HTTP_POST") return textOf(bytes);
  if (samlEncoding !== undefined && samlEncoding !== DEFLATE) throw refuse(`SAMLEncoding must be ${DEFLATE}.`);
  return textOf(inflated(bytes));
}

function textOf(bytes: Buffer): string {
  if (bytes.length > BYTES_MAX) throw refuse(TOO_LONG);
  return decodeXml(bytes, refuse);
}

function inflated(bytes: Buffer): Buffer {
  try {
    return inflateRawSync(bytes, { maxOutputLength: BYTES_MAX });
  } catch (cause) {
    const isLong = cause instanceof RangeError;
    throw refuse(isLong ? TOO_LONG : "By GET, a message is deflated (RFC 1951) and then encoded in Base64.");
  }
}

const TOO_LONG = `It is longer than ${BYTES_MAX} bytes.`;
