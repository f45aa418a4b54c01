/**
 * Finds damage in the file of the embedded database before the engine opens it: the engine would start, and fail or
 * lose data later.
 */
import { stat } from "node:fs/promises";
import { DatabaseSync } from "node:sqlite";
import { codeOf } from "./data-directory.ts";

/** SQLITE_CORRUPT and SQLITE_NOTADB. */
const DAMAGED: readonly unknown[] = [11, 26];

/**
 * Reads the whole file and its write-ahead log; changes neither. Throws an `Error` with a message for users if the file
 * is damaged or empty. A missing file is not damaged, and other failures are left to the engine.
 */
export async function checkDataFile(file: string): Promise<void> {
  const size = await sizeOf(file);
  if (size === undefined) return;
  // A log, or the journal of a first start that was killed, has what the file lacks.
  const isAlone = !(await sizeOf(`${file}-wal`)) && !(await sizeOf(`${file}-journal`));
  const damage = isAlone && size === 0 ? "it is empty" : damageIn(file, isAlone ? size : undefined);
  if (damage === undefined) return;
  throw new Error(
    `The database ${file} is damaged: ${damage}. Restore the whole data directory from a backup, or set DATA_DIR to an ` +
      "empty directory.",
  );
}

async function sizeOf(file: string): Promise<number | undefined> {
  try {
    return (await stat(file)).size;
  } catch (error) {
    if (codeOf(error) === "ENOENT") return undefined;
    throw error;
  }
}

function damageIn(file: string, size: number | undefined): string | undefined {
  let database: DatabaseSync | undefined;
  try {
    database = new DatabaseSync(file, { readOnly: true });
    const pageBytes = Number(database.prepare("PRAGMA page_size").get()?.page_size);
    if (size !== undefined && size % pageBytes !== 0) return "its last page is cut off";
    return damageOf(database);
  } catch (error) {
    return error instanceof Error && "errcode" in error && DAMAGED.includes(error.errcode) ? error.message : undefined;
  } finally {
    database?.close();
  }
}

/** Damaged pages and indexes, and items that are not JSON: SQLite has no checksums of what it stores. */
function damageOf(database: DatabaseSync): string | undefined {
  const found = Object.values(database.prepare("PRAGMA integrity_check(1)").get() ?? {})[0];
  if (found !== "ok") return String(found).replace(/^\*\*\*.*\*\*\*\n/, "");
  const tables = database
    .prepare(
      "SELECT t.name FROM sqlite_schema t, pragma_table_info(t.name) c WHERE t.type = 'table' AND c.name = 'item_json'",
    )
    .all();
  for (const { name } of tables) {
    const quoted = `"${String(name).replaceAll('"', '""')}"`;
    const odd = database.prepare(`SELECT pk FROM ${quoted} WHERE NOT json_valid(item_json) LIMIT 1`).get();
    if (odd) return "an item is not JSON";
  }
  return undefined;
}
