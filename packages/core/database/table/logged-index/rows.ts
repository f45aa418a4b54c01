/**
 * The rows of an index behind a log (decision 0130). It is a value index whose changes are logged, and brought into its
 * ranges by the hundred:
 *
 * - a change puts an entry into the log, and nothing else. Entries never meet, so that any number of writers add them
 *   at once. The log has several partitions;
 * - a block holds entries that were in the log, packed. Blocks are numbered;
 * - ranges are those of a value index, with packs in two slots. In place of deltas that each change writes, a range has
 *   the net changes since its pack in one row, again in two slots. It says up to which block it has the entries;
 * - the state row says who is moving entries on: only the holder of its latest token writes blocks and ranges.
 */
import { randomInt } from "node:crypto";
import { deflateRawSync, inflateRawSync } from "node:zlib";
import { systemClock } from "../../../kernel/clock.ts";
import type { ValueIndexKeys } from "../keys.ts";
import { as, bytes, number, rowCodec, text } from "../row.ts";
import { stale } from "../stale.ts";
import { compareKeys, type Item, type Key, type Step, type Table } from "../table.ts";
import type { CountedRange } from "../value-index/model.ts";
import { ID_BYTES, packedText, TIE_LENGTH } from "../value-index/pair.ts";
import { idsItem, packedIds, rangeKey } from "../value-index/range-rows.ts";

/** When entries move on. */
export interface LoggedLimits {
  /** The number of changes of an index after which a container looks whether entries are to be moved. */
  readonly every: number;
  /** Entries in the log from which on they become a block. */
  readonly sealAt: number;
  /** Entries in the log that a reader moves on itself. */
  readonly readMost: number;
  /** Entries in blocks that ranges may lack. */
  readonly blockedMost: number;
  /** Net changes of a range since its pack. */
  readonly changesMost: number;
  /** Pairs of a range. */
  readonly pairsMost: number;
  /** Neighbours with fewer pairs together are joined. */
  readonly joinBelow: number;
  /** For so long blocks are kept after all ranges have their entries: longer than any request reads an index. */
  readonly graceMs: number;
  /** For so long the holder of a token is left alone. */
  readonly leaseMs: number;
}

/** A list reads some 30 KB of blocks, and an update pays for a third of a write of a range: see the decision. */
const LIMITS: LoggedLimits = {
  every: 64,
  sealAt: 64,
  readMost: 256,
  blockedMost: 1_000,
  changesMost: 80,
  pairsMost: 2_400,
  joinBelow: 1_500,
  graceMs: 40_000,
  leaseMs: 10_000,
};

/** What the parts of one index share. */
export interface LoggedContext {
  readonly table: Table;
  readonly keys: ValueIndexKeys;
  readonly limits: LoggedLimits;
}

/** The limits, with those that are not given. */
export function loggedLimitsOf(given: Partial<LoggedLimits>): LoggedLimits {
  return { ...LIMITS, ...given };
}

/** The partitions of a log: each takes a thousand write units a second. */
const LANES = 4;
export const lanes: readonly number[] = Array.from({ length: LANES }, (_, lane) => lane);

/** What one change does: a value that comes, one that goes, or both. Values are escaped as in the texts of pairs. */
export interface LogEntry {
  /** Less for later entries of an owner, so that they come first in the log. Empty where it is read from a block. */
  readonly order: string;
  /** A number by chance, which tells the changes of an owner apart, and the tie of the owner. */
  readonly key: string;
  readonly lane: number;
  readonly added: string | undefined;
  readonly removed: string | undefined;
}

/** Characters of the number by chance. */
const NONCE_LENGTH = 3;
const KEY_LENGTH = NONCE_LENGTH + TIE_LENGTH;
const RADIX = 32;
const NONCES = RADIX ** NONCE_LENGTH;
/** Digits of orders: 45 bits. */
const ORDER_LENGTH = 9;
const ORDERS = RADIX ** ORDER_LENGTH;

/** When this container made its last entry. */
let latestMs = 0;

/**
 * A new entry of the owner with a tie. All entries of an owner are in one lane, the latest first: a Query that meets
 * one meets those before it as well, because each was there before the next was made. Otherwise a list had a value of
 * an owner that came later, and lacked that the value before it went.
 */
export function newEntry(
  tie: string,
  added: string | undefined,
  removed: string | undefined,
  given?: number,
): LogEntry {
  latestMs = Math.max(systemClock.now(), latestMs + 1);
  const order = digits(ORDERS - 1 - (given ?? latestMs), ORDER_LENGTH);
  return { order, key: digits(randomInt(NONCES), NONCE_LENGTH) + tie, lane: laneOf(tie), added, removed };
}

function digits(number: number, length: number): string {
  return number.toString(RADIX).padStart(length, "0");
}

