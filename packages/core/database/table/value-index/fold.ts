/**
 * Folding a range: the changes of its deltas go into a new pack. A range that has become large is split by it.
 *
 * A fold takes a ticket first, which voids every fold that was begun before. It writes the pack to the slot that does
 * not count, where the pack of a later ticket stays as it is. Then one transaction lets the slot count, and takes from
 * the deltas what the pack has. Changes that come meanwhile stay in the deltas. A fold that ends halfway leaves nothing
 * that counts.
 */
import { elapsed, pause } from "../../../kernel/clock.ts";
import { bytesOf } from "../name-index/name-key.ts";
import { isStale, stale } from "../stale.ts";
import { compareKeys, type Item, type Key, LAST, type Step, type Table } from "../table.ts";
import { early } from "../timing.ts";
import { columnItems } from "./columns.ts";
import { type Contents, pairTexts, type RangeAtOnce, readAtOnce } from "./contents.ts";
import { emptyingLanes, takingFromLanes } from "./lanes.ts";
import {
  changeBytes,
  changeName,
  DELTAS,
  deltaAt,
  hasColumns,
  idsItem,
  kindOfRange,
  packedValuesOf,
  rangeItem,
  rangeKey,
  separator,
  type ValueContext,
  type ValueRange,
  valuesItem,
} from "./range-rows.ts";

/** Above this multiple of the limit, a change waits for the fold that others have begun. */
const FULL_AT = 2;
/** How long a change waits for a fold before it takes the fold over: a fold that lives takes some round trips. */
const FOLDED_WITHIN_MS = 150;
const LOOK_AGAIN_MS = 15;
/** After so long, a change is written although its range is full: the limit is soft. */
const ROOM_WITHIN_MS = 1_500;
/** Changes that one fold takes from a delta, one condition for each: DynamoDB admits 300 operators in an expression. */
const TAKEN_MOST = 120;
/** Bytes of texts above which a range is split: whatever they are, a pack of them is far below DynamoDB's 400 KB. */
const PACK_BYTES_MAX = 200_000;

/**
 * The range of a text, with room for a change: a full range is folded first. Of the writers of one range, one folds it
 * and the others wait for it, because a split needs a range that does not change. `locate` reads the range.
 */
export async function rangeWithRoom(
  context: ValueContext,
  locate: (consistent: boolean) => Promise<ValueRange | undefined>,
): Promise<ValueRange | undefined> {
  const startedMs = elapsed();
  let seen: { readonly ticket: number; readonly sinceMs: number } | undefined;
  for (let isFirst = true; ; isFirst = false) {
    const range = await locate(!isFirst);
    // A rehearsal has no effect, so that nothing needs room.
    if (!range || range.pending < context.limits.foldBytes || context.table.keeps === "for good") return range;
    if (elapsed() - startedMs > ROOM_WITHIN_MS) return range;
    if (isBegun(range)) {
      if (!mustWait(context, range)) return range;
      if (seen?.ticket !== range.ticket) seen = { ticket: range.ticket, sinceMs: elapsed() };
      if (elapsed() - seen.sinceMs < FOLDED_WITHIN_MS) {
        await pause(LOOK_AGAIN_MS * (0.5 + Math.random()));
        continue;
      }
    }
    await fold({ ...context, table: early(context.table) }, range).catch((error: unknown) => {
      if (!isStale(error)) throw error;
    });
  }
}

/** Whether a fold was begun that is not completed. Numbers below 0 are of ranges that were never folded. */
function isBegun({ ticket, fold: last }: ValueRange): boolean {
  return ticket > Math.max(last, 0);
}

/** Whether a fold that others have begun needs a range without changes, or the deltas are far beyond the limit. */
function mustWait({ limits }: ValueContext, range: ValueRange): boolean {
  return range.count >= limits.splitAt(range.depth) || range.pending >= limits.foldBytes * FULL_AT;
}

