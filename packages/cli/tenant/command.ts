/** `export`, `plan` and `apply`: a tenant as a folder (docs/tenant-folder.md). */
import { type Command, Option } from "commander";
import { action } from "../frame/frame.ts";

export interface ExportValues {
  readonly out: string;
  readonly format: "folder" | "files";
  readonly clientIds?: boolean;
  readonly secrets?: boolean;
}
export interface PlanValues {
  readonly prune?: boolean;
  readonly yes?: boolean;
  readonly dryRun?: boolean;
}

export function declareTenant(program: Command): void {
  const write = program
    .command("export")
    .description("write a tenant as a folder: applications, API resources, groups, roles, templates")
    .requiredOption("--out <folder>", "an empty folder, or one of an earlier export")
    .option("--client-ids", "write the ids of OAuth clients too")
    .addOption(
      new Option("--format <format>", "folder: YAML files; files: applications alone, as files of Identity Server")
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
    .description("show what apply would do; exit code 2 if that is anything")
    .option("--prune", "also delete what the folder does not have");
  action<PlanValues, [string]>(plan, async (frame, folder) => {
    const { planTenant } = await import("./run.ts");
    await planTenant(frame, folder);
  });

  const apply = program
    .command("apply <folder>")
    .description("make the tenant as the folder says")
    .option("--prune", "also delete what the folder does not have")
    .option("--dry-run", "show it and change nothing")
    .option("--yes", "do not ask");
  action<PlanValues, [string]>(apply, async (frame, folder) => {
    const { applyTenant } = await import("./run.ts");
    await applyTenant(frame, folder);
  });
}
