/** Loads many items into a table, with a progress bar. */
import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { BatchWriteCommand, DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import { SingleBar } from "cli-progress";
import type { Item } from "#core/table/table.ts";
import { clientFor } from "../../local/database.ts";

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
