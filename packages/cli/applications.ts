/** `npm run applications`: moves all applications of a tenant out to files, or in from files, through the HTTP API alone. */
import { openApi, RunEnded } from "./transfer/client.ts";
import { exportAll } from "./transfer/export.ts";
import { importAll } from "./transfer/import.ts";
import { type Options, readOptions, UsageError } from "./transfer/options.ts";
import { type Outcome, type Result, reportLines } from "./transfer/report.ts";

const outcomes: Readonly<Record<"export" | "import", readonly Outcome[]>> = {
  export: ["exported", "incomplete", "skipped", "refused"],
  import: ["created", "updated", "incomplete", "skipped", "refused"],
};

process.exitCode = await main();

/** Ends with 0 when everything was done, 1 when something was refused or is incomplete or the run ended early, 2 for a wrong command line. */
async function main(): Promise<number> {
  try {
    const options = readOptions(process.argv.slice(2), process.env);
    const results = await perform(options);
    for (const line of reportLines(results, outcomes[options.task.kind])) console.log(line);
    return results.some(({ outcome }) => outcome === "refused" || outcome === "incomplete") ? 1 : 0;
  } catch (error) {
    if (!(error instanceof UsageError || error instanceof RunEnded)) throw error;
    console.error(error.message);
    if (error instanceof RunEnded) console.error("What was done stays done: run the same command again to go on.");
    return error instanceof UsageError ? 2 : 1;
  }
}

function perform({ task, url, authorization }: Options): Promise<readonly Result[]> {
  const api = openApi(url, authorization);
  return task.kind === "export"
    ? exportAll(api, { folder: task.folder, url, hasSecrets: task.hasSecrets })
    : importAll(api, task.folder, task.replaces);
}
