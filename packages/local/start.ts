/** `npm start`: the API on this machine. Prints one line on standard output when it answers; the log goes to standard error. */
import { Console } from "node:console";
import { join } from "node:path";
import { inspect } from "node:util";
import { readableLog } from "./log.ts";
import { startService } from "./service.ts";
import { readSettings } from "./settings.ts";

const NODE_MAJOR = 24;

// Standard output is for whoever waits for the ready line; what CloudWatch would get goes to standard error.
globalThis.console = new Console(readableLog(process.stderr, process.env.LOG_FORMAT === "json"));

start().catch(fail);

async function start(): Promise<void> {
  if (Number(process.versions.node.split(".")[0]) < NODE_MAJOR) {
    throw new Error(`Node ${NODE_MAJOR} is needed and comes with the project: run "npm ci", then "npm start".`);
  }
  const settings = readSettings(process.env);
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
    process.stderr.write(`with a client certificate (${client}): ${service.mtlsUrl}\n`);
  }
  process.stdout.write(`ready ${service.url}\n`);
}

/** What was foreseen is told in its sentence; anything else with the place where it happened. */
function fail(error: unknown): never {
  const isForeseen = error instanceof Error && error.name === "Error" && !("code" in error);
  process.stderr.write(`${isForeseen ? error.message : inspect(error)}\n`);
  process.exit(1);
}
