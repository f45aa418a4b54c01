/** Indexes of values in tests: one in memory, which answers as the one on the table does, and a check of the latter. */

import type { ValueIndexKeys } from "#core/database/table/keys.ts";
import { inspectLogged } from "#core/database/table/logged-index/inspect.ts";
import { compareKeys, type Table } from "#core/database/table/table.ts";
import { idSetOf } from "#core/database/table/value-index/id-set.ts";
import { countsOf, type InspectedRange, inspectIndex } from "#core/database/table/value-index/inspect.ts";
import type { Interval, MatchPages, Pair, ValueDirectory, ValueMatch } from "#core/database/table/value-index/model.ts";
import { boundText, comparePairs, pairOf, pairText } from "#core/database/table/value-index/pair.ts";
import type { ValueIndex } from "#core/database/table/value-index/value-index.ts";

/** A memory index, and how many round trips it stands for. */
export interface MemoryIndex extends ValueIndex {
  readonly roundTrips: () => number;
}

export const memoryIndex = (given: readonly Pair[]): MemoryIndex => {
  const pairs = [...given].sort(comparePairs);
  const owners = new Map<string, number>();
  for (const { id } of pairs) owners.set(id, (owners.get(id) ?? 0) + 1);
  let trips = 0;
  const within = ({ intervals, test }: ValueMatch): readonly Pair[] =>
    pairs.filter(
      (pair) => intervals.some((interval) => contains(interval, pair)) && (test?.(pair.value, pair.facet) ?? true),
    );
  const directory: ValueDirectory = {
    total: pairs.length,
    owningSeveral: [...owners.values()].filter((count) => count > 1).length,
    async matches(match) {
      trips += 1;
      const found = within(match);
      return {
        ...pagesOf(found),
        async owners() {
          trips += 1;
          return idSetOf(found.map(({ id }) => id));
        },
        async keptFor(set) {
          trips += 1;
          return pagesOf(found.filter(({ id }) => set.has(id)));
        },
      };
    },
  };
  const pagesOf = (found: readonly Pair[]): MatchPages => {
    const ordered = (backwards: boolean | undefined) => (backwards ? [...found].reverse() : found);
    return {
      total: found.length,
      async window({ offset, limit, backwards }) {
        trips += 1;
        return ordered(backwards).slice(offset, offset + limit);
      },
      async after(pair, limit, backwards) {
        trips += 1;
        const sign = backwards ? -1 : 1;
        const rest = ordered(backwards).filter((one) => !pair || sign * comparePairs(one, pair) > 0);
        return { pairs: rest.slice(0, limit), more: rest.length > limit };
      },
    };
  };
  return {
    async open() {
      trips += 1;
      return directory;
    },
    async steps() {
      throw new Error("a memory index is only read");
    },
    roundTrips: () => trips,
  };
};

const contains = ({ from, to }: Interval, pair: Pair): boolean => {
  const text = pairText(pair);
  return (!from || compareKeys(boundText(from), text) <= 0) && (!to || compareKeys(text, boundText(to)) < 0);
};

/** What a check of an index found. */
export interface IndexCheck {
  /** In order. */
  readonly pairs: readonly Pair[];
  /** How many owners are counted as having several pairs. */
  readonly several: number;
  /** What is wrong with the rows themselves, one sentence each. */
  readonly problems: readonly string[];
}

/** Reads a whole index, and checks that its rows belong together. */
export const checkIndex = async (table: Table, keys: ValueIndexKeys): Promise<IndexCheck> =>
  checkOf(inspectIndex(table, keys), (await countsOf(table, keys)).several);

/** The same of an index behind a log. */
export const checkLogged = (table: Table, keys: ValueIndexKeys): Promise<IndexCheck> =>
  checkOf(inspectLogged(table, keys), 0);

const checkOf = async (reading: AsyncIterable<InspectedRange>, several: number): Promise<IndexCheck> => {
  const ranges: InspectedRange[] = [];
  for await (const range of reading) ranges.push(range);
  return {
    pairs: ranges.flatMap(({ texts }) => texts.map(pairOf)),
    several,
    problems: ranges.flatMap(({ low, problem }) =>
      problem === undefined ? [] : [`The range at ${JSON.stringify(low)} ${problem}.`],
    ),
  };
};
