/**
 * Moving entries on: from the log into a block, and from blocks into ranges. One writer in some dozens does it before
 * its own change, for the others.
 *
 * Who moves entries takes a token, which makes every earlier holder powerless: all that counts is one transaction, on
 * the condition that the token is the latest. It adds the new block, and lets ranges refer to rows that were put before
 * it into slots that did not count. A holder that ends halfway leaves nothing that counts, and the next one starts
 * again. Entries are taken from the log after their block is there, and a block is removed when all ranges have had its
 * entries for longer than any request reads.
 */
import { systemClock } from "../../../kernel/clock.ts";
import { sideBySide } from "../settle.ts";
import { isStale, stale } from "../stale.ts";
import { compareKeys, type Item, LAST, type Step } from "../table.ts";
import { early } from "../timing.ts";
import { type Contents, pairTexts } from "../value-index/contents.ts";
import { idsItem, rangeKey, separator, valuesItem, valuesOfPairs } from "../value-index/range-rows.ts";
import { joinedNets, Pending, sumOf } from "./pending.ts";
import { attemptContents, type LogRead, readLog, readSnapshot, type Snapshot } from "./reading.ts";
import {
  type Block,
  blockItem,
  blockKey,
  changesItem,
  changesOf,
  endingHold,
  entryKey,
  fromEarliest,
  inBlockOrder,
  type LoggedContext,
  type LoggedRange,
  type LogState,
  loggedRangeItem,
  takingToken,
} from "./rows.ts";

/** The most entries of one block: 30 KB. */
const SEALED_MOST = 1_000;
/** Ranges that get entries at once, of the hundred rows that one transaction writes. */
const RANGES_AT_ONCE = 60;
/** Ranges whose packs are written at once: each is read, and held in memory. */
const PACKS_AT_ONCE = 12;
/** New ranges that one split makes at most. */
const PARTS_MOST = 12;
const WRITES_AT_ONCE = 50;
const SLOTS = [0, 1] as const;

/** Steps of a transaction besides the state and the new block. */
const STEPS_MOST = 96;
const DAY_SECONDS = 86_400;

/** What one holder of a token changes. */
interface Plan {
  /** Put before the transaction, into slots that do not count. */
  readonly rows: Item[];
  readonly steps: Step[];
  /** The lows of ranges that have all blocks then. */
  readonly applied: Set<string>;
  /** The lows of ranges that there are no more. */
  readonly joined: string[];
}

/** A block, with its entries as what ranges may lack. */
interface HeldBlock extends Block {
  readonly alone: Pending;
}

/** An index in the hands of one holder. */
interface Held extends Snapshot {
  readonly context: LoggedContext;
  readonly token: number;
  /** The blocks that were there. */
  readonly blocks: readonly HeldBlock[];
  /** The same with the new one. */
  readonly all: readonly HeldBlock[];
  /** The number of the last. */
  readonly last: number;
  /** The entries of all blocks. */
  readonly turns: Pending;
}

/**
 * Moves entries on, if there are enough and no one else does. Some 15 round trips; otherwise one, or none where the log
 * is known. Nothing in a request that keeps its writes back.
 */
export async function tend(given: LoggedContext, known?: LogRead): Promise<void> {
  if (given.table.keeps) return;
  try {
    const { state, log } = known ?? (await readLog(given));
    if (log.length < given.limits.sealAt || isHeld(given, state)) return;
    await move({ ...given, table: early(given.table) }, state);
  } catch (error) {
    // Another one does it.
    if (!isStale(error)) throw error;
  }
}

/**
 * Writes the packs of a range again, with each pair once and their number, where a defect left them otherwise. Throws
 * `stale` where others move entries at the same time.
 */
export async function mendLogged(given: LoggedContext, low: string): Promise<void> {
  const { state } = await readLog(given);
  await move({ ...given, table: early(given.table) }, state, low);
}

function isHeld({ limits }: LoggedContext, { takenMs }: LogState): boolean {
  return takenMs > 0 && Math.abs(systemClock.now() - takenMs) < limits.leaseMs;
}

async function move(context: LoggedContext, before: LogState, mended?: string): Promise<void> {
  const { table, keys } = context;
  const held = await hold(context, before);
  const { token, last, all, blocked } = held;
  const plan: Plan = { rows: [], steps: [], applied: new Set(), joined: [] };
  await planRanges(held, mended, plan);
  await planJoin(held, plan);
  await sideBySide(plan.rows, WRITES_AT_ONCE, async (row) => {
    if (!(await table.putNewer(row, "f"))) throw stale();
  });
  const { removed, ...cleaned } = cleaning(held, plan);
  const fresh = all.filter(({ number }) => number > held.state.block);
  await table.write(
    endingHold(keys, { token, takenMs: 0, block: last, ...cleaned }),
    ...fresh.map((block): Step => ({ put: blockItem(keys, block), when: "absent", otherwise: stale })),
    ...plan.steps,
  );
  // What is not done of the rest is left to the next holder.
  const sealed = fresh.flatMap(({ entries }) => entries);
  await sideBySide([...sealed, ...blocked], WRITES_AT_ONCE, (entry) => table.forget(entryKey(keys, entry)));
  await sideBySide(removed, WRITES_AT_ONCE, ({ number }) => table.forget(blockKey(keys, number)));
  await sideBySide(
    plan.joined.flatMap((low) => emptied(held, low)),
    WRITES_AT_ONCE,
    async (row) => {
      await table.putNewer(row, "f");
    },
  );
}

