/** An application file as a tree without layout: documents with equal content have equal trees. Pure. */

/** The formats of files. `xml` has nested documents as text, `xml-inline` as elements. */
export type FileFormat = "xml" | "xml-inline" | "yaml" | "json";

/** One element. Absent text and children are empty. */
export interface Element {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly text: string;
  readonly children: readonly Element[];
}

/** Characters that XML 1.0 cannot contain, not even escaped. */
const UNWRITABLE = /[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu;

/**
 * Text that XML can contain: other characters become U+FFFD. Blank text with a line break is layout and becomes empty.
 */
export function writable(text: string): string {
  return isLayout(text) ? "" : text.replace(UNWRITABLE, "\uFFFD");
}

/** Whether XML can contain a text as it is. */
export function isWritable(text: string): boolean {
  return text.search(UNWRITABLE) < 0;
}

function isLayout(text: string): boolean {
  return text.trim() === "" && text.includes("\n");
}

/** Creates an element with text or with children. */
export function element(
  name: string,
  content: string | readonly Element[] = "",
  attributes: Readonly<Record<string, string>> = {},
): Element {
  return typeof content === "string"
    ? { name, attributes, text: writable(content), children: [] }
    : { name, attributes, text: "", children: content };
}

/** The children with a name. */
export function childrenOf(parent: Element | undefined, name: string): readonly Element[] {
  return parent?.children.filter((child) => child.name === name) ?? [];
}

/** The first element on a path of names. */
export function find(from: Element | undefined, ...path: readonly string[]): Element | undefined {
  return path.reduce((found, name) => found?.children.find((child) => child.name === name), from);
}

/** The text at a path of names; `undefined` without such an element. */
export function textAt(from: Element | undefined, ...path: readonly string[]): string | undefined {
  return find(from, ...path)?.text;
}
