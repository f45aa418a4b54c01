/** Sets of values of an index as intervals: in order, not empty, and with a gap between each two. */

import type { Bound, Interval } from "../../../database/table/value-index/model.ts";
import { compareText } from "../../../kernel/text-order.ts";

type Intervals = readonly Interval[];

/** Every pair of an index. */
export const everything: Intervals = [{}];
/** The markers of the owners that lack the attribute. */
export const missing: Intervals = [{ to: { value: "", side: "after" } }];
/** The pairs with a value. */
export const present: Intervals = [{ from: { value: "", side: "after" } }];

/** What is in no interval. */
export function complementOf(intervals: Intervals): Intervals {
  const gaps: Interval[] = [];
  let from: Bound | undefined;
  for (const interval of intervals) {
    if (interval.from) gaps.push({ from, to: interval.from });
    if (!interval.to) return gaps;
    from = interval.to;
  }
  return [...gaps, { from }];
}

/** What is in both. */
export function intersectionOf(a: Intervals, b: Intervals): Intervals {
  const found: Interval[] = [];
  for (let [atA, atB] = [0, 0]; ; ) {
    const [x, y] = [a[atA], b[atB]];
    if (!x || !y) return found;
    const from = !x.from || (y.from && compareBounds(x.from, y.from) < 0) ? y.from : x.from;
    const isFirst = !y.to || (x.to !== undefined && compareBounds(x.to, y.to) <= 0);
    const to = isFirst ? x.to : y.to;
    if (!from || !to || compareBounds(from, to) < 0) found.push({ from, to });
    if (isFirst) atA += 1;
    else atB += 1;
  }
}

/** Whether two sets are the same. */
export function isSameSet(a: Intervals, b: Intervals): boolean {
  return a.length === b.length && a.every(({ from, to }, at) => isSame(from, b[at]?.from) && isSame(to, b[at]?.to));
}

/** One value. */
export function only(value: string): Intervals {
  return [{ from: { value, side: "before" }, to: { value, side: "after" } }];
}

/** The values on one side of a bound, without the markers. */
export function beyond(bound: Bound, side: "greater" | "less"): Intervals {
  return intersectionOf(present, [side === "greater" ? { from: bound } : { to: bound }]);
}

/** The values that start with a text, without the markers. */
export function startingWith(prefix: string): Intervals {
  const end = successorOf(prefix);
  const from: Bound = { value: prefix, side: "before" };
  return intersectionOf(present, [{ from, to: end === undefined ? undefined : { value: end, side: "before" } }]);
}

/** The least text that is greater than all texts with a prefix; `undefined` where there is none. */
function successorOf(prefix: string): string | undefined {
  const characters = Array.from(prefix);
  for (let last = characters.pop(); last !== undefined; last = characters.pop()) {
    const next = (last.codePointAt(0) ?? 0) + 1;
    // Halves of surrogate pairs are no characters.
    if (next <= 0x10ffff) return characters.join("") + String.fromCodePoint(next === 0xd800 ? 0xe000 : next);
  }
  return undefined;
}

function compareBounds(a: Bound, b: Bound): number {
  return compareText(a.value, b.value) || Number(a.side === "after") - Number(b.side === "after");
}

function isSame(a: Bound | undefined, b: Bound | undefined): boolean {
  return a?.value === b?.value && a?.side === b?.side;
}
