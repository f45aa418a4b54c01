/** The embedded DynamoDB for tests: one process per test file, in memory, with any number of tables. */
import { afterAll } from "vitest";
import type { AccessOptions } from "#core/table/client/access.ts";
import type { ClientOptions } from "#core/table/client/client.ts";
import { type OpenTable, openTable, type TableConfig } from "#core/table/dynamo.ts";
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
  reopen(config: { readonly deadlineMs?: number; readonly client?: ClientOptions }): OpenTable;
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
    };
    return openTable(opened);
  };
  return { endpoint, tableName, client, open: reopen({}), reopen };
};
