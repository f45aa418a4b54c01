/**
 * The indexes of applications (decision 0136): completes them, compares them with the applications, mends them, and
 * takes them out of use. Other than indexes of users, they are not declared: every tenant has one.
 */
import { applicationKind } from "#core/applications/registry/application-rows.ts";
import { mendApplication } from "#core/applications/registry/index-mending-store.ts";
import { idOfRecord, recordOf } from "#core/applications/registry/index-rows.ts";
import type { Application } from "#core/applications/registry/model.ts";
import { completing, isIndexComplete } from "#core/database/table/applications-index-rows.ts";
import { keys } from "#core/database/table/keys.ts";
import type { Versioned } from "#core/database/table/named-items.ts";
import { idOfText, recordText } from "#core/database/table/value-index/columns.ts";
import { inspectIndex, mendIndexRange } from "#core/database/table/value-index/inspect.ts";
import { type IndexWork, inRounds, PAGE, type Page, type Suspects, suspect, walk } from "./work.ts";

/** Completes the indexes that are switched off. True where the indexes of all tenants are complete. */
export async function completeApplications(work: IndexWork): Promise<boolean> {
  const { table, tenants, print } = work;
  let isDone = true;
  for (const tenant of tenants) {
    if (await isIndexComplete(table, tenant)) continue;
    if (await auditApplications(work, tenant, true)) {
      await table.write(completing(tenant, true));
      print(`${tenant}: lists use the index of applications.`);
    } else isDone = false;
  }
  if (isDone) print("The indexes of applications are complete.");
  return isDone;
}

/** Compares the complete indexes with the applications. True where all are complete, and right or mended. */
export async function checkApplications(work: IndexWork, isMending: boolean): Promise<boolean> {
  const { table, tenants, print } = work;
  let isRight = true;
  for (const tenant of tenants) {
    if (await isIndexComplete(table, tenant)) {
      isRight = (await auditApplications(work, tenant, isMending)) && isRight;
      continue;
    }
    const { items } = await table.query({ PK: keys.applicationEntries(tenant), limit: 1 });
    if (items.length === 0) continue;
    print(`${tenant}: the index of applications is not complete yet. Run npm run index.`);
    isRight = false;
  }
  if (isRight) print("The indexes of applications are as the applications are.");
  return isRight;
}

/** Lists read all applications again, until the indexes are completed. */
export async function switchApplicationsOff({ table, tenants }: IndexWork): Promise<void> {
  for (const tenant of tenants) {
    if (await isIndexComplete(table, tenant)) await table.write(completing(tenant, false));
  }
}

/**
 * Holds an index against the applications of its tenant, while the service runs: what differs is read again, one by
 * one. True where it is right in the end. Prints a line for each application and range that is wrong.
 */
function auditApplications(work: IndexWork, tenant: string, isMending: boolean): Promise<boolean> {
  const { table, print } = work;
  const ending = isMending ? "; mended" : "";
  return inRounds(isMending, async () => {
    const { suspects, brokenRanges } = await compare(work, tenant);
    let wrong = brokenRanges.size;
    for (const [low, problem] of brokenRanges) {
      print(`${tenant}, index of applications: a range ${problem}${ending}.`);
      if (isMending) await mendIndexRange(table, keys.applicationColumns(tenant), low);
    }
    for (const [id, met] of suspects) {
      if (!(await mendApplication(table, tenant, { id, met }, isMending))) continue;
      wrong += 1;
      print(`${tenant}: the index did not hold the application ${id} rightly${ending}.`);
    }
    return wrong;
  });
}

/** What an index may hold wrongly: applications, and ranges with what is wrong with them, by their lows. */
async function compare(work: IndexWork, tenant: string) {
  const suspects: Suspects = new Map();
  const wanted = new Map<string, string>();
  for await (const { found } of walkApplications(work, `Reads the applications of ${tenant}`, tenant)) {
    for (const { value, version } of found) {
      wanted.set(recordText(recordOf(applicationKind.entryOf(value, version))), value.id);
    }
  }
  const brokenRanges = new Map<string, string>();
  for await (const { low, texts, problem } of inspectIndex(work.table, keys.applicationColumns(tenant))) {
    if (problem !== undefined) brokenRanges.set(low, problem);
    for (const one of texts) if (!wanted.delete(one)) suspect(suspects, idOfRecord(idOfText(one)), one);
  }
  for (const id of wanted.values()) suspect(suspects, id);
  return { suspects, brokenRanges };
}

/** The applications of a tenant in the order of their names, at the rate of the run. Two round trips for each 100. */
async function* walkApplications(
  work: IndexWork,
  title: string,
  tenant: string,
): AsyncGenerator<Page<Versioned<Application>>, void> {
  const { table } = work;
  const PK = keys.applicationEntries(tenant);
  const all = await table.queryAll({ PK, limit: 10_000, consistent: false });
  yield* walk(work, { title, total: all.length, before: 0, from: undefined }, async (after) => {
    const since = after === undefined ? {} : { after: keys.applicationEntry(tenant, after) };
    const { items, next } = await table.query({ PK, limit: PAGE, ...since });
    const ids = items.map((item) => applicationKind.entry.read(item).id);
    const rows = ids.length > 0 ? await table.getMany(ids.map((id) => keys.application(tenant, id))) : [];
    const found = rows.flatMap((item) => (item ? [applicationKind.item.read(item)] : []));
    return { found, names: items.map(({ SK }) => SK), more: next !== undefined };
  });
}
