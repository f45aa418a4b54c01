/** The key that seals the secrets of the local service: created once, stored with the data. */
import { randomBytes } from "node:crypto";
import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { keys } from "#core/database/table/keys.ts";
import { rowCodec, text } from "#core/database/table/row.ts";
import type { Table } from "#core/database/table/table.ts";
import { newSeal } from "#core/kernel/seal.ts";
import { codeOf, exists, sealKeyFileIn, tableFileIn } from "./data-directory.ts";
import { create } from "./file-lock.ts";

const KEY_BYTES = 32;
/** The owner and the text of the check. */
const CHECK = "seal-check";

const checkRows = rowCodec<{ readonly sealed: string }>("seal check", { sealed: text });

/**
 * The key in Base64. Creates it if there is neither key nor data, so call this before the database creates its file.
 * Without a data directory, the key is temporary like the data. Throws an `Error` with a message for users if there is
 * data without its key, because another key cannot open it.
 */
export async function sealKey(dataDirectory: string | undefined): Promise<string> {
  const fresh = randomBytes(KEY_BYTES).toString("base64");
  if (!dataDirectory) return fresh;
  const file = sealKeyFileIn(dataDirectory);
  const found = await readSealKey(dataDirectory);
  if (found !== undefined) return found;
  if (await exists(tableFileIn(dataDirectory))) {
    throw new Error(
      `${resolve(file)} is missing. Without it, the secrets in this data directory cannot be read. Restore the file from a ` +
        "backup, or set DATA_DIR to an empty directory.",
    );
  }
  // Atomic: two concurrent starts get the same key, and a crash leaves no part of one.
  if (await create(file, fresh)) return fresh;
  return (await readSealKey(dataDirectory)) ?? fresh;
}

/**
 * The stored key in Base64; `undefined` if there is none. Throws an `Error` with a message for users if it is no key.
 */
export async function readSealKey(dataDirectory: string): Promise<string | undefined> {
  const file = sealKeyFileIn(dataDirectory);
  let stored: string;
  try {
    stored = (await readFile(file, "utf8")).trim();
  } catch (error) {
    if (codeOf(error) === "ENOENT") return undefined;
    throw error;
  }
  if (Buffer.from(stored, "base64").length === KEY_BYTES) return stored;
  throw new Error(
    `${resolve(file)} is damaged: it does not contain a key of ${KEY_BYTES} bytes in Base64. Restore the file from a backup, or ` +
      "set DATA_DIR to an empty directory.",
  );
}

/**
 * Compares the key with the one that sealed the secrets of a table. A table that has not been compared yet takes this
 * key. Throws an `Error` with a message for users if they differ; `place` names the table. Up to two round trips.
 */
export async function checkSealKey(table: Table, key: string, place: string): Promise<void> {
  const seal = newSeal(Buffer.from(key, "base64"));
  const stored = await table.get(keys.sealCheck());
  if (!stored) {
    const row = { ...keys.sealCheck(), ...checkRows.write({ sealed: seal.seal(CHECK, CHECK) }) };
    const raced = () => new Error(`Another service starts on ${place} at this moment. Stop one, then try again.`);
    await table.write({ put: row, when: "absent", otherwise: raced });
    return;
  }
  try {
    seal.open(checkRows.read(stored).sealed, CHECK);
  } catch (cause) {
    throw new Error(
      `The secrets of ${place} are sealed with another key than seal.key in DATA_DIR. Restore seal.key of the ` +
        "first start from a backup of DATA_DIR, or use an empty database and DATA_DIR.",
      { cause },
    );
  }
}
