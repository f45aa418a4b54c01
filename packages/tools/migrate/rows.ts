/** The rows of a whole table, in segments, and the one write of a migration. */
import { isDeepStrictEqual } from "node:util";
import {
  ConditionalCheckFailedException,
  DynamoDBClient,
  ScanCommand,
  UpdateItemCommand,
} from "@aws-sdk/client-dynamodb";
import { marshall, unmarshall } from "@aws-sdk/util-dynamodb";
import { fromStored } from "#core/table/client/values.ts";
import type { TableConfig } from "#core/table/dynamo.ts";
import { transactItem } from "#core/table/expressions.ts";
import { SHAPE } from "#core/table/row.ts";
import type { Item, Key, Step, Value } from "#core/table/table.ts";
import type { VersionedKind } from "./kinds.ts";

/** Rows of one segment. */
export interface RowPage {
  readonly items: readonly Item[];
  /** The key to continue after; absent at the end. */
  readonly next?: Key;
}

/** The result of a rewrite: the row as it is now, where another writer came first. */
export type Rewrite = "rewritten" | { readonly found: Item | undefined };

/** A table, as a migration uses it. All methods throw the errors of DynamoDB after its retries. */
export interface Rows {
  page(segment: number, segments: number, after: Key | undefined, limit: number): Promise<RowPage>;
  /** Brings a row to the version that is written, unless it has changed since it was read. */
  rewrite(item: Item, kind: VersionedKind): Promise<Rewrite>;
  close(): void;
}

const ATTEMPTS = 10;

/** Opens the rows of a table. */
export function openRows({ tableName: TableName, client: options }: TableConfig): Rows {
  const client = new DynamoDBClient({ maxAttempts: ATTEMPTS, ...options });
  return {
    async page(Segment, TotalSegments, after, Limit) {
      const { Items = [], LastEvaluatedKey } = await client.send(
        new ScanCommand({
          TableName,
          Segment,
          TotalSegments,
          Limit,
          ConsistentRead: true,
          ...(after && { ExclusiveStartKey: marshall({ PK: after.PK, SK: after.SK }) }),
        }),
      );
      const next = LastEvaluatedKey && (unmarshall(LastEvaluatedKey) as Item);
      return {
        items: Items.map((item) => unmarshall(item) as Item),
        ...(next && { next: { PK: next.PK, SK: next.SK } }),
      };
    },
    async rewrite(item, kind) {
      // A transaction of one step would cost twice as much.
      const { Update } = transactItem(TableName, rewriting(item, kind));
      if (!Update?.UpdateExpression) throw new Error(`nothing of the ${kind.name} row changes`);
      const { Key, ExpressionAttributeValues = {}, ...rest } = Update;
      const values = marshall(fromStored(ExpressionAttributeValues));
      const input = { ...rest, Key: marshall(fromStored(Key)), ExpressionAttributeValues: values };
      try {
        await client.send(new UpdateItemCommand(input));
        return "rewritten";
      } catch (error) {
        if (!(error instanceof ConditionalCheckFailedException)) throw error;
        return { found: error.Item && (unmarshall(error.Item) as Item) };
      }
    },
    close: () => client.destroy(),
  };
}

/**
 * Sets what the new version changes, and nothing else, on the condition that the row is as it was read: no attribute
 * has another value, and none has come that either version knows.
 */
export function rewriting({ PK, SK, ...before }: Item, { codec }: VersionedKind): Step {
  const after = codec.rewritten({ PK, SK, ...before });
  const set = Object.fromEntries(
    Object.entries(after).filter(([name, value]) => !isDeepStrictEqual(value, before[name])),
  );
  const known = [...new Set([...codec.attributes, ...Object.keys(after), SHAPE])];
  return {
    change: { PK, SK },
    set,
    clear: Object.keys(before).filter((name) => !Object.hasOwn(after, name)),
    when: {
      equal: before as Readonly<Record<string, Value>>,
      lacking: known.filter((name) => !Object.hasOwn(before, name)),
    },
    otherwise: () => new Error("the row has changed"),
  };
}