async function fold(context: ValueContext, before: ValueRange): Promise<void> {
  const { range, contents = throwStale() } = await withTicket(context, before);
  const texts = pairTexts(contents);
  const isFull = texts.length >= context.limits.splitAt(range.depth) || bytesOf(texts.join("")) >= PACK_BYTES_MAX;
  const isSplit = isFull && texts.length > 1;
  await (isSplit ? split(context, range, texts) : replace(context, contents));
}

/**
 * Mends the rows of a range that a defect left: each pair once, and their number. Throws `stale` where others write the
 * range at the same time.
 */
export function mendRange(context: ValueContext, before: ValueRange): Promise<void> {
  return fillRange(context, before, async ({ contents }) => pairTexts(contents ?? throwStale()));
}

/**
 * Makes a range contain the texts that `read` returns, and count them. It is called when the range has a ticket, and
 * must read all of them then. Throws `stale` where others write the range at the same time.
 */
export async function fillRange(
  given: ValueContext,
  before: ValueRange,
  read: (current: RangeAtOnce) => Promise<readonly string[]>,
): Promise<void> {
  const context = { ...given, table: early(given.table) };
  const current = await withTicket(context, before);
  const { range } = current;
  const { low, high } = range;
  const own = (await read(current)).filter((text) => compareKeys(text, low) >= 0 && compareKeys(text, high) < 0);
  const texts = [...new Set(own)].sort(compareKeys);
  const slot = otherSlot(range);
  await putPack(context, low, slot, range.ticket, texts);
  const mended: ValueRange = { ...range, count: texts.length, pending: 0, fold: range.ticket, slot };
  await putRange(context, mended, range.changes);
}

/** Takes a ticket on a range, and reads what the range contains then. */
async function withTicket(context: ValueContext, { low, ticket: last }: ValueRange): Promise<RangeAtOnce> {
  const { table, keys } = context;
  const ticket = last + 1;
  const when = { equal: { t: last, ...kindOfRange(keys) } };
  await table.write({ change: rangeKey(keys, low), set: { t: ticket }, when, otherwise: stale });
  const current = await readAtOnce(context, low);
  return current?.range.ticket === ticket ? current : throwStale();
}

function throwStale(): never {
  throw stale();
}

/**
 * Puts the pairs of the pack and of the changes into the other slot. What one write cannot take stays in the deltas.
 */
async function replace(context: ValueContext, contents: Contents<ValueRange>): Promise<void> {
  const { table, keys } = context;
  const { range, changes } = contents;
  const { low, ticket } = range;
  const slot = otherSlot(range);
  const ofRows = hasColumns(keys)
    ? [[...changes]]
    : DELTAS.map((at) => [...changes].filter(([text]) => deltaAt(keys, text) === at));
  const taken = ofRows.map((own) => own.slice(0, TAKEN_MOST));
  const left = ofRows.flatMap((own) => own.slice(TAKEN_MOST));
  await putPack(context, low, slot, ticket, pairTexts({ ...contents, changes: new Map(taken.flat()) }));
  // What was pending when the range was read is in the pack, or counts again. A range that has changes never has
  // nothing pending, because readers then skip its deltas.
  const pending = left.reduce((sum, [text]) => sum + changeBytes(text), 0);
  const own = taken.flat();
  if (hasColumns(keys) && range.lanes) {
    const count = own.reduce((sum, [, net]) => sum + net, 0);
    await table.write(
      {
        change: rangeKey(keys, low),
        set: { f: ticket, s: slot },
        add: { n: count },
        when: { equal: { t: ticket } },
        otherwise: stale,
      },
      ...takingFromLanes(keys, range, new Set(own.map(([text]) => text))),
    );
    return;
  }
  const isInRange = hasColumns(keys);
  await table.write(
    {
      change: rangeKey(keys, low),
      set: { f: ticket, s: slot },
      add: { p: pending - range.pending },
      ...(isInRange && { clear: namesOf(own) }),
      when: { equal: { t: ticket, ...(isInRange && netsOf(own)) } },
      otherwise: stale,
    },
    ...(isInRange ? [] : taken.map((some, at) => takingFrom(keys.delta(low, at), ticket, some))),
  );
}

