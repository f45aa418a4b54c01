/**
 * DynamoDB's limits of partitions, in virtual time: each partition serves so many calls a second, with the burst of a
 * second, and throttles those beyond. It stores nothing: reads find nothing, and every condition holds.
 */
import type { Calls } from "#core/database/table/client/calls.ts";
import type { DatabaseClient } from "#core/database/table/client/client.ts";
import { DatabaseError, TransactionCancelled } from "#core/database/table/client/errors.ts";
import { type StoredItem, storedNotation } from "#core/database/table/client/values.ts";
import type { VirtualTime } from "./virtual-time.ts";

/** Calls a second on a partition; infinite for no limit. */
export type PartitionLimits = (partition: string) => number;

/** The time of one call. */
const CALL_MS = 4;

/** Opens the database. `counts` has the attempts on each partition. */
export function partitionedDatabase({ now, pause }: VirtualTime, limits: PartitionLimits) {
  const buckets = new Map<string, { left: number; atMs: number }>();
  const counts = new Map<string, number>();
  const take = (partition: string): boolean => {
    counts.set(partition, (counts.get(partition) ?? 0) + 1);
    const perSecond = limits(partition);
    if (perSecond === Number.POSITIVE_INFINITY) return true;
    const bucket = buckets.get(partition) ?? { left: perSecond, atMs: now() };
    buckets.set(partition, bucket);
    bucket.left = Math.min(perSecond, bucket.left + ((now() - bucket.atMs) / 1_000) * perSecond);
    bucket.atMs = now();
    if (bucket.left < 1) return false;
    bucket.left -= 1;
    return true;
  };
  const answers: { [Name in keyof Calls]: (input: Calls[Name]["input"]) => Calls[Name]["output"] } = {
    GetItem: ({ Key }) => one(take(partitionIn(Key))),
    Query: ({ ExpressionAttributeValues = {} }) => one(take(textOf(ExpressionAttributeValues[":pk"]))),
    PutItem: ({ Item }) => one(take(partitionIn(Item))),
    UpdateItem: ({ Key }) => one(take(partitionIn(Key))),
    DeleteItem: ({ Key }) => one(take(partitionIn(Key))),
    BatchGetItem({ RequestItems }) {
      const left = Object.entries(RequestItems).flatMap(([table, { Keys }]) => {
        const unread = Keys.filter((key) => !take(partitionIn(key)));
        if (unread.length === Keys.length) throw throttled();
        return unread.length > 0 ? [[table, { Keys: unread }]] : [];
      });
      return { Responses: {}, UnprocessedKeys: Object.fromEntries(left) };
    },
    TransactGetItems: ({ TransactItems }) => all(TransactItems.map(({ Get }) => take(partitionIn(Get.Key)))),
    TransactWriteItems({ TransactItems }) {
      const keys = TransactItems.map(
        ({ Put, Update, Delete, ConditionCheck }) => Put?.Item ?? (Update ?? Delete ?? ConditionCheck)?.Key ?? {},
      );
      return all(keys.map((key) => take(partitionIn(key))));
    },
  };
  const client: DatabaseClient = {
    notation: storedNotation,
    async call(name, input) {
      await pause(CALL_MS);
      return answers[name](input);
    },
  };
  return { client, counts };
}

function one(isServed: boolean): object {
  if (!isServed) throw throttled();
  return {};
}

function all(served: readonly boolean[]): object {
  if (served.every((each) => each)) return {};
  throw new TransactionCancelled(
    "throttled",
    served.map((each) => ({ Code: each ? "None" : "ThrottlingError" })),
    400,
  );
}

function throttled(): Error {
  return new DatabaseError("ProvisionedThroughputExceededException", "the partition is throttled", 400);
}

function partitionIn(item: StoredItem): string {
  return textOf(item.PK);
}

function textOf(value: unknown): string {
  return (value as { readonly S?: string } | undefined)?.S ?? "";
}
