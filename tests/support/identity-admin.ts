/** Runs `identity-admin` as a process, with its own home. */
import { spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll } from "vitest";
import type { Ran } from "./command.ts";

export const PROGRAM = fileURLToPath(new URL("../../packages/cli/bin/identity-admin.js", import.meta.url));

const homes: string[] = [];
afterAll(() => Promise.all(homes.map((home) => rm(home, { recursive: true, force: true }))));

/** A folder that is removed after the test file. */
export const newHome = async (): Promise<string> => {
  const home = await mkdtemp(join(tmpdir(), "identity-admin-api-cli-"));
  homes.push(home);
  return home;
};

/** How a command is run. */
export interface RunOptions {
  readonly environment?: Readonly<Record<string, string>>;
  /** Standard input; empty by default. */
  readonly input?: string;
  readonly home?: string;
  readonly program?: readonly string[];
}

/** Runs it until it ends. It sees no variable of this process but the path. */
export const identityAdmin = async (args: readonly string[], options: RunOptions = {}): Promise<Ran> => {
  const [program = "", ...before] = options.program ?? [process.execPath, PROGRAM];
  const home = options.home ?? (await newHome());
  const child = spawn(program, [...before, ...args], {
    env: { PATH: process.env.PATH, XDG_CONFIG_HOME: home, HOME: home, ...options.environment },
  });
  let [output, errors] = ["", ""];
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    output += text;
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    errors += text;
  });
  // A command that ends before it reads closes the pipe.
  child.stdin.on("error", () => undefined).end(options.input ?? "");
  return new Promise((done) => child.once("close", (code) => done({ code, output, errors })));
};
