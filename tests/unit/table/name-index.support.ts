/** Helpers of the tests of the name index. */
import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { BatchWriteCommand, DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import { keys, type NameListKeys } from "#core/database/table/keys.ts";
import { type Cost, newMeter } from "#core/database/table/meter.ts";
import type { NewName, OldName } from "#core/database/table/name-index/claim.ts";
import type { Entry } from "#core/database/table/name-index/items.ts";
import { type NameIndex, type NameIndexOptions, nameIndex } from "#core/database/table/name-index/name-index.ts";
import type { Renaming } from "#core/database/table/name-index/writes.ts";
import type { Item, Step, Table } from "#core/database/table/table.ts";
import type { TestTable } from "#tests/support/engine.ts";

let indexes = 0;

/** Keys of a new index. */
export const freshKeys = (): NameListKeys => {
  indexes += 1;
  return keys.userNames("test", String(indexes));
};

/** The name has another owner. */
export class Taken extends Error {}
/** The name does not have that owner. */
export class NotOwned extends Error {}
const taken = () => new Taken();
const notOwned = () => new NotOwned();

/** The argument of `create`. */
export const named = (key: string, id = `id-${key}`, steps: Step[] = []): NewName => ({
  key,
  entry: { id },
  steps,
  taken,
});
/** The argument of `remove`. */
export const released = (key: string, id = `id-${key}`): OldName => ({ key, id, steps: [], notOwned });
/** The argument of `rename`. */
export const renamed = (from: string, to: string, id = `id-${from}`): Renaming => ({
  from,
  to,
  entry: { id },
  steps: [],
  taken,
  notOwned,
});
/** The step that writes a user of just under a kilobyte. */
export const user = (id: string): Step => ({
  put: { PK: `T#test#U#${id}`, SK: "A", resource: "x".repeat(800) },
  when: "absent",
  otherwise: () => new Error("the user exists"),
});

/** All range items of an index. */
export const rangesOf = (on: Table, { ranges }: NameListKeys): Promise<Item[]> =>
  on.queryAll({ PK: ranges, limit: 1_000 });

/** An index, its range items, and the cost of a call on it. */
export interface OpenIndex {
  readonly index: NameIndex;
  readonly keys: NameListKeys;
  ranges(): Promise<Item[]>;
  costOf(call: () => Promise<unknown>): Promise<Omit<Cost, "calls">>;
}

/** Opens an index. Its ranges are narrow, and tiny by default, so that a few names need several. */
export const openIndex = (
  table: TestTable,
  options: NameIndexOptions = { splitBytes: 20 },
  own = freshKeys(),
): OpenIndex => {
  const meter = newMeter();
  return {
    index: nameIndex(table.open(meter), own, { widenAt: Number.POSITIVE_INFINITY, ...options }),
    keys: own,
    ranges: () => rangesOf(table.open(newMeter()), own),
    async costOf(call) {
      const before = { ...meter.cost };
      await call();
      const { roundTrips, readUnits, writeUnits } = meter.cost;
      return {
        roundTrips: roundTrips - before.roundTrips,
        readUnits: readUnits - before.readUnits,
        writeUnits: writeUnits - before.writeUnits,
      };
    },
  };
};

/** The names of entries. */
export const keysIn = (entries: readonly Entry[]): string[] => entries.map(({ key }) => key);

/** a to z. */
export const letters: readonly string[] = [..."abcdefghijklmnopqrstuvwxyz"];

/** Writes items unchanged, 25 in one call. */
export const load = async (table: TestTable, items: Iterable<Item>): Promise<void> => {
  const documents = DynamoDBDocumentClient.from(new DynamoDBClient(table.client));
  const all = [...items];
  const batches = Array.from({ length: Math.ceil(all.length / 25) }, (_, at) => all.slice(at * 25, at * 25 + 25));
  const lane = async () => {
    for (let batch = batches.pop(); batch; batch = batches.pop()) {
      const requests = batch.map((item) => ({ PutRequest: { Item: { ...item } } }));
      await documents.send(new BatchWriteCommand({ RequestItems: { [table.tableName]: requests } }));
    }
  };
  await Promise.all(Array.from({ length: 8 }, lane));
};
