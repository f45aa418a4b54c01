/** A table as the command sees it: its rows page by page, and what AWS says of its origin. */
import { DescribeTableCommand, DynamoDBClient, ScanCommand } from "@aws-sdk/client-dynamodb";
import { marshall, unmarshall } from "@aws-sdk/util-dynamodb";
import { openTable, type TableConfig } from "#core/table/dynamo.ts";
import { newMeter } from "#core/table/meter.ts";
import type { Item, Key, Table } from "#core/table/table.ts";

/** So many rows of a page are compared and changed before the progress is stored. */
const ROWS_PER_PAGE = 500;
const ATTEMPTS = 10;

/** Rows in the order of the table. */
export interface RowPage {
  readonly items: readonly Item[];
  /** The key to continue after; absent at the end. */
  readonly next?: Key;
}

/** What AWS says of a table that a backup was restored into. */
export interface Origin {
  readonly restoredToMs: number;
  readonly isInProgress: boolean;
}

/** A whole table. */
export interface WholeTable {
  readonly name: string;
  readonly table: Table;
  /** The rows after a key, as they are now. */
  page(after: Key | undefined): Promise<RowPage>;
  /** Where it was restored from; `undefined` for a table that was created otherwise. Throws where there is none. */
  origin(): Promise<Origin | undefined>;
  close(): void;
}

/** Opens a table. */
export function wholeTable(config: TableConfig, rowsPerPage = ROWS_PER_PAGE): WholeTable {
  const { tableName: TableName } = config;
  const client = new DynamoDBClient({ maxAttempts: ATTEMPTS, ...config.client });
  return {
    name: TableName,
    table: openTable(config)(newMeter()),
    async page(after) {
      const { Items = [], LastEvaluatedKey } = await client.send(
        new ScanCommand({
          TableName,
          ConsistentRead: true,
          Limit: rowsPerPage,
          ...(after && { ExclusiveStartKey: marshall({ PK: after.PK, SK: after.SK }) }),
        }),
      );
      return {
        items: Items.map((item) => unmarshall(item) as Item),
        ...(LastEvaluatedKey && { next: unmarshall(LastEvaluatedKey) as Item }),
      };
    },
    async origin() {
      const { Table: found } = await client.send(new DescribeTableCommand({ TableName }));
      const { RestoreDateTime, RestoreInProgress = false } = found?.RestoreSummary ?? {};
      return RestoreDateTime && { restoredToMs: RestoreDateTime.getTime(), isInProgress: RestoreInProgress };
    },
    close: () => client.destroy(),
  };
}
