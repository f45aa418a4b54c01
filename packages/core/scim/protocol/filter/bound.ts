/**
 * A filter that is bound to a resource type: names are attributes, literals are values of their types. Query planning
 * reads this tree; `evaluate.ts` evaluates it.
 */
import type { Schema } from "../schema/attribute.ts";
import type { AttributePath } from "../schema/paths.ts";
import type { Operator } from "./syntax.ts";

/** A value in comparable form. */
export type Operand = string | number | boolean;

/** The attribute has a value. */
interface Present {
  readonly kind: "present";
  readonly path: AttributePath;
  /** Only elements that match this filter count: `emails[type eq "work"].value pr`. */
  readonly where: BoundFilter | undefined;
}

/** A comparison. One matching value of a multi-valued attribute is enough. `ne` also matches without a value. */
export interface Compare {
  readonly kind: "compare";
  /** Names a sub-attribute if the attribute is complex. */
  readonly path: AttributePath;
  /** Only elements that match this filter count: `emails[type eq "work"].value eq "x"`. */
  readonly where: BoundFilter | undefined;
  readonly operator: Operator;
  /** The value of the literal: a string as written (of Greek ones a form of it), a number or a boolean. */
  readonly value: Operand;
  /** The value in the form of `comparable`. */
  readonly operand: Operand;
}

/** One element matches a whole filter: `emails[type eq "work" and primary eq true]`. */
interface Element {
  readonly kind: "element";
  readonly path: AttributePath;
  /** Evaluated on one element. */
  readonly where: BoundFilter;
}

/** The resource has attributes of an extension. */
interface ExtensionPresent {
  readonly kind: "extension";
  readonly extension: Schema;
}

export type Leaf = Present | Compare | Element | ExtensionPresent;

/** `always` and `never` are only whole filters: `combined` and `negated` simplify them away. */
export type BoundFilter =
  | Leaf
  | { readonly kind: "always" }
  | { readonly kind: "never" }
  | { readonly kind: "and" | "or"; readonly parts: readonly BoundFilter[] }
  | { readonly kind: "not"; readonly part: BoundFilter };

export const always: BoundFilter = { kind: "always" };
export const never: BoundFilter = { kind: "never" };

export function negated(part: BoundFilter): BoundFilter {
  if (part.kind === "always") return never;
  if (part.kind === "never") return always;
  return part.kind === "not" ? part.part : { kind: "not", part };
}

/** Flattens parts of the same kind. Without parts: `always` for `and`, `never` for `or`. */
export function combined(kind: "and" | "or", given: readonly BoundFilter[]): BoundFilter {
  const neutral = kind === "and" ? always : never;
  const absorbing = kind === "and" ? never : always;
  const parts = given
    .filter((part) => part.kind !== neutral.kind)
    .flatMap((part) => (part.kind === kind && "parts" in part ? part.parts : [part]));
  if (parts.some((part) => part.kind === absorbing.kind)) return absorbing;
  const [first, second] = parts;
  return first && !second ? first : first ? { kind, parts } : neutral;
}

/** The leaves of a filter from left to right. A filter in brackets is part of its leaf. */
export function leavesOf(filter: BoundFilter): readonly Leaf[] {
  if (filter.kind === "always" || filter.kind === "never") return [];
  if ("parts" in filter) return filter.parts.flatMap(leavesOf);
  return filter.kind === "not" ? leavesOf(filter.part) : [filter];
}

/** A filter with other comparisons, those in brackets too. */
export function withComparisons(filter: BoundFilter, change: (comparison: Compare) => Compare): BoundFilter {
  switch (filter.kind) {
    case "and":
    case "or":
      return { ...filter, parts: filter.parts.map((part) => withComparisons(part, change)) };
    case "not":
      return { ...filter, part: withComparisons(filter.part, change) };
    case "element":
      return { ...filter, where: withComparisons(filter.where, change) };
    case "compare":
      return change({ ...filter, where: filter.where && withComparisons(filter.where, change) });
    case "present":
      return { ...filter, where: filter.where && withComparisons(filter.where, change) };
    default:
      return filter;
  }
}

/** The name of an attribute in the spelling of the schemas: `emails.value`, `urn:...:User:department`. */
export function pathName({ extension, attribute, sub }: AttributePath): string {
  return `${extension ? `${extension.id}:` : ""}${attribute.name}${sub ? `.${sub.name}` : ""}`;
}

/** What tells equalities apart: those with the same key have the same matches. One with brackets is its own key. */
export function equalityKey(equality: Compare): string | Compare {
  const { path, where, operand } = equality;
  return where ? equality : `${pathName(path)} ${JSON.stringify(operand)}`;
}

/** The attributes that a filter reads, as names of `pathName`, and the URNs of extensions that it tests. */
export function namesIn(filter: BoundFilter): ReadonlySet<string> {
  return new Set(leavesOf(filter).map((leaf) => (leaf.kind === "extension" ? leaf.extension.id : pathName(leaf.path))));
}

/** The number of comparisons for one resource or element, including those in brackets. */
export function sizeOf(filter: BoundFilter): number {
  return leavesOf(filter).reduce(
    (sum, leaf) => sum + 1 + (leaf.kind === "extension" || leaf.where === undefined ? 0 : sizeOf(leaf.where)),
    0,
  );
}

/**
 * The equalities that every match fulfils: those that are the whole filter or joined by `and`.
 */
export function equalitiesOf(filter: BoundFilter): readonly Compare[] {
  if (filter.kind === "and") return filter.parts.flatMap(equalitiesOf);
  return filter.kind === "compare" && filter.operator === "eq" ? [filter] : [];
}