function laneOf(tie: string): number {
  let sum = 0;
  for (let at = 0; at < tie.length; at += 1) sum += tie.charCodeAt(at);
  return sum % LANES;
}

export function entryItem(keys: ValueIndexKeys, entry: LogEntry): Item {
  return { ...entryKey(keys, entry), a: entry.added, r: entry.removed };
}

export function entryKey(keys: ValueIndexKeys, { order, key, lane }: Pick<LogEntry, "order" | "key" | "lane">): Key {
  return { PK: keys.log(lane), SK: order + key };
}

export function entryOf({ SK, a, r }: Item, lane: number): LogEntry {
  return {
    order: SK.slice(0, -KEY_LENGTH),
    key: SK.slice(-KEY_LENGTH),
    lane,
    added: typeof a === "string" ? a : undefined,
    removed: typeof r === "string" ? r : undefined,
  };
}

/** Entries from the earliest to the latest. */
export function fromEarliest(entries: readonly LogEntry[]): readonly LogEntry[] {
  return entries.toSorted((a, b) => compareKeys(b.order, a.order));
}

/** Equal for the same entry in the log and in a block, and for no other. */
export function identityOf({ key, added, removed }: LogEntry): string {
  return `${key}\u0000${added ?? "\u0001"}\u0000${removed ?? "\u0001"}`;
}

/** The texts of the pairs of an entry. */
export function textsOf({ key, added, removed }: LogEntry): {
  readonly added: string | undefined;
  readonly removed: string | undefined;
} {
  const tie = key.slice(-TIE_LENGTH);
  const textOf = (value: string | undefined) => (value === undefined ? undefined : `${value}\u0000\u0000${tie}`);
  return { added: textOf(added), removed: textOf(removed) };
}

/** Entries that were in the log. */
export interface Block {
  readonly number: number;
  readonly entries: readonly LogEntry[];
}

interface BlockRow {
  /** The ids of the owners. */
  readonly ids: Uint8Array;
  /** Of each entry the number by chance and its values. */
  readonly values: Uint8Array;
}

const blockRow = rowCodec<BlockRow>("block of a log", { ids: as("z", bytes), values: as("v", bytes) });
const BLOCK_DIGITS = 12;
const PRESENT = "+";
/** Of the length of the values in the row with the changes of a range. */
const LENGTH_BYTES = 4;

export function blockKey(keys: ValueIndexKeys, number: number): Key {
  return { PK: keys.blocks, SK: String(number).padStart(BLOCK_DIGITS, "0") };
}

/** A block as a row. Its columns are compressed: times of one hour are much alike. */
export function blockItem(keys: ValueIndexKeys, { number, entries }: Block): Item {
  const values = entries.flatMap(({ key, added, removed }) => [
    key.slice(0, NONCE_LENGTH),
    added === undefined ? "" : PRESENT + added,
    removed === undefined ? "" : PRESENT + removed,
  ]);
  const { z } = idsItem(
    blockKey(keys, number),
    number,
    entries.map(({ key }) => key),
  );
  const columns = { ids: z as Uint8Array, values: deflateRawSync(values.join("\u0000")) };
  return { ...blockKey(keys, number), ...blockRow.write(columns) };
}

/** The order in which entries compress best. */
export function inBlockOrder(entries: readonly LogEntry[]): readonly LogEntry[] {
  const sortValue = ({ added = "", removed = "" }: LogEntry) => added || removed;
  return entries.toSorted((a, b) => (sortValue(a) < sortValue(b) ? -1 : Number(sortValue(a) > sortValue(b))));
}

export function blockOf(item: Item): Block {
  const columns = blockRow.read(item);
  const ids = packedIds(columns.ids);
  const values = inflateRawSync(columns.values).toString("utf8").split("\u0000");
  const entries = Array.from({ length: values.length / 3 }, (_, at): LogEntry => {
    const [nonce = "", added = "", removed = ""] = values.slice(at * 3, at * 3 + 3);
    const tie = packedText("", "", ids, at).slice(-TIE_LENGTH);
    return {
      order: "",
      key: nonce + tie,
      lane: laneOf(tie),
      added: added === "" ? undefined : added.slice(PRESENT.length),
      removed: removed === "" ? undefined : removed.slice(PRESENT.length),
    };
  });
  return { number: Number(item.SK), entries };
}

/** Who moves entries on, and how far they are. */
export interface LogState {
  /** Grows with each holder, whom the next one makes powerless. */
  readonly token: number;
  /** When it was taken; 0 once its holder has ended. */
  readonly takenMs: number;
  /** The number of the last block. */
  readonly block: number;
  /** Up to this block all ranges have the entries, and the log has none of them any more. */
  readonly clean: number;
  /** Since when. */
  readonly cleanMs: number;
}

