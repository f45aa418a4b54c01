/** The table over the AWS SDK: the only module that talks to DynamoDB. It retries what passes and counts what it costs. */
import { randomUUID } from "node:crypto";
import { DynamoDBClient, type DynamoDBClientConfig, TransactionCanceledException } from "@aws-sdk/client-dynamodb";
import {
  BatchGetCommand,
  DeleteCommand,
  DynamoDBDocumentClient,
  GetCommand,
  PutCommand,
  QueryCommand,
  TransactGetCommand,
  TransactWriteCommand,
  UpdateCommand,
} from "@aws-sdk/lib-dynamodb";
import { unmarshall } from "@aws-sdk/util-dynamodb";
import { elapsed, pause } from "../platform/clock.ts";
import { Fault } from "../platform/faults.ts";
import { checkKey, placeholders, transactItem, updateOf } from "./expressions.ts";
import { isPassing } from "./failures.ts";
import type { Meter } from "./meter.ts";
import { compareKeys, FIRST, type Item, type Key, LAST, type Page, type RangeQuery, type Table } from "./table.ts";

const KEYS_PER_BATCH = 100;
const BATCHES_AT_ONCE = 16;
const STEPS_PER_WRITE = 100;
const QUERY_LIMIT_MAX = 10_000;
const BACKOFF_FIRST_MS = 10;
const BACKOFF_MOST_MS = 400;

/** How to reach the database. */
export interface TableConfig {
  readonly tableName: string;
  /** Milliseconds after which a call that keeps conflicting or being throttled gives up with `service.unavailable`. */
  readonly deadlineMs: number;
  /** The same for all calls of one request together, counted from when the table was opened for it. None by default. */
  readonly requestDeadlineMs?: number;
  /** Anything the SDK's client takes: endpoint, region, request handler. */
  readonly client?: DynamoDBClientConfig;
}

/** A table that charges each use to the meter of one request. */
export type OpenTable = (meter: Meter) => Table;

interface Capacity {
  readonly CapacityUnits?: number | undefined;
}
interface Charged {
  readonly ConsumedCapacity?: Capacity | Capacity[] | undefined;
}

