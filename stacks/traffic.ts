/**
 * The settings of the traffic of a stage: how it moves to new versions, and environments that are kept started for it
 * (decision 0071). Pure; `npm run shift` carries them out.
 */
import { type FunctionName, isBehindGateway, plan } from "./plan.ts";

/** How traffic moves to new versions: by shares, and then all of it. */
export interface ShiftPlan {
  /** Shares in percent, rising, each below 100. None: all at once. */
  readonly percents: readonly number[];
  /** Minutes for which alarms are watched after each share, and after all traffic has moved. */
  readonly minutes: number;
}

/** Environments that are kept started, by function. */
export type Provisioned = Readonly<Partial<Record<FunctionName, number>>>;

/** The variables with these settings. They have an effect only in a stage whose traffic is shifted. */
export const TRAFFIC_VARIABLES = ["SHIFT", "SHIFT_MINUTES", "PROVISIONED_CONCURRENCY"] as const;

/** A tenth of the traffic first: what is wrong for all shows, and nine tenths do not meet it. */
const SHARES = "10";
/** Enough for alarms that look at three of the last five minutes. */
const MINUTES = 5;
const MOST_MINUTES = 120;

/** Reads SHIFT and SHIFT_MINUTES. Throws an `Error` that names the wrong variable. */
export function shiftOf({ SHIFT: shares, SHIFT_MINUTES: minutes }: NodeJS.ProcessEnv): ShiftPlan {
  const isMinutes = !minutes || (/^\d{1,3}$/.test(minutes) && Number(minutes) <= MOST_MINUTES);
  if (!isMinutes) {
    throw new Error(`SHIFT_MINUTES must be a number of minutes from 0 to ${MOST_MINUTES}, not "${minutes}".`);
  }
  return { percents: percentsOf(shares || SHARES), minutes: minutes ? Number(minutes) : MINUTES };
}

function percentsOf(shares: string): readonly number[] {
  if (shares === "at-once") return [];
  const percents = shares.split(",").map((share) => (/^\s*\d{1,2}\s*$/.test(share) ? Number(share) : 0));
  if (percents.every((percent, at) => percent > (percents[at - 1] ?? 0))) return percents;
  throw new Error(`SHIFT must be at-once, or rising shares in percent below 100 such as 10,50, not "${shares}".`);
}

/**
 * Reads PROVISIONED_CONCURRENCY. `reserved` are executions of functions, which limit what can be kept started. Throws
 * an `Error` that names the wrong function.
 */
export function provisionedOf(
  { PROVISIONED_CONCURRENCY: text = "" }: NodeJS.ProcessEnv,
  reserved: Readonly<Partial<Record<FunctionName, number>>>,
): Provisioned {
  const pairs = text.split(",").flatMap((each) => (each.trim() === "" ? [] : [pairOf(each.trim())]));
  const provisioned: Provisioned = Object.fromEntries(pairs);
  for (const [name, most] of Object.entries(reserved)) {
    const kept = provisioned[name as FunctionName] ?? 0;
    if (kept <= most) continue;
    throw new Error(`PROVISIONED_CONCURRENCY keeps ${kept} of ${name} started, and ${most} executions are reserved.`);
  }
  return provisioned;
}

function pairOf(text: string): readonly [string, number] {
  const [, name = "", count] = /^([a-z0-9-]+)\s*=\s*([1-9]\d{0,3})$/.exec(text) ?? [];
  if (isNamed(name)) return [name, Number(count)];
  const known = Object.keys(plan).filter((each) => isNamed(each));
  throw new Error(
    `PROVISIONED_CONCURRENCY must be pairs such as authorizer=5,scim2=2; "${text}" is none. Functions: ${known.join(", ")}.`,
  );
}

function isNamed(name: string): boolean {
  return Object.hasOwn(plan, name) && isBehindGateway(name as FunctionName);
}

/** Refuses these settings where they would have no effect. Throws an `Error` that names the variable. */
export function checkTraffic(
  { name, isShifted }: { readonly name: string; readonly isShifted: boolean },
  environment: NodeJS.ProcessEnv,
): void {
  const set = TRAFFIC_VARIABLES.find((variable) => environment[variable]);
  if (!isShifted && set !== undefined) {
    throw new Error(`${set} has no effect: the traffic of ${name} moves with each deployment. Delete it.`);
  }
}
