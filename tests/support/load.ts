/** Loading many items at once into the table of a running service that nobody else writes to. */
import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { BatchWriteCommand, DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import type { Item } from "#core/table/table.ts";
import { clientFor } from "#local/database.ts";
import type { RunningService } from "#local/service.ts";

const ITEMS_PER_BATCH = 25;
const BATCHES_AT_ONCE = 8;

/** Writes items without conditions. */
export const loadInto = async ({ endpoint, tableName }: RunningService, items: Iterable<Item>): Promise<void> => {
  const documents = DynamoDBDocumentClient.from(new DynamoDBClient(clientFor(endpoint)));
  const requests = [...items].map((item) => ({ PutRequest: { Item: { ...item } } }));
  const writer = async (): Promise<void> => {
    while (requests.length > 0) {
      const RequestItems = { [tableName]: requests.splice(-ITEMS_PER_BATCH) };
      const { UnprocessedItems = {} } = await documents.send(new BatchWriteCommand({ RequestItems }));
      requests.push(...((UnprocessedItems[tableName] ?? []) as typeof requests));
    }
  };
  await Promise.all(Array.from({ length: BATCHES_AT_ONCE }, writer));
  documents.destroy();
};
