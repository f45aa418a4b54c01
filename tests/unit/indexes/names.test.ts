/** `npm run index`: checks the indexes of names, and mends them. */
import { beforeAll, expect, test } from "vitest";
import { keys } from "#core/database/table/keys.ts";
import { newMeter } from "#core/database/table/meter.ts";
import { layout } from "#core/database/table/name-index/items.ts";
import { declaredIndexes } from "#core/directory/users/declared-indexes.ts";
import { PRIMARY } from "#core/kernel/domain/username.ts";
import { type TestTable, testTable } from "#tests/support/engine.ts";
import { load } from "#tests/unit/table/name-index.support.ts";
import { check } from "#tools/index/check.ts";
import type { IndexWork } from "#tools/index/work.ts";

const TENANT = "few.test";

let table: TestTable;
const groups = keys.groupNames(TENANT, PRIMARY);
beforeAll(async () => {
  table = await testTable();
  const entries = Array.from({ length: 100 }, (_, at) => ({
    key: `kim${String(at).padStart(4, "0")}`,
    id: `id-${at}`,
  }));
  await load(table, layout(groups, entries, 60));
});

/** A run on the tenant, and what it printed. */
const worker = () => {
  const lines: string[] = [];
  const work: IndexWork = {
    table: table.open(newMeter()),
    declared: declaredIndexes([]),
    stores: [{ tenant: TENANT, userStore: PRIMARY }],
    tenants: [],
    rate: 100_000,
    settledMs: 0,
    now: Date.now,
    wait: async () => undefined,
    print: (line) => lines.push(line),
    progress: () => ({ add: () => undefined, stop: () => undefined }),
  };
  return { work, lines };
};

test("says which ranges are wrong, and mends them by the entries", { timeout: 60_000 }, async () => {
  const on = table.open(newMeter());
  await on.count({ PK: groups.ranges, SK: "." }, { n: 2 });
  const checking = worker();
  expect(await check(checking.work, false)).toBe(false);
  expect(checking.lines).toContain(
    "names of groups, PRIMARY of few.test, range the first: the range counts 9 names, and contains 7.",
  );
  const repairing = worker();
  expect(await check(repairing.work, true)).toBe(true);
  expect(repairing.lines).toContain("names of groups, PRIMARY of few.test: mended.");
  expect(await check(worker().work, false)).toBe(true);
});
