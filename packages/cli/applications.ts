/**
 * `npm run applications -- export|import ...`: exports all applications of a tenant to files, or imports them from
 * files, through the HTTP API (decision 0042). `options.ts` has the usage text.
 *
 * Prints a table with one row per outcome and reason; progress and errors go to standard error. Exit codes: 0 all done,
 * 1 some application was refused or is incomplete or the run stopped early, 2 wrong command line.
 */
import { UsageError } from "./caller.ts";
import { openApi, RunEnded } from "./client.ts";
import { exportAll } from "./export.ts";
import { importAll } from "./import.ts";
import { type Options, readOptions } from "./options.ts";
import { type Outcome, type Result, reportLines } from "./report.ts";

const outcomes: Readonly<Record<"export" | "import", readonly Outcome[]>> = {
  export: ["exported", "incomplete", "skipped", "refused"],
  import: ["created", "updated", "incomplete", "skipped", "refused"],
};

process.exitCode = await main();

async function main(): Promise<number> {
  try {
    const options = readOptions(process.argv.slice(2), process.env);
    const results = await perform(options);
    for (const line of reportLines(results, outcomes[options.task.kind])) console.log(line);
    return results.some(({ outcome }) => outcome === "refused" || outcome === "incomplete") ? 1 : 0;
  } catch (error) {
    if (!(error instanceof UsageError || error instanceof RunEnded)) throw error;
    console.error(error.message);
    if (error instanceof RunEnded)
      console.error("Finished applications are safe. Run the same command again to continue.");
    return error instanceof UsageError ? 2 : 1;
  }
}

function perform({ task, url, authorization }: Options): Promise<readonly Result[]> {
  const api = openApi(url, authorization);
  return task.kind === "export"
    ? exportAll(api, { folder: task.folder, url, hasSecrets: task.hasSecrets })
    : importAll(api, task.folder, { replaces: task.replaces });
}
