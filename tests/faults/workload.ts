/** One run of a seed: writers and readers under faults, kills in the middle, then calm and every invariant. */
import { mkdir, writeFile } from "node:fs/promises";
import { setImmediate as immediately, setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { type FaultOdds, NO_FAULTS } from "#tests/support/fault-proxy.ts";
import { applicationsActor } from "./actors/applications.ts";
import { apisActor, templatesActor, tenantsActor } from "./actors/catalogues.ts";
import { groupsActor, preparePeople, rolesActor } from "./actors/groups.ts";
import { tokensActor } from "./actors/tokens.ts";
import { prepareShared, usersActor, verifyContested } from "./actors/users.ts";
import { newClient } from "./client.ts";
import { type Ledger, newLedger } from "./ledger.ts";
import { lists, verifyLists } from "./lists.ts";
import { type Actor, diceOf, type Run } from "./run-of-seed.ts";
import { startFaultyService, type Victim } from "./service.ts";
import { auditAfterSweep } from "./sweep.ts";

/** What happens in a run. */
export interface Plan {
  readonly seed: number;
  readonly odds: FaultOdds;
  /** The trouble ends after so many milliseconds, or earlier after that many acknowledged writes. */
  readonly troubleMs: number;
  readonly writes: number;
  /** Killed in the middle of the trouble, at even intervals. */
  readonly kills: readonly Victim[];
  /** Whether writes that need several transactions are part of the run. */
  readonly hasLarge: boolean;
}

/** What came of a run. */
export interface Result {
  /** The broken promises, each with its history; empty if all hold. */
  readonly report: string;
  /** One line: the plan, the faults and the responses. */
  readonly summary: string;
  readonly faults: Readonly<Record<string, number>>;
  readonly acknowledged: number;
}

/** Faults that the service repeats until they pass. Pages and silence are not among them yet: silent-seeds.test.ts. */
export const PASSING_FAULTS: FaultOdds = {
  ...NO_FAULTS,
  throttle: 0.04,
  conflict: 0.04,
  cut: 0.02,
  lost: 0.04,
  delay: 0.1,
  delayMs: 60,
  again: 0.6,
};

const acknowledgedIn = ({ statuses }: Ledger): number =>
  [...statuses].reduce((sum, [key, count]) => sum + (key.startsWith("write 2") ? count : 0), 0);

const PART_STEP_MS = 20;
const READERS = 2;
const READER_PAUSE_MS = 40;

const actorsOf = async (run: Run): Promise<{ readonly actors: readonly Actor[]; finish(): Promise<void> }> => {
  const shared = await prepareShared(run);
  const people = await preparePeople(run);
  const actors = [
    usersActor(run, 1, shared),
    usersActor(run, 2, shared),
    usersActor(run, 3, shared),
    groupsActor(run, 4, people),
    groupsActor(run, 5, people),
    rolesActor(run, 6, people),
    applicationsActor(run, 7),
    applicationsActor(run, 8),
    apisActor(run, 9),
    templatesActor(run, 10),
    tenantsActor(run, 11),
    tokensActor(run, 12),
  ];
  for (const actor of actors) await actor.prepare?.();
  return { actors, finish: () => verifyContested(run, shared) };
};

/** Writes the whole history to a file below `.build` and returns its path in the project. */
const keepHistory = async (seed: number, lines: readonly string[]): Promise<string> => {
  const path = `.build/faults/seed-${seed}.txt`;
  const file = fileURLToPath(new URL(`../../${path}`, import.meta.url));
  await mkdir(fileURLToPath(new URL("../../.build/faults", import.meta.url)), { recursive: true });
  await writeFile(file, `${lines.join("\n")}\n`);
  return path;
};

const tally = (counts: Iterable<readonly [string, number]>): string =>
  [...counts]
    .filter(([, count]) => count > 0)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, count]) => `${name} ${count}`)
    .join(", ");

/** Runs a plan from an empty table to the invariants. */
export const runPlan = async ({ seed, odds, troubleMs, writes, kills, hasLarge }: Plan): Promise<Result> => {
  const service = await startFaultyService(seed);
  try {
    const ledger = newLedger();
    const client = newClient(service, ledger);
    let [isOn, isCalm] = [true, false];
    const run: Run = { seed, client, ledger, hasLarge, isCalm: () => isCalm };
    const { actors, finish } = await actorsOf(run);
    service.proxy.set(odds);

    const writer = async (actor: Actor): Promise<void> => {
      while (isOn) {
        await actor.step();
        // A step that finds nothing to do sends nothing: without this, no timer and no answer would ever come.
        await immediately();
      }
    };
    const reader = async (_: unknown, at: number): Promise<void> => {
      const dice = diceOf(seed, 100 + at);
      while (isOn) {
        await client.read(dice.pick(lists).path);
        await pause(READER_PAUSE_MS);
      }
    };
    /** Waits for one of the parts into which the kills cut the trouble. */
    const part = async (at: number): Promise<void> => {
      const [ms, target] = [troubleMs / (kills.length + 1), (writes * at) / (kills.length + 1)];
      for (const begun = performance.now(); performance.now() - begun < ms; ) {
        if (acknowledgedIn(ledger) >= target) return;
        await pause(PART_STEP_MS);
      }
    };
    const trouble = async (): Promise<void> => {
      for (const [at, victim] of kills.entries()) {
        await part(at + 1);
        ledger.note(`KILL ${victim}`);
        // A service that starts needs its database; what was under way has met the faults.
        const killed = service.kill(victim);
        if (victim !== "engine") service.proxy.rule(() => "none");
        await killed;
        service.proxy.rule(undefined);
        ledger.note(`RESTARTED ${victim}`);
      }
      await part(kills.length + 1);
    };
    // Where a service does not start again, the writers must end too.
    const ended = trouble().finally(() => {
      isOn = false;
    });
    await Promise.all([ended, ...actors.map(writer), ...Array.from({ length: READERS }, reader)]);
    const faults = { ...service.proxy.counts };
    service.proxy.calm();
    isCalm = true;

    for (const actor of actors) await actor.verify();
    await finish();
    await verifyLists(run);
    for (const problem of await auditAfterSweep(service, hasLarge)) ledger.broken("", `in the table: ${problem}`);

    const report = ledger.report();
    const summary = `seed ${seed}, kills ${kills.join("+") || "none"}: ${tally(Object.entries(faults))}; ${tally(ledger.statuses)}`;
    const acknowledged = acknowledgedIn(ledger);
    if (report === "") return { report, summary, faults, acknowledged };
    const path = await keepHistory(seed, [summary, ...ledger.lines, "", "the service's log:", service.log()]);
    return {
      report: `Repeat with: SEED=${seed} npm run test:faults\nWhole history: ${path}\n${summary}\n${report}`,
      summary,
      faults,
      acknowledged,
    };
  } finally {
    await service.close();
  }
};
