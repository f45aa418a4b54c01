/**
 * `npm start`: runs the API on this machine (environment variables: see README.md). Prints `ready <URL>` on standard
 * output when it accepts requests; the log goes to standard error. SIGTERM, SIGINT and SIGHUP stop it after the
 * requests that it has read; a second signal stops it at once (decision 0068). Exit codes: 0 stopped, 1 failed or
 * requests were cut off, 128 and the number of the signal if stopped at once.
 */
import { Console } from "node:console";
import { enableCompileCache } from "node:module";
import { constants } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { inspect } from "node:util";
import { elapsed } from "#core/kernel/clock.ts";
import type { RunningDemo } from "./demo/server.ts";
import { watchLaunchers } from "./launcher.ts";
import { readableLog } from "./log.ts";
import type { RunningService } from "./service.ts";
import { readSettings, type Settings } from "./settings.ts";

const NODE_MAJOR = 24;
/** A terminal sends Ctrl-C to node and to npm, and npm sends it to node again. */
const SAME_PRESS_MS = 500;
const NOTICE_MS = 1_000;

// Scripts wait for the line `ready ...` on standard output. The log for CloudWatch goes to standard error.
const log = readableLog(process.stderr, process.env.LOG_FORMAT === "json");
globalThis.console = new Console(log.stream);

start().catch(fail);

async function start(): Promise<void> {
  if (Number(process.versions.node.split(".")[0]) < NODE_MAJOR) {
    throw new Error(`This needs Node ${NODE_MAJOR}, which is part of the project. Run "npm ci", then "npm start".`);
  }
  const settings = readSettings(process.env);
  // After the settings are valid: loading the service takes two seconds, and one from the cache, which is written at
  // the end of a process.
  enableCompileCache(fileURLToPath(new URL("../../.build/compile-cache", import.meta.url)));
  const { startService } = await import("./service.ts");
  let demo: RunningDemo | undefined;
  const service = await startService(settings, {
    onEngineExit: (reason) => fail(new Error(reason)),
    onAnswered: log.answered,
    demo: () => demo?.url,
  });
  demo = await demoOf(service, settings);
  await watchLaunchers(process.env, stopOnSignals(closing(service, demo)));
  if (service.mtlsUrl && service.certificates) {
    const client = join(service.certificates, "client-admin.pem");
    process.stderr.write(`mTLS: ${service.mtlsUrl} (client certificate: ${client})\n`);
  }
  process.stderr.write(`Page: ${service.url}/ (the API to try, guides, documents)\n`);
  if (demo) process.stderr.write(`Demo: ${demo.url}/ (an application that you sign in to)\n`);
  process.stdout.write(`ready ${service.url}\n`);
}

async function demoOf({ url, outbox }: RunningService, { demoPort, administrator }: Settings) {
  if (demoPort === undefined) return undefined;
  const { startDemo } = await import("./demo/server.ts");
  return startDemo({ url, administrator, outbox }, demoPort);
}

/** The demo ends first: it asks the service. */
function closing(service: RunningService, demo: RunningDemo | undefined): Pick<RunningService, "close"> {
  return {
    async close() {
      await demo?.close();
      return service.close();
    },
  };
}

/** Stops the service on signals. Returns what stops it for another reason, which is no second signal. */
function stopOnSignals(service: Pick<RunningService, "close">): () => void {
  let stoppingSinceMs: number | undefined;
  const stop = () => {
    if (stoppingSinceMs !== undefined) return;
    stoppingSinceMs = elapsed();
    setTimeout(() => tell("Finishing the requests that were read. Another signal (Ctrl-C) stops at once."), NOTICE_MS);
    service.close().then(end, fail);
  };
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) {
    process.on(signal, () => {
      const isAgain = stoppingSinceMs !== undefined && elapsed() - stoppingSinceMs > SAME_PRESS_MS;
      if (isAgain) process.exit(128 + constants.signals[signal]);
      stop();
    });
  }
  return stop;
}

function end(requestsCut: number): never {
  if (requestsCut > 0)
    tell(`Stopped before ${requestsCut} requests were finished: they took longer than a function may.`);
  process.exit(requestsCut > 0 ? 1 : 0);
}

function tell(text: string): void {
  process.stderr.write(`${text}\n`);
}

/** Prints the message of an expected error; any other error with its stack. */
function fail(error: unknown): never {
  const isExpected = error instanceof Error && error.name === "Error" && !("code" in error);
  tell(isExpected ? error.message : inspect(error));
  process.exit(1);
}
