/** Finding the range that a name belongs to, and splitting one that is full. */
import { compareKeys, type Key, LAST, type Step } from "../table.ts";
import {
  bytesOfAll,
  covers,
  type IndexContext,
  leafItem,
  leafOf,
  type Range,
  rangeItem,
  rangeKey,
  rangeOf,
  rangeOver,
} from "./items.ts";
import { bytesOf } from "./name-key.ts";
import { Moved } from "./settle.ts";

/** Splits tried before a name is added to a full range all the same: the limit is soft, DynamoDB's 400 KB are far. */
const SPLIT_TRIES = 4;

/** What a write does to a range: names that come and names that go, all of them covered by it. */
export interface Change {
  readonly added?: readonly string[];
  readonly removed?: readonly string[];
}

/** Makes the attempt start over. */
export function moved(): Error {
  return new Moved("the range is not as it was read");
}

/**
 * The range that holds a name if anything does; undefined in an empty index. It may be out of date (every write that
 * relies on it says so in its condition), but it does cover the name.
 * @throws Moved when a split is seen half done
 */
export async function locate(context: IndexContext, key: string, consistent: boolean): Promise<Range | undefined> {
  const { table, keys } = context;
  const { PK, SK: to } = rangeKey(keys, key);
  const { items } = await table.query({ PK, from: ".", to, backwards: true, limit: 1, consistent });
  const [item] = items;
  if (!item) return undefined;
  const range = rangeOf(item);
  if (covers(range, key)) return range;
  // The left part of a split is there already; the right part begins where it ends.
  const right = await table.get(rangeKey(keys, range.high));
  if (right && covers(rangeOf(right), key)) return rangeOf(right);
  throw moved();
}

/**
 * The range to add a name to. A full one is split first, not after: at a busy range an adder would otherwise always come
 * between a split's reading and its writing.
 * @param known the range, when it has been located already
 */
export async function locateRoom(
  context: IndexContext,
  key: string,
  consistent: boolean,
  known?: Range,
): Promise<Range | undefined> {
  let range = known && covers(known, key) ? known : await locate(context, key, consistent);
  for (
    let tries = 0;
    range && range.bytes >= context.splitBytes && range.count > 1 && tries < SPLIT_TRIES;
    tries += 1
  ) {
    const parts = await split(context, range.low);
    range = parts.find((part) => covers(part, key)) ?? (await locate(context, key, true));
  }
  return range;
}

/**
 * Splits a range in two, by bytes, in one transaction. No entry is touched.
 * The names are counted from a snapshot of range and leaf, never by a Query, which may show half of a write.
 * @returns the two parts, or nothing when another write came between or there is nothing to split any more
 */
async function split(context: IndexContext, low: string): Promise<readonly Range[]> {
  const { table, keys, splitBytes } = context;
  const [at, leafAt] = [rangeKey(keys, low), keys.leaf(low)];
  const [item, leaf] = await table.snapshot([at, leafAt]);
  if (!item) throw missing(at)();
  if (!leaf) throw missing(leafAt)();
  const range = rangeOf(item);
  const names = [...leafOf(leaf).names].sort(compareKeys);
  const cut = cutAt(names, range.bytes);
  const middle = names[cut];
  if (range.bytes < splitBytes || names.length < 2 || middle === undefined) return [];
  const left = rangeOver(low, middle, names.slice(0, cut), range.version + 1);
  const right = rangeOver(middle, range.high, names.slice(cut), 0);
  try {
    await table.write(
      { put: rangeItem(keys, left), when: { equal: { v: range.version } }, otherwise: moved },
      { put: rangeItem(keys, right), when: "absent", otherwise: moved },
      { put: leafItem(keys, low, middle, names.slice(0, cut)), when: "present", otherwise: missing(leafAt) },
      { put: leafItem(keys, middle, range.high, names.slice(cut)), when: "absent", otherwise: moved },
    );
    return [left, right];
  } catch (error) {
    if (error instanceof Moved) return [];
    throw error;
  }
}

/** Where to cut sorted names into two parts of about the same bytes: the index of the first name of the right part. */
function cutAt(names: readonly string[], bytes: number): number {
  let left = 0;
  const at = names.findIndex((name) => {
    left += bytesOf(name);
    return left * 2 >= bytes;
  });
  return Math.min(at + 1, names.length - 1);
}

/**
 * The step that counts a change. Its condition is that the range still reaches beyond the names: its low never changes, so
 * that is all a split can undo.
 * @param version also holds the range to that version
 */
export function touch(context: IndexContext, range: Range, change: Change, version?: number): Step {
  const { added = [], removed = [] } = change;
  return {
    change: rangeKey(context.keys, range.low),
    add: { n: added.length - removed.length, b: bytesOfAll(added) - bytesOfAll(removed), v: 1 },
    when: { above: { hi: greatest([...added, ...removed]) }, ...(version !== undefined && { equal: { v: version } }) },
    otherwise: moved,
  };
}

function greatest(names: readonly string[]): string {
  return names.reduce((most, name) => (compareKeys(name, most) > 0 ? name : most), "");
}

/** The steps that count and pack names which come to a range, or which go: not both, as one update cannot. */
export function turn(
  context: IndexContext,
  range: Range,
  change: { added: readonly string[] } | { removed: readonly string[] },
): Step[] {
  const leaf = context.keys.leaf(range.low);
  const names = "added" in change ? { add: { k: new Set(change.added) } } : { take: { k: new Set(change.removed) } };
  return [touch(context, range, change), { change: leaf, ...names, when: "present", otherwise: missing(leaf) }];
}

/** The steps that begin an index with its one range. They hold only while it has none. */
export function begin(context: IndexContext, names: readonly string[]): Step[] {
  return [
    { put: rangeItem(context.keys, rangeOver("", LAST, names, 0)), when: "absent", otherwise: moved },
    { put: leafItem(context.keys, "", LAST, names), when: "absent", otherwise: moved },
  ];
}

function missing({ PK, SK }: Key) {
  return (): Error => new Error(`the name index lacks ${PK} ${SK}`);
}
