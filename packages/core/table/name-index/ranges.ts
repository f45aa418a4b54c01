/** Finds the range of a name, and splits full ranges. */

import { Moved } from "../settle.ts";
import { compareKeys, type Key, LAST, type Step } from "../table.ts";
import {
  bytesOfAll,
  covers,
  DEEP,
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

/** Attempts to split a full range before a name is added anyway: the limit is soft, far below DynamoDB's 400 KB. */
const SPLIT_TRIES = 4;

/** The names that a write adds to a range and removes from it. The range covers all of them. */
export interface Change {
  readonly added?: readonly string[];
  readonly removed?: readonly string[];
}

/** Makes `settle` repeat the attempt. */
export function moved(): Error {
  return new Moved("the range is not as it was read");
}

/**
 * The range that covers a name; `undefined` in an empty index. It may be out of date: every write that depends on it
 * has a condition. Throws `Moved` when a split is read half done.
 */
export async function locate(context: IndexContext, key: string, consistent: boolean): Promise<Range | undefined> {
  const { table, keys } = context;
  const { PK, SK: to } = rangeKey(keys, key);
  const { items } = await table.query({ PK, from: ".", to, backwards: true, limit: 1, consistent });
  const [item] = items;
  if (!item) return undefined;
  const range = rangeOf(item);
  if (covers(range, key)) return range;
  // The read returned the left part of a split; the right part begins where it ends.
  const right = await table.get(rangeKey(keys, range.high));
  if (right && covers(rangeOf(right), key)) return rangeOf(right);
  throw moved();
}

/**
 * The range to add a name to. A full range is split before the name is added: in a busy range, other writers would
 * always come between the read and the write of a split. `known` is the range, where it has been located already.
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
 * Splits a range in two, by bytes, in one transaction. Entries do not change. The names are counted in a snapshot of
 * range and leaf, because a Query may return half of a write. Returns the two parts, or none when another write came
 * between or the range is not full any more.
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
  const depth = Math.min(DEEP, range.depth + 1);
  const left = rangeOver(low, middle, names.slice(0, cut), { version: range.version + 1, depth });
  const right = rangeOver(middle, range.high, names.slice(cut), { depth });
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

/** The position of the first name of the right part, for two parts of about the same bytes. */
function cutAt(names: readonly string[], bytes: number): number {
  let left = 0;
  const at = names.findIndex((name) => {
    left += bytesOf(name);
    return left * 2 >= bytes;
  });
  return Math.min(at + 1, names.length - 1);
}

/**
 * The step that counts a change in a range item. Its condition is that the range still covers the names: the low never
 * changes, and a split lowers the high. With `version`, the range must also have that version.
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

/** The steps that add names to a range and its leaf, or remove them. One update cannot do both. */
export function turn(
  context: IndexContext,
  range: Range,
  change: { added: readonly string[] } | { removed: readonly string[] },
): Step[] {
  const leaf = context.keys.leaf(range.low);
  const names = "added" in change ? { add: { k: new Set(change.added) } } : { take: { k: new Set(change.removed) } };
  return [touch(context, range, change), { change: leaf, ...names, when: "present", otherwise: missing(leaf) }];
}

/** The steps that create an index with its first range. They fail when it exists. */
export function begin(context: IndexContext, names: readonly string[]): Step[] {
  return [
    { put: rangeItem(context.keys, rangeOver("", LAST, names, { depth: 0 })), when: "absent", otherwise: moved },
    { put: leafItem(context.keys, "", LAST, names), when: "absent", otherwise: moved },
  ];
}

function missing({ PK, SK }: Key) {
  return (): Error => new Error(`the name index lacks ${PK} ${SK}`);
}
