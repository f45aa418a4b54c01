/** `npm run index`: makes ranges of names wide and narrow, checks them and mends them. */
import { beforeAll, expect, test } from "vitest";
import { PRIMARY } from "#core/domain/username.ts";
import { declaredIndexes } from "#core/identities/users/declared-indexes.ts";
import { keys } from "#core/table/keys.ts";
import { newMeter } from "#core/table/meter.ts";
import { layout } from "#core/table/name-index/items.ts";
import { nameIndex } from "#core/table/name-index/name-index.ts";
import { countRanges, widenRanges } from "#core/table/name-index/reshaping.ts";
import { type TestTable, testTable } from "#tests/support/engine.ts";
import { load } from "#tests/unit/table/name-index.support.ts";
import { check } from "#tools/index/check.ts";
import { narrowNames, widenNames } from "#tools/index/names.ts";
import type { IndexWork } from "#tools/index/work.ts";

const TENANT = "many.test";
const OTHER = "few.test";
const MANY = 2_400;
/** Eight names in a range, so that there are more than 256. */
const RANGE_BYTES = 60;

let table: TestTable;
const users = keys.userNames(TENANT, PRIMARY);
const few = keys.groupNames(OTHER, PRIMARY);
const names = Array.from({ length: MANY }, (_, at) => `kim${String(at).padStart(4, "0")}`);
beforeAll(async () => {
  table = await testTable();
  const entries = names.map((key) => ({ key, id: `id-${key}` }));
  await load(table, layout(users, entries, RANGE_BYTES));
  await load(table, layout(few, entries.slice(0, 100), RANGE_BYTES));
});

/** A run on both tenants, what it printed, and how far its bars went. */
const worker = () => {
  const lines: string[] = [];
  const bars: [title: string, total: number, done: number][] = [];
  const work: IndexWork = {
    table: table.open(newMeter()),
    declared: declaredIndexes([]),
    stores: [TENANT, OTHER].map((tenant) => ({ tenant, userStore: PRIMARY })),
    tenants: [],
    ofAllTenants: false,
    rate: 100_000,
    settledMs: 0,
    now: Date.now,
    wait: async () => undefined,
    print: (line) => lines.push(line),
    progress: (title, total) => {
      const bar: (typeof bars)[number] = [title, total, 0];
      bars.push(bar);
      return {
        add(count) {
          bar[2] += count;
        },
        stop: () => undefined,
      };
    },
  };
  return { work, lines, bars };
};
const listed = async () => {
  const { entries, total } = await nameIndex(table.open(newMeter()), users).page({ offset: 1_000, limit: 20 });
  return [total, ...entries.map(({ key }) => key)];
};

test("widens the indexes with many ranges, and narrows them again", { timeout: 60_000 }, async () => {
  const on = table.open(newMeter());
  const before = await listed();
  const { narrow } = await countRanges(on, users);
  expect(narrow).toBeGreaterThan(256);
  const widening = worker();
  expect(await widenNames(widening.work)).toBe(true);
  const { wide } = await countRanges(on, users);
  expect(widening.lines).toEqual([
    `names of users, PRIMARY of many.test: ${wide} wide ranges; ${narrow} narrow ones were joined.`,
    "Every index of many names has wide ranges. Before the release before 0.2.0 serves again, run --narrow.",
  ]);
  expect(widening.bars[0]).toEqual(["Joins ranges of the names of users, PRIMARY of many.test", narrow, narrow]);
  expect((await countRanges(on, few)).wide).toBe(0);
  expect(await listed()).toEqual(before);
  expect(await check(worker().work, false)).toBe(true);

  const narrowing = worker();
  expect(await narrowNames(narrowing.work)).toBe(true);
  expect(narrowing.lines).toEqual([
    `names of users, PRIMARY of many.test: ${wide} wide ranges were split.`,
    "No index of names has a wide range: the release before 0.2.0 can serve the table.",
  ]);
  expect((await countRanges(on, users)).wide).toBe(0);
  expect(await listed()).toEqual(before);
  expect(await check(worker().work, false)).toBe(true);
});

test("says where others have made wide ranges while it narrowed them", { timeout: 60_000 }, async () => {
  const on = table.open(newMeter());
  const widenAll = async () => {
    for await (const _ of widenRanges(on, users, { wideFrom: 2 }));
  };
  await widenAll();
  const { wide } = await countRanges(on, users);
  const { work, lines } = worker();
  let reads = 0;
  const busy: IndexWork["table"] = {
    ...on,
    async queryAll(query, most) {
      if (query.PK === users.ranges) reads += 1;
      // The last read is that after the work.
      if (reads === 3) await widenAll();
      return on.queryAll(query, most);
    },
  };
  expect(await narrowNames({ ...work, table: busy })).toBe(false);
  expect(lines).toEqual([
    `names of users, PRIMARY of many.test: ${wide} wide ranges were split.`,
    expect.stringMatching(/^names of users, PRIMARY of many.test: functions of this release have made \d+ others/),
  ]);
  expect(await narrowNames(worker().work)).toBe(true);
});

test("says which ranges are wrong, and mends them by the entries", { timeout: 60_000 }, async () => {
  const on = table.open(newMeter());
  await on.count({ PK: few.ranges, SK: "." }, { n: 2 });
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
