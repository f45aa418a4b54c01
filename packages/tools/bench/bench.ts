/**
 * `npm run bench`: measures round trips and capacity units of every operation, of SCIM, tokens and the name index.
 *
 * - `-- tokens` measures tokens only, `-- users 1000000 [directory]` SCIM only, with that many users; the directory
 *   stores the data for later runs. `-- sizes [directory]` measures SCIM at 1,000, 10,000 and 100,000 users.
 * - `-- cold [rounds]` measures cold starts, `-- warm [calls]` requests to functions that have served many.
 * - `-- peers [rounds] [Keycloak]` compares the processor time of requests with that of other servers. The folder is
 *   that of a Keycloak distribution.
 * - `-- import [users] [bulk]` measures how fast users come into an empty tenant; with `bulk`, all of them by bulk
 *   requests and no other way.
 *
 * Prints a table per topic with costs and budgets; what is measured in processor time has no budget. Exit codes: 0 all
 * within budget, 1 some are not, 2 wrong command line.
 */
import { measureColdStarts } from "./cold.ts";
import { measureNames } from "./names.ts";
import { measureOperations } from "./operations.ts";
import { comparePeers } from "./peers/peers.ts";
import { measureBulk, measureImports } from "./rates.ts";
import { printRows } from "./report.ts";
import { measureTokens } from "./tokens.ts";
import { measureUsers } from "./users.ts";
import { measureWarm } from "./warm.ts";

const USERS = 10_000;
const USERS_LEAST = 1_000;
const SIZES = [1_000, 10_000, 100_000];
const COLD_ROUNDS = 15;
const WARM_CALLS = 2_000;
const PEER_ROUNDS = 7;
const IMPORTED = 10_000;

const USAGE =
  "npm run bench [-- tokens | -- users <number, a multiple of 1000> [directory] | -- sizes [directory] | -- cold [rounds] | -- warm [calls] | -- peers [rounds] [Keycloak] | -- import [users] [bulk]]";

/** A topic, with the words after it. Returns whether all rows are within budget, or `undefined` for wrong words. */
type Topic = (first: string | undefined, second: string | undefined) => Promise<boolean | undefined>;

const topics: Readonly<Record<string, Topic>> = {
  tokens,
  async users(number, directory) {
    const size = Number(number ?? USERS);
    return size >= USERS_LEAST && size % USERS_LEAST === 0 ? users(size, directory) : undefined;
  },
  async sizes(directory) {
    const results: boolean[] = [];
    for (const size of SIZES) results.push(await users(size, directory));
    return !results.includes(false);
  },
  cold: (rounds) => measured(rounds, COLD_ROUNDS, measureColdStarts),
  warm: (calls) => measured(calls, WARM_CALLS, measureWarm),
  peers: (rounds, keycloak) => measured(rounds, PEER_ROUNDS, (number) => comparePeers({ rounds: number, keycloak })),
  async import(number, way) {
    if (way !== undefined && way !== "bulk") return undefined;
    return measured(number, IMPORTED, way === "bulk" ? measureBulk : measureImports);
  },
};

const [topic, first, second] = process.argv.slice(2);
const run = topic === undefined ? everything : Object.hasOwn(topics, topic) ? topics[topic] : undefined;
const isWithin = await run?.(first, second);
if (isWithin === undefined) console.error(USAGE);
process.exitCode = isWithin === undefined ? 2 : isWithin ? 0 : 1;

async function everything(): Promise<boolean> {
  const results = [
    printRows(
      "Operations over HTTP, at 100 and 10,000 applications in one tenant",
      await measureOperations([100, 10_000]),
    ),
    await users(USERS),
    await tokens(),
    printRows("Name index, pages of 100 entries (entries only), at 1,000 and 100,000 names", [
      ...(await measureNames(1_000)),
      ...(await measureNames(100_000)),
    ]),
  ];
  return !results.includes(false);
}

async function users(size: number, directory?: string): Promise<boolean> {
  return printRows(
    `SCIM over HTTP, at ${size.toLocaleString("en")} users in one tenant`,
    await measureUsers(size, directory),
  );
}

async function tokens(): Promise<boolean> {
  return printRows("Tokens over HTTP, and authorizing with one", await measureTokens());
}

/** Runs what prints figures without budgets. */
async function measured(
  text: string | undefined,
  fallback: number,
  measure: (number: number) => Promise<void>,
): Promise<boolean | undefined> {
  const number = Number(text ?? fallback);
  if (!(Number.isSafeInteger(number) && number >= 1)) return undefined;
  await measure(number);
  return true;
}
