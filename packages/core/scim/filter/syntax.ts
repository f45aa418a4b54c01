/**
 * A filter as it was written, before anyone knows which resource type it is about: a search over several types binds the
 * same syntax to each of them (RFC 7644 sections 3.4.2.1 and 3.4.2.2).
 */

/** The operators that compare with a literal. */
export const operators = ["eq", "ne", "co", "sw", "ew", "gt", "ge", "lt", "le"] as const;
export type Operator = (typeof operators)[number];

/** What stands behind an operator. What it means depends on the attribute: `5` is a number or a text. */
export interface Literal {
  /** The characters meant: quotes and escapes are gone. */
  readonly text: string;
  /** False for a bare word; only a bare `null` is the null. */
  readonly quoted: boolean;
  /** Where it begins, counted from 1. */
  readonly at: number;
}

/** The name of an attribute with what follows it: `name.givenName`, `emails[type eq "work"]`, `emails[type eq "work"].value`. */
export interface PathSyntax {
  /** Everything before the bracket; a URN and a sub-attribute may be in it. */
  readonly name: string;
  /** What stands in the brackets. */
  readonly within: FilterSyntax | undefined;
  /** The sub-attribute behind the brackets. */
  readonly sub: string | undefined;
  /** Where it begins, counted from 1. */
  readonly at: number;
}

/** A parsed filter. Parts of one kind that follow each other are in one list. */
export type FilterSyntax =
  | { readonly kind: "and" | "or"; readonly parts: readonly FilterSyntax[] }
  | { readonly kind: "not"; readonly part: FilterSyntax }
  | { readonly kind: "present"; readonly path: PathSyntax }
  | { readonly kind: "compare"; readonly path: PathSyntax; readonly operator: Operator; readonly literal: Literal }
  /** A value path that stands for itself: some element satisfies what is in the brackets. */
  | { readonly kind: "element"; readonly path: PathSyntax };
