/** Reading a value index: counting matches, and the pages and owners of them. */
import type { ReadOptions } from "../table.ts";
import { compareKeys } from "../table.ts";
import { type Contents, readContents, readIds } from "./contents.ts";
import { readRanges } from "./directory.ts";
import {
  coverage,
  keptCount,
  type MatchedRange,
  type Matching,
  matchedPairs,
  matchedRange,
  matchingOf,
  Owners,
} from "./matching.ts";
import type { IdSet, Matches, MatchPages, Pair, ValueDirectory, ValueMatch } from "./model.ts";
import { comparePairs, pairText } from "./pair.ts";
import type { ValueContext, ValueRange } from "./range-rows.ts";

interface Reading {
  readonly context: ValueContext;
  readonly options: ReadOptions;
}

/** Opens an index for one list. One round trip. */
export async function openDirectory(context: ValueContext, options: ReadOptions = {}): Promise<ValueDirectory> {
  const ranges = await readRanges(context, options);
  const sum = (numberOf: (range: ValueRange) => number): number =>
    ranges.reduce((total, range) => total + numberOf(range), 0);
  return {
    total: sum(({ count }) => count),
    owningSeveral: sum(({ several }) => several),
    matches: (match) => matchesOf({ context, options }, ranges, match),
  };
}

async function matchesOf(reading: Reading, ranges: readonly ValueRange[], match: ValueMatch): Promise<Matches> {
  const matching = matchingOf(match);
  const covered = ranges.map((range) => ({ range, coverage: coverage(range, matching) }));
  const toRead = covered.flatMap(({ range, coverage }) => (coverage === "some" ? [range] : []));
  const contents = await readContents(reading.context, toRead, { withIds: false, ...reading.options });
  const matched = [
    ...covered.flatMap(({ range, coverage }) => (coverage === "all" ? [{ range, count: range.count }] : [])),
    ...contents.map((one) => matchedRange(one, matching)),
  ]
    .filter(({ count }) => count > 0)
    .sort((a, b) => compareKeys(a.range.low, b.range.low));
  return new Found(reading, matched, matching);
}

class Found implements Matches {
  readonly total: number;
  readonly #reading: Reading;
  readonly #matched: readonly MatchedRange[];
  readonly #matching: Matching;
  /** Only pairs of these owners match. */
  readonly #only: IdSet | undefined;

  constructor(reading: Reading, matched: readonly MatchedRange[], matching: Matching, only?: IdSet) {
    this.#reading = reading;
    this.#matched = matched;
    this.#matching = matching;
    this.#only = only;
    this.total = matched.reduce((sum, { count }) => sum + count, 0);
  }

  async window({ offset, limit, backwards = false }: Parameters<Matches["window"]>[0]): Promise<readonly Pair[]> {
    const from = backwards ? Math.max(0, this.total - offset - limit) : offset;
    const to = backwards ? this.total - offset : Math.min(this.total, offset + limit);
    if (from >= to) return [];
    const met: MatchedRange[] = [];
    let before = 0;
    let start = 0;
    for (const one of this.#matched) {
      const end = before + one.count;
      if (end > from && before < to) {
        if (met.length === 0) start = before;
        met.push(one);
      }
      before = end;
    }
    const pairs = (await this.#pairsOf(met)).slice(from - start, to - start);
    return backwards ? pairs.reverse() : pairs;
  }

  async after(pair: Pair | undefined, limit: number, backwards = false) {
    const ordered = backwards ? [...this.#matched].reverse() : this.#matched;
    const text = pair && pairText(pair);
    const rest = ordered.filter(({ range: { low, high } }) =>
      text === undefined ? true : backwards ? compareKeys(low, text) < 0 : compareKeys(text, high) < 0,
    );
    const found: Pair[] = [];
    for (let at = 0; at < rest.length && found.length <= limit; ) {
      const some: MatchedRange[] = [];
      // Of the first range an unknown part follows the pair.
      let sure = found.length;
      do {
        const one = rest[at];
        if (!one) break;
        some.push(one);
        if (at > 0 || text === undefined) sure += one.count;
        at += 1;
      } while (sure <= limit && at < rest.length);
      const inOrder = await this.#pairsOf(backwards ? [...some].reverse() : some);
      const pairs = backwards ? inOrder.reverse() : inOrder;
      found.push(...pairs.filter((one) => !pair || comparePairs(one, pair) * (backwards ? -1 : 1) > 0));
    }
    return { pairs: found.slice(0, limit), more: found.length > limit };
  }

  async owners() {
    const { context, options } = this.#reading;
    const owners = new Owners();
    const read = await readIds(context, this.#matched, options);
    for (const { contents, isWhole } of read) owners.add(contents, isWhole ? "all" : this.#matching);
    return owners.toSet();
  }

  async keptFor(only: IdSet): Promise<MatchPages> {
    const { context, options } = this.#reading;
    const read = await readIds(context, this.#matched, { ...options, consistent: false });
    const kept = read.map(
      ({ contents, isWhole }): MatchedRange => ({
        range: contents.range,
        count: keptCount(contents, isWhole ? "all" : this.#matching, only),
      }),
    );
    const some = kept.filter(({ count }) => count > 0);
    return new Found(this.#reading, some, this.#matching, only);
  }

  async #pairsOf(matched: readonly MatchedRange[]): Promise<Pair[]> {
    const { context, options } = this.#reading;
    const ranges = matched.map(({ range }) => range);
    const contents: readonly Contents[] = await readContents(context, ranges, { withIds: true, ...options });
    const pairs = contents.flatMap((one) => matchedPairs(one, this.#matching));
    const only = this.#only;
    return only ? pairs.filter(({ id }) => only.has(id)) : pairs;
  }
}
