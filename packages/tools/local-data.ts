/** The data of a local service that is stopped, for commands that work on it instead of a deployment. */
import { resolve } from "node:path";
import type { TableConfig } from "#core/database/table/dynamo.ts";
import { exists, tableFileIn } from "../local/data-directory.ts";
import { clientFor } from "../local/database.ts";
import { type Engine, startEngine } from "../local/engine.ts";
import { readSealKey } from "../local/seal-key.ts";
import { TABLE_NAME } from "../local/service.ts";
import { readSettings } from "../local/settings.ts";

/** Opened data. */
export interface LocalData {
  readonly config: Pick<TableConfig, "tableName" | "client">;
  readonly sealKey: Buffer;
  close(): Promise<void>;
}

/**
 * Opens the data directory of the settings, or the database that they name. Creates no data. Throws an `Error` with a
 * message for users.
 */
export async function openLocalData(environment: NodeJS.ProcessEnv): Promise<LocalData> {
  const { endpoint, dataDirectory } = readSettings(environment);
  if (!dataDirectory) throw new Error("DATA_DIR is :memory:, which stores nothing. Set DATA_DIR to a data directory.");
  const key = await readSealKey(dataDirectory);
  if (key === undefined) {
    const directory = resolve(dataDirectory);
    throw new Error(`${directory} has no data of the service. Set DATA_DIR to the data directory of the service.`);
  }
  const engine = endpoint ? undefined : await openData(dataDirectory);
  return {
    config: { tableName: TABLE_NAME, client: clientFor(engine?.endpoint ?? endpoint ?? "") },
    sealKey: Buffer.from(key, "base64"),
    close: async () => engine?.stop(),
  };
}

/** Starts an engine on the data of a local service. */
async function openData(dataDirectory: string): Promise<Engine> {
  const dataFile = tableFileIn(dataDirectory);
  if (!(await exists(dataFile))) {
    throw new Error(`${resolve(dataFile)} does not exist. Set DATA_DIR to the data directory of the service.`);
  }
  return startEngine({ dataFile });
}
