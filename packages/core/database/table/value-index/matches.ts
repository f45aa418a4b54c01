/** Reading a value index: counting matches, and the pages and owners of them. */
import type { ReadOptions } from "../table.ts";
import { compareKeys } from "../table.ts";
import { type Contents, readContents, readIds, type WithIds } from "./contents.ts";
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
import type { CountedRange, IdSet, Matches, MatchPages, Pair, ValueDirectory, ValueMatch } from "./model.ts";
import { comparePairs, pairText } from "./pair.ts";
import type { ValueContext, ValueRange } from "./range-rows.ts";

/** How the contents of ranges are read. A range that moved meanwhile is replaced by its parts. */
export interface ContentsReader<Range extends CountedRange> {
  /** One round trip. */
  contents(ranges: readonly Range[], withIds: boolean): Promise<readonly Contents<Range>[]>;
  /**
   * The same with ids, of ranges whose contents without ids may be known. One round trip. `consistent`: as the index
   * was opened, or false.
   */
  ids(
    ranges: readonly { readonly range: Range; readonly contents?: Contents<Range> }[],
    consistent?: false,
  ): Promise<readonly WithIds<Range>[]>;
}

/** Opens an index for one list. One round trip. */
export async function openDirectory(context: ValueContext, options: ReadOptions = {}): Promise<ValueDirectory> {
  const ranges = await readRanges(context, options);
  const owningSeveral = ranges.reduce((sum, { several }) => sum + several, 0);
  const reader: ContentsReader<ValueRange> = {
    contents: (some, withIds) => readContents(context, some, { withIds, ...options }),
    ids: (some, consistent) => readIds(context, some, { ...options, ...(consistent === false && { consistent }) }),
  };
  return directoryOf(ranges, reader, owningSeveral);
}

/** An index by all of its ranges, in order. */
export function directoryOf<Range extends CountedRange>(
  ranges: readonly Range[],
  reader: ContentsReader<Range>,
  owningSeveral: number,
): ValueDirectory {
  return {
    total: ranges.reduce((total, { count }) => total + count, 0),
    owningSeveral,
    matches: (match) => matchesOf(reader, ranges, match),
  };
}

async function matchesOf<Range extends CountedRange>(
  reader: ContentsReader<Range>,
  ranges: readonly Range[],
  match: ValueMatch,
): Promise<Matches> {
  const matching = matchingOf(match);
  const covered = ranges.map((range) => ({ range, coverage: coverage(range, matching) }));
  const toRead = covered.flatMap(({ range, coverage }) => (coverage === "some" ? [range] : []));
  const contents = await reader.contents(toRead, false);
  const matched = [
    ...covered.flatMap(({ range, coverage }) => (coverage === "all" ? [{ range, count: range.count }] : [])),
    ...contents.map((one) => matchedRange(one, matching)),
  ]
    .filter(({ count }) => count > 0)
    .sort((a, b) => compareKeys(a.range.low, b.range.low));
  return new Found(reader, matched, matching);
}

class Found<Range extends CountedRange> implements Matches {
  readonly total: number;
  readonly #reader: ContentsReader<Range>;
  readonly #matched: readonly MatchedRange<Range>[];
  readonly #matching: Matching;
  /** Only pairs of these owners match. */
  readonly #only: IdSet | undefined;
  /** What was read for the owners: the same is compared with a set. */
  #ids: Promise<readonly WithIds<Range>[]> | undefined;

  constructor(
    reader: ContentsReader<Range>,
    matched: readonly MatchedRange<Range>[],
    matching: Matching,
    only?: IdSet,
  ) {
    this.#reader = reader;
    this.#matched = matched;
    this.#matching = matching;
    this.#only = only;
    this.total = matched.reduce((sum, { count }) => sum + count, 0);
  }

  async window({ offset, limit, backwards = false }: Parameters<Matches["window"]>[0]): Promise<readonly Pair[]> {
    const from = backwards ? Math.max(0, this.total - offset - limit) : offset;
    const to = backwards ? this.total - offset : Math.min(this.total, offset + limit);
    if (from >= to) return [];
    const met: MatchedRange<Range>[] = [];
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
      const some: MatchedRange<Range>[] = [];
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
    const owners = new Owners();
    this.#ids ??= this.#reader.ids(this.#matched);
    const read = await this.#ids;
    for (const { contents, isWhole } of read) owners.add(contents, isWhole ? "all" : this.#matching);
    return owners.toSet();
  }

  async keptFor(only: IdSet): Promise<MatchPages> {
    const read = await (this.#ids ?? this.#reader.ids(this.#matched, false));
    const kept = read.map(
      ({ contents, isWhole }): MatchedRange<Range> => ({
        range: contents.range,
        count: keptCount(contents, isWhole ? "all" : this.#matching, only),
      }),
    );
    const some = kept.filter(({ count }) => count > 0).sort((a, b) => compareKeys(a.range.low, b.range.low));
    return new Found(this.#reader, some, this.#matching, only);
  }

  async #pairsOf(matched: readonly MatchedRange<Range>[]): Promise<Pair[]> {
    const ranges = matched.map(({ range }) => range);
    const contents = await this.#reader.contents(ranges, true);
    const pairs = contents.flatMap((one) => matchedPairs(one, this.#matching));
    const only = this.#only;
    return only ? pairs.filter(({ id }) => only.has(id)) : pairs;
  }
}
