/** Bounds the work of one list: what it reads, and how often it compares. */
import { type Source, tooMany } from "./source.ts";

/** Counts the work of one list. Each method throws `scim.too_many` where the list would do too much. */
export interface Work {
  /** Read units of resources, after each response. */
  read(units: number): void;
  /** Comparisons of a value with a term, before they are made. */
  compare(count: number): void;
}

/** Strongly consistent reads of 64 MB, of which a function of 512 MB can hold what it keeps. */
const UNITS_MAX = 16_000;
const MEGABYTES_MAX = 64;
/** Some tenths of a second of a processor: 10,000 resources with 400 values that terms look at. */
const COMPARISONS_MAX = 4_000_000;

/** Starts the count of one list. */
export function newWork<T>(source: Source<T> | undefined): Work {
  let units = UNITS_MAX;
  let comparisons = COMPARISONS_MAX;
  return {
    read(used) {
      units -= used;
      if (units >= 0) return;
      throw tooMany(source, `The filter or the order must read more than ${MEGABYTES_MAX} MB of resources.`);
    },
    compare(count) {
      comparisons -= count;
      if (comparisons >= 0) return;
      throw tooMany(source, `The filter needs more than ${COMPARISONS_MAX} comparisons. Send fewer terms.`);
    },
  };
}
