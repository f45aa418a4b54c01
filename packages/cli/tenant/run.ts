/** Carries out `export`, `plan` and `apply`. Loaded when one of them runs: it brings the shapes of the API. */

import type { Api } from "#client/client.ts";
import { exportFiles } from "../commands/files.ts";
import { CommandError, exitCodes } from "../frame/errors.ts";
import type { Frame } from "../frame/frame.ts";
import { confirmed } from "../frame/output.ts";
import { type Difference, secretOf, type Value } from "./document.ts";
import { checkTarget, readFolder, writeFolder } from "./folder.ts";
import { kindNames, type Work } from "./kind.ts";
import { eachOf, KEY_SEPARATOR } from "./kinds/simple.ts";
import { type Change, kindsOf, MissingSecret, type Plan, planOf, rankOf, readTenant, reasonOf } from "./plan.ts";

const VALUE_MOST = 300;
const NO_CHANGES = "No changes.";

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
  const files = resources.length === 1 ? "1 file" : `${resources.length} files`;
  frame.out.done(`${files} in ${folder}.`, { folder, ...counts });
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
    out.done(NO_CHANGES, { changes: [], failed: [] });
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
  if (unread.length > 0)
    frame.out.note(`Not read, because the names are not those of resource files: ${unread.join(", ")}.`);
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
  if (changes.length === 0 && refused.length === 0) out.done(NO_CHANGES, undefined);
  if (unrehearsed.length > 0) {
    out.note(`${unrehearsed.length} changes depend on others in this plan, and were not checked.`);
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
  throw new CommandError(lines.join("\n"), exitCodes.failed, "Finished work is kept. Run the same command again.");
}

/** What became of a change. */
export interface Outcome {
  readonly change: Change;
  /** Absent: it is done. */
  readonly failure?: string;
}

/** Carries out all changes. One that fails stops no other, but for those that depend on it. */
export async function carryOut(
  api: Api,
  { changes, ids, deployment }: Plan,
  secret: Work["secret"],
  onDone: () => void,
): Promise<readonly Outcome[]> {
  const work: Work = { api, ids, deployment, dryRun: false, secret };
  const outcomes = new Map<Change, Outcome>();
  const attempt = async (change: Change, run: () => Promise<void>) => {
    try {
      await run();
      outcomes.set(change, { change });
    } catch (error) {
      outcomes.set(change, { change, failure: reasonOf(error) });
    }
  };
  const ranks = new Map(changes.map((change) => [change, rankOf(change, ids)]));
  const links: Change[] = [];
  for (const rank of [...new Set(ranks.values())].sort((one, other) => one - other)) {
    // What new applications refer to may be created after them, and before anything is deleted.
    if (rank > LAST_CREATION) await link();
    await eachOf(
      changes.filter((change) => ranks.get(change) === rank),
      async (change) => {
        const isNew = change.action === "create";
        const steps = isNew ? change.steps.filter(({ isLater }) => !isLater) : change.steps;
        await attempt(change, async () => {
          for (const step of steps) await step.run(work);
        });
        if (isNew && outcomes.get(change)?.failure === undefined) links.push(change);
        onDone();
      },
    );
  }
  await link();
  return changes.flatMap((change) => outcomes.get(change) ?? []);

  async function link(): Promise<void> {
    await eachOf(links.splice(0), (change) =>
      attempt(change, async () => {
        for (const step of change.steps) if (step.isLater) await step.run(work);
      }),
    );
  }
}

/** The rank of the last changes that are no deletions. */
const LAST_CREATION = 5;
