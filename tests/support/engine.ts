/** The embedded DynamoDB for tests: one process per test file, in memory, with any number of tables. */
import { afterAll } from "vitest";
import type { AccessOptions } from "#core/database/table/client/access.ts";
import { openDocumentClient } from "#core/database/table/client/document-client.ts";
import { type OpenTable, openTable, type TableConfig } from "#core/database/table/dynamo.ts";
import { clientFor, createTable } from "#local/database.ts";
import { type Engine, startEngine } from "#local/engine.ts";

/** A table on the engine of the test file. */
export interface TestTable {
  readonly endpoint: string;
  readonly tableName: string;
  /** How its endpoint is called, also as options of the SDK. */
  readonly client: AccessOptions;
  /** Opens the table with a deadline of five seconds. */
  readonly open: OpenTable;
  /** Returns an opener with another deadline or other options. */
  reopen(config: Partial<Pick<TableConfig, "deadlineMs" | "client" | "throttling">>): OpenTable;
}

let engine: Promise<Engine> | undefined;
const running = (): Promise<Engine> => {
  engine ??= startEngine();
  return engine;
};

afterAll(async () => {
  const started = await engine;
  engine = undefined;
  await started?.stop();
});

let tables = 0;

/** Creates an empty table with the keys of the real one. */
export const testTable = async (name?: string): Promise<TestTable> => {
  const { endpoint } = await running();
  tables += 1;
  const tableName = name ?? `test-${tables}`;
  const client = clientFor(endpoint);
  await createTable(endpoint, tableName);
  const reopen: TestTable["reopen"] = (config) => {
    const opened: TableConfig = {
      tableName,
      deadlineMs: config.deadlineMs ?? 5_000,
      client: { ...client, ...config.client },
      // Tests of the stores throttle more calls than the budget of a container lets through again (decision 0177).
      throttling: config.throttling ?? "awaited",
      ...(process.env.DATABASE_CLIENT === "document" && { openClient: openDocumentClient }),
    };
    return openTable(opened);
  };
  return { endpoint, tableName, client, open: reopen({}), reopen };
};
