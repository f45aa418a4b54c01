/** `import`, `export`, `users import` and `users export`: what the older programs do, with the caller of this one. */

import { access } from "node:fs/promises";
import { type Command, Option } from "commander";
import { basic, openApi } from "../client.ts";
import { CommandError, exitCodes, wrongInput } from "../frame/errors.ts";
import { action, type Frame } from "../frame/frame.ts";
import { type Outcome, type Result, reportLines } from "../report.ts";
import { several } from "./kinds.ts";

const exported: readonly Outcome[] = ["exported", "incomplete", "skipped", "refused"];
const imported: readonly Outcome[] = ["created", "updated", "incomplete", "skipped", "refused"];

/** Declares them. `exports` is the command `export`, which writes a tenant as a folder without `--format files`. */
export function declareFiles(program: Command, users: Command | undefined): void {
  const read = program
    .command("import <folder>")
    .description("import applications from files of Identity Server")
    .option("--update", "replace existing applications; otherwise they are skipped")
    .option("--dry-run", "check every file and change nothing");
  action<{ readonly update?: boolean; readonly dryRun?: boolean }, [string]>(read, async (frame, folder) => {
    const { importAll } = await import("../import.ts");
    const { update: replaces = false, dryRun: isRehearsal = false, quiet: isQuiet } = frame.options;
    const results = await importAll(await serverOf(frame), folder, { replaces, isRehearsal, isQuiet });
    if (isRehearsal && !frame.out.isJson) frame.out.line("Dry run: nothing was changed.", undefined);
    report(frame, results, imported);
  });

  const usersIn = users
    ?.command("import <file>")
    .description("import users from a file of another system, with their passwords")
    .option("--from <format>", "the format of the file; otherwise detected from its name and content")
    .option("--map <field=attribute>", "map a field to an attribute; can be repeated", several)
    .addOption(new Option("--wso2-hash <hash>", "how WSO2 Identity Server hashed passwords"))
    .option("--dry-run", "check everything and change nothing");
  if (usersIn) {
    action<UsersValues, [string]>(usersIn, async (frame, file) => {
      // Parsers of all formats: loaded where one is needed.
      const { importUsers } = await import("../users/import.ts");
      const { optionsOf } = await import("../users/options.ts");
      const { summaryOf, writeRefused } = await import("../users/report.ts");
      const { from, map, wso2Hash, dryRun } = frame.options;
      await access(file);
      const task = await optionsOf("import", file, { from, map, "wso2-hash": wso2Hash, "dry-run": dryRun }, {});
      if (task.kind !== "import") return;
      const result = await importUsers(await serverOf(frame), { ...task, isQuiet: frame.options.quiet });
      if (frame.out.isJson) frame.out.value({ ...result, dryRun: dryRun ?? false });
      else for (const line of summaryOf(result, task)) frame.out.line(line, line);
      if (result.refused.length === 0) return;
      const path = `${file}.refused.csv`;
      await writeRefused(path, result.refused);
      throw new CommandError("Some users were refused.", exitCodes.failed, `See the reasons: ${path}`);
    });
  }

  const usersOut = users
    ?.command("export")
    .description("write users to a file")
    .requiredOption("--out <file>", ".csv for a table; otherwise SCIM users, one per line")
    .option("--filter <filter>", "a SCIM filter");
  if (!usersOut) return;
  action<UsersValues, []>(usersOut, async (frame) => {
    const { exportUsers } = await import("../users/export.ts");
    const { optionsOf } = await import("../users/options.ts");
    const { out: file, filter } = frame.options;
    const task = await optionsOf("export", undefined, { out: file, filter }, frame.environment);
    if (task.kind !== "export") return;
    const result = await exportUsers(await serverOf(frame), { ...task, isQuiet: frame.options.quiet });
    frame.out.done(`${result.users} users in ${file}.`, { ...result, file });
    if (result.withoutColumn > 0) {
      frame.out.note(`${result.withoutColumn} values have no column. To export all, use .jsonl.`);
    }
  });
}

interface UsersValues {
  readonly from?: string;
  readonly map?: readonly string[];
  readonly wso2Hash?: string;
  readonly dryRun?: boolean;
  readonly out?: string;
  readonly filter?: string;
}

/** Writes all applications as files of Identity Server. */
export async function exportFiles(frame: Frame, folder: string, hasSecrets: boolean): Promise<void> {
  const { exportAll } = await import("../export.ts");
  const server = await serverOf(frame);
  report(
    frame,
    await exportAll(server, { folder, url: server.url, hasSecrets, isQuiet: frame.options.quiet }),
    exported,
  );
}

function report({ out }: Frame, results: readonly Result[], outcomes: readonly Outcome[]): void {
  if (out.isJson) out.value(results);
  else for (const line of reportLines(results, outcomes)) out.line(line, line);
  if (results.some(({ outcome }) => outcome === "refused" || outcome === "incomplete")) {
    throw new CommandError("Some applications are missing or incomplete.", exitCodes.failed, "The table says why.");
  }
}

/** The client of the older programs, for the caller of this one. */
async function serverOf(frame: Frame) {
  const { credentials } = await frame.caller();
  const api = await frame.api();
  if ("username" in credentials) {
    const { username, password } = credentials;
    return openApi(api.url, basic(username, password));
  }
  const token = await api.token();
  if (token === undefined) throw wrongInput("There is no token.");
  return openApi(api.url, `Bearer ${token}`);
}
