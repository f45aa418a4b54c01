/** Mends a range of a name index in use by the entries of its names. For operators. */
import { pause } from "../../../kernel/clock.ts";
import type { NameListKeys } from "../keys.ts";
import { Moved } from "../settle.ts";
import { isStale, stale, whileConflicting } from "../stale.ts";
import type { Table } from "../table.ts";
import { fillRange } from "../value-index/fold.ts";
import { claimedIn } from "./audit.ts";
import {
  type IndexContext,
  isWide,
  LACKING_IN_NARROW,
  leafItem,
  type Range,
  rangeItem,
  rangeKey,
  rangeOf,
  rangeOver,
} from "./items.ts";
import { indexContext } from "./name-index.ts";

/** A transaction is seen in part for some milliseconds. */
const WHOLE_AFTER_MS = 100;

/** Makes the range at a low contain and count the names that have entries. */
export async function mendNames(table: Table, keys: NameListKeys, low: string): Promise<void> {
  const context = indexContext(table, keys);
  const attempt = async () => {
    const item = await table.get(rangeKey(keys, low));
    const range = item && rangeOf(item);
    if (!range) throw new Error(`The name index lacks the range at ${JSON.stringify(low)} of ${keys.ranges}.`);
    if (isWide(range)) return fillRange(context.wide, range, (current) => claimedWhole(context, current.range));
    const names = await claimedWhole(context, range);
    const { high, version, depth } = range;
    await table.write(
      {
        put: rangeItem(keys, rangeOver(low, high, names, depth, version + 1)),
        when: { equal: { v: version }, lacking: LACKING_IN_NARROW },
        otherwise: stale,
      },
      { put: leafItem(keys, low, high, names), when: "any", otherwise: stale },
    );
  };
  await whileConflicting(attempt, (error) => isStale(error) || error instanceof Moved);
}

/**
 * The names with an entry, once no read shows a half of a transaction any more that the range has. A write that comes
 * later makes mending fail.
 */
async function claimedWhole(context: IndexContext, range: Range): Promise<readonly string[]> {
  await pause(WHOLE_AFTER_MS);
  return claimedIn(context, range);
}
