/** Runs `npm run applications` and `npm run users` as processes, and a slow proxy in front of the service. */
import { type ChildProcess, spawn } from "node:child_process";
import { createServer, request, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";

const programs = { applications: "applications.ts", users: "users/command.ts" } as const;
type Program = keyof typeof programs;
const fileOf = (program: Program) => fileURLToPath(new URL(`../../packages/cli/${programs[program]}`, import.meta.url));

/** The result of a run. */
export interface Ran {
  readonly code: number | null;
  readonly output: string;
  readonly errors: string;
}

/** A run in progress. */
export interface Running {
  readonly child: ChildProcess;
  readonly ended: Promise<Ran>;
}

/** Starts the command with only the given environment. */
export const startCommand = (
  args: readonly string[],
  environment: Readonly<Record<string, string>>,
  program: Program = "applications",
): Running => {
  const child = spawn(process.execPath, [fileOf(program), ...args], {
    env: { PATH: process.env.PATH, ...environment },
  });
  let [output, errors] = ["", ""];
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    output += text;
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    errors += text;
  });
  return { child, ended: new Promise((done) => child.once("close", (code) => done({ code, output, errors }))) };
};

/** Runs the command until it ends. */
export const command = (
  args: readonly string[],
  environment: Readonly<Record<string, string>>,
  program?: Program,
): Promise<Ran> => startCommand(args, environment, program).ended;

/** A proxy in front of a service. */
export interface SlowProxy {
  readonly url: string;
  /** Returns this status for the next `count` requests. */
  refuse(count: number, status: number): void;
  close(): Promise<void>;
}

/** Starts a proxy that forwards requests after a delay. */
export const startProxy = async (target: string, delayMs: number): Promise<SlowProxy> => {
  let refusals = { count: 0, status: 0 };
  const server: Server = createServer((incoming, outgoing) => {
    if (refusals.count > 0) {
      refusals = { ...refusals, count: refusals.count - 1 };
      incoming.resume();
      outgoing.writeHead(refusals.status).end();
      return;
    }
    setTimeout(() => {
      const onward = request(`${target}${incoming.url}`, { method: incoming.method, headers: incoming.headers });
      onward.on("response", (answer) => {
        outgoing.writeHead(answer.statusCode ?? 500, answer.headers);
        answer.pipe(outgoing);
      });
      onward.on("error", () => outgoing.destroy());
      incoming.pipe(onward);
    }, delayMs);
  }).listen(0, "127.0.0.1");
  await new Promise((done) => server.once("listening", done));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    refuse: (count, status) => {
      refusals = { count, status };
    },
    close: () =>
      new Promise((done) => {
        server.closeAllConnections();
        server.close(() => done());
      }),
  };
};