/** Takes a token, and reads the index. */
async function hold(context: LoggedContext, before: LogState): Promise<Held> {
  const { table, keys } = context;
  const token = before.token + 1;
  await table.write(takingToken(keys, before, systemClock.now()));
  const snapshot = await readSnapshot(context);
  const { state, log } = snapshot;
  const blocks = snapshot.blocks.map(heldBlock);
  // A holder of a later token may have written since.
  if (state.token !== token || blocks.some(({ number }) => number > state.block)) throw stale();
  const entries = inBlockOrder(fromEarliest(log).slice(0, SEALED_MOST));
  const last = state.block + Number(entries.length > 0);
  const all = entries.length > 0 ? [...blocks, heldBlock({ number: last, entries })] : blocks;
  return { ...snapshot, context, token, blocks, all, last, turns: new Pending(all) };
}

function heldBlock(block: Block): HeldBlock {
  return { ...block, alone: new Pending([block]) };
}

/** Which blocks are no longer needed: those to remove now, and those to remove later. */
function cleaning(
  held: Held,
  { applied }: Plan,
): Pick<LogState, "clean" | "cleanMs"> & { readonly removed: readonly Block[] } {
  const { state, blocks, blocked, context } = held;
  const { clean, cleanMs } = state;
  const nowMs = systemClock.now();
  if (nowMs - cleanMs < context.limits.graceMs) return { clean, cleanMs, removed: [] };
  const left = new Set(blocked.map(({ key }) => key));
  const needed = blocks.filter(
    (block) => block.entries.some(({ key }) => left.has(key)) || lacking(held, block, applied).length > 0,
  );
  const next = Math.max(clean, Math.min(state.block, ...needed.map(({ number }) => number - 1)));
  const removed = blocks.filter(({ number }) => number <= clean);
  return { clean: next, cleanMs: next > clean ? nowMs : cleanMs, removed };
}

/** The ranges that get what they lack: those that lack something of the oldest blocks. */
function choose(held: Held): readonly LoggedRange[] {
  const { all, context, ranges } = held;
  const lows = new Set<string>();
  const open = all.filter((block) => lacking(held, block, lows).length > 0);
  let entries = open.reduce((sum, block) => sum + block.entries.length, 0);
  for (const block of open) {
    if (entries <= context.limits.blockedMost || lows.size >= RANGES_AT_ONCE) break;
    for (const { low } of lacking(held, block, lows)) if (lows.size < RANGES_AT_ONCE) lows.add(low);
    entries -= block.entries.length;
  }
  return ranges.filter(({ low }) => lows.has(low));
}

/** The ranges that lack entries of a block, without those that get them. */
function lacking({ ranges }: Held, { alone }: HeldBlock, getting: ReadonlySet<string>): readonly LoggedRange[] {
  return ranges.filter((range) => !getting.has(range.low) && alone.hasIn(range));
}

/** Plans what ranges get: as changes next to their packs, or with new packs. */
async function planRanges(held: Held, mended: string | undefined, plan: Plan): Promise<void> {
  const { context, token, last, turns } = held;
  const { table, keys, limits } = context;
  const chosen = [...new Set([...held.ranges.filter(({ low }) => low === mended), ...choose(held)])];
  const deltas = await table.getMany(chosen.map(({ low, deltaSlot }) => keys.delta(low, deltaSlot)));
  const repacked: LoggedRange[] = [];
  for (const [at, range] of chosen.entries()) {
    const since = range.delta > 0 ? changesOf(deltas[at], range.delta) : new Map<string, number>();
    if (!since) throw stale();
    const nets = turns.netsIn(range);
    const changes = joinedNets(since, nets);
    if (range.low === mended || changes.size > limits.changesMost) {
      if (repacked.length < PACKS_AT_ONCE) repacked.push(range);
      continue;
    }
    const deltaSlot = 1 - range.deltaSlot;
    plan.rows.push(changesItem(keys.delta(range.low, deltaSlot), token, changes));
    plan.applied.add(range.low);
    const after = { ...range, count: range.count + sumOf(nets), applied: last, delta: token, deltaSlot };
    plan.steps.push(putting(held, after));
  }
  for (const contents of await contentsOf(held, repacked)) {
    const { range } = contents;
    const isMended = range.low === mended;
    const packing = isMended
      ? { texts: mendedTexts(range, pairTexts(contents)), rest: new Map() }
      : packingOf([contents]);
    repack(held, range, range.high, packing, plan);
  }
}

/** The contents of ranges with all blocks. A range that is not as it was read is in the hands of a later holder. */
async function contentsOf(
  { context, turns }: Held,
  ranges: readonly LoggedRange[],
): Promise<readonly Contents<LoggedRange>[]> {
  const read = await attemptContents(context, ranges, turns, { values: true, ids: true });
  return read.map((contents) => {
    if (!contents) throw stale();
    return contents;
  });
}

