/**
 * Filters of the pairs of one index. Each knows the values that match for certain and those that may match, so that the
 * index counts the first without looking at them and tests only where it must.
 *
 * The index holds the beginning of a long value. A test that such a value leaves open has the answer `undefined`.
 */

import { bytesOf } from "../../../database/table/name-index/name-key.ts";
import { LAST } from "../../../database/table/table.ts";
import type { Interval, ValueMatch } from "../../../database/table/value-index/model.ts";
import { isCut } from "../../../database/table/value-index/pair.ts";
import { compareText } from "../../../kernel/text-order.ts";
import { operatorTests } from "../../protocol/filter/evaluate.ts";
import type { Operator } from "../../protocol/filter/syntax.ts";
import {
  beyond,
  complementOf,
  everything,
  intersectionOf,
  isSameSet,
  missing,
  only,
  present,
  startingWith,
} from "./intervals.ts";

/** True, false, or open. */
type Answer = boolean | undefined;

/** A filter of pairs. */
export interface PairFilter {
  /** All pairs with these values match. */
  readonly sure: readonly Interval[];
  /** No pair with another value matches. */
  readonly possible: readonly Interval[];
  readonly test: (value: string, facet: string) => Answer;
}

/**
 * Operands up to this length differ from a value that was cut within what the index holds of it: of 690 bytes, of which
 * escaping may take half.
 */
const OPERAND_BYTES_MAX = 340;

const nothing: readonly Interval[] = [];

export const everyPair: PairFilter = { sure: everything, possible: everything, test: () => true };
export const noPair: PairFilter = { sure: nothing, possible: nothing, test: () => false };
/** The owner lacks the attribute. */
export const isMissing: PairFilter = { sure: missing, possible: missing, test: (value) => value === "" };
/** There is a value. */
export const isPresent: PairFilter = { sure: present, possible: present, test: (value) => value !== "" };

/** A comparison of the value. A marker has none, and does not match. */
export function valueIs(operator: Operator, operand: string): PairFilter {
  const test = (value: string): Answer => value !== "" && compared(operator, value, operand);
  const [sure, possible] = spansOf(operator, operand);
  return { sure, possible, test };
}

/** A comparison of the facet. No facet is less than, equal to or part of any, but it differs from all. */
export function facetIs(operator: Operator, operand: string): PairFilter {
  return ofFacet((facet) => (facet === "" ? operator === "ne" : compared(operator, facet, operand)));
}

/** The element has a facet. */
export const hasFacet: PairFilter = ofFacet((facet) => facet !== "");

function ofFacet(test: (facet: string) => Answer): PairFilter {
  return { sure: nothing, possible: everything, test: (_, facet) => test(facet) };
}

/** The pairs that do not match. */
export function inverse({ sure, possible, test }: PairFilter): PairFilter {
  return {
    sure: complementOf(possible),
    possible: complementOf(sure),
    test: (value, facet) => {
      const answer = test(value, facet);
      return answer === undefined ? undefined : !answer;
    },
  };
}

/** The pairs that match both. */
export function both(a: PairFilter, b: PairFilter): PairFilter {
  return {
    sure: intersectionOf(a.sure, b.sure),
    possible: intersectionOf(a.possible, b.possible),
    test: (value, facet) => {
      const first = a.test(value, facet);
      if (first === false) return false;
      const second = b.test(value, facet);
      return second === true ? first : second;
    },
  };
}

/** The pairs that match one or both. */
export function either(a: PairFilter, b: PairFilter): PairFilter {
  return inverse(both(inverse(a), inverse(b)));
}

/** Whether the values alone decide: the index counts the matches by its ranges. */
export function isCounted({ sure, possible }: PairFilter): boolean {
  return isSameSet(sure, possible);
}

/** A match for an index, and whether its test met a pair that it leaves open. */
export interface Matching {
  readonly match: ValueMatch;
  readonly isOpen: () => boolean;
}

/** What an index searches: the pairs that match for certain. */
export function matching(filter: PairFilter): Matching {
  const { possible: intervals } = filter;
  if (isCounted(filter)) return { match: { intervals }, isOpen: () => false };
  let open = false;
  const test = (value: string, facet: string): boolean => {
    const answer = filter.test(value, facet);
    if (answer === undefined) open = true;
    return answer === true;
  };
  return { match: { intervals, test }, isOpen: () => open };
}

/** The pairs that the test of a filter leaves open. */
export function openPairs({ possible, test }: PairFilter): ValueMatch {
  return { intervals: possible, test: (value, facet) => test(value, facet) === undefined };
}

/** The values that match for certain, and those that may. */
function spansOf(operator: Operator, operand: string): readonly [readonly Interval[], readonly Interval[]] {
  const exactly = (values: readonly Interval[]) => [values, values] as const;
  const before = { value: operand, side: "before" } as const;
  const after = { value: operand, side: "after" } as const;
  const isShort = bytesOf(operand) <= OPERAND_BYTES_MAX;
  switch (operator) {
    case "co":
    case "ew":
      return operand === "" ? exactly(present) : [nothing, present];
    case "sw":
      return isShort ? exactly(startingWith(operand)) : [nothing, startingWith(beginningOf(operand))];
    case "eq":
      if (operand === "") return exactly(nothing);
      return isShort ? exactly(only(operand)) : [nothing, startingWith(beginningOf(operand))];
    case "ne":
      if (operand === "") return exactly(present);
      return isShort ? exactly(intersectionOf(present, complementOf(only(operand)))) : [nothing, present];
    case "gt":
      return isShort ? exactly(beyond(after, "greater")) : [nothing, present];
    case "ge":
      return isShort ? exactly(beyond(before, "greater")) : [nothing, present];
    case "lt":
      return isShort ? exactly(beyond(before, "less")) : [nothing, present];
    case "le":
      return isShort ? exactly(beyond(after, "less")) : [nothing, present];
  }
}

/** The beginning of a long operand, which every index holds of a value with that beginning. */
function beginningOf(operand: string): string {
  let [kept, bytes] = ["", 0];
  for (const character of operand) {
    bytes += bytesOf(character);
    if (bytes > OPERAND_BYTES_MAX) break;
    kept += character;
  }
  return kept;
}

/** Compares a text of an index, of which more may follow that the index does not hold. */
function compared(operator: Operator, text: string, operand: string): Answer {
  if (!isCut(text)) return operatorTests[operator](text, operand);
  const start = text.slice(0, -LAST.length);
  // What follows decides.
  const isLonger = operand.length > start.length && operand.startsWith(start);
  switch (operator) {
    case "eq":
      return isLonger ? undefined : false;
    case "ne":
      return isLonger ? undefined : true;
    case "co":
      return start.includes(operand) || undefined;
    case "ew":
      return operand === "" || undefined;
    case "sw":
      return start.startsWith(operand) || (isLonger ? undefined : false);
    case "gt":
    case "ge":
      return isLonger ? undefined : compareText(start, operand) >= 0;
    case "lt":
    case "le":
      return isLonger ? undefined : compareText(start, operand) < 0;
  }
}
