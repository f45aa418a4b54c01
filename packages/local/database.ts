/** Creates the table on any DynamoDB endpoint, as stacks/ declares it for AWS. */
import {
  CreateTableCommand,
  DescribeTimeToLiveCommand,
  DynamoDBClient,
  ResourceInUseException,
  UpdateTimeToLiveCommand,
  waitUntilTableExists,
} from "@aws-sdk/client-dynamodb";
import type { AccessOptions } from "#core/database/table/client/access.ts";

/** The attribute with the expiry of an item, in seconds since 1970. */
export const TTL_ATTRIBUTE = "expiresAtSeconds";

const ACTIVE_WITHIN_SECONDS = 60;

/**
 * How an endpoint is called, also as options of the SDK. Without AWS credentials in the environment, these are a region
 * and credentials that local databases accept.
 */
export function clientFor(endpoint: string): AccessOptions {
  return {
    endpoint,
    region: process.env.AWS_REGION ?? "us-east-1",
    ...(process.env.AWS_ACCESS_KEY_ID === undefined && process.env.AWS_PROFILE === undefined
      ? { credentials: { accessKeyId: "local", secretAccessKey: "local" } }
      : {}),
  };
}

/**
 * Creates the table if it is missing, waits until it is active, and enables expiry. Idempotent. Throws the errors of
 * the SDK, and its timeout if the table is not active within a minute.
 */
export async function createTable(endpoint: string, tableName: string): Promise<void> {
  const client = new DynamoDBClient(clientFor(endpoint));
  try {
    await create(client, tableName);
    await waitUntilTableExists({ client, maxWaitTime: ACTIVE_WITHIN_SECONDS, minDelay: 1 }, { TableName: tableName });
    await expireItems(client, tableName);
  } finally {
    client.destroy();
  }
}

async function create(client: DynamoDBClient, TableName: string): Promise<void> {
  try {
    await client.send(
      new CreateTableCommand({
        TableName,
        AttributeDefinitions: [
          { AttributeName: "PK", AttributeType: "S" },
          { AttributeName: "SK", AttributeType: "S" },
        ],
        KeySchema: [
          { AttributeName: "PK", KeyType: "HASH" },
          { AttributeName: "SK", KeyType: "RANGE" },
        ],
        BillingMode: "PAY_PER_REQUEST",
      }),
    );
  } catch (error) {
    if (!(error instanceof ResourceInUseException)) throw error;
  }
}

async function expireItems(client: DynamoDBClient, TableName: string): Promise<void> {
  const { TimeToLiveDescription: found } = await client.send(new DescribeTimeToLiveCommand({ TableName }));
  if (found?.TimeToLiveStatus === "ENABLED" || found?.TimeToLiveStatus === "ENABLING") return;
  const TimeToLiveSpecification = { AttributeName: TTL_ATTRIBUTE, Enabled: true };
  await client.send(new UpdateTimeToLiveCommand({ TableName, TimeToLiveSpecification }));
}
