/** Bounds the work of one list: what it reads to evaluate it, and how often it compares. */
import type { Item } from "../../database/table/table.ts";
import type { ValueMatch } from "../../database/table/value-index/model.ts";
import { tooMany } from "./limits.ts";
import type { Source, Work } from "./source.ts";

/** A function of 512 MB holds this much, and what it makes of it. */
const MEGABYTES_MAX = 64;
/** Some tenths of a second of a processor: 10,000 resources with 400 values that terms look at. */
const COMPARISONS_MAX = 4_000_000;
/** Comparisons with the values of an index, of several terms: a second of a processor. */
const TESTS_MAX = 20_000_000;
/** An id in a list or a set, with what surrounds it. */
const ELEMENT_BYTES = 40;

/** Starts the count of one list. `reading` says what reads too much. */
export function newWork<T>(source: Source<T> | undefined, reading = "The filter or the order must read"): Work {
  const seen = new Set<string>();
  let bytes = MEGABYTES_MAX * 1_000_000;
  let comparisons = COMPARISONS_MAX;
  return {
    read(item) {
      const key = `${item.PK} ${item.SK}`;
      if (seen.has(key)) return;
      seen.add(key);
      bytes -= sizeOf(item);
      if (bytes < 0) throw tooMany(source, `${reading} more than ${MEGABYTES_MAX} MB of resources.`);
    },
    compare(count) {
      comparisons -= count;
      if (comparisons >= 0) return;
      throw tooMany(source, `The filter needs more than ${COMPARISONS_MAX} comparisons. Send fewer terms.`);
    },
  };
}

/** Several terms on one attribute are one search: a match that throws `scim.too_many` after too many comparisons. */
export function limitedMatch<T>(match: ValueMatch, terms: number, source: Source<T>): ValueMatch {
  const { test } = match;
  if (!test || terms <= 1) return match;
  let left = TESTS_MAX;
  return {
    ...match,
    test(value, facet) {
      left -= terms;
      if (left >= 0) return test(value, facet);
      throw tooMany(source, `The filter compares too many values with ${terms} terms on one attribute. Send fewer.`);
    },
  };
}

/** About the bytes of an item: those of its texts and of the ids that it lists. */
function sizeOf(item: Item): number {
  let bytes = 0;
  for (const value of Object.values(item)) {
    if (typeof value === "string") bytes += value.length;
    else if (Array.isArray(value)) bytes += value.length * ELEMENT_BYTES;
    else if (value instanceof Set) bytes += value.size * ELEMENT_BYTES;
  }
  return bytes;
}
