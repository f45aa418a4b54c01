/** Faults of one process at the table: it is killed before or after a write, or a write fails, known or in doubt. */
import { unavailable } from "#core/database/table/failures.ts";
import type { Table } from "#core/database/table/table.ts";
import type { Random } from "#tests/support/random.ts";
import { Killed } from "#tests/unit/identities/killed.support.ts";

/** `killed` processes do nothing more. The others go on. */
const kinds = ["killed before a write", "killed after a write", "a write failed", "a write in doubt"] as const;
export type FaultKind = (typeof kinds)[number];

/** How often each happened. */
export type FaultCounts = Record<FaultKind, number>;
export const newFaultCounts = (): FaultCounts => ({
  "killed before a write": 0,
  "killed after a write": 0,
  "a write failed": 0,
  "a write in doubt": 0,
});

const WRITES = [1, 1, 1, 2, 2, 3, 4, 6];

/** A table on which one fault happens at one of the next writes, or none where there are fewer. */
export const faultyTable = (table: Table, random: Random, counts: FaultCounts): Table => {
  // One of those that happened least: a short run has every kind, too.
  const least = Math.min(...Object.values(counts));
  const kind = random.of(kinds.filter((each) => counts[each] === least));
  let left = random.of(WRITES);
  let isDead = false;
  const alive = <R>(doing: () => Promise<R>): Promise<R> => (isDead ? Promise.reject(new Killed()) : doing());
  const writing = async <R>(doing: () => Promise<R>): Promise<R> => {
    if (isDead) throw new Killed();
    left -= 1;
    if (left !== 0) return doing();
    counts[kind] += 1;
    isDead = kind.startsWith("killed");
    if (kind === "killed after a write" || kind === "a write in doubt") await doing();
    throw isDead ? new Killed() : unavailable(new Error(`injected: ${kind}`));
  };
  return {
    get: (...asked) => alive(() => table.get(...asked)),
    getMany: (...asked) => alive(() => table.getMany(...asked)),
    snapshot: (...asked) => alive(() => table.snapshot(...asked)),
    query: (...asked) => alive(() => table.query(...asked)),
    queryAll: (...asked) => alive(() => table.queryAll(...asked)),
    nearest: (...asked) => alive(() => table.nearest(...asked)),
    write: (...steps) => writing(() => table.write(...steps)),
    putNewer: (...asked) => writing(() => table.putNewer(...asked)),
    count: (...asked) => writing(() => table.count(...asked)),
    forget: (...asked) => writing(() => table.forget(...asked)),
  };
};
