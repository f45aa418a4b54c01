/**
 * Making a wide range of a narrow one (decision 0128). The pack of the wide range is complete before one transaction
 * puts the range, on condition that the narrow range has not changed since: what ends halfway leaves a row that nothing
 * refers to.
 */
import { randomInt } from "node:crypto";
import { Moved } from "../settle.ts";
import { compareKeys } from "../table.ts";
import { early } from "../timing.ts";
import { emptied, putPack } from "../value-index/fold.ts";
import { rangeItem as wideItem } from "../value-index/range-rows.ts";
import {
  type IndexContext,
  isWide,
  LACKING_IN_NARROW,
  leafOf,
  type NarrowRange,
  rangeKey,
  rangeOf,
  type WideRange,
} from "./items.ts";

/** The slots of first packs. Each attempt takes one of its own; those of folds are 0 and 1. */
const SLOTS: readonly [from: number, to: number] = [2, 2 ** 47];
const FIRST_FOLD = 1;

/** Makes a narrow range wide. Three round trips. Returns the range; nothing where others wrote it meanwhile. */
export async function widen(
  { table: given, keys, wide }: IndexContext,
  { low }: NarrowRange,
): Promise<WideRange | undefined> {
  // Neither the pack nor the other kind of range changes what the index contains.
  const table = early(given);
  const [item, leaf] = await table.snapshot([rangeKey(keys, low), keys.leaf(low)]);
  const narrow = item && rangeOf(item);
  if (!narrow || isWide(narrow) || !leaf) return undefined;
  const names = [...leafOf(leaf).names].sort(compareKeys);
  const range: WideRange = {
    low,
    high: narrow.high,
    count: names.length,
    several: 0,
    pending: 0,
    changes: 0,
    ticket: FIRST_FOLD,
    fold: FIRST_FOLD,
    slot: randomInt(...SLOTS),
    depth: 0,
  };
  await putPack({ ...wide, table }, low, range.slot, FIRST_FOLD, names);
  try {
    await table.write(
      {
        put: wideItem(keys, range),
        when: { equal: { v: narrow.version }, lacking: LACKING_IN_NARROW },
        otherwise: moved,
      },
      { remove: keys.leaf(low), when: "present", otherwise: moved },
      ...emptied(wide, range),
    );
    return range;
  } catch (error) {
    if (error instanceof Moved) return undefined;
    throw error;
  }
}

function moved(): Error {
  return new Moved("the range is not as it was read");
}
