/** The service as a separate process, as `npm start` runs it. */
import { type ChildProcess, spawn } from "node:child_process";
import { fileURLToPath } from "node:url";

/** The program behind `npm start`. */
export const START_PROGRAM = fileURLToPath(new URL("../../packages/local/start.ts", import.meta.url));

/** The environment of a service on free ports, without variables of this process. */
export const startEnvironment = (dataDirectory: string): NodeJS.ProcessEnv => ({
  PATH: process.env.PATH,
  DATA_DIR: dataDirectory,
  PORT: "0",
  MTLS_PORT: "0",
});

/** A running service and its process, which the caller must stop. */
export interface Started {
  readonly child: ChildProcess;
  readonly url: string;
}

/** Starts the service with these flags of node. Throws an `Error` if it ends before it is ready. */
export const startProcess = async (dataDirectory: string, flags: readonly string[] = []): Promise<Started> => {
  const child = spawn(process.execPath, [...flags, START_PROGRAM], {
    env: startEnvironment(dataDirectory),
    stdio: ["ignore", "pipe", "ignore"],
  });
  const url = await new Promise<string>((resolve, reject) => {
    child.once("exit", (code) => reject(new Error(`the service ended with code ${code}`)));
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      const ready = /^ready (http:\S+)$/m.exec(text)?.[1];
      if (ready) resolve(ready);
    });
  });
  return { child, url };
};
