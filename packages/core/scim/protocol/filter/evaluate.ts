/** Evaluates bound filters. */
import { elementsOf, isEmpty, memberOf } from "../resource.ts";
import type { Json, Resource } from "../schema/attribute.ts";
import type { AttributePath } from "../schema/paths.ts";
import type { BoundFilter, Compare, Operand } from "./bound.ts";
import { comparable, compareOperands } from "./literal.ts";
import type { Operator } from "./syntax.ts";

/** `actual` is the value of a resource, `value` the operand of the filter. */
export const operatorTests: Readonly<Record<Operator, (actual: Operand, value: Operand) => boolean>> = {
  eq: (actual, value) => actual === value,
  ne: (actual, value) => actual !== value,
  co: withText((actual, value) => actual.includes(value)),
  sw: withText((actual, value) => actual.startsWith(value)),
  ew: withText((actual, value) => actual.endsWith(value)),
  gt: (actual, value) => compareOperands(actual, value) > 0,
  ge: (actual, value) => compareOperands(actual, value) >= 0,
  lt: (actual, value) => compareOperands(actual, value) < 0,
  le: (actual, value) => compareOperands(actual, value) <= 0,
};

/** Reads values from a resource, or from one element of an attribute. */
type Elements = (path: AttributePath) => readonly Json[];

/** Called with the comparisons of one term, before they are made. May throw. */
type Spend = (comparisons: number) => void;

/** What terms are evaluated on. */
interface Subject {
  readonly elements: Elements;
  readonly resource: Resource | undefined;
  readonly spend: Spend | undefined;
}

/** Whether an element of an attribute matches the filter in the brackets of that attribute. */
export function matchesElement(filter: BoundFilter, element: Json, spend?: Spend): boolean {
  return matchesIn(filter, { elements: () => [element], resource: undefined, spend });
}

/**
 * Whether a resource matches. Strings are compared by code points, folded unless the attribute is case-exact; dates as
 * instants. One matching value of several is enough. Throws what `spend` throws.
 */
export function matches(filter: BoundFilter, resource: Resource, spend?: Spend): boolean {
  return matchesIn(filter, { elements: (path) => elementsOf(resource, path), resource, spend });
}

function matchesIn(filter: BoundFilter, subject: Subject): boolean {
  const { elements, resource, spend } = subject;
  switch (filter.kind) {
    case "always":
      return true;
    case "never":
      return false;
    case "and":
      return filter.parts.every((part) => matchesIn(part, subject));
    case "or":
      return filter.parts.some((part) => matchesIn(part, subject));
    case "not":
      return !matchesIn(filter.part, subject);
    case "extension":
      return resource !== undefined && !isEmpty(memberOf(resource, filter.extension.id));
    case "element":
      return elements(filter.path).some((element) => matchesElement(filter.where, element, spend));
    default: {
      const { where } = filter;
      const all = elements(filter.path);
      const selected = where ? all.filter((element) => matchesElement(where, element, spend)) : all;
      spend?.(1 + selected.length);
      return filter.kind === "present" ? valuesIn(selected, filter.path).length > 0 : comparesIn(selected, filter);
    }
  }
}

function comparesIn(elements: readonly Json[], { path, operator, operand }: Compare): boolean {
  const values = valuesIn(elements, path);
  if (operator === "ne" && values.length === 0) return true;
  return values.some((value) => {
    const actual = comparable(path.sub ?? path.attribute, value);
    return actual === undefined ? operator === "ne" : operatorTests[operator](actual, operand);
  });
}

function valuesIn(elements: readonly Json[], { sub }: AttributePath): readonly Json[] {
  return elements
    .map((element) => (sub ? memberOf(element, sub.name) : element) ?? null)
    .filter((value) => !isEmpty(value));
}

function withText(test: (actual: string, value: string) => boolean) {
  return (actual: Operand, value: Operand): boolean =>
    typeof actual === "string" && typeof value === "string" && test(actual, value);
}
