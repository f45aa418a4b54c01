/**
 * The syntax tree of a filter (RFC 7644 section 3.4.2.2), independent of a resource type: a search over several types
 * binds one tree to each of them.
 */

/** The operators with a literal. */
export const operators = ["eq", "ne", "co", "sw", "ew", "gt", "ge", "lt", "le"] as const;
export type Operator = (typeof operators)[number];

/** The operand of a comparison. Its type depends on the attribute: `5` is a number or a string. */
export interface Literal {
  /** Without quotes and escapes. */
  readonly text: string;
  /** Without quotes `null` is the null value. */
  readonly quoted: boolean;
  /** The position of its first character, from 1. */
  readonly at: number;
}

/** An attribute path: `name.givenName`, `emails[type eq "work"]`, `emails[type eq "work"].value`. */
export interface PathSyntax {
  /** The part before the bracket. It may contain a URN and a sub-attribute. */
  readonly name: string;
  /** The filter in the brackets. */
  readonly within: FilterSyntax | undefined;
  /** The sub-attribute after the brackets. */
  readonly sub: string | undefined;
  /** The position of its first character, from 1. */
  readonly at: number;
}

/** Adjacent parts of one kind are in one list. */
export type FilterSyntax =
  | { readonly kind: "and" | "or"; readonly parts: readonly FilterSyntax[] }
  | { readonly kind: "not"; readonly part: FilterSyntax }
  | { readonly kind: "present"; readonly path: PathSyntax }
  | { readonly kind: "compare"; readonly path: PathSyntax; readonly operator: Operator; readonly literal: Literal }
  /** A value path without an operator: some element matches the filter in the brackets. */
  | { readonly kind: "element"; readonly path: PathSyntax };
