/** The key that seals the secrets of the local service: created once, stored with the data. */
import { randomBytes } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { resolve } from "node:path";
import { codeOf, exists, sealKeyFileIn, tableFileIn } from "./data-directory.ts";

const KEY_BYTES = 32;

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
  try {
    // Atomic: two concurrent starts get the same key.
    await writeFile(file, fresh, { flag: "wx", mode: 0o600 });
    return fresh;
  } catch (error) {
    if (codeOf(error) !== "EEXIST") throw error;
    return (await readFile(file, "utf8")).trim();
  }
}

/** The stored key in Base64; `undefined` if there is none. */
export async function readSealKey(dataDirectory: string): Promise<string | undefined> {
  try {
    return (await readFile(sealKeyFileIn(dataDirectory), "utf8")).trim();
  } catch (error) {
    if (codeOf(error) === "ENOENT") return undefined;
    throw error;
  }
}
