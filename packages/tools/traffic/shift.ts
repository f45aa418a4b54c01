/**
 * Moves the traffic of a stage to the versions that were deployed last, share by share. Calls of trial before, its
 * alarms, and a comparison of new and old versions are the brakes (decisions 0071, 0175).
 */
import type { Provisioned, ShiftPlan } from "../../../stacks/traffic.ts";
import type { Brakes } from "./brakes.ts";
import { isWorse, SAMPLE_MIN } from "./comparison.ts";
import type { Fleet, Live, Traffic } from "./fleet.ts";
import { allOf, goBack, isChangedMeanwhile, messageOf, percent, stateOf } from "./going-back.ts";
import { momentOf } from "./history.ts";
import { keepOnlyLive, keepStarted, type Wait } from "./kept.ts";
import type { Compared, Measures } from "./measures.ts";
import { trialOf, wrongIn } from "./trial.ts";

/** What to do. */
export interface Shifting {
  readonly fleet: Fleet;
  /** `undefined`: no alarm stops the shift. */
  readonly brakes: Brakes | undefined;
  /** What new and old versions have answered. */
  readonly measures: Measures;
  readonly plan: ShiftPlan;
  readonly provisioned: Provisioned;
  /** True: says what would be done, and changes nothing. */
  readonly isDry: boolean;
  /** The present time, in milliseconds. */
  readonly now: () => number;
  readonly wait: Wait;
  readonly print: (line: string) => void;
}

/** `back`: the traffic is where it was before. */
export type Outcome = "moved" | "back" | "refused";

const POLL_MS = 10_000;
const MINUTE_MS = 60_000;
/** A new version is usable within seconds, in a network within minutes. */
const STATE_POLLS_MAX = 30;

/** A function whose newest version does not have all traffic. */
interface Moving {
  readonly live: Live;
  readonly to: string;
}

/**
 * Moves the traffic, or continues a run that was killed. Whatever goes wrong after the first change moves all of it
 * back. Throws the error of going back if that fails too.
 */
export async function shift(given: Shifting): Promise<Outcome> {
  const { fleet, brakes, plan, provisioned, isDry, now, wait, print } = given;
  const functions = await fleet.read();
  for (const live of functions) print(stateOf(live));
  const moving = functions
    .filter(({ version, newest }) => version !== newest)
    .map((live) => ({ live, to: live.newest }));
  if (moving.length === 0) {
    print("Every function serves the version that was deployed last.");
    if (!isDry) await keepOnlyLive(fleet, functions, provisioned, print);
    return "moved";
  }
  const open = openShift(moving);
  const isContinued = open !== undefined;
  const at = open ?? momentOf(now());
  const begun = Math.max(0, ...moving.map(({ live }) => live.share?.weight ?? 0));
  const weights = plan.percents.map((each) => each / 100).filter((weight) => weight >= begun);
  print(
    `${isContinued ? `Continues the shift of ${at}: ` : ""}${moving.length} functions, ${[...weights, 1].map(percent).join(", ")}, ${plan.minutes} minutes each.`,
  );
  const raised = (await brakes?.raised()) ?? [];
  if (raised.length > 0 && !isContinued) {
    print(`Refused, because alarms are raised: ${raised.join(", ")}. --ignore-alarms shifts a repair all the same.`);
    return "refused";
  }
  if (isDry) return "moved";
  const versions = moving.map(({ live, to }) => ({ live, version: to }));
  try {
    if (raised.length > 0) throw new Braked(raised);
    await allOf(moving.map((each) => usable(fleet, each, wait)));
    await allOf(moving.map((each) => tried(fleet, each)));
    // Recorded before anything moves, so that a run that is killed is one shift with the run that continues it.
    await record(fleet, moving, at);
    await keepStarted(fleet, versions, provisioned, wait);
    for (const weight of weights) {
      await move(fleet, moving, at, weight);
      print(`${percent(weight)} of the traffic has the new versions.`);
      await watch(given, { moving, sinceMs: Date.parse(at) }, plan.minutes);
    }
    await move(fleet, moving, at, 1);
    print("All traffic has the new versions.");
    await watch(given, { moving, sinceMs: Date.parse(at), wholeSinceMs: now() }, plan.minutes);
  } catch (error) {
    print(`Going back: ${messageOf(error)}`);
    await goBack(fleet, at, print);
    const isKept = keepOnlyLive(fleet, await fleet.read(), provisioned, print);
    await isKept.catch((failure: unknown) => print(`Environments are not kept started: ${messageOf(failure)}`));
    return "back";
  }
  await keepOnlyLive(fleet, await fleet.read(), provisioned, print);
  print(`Done. The way back: npm run rollback. It is recorded as the shift of ${at}.`);
  return "moved";
}

/**
 * The shift that a killed run has left: its functions have still the version that they go back to. Shares that somebody
 * set by hand belong to no shift.
 */
