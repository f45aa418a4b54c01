/**
 * The bare handler that functions are compared with: the SDK's client, and one read of an item. It has what a function
 * on this table cannot do without.
 */
import { DynamoDBClient, GetItemCommand } from "@aws-sdk/client-dynamodb";

const { TABLE_NAME: TableName, DYNAMODB_ENDPOINT: endpoint } = process.env;
const client = new DynamoDBClient({
  requestHandler: { connectionTimeout: 1_000, requestTimeout: 2_000, socketTimeout: 2_000 },
  maxAttempts: 1,
  ...(endpoint && { endpoint }),
});

export async function handler(): Promise<object> {
  const Key = { PK: { S: "T#carbon.super#TENANT" }, SK: { S: "TENANT" } };
  const { $metadata } = await client.send(new GetItemCommand({ TableName, Key, ConsistentRead: true }));
  return { statusCode: $metadata.httpStatusCode };
}
