/** DATA_DIR: what lies in it, and making it. */
import { constants } from "node:fs";
import { access, mkdir, stat } from "node:fs/promises";
import { dirname, join } from "node:path";

/** The file of the embedded database. */
export function tableFileIn(directory: string): string {
  return join(directory, "table.sqlite");
}

/** The file with the key that seals secrets. */
export function sealKeyFileIn(directory: string): string {
  return join(directory, "seal.key");
}

/** Whether there is something of that name. */
export function isThere(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}

/**
 * Makes a directory for its owner alone, and those above it. Throws the errors of the file system.
 * Node's own recursive mkdir never ends below a file system that makes no directories, such as /proc.
 */
export async function makeDirectory(directory: string): Promise<void> {
  try {
    await mkdir(directory, { mode: 0o700 });
  } catch (error) {
    const parent = dirname(directory);
    if (codeOf(error) === "EEXIST" && (await stat(directory)).isDirectory()) return;
    if (codeOf(error) !== "ENOENT" || parent === directory || (await isThere(parent))) throw error;
    await makeDirectory(parent);
    await makeDirectory(directory);
  }
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && "code" in error ? error.code : undefined;
}

/** Makes sure that DATA_DIR is there and can be used. Throws an `Error` with a sentence for people. */
export async function openDirectory(directory: string): Promise<void> {
  try {
    await makeDirectory(directory);
    await access(directory, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new Error(`DATA_DIR "${directory}" cannot be used: ${reason}`, { cause });
  }
}
