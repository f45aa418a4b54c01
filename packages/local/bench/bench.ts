/** `npm run bench`: round trips and capacity units of every operation and of the name index, at two sizes, beside the budget. */
import { measureNames } from "./names.ts";
import { measureOperations } from "./operations.ts";
import { printRows } from "./report.ts";

const verdicts = [
  printRows(
    "Operations over HTTP, at 100 and 10,000 applications in one tenant",
    await measureOperations([100, 10_000]),
  ),
  printRows("Name index, pages of 100 entries (entries only), at 1,000 and 100,000 names", [
    ...(await measureNames(1_000)),
    ...(await measureNames(100_000)),
  ]),
];
if (verdicts.includes(false)) process.exitCode = 1;