/** What a pack takes of some contents, and what remains of their changes. */
interface Packing {
  readonly texts: readonly string[];
  /**
   * Of pairs that went before they came: clocks of two containers that differ may bring entries of an owner into blocks
   * in another order. A pack has no place for them, and without them the pair that comes would stay for good.
   */
  readonly rest: ReadonlyMap<string, number>;
}

function packingOf(contents: readonly Contents[]): Packing {
  const nets = contents.reduce((all, { changes }) => joinedNets(all, changes), new Map<string, number>());
  for (const one of contents) {
    for (const text of pairTexts({ ...one, changes: new Map() })) nets.set(text, (nets.get(text) ?? 0) + 1);
  }
  const texts = [...nets].flatMap(([text, net]) => (net > 0 ? [text] : [])).sort(compareKeys);
  const rest = [...nets].flatMap(([text, net]) => {
    const left = net > 0 ? net - 1 : net;
    return left === 0 ? [] : [[text, left] as const];
  });
  return { texts, rest: new Map(rest) };
}

function mendedTexts({ low, high }: LoggedRange, texts: readonly string[]): readonly string[] {
  const own = texts.filter((text) => compareKeys(low, text) <= 0 && compareKeys(text, high) < 0);
  return [...new Set(own)].sort(compareKeys);
}

/** Joins the two neighbours with the fewest pairs, where they are few. */
async function planJoin(held: Held, plan: Plan): Promise<void> {
  const { context, ranges } = held;
  let best: readonly [LoggedRange, LoggedRange] | undefined;
  let least = context.limits.joinBelow;
  for (const [at, left] of ranges.entries()) {
    const right = ranges[at + 1];
    if (!right || plan.applied.has(left.low) || plan.applied.has(right.low)) continue;
    if (left.count + right.count >= least) continue;
    best = [left, right];
    least = left.count + right.count;
  }
  if (!best) return;
  const [left, right] = best;
  const packing = packingOf(await contentsOf(held, best));
  // What they get may be more than what they had.
  if (packing.texts.length > context.limits.pairsMost || !repack(held, left, right.high, packing, plan)) return;
  plan.steps.push({ remove: rangeKey(context.keys, right.low), when: "present", otherwise: stale });
  plan.applied.add(right.low);
  plan.joined.push(right.low);
}

/**
 * Plans new packs for the texts of a range, which is split where they are many. The last range of an index grows at its
 * end, where times are, so that its parts are full. Returns false where the transaction has no room.
 */
function repack(held: Held, before: LoggedRange, high: string, { texts, rest }: Packing, plan: Plan): boolean {
  const { context, token, last } = held;
  const { keys, limits } = context;
  const parts = Math.max(1, Math.min(PARTS_MOST, Math.ceil(texts.length / limits.pairsMost)));
  if (plan.steps.length + parts >= STEPS_MOST) return false;
  const even = Math.ceil(texts.length / parts);
  const size = Math.max(1, high === LAST && even <= limits.pairsMost ? limits.pairsMost : even);
  for (let [at, low] = [0, before.low]; at === 0 || at < texts.length; at += size) {
    const own = texts.slice(at, at + size);
    const next = texts[at + size];
    const end = next === undefined ? high : separator(own.at(-1) ?? "", next);
    const packSlot = at === 0 ? 1 - before.packSlot : 0;
    plan.rows.push(valuesItem(keys.values(low, packSlot), token, valuesOfPairs(own)));
    plan.rows.push(idsItem(keys.ids(low, packSlot), token, own));
    const changes = new Map([...rest].filter(([text]) => compareKeys(low, text) <= 0 && compareKeys(text, end) < 0));
    const hasChanges = changes.size > 0;
    const deltaSlot = hasChanges ? 1 - before.deltaSlot : before.deltaSlot;
    if (hasChanges) plan.rows.push(changesItem(keys.delta(low, deltaSlot), token, changes));
    const count = own.length + sumOf(changes);
    const pack = { pack: token, packSlot, delta: hasChanges ? token : 0, deltaSlot };
    plan.steps.push(putting(held, { low, high: end, count, applied: last, ...pack }));
    low = end;
  }
  plan.applied.add(before.low);
  return true;
}

/** The token of the transaction is the condition. */
function putting({ context }: Held, range: LoggedRange): Step {
  return { put: loggedRangeItem(context.keys, range), when: "any", otherwise: stale };
}

/** The rows of a range that is no more: small ones, which expire. A range that comes after it has later ones. */
function emptied({ context: { keys }, token }: Held, low: string): readonly Item[] {
  const expiresAtSeconds = Math.floor(systemClock.now() / 1_000) + DAY_SECONDS;
  return SLOTS.flatMap((slot) => [
    { ...valuesItem(keys.values(low, slot), token, []), expiresAtSeconds },
    { ...idsItem(keys.ids(low, slot), token, []), expiresAtSeconds },
    { ...changesItem(keys.delta(low, slot), token, new Map()), expiresAtSeconds },
  ]);
}
