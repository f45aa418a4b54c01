/**
 * The table over DynamoDB. It retries transient failures, throttled calls within a budget (decision 0177), and meters
 * every call. The calls themselves are in client/.
 */
import { randomUUID } from "node:crypto";
import type { Conditional } from "./client/calls.ts";
import { type ClientOptions, type DatabaseClient, type OpenClient, openClient } from "./client/client.ts";
import { type CancellationReason, DatabaseError, TransactionCancelled } from "./client/errors.ts";
import type { StoredItem } from "./client/values.ts";
import {
  checkKey,
  placeholders,
  storedItem,
  storedKey,
  transactItem,
  type UpdateParts,
  updateOf,
} from "./expressions.ts";
import type { Meter } from "./meter.ts";
import { NearestMemory, nearestOn } from "./nearest.ts";
import { type Limits, newSession, type Session, unitsOf } from "./session.ts";
import { contentionOf } from "./settle.ts";
import {
  compareKeys,
  FIRST,
  type Item,
  type ItemReadOptions,
  type Key,
  keyOf,
  LAST,
  type ManyReadOptions,
  type Page,
  type RangeQuery,
  type Step,
  type Table,
} from "./table.ts";
import { newRetryBudget, Unprocessed } from "./throttling.ts";

const KEYS_PER_BATCH = 100;
const BATCHES_AT_ONCE = 16;
const STEPS_PER_WRITE = 100;
const QUERY_LIMIT_MAX = 10_000;
const CONNECT_MS = 1_000;
const KEYS = "PK, SK";
/** A response that ends at 16 MB used more read units than this, also where it is eventually consistent. */
const FULL_RESPONSE_UNITS = 1_500;

/** How to reach the database. */
export interface TableConfig extends Limits {
  /** Milliseconds that one attempt waits for DynamoDB. No limit by default. */
  readonly attemptMs?: number;
  /** Endpoint, region, credentials. What is left out is found as the AWS SDK finds it. */
  readonly client?: ClientOptions;
  /** What opens the client (decision 0091). The lean one by default. */
  readonly openClient?: OpenClient;
}

/** A table whose calls are metered for one request. */
export type OpenTable = (meter: Meter) => Table;

/** Opens the table for one container: one client, shared by the requests that the container serves. */
export function openTable(config: TableConfig): OpenTable {
  const { attemptMs, client: options = {}, openClient: open = openClient } = config;
  // A database that accepts a connection and stays silent must not hold a request.
  const client = open(options, attemptMs === undefined ? undefined : { connectMs: CONNECT_MS, answerMs: attemptMs });
  const memory = new NearestMemory();
  const budget = newRetryBudget();
  return (meter) => {
    const session = newSession(client, config, budget, meter);
    const getMany: Table["getMany"] = (keys, options) => getItems(session, keys, options);
    const query: Table["query"] = (range) => queryPage(session, range);
    const table: Table = {
      get: (key, options) => getItem(session, key, options),
      getMany,
      snapshot: (keys) => snapshot(session, keys),
      query,
      nearest: nearestOn({ getMany, query }, memory),
      queryAll: (range, most) => queryAll(session, range, most),
      write: (...steps) => write(session, steps),
      putNewer: (item, attribute) => putNewer(session, item, attribute),
      count: (key, add, set) => count(session, key, { add, ...(set && { set }) }),
      forget: (key) => deleteItem(session, key),
    };
    return meter.wrap?.(table) ?? table;
  };
}

async function getItem({ client, common, read }: Session, key: Key, options: ItemReadOptions = {}) {
  const { consistent: ConsistentRead = true, keyOnly = false } = options;
  const input = {
    ...common,
    Key: storedKey(key, client.notation),
    ConsistentRead,
    ...(keyOnly && { ProjectionExpression: KEYS }),
  };
  const { Item } = await read([key.PK], () => client.call("GetItem", input));
  return Item && itemOf(Item, client);
}

