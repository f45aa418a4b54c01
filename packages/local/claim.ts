/**
 * Who owns a database file: `<file>.pid` beside it names the node process that opened it and the engine it started.
 *
 * A process is named by its id and the moment it began, because ids come back: in a container the same small number is
 * handed out at every start.
 */
import { execFile } from "node:child_process";
import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { link, readFile, rename, rm, writeFile } from "node:fs/promises";
import { promisify } from "node:util";
import { pause } from "#core/platform/clock.ts";

const POLL_MS = 20;
const PATIENCE_MS = 5_000;

interface Owner {
  readonly pid: number;
  /** Opaque; differs for two processes that had the same id. */
  readonly born: string;
}

interface ClaimRecord {
  readonly owner: Owner;
  readonly enginePid?: number;
}

/** A database file that belongs to this process. */
export interface Claim {
  /** Notes the engine of the file, before anything else can happen to this process. */
  record(enginePid: number): void;
  /** Gives the file free. */
  release(): Promise<void>;
}

const ps = (column: string, pid: number): Promise<string | undefined> =>
  promisify(execFile)("ps", ["-ww", "-o", `${column}=`, "-p", String(pid)]).then(
    ({ stdout }) => stdout.trim() || undefined,
    () => undefined,
  );

const readOrNothing = (path: string): Promise<string | undefined> => readFile(path, "utf8").catch(() => undefined);

/** When a process began, or `undefined` when there is none. One that ended and waits for its parent counts as none. */
const bornOf = async (pid: number): Promise<string | undefined> => {
  if (process.platform !== "linux") return ps("lstart", pid);
  const stat = await readOrNothing(`/proc/${pid}/stat`);
  // proc(5): the name in parentheses may hold anything; state is the first field behind it, the start the twentieth.
  const fields = stat?.slice(stat.lastIndexOf(")") + 2).split(" ");
  const boot = await readOrNothing("/proc/sys/kernel/random/boot_id");
  const [state, start] = [fields?.[0], fields?.[19]];
  return !start || state === "Z" || state === "X" ? undefined : `${boot?.trim()} ${start}`;
};

const commandNames = async (pid: number, file: string): Promise<boolean> => {
  if (process.platform !== "linux") return (await ps("command", pid))?.includes(file) ?? false;
  return ((await readOrNothing(`/proc/${pid}/cmdline`)) ?? "").split("\0").includes(file);
};

const signal = (pid: number, name: "SIGTERM" | "SIGKILL"): void => {
  try {
    process.kill(pid, name);
  } catch {
    // It is gone already, which is what was wanted.
  }
};

const isGone = async (pid: number): Promise<boolean> => {
  const deadline = Date.now() + PATIENCE_MS;
  while ((await bornOf(pid)) !== undefined) {
    if (Date.now() > deadline) return false;
    await pause(POLL_MS);
  }
  return true;
};

/** Asks a process to end, insists after five seconds, and answers when it is gone. */
export const endProcess = async (pid: number): Promise<void> => {
  signal(pid, "SIGTERM");
  if (await isGone(pid)) return;
  signal(pid, "SIGKILL");
  await isGone(pid);
};

const parse = (text: string | undefined): ClaimRecord | undefined => {
  try {
    const record = JSON.parse(text ?? "") as ClaimRecord;
    return Number.isInteger(record.owner.pid) ? record : undefined;
  } catch {
    return undefined;
  }
};

/** Ends the engine that a dead owner left behind. */
const endOrphan = async (record: ClaimRecord | undefined, file: string): Promise<void> => {
  const pid = record?.enginePid;
  if (pid !== undefined && Number.isInteger(pid) && pid > 1 && (await commandNames(pid, file))) await endProcess(pid);
};

/** Writes the claim whole or not at all; false when there is one already. */
const place = async (path: string, record: ClaimRecord): Promise<boolean> => {
  const draft = `${path}.${process.pid}`;
  await writeFile(draft, JSON.stringify(record), { mode: 0o600 });
  try {
    await link(draft, path);
    return true;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "EEXIST") return false;
    throw error;
  } finally {
    await rm(draft, { force: true });
  }
};

/**
 * Claims a database file (an absolute path) for this process, ending the engine of an owner that died.
 * Throws an `Error` that names the owner when it is alive.
 */
export const claimFile = async (file: string): Promise<Claim> => {
  const path = `${file}.pid`;
  const owner: Owner = { pid: process.pid, born: (await bornOf(process.pid)) ?? "" };
  while (!(await place(path, { owner }))) {
    const text = await readOrNothing(path);
    if (text === undefined) continue;
    const found = parse(text);
    if (found && (await bornOf(found.owner.pid)) === found.owner.born) {
      throw new Error(
        `DATA_DIR is in use by process ${found.owner.pid} (${path}). Stop that process, or set DATA_DIR to another directory.`,
      );
    }
    const aside = `${path}.${process.pid}.old`;
    await rename(path, aside).catch(() => undefined);
    // Another process may have cleared up and claimed the file since it was read; then its claim goes back.
    if ((await readOrNothing(aside)) !== text) await rename(aside, path).catch(() => undefined);
    else await endOrphan(found, file);
    await rm(aside, { force: true });
  }
  return {
    record(enginePid) {
      const draft = `${path}.${process.pid}`;
      writeFileSync(draft, JSON.stringify({ owner, enginePid } satisfies ClaimRecord), { mode: 0o600 });
      renameSync(draft, path);
    },
    async release() {
      const isMine = (text: string) => parse(text)?.owner.pid === owner.pid;
      try {
        if (isMine(readFileSync(path, "utf8"))) await rm(path, { force: true });
      } catch {
        // The claim, or its whole directory, was removed already.
      }
    },
  };
};
