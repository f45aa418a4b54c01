/** Servers as processes, and their processor time. Linux only: it reads `/proc`. */
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { createInterface } from "node:readline";

/** A server that runs in processes of its own. */
export interface ServerProcess {
  /** The text that the pattern of readiness captured. */
  readonly ready: string;
  /** Milliseconds of processor time, user and system, of the process and those that it has started. */
  cpuMs(): number;
  /** The most memory that each of the processes has had (`VmHWM`), in MB, by the name of its program. */
  memoryMb(): ReadonlyMap<string, number>;
  /** Its exit code, when it has ended. */
  readonly ended: Promise<number | null>;
  stop(): Promise<void>;
}

/** How to start a server. */
export interface Start {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd?: string;
  readonly environment?: Readonly<Record<string, string>>;
  /** What a line of its output has when it accepts requests. */
  readonly ready: RegExp;
  /** Called with each further line of its error stream. */
  readonly onLine?: (line: string) => void;
}

const READY_WITHIN_MS = 300_000;
const OUTPUT_CHARACTERS = 4_000;
/** Fields of `/proc/<pid>/stat` after the name of the program, counted from 0. */
const [PARENT, USER, SYSTEM] = [1, 11, 12];
const KB_PER_MB = 1_024;

/** Starts a server and waits until it is ready. Throws an `Error` with its output where it ends before. */
export async function startProcess({ command, args, cwd, environment, ready, onLine }: Start): Promise<ServerProcess> {
  const child = spawn(command, [...args], {
    ...(cwd !== undefined && { cwd }),
    env: { ...process.env, ...environment },
    stdio: ["ignore", "pipe", "pipe"],
  });
  // What fails later must not leave servers behind.
  const end = () => {
    if (child.pid !== undefined) for (const { pid } of treeOf(child.pid)) process.kill(pid, "SIGTERM");
  };
  process.once("exit", end);
  child.once("exit", () => process.off("exit", end));
  const found = await readiness(child, ready);
  if (onLine) createInterface({ input: child.stderr }).on("line", onLine);
  const ended = once(child, "exit").then(([code]) => code as number | null);
  const { pid } = child;
  if (pid === undefined) throw new Error(`${command} has no process`);
  const tick = 1_000 / Number(execFileSync("getconf", ["CLK_TCK"], { encoding: "utf8" }));
  return {
    ready: found,
    cpuMs: () => treeOf(pid).reduce((sum, { ticks }) => sum + ticks * tick, 0),
    memoryMb: () => memoryOf(treeOf(pid)),
    ended,
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      end();
      await ended;
    },
  };
}

function readiness(child: ChildProcess, ready: RegExp): Promise<string> {
  return new Promise((resolve, reject) => {
    let output = "";
    const fail = (why: string) => {
      clearTimeout(timer);
      reject(new Error(`${child.spawnfile} ${why}: ${output.trim()}`));
    };
    const timer = setTimeout(() => {
      child.kill("SIGKILL");
      fail("was not ready in time");
    }, READY_WITHIN_MS);
    const exited = () => fail("ended");
    child.once("exit", exited).once("error", (error) => fail(error.message));
    const read = (text: string) => {
      output = (output + text).slice(-OUTPUT_CHARACTERS);
      const match = ready.exec(output);
      if (!match) return;
      clearTimeout(timer);
      child.off("exit", exited);
      for (const stream of [child.stdout, child.stderr]) stream?.off("data", read).resume();
      resolve(match[1] ?? "");
    };
    for (const stream of [child.stdout, child.stderr]) stream?.setEncoding("utf8").on("data", read);
  });
}

interface ProcessFacts {
  readonly pid: number;
  readonly name: string;
  readonly parent: number;
  readonly ticks: number;
}

/** A process and all that descend from it. */
function treeOf(root: number): readonly ProcessFacts[] {
  const all = readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => factsOf(Number(pid)) ?? []);
  const tree = all.filter(({ pid }) => pid === root);
  for (const { pid: parent } of tree) tree.push(...all.filter((each) => each.parent === parent));
  return tree;
}

/** `undefined` for a process that has ended meanwhile. */
function factsOf(pid: number): ProcessFacts | undefined {
  const stat = readProc(pid, "stat");
  // The name is in parentheses, and may contain some.
  const end = stat.lastIndexOf(")");
  if (end < 0) return undefined;
  const fields = stat.slice(end + 2).split(" ");
  const [parent, user, system] = [PARENT, USER, SYSTEM].map((at) => Number(fields[at]));
  return { pid, name: stat.slice(stat.indexOf("(") + 1, end), parent: parent ?? 0, ticks: (user ?? 0) + (system ?? 0) };
}

function memoryOf(tree: readonly ProcessFacts[]): ReadonlyMap<string, number> {
  const most = new Map<string, number>();
  for (const { pid, name } of tree) {
    const kb = Number(/^VmHWM:\s+(\d+) kB/m.exec(readProc(pid, "status"))?.[1] ?? 0);
    most.set(name, (most.get(name) ?? 0) + kb / KB_PER_MB);
  }
  return most;
}

function readProc(pid: number, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, "utf8");
  } catch {
    return "";
  }
}
