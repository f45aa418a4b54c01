/** Runs `npm run applications` as people do, and a door before the service that slows it down. */
import { type ChildProcess, spawn } from "node:child_process";
import { createServer, request, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";

const PROGRAM = fileURLToPath(new URL("../../packages/cli/applications.ts", import.meta.url));

/** What a run of the command left. */
export interface Ran {
  readonly code: number | null;
  readonly output: string;
  readonly errors: string;
}

/** A run under way. */
export interface Running {
  readonly child: ChildProcess;
  readonly ended: Promise<Ran>;
}

/** Starts the command with nothing in its environment but what is given. */
export const startCommand = (args: readonly string[], environment: Readonly<Record<string, string>>): Running => {
  const child = spawn(process.execPath, [PROGRAM, ...args], { env: { PATH: process.env.PATH, ...environment } });
  let [output, errors] = ["", ""];
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    output += text;
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    errors += text;
  });
  return { child, ended: new Promise((done) => child.once("close", (code) => done({ code, output, errors }))) };
};

/** Runs the command to its end. */
export const command = (args: readonly string[], environment: Readonly<Record<string, string>>): Promise<Ran> =>
  startCommand(args, environment).ended;

/** A door before a service. */
export interface Door {
  readonly url: string;
  /** Answers so many requests with this status before it lets any through. */
  refuse(count: number, status: number): void;
  close(): Promise<void>;
}

/** Opens a door that hands requests on after a while. */
export const openDoor = async (target: string, delayMs: number): Promise<Door> => {
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
