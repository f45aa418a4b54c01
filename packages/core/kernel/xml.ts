/**
 * Safe XML: one pass over the text rejects everything that makes parsers fetch files, expand entities without bound or
 * exhaust the stack, before a parser builds a tree.
 */
import { parseXml, type XmlElement, XmlError } from "@rgrove/parse-xml";
import type { Fault } from "./faults.ts";

/** The largest document that is accepted. */
export interface XmlLimits {
  /** Levels of nested elements. */
  readonly depth: number;
  /** Elements. Each takes about a kilobyte in the parser, however short it is. */
  readonly elements: number;
  /** Attributes of all elements together, with declarations of namespaces. */
  readonly attributes: number;
  /** Comments, CDATA sections and instructions, which cut text into pieces. Absent: as many as there is room for. */
  readonly asides?: number;
}

/** The fault with a message for the caller. */
export type Refuse = (reason: string) => Fault;

const REASON_LENGTH_MAX = 200;

/** Decodes a document, without its byte order mark. Throws the fault of `refuse` when it is not UTF-8. */
export function decodeXml(bytes: Uint8Array, refuse: Refuse): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw refuse("The document is not UTF-8.");
  }
}

/**
 * The root of a document. Throws the fault of `refuse` for a document type, entities other than XML's own five, a
 * declared encoding other than UTF-8, more depth, elements or attributes than the limits, and markup that is not
 * well-formed.
 */
export function parseXmlText(text: string, limits: XmlLimits, refuse: Refuse): XmlElement {
  checkEncoding(text, refuse);
  checkMarkup(text, limits, refuse);
  let root: XmlElement | null;
  try {
    // XML 1.0 section 2.11. The parser does the same in quadratic time.
    root = parseXml(text.replace(/\r\n?/g, "\n")).root;
  } catch (cause) {
    const reason = cause instanceof XmlError ? cause.message.split("\n")[0] : undefined;
    throw refuse(reason?.slice(0, REASON_LENGTH_MAX) ?? "The document is not well-formed XML.");
  }
  if (!root) throw refuse("The document has no element.");
  return root;
}

function checkEncoding(text: string, refuse: Refuse): void {
  const declared = /^\s*<\?xml[^>]*encoding\s*=\s*["']([^"']+)["']/i.exec(text)?.[1];
  if (declared && !/^(utf-8|us-ascii)$/i.test(declared)) {
    throw refuse(`The encoding ${declared.slice(0, 30)} is not supported. Send the document in UTF-8.`);
  }
}

/**
 * Checks the markup outside of comments, CDATA and instructions: no document type, bounded depth and numbers of
 * elements and attributes.
 */
function checkMarkup(text: string, limits: XmlLimits, refuse: Refuse): void {
  let depth = 0;
  let elements = 0;
  let attributes = 0;
  let asides = 0;
  const { asides: most = Number.POSITIVE_INFINITY } = limits;
  for (let at = text.indexOf("<"); at >= 0; at = text.indexOf("<", at)) {
    const behindAside = asideAt(text, at, refuse);
    if (behindAside !== undefined) {
      at = behindAside;
      asides += 1;
      if (asides > most) throw refuse(`It has more than ${most} comments, CDATA sections and instructions.`);
    } else {
      const { end, values } = tagAt(text, at + 1, refuse);
      attributes += values;
      if (text[at + 1] === "/") depth -= 1;
      else {
        elements += 1;
        if (text[end - 2] !== "/") depth += 1;
      }
      if (depth > limits.depth) throw refuse(`The document has more than ${limits.depth} levels.`);
      if (elements > limits.elements) throw refuse(`The document has more than ${limits.elements} elements.`);
      if (attributes > limits.attributes) throw refuse(`The document has more than ${limits.attributes} attributes.`);
      at = end;
    }
  }
}

/** The position after a comment, a CDATA section or an instruction that begins at a place; `undefined` for a tag. */
function asideAt(text: string, at: number, refuse: Refuse): number | undefined {
  if (text.startsWith("<!--", at)) return behind(text, at + 4, "-->", refuse);
  if (text.startsWith("<![CDATA[", at)) return behind(text, at + 9, "]]>", refuse);
  if (text.startsWith("<?", at)) return behind(text, at + 2, "?>", refuse);
  if (!text.startsWith("<!", at)) return undefined;
  throw refuse("Document type declarations are not allowed. Remove the declaration.");
}

/** The position after a part that ends with `closing`. */
function behind(text: string, from: number, closing: string, refuse: Refuse): number {
  const end = text.indexOf(closing, from);
  if (end < 0) throw refuse(`'${closing}' is missing.`);
  return end + closing.length;
}

/** The position after a tag, which is after the first `>` outside of attribute values, and the number of its values. */
function tagAt(text: string, from: number, refuse: Refuse): { readonly end: number; readonly values: number } {
  let quote = "";
  let values = 0;
  for (let at = from; at < text.length; at += 1) {
    const char = text[at] as string;
    if (quote !== "") {
      if (char === quote) quote = "";
    } else if (char === '"' || char === "'") {
      quote = char;
      values += 1;
    } else if (char === ">") return { end: at + 1, values };
  }
  throw refuse("A tag is not closed.");
}
