/**
 * Writes a tree as an XML document. This is our own serialiser because a lossless round trip depends on the exact
 * treatment of blanks, line ends and `]]>` (decision 0040). Pure.
 */
import { EXACT } from "./exact.ts";
import { nestedDocuments } from "./read-xml.ts";
import type { Element } from "./tree.ts";

const DECLARATION = '<?xml version="1.0" encoding="UTF-8"?>\n';
const NESTED_DECLARATION = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';
/** Elements whose text is written as CDATA. */
const CDATA: ReadonlySet<string> = new Set(["AuthenticationScript", "inboundConfiguration", EXACT]);
/** The roots of nested documents. */
const DOCUMENTS: ReadonlySet<string> = new Set(Object.values(nestedDocuments));
/** Documents that would be longer are written without layout. */
const LAYOUT_LENGTH_MAX = 1_000_000;

const escapes: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  // Parsers normalise these to spaces or line feeds unless they are escaped.
  "\r": "&#13;",
  "\n": "&#10;",
  "\t": "&#9;",
};

/** The indentation of one level; `undefined` means no line breaks. */
type Indent = string | undefined;

/**
 * Writes a document, indented by two spaces unless it is very long. The note becomes a comment; it must not contain
 * `--`.
 */
export function writeXml(root: Element, note?: string): string {
  const head = note === undefined ? DECLARATION : `${DECLARATION}<!-- ${note} -->\n`;
  const laidOut = `${head}${lines(root, 0, "  ").join("\n")}\n`;
  return laidOut.length <= LAYOUT_LENGTH_MAX ? laidOut : `${head}${lines(root, 0, undefined).join("")}\n`;
}

/** The same with nested documents as elements, which readers of newer releases expect. */
export function writeXmlInline(root: Element, note?: string): string {
  return writeXml(inlined(root), note);
}

function inlined(from: Element): Element {
  const document = documentIn(from);
  if (!document) return { ...from, children: from.children.map(inlined) };
  return { ...from, name: "InboundConfigurationProtocol", children: [document] };
}

function lines(given: Element, level: number, indent: Indent): readonly string[] {
  const margin = indent === undefined ? "" : indent.repeat(level);
  const { name, children } = given;
  const start = `${margin}<${name}${attributesOf(given)}`;
  const document = documentIn(given);
  if (!document && children.length > 0) {
    const own = given.text === "" ? [] : [escapeText(given.text)];
    return [
      `${start}>`,
      ...own,
      ...children.flatMap((child) => lines(child, level + 1, indent)),
      `${margin}</${name}>`,
    ];
  }
  const text = document ? `${NESTED_DECLARATION}${lines(document, 0, "    ").join("\n")}\n` : given.text;
  if (text === "") return [`${start}/>`];
  return [`${start}>${CDATA.has(name) ? cdataText(text) : escapeText(text)}</${name}>`];
}

function attributesOf({ attributes }: Element): string {
  return Object.entries(attributes)
    .map(([name, value]) => ` ${name}="${escapeAttribute(value)}"`)
    .join("");
}

function escapeAttribute(text: string): string {
  return text.replace(/[&<>"\r\n\t]/g, (char) => escapes[char] ?? char);
}

/** The nested document of an element. */
function documentIn({ name, children: [root] }: Element): Element | undefined {
  return name === "inboundConfiguration" && root && DOCUMENTS.has(root.name) ? root : undefined;
}

/** CDATA has no escapes: `]]>` is split between two sections. Text with a carriage return is escaped instead. */
function cdataText(text: string): string {
  return text.includes("\r") ? escapeText(text) : `<![CDATA[${text.replaceAll("]]>", "]]]]><![CDATA[>")}]]>`;
}

function escapeText(text: string): string {
  return text.replace(/[&<>\r]/g, (char) => escapes[char] ?? char);
}
