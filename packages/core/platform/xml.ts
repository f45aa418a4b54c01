/**
 * XML of a caller, read safely: what makes parsers fetch files, expand bombs or run out of stack is refused in one pass
 * over the text, before a parser builds anything from it.
 */
import { parseXml, type XmlElement, XmlError } from "@rgrove/parse-xml";
import type { Fault } from "./faults.ts";

/** How much of a document is read. */
export interface XmlLimits {
  /** Levels of elements. */
  readonly depth: number;
  /** Elements. Each takes a parser about a kilobyte, however short it is. */
  readonly elements: number;
}

/** Makes the fault for a reason, which is a sentence for the caller. */
export type Refuse = (reason: string) => Fault;

const REASON_LENGTH_MAX = 200;

/** Decodes a document. Throws the refusal when it is not UTF-8. A byte order mark is dropped. */
export function decodeXml(bytes: Uint8Array, refuse: Refuse): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw refuse("The document is not UTF-8.");
  }
}

/**
 * The root of a document. Throws the refusal for a document type, entities beyond XML's own five, another declared
 * encoding than UTF-8, more depth or elements than the limits, and what is not well-formed.
 */
export function parseXmlText(text: string, limits: XmlLimits, refuse: Refuse): XmlElement {
  checkEncoding(text, refuse);
  checkMarkup(text, limits, refuse);
  let root: XmlElement | null;
  try {
    root = parseXml(text).root;
  } catch (cause) {
    const reason = cause instanceof XmlError ? cause.message.split("\n")[0] : undefined;
    throw refuse(reason?.slice(0, REASON_LENGTH_MAX) ?? "It is not well-formed XML.");
  }
  if (!root) throw refuse("The document has no element.");
  return root;
}

function checkEncoding(text: string, refuse: Refuse): void {
  const declared = /^\s*<\?xml[^>]*encoding\s*=\s*["']([^"']+)["']/i.exec(text)?.[1];
  if (declared && !/^(utf-8|us-ascii)$/i.test(declared)) {
    throw refuse(`The encoding ${declared.slice(0, 30)} is not accepted: write the document in UTF-8.`);
  }
}

/** Walks the markup past comments, CDATA and instructions: no document type, bounded depth and number of elements. */
function checkMarkup(text: string, limits: XmlLimits, refuse: Refuse): void {
  let depth = 0;
  let elements = 0;
  for (let at = text.indexOf("<"); at >= 0; at = text.indexOf("<", at)) {
    if (text.startsWith("<!--", at)) at = behind(text, at + 4, "-->", refuse);
    else if (text.startsWith("<![CDATA[", at)) at = behind(text, at + 9, "]]>", refuse);
    else if (text.startsWith("<?", at)) at = behind(text, at + 2, "?>", refuse);
    else if (text.startsWith("<!", at)) throw refuse("A document type declaration is not accepted.");
    else {
      const end = behindTag(text, at + 1, refuse);
      if (text[at + 1] === "/") depth -= 1;
      else {
        elements += 1;
        if (text[end - 2] !== "/") depth += 1;
      }
      if (depth > limits.depth) throw refuse(`The document has more than ${limits.depth} levels.`);
      if (elements > limits.elements) throw refuse(`The document has more than ${limits.elements} elements.`);
      at = end;
    }
  }
}

/** Where the text goes on behind a part that ends with `closing`. */
function behind(text: string, from: number, closing: string, refuse: Refuse): number {
  const end = text.indexOf(closing, from);
  if (end < 0) throw refuse(`'${closing}' is missing.`);
  return end + closing.length;
}

/** Where a tag ends: at the first `>` that stands in no attribute value. */
function behindTag(text: string, from: number, refuse: Refuse): number {
  let quote = "";
  for (let at = from; at < text.length; at += 1) {
    const char = text[at] as string;
    if (quote !== "") {
      if (char === quote) quote = "";
    } else if (char === '"' || char === "'") quote = char;
    else if (char === ">") return at + 1;
  }
  throw refuse("A tag is not closed.");
}
