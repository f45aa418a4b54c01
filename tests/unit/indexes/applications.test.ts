/** `npm run index` with applications: completes their indexes in a table in use, checks them and mends them. */
import { beforeAll, describe, expect, test } from "vitest";
import { completing, isIndexComplete, recordOf } from "#core/applications/registry/index-rows.ts";
import { freshApplication } from "#core/applications/registry/model.ts";
import { applicationStore, TAKES_ONLY } from "#core/applications/registry/store.ts";
import { declaredIndexes } from "#core/identities/users/declared-indexes.ts";
import { newId } from "#core/platform/ids.ts";
import { keys } from "#core/table/keys.ts";
import { newMeter } from "#core/table/meter.ts";
import { stale } from "#core/table/stale.ts";
import type { RecordParts } from "#core/table/value-index/column-index.ts";
import { columnIndex } from "#core/table/value-index/column-index.ts";
import { rangeKey } from "#core/table/value-index/range-rows.ts";
import { applicationIndexProblems } from "#tests/support/application-index.ts";
import { type TestTable, testTable } from "#tests/support/engine.ts";
import {
  beginApplications,
  checkApplications,
  completeApplications,
  switchApplicationsOff,
} from "#tools/index/applications.ts";
import type { IndexWork } from "#tools/index/work.ts";

const COUNT = 230;

let table: TestTable;
beforeAll(async () => {
  table = await testTable();
});

const calm = () => table.open(newMeter());
const store = () => applicationStore(calm());
const rowsOf = async (tenant: string) => {
  const entries = await store().entries(tenant);
  return (await calm().getMany(entries.map(({ id }) => keys.application(tenant, id)))).flatMap((item) => item ?? []);
};
const problems = async (tenant: string) => applicationIndexProblems(calm(), tenant, await rowsOf(tenant));

/** What a release without the index leaves: applications whose rows do not note it. */
const oldTenant = async (tenant: string, count = COUNT): Promise<readonly string[]> => {
  const ids = Array.from({ length: count }, () => newId());
  for (const [at, id] of ids.entries()) await store().add(tenant, freshApplication(id, `App ${at}`, "owner", false));
  for (const id of ids) await forgetIndex(tenant, id);
  const own = keys.applicationColumns(tenant);
  const ranges = await calm().queryAll({ PK: own.ranges, limit: 100 });
  for (const item of ranges) await calm().forget(item);
  return ids;
};
const forgetIndex = (tenant: string, id: string): Promise<void> =>
  calm().write({ change: keys.application(tenant, id), clear: ["x"], when: "present", otherwise: stale });

const worker = (tenant: string, more: Partial<IndexWork> = {}) => {
  const lines: string[] = [];
  const work: IndexWork = {
    table: calm(),
    declared: declaredIndexes([]),
    stores: [],
    tenants: [tenant],
    ofAllTenants: false,
    rate: 100_000,
    settledMs: 0,
    now: Date.now,
    wait: async () => undefined,
    print: (line) => lines.push(line),
    progress: () => ({ add: () => undefined, stop: () => undefined }),
    ...more,
  };
  return { work, lines };
};
const build = async ({ work }: ReturnType<typeof worker>) => completeApplications(work, await beginApplications(work));

