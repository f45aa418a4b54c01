/**
 * The content of an application file as a tree: what of XML the format uses, and nothing of how it was laid out. Two
 * documents that say the same make the same tree. Pure.
 */

/** One element. Text and children that are not there are empty. */
export interface Element {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly text: string;
  readonly children: readonly Element[];
}

/** Characters that XML 1.0 cannot hold, not even escaped. */
const UNWRITABLE = /[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu;

/** Text as a document can hold it: what cannot be written becomes U+FFFD, and a line break among blanks is layout. */
export function writable(text: string): string {
  return isLayout(text) ? "" : text.replace(UNWRITABLE, "\uFFFD");
}

function isLayout(text: string): boolean {
  return text.trim() === "" && text.includes("\n");
}

/** Makes an element of text, or of children. */
export function element(
  name: string,
  content: string | readonly Element[] = "",
  attributes: Readonly<Record<string, string>> = {},
): Element {
  return typeof content === "string"
    ? { name, attributes, text: writable(content), children: [] }
    : { name, attributes, text: "", children: content };
}

/** The children of a name. */
export function childrenOf(parent: Element | undefined, name: string): readonly Element[] {
  return parent?.children.filter((child) => child.name === name) ?? [];
}

/** The first element on a path of names. */
export function find(from: Element | undefined, ...path: readonly string[]): Element | undefined {
  return path.reduce((found, name) => found?.children.find((child) => child.name === name), from);
}

/** The text at a path of names; `undefined` where there is no such element. */
export function textAt(from: Element | undefined, ...path: readonly string[]): string | undefined {
  return find(from, ...path)?.text;
}
