/**
 * The name index against a plain sorted array, while many write to it on a database with everything that DynamoDB may
 * do: conflicts, throttling, half-applied reads, lost responses. A failure names its seed; the order of concurrent
 * writes depends on timing as well.
 *
 * Nothing here is bounded by time, so the tests hold on a slow machine: half-applied transactions are seen for a number
 * of requests, readers read a number of times, and no call has a deadline.
 */
import { beforeAll, describe, expect, it } from "vitest";
import { newMeter } from "#core/database/table/meter.ts";
import { isWide, rangeOf } from "#core/database/table/name-index/items.ts";
import { type NameIndexOptions, nameIndex } from "#core/database/table/name-index/name-index.ts";
import { compareKeys } from "#core/database/table/table.ts";
import { type TestTable, testTable } from "#tests/support/engine.ts";
import { CALM, hostileDatabase, seeded } from "#tests/support/hostile-database.ts";
import {
  churn,
  compare,
  HOSTILE,
  type Model,
  NO_DEADLINE,
  newProgress,
  readMeanwhile,
  steady,
} from "./name-index.model.ts";
import { freshKeys, named, rangesOf } from "./name-index.support.ts";

const OPERATIONS = 170;
/** Ends a test that hangs; no test waits for it. */
const HANGS_MS = 180_000;

const NARROW: NameIndexOptions = {
  splitBytes: 40,
  deadlineMs: NO_DEADLINE,
  widenAt: Number.POSITIVE_INFINITY,
};
/** Ranges are small, so that they are folded and split often. */
const WIDE: NameIndexOptions = { ...NARROW, widenAt: 2, wide: { foldBytes: 90, splitAt: () => 14 } };

let table: TestTable;
beforeAll(async () => {
  table = await testTable();
});

describe.each([
  ["narrow ranges", NARROW],
  ["wide ranges", WIDE],
])("a name index of %s under concurrent writes and failures of the database", (kind, options) => {
  it.each([1, 2, 3])("equals a sorted array in the end (seed %i)", { timeout: HANGS_MS }, async (seed) => {
    const random = seeded(seed);
    const hostile = hostileDatabase(seed, HOSTILE, "requests");
    const open = table.reopen({ deadlineMs: NO_DEADLINE, client: { transport: hostile.transport } });
    const keys = freshKeys();
    const index = nameIndex(open(newMeter()), keys, options);
    const model: Model = new Map(steady.map((key) => [`steady ${key}`, key]));
    for (const [id, key] of model) await index.create(named(key, id));
    // Readers must see what was written before they began.
    hostile.settle();

    const progress = newProgress();
    const readers = Array.from({ length: 2 }, () => readMeanwhile(index, random, OPERATIONS, progress));
    // A reader that fails must not be noticed only once the writers are done.
    await Promise.all([churn(index, model, random, OPERATIONS, progress).finally(progress.end), ...readers]);
    hostile.set(CALM);
    hostile.settle();

    for (const happened of Object.values(hostile.counts)) expect(happened).toBeGreaterThan(0);
    const expected = [...model.values()].sort(compareKeys);
    const ranges = (await rangesOf(open(newMeter()), keys)).map(rangeOf);
    expect(ranges.length).toBeGreaterThan(expected.length / (kind === "wide ranges" ? 20 : 8));
    // How many are wide depends on how often writers have met, for which young ranges are spread.
    if (kind === "wide ranges") expect(ranges.filter(isWide).length).toBeGreaterThan(2);
    expect(await index.audit()).toEqual([]);
    await compare(index, expected, random);
    for (const [id, key] of model) expect([key, (await index.find(key))?.id]).toEqual([key, id]);
  });
});

describe("a name index on a hostile database", () => {
  it("counts every name once while splits are seen half done", { timeout: HANGS_MS }, async () => {
    const hostile = hostileDatabase(4, { ...CALM, half: 0.5, halfMs: 6 }, "requests");
    const open = table.reopen({ deadlineMs: NO_DEADLINE, client: { transport: hostile.transport } });
    const index = nameIndex(open(newMeter()), freshKeys(), { ...NARROW, splitBytes: 16 });
    for (let made = 1; made <= 80; made += 1) {
      await index.create(named(`n${(made * 37) % 80}`));
      // The last create may be seen half done itself.
      const [total, found, rank] = [
        await index.total(),
        await index.search(() => true, { offset: 0, limit: 0 }),
        await index.rank("o"),
      ];
      expect([made - 1, made]).toContain(total);
      expect([made - 1, made]).toContain(found.total);
      expect([made - 1, made]).toContain(rank);
      hostile.settle();
    }
    expect(hostile.counts.halves).toBeGreaterThan(30);
  });

  it("rejects queries that this project does not send", async () => {
    const hostile = hostileDatabase(5, CALM);
    const send = (operation: string, body: object) =>
      hostile.transport.send({
        url: new URL(table.endpoint),
        headers: { "x-amz-target": `DynamoDB_20120810.${operation}` },
        body: JSON.stringify({ TableName: table.tableName, ...body }),
      });
    await expect(send("Scan", {})).rejects.toThrow("Scan without Limit");
    const query = {
      KeyConditionExpression: "PK = :p AND begins_with(SK, :p)",
      ExpressionAttributeValues: { ":p": { S: "a" } },
    };
    await expect(send("Query", query)).rejects.toThrow("Query without Limit");
    await expect(send("Query", { ...query, Limit: 1 })).rejects.toThrow("begins_with in a key condition");
  });
});
