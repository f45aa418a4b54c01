/**
 * The indexes of applications (decision 0136): completes them, compares them with the applications, mends them, and
 * takes them out of use. Other than indexes of users, they are not declared: every tenant has one.
 */
import { applicationKind } from "#core/applications/registry/application-rows.ts";
import { mendApplication, settleApplication } from "#core/applications/registry/index-mending-store.ts";
import {
  areIndexed,
  completing,
  idOfRecord,
  isIndexComplete,
  notingIndexed,
  recordOf,
} from "#core/applications/registry/index-rows.ts";
import type { Application } from "#core/applications/registry/model.ts";
import { concurrently } from "#core/platform/concurrently.ts";
import { keys } from "#core/table/keys.ts";
import type { Indexed } from "#core/table/named-items.ts";
import { number, optional, rowCodec, text } from "#core/table/row.ts";
import type { Table } from "#core/table/table.ts";
import { idOfText, recordText } from "#core/table/value-index/columns.ts";
import { inspectIndex, mendIndexRange } from "#core/table/value-index/inspect.ts";
import { type IndexWork, inRounds, PAGE, type Page, type Suspects, settle, suspect, walk } from "./work.ts";

const WRITTEN_AT_ONCE = 8;

/** How far a tenant is. */
interface Walked {
  readonly beganMs: number;
  /** The name of the last application that is in the index; absent before the first. */
  readonly after?: string | undefined;
}

const walkedRow = rowCodec<Walked>("walk through applications", { beganMs: number, after: optional(text) });

/** Notes what is to be completed: when that began, by tenant. */
export async function beginApplications({ table, tenants, now }: IndexWork): Promise<ReadonlyMap<string, Walked>> {
  const begun = new Map<string, Walked>();
  for (const tenant of tenants) {
    const [complete, item] = await Promise.all([
      isIndexComplete(table, tenant),
      table.get(keys.applicationIndexing(tenant)),
    ]);
    if (complete) continue;
    const walked = item ? walkedRow.read(item) : { beganMs: now() };
    if (!item) await note(table, tenant, walked);
    begun.set(tenant, walked);
  }
  return begun;
}

/** Completes what was begun. True where the indexes of all tenants are complete. */
export async function completeApplications(work: IndexWork, begun: ReadonlyMap<string, Walked>): Promise<boolean> {
  const { table, ofAllTenants, now, print } = work;
  const toNote = ofAllTenants && !(await areIndexed(table));
  if (begun.size === 0 && !toNote) {
    print("The indexes of applications are complete.");
    return true;
  }
  const since = Math.max(...[...begun.values()].map(({ beganMs }) => beganMs), begun.size === 0 ? now() : 0);
  await settle(work, since, "keep indexes of applications");
  let isDone = true;
  for (const [tenant, walked] of begun) isDone = (await complete(work, tenant, walked)) && isDone;
  // From now on, new tenants have a complete index from their beginning.
  if (toNote && isDone) await table.write(notingIndexed());
  return isDone;
}

async function complete(work: IndexWork, tenant: string, walked: Walked): Promise<boolean> {
  const { table, print } = work;
  let changed = 0;
  for await (const { found, after } of walkApplications(work, `Applications of ${tenant}`, tenant, walked.after)) {
    const late = found.filter(({ indexed }) => !indexed);
    await concurrently(late, WRITTEN_AT_ONCE, async ({ value: { id } }) => {
      if (await settleApplication(table, tenant, id)) changed += 1;
    });
    await note(table, tenant, { ...walked, after });
  }
  print(`${tenant}: ${changed} applications were brought into the index.`);
  // What an older release wrote meanwhile, or before it came back, is mended.
  if (!(await auditApplications(work, tenant, true))) return false;
  await table.write(completing(tenant, true));
  print(`${tenant}: lists use the index of applications.`);
  await table.forget(keys.applicationIndexing(tenant));
  return true;
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
export async function switchApplicationsOff({ table, tenants, ofAllTenants }: IndexWork): Promise<void> {
  if (ofAllTenants) await table.forget(keys.applicationsIndexed());
  for (const tenant of tenants) {
    if (await isIndexComplete(table, tenant)) await table.write(completing(tenant, false));
    // The next run begins anew, and waits for functions of an older release.
    await table.forget(keys.applicationIndexing(tenant));
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
    for (const { value, version, indexed } of found) {
      wanted.set(recordText(recordOf(applicationKind.entryOf(value, version))), value.id);
      if (!indexed) suspect(suspects, value.id);
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
  from?: string,
): AsyncGenerator<Page<Indexed<Application>>, void> {
  const { table } = work;
  const PK = keys.applicationEntries(tenant);
  const all = (await table.queryAll({ PK, limit: 10_000, consistent: false })).map(({ SK }) => SK);
  const before = from === undefined ? 0 : all.filter((name) => name <= from).length;
  yield* walk(work, { title, total: all.length, before, from }, async (after) => {
    const since = after === undefined ? {} : { after: keys.applicationEntry(tenant, after) };
    const { items, next } = await table.query({ PK, limit: PAGE, ...since });
    const ids = items.map((item) => applicationKind.entry.read(item).id);
    const rows = ids.length > 0 ? await table.getMany(ids.map((id) => keys.application(tenant, id))) : [];
    const found = rows.flatMap((item) => (item ? [applicationKind.item.read(item)] : []));
    return { found, names: items.map(({ SK }) => SK), more: next !== undefined };
  });
}

function note(table: Table, tenant: string, walked: Walked): Promise<void> {
  const put = { ...keys.applicationIndexing(tenant), ...walkedRow.write(walked) };
  return table.write({ put, when: "any", otherwise: () => new Error("The walk could not be noted.") });
}