/** The net changes of some pairs. */
type Nets = readonly (readonly [text: string, net: number])[];

/** The step that takes changes from a delta. A pair that changed again meanwhile must not be lost. */
function takingFrom(key: Key, ticket: number, own: Nets): Step {
  return {
    change: key,
    set: { f: ticket },
    clear: namesOf(own),
    when: own.length === 0 ? "any" : { equal: netsOf(own) },
    otherwise: stale,
  };
}

function namesOf(nets: Nets): readonly string[] {
  return nets.map(([text]) => changeName(text));
}

function netsOf(nets: Nets): Readonly<Record<string, number>> {
  return Object.fromEntries(nets.map(([text, net]) => [changeName(text), net]));
}

/** Splits a range, in its middle if the index does not say otherwise. Nothing may change meanwhile. */
async function split(context: ValueContext, range: ValueRange, texts: readonly string[]): Promise<void> {
  const { keys } = context;
  const { low, ticket, changes } = range;
  const middle = context.limits.kept?.(range, texts.length) ?? texts.length >>> 1;
  const cut = separator(texts[middle - 1] ?? "", texts[middle] ?? "");
  const [left, right] = [texts.slice(0, middle), texts.slice(middle)];
  const slot = otherSlot(range);
  await Promise.all([putPack(context, low, slot, ticket, left), putPack(context, cut, 0, ticket, right)]);
  const common = { pending: 0, ticket, fold: ticket, depth: range.depth + 1 };
  const ofLeft: ValueRange = { ...range, ...common, high: cut, count: left.length, slot };
  const ofRight: ValueRange = { ...range, ...common, low: cut, count: right.length, several: 0, changes: 0, slot: 0 };
  await putRange(
    context,
    ofLeft,
    changes,
    { put: rangeItem(keys, ofRight), when: "absent", otherwise: stale },
    ...emptied(context, ofRight),
  );
}

/** Puts a range whose pack has all of its pairs. Nothing may have changed meanwhile. */
async function putRange(
  context: ValueContext,
  range: ValueRange,
  changes: number,
  ...more: readonly Step[]
): Promise<void> {
  const { table, keys } = context;
  const when = { equal: { t: range.ticket, c: changes } };
  await table.write({ put: rangeItem(keys, range), when, otherwise: stale }, ...emptied(context, range), ...more);
}

/** The steps that put deltas without changes. */
export function emptied({ keys }: ValueContext, range: ValueRange): readonly Step[] {
  const { low, high, fold } = range;
  if (hasColumns(keys)) return high === LAST ? emptyingLanes(keys, range) : [];
  return DELTAS.map((at): Step => ({ put: { ...keys.delta(low, at), f: fold }, when: "any", otherwise: stale }));
}

/** The slot for the next pack. The first pack of a wide range of names has a slot of its own. */
function otherSlot({ slot }: ValueRange): number {
  return slot === 0 ? 1 : 0;
}

/** Puts a pack with that number. It has no effect until its range refers to it. */
export async function putPack(
  { table, keys }: ValueContext,
  low: string,
  slot: number,
  ticket: number,
  texts: readonly string[],
): Promise<void> {
  if (hasColumns(keys)) {
    await Promise.all(columnItems(keys, { low, slot }, { fold: ticket, texts }).map((item) => putNewer(table, item)));
    return;
  }
  const ids = keys.ids && idsItem(keys.ids(low, slot), ticket, texts);
  await Promise.all([
    putNewer(table, valuesItem(keys.values(low, slot), ticket, packedValuesOf(keys, texts))),
    ids && putNewer(table, ids),
  ]);
}

/** Puts a row of a pack. It has no effect until the range refers to it. */
async function putNewer(table: Table, item: Item): Promise<void> {
  if (!(await table.putNewer(item, "f"))) throw stale();
}