const stateRow = rowCodec<LogState>("state of a log", {
  token: as("t", number),
  takenMs: as("at", number),
  block: as("b", number),
  clean: as("c", number),
  cleanMs: as("cm", number),
});
export const FIRST_STATE: LogState = { token: 0, takenMs: 0, block: 0, clean: 0, cleanMs: 0 };

export function stateOf(item: Item | undefined): LogState {
  return item ? stateRow.read(item) : FIRST_STATE;
}

/**
 * The step that takes the next token. Of the rest of the row nothing is written: an earlier holder may have ended since
 * it was read.
 */
export function takingToken(keys: ValueIndexKeys, { token: before }: LogState, nowMs: number): Step {
  const [token, takenMs] = [before + 1, nowMs];
  if (before === 0) {
    const put = { ...keys.state, ...stateRow.write({ ...FIRST_STATE, token, takenMs }) };
    return { put, when: "absent", otherwise: stale };
  }
  return { change: keys.state, set: { t: token, at: takenMs }, when: { equal: { t: before } }, otherwise: stale };
}

/** The step with which the holder of a token ends. */
export function endingHold(keys: ValueIndexKeys, state: LogState): Step {
  const put = { ...keys.state, ...stateRow.write({ ...state, takenMs: 0 }) };
  return { put, when: { equal: { t: state.token } }, otherwise: stale };
}

/** A range: its counts, and where its contents are. */
export interface LoggedRange extends CountedRange {
  /** Up to this block the range has the entries. */
  readonly applied: number;
  /** The number of the pack, 0 for none, and its slot. */
  readonly pack: number;
  readonly packSlot: number;
  /** The same of the row with the changes since. */
  readonly delta: number;
  readonly deltaSlot: number;
}

const rangeRow = rowCodec<Omit<LoggedRange, "low">>("range behind a log", {
  high: as("hi", text),
  count: as("n", number),
  applied: as("d", number),
  pack: as("f", number),
  packSlot: as("s", number),
  delta: as("g", number),
  deltaSlot: as("u", number),
});

export function loggedRangeOf(item: Item): LoggedRange {
  return { low: item.SK.slice(1), ...rangeRow.read(item) };
}

export function loggedRangeItem(keys: ValueIndexKeys, range: LoggedRange): Item {
  return { ...rangeKey(keys, range.low), ...rangeRow.write(range) };
}

interface ChangesRow {
  readonly fold: number;
  readonly came: Uint8Array;
  readonly went: Uint8Array;
}

const changesRow = rowCodec<ChangesRow>("changes of a range", {
  fold: as("f", number),
  came: as("a", bytes),
  went: as("r", bytes),
});

/** The net changes of a range, by the texts of pairs: how often each came less how often it went. */
export function changesItem(key: Key, fold: number, changes: ReadonlyMap<string, number>): Item {
  const texts = (sign: number): Uint8Array =>
    packedTexts([...changes].flatMap(([text, net]) => Array<string>(Math.max(0, net * sign)).fill(text)).sort());
  return { ...key, ...changesRow.write({ fold, came: texts(1), went: texts(-1) }) };
}

/** Reads the net changes of a range; `undefined` where they are of another number. */
export function changesOf(item: Item | undefined, fold: number): ReadonlyMap<string, number> | undefined {
  const row = item && changesRow.read(item);
  if (row?.fold !== fold) return undefined;
  const nets = new Map<string, number>();
  for (const one of unpackedTexts(row.came)) nets.set(one, (nets.get(one) ?? 0) + 1);
  for (const one of unpackedTexts(row.went)) nets.set(one, (nets.get(one) ?? 0) - 1);
  return nets;
}

/** Texts of pairs without facets: the ids as those of a pack, and the values. */
function packedTexts(texts: readonly string[]): Uint8Array {
  const { z } = idsItem({ PK: "", SK: "" }, 0, texts);
  const values = deflateRawSync(texts.map((one) => one.split("\u0000")[0] ?? "").join("\u0000"));
  const size = Buffer.alloc(LENGTH_BYTES);
  size.writeUInt32BE(values.length);
  return new Uint8Array(Buffer.concat([size, values, z as Uint8Array]));
}

function unpackedTexts(packed: Uint8Array): readonly string[] {
  const all = Buffer.from(packed.buffer, packed.byteOffset, packed.byteLength);
  const end = LENGTH_BYTES + all.readUInt32BE();
  const ids = packedIds(all.subarray(end));
  const values = inflateRawSync(all.subarray(LENGTH_BYTES, end)).toString("utf8").split("\u0000");
  return Array.from({ length: ids.length / ID_BYTES }, (_, at) => packedText(values[at] ?? "", "", ids, at));
}
