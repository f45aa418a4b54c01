/**
 * `npm run users -- import|export ...`: brings people of another system into a tenant, or takes them out, through the
 * HTTP API. `options.ts` has the usage text, docs/moving-in.md the recipes.
 *
 * Prints a summary; progress and errors go to standard error. Exit codes: 0 all done, 1 some record was refused or the
 * run stopped early, 2 wrong command line.
 */
import { openApi, RunEnded, UsageError } from "../client.ts";
import { exportUsers } from "./export.ts";
import { importUsers } from "./import.ts";
import { readOptions } from "./options.ts";
import { summaryOf, writeRefused } from "./report.ts";
import { Refusal } from "./sources.ts";

process.exitCode = await main();

async function main(): Promise<0 | 1 | 2> {
  try {
    const { task, url, authorization } = await readOptions(process.argv.slice(2), process.env);
    const api = openApi(url, authorization);
    if (task.kind === "export") {
      const { users, withoutColumn } = await exportUsers(api, task);
      console.log(`${users} users in ${task.file}`);
      if (withoutColumn > 0) {
        console.log(`${withoutColumn} values have no column and are not in the table. To export all, use .jsonl.`);
      }
      return 0;
    }
    const result = await importUsers(api, task);
    for (const line of summaryOf(result, task)) console.log(line);
    if (result.refused.length === 0) return 0;
    const path = `${task.file}.refused.csv`;
    await writeRefused(path, result.refused);
    console.log(`\nReasons: ${path}`);
    return 1;
  } catch (error) {
    if (error instanceof UsageError) {
      console.error(error.message);
      return 2;
    }
    const code = (error as NodeJS.ErrnoException).code;
    if (!(error instanceof RunEnded || error instanceof Refusal) && code === undefined) throw error;
    console.error((error as Error).message);
    if (error instanceof RunEnded) console.error("Imported users are kept. Run the same command again to continue.");
    return 1;
  }
}
