/** Rows of data sets and their indexes, and how they come into a table. */
import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { BatchWriteCommand, DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import { SingleBar } from "cli-progress";
import { type ApplicationEntry, applicationKind } from "#core/applications/registry/application-rows.ts";
import { recordOf } from "#core/applications/registry/index-rows.ts";
import type { Application } from "#core/applications/registry/model.ts";
import { applicationStore } from "#core/applications/registry/store.ts";
import { completing } from "#core/database/table/applications-index-rows.ts";
import { openTable } from "#core/database/table/dynamo.ts";
import { keys, type NameListKeys } from "#core/database/table/keys.ts";
import { loggedLayout } from "#core/database/table/logged-index/inspect.ts";
import { newMeter } from "#core/database/table/meter.ts";
import { type Entry, layout } from "#core/database/table/name-index/items.ts";
import { wideLayout } from "#core/database/table/name-index/wide-layout.ts";
import type { Item } from "#core/database/table/table.ts";
import { recordText } from "#core/database/table/value-index/columns.ts";
import { columnLayout, layout as valueLayout } from "#core/database/table/value-index/layout.ts";
import { pairOf, pairText } from "#core/database/table/value-index/pair.ts";
import { foundingIndexes } from "#core/directory/users/index-rows.ts";
import type { User } from "#core/directory/users/model.ts";
import { attributeOf, pairsOf } from "#core/directory/users/pairs.ts";
import { SUPER_TENANT } from "#core/kernel/domain/tenant.ts";
import { compareText } from "#core/kernel/text-order.ts";
import { clientFor } from "../../local/database.ts";
import type { RunningService } from "../../local/service.ts";

const ITEMS_PER_BATCH = 25;
const BATCHES_AT_ONCE = 8;

/** Writes items without conditions, for a table without other writers. `count` is the total of the progress bar. */
export async function loadItems(
  endpoint: string,
  tableName: string,
  title: string,
  count: number,
  items: Iterable<Item>,
): Promise<void> {
  const documents = DynamoDBDocumentClient.from(new DynamoDBClient(clientFor(endpoint)), {
    marshallOptions: { removeUndefinedValues: true },
  });
  const bar = new SingleBar({
    format: `${title} {bar} {value}/{total}`,
    clearOnComplete: true,
    stream: process.stderr,
  });
  bar.start(count, 0);
  const source = items[Symbol.iterator]();
  const nextBatch = (): Item[] => {
    const batch: Item[] = [];
    while (batch.length < ITEMS_PER_BATCH) {
      const { value, done } = source.next();
      if (done) break;
      batch.push(value);
    }
    return batch;
  };
  const writer = async (): Promise<void> => {
    for (let batch = nextBatch(); batch.length > 0; batch = nextBatch()) {
      let requests = { [tableName]: batch.map((item) => ({ PutRequest: { Item: { ...item } } })) };
      while (Object.keys(requests).length > 0) {
        const { UnprocessedItems } = await documents.send(new BatchWriteCommand({ RequestItems: requests }));
        requests = (UnprocessedItems ?? {}) as typeof requests;
      }
      bar.increment(batch.length);
    }
  };
  await Promise.all(Array.from({ length: BATCHES_AT_ONCE }, writer));
  bar.stop();
  documents.destroy();
}

/** An index that grew to so many names has wide ranges. */
const WIDE_FROM = 50_000;

/** The rows of an index as it would be had these names come one by one. The entries must be in order. */
export function layoutOf(keys: NameListKeys, entries: readonly Entry[]): Iterable<Item> {
  return entries.length < WIDE_FROM ? layout(keys, entries) : wideLayout(keys, entries);
}

/** Where users are, and which of their attributes have an index. */
interface IndexedUsers {
  readonly tenant: string;
  readonly userStore: string;
  readonly attributes: readonly string[];
  /** Called for each attribute. */
  readonly users: () => Iterable<User>;
}

/** The rows of complete indexes. */
export function* indexItems({ tenant, userStore, attributes, users }: IndexedUsers): Generator<Item, void> {
  for (const step of foundingIndexes(tenant, userStore, attributes)) if ("put" in step) yield step.put;
  for (const name of attributes) {
    const attribute = attributeOf(name);
    if (!attribute) throw new Error(`${name} cannot have an index`);
    const texts: string[] = [];
    let several = 0;
    for (const user of users()) {
      const pairs = pairsOf(attribute, user);
      if (pairs.length > 1) several += 1;
      for (const pair of pairs) texts.push(pairText(pair));
    }
    texts.sort(compareText);
    const own = keys.userValues(tenant, userStore, name);
    const pairs = texts.map(pairOf);
    yield* attribute.kind === "time" ? loggedLayout(own, pairs) : valueLayout(own, pairs, several);
  }
}

/** The rows of the complete index of the applications of a tenant. */
export function applicationIndexItems(tenant: string, applications: readonly Application[]): Iterable<Item> {
  return recordItems(
    tenant,
    applications.map((one) => applicationKind.entryOf(one, 1)),
  );
}

/** The same by their entries. */
function* recordItems(tenant: string, entries: readonly ApplicationEntry[]): Generator<Item, void> {
  const texts = entries.map((entry) => recordText(recordOf(entry)));
  const state = completing(tenant, true);
  if ("put" in state) yield state.put;
  yield* columnLayout(keys.applicationColumns(tenant), texts.sort(compareText));
}

const DEADLINE_MS = 9_000;
const ROWS_PER_PAGE = 1_000;

/** Makes the index hold the applications of the super tenant that are there. No other writer may be active. */
export async function loadIndex({ endpoint, tableName }: RunningService): Promise<void> {
  const table = openTable({ tableName, deadlineMs: DEADLINE_MS, client: clientFor(endpoint) })(newMeter());
  const entries = await applicationStore(table).entries(SUPER_TENANT);
  const { ranges } = keys.applicationColumns(SUPER_TENANT);
  for (const row of await table.queryAll({ PK: ranges, limit: ROWS_PER_PAGE })) await table.forget(row);
  await loadItems(endpoint, tableName, "index", 0, recordItems(SUPER_TENANT, entries));
}
