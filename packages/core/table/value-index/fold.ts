/**
 * Folding a range: the changes of its deltas go into a new pack. A range that has become large is split by it.
 *
 * A fold takes a ticket first, which voids every fold that was begun before. It writes the pack to the slot that does
 * not count, where the pack of a later ticket stays as it is. Then one transaction lets the slot count, and takes from
 * the deltas what the pack has. Changes that come meanwhile stay in the deltas. A fold that ends halfway leaves nothing
 * that counts.
 */
import { isStale, stale } from "../stale.ts";
import type { Item, Step, Table } from "../table.ts";
import { early } from "../timing.ts";
import { type Contents, pairTexts, readContents } from "./contents.ts";
import {
  changeName,
  DELTAS,
  deltaAt,
  idsItem,
  rangeItem,
  rangeKey,
  rangeOf,
  separator,
  type ValueContext,
  type ValueRange,
  valuesItem,
  valuesOfPairs,
} from "./range-rows.ts";

/** Above this multiple of the limit, a fold that was begun counts as abandoned. */
const ABANDONED_AT = 2;

/**
 * Folds a range if its deltas are full. Returns whether it did: the range is then another one. Where others fold it at
 * the same time, the deltas grow a little beyond the limit.
 */
export async function foldIfFull(context: ValueContext, range: ValueRange): Promise<boolean> {
  const { foldBytes } = context.limits;
  // A rehearsal has no effect, so that nothing needs room.
  if (range.pending < foldBytes || context.table.keeps === "for good") return false;
  if (range.ticket > range.fold && range.pending < foldBytes * ABANDONED_AT) return false;
  try {
    await fold({ ...context, table: early(context.table) }, range);
    return true;
  } catch (error) {
    if (isStale(error)) return false;
    throw error;
  }
}

async function fold(context: ValueContext, before: ValueRange): Promise<void> {
  const { table, keys, limits } = context;
  const at = rangeKey(keys, before.low);
  const ticket = before.ticket + 1;
  await table.write({ change: at, set: { t: ticket }, when: { equal: { t: before.ticket } }, otherwise: stale });
  const item = await table.get(at);
  const range = item && rangeOf(item);
  if (!range || range.ticket !== ticket) throw stale();
  const contents = await readContents(context, [range], { withIds: true });
  const [only, ...more] = contents;
  if (!only || more.length > 0 || only.range !== range) throw stale();
  const texts = pairTexts(only);
  const isSplit = texts.length >= limits.splitAt(range.depth) && texts.length > 1;
  await (isSplit ? split(context, range, texts) : replace(context, only, texts));
}

/** Puts the pairs of the pack and the changes into the other slot. */
async function replace(context: ValueContext, { range, changes }: Contents, texts: readonly string[]): Promise<void> {
  const { table, keys } = context;
  const { low, ticket } = range;
  const slot = 1 - range.slot;
  await putPack(context, low, slot, ticket, texts);
  const taken = DELTAS.map((at): Step => {
    const own = [...changes].filter(([text]) => deltaAt(text) === at);
    return {
      change: keys.delta(low, at),
      set: { f: ticket },
      clear: own.map(([text]) => changeName(text)),
      // A pair that changed again meanwhile must not be lost.
      when: own.length === 0 ? "any" : { equal: Object.fromEntries(own.map(([text, net]) => [changeName(text), net])) },
      otherwise: stale,
    };
  });
  await table.write(
    {
      change: rangeKey(keys, low),
      set: { f: ticket, s: slot },
      // What was pending when the range was read is in the pack.
      add: { p: -range.pending },
      when: { equal: { t: ticket } },
      otherwise: stale,
    },
    ...taken,
  );
}

/** Splits a range in its middle. Nothing may change meanwhile. */
async function split(context: ValueContext, range: ValueRange, texts: readonly string[]): Promise<void> {
  const { table, keys } = context;
  const { low, ticket, changes } = range;
  const middle = texts.length >>> 1;
  const cut = separator(texts[middle - 1] ?? "", texts[middle] ?? "");
  const [left, right] = [texts.slice(0, middle), texts.slice(middle)];
  const slot = 1 - range.slot;
  await Promise.all([putPack(context, low, slot, ticket, left), putPack(context, cut, 0, ticket, right)]);
  const common = { pending: 0, ticket, fold: ticket, depth: range.depth + 1 };
  const ofLeft: ValueRange = { ...range, ...common, high: cut, count: left.length, slot };
  const ofRight: ValueRange = { ...range, ...common, low: cut, count: right.length, several: 0, changes: 0, slot: 0 };
  const emptied = [low, cut].flatMap((one) =>
    DELTAS.map((at): Step => ({ put: { ...keys.delta(one, at), f: ticket }, when: "any", otherwise: stale })),
  );
  await table.write(
    { put: rangeItem(keys, ofLeft), when: { equal: { t: ticket, c: changes } }, otherwise: stale },
    { put: rangeItem(keys, ofRight), when: "absent", otherwise: stale },
    ...emptied,
  );
}

async function putPack(
  { table, keys }: ValueContext,
  low: string,
  slot: number,
  ticket: number,
  texts: readonly string[],
): Promise<void> {
  await Promise.all([
    putNewer(table, valuesItem(keys.values(low, slot), ticket, valuesOfPairs(texts))),
    putNewer(table, idsItem(keys.ids(low, slot), ticket, texts)),
  ]);
}

/** Puts a row of a pack. It has no effect until the range refers to it. */
async function putNewer(table: Table, item: Item): Promise<void> {
  if (!(await table.putNewer(item, "f"))) throw stale();
}