/** Opens the table for one container: one SDK client, shared by the requests that the container serves. */
export function openTable(config: TableConfig): OpenTable {
  const { tableName: TableName, deadlineMs, requestDeadlineMs = Number.POSITIVE_INFINITY } = config;
  const documents = DynamoDBDocumentClient.from(new DynamoDBClient(config.client ?? {}), {
    marshallOptions: { removeUndefinedValues: true },
  });

  return (meter) => {
    const openedMs = elapsed();
    /** When a call that starts now gives up. */
    const giveUpMs = (): number => Math.min(elapsed() + deadlineMs, openedMs + requestDeadlineMs);
    /** Counts one call. A call that fails used a round trip all the same. */
    const charged = async <R extends Charged>(kind: "read" | "write", call: () => Promise<R>): Promise<R> => {
      const end = meter.begin();
      let units = 0;
      try {
        const answer = await call();
        units = unitsOf(answer);
        return answer;
      } finally {
        end(kind === "read" ? units : 0, kind === "write" ? units : 0);
      }
    };

    /** Repeats what fails for a passing reason, with full jitter, to the deadline. */
    const untilDeadline = async <R>(attempt: () => Promise<R>): Promise<R> => {
      const untilMs = giveUpMs();
      for (let tries = 0; ; tries += 1) {
        try {
          return await attempt();
        } catch (error) {
          if (!isPassing(error)) throw error;
          const wait = Math.random() * Math.min(BACKOFF_MOST_MS, BACKOFF_FIRST_MS * 2 ** tries);
          if (elapsed() + wait > untilMs) {
            throw new Fault("service.unavailable", "The service is busy. Try again in a moment.", { cause: error });
          }
          await pause(wait);
        }
      }
    };

    const getBatch = async (keys: readonly Key[], ConsistentRead: boolean, into: Map<string, Item>): Promise<void> => {
      let wanted: readonly Key[] = keys;
      const untilMs = giveUpMs();
      for (let tries = 0; wanted.length > 0; tries += 1) {
        const Keys = wanted.map(({ PK, SK }) => ({ PK, SK }));
        const answer = await untilDeadline(() =>
          charged("read", () =>
            documents.send(
              new BatchGetCommand({
                RequestItems: { [TableName]: { Keys, ConsistentRead } },
                ReturnConsumedCapacity: "TOTAL",
              }),
            ),
          ),
        );
        for (const item of (answer.Responses?.[TableName] ?? []) as Item[]) into.set(identity(item), item);
        wanted = (answer.UnprocessedKeys?.[TableName]?.Keys ?? []) as unknown as Key[];
        if (wanted.length === 0) return;
        const wait = Math.random() * Math.min(BACKOFF_MOST_MS, BACKOFF_FIRST_MS * 2 ** tries);
        if (elapsed() + wait > untilMs) {
          throw new Fault("service.unavailable", "The service is busy. Try again in a moment.");
        }
        await pause(wait);
      }
    };

    const query = async (range: RangeQuery): Promise<Page> => {
      if (!(range.limit >= 1 && range.limit <= QUERY_LIMIT_MAX)) throw new RangeError(`limit ${range.limit}`);
      const from = range.from ?? FIRST;
      const to = range.to ?? LAST;
      if (compareKeys(from, to) > 0) return { items: [] };
      checkKey({ PK: range.PK, SK: from });
      checkKey({ PK: range.PK, SK: to });
      const { after } = range;
      if (after && (after.PK !== range.PK || compareKeys(after.SK, from) < 0 || compareKeys(after.SK, to) > 0)) {
        throw new RangeError("the key to continue behind lies outside the range");
      }
      const answer = await untilDeadline(() =>
        charged("read", () =>
          documents.send(
            new QueryCommand({
              TableName,
              KeyConditionExpression: "PK = :pk AND SK BETWEEN :from AND :to",
              ExpressionAttributeValues: { ":pk": range.PK, ":from": from, ":to": to },
              Limit: range.limit,
              ScanIndexForward: !range.backwards,
              ConsistentRead: range.consistent ?? true,
              ...(after && { ExclusiveStartKey: { PK: after.PK, SK: after.SK } }),
              ReturnConsumedCapacity: "TOTAL",
            }),
          ),
        ),
      );
      return {
        items: (answer.Items ?? []) as Item[],
        ...(answer.LastEvaluatedKey && { next: answer.LastEvaluatedKey as unknown as Key }),
      };
    };

    const put = async (item: Item): Promise<void> => {
      checkKey(item);
      await untilDeadline(() =>
        charged("write", () =>
          documents.send(new PutCommand({ TableName, Item: { ...item }, ReturnConsumedCapacity: "TOTAL" })),
        ),
      );
    };

    return {
      async get(key, options) {
        checkKey(key);
        const answer = await untilDeadline(() =>
          charged("read", () =>
            documents.send(
              new GetCommand({
                TableName,
                Key: { PK: key.PK, SK: key.SK },
                ConsistentRead: options?.consistent ?? true,
                ReturnConsumedCapacity: "TOTAL",
              }),
            ),
          ),
        );
        return answer.Item as Item | undefined;
      },

      async getMany(keys, options) {
        for (const key of keys) checkKey(key);
        const distinct = [...new Map(keys.map((key) => [identity(key), key])).values()];
        const found = new Map<string, Item>();
        const perWave = KEYS_PER_BATCH * BATCHES_AT_ONCE;
        for (let wave = 0; wave < distinct.length; wave += perWave) {
          const inWave = distinct.slice(wave, wave + perWave);
          const batches: Promise<void>[] = [];
          for (let at = 0; at < inWave.length; at += KEYS_PER_BATCH) {
            batches.push(getBatch(inWave.slice(at, at + KEYS_PER_BATCH), options?.consistent ?? true, found));
          }
          await Promise.all(batches);
        }
        return keys.map((key) => found.get(identity(key)));
      },

      async snapshot(keys) {
        if (keys.length > STEPS_PER_WRITE) throw new RangeError(`a snapshot of ${keys.length} items`);
        for (const key of keys) checkKey(key);
        const answer = await untilDeadline(() =>
          charged("read", () =>
            documents.send(
              new TransactGetCommand({
                TransactItems: keys.map(({ PK, SK }) => ({ Get: { TableName, Key: { PK, SK } } })),
                ReturnConsumedCapacity: "TOTAL",
              }),
            ),
          ),
        );
        return keys.map((_, index) => answer.Responses?.[index]?.Item as Item | undefined);
      },

      query,

      async queryAll(range) {
        const items: Item[] = [];
        for (let after = range.after; ; ) {
          const page = await query(after ? { ...range, after } : range);
          items.push(...page.items);
          if (!page.next) return items;
          after = page.next;
        }
      },

      async write(...steps) {
        if (steps.length === 0 || steps.length > STEPS_PER_WRITE) {
          throw new RangeError(`a transaction of ${steps.length} steps`);
        }
        const [only] = steps;
        // Doing it twice is doing it once, so it needs no transaction, which costs twice as much.
        if (only && steps.length === 1 && only.when === "any" && "put" in only) return put(only.put);
        const TransactItems = steps.map((step) => transactItem(TableName, step));
        let token = randomUUID();
        await untilDeadline(async () => {
          try {
            await charged("write", () =>
              documents.send(
                new TransactWriteCommand({ TransactItems, ClientRequestToken: token, ReturnConsumedCapacity: "TOTAL" }),
              ),
            );
          } catch (error) {
            if (!(error instanceof TransactionCanceledException)) throw error;
            // Cancelled for good: the next attempt is a new transaction. Any other failure may have been applied, so it keeps its token.
            token = randomUUID();
            const failed = (error.CancellationReasons ?? []).findIndex(({ Code }) => Code === "ConditionalCheckFailed");
            const step = steps[failed];
            if (!step) throw error;
            // The document client maps answers only; the item inside an error is still in DynamoDB's own notation.
            const found = error.CancellationReasons?.[failed]?.Item;
            const outcome = step.otherwise(found && (unmarshall(found) as Item));
            if (outcome !== "applied") throw outcome;
          }
        });
      },

      async count(key, add, set) {
        checkKey(key);
        const p = placeholders();
        const UpdateExpression = updateOf({ add, ...(set && { set }) }, p);
        const answer = await untilDeadline(() =>
          charged("write", () =>
            documents.send(
              new UpdateCommand({
                TableName,
                Key: { PK: key.PK, SK: key.SK },
                UpdateExpression,
                ...p.used(),
                ReturnValues: "ALL_NEW",
                ReturnConsumedCapacity: "TOTAL",
              }),
            ),
          ),
        );
        return answer.Attributes as Item;
      },

      async forget(key) {
        checkKey(key);
        await untilDeadline(() =>
          charged("write", () =>
            documents.send(
              new DeleteCommand({ TableName, Key: { PK: key.PK, SK: key.SK }, ReturnConsumedCapacity: "TOTAL" }),
            ),
          ),
        );
      },
    };
  };
}

function unitsOf({ ConsumedCapacity }: Charged): number {
  return [ConsumedCapacity ?? []].flat().reduce((sum, part) => sum + (part.CapacityUnits ?? 0), 0);
}

function identity(key: Key): string {
  return `${key.PK}\u0000${key.SK}`;
}
