/** `export`, `plan` and `apply`: a tenant as a folder (docs/tenant-folder.md). */
import { type Command, Option } from "commander";
import { action } from "../frame/frame.ts";
import type { ExportValues, PlanValues } from "./run.ts";

export function declareTenant(program: Command): void {
  const write = program
    .command("export")
    .description("write a tenant as a folder: applications, API resources, groups, roles, templates")
    .requiredOption("--out <folder>", "an empty folder, or the folder of an earlier export")
    .option("--client-ids", "include the ids of OAuth clients")
    .addOption(
      new Option("--format <format>", "folder: YAML files; files: only applications, as files of Identity Server")
        .choices(["folder", "files"])
        .default("folder"),
    )
    .option("--secrets", "with --format files: include client secrets");
  action<ExportValues, []>(write, async (frame) => {
    const { exportTenant } = await import("./run.ts");
    await exportTenant(frame);
  });

  const plan = program
    .command("plan <folder>")
    .description("show what apply would change; exit code 2 if there are changes")
    .option("--prune", "also delete what is missing from the folder");
  action<PlanValues, [string]>(plan, async (frame, folder) => {
    const { planTenant } = await import("./run.ts");
    await planTenant(frame, folder);
  });

  const apply = program
    .command("apply <folder>")
    .description("change the tenant to match the folder")
    .option("--prune", "also delete what is missing from the folder")
    .option("--dry-run", "show the changes without making them")
    .option("--yes", "do not ask");
  action<PlanValues, [string]>(apply, async (frame, folder) => {
    const { applyTenant } = await import("./run.ts");
    await applyTenant(frame, folder);
  });
}
