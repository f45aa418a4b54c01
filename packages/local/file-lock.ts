/**
 * The lock of a database file: `<file>.pid` names the node process that opened the file, and the engine that it
 * started.
 *
 * A process is identified by its id and start time, because operating systems reuse ids: in a container, every start
 * may have the same small id.
 */
import { execFile } from "node:child_process";
import { createHash, randomUUID } from "node:crypto";
import { renameSync, writeFileSync } from "node:fs";
import { link, readFile, rm, stat, writeFile } from "node:fs/promises";
import { promisify } from "node:util";
import { pause } from "#core/kernel/clock.ts";
import { codeOf } from "./data-directory.ts";

const POLL_MS = 20;
const PATIENCE_MS = 5_000;

interface Owner {
  readonly pid: number;
  /** The start time, opaque: differs for two processes with the same id. */
  readonly born: string;
}

interface LockRecord {
  readonly owner: Owner;
  readonly enginePid?: number;
}

/** A database file that this process has locked. */
export interface FileLock {
  /** Records the engine of the file. Synchronous, so that a crash cannot leave an unrecorded engine. */
  record(enginePid: number): void;
  /** Removes the lock. */
  release(): Promise<void>;
}

/** Stops a process: SIGTERM, and SIGKILL after five seconds. Resolves after its end. */
export async function endProcess(pid: number): Promise<void> {
  signal(pid, "SIGTERM");
  if (await isGone(pid)) return;
  signal(pid, "SIGKILL");
  await isGone(pid);
}

function signal(pid: number, name: "SIGTERM" | "SIGKILL"): void {
  try {
    process.kill(pid, name);
  } catch {
    // It has already ended.
  }
}

async function isGone(pid: number): Promise<boolean> {
  const deadline = Date.now() + PATIENCE_MS;
  while ((await bornOf(pid)) !== undefined) {
    if (Date.now() > deadline) return false;
    await pause(POLL_MS);
  }
  return true;
}

/**
 * Locks a database file (an absolute path) for this process. Stops the engine of an owner that died.
 * Throws an `Error` with a message for users while the owner is running.
 */
export async function lockFile(file: string): Promise<FileLock> {
  const path = `${file}.pid`;
  const owner: Owner = { pid: process.pid, born: (await bornOf(process.pid)) ?? "" };
  while (!(await create(path, JSON.stringify({ owner } satisfies LockRecord)))) {
    const text = await readOrNothing(path);
    if (text === undefined) continue;
    const found = parse(text);
    if (found && (await bornOf(found.owner.pid)) === found.owner.born) {
      const { pid } = found.owner;
      throw new Error(`Process ${pid} is using this data directory. Stop it, then try again. (Lock file: ${path})`);
    }
    if (await takeOver(path, text, owner)) {
      await endOrphan(found, file);
      break;
    }
    await pause(POLL_MS);
  }
  return {
    record: (enginePid) => replace(path, { owner, enginePid }),
    async release() {
      const mine = parse(await readOrNothing(path))?.owner;
      if (mine?.pid === owner.pid && mine.born === owner.born) await rm(path, { force: true });
    },
  };
}

/**
 * Takes over the lock of a dead owner. Returns false if the lock has changed, or another process is taking it over.
 * Only the process that creates the file named after the dead lock may replace that lock.
 */
async function takeOver(path: string, dead: string, owner: Owner): Promise<boolean> {
  const permit = `${path}.${createHash("sha256").update(dead).digest("hex").slice(0, 16)}`;
  if (!(await create(permit, ""))) {
    // Its creator needs it for microseconds. An old one belongs to a process that died in that time.
    const made = await stat(permit).catch(() => undefined);
    if (made && Date.now() - made.mtimeMs > PATIENCE_MS) await rm(permit, { force: true });
    return false;
  }
  try {
    if ((await readOrNothing(path)) !== dead) return false;
    const enginePid = parse(dead)?.enginePid;
    replace(path, { owner, ...(enginePid !== undefined && { enginePid }) });
    return true;
  } finally {
    await rm(permit, { force: true });
  }
}

/** Creates a file atomically, with its text. Returns false if it exists. */
export async function create(path: string, text: string): Promise<boolean> {
  const draft = draftOf(path);
  await writeFile(draft, text, { mode: 0o600 });
  try {
    await link(draft, path);
    return true;
  } catch (error) {
    if (codeOf(error) === "EEXIST") return false;
    throw error;
  } finally {
    await rm(draft, { force: true });
  }
}

function parse(text: string | undefined): LockRecord | undefined {
  try {
    const record = JSON.parse(text ?? "") as LockRecord;
    return Number.isInteger(record.owner.pid) ? record : undefined;
  } catch {
    return undefined;
  }
}

/** Stops the engine that a dead owner left running. */
async function endOrphan(record: LockRecord | undefined, file: string): Promise<void> {
  const pid = record?.enginePid;
  if (pid !== undefined && Number.isInteger(pid) && pid > 1 && (await commandNames(pid, file))) await endProcess(pid);
}

async function commandNames(pid: number, file: string): Promise<boolean> {
  if (process.platform !== "linux") return (await ps("command", pid))?.includes(file) ?? false;
  return ((await readOrNothing(`/proc/${pid}/cmdline`)) ?? "").split("\0").includes(file);
}

/** Replaces the lock. */
function replace(path: string, record: LockRecord): void {
  const draft = draftOf(path);
  writeFileSync(draft, JSON.stringify(record), { mode: 0o600 });
  renameSync(draft, path);
}

function draftOf(path: string): string {
  return `${path}.${randomUUID()}`;
}

/** The start of a process; `undefined` if there is no such process, or it is a zombie. */
export async function bornOf(pid: number): Promise<string | undefined> {
  if (process.platform !== "linux") return ps("lstart", pid);
  const stat = await readOrNothing(`/proc/${pid}/stat`);
  // proc(5): the name in parentheses may contain any character. State is the first field after it, start time the 20th.
  const fields = stat?.slice(stat.lastIndexOf(")") + 2).split(" ");
  const boot = await readOrNothing("/proc/sys/kernel/random/boot_id");
  const [state, start] = [fields?.[0], fields?.[19]];
  return !start || state === "Z" || state === "X" ? undefined : `${boot?.trim()} ${start}`;
}

function readOrNothing(path: string): Promise<string | undefined> {
  return readFile(path, "utf8").catch(() => undefined);
}

function ps(column: string, pid: number): Promise<string | undefined> {
  return promisify(execFile)("ps", ["-ww", "-o", `${column}=`, "-p", String(pid)]).then(
    ({ stdout }) => stdout.trim() || undefined,
    () => undefined,
  );
}
