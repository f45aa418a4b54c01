/** The data directory of the local service (DATA_DIR). */
import { randomUUID } from "node:crypto";
import { constants } from "node:fs";
import { access, mkdir, rm, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";

/** What a start writes at most: the first data, its log, and certificates. */
const SPACE_BYTES = 2 ** 20;
const DISK_FULL: readonly unknown[] = ["ENOSPC", "EDQUOT"];

/** The file of the embedded database. */
export function tableFileIn(directory: string): string {
  return join(directory, "table.sqlite");
}

/** The file of the key that seals secrets. */
export function sealKeyFileIn(directory: string): string {
  return join(directory, "seal.key");
}

/** Whether a file or directory exists. */
export function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}

/**
 * Creates a directory for its owner only, and its parents. Throws the errors of the file system.
 * Node's own recursive mkdir never ends in file systems without mkdir, such as /proc.
 */
export async function makeDirectory(directory: string): Promise<void> {
  try {
    await mkdir(directory, { mode: 0o700 });
  } catch (error) {
    const parent = dirname(directory);
    if (codeOf(error) === "EEXIST" && (await stat(directory)).isDirectory()) return;
    if (codeOf(error) !== "ENOENT" || parent === directory || (await exists(parent))) throw error;
    await makeDirectory(parent);
    await makeDirectory(directory);
  }
}

/** The code of a system error, for example `ENOENT`. */
export function codeOf(error: unknown): unknown {
  return error instanceof Error && "code" in error ? error.code : undefined;
}

/**
 * Creates the data directory, and checks its permissions and that its disk has space. Throws an `Error` with a message
 * for users.
 */
export async function openDirectory(directory: string): Promise<void> {
  try {
    await makeDirectory(directory);
    await access(directory, constants.R_OK | constants.W_OK | constants.X_OK);
    await tryWriting(directory);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    const advice = DISK_FULL.includes(codeOf(cause))
      ? `Its disk is full, or a quota is used up: the service needs ${SPACE_BYTES / 2 ** 20} MB to start. Free space there, or set DATA_DIR to another disk.`
      : "Set DATA_DIR to a directory that this user can write to.";
    throw new Error(`Cannot use DATA_DIR "${directory}": ${reason}. ${advice}`, { cause });
  }
}

/** Writes a file and removes it: only this finds a full disk, a quota and a read-only file system alike. */
async function tryWriting(directory: string): Promise<void> {
  const path = join(directory, `.space-${randomUUID()}`);
  try {
    await writeFile(path, Buffer.alloc(SPACE_BYTES), { flag: "wx", mode: 0o600, flush: true });
  } finally {
    await rm(path, { force: true });
  }
}