describe("a tenant from before the index", () => {
  test("gets it while others write, and lists use it only then", { timeout: 60_000 }, async () => {
    const tenant = "old.test";
    const ids = await oldTenant(tenant);
    const checking = worker(tenant);
    expect(await checkApplications(checking.work, false)).toBe(false);
    expect(checking.lines).toEqual(["old.test: the index of applications is not complete yet. Run npm run index."]);
    expect(await isIndexComplete(calm(), tenant)).toBe(false);
    let isDone = false;
    const writer = async (from: number): Promise<void> => {
      for (let at = from; !isDone; at += 2) {
        const id = ids[(at * 7) % ids.length] ?? "";
        await store().update(tenant, id, TAKES_ONLY, (before) => ({ ...before, name: `New ${at} ${from}` }));
        if (at % 5 === 0) await store().add(tenant, freshApplication(newId(), `More ${at} ${from}`, "owner", false));
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

  test("continues where an earlier run ended", { timeout: 60_000 }, async () => {
    const tenant = "resumed.test";
    await oldTenant(tenant);
    let pages = 0;
    const stopping = worker(tenant, {
      progress: () => ({
        add: (count) => {
          pages += count > 0 ? 1 : 0;
          if (pages === 2) throw new Error("stopped");
        },
        stop: () => undefined,
      }),
    });
    await expect(build(stopping)).rejects.toThrow("stopped");
    expect(await isIndexComplete(calm(), tenant)).toBe(false);
    const resuming = worker(tenant);
    expect(await build(resuming)).toBe(true);
    expect(resuming.lines[0]).toBe(`resumed.test: ${COUNT - 200} applications were brought into the index.`);
    expect(await problems(tenant)).toEqual([]);
  });

  test("waits for functions that do not keep the index, and mends what they wrote", async () => {
    const tenant = "mixed.test";
    const ids = await oldTenant(tenant, 5);
    const waits: number[] = [];
    const building = worker(tenant, {
      settledMs: 90_000,
      wait: async (ms) => {
        waits.push(Math.ceil(ms / 1_000));
        // A function of this release brings it in, and then one of the release before renames it.
        await store().update(tenant, ids[2] ?? "", TAKES_ONLY, (one) => ({ ...one, name: "Once" }));
        await renameAsBefore(tenant, ids[2] ?? "", "Twice");
      },
    });
    expect(await build(building)).toBe(true);
    expect(waits).toEqual([90]);
    expect(building.lines).toContain(`mixed.test: the index did not hold the application ${ids[2]} rightly; mended.`);
    expect(await problems(tenant)).toEqual([]);
  });
});

/** A rename as a release without the index writes it. */
const renameAsBefore = async (tenant: string, id: string, name: string): Promise<void> => {
  const found = await store().find(tenant, id);
  const entry = await store().entry(tenant, found?.name ?? "");
  const before = await calm().get(keys.applicationEntry(tenant, found?.name ?? ""));
  const item = await calm().get(keys.application(tenant, id));
  if (!found || !entry || !before || !item) throw new Error("no application");
  const { x: _, ...others } = item;
  const version = entry.version + 1;
  await calm().write(
    { remove: keys.applicationEntry(tenant, found.name), when: "present", otherwise: stale },
    { put: { ...before, ...keys.applicationEntry(tenant, name), v: version }, when: "absent", otherwise: stale },
    {
      put: { ...others, ...keys.application(tenant, id), ver: version, application: { ...found, name } as never },
      when: "present",
      otherwise: stale,
    },
  );
};

describe("a damaged index", () => {
  test("is reported and mended, with every kind of damage", { timeout: 60_000 }, async () => {
    const tenant = "damaged.test";
    await calm().write(completing(tenant, true));
    const ids = Array.from({ length: 30 }, () => newId());
    for (const [at, id] of ids.entries()) await store().add(tenant, freshApplication(id, `App ${at}`, "owner", false));
    const own = keys.applicationColumns(tenant);
    const damage = async (change: { readonly before?: RecordParts; readonly after?: RecordParts }) => {
      const index = columnIndex(calm(), own);
      const place = await index.place((change.after ?? change.before)?.[0] ?? "", 1);
      await calm().write(...(await index.steps(change, stale, place)));
    };
    const record = (id: string, name: string): RecordParts => recordOf({ id, name });
    const gone = newId();
    await damage({ after: record(gone, "gone") });
    await damage({ before: record(ids[3] ?? "", "App 3") });
    await damage({ after: record(ids[4] ?? "", "of before") });
    await forgetIndex(tenant, ids[5] ?? "");
    await calm().write({ change: rangeKey(own, ""), add: { n: 2 }, when: "present", otherwise: stale });
    const checking = worker(tenant);
    expect(await checkApplications(checking.work, false)).toBe(false);
    for (const id of [gone, ids[3], ids[4], ids[5]]) expect(checking.lines.join("\n")).toContain(id);
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

  test("begins anew after --off, also where a run was stopped before", async () => {
    const tenant = "damaged.test";
    await switchApplicationsOff(worker(tenant).work);
    const began = async (nowMs: number) =>
      (await beginApplications({ ...worker(tenant).work, now: () => nowMs })).get(tenant)?.beganMs;
    expect(await began(1_000)).toBe(1_000);
    expect(await began(2_000)).toBe(1_000);
    await switchApplicationsOff(worker(tenant).work);
    expect(await began(3_000)).toBe(3_000);
  });
});
