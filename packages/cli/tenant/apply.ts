/** Carries out a plan. A run that was stopped is continued by the next one, because each plan begins with what is. */
import type { Api } from "#client/client.ts";
import type { Work } from "./kind.ts";
import { eachOf } from "./kinds/simple.ts";
import { type Change, type Plan, rankOf, reasonOf } from "./plan.ts";

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
