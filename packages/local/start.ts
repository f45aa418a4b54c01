/**
 * `npm start`: runs the API on this machine (environment variables: see README.md). Prints `ready <URL>` on standard
 * output when it accepts requests; the log goes to standard error. SIGTERM and SIGINT stop it. Exit codes: 0 stopped, 1
 * failed.
 */
import { Console } from "node:console";
import { join } from "node:path";
import { inspect } from "node:util";
import { readableLog } from "./log.ts";
import { readSettings } from "./settings.ts";

const NODE_MAJOR = 24;

// Scripts wait for the line `ready ...` on standard output. The log for CloudWatch goes to standard error.
globalThis.console = new Console(readableLog(process.stderr, process.env.LOG_FORMAT === "json"));

start().catch(fail);

async function start(): Promise<void> {
  if (Number(process.versions.node.split(".")[0]) < NODE_MAJOR) {
    throw new Error(`This needs Node ${NODE_MAJOR}, which is part of the project. Run "npm ci", then "npm start".`);
  }
  const settings = readSettings(process.env);
  // After the settings are valid: loading the service takes a second.
  const { startService } = await import("./service.ts");
  const service = await startService(settings, {
    onEngineExit: (reason) => fail(new Error(reason)),
  });
  let isStopping = false;
  const stop = () => {
    if (isStopping) return;
    isStopping = true;
    service.close().then(() => process.exit(0), fail);
  };
  process.on("SIGTERM", stop);
  process.on("SIGINT", stop);
  if (service.mtlsUrl && service.certificates) {
    const client = join(service.certificates, "client-admin.pem");
    process.stderr.write(`mTLS: ${service.mtlsUrl} (client certificate: ${client})\n`);
  }
  process.stdout.write(`ready ${service.url}\n`);
}

/** Prints the message of an expected error; any other error with its stack. */
function fail(error: unknown): never {
  const isExpected = error instanceof Error && error.name === "Error" && !("code" in error);
  process.stderr.write(`${isExpected ? error.message : inspect(error)}\n`);
  process.exit(1);
}