async function getItems(
  session: Session,
  keys: readonly Key[],
  options: ManyReadOptions = {},
): Promise<(Item | undefined)[]> {
  const distinct = [...new Map(keys.map((key) => [identityOf(key), key])).values()];
  const found = new Map<string, Item>();
  const perWave = KEYS_PER_BATCH * BATCHES_AT_ONCE;
  for (let wave = 0; wave < distinct.length; wave += perWave) {
    const inWave = distinct.slice(wave, wave + perWave);
    const batches: Promise<void>[] = [];
    for (let at = 0; at < inWave.length; at += KEYS_PER_BATCH) {
      batches.push(getBatch(session, inWave.slice(at, at + KEYS_PER_BATCH), options, found));
    }
    await Promise.all(batches);
  }
  return keys.map((key) => found.get(identityOf(key)));
}

/** Reads one batch into a map. What DynamoDB leaves unprocessed is requested again after a pause. */
function getBatch(
  { client, common: { TableName, ReturnConsumedCapacity }, metered, retrying }: Session,
  keys: readonly Key[],
  { consistent: ConsistentRead = true, spend }: ManyReadOptions,
  into: Map<string, Item>,
): Promise<void> {
  let Keys: readonly StoredItem[] = keys.map((key) => storedKey(key, client.notation));
  return retrying(partitionsOf(keys), async () => {
    const RequestItems = { [TableName]: { Keys, ConsistentRead } };
    const response = await metered("read", () => client.call("BatchGetItem", { RequestItems, ReturnConsumedCapacity }));
    for (const stored of response.Responses?.[TableName] ?? []) {
      const item = itemOf(stored, client);
      spend?.(item);
      into.set(identityOf(item), item);
    }
    Keys = response.UnprocessedKeys?.[TableName]?.Keys ?? [];
    if (Keys.length > 0) {
      const isThrottled = unitsOf(response) < FULL_RESPONSE_UNITS;
      throw new Unprocessed(isThrottled, partitionsOf(Keys.map((stored) => itemOf({ ...stored }, client))));
    }
  });
}

async function snapshot({ client, common, read }: Session, keys: readonly Key[]): Promise<(Item | undefined)[]> {
  const { TableName, ReturnConsumedCapacity } = common;
  if (keys.length > STEPS_PER_WRITE) throw new RangeError(`a snapshot of ${keys.length} items`);
  const TransactItems = keys.map((key) => ({ Get: { TableName, Key: storedKey(key, client.notation) } }));
  const { Responses } = await read(partitionsOf(keys), () =>
    client.call("TransactGetItems", { TransactItems, ReturnConsumedCapacity }),
  );
  return keys.map((_, at) => {
    const stored = Responses?.[at]?.Item;
    return stored && itemOf(stored, client);
  });
}

async function queryPage({ client, common, read }: Session, range: RangeQuery): Promise<Page> {
  const { PK, from = FIRST, to = LAST, after, backwards, consistent = true, keysOnly } = range;
  if (!(range.limit >= 1 && range.limit <= QUERY_LIMIT_MAX)) throw new RangeError(`limit ${range.limit}`);
  if (compareKeys(from, to) > 0) return { items: [] };
  checkKey({ PK, SK: from });
  checkKey({ PK, SK: to });
  if (after && (after.PK !== PK || compareKeys(after.SK, from) < 0 || compareKeys(after.SK, to) > 0)) {
    throw new RangeError("the key to continue after is outside the range");
  }
  const { Items = [], LastEvaluatedKey } = await read([PK], () =>
    client.call("Query", {
      ...common,
      KeyConditionExpression: "PK = :pk AND SK BETWEEN :from AND :to",
      ExpressionAttributeValues: client.notation.write({ ":pk": PK, ":from": from, ":to": to }),
      Limit: range.limit,
      ScanIndexForward: !backwards,
      ConsistentRead: consistent,
      ...(keysOnly && { ProjectionExpression: KEYS }),
      ...(after && { ExclusiveStartKey: storedKey(after, client.notation) }),
    }),
  );
  const items = Items.map((stored) => itemOf(stored, client));
  return { items, ...(LastEvaluatedKey && { next: itemOf(LastEvaluatedKey, client) }) };
}

