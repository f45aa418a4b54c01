/**
 * `npm run index`: completes, checks and mends the indexes of users that deployment.toml declares (decision 0095). With
 * TABLE_NAME in the environment it works on a deployment, while it serves requests; otherwise on the data directory of
 * the local service, which must be stopped. Continues where an earlier run ended. Exit codes: 0 every index is complete
 * and right, 1 refused or failed (run it again to continue), 2 something is wrong that the lines say.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { SingleBar } from "cli-progress";
import { SUPER_TENANT } from "#core/domain/tenant.ts";
import { tenantStore } from "#core/domain/tenant-store.ts";
import { declaredIndexes } from "#core/identities/users/declared-indexes.ts";
import { TRUSTED_MS } from "#core/identities/users/index-rows.ts";
import { systemClock } from "#core/platform/clock.ts";
import { Fault } from "#core/platform/faults.ts";
import { deploymentFromFile } from "#core/settings/deployment.ts";
import { userStoreNames } from "#core/settings/user-stores.ts";
import { openTable, type TableConfig } from "#core/table/dynamo.ts";
import { newMeter } from "#core/table/meter.ts";
import type { Table } from "#core/table/table.ts";
import { tableConfig } from "#functions/env.ts";
import { openLocalData } from "../local-data.ts";
import { build } from "./build.ts";
import { check, switchOff } from "./check.ts";
import type { IndexWork, Progress, StorePlace } from "./work.ts";

const TIMEOUTS = { callMs: 20_000, requestMs: 0, attemptMs: 10_000 };
const RATE = 200;
const RATE_MAX = 100_000;
/** The longest request, after the time for which a function trusts what it has read. */
const SETTLED_MS = TRUSTED_MS + 30_000;

const USAGE = `npm run index -- [--check | --repair | --off] [--tenant <domain>] [--rate <users>]

  (nothing)           complete the indexes that deployment.toml declares; lists use each as soon as it is complete
  --check             compare the complete indexes with the users, and write nothing
  --repair            the same, and mend what differs
  --off               lists use no index any more; the next run completes them again
  --tenant <domain>   the user stores of this tenant only
  --rate <users>      users per second that are read and at most written; default ${RATE}

Set TABLE_NAME to the table of a deployment, or DATA_DIR to the data directory of a local service that is stopped.
DEPLOYMENT_TOML is the file that the functions have; by default that of this directory.`;

if (import.meta.main) {
  process.exitCode = await run(process.argv.slice(2), process.env, console.log, console.error);
}

/** Executes the command. Returns the exit code. */
export async function run(
  words: readonly string[],
  environment: NodeJS.ProcessEnv,
  print: (line: string) => void,
  complain: (line: string) => void,
): Promise<0 | 1 | 2> {
  try {
    const { does, tenant, rate } = optionsOf(words);
    const deployment = deploymentFromFile(environment.DEPLOYMENT_TOML ?? ownFile());
    const { config, settledMs, close } = await placeOf(environment);
    try {
      const table = openTable(config)(newMeter());
      const work: IndexWork = {
        table,
        declared: declaredIndexes(deployment.indexes),
        stores: await storesOf(table, userStoreNames(deployment.userStores), deployment.userStores, tenant),
        rate,
        settledMs,
        now: systemClock.now,
        wait: (ms) => sleep(ms),
        print,
        progress: newProgress,
      };
      return (await does(work)) ? 0 : 2;
    } finally {
      await close();
    }
  } catch (error) {
    complain(error instanceof Fault ? error.description : error instanceof Error ? error.message : String(error));
    return 1;
  }
}

/** The user stores in the table, of all tenants or of one. */
async function storesOf(
  table: Table,
  storesIn: ReturnType<typeof userStoreNames>,
  declared: ReturnType<typeof deploymentFromFile>["userStores"],
  only: string | undefined,
): Promise<readonly StorePlace[]> {
  const tenants = [SUPER_TENANT, ...(await tenantStore(table).domains()).filter((domain) => domain !== SUPER_TENANT)];
  if (only !== undefined && !tenants.includes(only)) throw new Error(`--tenant: there is no tenant "${only}".`);
  const isDirectory = (tenant: string, name: string) =>
    declared.some(({ domain, directory }) => domain === name && directory?.tenant === tenant);
  return tenants
    .filter((tenant) => only === undefined || tenant === only)
    .flatMap((tenant) =>
      storesIn(tenant).flatMap((userStore) => (isDirectory(tenant, userStore) ? [] : [{ tenant, userStore }])),
    );
}

async function placeOf(
  environment: NodeJS.ProcessEnv,
): Promise<{ readonly config: TableConfig; readonly settledMs: number; readonly close: () => Promise<void> }> {
  if (environment.TABLE_NAME) {
    const { requestDeadlineMs: _, ...config } = tableConfig(TIMEOUTS, environment);
    return { config, settledMs: SETTLED_MS, close: async () => undefined };
  }
  const { config, close } = await openLocalData(environment);
  return { config: { ...config, deadlineMs: TIMEOUTS.callMs }, settledMs: 0, close };
}

function optionsOf(words: readonly string[]) {
  const { check: isCheck, repair: isRepair, off: isOff, tenant, rate } = parsed(words);
  if ([isCheck, isRepair, isOff].filter((one) => one).length > 1) {
    throw new Error(`--check, --repair and --off exclude each other.\n\n${USAGE}`);
  }
  const does = (work: IndexWork): Promise<boolean> => {
    if (isOff) return switchOff(work);
    return isCheck || isRepair ? check(work, isRepair === true) : build(work);
  };
  return { does, tenant, rate: rateOf(rate) };
}

function parsed(words: readonly string[]) {
  try {
    const options = {
      check: { type: "boolean" },
      repair: { type: "boolean" },
      off: { type: "boolean" },
      tenant: { type: "string" },
      rate: { type: "string" },
    } as const;
    return parseArgs({ args: [...words], options }).values;
  } catch (error) {
    throw new Error(`${error instanceof Error ? error.message : error}\n\n${USAGE}`);
  }
}

function rateOf(text: string | undefined): number {
  if (text === undefined) return RATE;
  const rate = /^[1-9]\d*$/.test(text) ? Number(text) : 0;
  if (rate >= 1 && rate <= RATE_MAX) return rate;
  throw new Error(`--rate must be a number from 1 to ${RATE_MAX}, not "${text}".\n\n${USAGE}`);
}

function newProgress(title: string, total: number): Progress {
  const format = `${title} {bar} {percentage} % of {total}, {eta_formatted} left`;
  const bar = new SingleBar({ format, clearOnComplete: true, stream: process.stderr });
  bar.start(total, 0);
  return { add: (count) => bar.increment(count), stop: () => bar.stop() };
}

function ownFile(): string {
  return fileURLToPath(new URL("../../../deployment.toml", import.meta.url));
}
