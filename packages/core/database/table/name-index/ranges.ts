/** Finds the range of a name with room for it: splits full ranges, widens them, or folds them. */

import { Moved } from "../settle.ts";
import { compareKeys, type Key, LAST, type Step } from "../table.ts";
import { rangeSteps } from "../value-index/changes.ts";
import { rangeWithRoom } from "../value-index/fold.ts";
import { locate } from "./directory.ts";
import {
  bytesOfAll,
  covers,
  type IndexContext,
  isWide,
  LACKING_IN_NARROW,
  leafItem,
  leafOf,
  type NarrowRange,
  type Range,
  rangeItem,
  rangeKey,
  rangeOf,
  rangeOver,
  type WideRange,
} from "./items.ts";
import { bytesOf } from "./name-key.ts";
import { widen } from "./widening.ts";

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
 * The range for the change of a name. A full range is split before a name is added: in a busy range, other writers
 * would always come between the read and the write of a split. `known` is the range, where it has been located already.
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
    range && !isWide(range) && range.bytes >= context.splitBytes && range.count > 1 && tries < SPLIT_TRIES;
    tries += 1
  ) {
    const parts = await split(context, range);
    range = parts.find((part) => covers(part, key)) ?? (await locate(context, key, true));
  }
  return range && isWide(range) ? wideWithRoom(context, key, range) : range;
}

/** The range for a name to leave. A narrow range needs no room for that. */
export async function roomToLeave(context: IndexContext, key: string, range: Range): Promise<Range | undefined> {
  return isWide(range) ? wideWithRoom(context, key, range) : range;
}

/** The wide range of a name with room for a change: a full one is folded first. */
function wideWithRoom(context: IndexContext, key: string, known: WideRange): Promise<WideRange | undefined> {
  let first: Range | undefined = known;
  return rangeWithRoom(context.wide, async (consistent) => {
    const range = first ?? (await locate(context, key, consistent));
    first = undefined;
    if (!range || !isWide(range)) throw moved();
    return range;
  });
}

/**
 * Splits a narrow range in two, by bytes, in one transaction; or widens one that many splits led to. Entries do not
 * change. The names are counted in a snapshot of range and leaf, because a Query may return half of a write. Returns
 * what the range has become, or nothing when another write came between or the range is not full any more.
 */
async function split(context: IndexContext, found: NarrowRange): Promise<readonly Range[]> {
  const { table, keys, splitBytes } = context;
  const { low } = found;
  // A rehearsal has no effect, so that a range is not widened for it.
  if (found.depth >= context.widenAt && table.keeps !== "for good") {
    const wide = await widen(context, found);
    return wide ? [wide] : [];
  }
  const [at, leafAt] = [rangeKey(keys, low), keys.leaf(low)];
  const [item, leaf] = await table.snapshot([at, leafAt]);
  if (!item) throw moved();
  const range = rangeOf(item);
  if (isWide(range)) return [];
  if (!leaf) throw missing(leafAt)();
  const names = [...leafOf(leaf).names].sort(compareKeys);
  const cut = cutAt(names, range.bytes);
  const middle = names[cut];
  if (range.bytes < splitBytes || names.length < 2 || middle === undefined) return [];
  const left = rangeOver(low, middle, names.slice(0, cut), range.depth + 1, range.version + 1);
  const right = rangeOver(middle, range.high, names.slice(cut), range.depth + 1);
  try {
    await table.write(
      {
        put: rangeItem(keys, left),
        when: { equal: { v: range.version }, lacking: LACKING_IN_NARROW },
        otherwise: moved,
      },
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
 * The step that counts a change in a narrow range item. Its condition is that the range still covers the names, and is
 * narrow: the low never changes, and a split lowers the high. With `version`, the range must also have that version.
 */
export function touch(context: IndexContext, range: NarrowRange, change: Change, version?: number): Step {
  const { added = [], removed = [] } = change;
  return {
    change: rangeKey(context.keys, range.low),
    add: { n: added.length - removed.length, b: bytesOfAll(added) - bytesOfAll(removed), v: 1 },
    when: {
      above: { hi: greatest([...added, ...removed]) },
      lacking: LACKING_IN_NARROW,
      ...(version !== undefined && { equal: { v: version } }),
    },
    otherwise: moved,
  };
}

function greatest(names: readonly string[]): string {
  return names.reduce((most, name) => (compareKeys(name, most) > 0 ? name : most), "");
}

/** The steps that add names to a wide range and remove names from it: at most three. */
export function turnWide({ wide }: IndexContext, range: WideRange, { added = [], removed = [] }: Change): Step[] {
  const turns = [
    ...added.map((text) => ({ text, net: 1 as const })),
    ...removed.map((text) => ({ text, net: -1 as const })),
  ];
  return [...rangeSteps(wide, { range, turns }, 0, moved)];
}

/**
 * The steps that add names to a range and what it contains, or remove them: at most three. One update of a leaf cannot
 * do both.
 */
export function turn(
  context: IndexContext,
  range: Range,
  change: { added: readonly string[] } | { removed: readonly string[] },
): Step[] {
  if (isWide(range)) return turnWide(context, range, change);
  const leaf = context.keys.leaf(range.low);
  const names = "added" in change ? { add: { k: new Set(change.added) } } : { take: { k: new Set(change.removed) } };
  return [touch(context, range, change), { change: leaf, ...names, when: "present", otherwise: missing(leaf) }];
}

/** The steps that create an index with its first range. They fail when it exists. */
export function begin(context: IndexContext, names: readonly string[]): Step[] {
  return [
    { put: rangeItem(context.keys, rangeOver("", LAST, names, 0)), when: "absent", otherwise: moved },
    { put: leafItem(context.keys, "", LAST, names), when: "absent", otherwise: moved },
  ];
}

function missing({ PK, SK }: Key) {
  return (): Error => new Error(`the name index lacks ${PK} ${SK}`);
}
