/** An index of the times of 1,000,000 owners, behind its log: what each read and each change of it costs. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { keys } from "#core/database/table/keys.ts";
import { loggedLayout } from "#core/database/table/logged-index/inspect.ts";
import { loggedIndex } from "#core/database/table/logged-index/logged-index.ts";
import { readSnapshot } from "#core/database/table/logged-index/reading.ts";
import { loggedLimitsOf } from "#core/database/table/logged-index/rows.ts";
import { newMeter } from "#core/database/table/meter.ts";
import { stale } from "#core/database/table/stale.ts";
import type { Interval, Pair } from "#core/database/table/value-index/model.ts";
import { comparePairs } from "#core/database/table/value-index/pair.ts";
import { type TestTable, testTable } from "#tests/support/engine.ts";
import { type Random, randomOf } from "#tests/support/random.ts";

const OWNERS = 1_000_000;
const UPDATES = 12_000;
const LOADERS = 8;
/** The users of some years, each changed at some time since it was created. */
const SINCE_MS = Date.UTC(2023, 0);
const SPAN_MS = 3 * 365 * 86_400_000;

const idAt = (random: Random, ms: number): string => {
  const hex = (digits: number) =>
    random
      .upTo(16 ** digits)
      .toString(16)
      .padStart(digits, "0");
  const time = Math.floor(ms).toString(16).padStart(12, "0");
  return `${time.slice(0, 8)}-${time.slice(8)}-7${hex(3)}-8${hex(3)}-${hex(6)}${hex(6)}`;
};
/** As `meta.lastModified` is indexed. */
const timeText = (ms: number): string => new Date(ms).toISOString().replace(/[-:TZ.]/g, "");

const own = keys.userValues("t", "PRIMARY", "meta.lastModified");
let table: TestTable;
let pairs: Pair[];
let nowMs = SINCE_MS + SPAN_MS;
const random = randomOf(5);

beforeAll(async () => {
  table = await testTable();
  const all = Array.from({ length: OWNERS }, (_, at): Pair => {
    const createdMs = SINCE_MS + (at * SPAN_MS) / OWNERS;
    const modifiedMs = createdMs + (random.chance(0.33) ? 0 : random.upTo(SINCE_MS + SPAN_MS - createdMs));
    return { value: timeText(Math.floor(modifiedMs)), facet: "", id: idAt(random, createdMs) };
  });
  pairs = all.sort((a, b) => (a.value === b.value ? comparePairs(a, b) : a.value < b.value ? -1 : 1));
  const opened = table.open(newMeter());
  const items = loggedLayout(own, pairs);
  await Promise.all(
    Array.from({ length: LOADERS }, async () => {
      for (const put of items) await opened.write({ put, when: "any", otherwise: stale });
    }),
  );
}, 300_000);

const figures: string[] = [];
afterAll(() => {
  if (process.env.FIGURES) process.stdout.write(`${figures.join("\n")}\n`);
});

const update = async (count: number) => {
  const meter = newMeter();
  let trips = 0;
  for (let turn = 0; turn < count; turn += 1) {
    const at = random.upTo(pairs.length);
    const before = pairs[at] as Pair;
    nowMs += 1 + random.upTo(20_000);
    const after = { ...before, value: timeText(nowMs) };
    const each = newMeter();
    const opened = table.open(each);
    // Blocks are removed by a clock, which does not run here.
    const index = loggedIndex(opened, own, { graceMs: 0 });
    await opened.write(...(await index.steps({ added: [after], removed: [before], several: 0 }, stale)));
    const [sum, { cost }] = [meter.begin(), each];
    sum(cost.readUnits, cost.writeUnits);
    trips = Math.max(trips, cost.roundTrips);
    pairs[at] = after;
  }
  return { write: meter.cost.writeUnits / count, read: meter.cost.readUnits / count, trips };
};

test("an update: at most 5 write units on average, with all that moves its entry on", {
  timeout: 600_000,
}, async () => {
  // Until the log is as full as it stays.
  await update(2_000);
  const { write, read, trips } = await update(UPDATES);
  figures.push(`update: ${write} units, and ${read} read; at most ${trips} round trips`);
  expect(write).toBeLessThanOrEqual(5);
  const { log, blocks, ranges, state } = await readSnapshot({
    table: table.open(newMeter()),
    keys: own,
    limits: loggedLimitsOf({}),
  });
  const blocked = blocks.reduce((sum, { entries }) => sum + entries.length, 0);
  figures.push(
    `${ranges.length} ranges; ${log.length} in the log, ${blocked} in ${blocks.length} blocks of ${state.block}`,
  );
  pairs.sort(comparePairs);
});

describe("1,000,000 times, as they are after 14,000 updates", () => {
  /** By eventually consistent units: half of those that strong reads consume. */
  const page = async (interval: Interval, offset: number) => {
    const meter = newMeter();
    const directory = await loggedIndex(table.open(meter), own).open();
    const matches = await directory.matches({ intervals: [interval] });
    const found = await matches.window({ offset, limit: 100 });
    return { total: matches.total, found, trips: meter.cost.roundTrips, units: meter.cost.readUnits / 2 };
  };

  test.each([0, 123_456, 499_990, 999_900])("a page in their order at %i", async (offset) => {
    const { total, found, trips, units } = await page({}, offset);
    expect(total).toBe(OWNERS);
    expect(found).toEqual(pairs.slice(offset, offset + 100));
    figures.push(`page at ${offset}: ${trips} round trips, ${units} units`);
    expect(trips).toBeLessThanOrEqual(3);
    expect(units).toBeLessThanOrEqual(30);
  });

  test.each([
    ["the newest 1,000", OWNERS - 1_000, OWNERS],
    ["the newest 100,000", OWNERS - 100_000, OWNERS],
    ["the oldest half", 0, 500_000],
    ["some in the middle", 300_000, 301_000],
  ])("a part of them: %s", async (name, from, to) => {
    const interval: Interval = {
      ...(from > 0 && { from: { value: pairs[from]?.value ?? "", side: "before" } }),
      ...(to < OWNERS && { to: { value: pairs[to]?.value ?? "", side: "before" } }),
    };
    const { total, found, trips, units } = await page(interval, 0);
    const start = pairs.findIndex(({ value }) => value === pairs[from]?.value);
    const end = to < OWNERS ? pairs.findIndex(({ value }) => value === pairs[to]?.value) : OWNERS;
    expect(total).toBe(end - start);
    expect(found).toEqual(pairs.slice(start, Math.min(end, start + 100)));
    figures.push(`${name}: ${trips} round trips, ${units} units`);
    expect(trips).toBeLessThanOrEqual(4);
    expect(units).toBeLessThanOrEqual(30);
  });
});
