/**
 * Records changes (decision 0082): a table for one request that adds to each transaction the records of the resources
 * that it changes. Stores write as before: what a row was is known from the reads of the request, and the condition of
 * the write ensures that it still is. So every change has its record, and what was refused has no record.
 */
import { loadedOnce } from "../platform/later.ts";
import type { Page, Table } from "../table/table.ts";
import { newRowMemory } from "./memory.ts";
import type { Recording } from "./recorder.ts";

const recorderModule = loadedOnce(() => import("./recorder.ts"));

/** Opens the recording table of one request. */
export function recording(table: Table, given: Recording): Table {
  const memory = newRowMemory();
  let opened: Promise<ReturnType<typeof import("./recorder.ts").recorder>> | undefined;
  return {
    ...table,
    get: async (key, options) => memory.remember(key, await table.get(key, options), options?.keyOnly),
    async getMany(keys, options) {
      const items = await table.getMany(keys, options);
      // Candidates of a list are many, and no change is based on them.
      return options?.spend ? items : memory.rememberAll(keys, items);
    },
    snapshot: async (keys) => memory.rememberAll(keys, await table.snapshot(keys)),
    query: async (range): Promise<Page> => {
      const page = await table.query(range);
      for (const item of page.items) memory.remember(item, item);
      return page;
    },
    async write(...steps) {
      opened ??= recorderModule().then(({ recorder }) => recorder(table, memory, given));
      await (await opened)(steps);
    },
  };
}
