/**
 * What the values of JSON and YAML were, for messages: a tree of elements has texts alone. It is kept besides the tree,
 * because applications store elements as JSON.
 */
import type { Element } from "./tree.ts";

/** What a value was, where its element does not show it. */
interface Kinds {
  /** A number or a flag, in words. */
  readonly kind?: string | undefined;
  /** Whether it was in a list that has no element of its own. */
  readonly isListed?: boolean;
  /** The children that were lists without elements. */
  readonly emptyLists: readonly string[];
}

/** The words for types that an element has as a text. */
export const kindWords: Readonly<Record<string, string>> = { number: "a number", boolean: "true or false" };

const noKinds: Kinds = { emptyLists: [] };
const kinds = new WeakMap<Element, Kinds>();

/** What an element was; nothing of one in XML. */
export function kindsOf(from: Element): Kinds {
  return kinds.get(from) ?? noKinds;
}

/** The same element, which was that too. */
export function marked(made: Element, more: Partial<Kinds>): Element {
  kinds.set(made, { ...kindsOf(made), ...more });
  return made;
}
