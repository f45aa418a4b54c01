/** `npm run index` with applications: completes indexes that were switched off, checks them and mends them. */
import { beforeAll, describe, expect, test } from "vitest";
import { recordOf } from "#core/applications/registry/index-rows.ts";
import { freshApplication } from "#core/applications/registry/model.ts";
import { applicationStore, TAKES_ONLY } from "#core/applications/registry/store.ts";
import { completing, isIndexComplete } from "#core/database/table/applications-index-rows.ts";
import { keys } from "#core/database/table/keys.ts";
import { newMeter } from "#core/database/table/meter.ts";
import { stale } from "#core/database/table/stale.ts";
import type { RecordParts } from "#core/database/table/value-index/column-index.ts";
import { columnIndex } from "#core/database/table/value-index/column-index.ts";
import { rangeKey } from "#core/database/table/value-index/range-rows.ts";
import { declaredIndexes } from "#core/directory/users/declared-indexes.ts";
import { newId } from "#core/kernel/ids.ts";
import { applicationIndexProblems } from "#tests/support/application-index.ts";
import { type TestTable, testTable } from "#tests/support/engine.ts";
import { checkApplications, completeApplications, switchApplicationsOff } from "#tools/index/applications.ts";
import type { IndexWork } from "#tools/index/work.ts";

const COUNT = 230;

let table: TestTable;
beforeAll(async () => {
  table = await testTable();
  // Every tenant has it: a rename shows with the roles of the application.
  for (const tenant of ["old.test", "damaged.test"]) {
    await calm().write({ put: { ...keys.shownNames(tenant), v: 0 }, when: "any", otherwise: stale });
  }
});

const calm = () => table.open(newMeter());
const store = () => applicationStore(calm());
const rowsOf = async (tenant: string) => {
  const entries = await store().entries(tenant);
  return (await calm().getMany(entries.map(({ id }) => keys.application(tenant, id)))).flatMap((item) => item ?? []);
};
const problems = async (tenant: string) => applicationIndexProblems(calm(), tenant, await rowsOf(tenant));

/** A tenant with applications, whose index was switched off and has lost the names of some. */
const tenantWithout = async (tenant: string, count = COUNT): Promise<readonly string[]> => {
  const ids = Array.from({ length: count }, () => newId());
  for (const [at, id] of ids.entries())
    await store().add(tenant, freshApplication(id, `App ${at}`, "owner", false), TAKES_ONLY);
  for (const [at, id] of ids.entries())
    if (at % 10 === 0) await damage(tenant, { before: recordOf({ id, name: `App ${at}` }) });
  return ids;
};
const damage = async (tenant: string, change: { readonly before?: RecordParts; readonly after?: RecordParts }) => {
  const index = columnIndex(calm(), keys.applicationColumns(tenant));
  const place = await index.place((change.after ?? change.before)?.[0] ?? "", 1);
  await calm().write(...(await index.steps(change, stale, place)));
};

const worker = (tenant: string) => {
  const lines: string[] = [];
  const work: IndexWork = {
    table: calm(),
    declared: declaredIndexes([]),
    stores: [],
    tenants: [tenant],
    rate: 100_000,
    settledMs: 0,
    now: Date.now,
    wait: async () => undefined,
    print: (line) => lines.push(line),
    progress: () => ({ add: () => undefined, stop: () => undefined }),
  };
  return { work, lines };
};
const build = ({ work }: ReturnType<typeof worker>) => completeApplications(work);

describe("a tenant whose index is not complete", () => {
  test("gets it while others write, and lists use it only then", { timeout: 60_000 }, async () => {
    const tenant = "old.test";
    const ids = await tenantWithout(tenant);
    const checking = worker(tenant);
    expect(await checkApplications(checking.work, false)).toBe(false);
    expect(checking.lines).toEqual(["old.test: the index of applications is not complete yet. Run npm run index."]);
    expect(await isIndexComplete(calm(), tenant)).toBe(false);
    let isDone = false;
    const writer = async (from: number): Promise<void> => {
      for (let at = from; !isDone; at += 2) {
        const id = ids[(at * 7) % ids.length] ?? "";
        await store().update(tenant, id, TAKES_ONLY, (before) => ({ ...before, name: `New ${at} ${from}` }));
        if (at % 5 === 0)
          await store().add(tenant, freshApplication(newId(), `More ${at} ${from}`, "owner", false), TAKES_ONLY);
      }
    };
    const writing = Promise.all([writer(0), writer(1)]);
    const building = worker(tenant);
    const isComplete = await build(building).finally(() => {
      isDone = true;
    });
    await writing;
    expect(isComplete, building.lines.join("\n")).toBe(true);
    expect(await isIndexComplete(calm(), tenant)).toBe(true);
    expect(await problems(tenant)).toEqual([]);
    const again = worker(tenant);
    expect([await build(again), again.lines]).toEqual([true, ["The indexes of applications are complete."]]);
    expect(await checkApplications(again.work, false)).toBe(true);
  });
});

describe("a damaged index", () => {
  test("is reported and mended, with every kind of damage", { timeout: 60_000 }, async () => {
    const tenant = "damaged.test";
    await calm().write(completing(tenant, true));
    const ids = Array.from({ length: 30 }, () => newId());
    for (const [at, id] of ids.entries())
      await store().add(tenant, freshApplication(id, `App ${at}`, "owner", false), TAKES_ONLY);
    const own = keys.applicationColumns(tenant);
    const record = (id: string, name: string): RecordParts => recordOf({ id, name });
    const gone = newId();
    await damage(tenant, { after: record(gone, "gone") });
    await damage(tenant, { before: record(ids[3] ?? "", "App 3") });
    await damage(tenant, { after: record(ids[4] ?? "", "of before") });
    await calm().write({ change: rangeKey(own, ""), add: { n: 2 }, when: "present", otherwise: stale });
    const checking = worker(tenant);
    expect(await checkApplications(checking.work, false)).toBe(false);
    for (const id of [gone, ids[3], ids[4]]) expect(checking.lines.join("\n")).toContain(id);
    expect(checking.lines.join("\n")).toContain("a range counts 33 pairs and has 31.");
    const mending = worker(tenant);
    expect(await checkApplications(mending.work, true), mending.lines.join("\n")).toBe(true);
    expect(await problems(tenant)).toEqual([]);
    expect(await checkApplications(worker(tenant).work, false)).toBe(true);
  });

  test("is not used after --off, and is completed again", async () => {
    const tenant = "damaged.test";
    await switchApplicationsOff(worker(tenant).work);
    expect(await isIndexComplete(calm(), tenant)).toBe(false);
    expect(await build(worker(tenant))).toBe(true);
    expect(await isIndexComplete(calm(), tenant)).toBe(true);
  });
});
