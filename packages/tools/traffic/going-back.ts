/** Going back: the functions that a shift changed get the version that they had before it. */
import type { Fleet, Live } from "./fleet.ts";

/** The functions of a stage that the latest shift changed, and its moment; `undefined` where none is recorded. */
export interface Latest {
  readonly at: string;
  readonly changed: readonly Live[];
}

/** The latest shift, complete or not. */
export function latestOf(fleet: readonly Live[]): Latest | undefined {
  const at = fleet
    .flatMap(({ shifts }) => shifts.slice(0, 1))
    .map((shift) => shift.at)
    .sort()
    .at(-1);
  return at === undefined ? undefined : { at, changed: fleet.filter(({ shifts }) => shifts[0]?.at === at) };
}

/** What a function does, for people. */
export function stateOf({ service, version, share, newest }: Live): string {
  const parts = share
    ? `${percent(1 - share.weight)} version ${version}, ${percent(share.weight)} version ${share.version}`
    : `version ${version}`;
  return `${service.padEnd(24)}${parts}${newest === version ? "" : `; deployed: version ${newest}`}`;
}

/** A weight in percent. */
export function percent(weight: number): string {
  return `${Math.round(weight * 100)} %`;
}

/**
 * Gives all traffic of the functions that a shift changed back to the versions before it. Reads the aliases itself, and
 * again where another run changed one meanwhile, because going back must win. Throws an `Error` for people that names
 * the functions for which it failed; the others have gone back.
 */
export async function goBack(fleet: Fleet, at: string, print: (line: string) => void): Promise<void> {
  const changed = (await fleet.read()).filter(({ shifts }) => shifts[0]?.at === at);
  const results = await Promise.allSettled(changed.map((live) => goBackOne(fleet, live, at)));
  const failures = results.flatMap((result, index) => {
    const live = changed[index];
    if (!live) return [];
    if (result.status === "rejected") return [`${live.service}: ${messageOf(result.reason)}`];
    print(`${live.service.padEnd(24)}version ${live.shifts[0]?.from} has all traffic again`);
    return [];
  });
  if (failures.length > 0) {
    throw new Error(`These functions did NOT go back; run it again:\n  ${failures.join("\n  ")}`);
  }
}

async function goBackOne(fleet: Fleet, live: Live, at: string): Promise<void> {
  const [latest, ...shifts] = live.shifts;
  if (!latest || latest.at !== at) return;
  try {
    await fleet.point(live, { version: latest.from, shifts });
  } catch (error) {
    if (!isChangedMeanwhile(error)) throw error;
    const again = (await fleet.read()).find(({ service }) => service === live.service);
    if (again) await goBackOne(fleet, again, at);
  }
}

/** Waits for all, then throws the first error: a change that is still under way would come after the way back. */
export async function allOf(works: readonly Promise<void>[]): Promise<void> {
  const failed = (await Promise.allSettled(works)).find(({ status }) => status === "rejected");
  if (failed?.status === "rejected") throw failed.reason;
}

/** Whether an alias was changed since it was read. */
export function isChangedMeanwhile(error: unknown): boolean {
  return error instanceof Error && error.name === "PreconditionFailedException";
}

/** The message of an error, for people. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message || error.name : String(error);
}
