/** The table over the AWS SDK: the only module that writes expressions, counts capacity and knows DynamoDB's failures. */
import { randomUUID } from "node:crypto";
import {
  DynamoDBClient,
  type DynamoDBClientConfig,
  ProvisionedThroughputExceededException,
  TransactionCanceledException,
} from "@aws-sdk/client-dynamodb";
import {
  BatchGetCommand,
  DeleteCommand,
  DynamoDBDocumentClient,
  GetCommand,
  QueryCommand,
  TransactGetCommand,
  TransactWriteCommand,
  type TransactWriteCommandInput,
  UpdateCommand,
} from "@aws-sdk/lib-dynamodb";
import { unmarshall } from "@aws-sdk/util-dynamodb";
import { Fault } from "../faults/faults.ts";
import { elapsed, pause } from "../platform/clock.ts";
import type { Meter } from "./meter.ts";
import {
  compareKeys,
  FIRST,
  type Item,
  type Key,
  LAST,
  type Page,
  type RangeQuery,
  type Step,
  type Table,
  type Value,
  type When,
} from "./table.ts";

const KEYS_PER_BATCH = 100;
const BATCHES_AT_ONCE = 16;
const STEPS_PER_WRITE = 100;
const QUERY_LIMIT_MAX = 10_000;
const PK_BYTES_MAX = 2_048;
const SK_BYTES_MAX = 1_024;
const BACKOFF_FIRST_MS = 10;
const BACKOFF_MOST_MS = 400;

/** How to reach the database. */
export interface TableConfig {
  readonly tableName: string;
  /** Milliseconds after which a call that keeps conflicting or being throttled gives up with `service.unavailable`. */
  readonly deadlineMs: number;
  /** Anything the SDK's client takes: endpoint, region, request handler. */
  readonly client?: DynamoDBClientConfig;
}

/** A table that charges each use to the meter of one request. */
export type OpenTable = (meter: Meter) => Table;

/** The failures of DynamoDB and of the network that pass by themselves. */
const passing = new Set([
  "ProvisionedThroughputExceededException",
  "ThrottlingException",
  "ThrottledException",
  "RequestLimitExceeded",
  "RequestThrottled",
  "InternalServerError",
  "InternalFailure",
  "ServiceUnavailable",
  "TransactionConflictException",
  "TransactionInProgressException",
  "TimeoutError",
  "ReplicatedWriteConflictException",
]);
const passingReasons = new Set(["TransactionConflict", "ThrottlingError", "ProvisionedThroughputExceeded"]);
const networkCodes = new Set(["ECONNREFUSED", "ECONNRESET", "EPIPE", "ETIMEDOUT", "EAI_AGAIN", "ENOTFOUND"]);

const nameOf = (error: unknown): string => (error instanceof Error ? error.name : "");
const codeOf = (error: unknown): string =>
  error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "";

const isPassing = (error: unknown): boolean =>
  error instanceof ProvisionedThroughputExceededException ||
  passing.has(nameOf(error)) ||
  networkCodes.has(codeOf(error)) ||
  (error instanceof TransactionCanceledException &&
    !(error.CancellationReasons ?? []).some((reason) => reason.Code === "ConditionalCheckFailed") &&
    (error.CancellationReasons ?? []).some((reason) => passingReasons.has(reason.Code ?? "")));

/** Refuses keys that DynamoDB would refuse (the embedded engine does not refuse all of them). */
const checkKey = ({ PK, SK }: Key): void => {
  for (const [part, text, most] of [
    ["PK", PK, PK_BYTES_MAX],
    ["SK", SK, SK_BYTES_MAX],
  ] as const) {
    const bytes = Buffer.byteLength(text, "utf8");
    if (bytes === 0 || bytes > most) throw new RangeError(`${part} must hold 1 to ${most} bytes, not ${bytes}`);
    if (!text.isWellFormed()) throw new RangeError(`${part} is not well-formed Unicode`);
  }
};

/** Collects the placeholders of one request's expressions. */
const placeholders = () => {
  const names: Record<string, string> = {};
  const values: Record<string, Value> = {};
  return {
    name(attribute: string): string {
      names[`#${attribute}`] = attribute;
      return `#${attribute}`;
    },
    value(value: Value): string {
      const placeholder = `:v${Object.keys(values).length}`;
      values[placeholder] = value;
      return placeholder;
    },
    used: () => ({
      ...(Object.keys(names).length > 0 && { ExpressionAttributeNames: names }),
      ...(Object.keys(values).length > 0 && { ExpressionAttributeValues: values }),
    }),
  };
};
type Placeholders = ReturnType<typeof placeholders>;

