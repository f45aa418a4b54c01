/** Carries out `export`, `plan` and `apply`. Loaded when one of them runs: it brings the shapes of the API. */
import { exportFiles } from "../commands/files.ts";
import { CommandError } from "../frame/errors.ts";
import { exitCodes } from "../frame/exit-codes.ts";
import type { Frame } from "../frame/frame.ts";
import { confirmed } from "../frame/prompts.ts";
import { carryOut, type Outcome } from "./apply.ts";
import type { ExportValues, PlanValues } from "./command.ts";
import type { Difference, Value } from "./document.ts";
import { checkTarget, readFolder, writeFolder } from "./folder.ts";
import { kindNames } from "./kind.ts";
import { KEY_SEPARATOR } from "./kinds/simple.ts";
import { type Change, kindsOf, MissingSecret, type Plan, planOf, readTenant } from "./plan.ts";
import { secretOf } from "./references.ts";

const VALUE_MOST = 300;

/** Writes a tenant as a folder, or its applications as files. Throws `CommandError` and `Fault`. */
export async function exportTenant(frame: Frame<ExportValues>): Promise<void> {
  const { out: folder, format, clientIds = false, secrets = false } = frame.options;
  if (format === "files") return exportFiles(frame, folder, secrets);
  await checkTarget(folder);
  const progress = frame.progress("read");
  const { found } = await readTenant(await frame.api(), kindsOf(clientIds), () => progress.add());
  progress.stop();
  const resources = kindNames.flatMap((kind) =>
    [...found[kind]].map(([key, { document }]) => ({ kind, key, document })),
  );
  await writeFolder(folder, resources);
  const counts = Object.fromEntries(kindNames.map((kind) => [kind, found[kind].size]));
  frame.out.done(`${resources.length} files in ${folder}.`, { folder, ...counts });
}

/** Shows what `apply` would do. Throws a `CommandError` with the exit code of changes, or of refusals. */
export async function planTenant(frame: Frame<PlanValues>, folder: string): Promise<void> {
  const planned = await planFor(frame, folder);
  show(frame, planned);
  refuse(planned);
  if (planned.changes.length > 0) throw new CommandError("", exitCodes.wouldChange);
}

/** Makes a tenant as its folder says. Throws a `CommandError` where a change was refused or failed. */
export async function applyTenant(frame: Frame<PlanValues>, folder: string): Promise<void> {
  const { options, out } = frame;
  const planned = await planFor(frame, folder);
  const { changes } = planned;
  if (options.dryRun || planned.refused.length > 0) {
    show(frame, planned);
    refuse(planned);
    return;
  }
  if (changes.length === 0) {
    out.done("No changes.", { changes: [], failed: [] });
    return;
  }
  if (!out.isJson) for (const change of changes) for (const line of linesOf(change)) out.line(line, line);
  await confirmed(`Make ${changes.length} changes?`, options.yes);
  const progress = frame.progress("apply", changes.length);
  const secret = (reference: string) => secretOf(reference, frame.environment);
  const outcomes = await carryOut(await frame.api(), planned, secret, () => progress.add());
  progress.stop();
  report(frame, outcomes);
}

async function planFor(frame: Frame<PlanValues>, folder: string): Promise<Plan> {
  const kinds = kindsOf(false);
  const { filed, unread } = await readFolder(folder, kinds);
  if (unread.length > 0) frame.out.note(`Not read, because no resource has such a name: ${unread.join(", ")}.`);
  const keepsIds = filed.some(({ document }) => /"clientId":/.test(JSON.stringify(document.protocols ?? {})));
  const [api, { credentials }] = [await frame.api(), await frame.caller()];
  const chosen = kindsOf(keepsIds);
  const progress = frame.progress("read");
  const tenant = await readTenant(api, chosen, () => progress.add());
  progress.stop();
  return planOf(api, chosen, filed, tenant, {
    prune: frame.options.prune ?? false,
    progress: (count) => frame.progress("rehearse", count),
    ownClientId: "clientId" in credentials ? credentials.clientId : undefined,
    // A rehearsal goes without a secret that is not here.
    secret: async (reference) => {
      try {
        return await secretOf(reference, frame.environment);
      } catch {
        throw new MissingSecret(reference);
      }
    },
  });
}

function show({ out }: Frame, planned: Plan): void {
  const { changes, unrehearsed, refused } = planned;
  if (out.isJson) {
    out.value({ changes: changes.map(asJson), refused, unrehearsed });
    return;
  }
  for (const change of changes) for (const line of linesOf(change)) out.line(line, line);
  if (unrehearsed.length > 0) {
    out.note(`${unrehearsed.length} changes depend on others of this plan, and were not rehearsed.`);
  }
}

/** Ends the command where the service would refuse a change. */
function refuse({ refused }: Plan): void {
  if (refused.length === 0) return;
  const lines = refused.map(({ file, reason }) => `${file}: ${reason}`);
  throw new CommandError(lines.join("\n"), exitCodes.failed, "The service refuses this. Nothing was changed.");
}

function asJson({ action: what, file, key, differences }: Change): object {
  return { action: what, file, name: nameOf(key), differences };
}

/** The key of a resource for people. */
function nameOf(key: string): string {
  return key.replace(KEY_SEPARATOR, "/");
}

const signs = { create: "+", update: "~", delete: "-" } as const;

/** The lines of a change: one for each leaf of an update. */
export function linesOf({ action: what, file, key, differences }: Change): readonly string[] {
  if (what !== "update") return [`${signs[what]} ${file} ${JSON.stringify(nameOf(key))}`];
  return differences.map((one) => `${signs[what]} ${file} ${one.path}: ${leaf(one, "from")} -> ${leaf(one, "to")}`);
}

function leaf(difference: Difference, side: "from" | "to"): string {
  const value: Value | undefined = difference[side];
  if (value === undefined) return "(default)";
  const text = JSON.stringify(value);
  return text.length > VALUE_MOST ? `${text.slice(0, VALUE_MOST)}…` : text;
}

function report({ out }: Frame, outcomes: readonly Outcome[]): void {
  const failed = outcomes.filter(({ failure }) => failure !== undefined);
  const counts = (what: Change["action"]) =>
    outcomes.filter(({ change, failure }) => change.action === what && failure === undefined).length;
  const sentence = `${counts("create")} created, ${counts("update")} updated, ${counts("delete")} deleted.`;
  out.done(sentence, {
    changes: outcomes.filter(({ failure }) => failure === undefined).map(({ change }) => asJson(change)),
    failed: failed.map(({ change, failure }) => ({ file: change.file, reason: failure })),
  });
  if (failed.length === 0) return;
  const lines = failed.map(({ change, failure }) => `${change.file}: ${failure}`);
  throw new CommandError(lines.join("\n"), exitCodes.failed, "What is done stays. Run the same command again.");
}