async function queryAll(session: Session, range: RangeQuery, most = Number.POSITIVE_INFINITY): Promise<Item[]> {
  const items: Item[] = [];
  for (let after = range.after; items.length < most; ) {
    const limit = Math.min(range.limit, most - items.length);
    const page = await queryPage(session, { ...range, limit, ...(after && { after }) });
    for (const item of page.items) items.push(item);
    if (!page.next) break;
    after = page.next;
  }
  return items;
}

async function write(session: Session, steps: readonly Step[]): Promise<void> {
  if (steps.length === 0 || steps.length > STEPS_PER_WRITE) {
    throw new RangeError(`a transaction of ${steps.length} steps`);
  }
  const [only] = steps;
  // An unconditional put is idempotent: it needs no transaction, which costs twice as much.
  if (only && steps.length === 1 && only.when === "any" && "put" in only) return putItem(session, only.put);
  return transact(session, steps);
}

async function putItem({ client, common, write: send }: Session, item: Item, only: Conditional = {}): Promise<void> {
  const input = { ...common, Item: storedItem(item, client.notation), ...only };
  await send(item.PK, () => client.call("PutItem", input));
}

async function putNewer(session: Session, item: Item, attribute: string): Promise<boolean> {
  const p = placeholders(session.client.notation);
  const ConditionExpression = `attribute_not_exists(PK) OR ${p.name(attribute)} <= ${p.value(item[attribute] ?? 0)}`;
  try {
    await putItem(session, item, { ConditionExpression, ...p.used() });
    return true;
  } catch (error) {
    if (error instanceof DatabaseError && error.name === "ConditionalCheckFailedException") return false;
    throw error;
  }
}

function transact({ client, common, metered, retrying }: Session, steps: readonly Step[]): Promise<void> {
  const { TableName, ReturnConsumedCapacity } = common;
  const TransactItems = steps.map((step) => transactItem(TableName, step, client.notation));
  let ClientRequestToken = randomUUID();
  return retrying(partitionsOf(steps.map(keyOf)), async () => {
    const input = { TransactItems, ClientRequestToken, ReturnConsumedCapacity };
    try {
      await metered("write", () => client.call("TransactWriteItems", input));
    } catch (error) {
      if (!(error instanceof TransactionCancelled)) throw error;
      // Cancelled for certain: the next attempt is a new transaction. After any other failure the write may have been
      // applied, so that the token stays.
      ClientRequestToken = randomUUID();
      const { reasons } = error;
      const failed = reasons.findIndex(({ Code }) => Code === "ConditionalCheckFailed");
      const step = steps[failed];
      if (!step) throw contentionOf(contentionsIn(steps, reasons)) ?? error;
      const found = reasons[failed]?.Item;
      const outcome = step.otherwise(found && itemOf(found, client));
      if (outcome !== "applied") throw outcome;
    }
  });
}

/** What the steps say about items that another transaction is writing. */
function contentionsIn(steps: readonly Step[], reasons: readonly CancellationReason[]): readonly Error[] {
  return reasons.flatMap(({ Code }, at) => (Code === "TransactionConflict" ? (steps[at]?.contended?.() ?? []) : []));
}

async function count({ client, common, write: send }: Session, key: Key, change: UpdateParts): Promise<Item> {
  const Key = storedKey(key, client.notation);
  const p = placeholders(client.notation);
  const UpdateExpression = updateOf(change, p);
  const input = { ...common, Key, UpdateExpression, ...p.used(), ReturnValues: "ALL_NEW" } as const;
  const { Attributes = {} } = await send(key.PK, () => client.call("UpdateItem", input));
  return itemOf(Attributes, client);
}

async function deleteItem({ client, common, write: send }: Session, key: Key): Promise<void> {
  const Key = storedKey(key, client.notation);
  await send(key.PK, () => client.call("DeleteItem", { ...common, Key }));
}

function partitionsOf(keys: readonly Key[]): readonly string[] {
  return keys.map(({ PK }) => PK);
}

/** DynamoDB returns every item with its key. */
function itemOf(stored: StoredItem, { notation }: DatabaseClient): Item {
  return notation.read(stored) as Item;
}

const identityOf = ({ PK, SK }: Key): string => `${PK}\u0000${SK}`;
