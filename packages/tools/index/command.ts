/**
 * `npm run index`: completes, checks and mends the indexes of users that deployment.toml declares (decision 0095), and
 * those of applications (decision 0136). With TABLE_NAME in the environment it works on a deployment, while it serves
 * requests; otherwise on the data directory of the local service, which must be stopped. Continues where an earlier run
 * ended. Exit codes: 0 every index is complete and right, 1 refused or failed (run it again to continue), 2 something
 * is wrong that the lines say.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { SingleBar } from "cli-progress";
import { openTable } from "#core/database/table/dynamo.ts";
import { newMeter } from "#core/database/table/meter.ts";
import type { Table } from "#core/database/table/table.ts";
import { tenantStore } from "#core/directory/tenant-store.ts";
import { declaredIndexes } from "#core/directory/users/declared-indexes.ts";
import { TRUSTED_MS } from "#core/directory/users/index-rows.ts";
import { systemClock } from "#core/kernel/clock.ts";
import { SUPER_TENANT } from "#core/kernel/domain/tenant.ts";
import { deploymentFromFile } from "#core/service/settings/deployment.ts";
import { userStoreNames } from "#core/service/settings/user-stores.ts";
import { asksForHelp, failureText, parsedWords, placeOf, wholeNumber } from "../command-line.ts";
import { checkApplications, completeApplications, switchApplicationsOff } from "./applications.ts";
import { build } from "./build.ts";
import { check, switchOff } from "./check.ts";
import type { IndexWork, Progress, StorePlace } from "./work.ts";

const RATE = 200;
const RATE_MAX = 100_000;
/** The longest request, after the time for which a function trusts what it has read. */
const SETTLED_MS = TRUSTED_MS + 30_000;

const USAGE = `npm run index -- [--check | --repair | --off] [--tenant <domain>] [--rate <users>]

  (nothing)           complete the indexes that deployment.toml declares, and those of applications; lists use each as soon
                      as it is complete
  --check             compare the complete indexes with users and applications, and those of names with their entries;
                      write nothing
  --repair            the same, and mend what differs
  --off               lists use no index any more; the next run completes them again
  --tenant <domain>   the user stores and applications of this tenant only
  --rate <users>      users or applications per second that are read and at most written; default ${RATE}

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
  if (asksForHelp(words)) {
    print(USAGE);
    return 0;
  }
  try {
    const { does, tenant, rate } = optionsOf(words);
    const deployment = deploymentFromFile(environment.DEPLOYMENT_TOML ?? ownFile());
    const { config, isDeployed, close } = await placeOf(environment);
    try {
      const table = openTable(config)(newMeter());
      const tenants = await tenantsOf(table, tenant);
      const work: IndexWork = {
        table,
        declared: declaredIndexes(deployment.indexes),
        stores: storesOf(tenants, userStoreNames(deployment.userStores), deployment.userStores),
        tenants,
        rate,
        settledMs: isDeployed ? SETTLED_MS : 0,
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
    complain(failureText(error));
    return 1;
  }
}

/** All tenants, or one. */
async function tenantsOf(table: Table, only: string | undefined): Promise<readonly string[]> {
  const tenants = [SUPER_TENANT, ...(await tenantStore(table).domains()).filter((domain) => domain !== SUPER_TENANT)];
  if (only !== undefined && !tenants.includes(only)) throw new Error(`--tenant: there is no tenant "${only}".`);
  return tenants.filter((tenant) => only === undefined || tenant === only);
}

/** The user stores of tenants in the table. */
function storesOf(
  tenants: readonly string[],
  storesIn: ReturnType<typeof userStoreNames>,
  declared: ReturnType<typeof deploymentFromFile>["userStores"],
): readonly StorePlace[] {
  const isDirectory = (tenant: string, name: string) =>
    declared.some(({ domain, directory }) => domain === name && directory?.tenant === tenant);
  return tenants.flatMap((tenant) =>
    storesIn(tenant).flatMap((userStore) => (isDirectory(tenant, userStore) ? [] : [{ tenant, userStore }])),
  );
}

/** Completes the indexes of users and of applications. */
async function buildAll(work: IndexWork): Promise<boolean> {
  const areUsersDone = await build(work);
  return (await completeApplications(work)) && areUsersDone;
}

async function checkAll(work: IndexWork, isMending: boolean): Promise<boolean> {
  const areUsersRight = await check(work, isMending);
  return (await checkApplications(work, isMending)) && areUsersRight;
}

async function switchAllOff(work: IndexWork): Promise<boolean> {
  await switchApplicationsOff(work);
  return switchOff(work);
}

function optionsOf(words: readonly string[]) {
  const {
    check: isCheck,
    repair: isRepair,
    off: isOff,
    tenant,
    rate,
  } = parsedWords(words, USAGE, {
    check: { type: "boolean" },
    repair: { type: "boolean" },
    off: { type: "boolean" },
    tenant: { type: "string" },
    rate: { type: "string" },
  }).values;
  if ([isCheck, isRepair, isOff].filter((one) => one).length > 1) {
    throw new Error(`--check, --repair and --off exclude each other.\n\n${USAGE}`);
  }
  const does = (work: IndexWork): Promise<boolean> => {
    if (isOff) return switchAllOff(work);
    return isCheck || isRepair ? checkAll(work, isRepair === true) : buildAll(work);
  };
  return { does, tenant, rate: wholeNumber("rate", rate, { fallback: RATE, most: RATE_MAX, usage: USAGE }) };
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
