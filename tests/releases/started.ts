/** A release as a process: `npm start` of its worktree. */
import { spawn } from "node:child_process";

/** A running release. */
export interface StartedRelease {
  readonly url: string;
  stop(): Promise<void>;
}

/** Starts the release in a folder on a data directory, with the DEPLOYMENT_TOML of this process. Throws an `Error` if it ends before it is ready. */
export async function startRelease(root: string, dataDirectory: string): Promise<StartedRelease> {
  const { DEPLOYMENT_TOML } = process.env;
  const deployment = DEPLOYMENT_TOML === undefined ? {} : { DEPLOYMENT_TOML };
  const child = spawn(process.execPath, ["packages/local/start.ts"], {
    cwd: root,
    env: { PATH: process.env.PATH, DATA_DIR: dataDirectory, PORT: "0", MTLS_PORT: "0", ...deployment },
    stdio: ["ignore", "pipe", "ignore"],
  });
  const ended = new Promise<number | null>((done) => child.once("exit", done));
  const url = await new Promise<string>((ready, failed) => {
    child.once("exit", (code) => failed(new Error(`the release in ${root} ended with ${code}`)));
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      const found = /^ready (http:\S+)$/m.exec(text)?.[1];
      if (found) ready(found);
    });
  });
  return {
    url,
    async stop() {
      child.kill("SIGTERM");
      await ended;
    },
  };
}