function openShift(moving: readonly Moving[]): string | undefined {
  const open = moving.flatMap(({ live }) => live.shifts.slice(0, 1).filter(({ from }) => from === live.version));
  return open
    .map(({ at }) => at)
    .sort()
    .at(-1);
}

/** An alarm is raised. */
class Braked extends Error {
  constructor(raised: readonly string[]) {
    super(`alarms are raised: ${raised.join(", ")} (docs/alarms.md).`);
  }
}

/** A new version fails more often than the old one. */
class Worse extends Error {
  constructor(worse: readonly Compared[]) {
    const each = worse.map(
      ({ service, from, to, old, fresh }) =>
        `${service}: ${fresh.errors} of ${fresh.requests} requests failed in version ${to}, ${old.errors} of ${old.requests} in version ${from}`,
    );
    super(`a new version is worse than the one before it. ${each.join("; ")}.`);
  }
}

/** Calls a new version as the gateway would. Throws an `Error` for people where it does not work. */
async function tried(fleet: Fleet, { live, to }: Moving): Promise<void> {
  for (const { name, event } of trialOf(live.service)) {
    const { answer, failure } = await fleet.call(live, to, event);
    const wrong = failure ?? wrongIn(live.service, answer);
    if (wrong !== undefined) throw new Error(`version ${to} of ${live.service} does not work. ${name}: ${wrong}.`);
  }
}

async function usable(fleet: Fleet, { live, to }: Moving, wait: Wait): Promise<void> {
  for (let polls = 0; ; polls += 1) {
    const state = await fleet.stateOf(live, to);
    if (state === "Active" || state === "Inactive") return;
    if (state === "Failed" || polls === STATE_POLLS_MAX) {
      throw new Error(`version ${to} of ${live.service} cannot be used: AWS says that it is ${state}.`);
    }
    await wait(POLL_MS);
  }
}

async function record(fleet: Fleet, moving: readonly Moving[], at: string): Promise<void> {
  const open = moving.filter(({ live }) => live.shifts[0]?.at !== at);
  await allOf(
    open.map(({ live }) => point(fleet, live, { ...live, shifts: [{ at, from: live.version }, ...live.shifts] })),
  );
}

/** Gives new versions a part of the traffic, or all of it. */
async function move(fleet: Fleet, moving: readonly Moving[], at: string, weight: number): Promise<void> {
  const now = await fleet.read();
  await allOf(
    moving.map(async ({ live: { service, version }, to }) => {
      const live = now.find((each) => each.service === service);
      // A rollback that was started meanwhile has taken the shift out of the description.
      if (live?.version !== version || live.shifts[0]?.at !== at) throw new Error(CHANGED);
      const { shifts } = live;
      await point(
        fleet,
        live,
        weight < 1 ? { version, share: { version: to, weight }, shifts } : { version: to, shifts },
      );
    }),
  );
}

async function point(fleet: Fleet, live: Live, traffic: Traffic): Promise<void> {
  await fleet.point(live, traffic).catch((error: unknown) => {
    throw isChangedMeanwhile(error) ? new Error(CHANGED) : error;
  });
}

const CHANGED = "another run changed the traffic.";

/** What is compared while a share is watched. */
interface Watching {
  readonly moving: readonly Moving[];
  readonly sinceMs: number;
  /** When the new versions got all traffic. */
  readonly wholeSinceMs?: number;
}

/**
 * Looks at the alarms for so many minutes, at least once, and compares the versions every minute. Throws `Braked` when
 * one is raised, and `Worse` for a new version that fails.
 */
async function watch({ brakes, measures, wait, now, print }: Shifting, watching: Watching, minutes: number) {
  const { moving, ...span } = watching;
  const pairs = moving.map(({ live, to }) => ({
    service: live.service,
    functionName: live.functionName,
    from: live.version,
    to,
  }));
  for (let leftMs = minutes * MINUTE_MS; ; leftMs -= POLL_MS) {
    const raised = (await brakes?.raised()) ?? [];
    if (raised.length > 0) throw new Braked(raised);
    const isOver = leftMs <= 0;
    if (isOver || leftMs % MINUTE_MS === 0) {
      const compared = await measures.read(pairs, { ...span, nowMs: now() });
      const worse = compared.filter(({ fresh, old }) => isWorse(fresh, old));
      if (worse.length > 0) throw new Worse(worse);
      if (isOver) return sayUnknown(compared, print);
    }
    await wait(Math.min(POLL_MS, leftMs));
  }
}

/** Says which versions had too few requests: people know then what was not compared. */
function sayUnknown(compared: readonly Compared[], print: (line: string) => void): void {
  const few = compared.filter(({ fresh }) => fresh.requests < SAMPLE_MIN);
  if (few.length === 0) return;
  const each = few.map(({ service, fresh }) => `${service} (${fresh.requests})`);
  print(`Too few requests to compare: ${each.join(", ")}. These versions have answered the calls of trial.`);
}
