/**
 * `npm run shift -- --stage <stage>`: moves the traffic of a stage to the versions that `sst deploy` created last
 * (decision 0071). `USAGE` has the options. Needs AWS_REGION and credentials that may read and change aliases, call
 * functions and read metrics. Exit codes: 0 moved, 1 refused or failed, 2 went back.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { openBrakes } from "./brakes.ts";
import { optionsOf, Refused, trafficOf } from "./command.ts";
import { openFleet } from "./fleet.ts";
import { messageOf } from "./going-back.ts";
import { openMeasures } from "./measures.ts";
import { shift } from "./shift.ts";

const USAGE = `npm run shift -- --stage <stage> [--dry-run] [--ignore-alarms]

  --stage <stage>  production or staging; the traffic of other stages moves with each deployment
  --dry-run        say what each function serves and what would be done, and change nothing
  --ignore-alarms  do not look at alarms: for a repair while they are raised

Settings, in .env.<stage> or the environment: SHIFT (shares in percent such as 10,50, or at-once; default 10),
SHIFT_MINUTES (default 5), PROVISIONED_CONCURRENCY. First each new version answers calls of trial. An alarm, a new
version that fails more often than the old one, Ctrl-C or a failure moves all traffic back. A run that was killed is
continued by the same command, or taken back by npm run rollback.`;

const CODES = { moved: 0, refused: 1, back: 2 } as const;

process.exitCode = await main(process.argv.slice(2));

async function main(words: readonly string[]): Promise<number> {
  const interruption = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => interruption.abort());
  const { signal } = interruption;
  const wait = async (ms: number): Promise<void> => {
    await sleep(ms, undefined, { signal }).catch(() => {
      throw new Error("it was interrupted.");
    });
  };
  try {
    const { stage, isDry, ignoresAlarms } = optionsOf(words, USAGE, ["ignore-alarms"]);
    const { shift: plan, provisioned } = trafficOf(stage, process.cwd(), process.env);
    const fleet = openFleet(stage.name);
    const brakes = ignoresAlarms ? undefined : openBrakes(stage.name);
    const measures = openMeasures(stage.name);
    try {
      return CODES[
        await shift({ fleet, brakes, measures, plan, provisioned, isDry, now: Date.now, wait, print: console.log })
      ];
    } finally {
      fleet.close();
      brakes?.close();
      measures.close();
    }
  } catch (error) {
    console.error(error instanceof Refused ? error.message : `npm run shift failed: ${messageOf(error)}`);
    return 1;
  }
}
