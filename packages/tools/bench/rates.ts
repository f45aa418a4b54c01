/**
 * `npm run bench -- import [users] [bulk]`: how fast users come into an empty tenant, by bulk requests and by the
 * command that imports files, and what that costs. Passwords are a case of their own, because their hashes cost more
 * than the rest. Linux only.
 */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { elapsed } from "#core/kernel/clock.ts";
import { root } from "../deploy/bundle.ts";
import { administrator, basic, type LogLine } from "./calls.ts";
import { startEmpty } from "./peers/own.ts";
import { type ServerProcess, startProcess } from "./peers/processes.ts";
import { type Send, scimUser, sending, sendMany } from "./peers/requests.ts";

const BULK = 100;
const AT_ONCE = 4;
/**
 * The command sends bulk requests too, and gets all users. Of the other kinds one part in so many is enough: the rates
 * of young tenants differ little by their size, and hashes of argon2id take most of a processor's second for twenty
 * users.
 */
const PARTS: Readonly<Record<Passwords, number>> = { none: 10, imported: 10, plain: 50 };
const LEAST = 1_000;
/** Operations for which a bulk request had no time are sent again, as the command does. */
const OUT_OF_TIME = "503";
const POLL_MS = 100;
const KINDS = ["none", "imported", "plain"] as const;

/** What the users have as passwords. */
type Passwords = (typeof KINDS)[number];

const passwords: Readonly<Record<Passwords, string | undefined>> = {
  none: undefined,
  imported: `$pbkdf2-sha256$i=10000,l=32$${"c2FsdHNhbHRzYWx0"}$${Buffer.alloc(32, 7).toString("base64").replace(/=+$/, "")}`,
  plain: "correct-horse-battery-staple",
};
const titles: Readonly<Record<Passwords, string>> = {
  none: "without passwords",
  imported: "with imported hashes",
  plain: "with passwords, which are hashed",
};

/** The sums of the request records. */
interface Costs {
  roundTrips: number;
  readUnits: number;
  writeUnits: number;
}

/** Measures and prints all ways, each in an empty tenant of its own. */
export async function measureImports(users: number): Promise<void> {
  printTitle();
  for (const kind of KINDS) await bulk(kind, Math.max(Math.ceil(users / PARTS[kind]), Math.min(users, LEAST)));
  await measure("npm run users -- import, without passwords", users, (server) => importFile(server, users));
}

/** Measures and prints bulk requests without passwords, with all users. */
export async function measureBulk(users: number): Promise<void> {
  printTitle();
  await bulk("none", users);
}

function printTitle(): void {
  console.log(
    `\nUsers into an empty tenant, ${new Date().toISOString().slice(0, 10)}; processor time and memory of the whole local service`,
  );
}

async function bulk(kind: Passwords, users: number): Promise<void> {
  await measure(`bulk requests, ${titles[kind]}`, users, async ({ ready }) => {
    await sending(ready, (send) => sendBulk(send, users, passwords[kind]));
    return undefined;
  });
}

async function measure(
  title: string,
  users: number,
  run: (server: ServerProcess) => Promise<string | undefined>,
): Promise<void> {
  const costs: Costs = { roundTrips: 0, readUnits: 0, writeUnits: 0 };
  const server = await startEmpty((line) => add(costs, line));
  try {
    const [cpuMs, startedMs] = [server.cpuMs(), elapsed()];
    const more = await run(server);
    const seconds = (elapsed() - startedMs) / 1_000;
    const cpu = (server.cpuMs() - cpuMs) / users;
    const memory = [...server.memoryMb()].filter(([, mb]) => mb > 1).map(([name, mb]) => `${name} ${mb.toFixed(0)} MB`);
    const each = (sum: number) => (sum / users).toFixed(1);
    console.log(
      `${title}: ${users.toLocaleString("en")} users, ${(users / seconds).toFixed(0)} a second, ${cpu.toFixed(2)} ms of processor time each; ` +
        `most memory ${[...memory, ...(more ? [more] : [])].join(", ")}; ` +
        `${each(costs.roundTrips)} round trips, ${each(costs.readUnits)} read and ${each(costs.writeUnits)} write units each`,
    );
  } finally {
    await server.stop();
  }
}

function add(costs: Costs, line: string): void {
  if (!line.startsWith("{")) return;
  const { RoundTrips = 0, ReadUnits = 0, WriteUnits = 0 } = JSON.parse(line) as LogLine;
  costs.roundTrips += RoundTrips;
  costs.readUnits += ReadUnits;
  costs.writeUnits += WriteUnits;
}

async function sendBulk(send: Send, users: number, password: string | undefined): Promise<void> {
  const headers = {
    authorization: basic(administrator.username, administrator.password),
    "content-type": "application/scim+json",
  };
  await sendMany(Math.ceil(users / BULK), AT_ONCE, async (part) => {
    let left = Array.from({ length: Math.min(BULK, users - part * BULK) }, (_, at) => ({
      method: "POST",
      path: "/Users",
      bulkId: String(at),
      data: { ...scimUser(mixed(part * BULK + at)), ...(password !== undefined && { password }) },
    }));
    while (left.length > 0) {
      const body = { schemas: ["urn:ietf:params:scim:api:messages:2.0:BulkRequest"], Operations: left };
      const { text } = await send({ method: "POST", path: "/scim2/Bulk", headers, body });
      const { Operations } = JSON.parse(text) as { readonly Operations: readonly { readonly status: string }[] };
      const failed = Operations.find(({ status }) => status !== "201" && status !== OUT_OF_TIME);
      if (failed) throw new Error(`a user was not created: ${JSON.stringify(failed)}`);
      left = left.filter((_, at) => Operations[at]?.status === OUT_OF_TIME);
    }
  });
}

/** A different text for each number, in no order. */
function mixed(number: number): string {
  return ((number * 2_654_435_761) % 2 ** 32).toString(36).padStart(7, "0");
}

/** Runs the command on a file. Returns how much memory it took. */
async function importFile({ ready: url }: ServerProcess, users: number): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), "identity-admin-api-import-"));
  try {
    const file = join(directory, "users.jsonl");
    const lines = Array.from({ length: users }, (_, number) => JSON.stringify(scimUser(mixed(number))));
    await writeFile(file, `${lines.join("\n")}\n`);
    const command = await startProcess({
      command: process.execPath,
      args: [join(root, "packages/cli/users/command.ts"), "import", file, "--url", url],
      environment: { ADMIN_USERNAME: administrator.username, ADMIN_PASSWORD: administrator.password },
      ready: /(?=)/,
    });
    let most = 0;
    const look = setInterval(() => {
      most = Math.max(most, ...command.memoryMb().values());
    }, POLL_MS);
    const code = await command.ended;
    clearInterval(look);
    if (code !== 0) throw new Error(`the command ended with code ${code}`);
    return `the command ${most.toFixed(0)} MB`;
  } finally {
    await rm(directory, { recursive: true });
  }
}
