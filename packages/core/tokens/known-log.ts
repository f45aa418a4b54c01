/**
 * One log of revocations of one tenant, as one container knows it. The container reads the newest entries up to a
 * limit, and then what was added. What it does not know is told apart by a *horizon*: entries from before it may be
 * missing.
 */
import type { Table } from "../database/table/table.ts";
import { LOG_WINDOW_MS, type LogEntry, type LogName, type Revocation, readLog } from "./revocation-log-store.ts";

/** How much of the log is read a second time: a row can appear up to 9 seconds after the time that its key contains. */
const OVERLAP_MS = 12_000;
/** How far the clock of this container can be set back before its knowledge counts as that of another time. */
const STEP_BACK_MS = 5_000;
/** A longer pause between two reads than this costs no more than the first read. */
const PAUSE_MAX_MS = 120_000;

/** How much of the logs a container reads at once and remembers. */
export interface LogLimits extends Readonly<Record<LogName, { readonly first: number; readonly further: number }>> {
  /** Subjects in each of two generations. The older one is forgotten when the younger one is full. */
  readonly generation: number;
}

/**
 * The most entries of a read: the first one of a container, and one that continues. Rows of grants have some 70 bytes,
 * the others some 160: a first read costs at most about 20 units, and fifty refreshes a second fit into one that
 * continues.
 */
export const LOG_LIMITS: LogLimits = {
  subjects: { first: 200, further: 1_000 },
  grants: { first: 600, further: 3_000 },
  generation: 10_000,
};

/** The knowledge of one log. */
export type KnownLog = ReturnType<typeof newKnownLog>;

interface Seen {
  readonly fromMs: number;
  /** The read that brought its latest entry. */
  readonly order: number;
}

/** Knows nothing. `namesOf` returns the subjects of an entry; `onDamaged` gets each damaged row once. */
export function newKnownLog(
  log: LogName,
  namesOf: (revocation: Revocation) => readonly string[],
  onDamaged: (damage: Error) => void,
  limits: LogLimits,
) {
  let readMs = Number.NEGATIVE_INFINITY;
  let horizonMs = Number.POSITIVE_INFINITY;
  let gapOrder = Number.POSITIVE_INFINITY;
  let young = new Map<string, Seen>();
  let old = new Map<string, Seen>();
  /** When the older generation was closed. */
  let oldUntilMs = Number.NEGATIVE_INFINITY;
  /** The entries of the latest read: those of them that the next one returns again are not new. */
  let latest: ReadonlySet<string> = new Set();

  const seenOf = (subject: string) => young.get(subject) ?? old.get(subject);

  const add = (revocation: Revocation, order: number, isNew: boolean): void => {
    for (const name of namesOf(revocation)) {
      const before = seenOf(name);
      young.set(name, {
        fromMs: Math.max(before?.fromMs ?? 0, revocation.fromMs),
        order: isNew ? order : (before?.order ?? order),
      });
    }
  };

  const raise = (toMs: number, order: number): void => {
    horizonMs = Math.max(horizonMs, toMs);
    gapOrder = order;
  };

  const addAll = (entries: readonly LogEntry[], nowMs: number, order: number): void => {
    for (const { id, atMs, content } of entries) {
      const isNew = !latest.has(id);
      if (!(content instanceof Error)) add(content, order, isNew);
      else if (isNew) {
        // It could end any token that was issued before it. Such tokens are compared with their marks.
        raise(Number.isNaN(atMs) ? nowMs : atMs, order);
        onDamaged(content);
      }
    }
    latest = new Set(entries.map(({ id }) => id));
  };

  const forget = (nowMs: number, order: number): void => {
    if (young.size < limits.generation) return;
    if (old.size > 0) raise(oldUntilMs + OVERLAP_MS, order);
    old = young;
    oldUntilMs = nowMs;
    young = new Map();
  };

  return {
    /** Whether it was read at most that long ago; never for 0. */
    isFresh: (nowMs: number, maxAgeMs: number) =>
      maxAgeMs > 0 && nowMs - readMs <= maxAgeMs && nowMs >= readMs - STEP_BACK_MS,
    /**
     * Reads what was added. `orderOf` numbers the reads of the container in the order of their ends. One round trip.
     */
    async read(table: Table, tenant: string, nowMs: number, orderOf: () => number): Promise<void> {
      const firstMs = nowMs - LOG_WINDOW_MS;
      const nextMs = readMs - OVERLAP_MS;
      // Rows from before the window may be gone, and a clock that was set back would skip what was written since.
      const continues = nextMs >= firstMs && nowMs >= readMs - STEP_BACK_MS;
      const sinceMs = continues ? nextMs : firstMs;
      const { first, further } = limits[log];
      const limit = continues && nowMs - readMs <= PAUSE_MAX_MS ? further : first;
      const { entries, hasMore } = await readLog(table, log, tenant, sinceMs, limit);
      const order = orderOf();
      if (!continues) [horizonMs, gapOrder, readMs] = [sinceMs, order, nowMs];
      readMs = Math.max(readMs, nowMs);
      if (hasMore) raise(entries.at(-1)?.atMs || nowMs, order);
      addAll(entries, nowMs, order);
      forget(nowMs, order);
    },
    /** From when on tokens of the subject are valid, by the known entries; 0 without an entry. */
    fromMs: (subject: string) => seenOf(subject)?.fromMs ?? 0,
    /** Entries that were dated before this time may be missing. */
    horizonMs: (): number => horizonMs,
    /** The number of the latest read after which entries may be missing. */
    gapOrder: (): number => gapOrder,
    /** Whether no entry of the subject appeared after the read with that number. */
    isUnchangedSince: (subject: string, order: number) => gapOrder <= order && (seenOf(subject)?.order ?? 0) <= order,
  };
}
