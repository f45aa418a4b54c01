/**
 * A table in memory in which transactions conflict as DynamoDB documents it: the second transaction on an item that
 * another one is writing is cancelled at once. No local engine does that. Its time is virtual, so that a minute of many
 * writers takes a moment, and is the same in every run.
 */

import { afterStep, holds } from "#core/database/table/effects.ts";
import { unavailable } from "#core/database/table/failures.ts";
import { contentionOf } from "#core/database/table/settle.ts";
import { compareKeys, type Item, type Key, keyOf, LAST, type Step, type Table } from "#core/database/table/table.ts";
import { retry } from "#core/kernel/retry.ts";
import { type VirtualTime, virtualTime } from "./virtual-time.ts";

/** Assumed times in milliseconds: a read, one way of a write, and how long a transaction holds its items. */
const READ_MS = 4;
const WAY_MS = 2;
const HELD_MS = 8;
/** The policy of table/dynamo.ts. */
const BACKOFF = { firstMs: 10, mostMs: 400 };
const DEADLINE_MS = 9_000;

class Conflict extends Error {}

/** What happened. */
export interface ConflictCounts {
  /** Transactions that were committed, and those that were cancelled by another one. */
  committed: number;
  conflicts: number;
  /** Transactions whose condition failed. */
  failed: number;
  /** Cancelled transactions by the item that was in use. */
  readonly byItem: Map<string, number>;
}

/** A table and its time. */
export interface ConflictModel extends VirtualTime {
  readonly table: Table;
  readonly counts: ConflictCounts;
  /** All rows whose partitions begin with a text. */
  readonly rows: (prefix: string) => readonly Item[];
}

/** Opens an empty table. `random` decides on the times. */
export function conflictModel(random: () => number): ConflictModel {
  const rows = new Map<string, Map<string, Item>>();
  /** The sort keys of partitions, in their order. */
  const orders = new Map<string, readonly string[]>();
  const held = new Set<string>();
  const counts: ConflictCounts = { committed: 0, conflicts: 0, failed: 0, byItem: new Map() };
  const time = virtualTime();
  const { pause } = time;
  const around = (ms: number): number => ms * Math.exp(0.4 * normal(random));

  const itemAt = ({ PK, SK }: Key): Item | undefined => rows.get(PK)?.get(SK);
  const put = ({ PK, SK }: Key, item: Item | undefined): void => {
    const partition = rows.get(PK) ?? new Map<string, Item>();
    rows.set(PK, partition);
    if (partition.has(SK) !== (item !== undefined)) orders.delete(PK);
    if (item) partition.set(SK, item);
    else partition.delete(SK);
  };
  const identity = ({ PK, SK }: Key): string => `${PK}\u0000${SK}`;
  const reading = async <R>(read: () => R): Promise<R> => {
    await pause(around(READ_MS));
    return read();
  };

  const attempt = async (steps: readonly Step[]): Promise<void> => {
    await pause(around(WAY_MS));
    const keys = steps.map((step) => identity(keyOf(step)));
    const isBusy = keys.map((key) => held.has(key));
    const busy = keys[isBusy.indexOf(true)];
    if (busy !== undefined) {
      counts.conflicts += 1;
      counts.byItem.set(busy, (counts.byItem.get(busy) ?? 0) + 1);
      await pause(around(WAY_MS));
      const met = steps.flatMap((step, at) => (isBusy[at] ? (step.contended?.() ?? []) : []));
      throw contentionOf(met) ?? new Conflict();
    }
    for (const key of keys) held.add(key);
    await pause(around(HELD_MS));
    for (const key of keys) held.delete(key);
    const broken = steps.find((step) => !holds(step.when, itemAt(keyOf(step))));
    if (!broken) for (const step of steps) put(keyOf(step), afterStep(step, itemAt(keyOf(step))));
    const found = broken && itemAt(keyOf(broken));
    await pause(around(WAY_MS));
    if (!broken) {
      counts.committed += 1;
      return;
    }
    counts.failed += 1;
    const outcome = broken.otherwise(found);
    if (outcome !== "applied") throw outcome;
  };
  const write = (...steps: readonly Step[]): Promise<void> => {
    const untilMs = time.now() + DEADLINE_MS;
    const policy = {
      ...BACKOFF,
      isTransient: (error: unknown) => error instanceof Conflict,
      hasTime: (waitMs: number) => time.now() + waitMs <= untilMs,
      exhausted: unavailable,
    };
    return retry(policy, () => attempt(steps));
  };
  const inRange: Table["queryAll"] = ({ PK, from = "", to = LAST, limit, backwards, after }, most = limit) =>
    reading(() => {
      const order = orders.get(PK) ?? [...(rows.get(PK)?.keys() ?? [])].sort(compareKeys);
      orders.set(PK, order);
      const within = order.filter((SK) => compareKeys(SK, from) >= 0 && compareKeys(SK, to) <= 0);
      const found = within.flatMap((SK) => itemAt({ PK, SK }) ?? []);
      const ordered = backwards ? found.reverse() : found;
      const start = after ? ordered.findIndex(({ SK }) => SK === after.SK) + 1 : 0;
      return ordered.slice(start, start + Math.min(most, limit));
    });

  const table: Table = {
    get: (key) => reading(() => itemAt(key)),
    getMany: (keys) => reading(() => keys.map(itemAt)),
    snapshot: (keys) => reading(() => keys.map(itemAt)),
    query: async (range) => ({ items: await inRange(range) }),
    nearest: async (range) => (await inRange({ ...range, backwards: true, limit: 1 }))[0],
    queryAll: inRange,
    write,
    async putNewer(item, attribute) {
      await pause(around(READ_MS));
      const before = itemAt(item)?.[attribute];
      const isNewer = typeof before !== "number" || before <= Number(item[attribute]);
      if (isNewer) put(item, afterStep({ put: item, when: "any", otherwise: () => new Error() }, undefined));
      return isNewer;
    },
    async count(key, add, set) {
      await pause(around(READ_MS));
      const step: Step = { change: key, add, ...(set && { set }), when: "any", otherwise: () => new Error() };
      const item = afterStep(step, itemAt(key)) ?? { ...key };
      put(key, item);
      return item;
    },
    forget: async (key) => put(key, undefined),
  };

  return {
    table,
    counts,
    rows: (prefix) => [...rows].flatMap(([PK, partition]) => (PK.startsWith(prefix) ? [...partition.values()] : [])),
    ...time,
  };
}

/** A number of the standard normal distribution (Box and Muller). */
function normal(random: () => number): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}
