/**
 * Who owns a database file: `<file>.pid` beside it names the node process that opened it and the engine it started.
 *
 * A process is named by its id and the moment it began, because ids come back: in a container the same small number is
 * handed out at every start.
 */
import { execFile } from "node:child_process";
import { createHash, randomUUID } from "node:crypto";
import { renameSync, writeFileSync } from "node:fs";
import { link, readFile, rm, stat, writeFile } from "node:fs/promises";
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

/** The file belongs to a process that is alive. */
export class DataInUse extends Error {
  readonly pid: number;

  constructor(pid: number, path: string) {
    super(
      `DATA_DIR is in use by process ${pid} (${path}). Stop that process first, or set DATA_DIR to another directory.`,
    );
    this.pid = pid;
  }
}

/** A database file that belongs to this process. */
export interface Claim {
  /** Notes the engine of the file, before anything else can happen to this process. */
  record(enginePid: number): void;
  /** Gives the file free. */
  release(): Promise<void>;
}

/** Asks a process to end, insists after five seconds, and answers when it is gone. */
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
    // It is gone already, which is what was wanted.
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
 * Claims a database file (an absolute path) for this process, ending the engine of an owner that died.
 * Throws `DataInUse` when the owner is alive.
 */
export async function claimFile(file: string): Promise<Claim> {
  const path = `${file}.pid`;
  const owner: Owner = { pid: process.pid, born: (await bornOf(process.pid)) ?? "" };
  while (!(await place(path, JSON.stringify({ owner } satisfies ClaimRecord)))) {
    const text = await readOrNothing(path);
    if (text === undefined) continue;
    const found = parse(text);
    if (found && (await bornOf(found.owner.pid)) === found.owner.born) {
      throw new DataInUse(found.owner.pid, path);
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
 * Puts this process in the place of a dead owner; false when the claim is not the dead one any more, or another process
 * is doing the same. Whoever makes the file named after the dead claim is the only one that may replace that very claim.
 */
async function takeOver(path: string, dead: string, owner: Owner): Promise<boolean> {
  const right = `${path}.${createHash("sha256").update(dead).digest("hex").slice(0, 16)}`;
  if (!(await place(right, ""))) {
    // Its maker needs some microseconds. One that is old belonged to a process that died in them.
    const made = await stat(right).catch(() => undefined);
    if (made && Date.now() - made.mtimeMs > PATIENCE_MS) await rm(right, { force: true });
    return false;
  }
  try {
    if ((await readOrNothing(path)) !== dead) return false;
    const enginePid = parse(dead)?.enginePid;
    replace(path, { owner, ...(enginePid !== undefined && { enginePid }) });
    return true;
  } finally {
    await rm(right, { force: true });
  }
}

/** Writes a file whole and only where there is none; false when there is one. */
async function place(path: string, text: string): Promise<boolean> {
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

function codeOf(error: unknown): unknown {
  return error instanceof Error && "code" in error ? error.code : undefined;
}

function parse(text: string | undefined): ClaimRecord | undefined {
  try {
    const record = JSON.parse(text ?? "") as ClaimRecord;
    return Number.isInteger(record.owner.pid) ? record : undefined;
  } catch {
    return undefined;
  }
}

/** Ends the engine that a dead owner left behind. */
async function endOrphan(record: ClaimRecord | undefined, file: string): Promise<void> {
  const pid = record?.enginePid;
  if (pid !== undefined && Number.isInteger(pid) && pid > 1 && (await commandNames(pid, file))) await endProcess(pid);
}

async function commandNames(pid: number, file: string): Promise<boolean> {
  if (process.platform !== "linux") return (await ps("command", pid))?.includes(file) ?? false;
  return ((await readOrNothing(`/proc/${pid}/cmdline`)) ?? "").split("\0").includes(file);
}

/** Puts a claim in the place of the one that is there. */
function replace(path: string, record: ClaimRecord): void {
  const draft = draftOf(path);
  writeFileSync(draft, JSON.stringify(record), { mode: 0o600 });
  renameSync(draft, path);
}

function draftOf(path: string): string {
  return `${path}.${randomUUID()}`;
}

/** When a process began, or `undefined` when there is none. One that ended and waits for its parent counts as none. */
async function bornOf(pid: number): Promise<string | undefined> {
  if (process.platform !== "linux") return ps("lstart", pid);
  const stat = await readOrNothing(`/proc/${pid}/stat`);
  // proc(5): the name in parentheses may hold anything; state is the first field behind it, the start the twentieth.
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
