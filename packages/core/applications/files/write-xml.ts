/**
 * From a tree to the text of a document. A serializer of our own: the format needs elements, attributes, text and CDATA in
 * two places, and the exact treatment of blanks, line ends and `]]>` is what a round trip stands on (decision 0040). Pure.
 */
import { EXACT } from "./exact.ts";
import { nestedDocuments } from "./read-xml.ts";
import type { Element } from "./tree.ts";

const DECLARATION = '<?xml version="1.0" encoding="UTF-8"?>\n';
const NESTED_DECLARATION = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';
/** Elements whose text stands in CDATA. */
const RAW: ReadonlySet<string> = new Set(["AuthenticationScript", "inboundConfiguration", EXACT]);
/** The roots of documents that stand as text in a document. */
const DOCUMENTS: ReadonlySet<string> = new Set(Object.values(nestedDocuments));
/** Documents that would be longer than this are written without layout. */
const LAYOUT_LENGTH_MAX = 1_000_000;

const escapes: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  // A reader makes line feeds of these, unless they are escaped.
  "\r": "&#13;",
  "\n": "&#10;",
  "\t": "&#9;",
};

/** How a document is laid out: what one level is indented by, or `undefined` for no line breaks at all. */
type Indent = string | undefined;

/** The text of a document, indented by two blanks unless it is very long, with a note ahead of it, which holds no `--`. */
export function writeXml(root: Element, note?: string): string {
  const head = note === undefined ? DECLARATION : `${DECLARATION}<!-- ${note} -->\n`;
  const laidOut = `${head}${lines(root, 0, "  ").join("\n")}\n`;
  return laidOut.length <= LAYOUT_LENGTH_MAX ? laidOut : `${head}${lines(root, 0, undefined).join("")}\n`;
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
  return [`${start}>${RAW.has(name) ? rawText(text) : escapeText(text)}</${name}>`];
}

function attributesOf({ attributes }: Element): string {
  return Object.entries(attributes)
    .map(([name, value]) => ` ${name}="${escapeAttribute(value)}"`)
    .join("");
}

function escapeAttribute(text: string): string {
  return text.replace(/[&<>"\r\n\t]/g, (char) => escapes[char] ?? char);
}

/** The document that an element holds as text, if it holds one. */
function documentIn({ name, children: [root] }: Element): Element | undefined {
  return name === "inboundConfiguration" && root && DOCUMENTS.has(root.name) ? root : undefined;
}

/** CDATA has no escapes: `]]>` is split between two sections, and text with a carriage return is written as plain text. */
function rawText(text: string): string {
  return text.includes("\r") ? escapeText(text) : `<![CDATA[${text.replaceAll("]]>", "]]]]><![CDATA[>")}]]>`;
}

function escapeText(text: string): string {
  return text.replace(/[&<>\r]/g, (char) => escapes[char] ?? char);
}
