/**
 * An index behind a log for operators: all of its pairs, and mending what a defect left. Others may write the index
 * meanwhile.
 */
import type { ValueIndexKeys } from "../keys.ts";
import { whileStale } from "../stale.ts";
import { compareKeys, type Item, type Table } from "../table.ts";
import { pairTexts } from "../value-index/contents.ts";
import { type InspectedRange, textsProblem } from "../value-index/inspect.ts";
import type { Pair } from "../value-index/model.ts";
import { pairText } from "../value-index/pair.ts";
import { idsItem, separator, valuesItem, valuesOfPairs } from "../value-index/range-rows.ts";
import { sumOf } from "./pending.ts";
import { readContents, readSnapshot } from "./reading.ts";
import { type LoggedContext, loggedLimitsOf, loggedRangeItem } from "./rows.ts";
import { mendLogged } from "./tending.ts";

/** The share of a full range to which `loggedLayout` fills ranges: the average after some years. */
const FILL = 0.83;
const BOTH = { values: true, ids: true } as const;

/** All ranges of an index in order, with what their log has for them. One round trip for each, and two for all. */
export async function* inspectLogged(table: Table, keys: ValueIndexKeys): AsyncGenerator<InspectedRange, void> {
  const context = contextOf(table, keys);
  const snapshot = await readSnapshot(context);
  const { ranges, pending } = snapshot;
  for (const range of ranges) {
    const [contents] = await readContents(context, snapshot, [range], BOTH);
    const texts = contents ? pairTexts(contents) : [];
    // A range that has moved since has no count of its own.
    const isSteady = contents?.range === range;
    const count = range.count + sumOf(pending.netsIn(range));
    const problem = isSteady ? textsProblem({ ...range, count }, texts) : undefined;
    yield { low: range.low, texts, problem };
  }
}

/** How often an index has a pair, by its text: 0 or 1, unless it is damaged. Three round trips. */
export async function timesHeldLogged(table: Table, keys: ValueIndexKeys, text: string): Promise<number> {
  const context = contextOf(table, keys);
  const snapshot = await readSnapshot(context);
  const own = snapshot.ranges.filter(({ low, high }) => compareKeys(low, text) <= 0 && compareKeys(text, high) < 0);
  const contents = await readContents(context, snapshot, own, BOTH);
  return contents.flatMap(pairTexts).filter((one) => one === text).length;
}

/** Makes the rows of the range of a text belong together again: each pair is there once, and counted. */
export async function mendLoggedRange(table: Table, keys: ValueIndexKeys, text: string): Promise<void> {
  const context = contextOf(table, keys);
  await whileStale(async () => {
    const { ranges } = await readSnapshot(context);
    const range = ranges.find(({ low, high }) => compareKeys(low, text) <= 0 && compareKeys(text, high) < 0);
    if (range) await mendLogged(context, range.low);
  });
}

/**
 * The rows of a whole index, to load many pairs into an empty index that has no other writer. The pairs must be in the
 * order of `comparePairs`, each once.
 */
export function* loggedLayout(keys: ValueIndexKeys, pairs: readonly Pair[]): Generator<Item, void> {
  const size = Math.floor(loggedLimitsOf({}).pairsMost * FILL);
  const texts = pairs.map(pairText);
  let low = "";
  for (let at = 0; at < texts.length; at += size) {
    const own = texts.slice(at, at + size);
    const next = texts[at + size];
    const high = next === undefined ? "\u{10FFFF}" : separator(own.at(-1) ?? "", next);
    const pack = { applied: 0, pack: 1, packSlot: 0, delta: 0, deltaSlot: 0 };
    yield loggedRangeItem(keys, { low, high, count: own.length, ...pack });
    yield valuesItem(keys.values(low, 0), 1, valuesOfPairs(own));
    yield idsItem(keys.ids(low, 0), 1, own);
    low = high;
  }
}

function contextOf(table: Table, keys: ValueIndexKeys): LoggedContext {
  return { table, keys, limits: loggedLimitsOf({}) };
}
