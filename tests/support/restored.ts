/** A service whose table is restored from a backup: raw rows, copied into another engine, under the same sealing key. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Item } from "#core/database/table/table.ts";
import { clientFor, createTable } from "#local/database.ts";
import { type Engine, startEngine } from "#local/engine.ts";
import { readSealKey } from "#local/seal-key.ts";
import { type RunningService, startService, TABLE_NAME } from "#local/service.ts";
import { loadItems } from "#tools/bench/loading.ts";
import { type WholeTable, wholeTable } from "#tools/restored/findings.ts";
import { ADMIN, type World, worldOn } from "./world.ts";

/** The name of the damaged table, next to the restored one. */
export const OLD_TABLE = "damaged";

/** A service on an engine of its own. */
export interface Served {
  readonly api: World;
  readonly engine: Engine;
  close(): Promise<void>;
}

/** The services of one test file, which share a sealing key. */
export const backups = async () => {
  const directory = await mkdtemp(join(tmpdir(), "restored-"));
  const engines: Engine[] = [];
  const services: RunningService[] = [];
  const newEngine = async (): Promise<Engine> => {
    const engine = await startEngine();
    engines.push(engine);
    return engine;
  };
  return {
    newEngine,
    sealKey: async () => (await readSealKey(directory)) ?? "",
    /** Starts the service; on the port of an earlier one it has the same issuer. */
    async serve(engine: Engine, port = 0): Promise<Served> {
      const settings = {
        port,
        mtlsPort: undefined,
        dataDirectory: directory,
        administrator: ADMIN,
        endpoint: engine.endpoint,
        deploymentFile: undefined,
      };
      const service = await startService(settings);
      services.push(service);
      return {
        api: worldOn(() => service),
        engine,
        close: async () => {
          services.splice(services.indexOf(service), 1);
          await service.close();
        },
      };
    },
    async close() {
      for (const service of services) await service.close();
      for (const engine of engines) await engine.stop();
      await rm(directory, { recursive: true, force: true });
    },
  };
};

/** A whole table of an engine. */
export const tableIn = ({ endpoint }: Engine, tableName = TABLE_NAME, rowsPerPage?: number): WholeTable =>
  wholeTable({ tableName, deadlineMs: 20_000, client: clientFor(endpoint) }, rowsPerPage);

/** All rows of a table, as a backup has them. */
export const rowsIn = async (engine: Engine, tableName = TABLE_NAME): Promise<Item[]> => {
  const table = tableIn(engine, tableName);
  const rows: Item[] = [];
  for (let page = await table.page(undefined); ; page = await table.page(page.next)) {
    rows.push(...page.items);
    if (!page.next) break;
  }
  table.close();
  return rows;
};

/** Restores rows into a new table. */
export const restoreInto = async (
  { endpoint }: Engine,
  rows: readonly Item[],
  tableName = TABLE_NAME,
): Promise<void> => {
  await createTable(endpoint, tableName);
  await loadItems(endpoint, tableName, "restored", rows.length, rows);
};
