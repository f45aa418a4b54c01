/**
 * An index in use, for operators: all of its pairs, whether its rows belong together, and mending what a defect left.
 * Others may write the index meanwhile.
 */
import { whileStale } from "../stale.ts";
import { compareKeys, LAST, type Step, type Table } from "../table.ts";
import { type Contents, pairTexts, readAtOnce, readContents } from "./contents.ts";
import { locate, locateRecord, readRanges } from "./directory.ts";
import { mendRange } from "./fold.ts";
import type { CountedRange } from "./model.ts";
import {
  hasColumns,
  limitsOf,
  type RangeKeys,
  rangeKey,
  rangeOf,
  type ValueContext,
  type ValueRange,
} from "./range-rows.ts";

/** So often a range is read until it does not change meanwhile. */
const TRIES = 20;

/** One range of an index. */
export interface InspectedRange {
  readonly low: string;
  /** The texts of its pairs, in the order in which they are stored. */
  readonly texts: readonly string[];
  /** What is wrong with its rows; `undefined` for a range that is right, or that was never seen without writers. */
  readonly problem: string | undefined;
}

/**
 * All ranges of an index in order, each as it is when it is read. Two round trips for each. Throws an `Error` where a
 * range is missing.
 */
export async function* inspectIndex(table: Table, keys: RangeKeys): AsyncGenerator<InspectedRange, void> {
  const context: ValueContext = { table, keys, limits: limitsOf({}) };
  for (let low = ""; low !== LAST; ) {
    const { range, contents, isSteady } = await readRange(context, low);
    if (!range) {
      if (low === "") return;
      throw new Error(`The index lacks the range at ${JSON.stringify(low)} of ${keys.ranges}.`);
    }
    const texts = contents.flatMap(pairTexts);
    yield { low, texts, problem: isSteady ? textsProblem(range, texts) : undefined };
    low = contents.at(-1)?.range.high ?? range.high;
  }
}

/** How often an index has a pair, by its text: 0 or 1, unless it is damaged. */
export async function timesHeld(table: Table, keys: RangeKeys, text: string): Promise<number> {
  const context: ValueContext = { table, keys, limits: limitsOf({}) };
  const range = await rangeOfText(context, text);
  if (!range) return 0;
  const contents = await readContents(context, [range], { withIds: true, consistent: true });
  return contents.flatMap(pairTexts).filter((one) => one === text).length;
}

/** Makes the rows of the range of a text belong together again: each pair is there once, and counted. */
export async function mendIndexRange(table: Table, keys: RangeKeys, text: string): Promise<void> {
  const context: ValueContext = { table, keys, limits: limitsOf({}) };
  await whileStale(async () => {
    const range = await rangeOfText(context, text);
    if (range) await mendRange(context, range);
  });
}

function rangeOfText(context: ValueContext, text: string): Promise<ValueRange | undefined> {
  const { keys } = context;
  return hasColumns(keys) ? locateRecord({ ...context, keys }, text, true) : locate(context, text, true);
}

/** What an index counts as a whole. */
export interface IndexCounts {
  /** Owners with several pairs. */
  readonly several: number;
  /** Another text after each change of a pair. */
  readonly mark: string;
}

/** One round trip. */
export async function countsOf(table: Table, keys: RangeKeys): Promise<IndexCounts> {
  const ranges = await readRanges({ table, keys, limits: limitsOf({}) });
  return {
    several: ranges.reduce((sum, range) => sum + range.several, 0),
    mark: JSON.stringify(ranges.map(({ low, count, changes }) => [low, count, changes])),
  };
}

/**
 * The step that corrects how many owners are counted as having several pairs. It is a change of the range, so that a
 * split at the same time starts again.
 */
export function correctingSeveral(keys: RangeKeys, by: number, otherwise: () => Error): Step {
  return { change: rangeKey(keys, ""), add: { m: by, c: 1 }, when: "present", otherwise };
}

/** A range and what it contains, if possible without a change in between. */
async function readRange(
  context: ValueContext,
  low: string,
): Promise<{
  readonly range?: ValueRange;
  readonly contents: readonly Contents<ValueRange>[];
  readonly isSteady: boolean;
}> {
  const { table, keys } = context;
  if (hasColumns(keys)) return readRecords(context, low);
  const read = async (): Promise<ValueRange | undefined> => {
    const item = await table.get(rangeKey(keys, low));
    return item && rangeOf(item);
  };
  let range = await read();
  for (let tries = 0; range; tries += 1) {
    const contents = await readContents(context, [range], { withIds: true, consistent: true });
    const after = await read();
    const isSteady = after?.changes === range.changes && after.ticket === range.ticket && after.high === range.high;
    if (isSteady || tries >= TRIES) return { range, contents, isSteady };
    range = after;
  }
  return { contents: [], isSteady: true };
}

/** The same of an index of columns, whose changes are read at one instant. */
async function readRecords(context: ValueContext, low: string): ReturnType<typeof readRange> {
  for (let tries = 0; ; tries += 1) {
    const read = await readAtOnce(context, low);
    if (!read) return { contents: [], isSteady: true };
    const { range, contents } = read;
    if (contents) return { range, contents: [contents], isSteady: true };
    if (tries >= TRIES)
      throw new Error(`The packs of the range at ${JSON.stringify(low)} are not those of its last fold.`);
  }
}

/** What is wrong with the texts of a range; `undefined` where nothing is. */
export function textsProblem(range: CountedRange, texts: readonly string[]): string | undefined {
  if (texts.length !== range.count) return `counts ${range.count} pairs and has ${texts.length}`;
  if (texts.some((text, at) => at > 0 && compareKeys(texts[at - 1] ?? "", text) === 0)) return "has a pair twice";
  if (texts.some((text, at) => at > 0 && compareKeys(texts[at - 1] ?? "", text) > 0)) return "has pairs out of order";
  return texts.some((text) => compareKeys(text, range.low) < 0 || compareKeys(text, range.high) >= 0)
    ? "has a pair of another range"
    : undefined;
}
