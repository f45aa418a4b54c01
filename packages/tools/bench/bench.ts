/**
 * `npm run bench`: measures round trips and capacity units of every operation, of SCIM, tokens and the name index, and
 * tokens per second.
 *
 * `npm run bench -- tokens` measures tokens only. `npm run bench -- users 1000000 [directory]` measures SCIM only, with
 * that many users; the directory stores the data for later runs. `npm run bench -- cold 15` measures cold starts only,
 * in that many rounds. Prints a table per topic with costs and budgets; cold starts have no budget. Exit codes: 0 all
 * within budget, 1 some are not, 2 wrong command line.
 */
import { measureColdStarts } from "./cold.ts";
import { measureNames } from "./names.ts";
import { measureOperations } from "./operations.ts";
import { printRows } from "./report.ts";
import { compareTokenRates } from "./token-rate.ts";
import { measureTokens } from "./tokens.ts";
import { measureUsers } from "./users.ts";

const USERS = 10_000;
const USERS_LEAST = 1_000;
const COLD_ROUNDS = 15;

const [topic, number, directory] = process.argv.slice(2);
const size = Number(number ?? (topic === "cold" ? COLD_ROUNDS : USERS));
if (topic === "cold" && size >= 1) await measureColdStarts(size);
else if (
  (topic !== undefined && topic !== "users" && topic !== "tokens") ||
  !(size >= USERS_LEAST && size % USERS_LEAST === 0)
) {
  console.error("npm run bench [-- tokens | -- cold [rounds] | -- users <number, a multiple of 1000> [directory]]");
  process.exitCode = 2;
} else if (
  !(topic === "users" ? await users(size, directory) : topic === "tokens" ? await tokens() : await everything())
) {
  process.exitCode = 1;
}

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
  const isWithin = printRows("Tokens over HTTP, and authorizing with one", await measureTokens());
  await compareTokenRates();
  return isWithin;
}
