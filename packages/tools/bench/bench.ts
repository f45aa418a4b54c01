/**
 * `npm run bench`: round trips and capacity units of every operation, of SCIM, of tokens and of the name index, beside the
 * budget, and how many tokens a second brings. `npm run bench -- tokens` measures tokens alone.
 * `npm run bench -- users 1000000 [directory]` measures SCIM alone with that many users; the directory keeps them for the
 * next time.
 */
import { measureNames } from "./names.ts";
import { measureOperations } from "./operations.ts";
import { printRows } from "./report.ts";
import { compareTokenRates } from "./token-rate.ts";
import { measureTokens } from "./tokens.ts";
import { measureUsers } from "./users.ts";

const USERS = 10_000;
const USERS_LEAST = 1_000;

const [what, number = String(USERS), kept] = process.argv.slice(2);
const size = Number(number);
if (
  (what !== undefined && what !== "users" && what !== "tokens") ||
  !(size >= USERS_LEAST && size % USERS_LEAST === 0)
) {
  console.error("npm run bench [-- tokens | -- users <a number of thousands> [directory]]");
  process.exitCode = 2;
} else if (!(what === "users" ? await users(size, kept) : what === "tokens" ? await tokens() : await everything())) {
  process.exitCode = 1;
}

async function everything(): Promise<boolean> {
  const verdicts = [
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
  return !verdicts.includes(false);
}

async function users(size: number, kept?: string): Promise<boolean> {
  return printRows(
    `SCIM over HTTP, at ${size.toLocaleString("en")} users in one tenant`,
    await measureUsers(size, kept),
  );
}

async function tokens(): Promise<boolean> {
  const isWithin = printRows("Tokens over HTTP, and being let in with one", await measureTokens());
  await compareTokenRates();
  return isWithin;
}
