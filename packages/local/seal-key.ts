/** The key under which the local service seals secrets: made once, kept beside the data that it seals. */
import { randomBytes } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { resolve } from "node:path";
import { isThere, sealKeyFileIn, tableFileIn } from "./data-directory.ts";

const KEY_BYTES = 32;

/**
 * The key in Base64, made where there is neither key nor data; so it is asked for before the database makes its file.
 * Without a data directory it is as short-lived as the data. Throws an `Error` with a sentence where there is data and its
 * key is lost: another one would open nothing of it.
 */
export async function sealKey(dataDirectory: string | undefined): Promise<string> {
  const fresh = randomBytes(KEY_BYTES).toString("base64");
  if (!dataDirectory) return fresh;
  const file = sealKeyFileIn(dataDirectory);
  const found = await read(file);
  if (found !== undefined) return found;
  if (await isThere(tableFileIn(dataDirectory))) {
    throw new Error(
      `${resolve(file)} is missing, without which the secrets in the data beside it cannot be read. Put its copy back, or ` +
        "begin anew with another DATA_DIR.",
    );
  }
  try {
    // Made or found in one step: two starts at once end with one key.
    await writeFile(file, fresh, { flag: "wx", mode: 0o600 });
    return fresh;
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
    return (await readFile(file, "utf8")).trim();
  }
}

/** The key of a service that has run here. Makes nothing; throws an `Error` with a sentence where none has. */
export async function existingSealKey(dataDirectory: string): Promise<string> {
  const found = await read(sealKeyFileIn(dataDirectory));
  if (found !== undefined) return found;
  throw new Error(
    `${resolve(dataDirectory)} holds no data of the service: set DATA_DIR to the directory that it runs on.`,
  );
}

async function read(file: string): Promise<string | undefined> {
  try {
    return (await readFile(file, "utf8")).trim();
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw error;
  }
}
