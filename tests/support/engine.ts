/** The embedded DynamoDB for tests: one process per test file, in memory, with any number of tables. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:net";
import { CreateTableCommand, DynamoDBClient, type DynamoDBClientConfig } from "@aws-sdk/client-dynamodb";
import { afterAll } from "vitest";
import { type OpenTable, openTable, type TableConfig } from "#core/table/dynamo.ts";

const BINARY = new URL("../../node_modules/@dynoxide/linux-x64/dynoxide", import.meta.url).pathname;
const START_TRIES = 5;

interface Engine {
  readonly endpoint: string;
  readonly process: ChildProcess;
}

/** A table of its own on the engine of the test file. */
export interface TestTable {
  readonly endpoint: string;
  readonly tableName: string;
  /** What an SDK client needs to reach it. */
  readonly client: DynamoDBClientConfig;
  /** The table, opened with a deadline of five seconds. */
  readonly open: OpenTable;
  /** Opens it another way: behind another request handler, with another deadline. */
  reopen(config: { readonly deadlineMs?: number; readonly client?: DynamoDBClientConfig }): OpenTable;
}

const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  if (address === null || typeof address === "string") throw new Error("no port");
  return address.port;
};

/** Starts the engine. Another process may take the free port first, so a start that fails is tried again. */
const start = async (): Promise<Engine> => {
  for (let tries = 1; ; tries += 1) {
    const port = await freePort();
    const child = spawn(BINARY, ["--host", "127.0.0.1", "--port", String(port)], { stdio: ["ignore", "pipe", "pipe"] });
    const listening = new Promise<boolean>((resolve) => {
      let said = "";
      const hear = (chunk: Buffer) => {
        said += chunk.toString();
        if (said.includes("listening on")) resolve(true);
      };
      child.stdout.on("data", hear);
      child.stderr.on("data", hear);
      child.once("exit", () => resolve(false));
    });
    if (await listening) {
      child.unref();
      return { endpoint: `http://127.0.0.1:${port}`, process: child };
    }
    if (tries === START_TRIES) throw new Error("the engine does not start");
  }
};

let engine: Promise<Engine> | undefined;
const running = (): Promise<Engine> => {
  engine ??= start().then((started) => {
    process.once("exit", () => started.process.kill("SIGKILL"));
    return started;
  });
  return engine;
};

afterAll(async () => {
  const started = await engine;
  engine = undefined;
  started?.process.kill("SIGKILL");
});

let tables = 0;

/** Makes an empty table with the keys of the real one. */
export const testTable = async (name?: string): Promise<TestTable> => {
  const { endpoint } = await running();
  tables += 1;
  const tableName = name ?? `test-${tables}`;
  const client: DynamoDBClientConfig = {
    endpoint,
    region: "eu-west-1",
    credentials: { accessKeyId: "local", secretAccessKey: "local" },
  };
  const admin = new DynamoDBClient(client);
  await admin.send(
    new CreateTableCommand({
      TableName: tableName,
      BillingMode: "PAY_PER_REQUEST",
      AttributeDefinitions: [
        { AttributeName: "PK", AttributeType: "S" },
        { AttributeName: "SK", AttributeType: "S" },
      ],
      KeySchema: [
        { AttributeName: "PK", KeyType: "HASH" },
        { AttributeName: "SK", KeyType: "RANGE" },
      ],
    }),
  );
  admin.destroy();
  const reopen: TestTable["reopen"] = (config) => {
    const opened: TableConfig = {
      tableName,
      deadlineMs: config.deadlineMs ?? 5_000,
      client: { ...client, ...config.client },
    };
    return openTable(opened);
  };
  return { endpoint, tableName, client, open: reopen({}), reopen };
};
