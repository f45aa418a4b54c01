/** The table's shape on any DynamoDB endpoint, as stacks/ declares it for AWS. */
import {
  CreateTableCommand,
  DescribeTimeToLiveCommand,
  DynamoDBClient,
  type DynamoDBClientConfig,
  ResourceInUseException,
  UpdateTimeToLiveCommand,
  waitUntilTableExists,
} from "@aws-sdk/client-dynamodb";

/** The attribute that says, in seconds since 1970, when DynamoDB may remove an item. */
export const TTL_ATTRIBUTE = "expiresAtSeconds";

const ACTIVE_WITHIN_SECONDS = 60;

/**
 * How the SDK reaches an endpoint from a machine without an AWS account: a region and credentials that stand-ins accept.
 * Where the environment holds credentials, those are used.
 */
export function clientFor(endpoint: string): DynamoDBClientConfig {
  return {
    endpoint,
    region: process.env.AWS_REGION ?? "us-east-1",
    ...(process.env.AWS_ACCESS_KEY_ID === undefined && process.env.AWS_PROFILE === undefined
      ? { credentials: { accessKeyId: "local", secretAccessKey: "local" } }
      : {}),
  };
}

/**
 * Makes sure that the table exists, is active and lets items expire. Changes nothing in a table that is there.
 * Throws the SDK's errors, and its timeout when the table is not active within a minute.
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
