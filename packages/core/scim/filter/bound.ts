/**
 * A filter that is bound to a resource type: every name is an attribute, every literal a value of its type. Whoever plans
 * a query looks at this tree; `evaluate.ts` is its meaning.
 */
import type { Schema } from "../schema/attribute.ts";
import type { AttributePath } from "../schema/paths.ts";
import type { Operator } from "./syntax.ts";

/** A value in the form that it is compared in. */
export type Operand = string | number | boolean;

/** Whether the attribute has a value at all. */
interface Present {
  readonly kind: "present";
  readonly path: AttributePath;
  /** Only elements that satisfy this count: `emails[type eq "work"].value pr`. */
  readonly where: BoundFilter | undefined;
}

/** A comparison. Of a multi-valued attribute any value will do; `ne` also holds where there is no value. */
export interface Compare {
  readonly kind: "compare";
  /** Never a complex attribute without its sub-attribute. */
  readonly path: AttributePath;
  /** Only elements that satisfy this count: `emails[type eq "work"].value eq "x"`. */
  readonly where: BoundFilter | undefined;
  readonly operator: Operator;
  /** The value that was meant: a text as it was written, a number or a boolean. */
  readonly value: Operand;
  /** The value in the form that `comparable` gives the values of resources. */
  readonly operand: Operand;
}

/** Some one element satisfies all of a filter: `emails[type eq "work" and primary eq true]`. */
export interface Element {
  readonly kind: "element";
  readonly path: AttributePath;
  /** Its leaves are about one element. */
  readonly where: BoundFilter;
}

/** The resource has attributes of an extension. */
export interface Uses {
  readonly kind: "uses";
  readonly extension: Schema;
}

export type Leaf = Present | Compare | Element | Uses;

/** `always` and `never` stand alone: where they are a part of something they have been worked out. */
export type BoundFilter =
  | Leaf
  | { readonly kind: "always" }
  | { readonly kind: "never" }
  | { readonly kind: "and" | "or"; readonly parts: readonly BoundFilter[] }
  | { readonly kind: "not"; readonly part: BoundFilter };

export const always: BoundFilter = { kind: "always" };
export const never: BoundFilter = { kind: "never" };

/** The opposite. */
export function negated(part: BoundFilter): BoundFilter {
  if (part.kind === "always") return never;
  if (part.kind === "never") return always;
  return part.kind === "not" ? part.part : { kind: "not", part };
}

/** All of them, or any of them. Parts of the same kind are taken up into the list; none at all is `always` or `never`. */
export function combined(kind: "and" | "or", given: readonly BoundFilter[]): BoundFilter {
  const neutral = kind === "and" ? always : never;
  const deciding = kind === "and" ? never : always;
  const parts = given
    .filter((part) => part.kind !== neutral.kind)
    .flatMap((part) => (part.kind === kind && "parts" in part ? part.parts : [part]));
  if (parts.some((part) => part.kind === deciding.kind)) return deciding;
  const [first, second] = parts;
  return first && !second ? first : first ? { kind, parts } : neutral;
}

/** The leaves of a filter, from left to right; those within brackets belong to the leaf that has the brackets. */
export function leavesOf(filter: BoundFilter): readonly Leaf[] {
  if (filter.kind === "always" || filter.kind === "never") return [];
  if ("parts" in filter) return filter.parts.flatMap(leavesOf);
  return filter.kind === "not" ? leavesOf(filter.part) : [filter];
}

/** The name of an attribute as the schemas spell it: `emails.value`, `urn:...:User:department`. */
export function pathName({ extension, attribute, sub }: AttributePath): string {
  return `${extension ? `${extension.id}:` : ""}${attribute.name}${sub ? `.${sub.name}` : ""}`;
}

/** What a filter looks at: names as `pathName` gives them, and the URN of an extension that must be used. */
export function namesIn(filter: BoundFilter): ReadonlySet<string> {
  return new Set(leavesOf(filter).map((leaf) => (leaf.kind === "uses" ? leaf.extension.id : pathName(leaf.path))));
}

/** How many comparisons a filter makes of one resource or element, those within brackets included. */
export function sizeOf(filter: BoundFilter): number {
  return leavesOf(filter).reduce(
    (sum, leaf) => sum + 1 + (leaf.kind === "uses" || leaf.where === undefined ? 0 : sizeOf(leaf.where)),
    0,
  );
}

/**
 * The equalities that a filter demands in any case: those that stand alone or are joined by `and`. What is made to satisfy
 * the filter begins with their values.
 */
export function equalitiesOf(filter: BoundFilter): readonly Compare[] {
  if (filter.kind === "and") return filter.parts.flatMap(equalitiesOf);
  return filter.kind === "compare" && filter.operator === "eq" ? [filter] : [];
}
