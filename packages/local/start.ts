/** `npm start`: the API on this machine. Prints one line on standard output when it answers; the log goes to standard error. */
import { Console } from "node:console";
import { join } from "node:path";
import { startService } from "./service.ts";
import { readSettings } from "./settings.ts";

const NODE_MAJOR = 24;

// Standard output is for whoever waits for the ready line; what CloudWatch would get goes to standard error.
globalThis.console = new Console(process.stderr);

const fail = (error: unknown): never => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
};

const start = async (): Promise<void> => {
  if (Number(process.versions.node.split(".")[0]) < NODE_MAJOR) {
    throw new Error(`Node ${NODE_MAJOR} is needed and comes with the project: run "npm ci", then "npm start".`);
  }
  const settings = readSettings(process.env);
  const service = await startService(settings, {
    onEngineExit: (reason) => fail(`The embedded database ended: ${reason}`),
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
};

start().catch(fail);
