/**
 * The embedded DynamoDB: the native `dynoxide` program as a child process, in memory or on a file.
 *
 * One file has one engine. A claim beside the file (file-lock.ts) names the node process that owns it and its engine, so an
 * engine whose owner was killed is ended before a new one opens the same file.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { constants } from "node:fs";
import { access } from "node:fs/promises";
import { createRequire } from "node:module";
import { delimiter, dirname, join, resolve } from "node:path";
import { type Claim, claimFile, endProcess } from "./file-lock.ts";
import { makeDirectory } from "./data-directory.ts";
import { freePort } from "./ports.ts";

export { createTable } from "./database.ts";

const READY_MS = 20_000;
const PORT_TRIES = 5;
const COMPLAINT_CHARACTERS = 2_000;

/** How to start an engine. */
export interface EngineOptions {
  /** The database file; its directory is made when it is missing. Without it, nothing outlives the process. */
  readonly dataFile?: string;
  /** A port of 127.0.0.1; a free one by default. */
  readonly port?: number;
  /** Told once, in a sentence, when the engine ends without having been asked to. */
  readonly onExit?: (reason: string) => void;
}

/** A running engine. */
export interface Engine {
  /** What goes where DynamoDB's endpoint is asked for, such as `http://127.0.0.1:40123`. */
  readonly endpoint: string;
  /** The process id of the engine. */
  readonly pid: number;
  /** Ends the engine and gives its file free. Safe to call twice. */
  stop(): Promise<void>;
}

const running = new Set<ChildProcess>();
let isWatchingExit = false;

/** An engine that ended before it was ready, with what it said. */
class NotStarted extends Error {}

interface Ready {
  readonly child: ChildProcess;
  readonly pid: number;
  /** The last words on the engine's error stream. */
  readonly complaint: () => string;
}

/** What to do on a machine without the program, for a platform such as `darwin-arm64`. */
export function noProgram(platform: string): string {
  return (
    (platform === "linux-x64"
      ? 'The embedded database is not installed. Run "npm ci" without --omit=optional'
      : `The embedded database comes for Linux on x64, not for ${platform}. Put its program, dynoxide, on PATH`) +
    ", or run any DynamoDB, such as DynamoDB Local by `docker run -d -p 8000:8000 amazon/dynamodb-local`, and set " +
    "DYNAMODB_ENDPOINT=http://127.0.0.1:8000."
  );
}

/**
 * Where the engine's program is: the package of this platform, else the first `dynoxide` on PATH.
 * Throws an `Error` that says what to do on a machine that has neither.
 */
export async function findProgram(path = process.env.PATH ?? "", packaged = packagedProgram()): Promise<string> {
  const onPath = path.split(delimiter).filter((directory) => directory !== "");
  for (const candidate of [...(packaged ? [packaged] : []), ...onPath.map((each) => join(each, "dynoxide"))]) {
    if (await isExecutable(candidate)) return candidate;
  }
  throw new Error(noProgram(`${process.platform}-${process.arch}`));
}

function packagedProgram(): string | undefined {
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
 * Starts an engine and answers when it accepts requests. Node may end without stopping it; it is then ended too, unless
 * node was killed: then the next start on the same file ends it.
 * Throws an `Error` with a sentence for people: no program for this platform, the file cannot be opened, the port is
 * taken, or the file belongs to a process that is alive.
 */
export async function startEngine(options: EngineOptions = {}): Promise<Engine> {
  const program = await findProgram();
  const file = options.dataFile === undefined ? undefined : resolve(options.dataFile);
  if (file) await makeDirectory(dirname(file));
  const claim = file ? await claimFile(file) : undefined;
  try {
    const { child, pid, endpoint, complaint } = await launchOnPort(program, options, file, claim);
    let isStopping = false;
    child.once("exit", (code, signal) => {
      running.delete(child);
      const words = complaint() === "" ? "" : `: ${complaint()}`;
      if (!isStopping) options.onExit?.(`The embedded database ended by itself (${signal ?? `code ${code}`})${words}`);
    });
    const stop = async () => {
      isStopping = true;
      if (child.exitCode === null && child.signalCode === null) {
        const gone = new Promise((done) => child.once("exit", done));
        child.ref();
        await Promise.all([gone, endProcess(pid)]);
      }
      await claim?.release();
    };
    let stopped: Promise<void> | undefined;
    return { endpoint, pid, stop: () => (stopped ??= stop()) };
  } catch (error) {
    await claim?.release();
    throw error;
  }
}

async function launchOnPort(
  program: string,
  options: EngineOptions,
  file: string | undefined,
  claim: Claim | undefined,
) {
  for (let tries = 1; ; tries += 1) {
    const port = options.port ?? (await freePort());
    const args = ["--host", "127.0.0.1", "--port", String(port), ...(file ? ["--db-path", file] : [])];
    try {
      return { ...(await launch(program, args, claim)), endpoint: `http://127.0.0.1:${port}` };
    } catch (error) {
      // Somebody took the free port between the search and the start.
      const isTaken = error instanceof NotStarted && /already in use|address in use/i.test(error.message);
      if (!isTaken || options.port !== undefined || tries === PORT_TRIES) throw error;
    }
  }
}

function launch(program: string, args: readonly string[], claim: Claim | undefined): Promise<Ready> {
  return new Promise((ready, failed) => {
    // A group of its own: Ctrl-C in a terminal reaches node alone, which finishes its requests before it ends the engine.
    // The file holds password hashes: it is made for its owner alone.
    const mask = process.umask(0o077);
    const child = spawn(program, args, { stdio: ["ignore", "pipe", "pipe"], detached: true });
    process.umask(mask);
    const { pid } = child;
    if (pid !== undefined) claim?.record(pid);
    endWithNode(child);
    let isReady = false;
    let complaint = "";
    let isLate = false;
    const timer = setTimeout(() => {
      isLate = true;
      child.kill("SIGKILL");
    }, READY_MS);
    const fail = (sentence: string) => {
      clearTimeout(timer);
      running.delete(child);
      failed(new NotStarted(sentence));
    };
    const onEarlyExit = () =>
      fail(
        `The embedded database did not start: ${complaint.trim() || (isLate ? `it was not ready after ${READY_MS} ms` : "it said nothing")}`,
      );
    child
      .once("close", onEarlyExit)
      .on("error", (error) => fail(`The embedded database did not start: ${error.message}`));
    const hear = (text: string) => {
      complaint = (complaint + text).slice(-COMPLAINT_CHARACTERS);
      if (isReady || !complaint.includes("listening") || pid === undefined) return;
      isReady = true;
      complaint = "";
      clearTimeout(timer);
      child.off("close", onEarlyExit);
      letGo(child);
      ready({ child, pid, complaint: () => complaint.trim() });
    };
    // The engine says on its error stream that it is ready.
    child.stderr.setEncoding("utf8").on("data", hear);
    child.stdout.setEncoding("utf8").on("data", hear);
  });
}

/** Ends the engine with node, on every way that node can still notice. */
function endWithNode(child: ChildProcess): void {
  running.add(child);
  if (isWatchingExit) return;
  isWatchingExit = true;
  process.on("exit", () => {
    for (const each of running) each.kill("SIGTERM");
  });
}

/** Lets node end while the engine runs: its process and its pipes count for nothing. */
function letGo(child: ChildProcess): void {
  child.unref();
  for (const pipe of [child.stdout, child.stderr]) {
    if (pipe && "unref" in pipe && typeof pipe.unref === "function") pipe.unref();
  }
}