const conditionOf = (when: When, p: Placeholders): string => {
  if (when === "absent") return "attribute_not_exists(PK)";
  if (when === "present") return "attribute_exists(PK)";
  const terms = ["attribute_exists(PK)"];
  for (const [attribute, value] of Object.entries(when.equal ?? {}))
    terms.push(`${p.name(attribute)} = ${p.value(value)}`);
  for (const [attribute, value] of Object.entries(when.above ?? {}))
    terms.push(`${p.name(attribute)} > ${p.value(value)}`);
  return terms.join(" AND ");
};

const updateOf = (step: Extract<Step, { change: Key }>, p: Placeholders): string => {
  const clause = (word: string, parts: readonly string[]) => (parts.length > 0 ? [`${word} ${parts.join(", ")}`] : []);
  const pairs = (fields: Readonly<Record<string, Value>> | undefined, between: string) =>
    Object.entries(fields ?? {}).map(([attribute, value]) => `${p.name(attribute)}${between}${p.value(value)}`);
  return [
    ...clause("SET", pairs(step.set, " = ")),
    ...clause("ADD", pairs(step.add, " ")),
    ...clause("DELETE", pairs(step.take, " ")),
    ...clause(
      "REMOVE",
      (step.clear ?? []).map((attribute) => p.name(attribute)),
    ),
  ].join(" ");
};

type TransactItem = NonNullable<TransactWriteCommandInput["TransactItems"]>[number];

const transactItem = (TableName: string, step: Step): TransactItem => {
  const p = placeholders();
  const ConditionExpression = conditionOf(step.when, p);
  const common = { TableName, ReturnValuesOnConditionCheckFailure: "ALL_OLD" as const };
  if ("put" in step) {
    checkKey(step.put);
    return { Put: { ...common, Item: { ...step.put }, ConditionExpression, ...p.used() } };
  }
  if ("change" in step) {
    checkKey(step.change);
    const UpdateExpression = updateOf(step, p);
    return { Update: { ...common, Key: { ...step.change }, UpdateExpression, ConditionExpression, ...p.used() } };
  }
  if ("remove" in step) {
    checkKey(step.remove);
    return { Delete: { ...common, Key: { ...step.remove }, ConditionExpression, ...p.used() } };
  }
  checkKey(step.check);
  return { ConditionCheck: { ...common, Key: { ...step.check }, ConditionExpression, ...p.used() } };
};

interface Capacity {
  readonly CapacityUnits?: number | undefined;
}
interface Charged {
  readonly ConsumedCapacity?: Capacity | Capacity[] | undefined;
}
const unitsOf = ({ ConsumedCapacity }: Charged): number =>
  [ConsumedCapacity ?? []].flat().reduce((sum, part) => sum + (part.CapacityUnits ?? 0), 0);

const identity = (key: Key): string => `${key.PK}\u0000${key.SK}`;

/** Opens the table for one container: one SDK client, shared by the requests that the container serves. */
export const openTable = (config: TableConfig): OpenTable => {
  const { tableName: TableName, deadlineMs } = config;
  const documents = DynamoDBDocumentClient.from(new DynamoDBClient(config.client ?? {}), {
    marshallOptions: { removeUndefinedValues: true },
  });

  return (meter) => {
    /** Counts one call. A call that fails used a round trip all the same. */
    const charged = async <R extends Charged>(kind: "read" | "write", call: () => Promise<R>): Promise<R> => {
      meter.begin();
      let units = 0;
      try {
        const answer = await call();
        units = unitsOf(answer);
        return answer;
      } finally {
        meter.end(kind === "read" ? units : 0, kind === "write" ? units : 0);
      }
    };

    /** Repeats what fails for a passing reason, with full jitter, to the deadline. */
    const untilDeadline = async <R>(attempt: () => Promise<R>): Promise<R> => {
      const start = elapsed();
      for (let tries = 0; ; tries += 1) {
        try {
          return await attempt();
        } catch (error) {
          if (!isPassing(error)) throw error;
          const wait = Math.random() * Math.min(BACKOFF_MOST_MS, BACKOFF_FIRST_MS * 2 ** tries);
          if (elapsed() - start + wait > deadlineMs) {
            throw new Fault("service.unavailable", "The service is busy. Try again in a moment.", { cause: error });
          }
          await pause(wait);
        }
      }
    };

    const getBatch = async (keys: readonly Key[], ConsistentRead: boolean, into: Map<string, Item>): Promise<void> => {
      let wanted: readonly Key[] = keys;
      const start = elapsed();
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
        if (elapsed() - start + wait > deadlineMs) {
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
            const failed = (error.CancellationReasons ?? []).findLastIndex(({ Code }) => Code === "ConditionalCheckFailed");
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
        const UpdateExpression = updateOf(
          { change: key, add, ...(set && { set }), when: "present", otherwise: () => "applied" },
          p,
        );
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
};
