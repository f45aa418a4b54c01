/** How much one record may have in its row, and how much is read of a row that is damaged. */
import { deflateRawSync } from "node:zlib";
import { beforeEach, describe, expect, test } from "vitest";
import { changeIdOf, digestOfResource } from "#core/database/changes/change-id.ts";
import type { Change, ChangeRecord } from "#core/database/changes/model.ts";
import { type RecordItems, recordItems, toRecord, withParts } from "#core/database/changes/record-rows.ts";
import { newMeter } from "#core/database/table/meter.ts";
import { DamagedRow } from "#core/database/table/row.ts";
import type { Item, Table } from "#core/database/table/table.ts";
import { testTable } from "#tests/support/engine.ts";

const NOON = Date.UTC(2026, 10, 22, 12);
const TEXT_MOST = 64_000;
const tenant = "carbon.super";
let table: Table;
beforeEach(async () => {
  table = (await testTable()).open(newMeter());
});

const recordWith = (changes: readonly Change[]): ChangeRecord => ({
  id: changeIdOf(NOON, digestOfResource("user", "u1")),
  atMs: NOON,
  tenant,
  actor: { type: "user", id: "admin" },
  sourceIp: "192.0.2.1",
  operation: "patchUser",
  resource: { type: "user", id: "u1" },
  changes,
  traceId: "trace",
});
/** A record whose text has so many bytes. It compresses to almost nothing. */
const recordOf = (bytes: number): ChangeRecord => {
  const made = (length: number) => recordWith([{ op: "add", path: "/title", value: "t".repeat(length) }]);
  const { id: _, atMs: __, tenant: ___, ...stored } = made(0);
  return made(bytes - Buffer.byteLength(JSON.stringify(stored)));
};
const rowsOf = (record: ChangeRecord): RecordItems => recordItems(record, [], 2_000_000_000);
const store = async ({ item, parts }: RecordItems) => {
  for (const put of [...parts, item]) await table.write({ put, when: "any", otherwise: () => new Error("conflict") });
};
const bytesIn = ({ r }: Item) => (typeof r === "string" ? r.length : (r as Uint8Array).length);

describe("a record", () => {
  test("of 64,000 bytes of text is one row, also where it compresses to almost nothing", async () => {
    const record = recordOf(TEXT_MOST);
    const rows = rowsOf(record);
    expect([rows.parts.length, bytesIn(rows.item) < 1_000]).toEqual([0, true]);
    expect(toRecord(tenant, rows.item).record).toEqual(record);
  });

  test("of one byte more has its changes in further rows, so that a page of records stays small", async () => {
    const record = recordOf(TEXT_MOST + 1);
    const rows = rowsOf(record);
    expect(rows.parts).toHaveLength(1);
    const row = toRecord(tenant, rows.item);
    expect([row.record.changes, row.parts]).toEqual([[], 1]);
    await store(rows);
    expect(await withParts(table, row)).toEqual(record);
  });

  test("is there until it expires: its further rows expire more than two days after it", () => {
    const { item, parts } = rowsOf(recordOf(TEXT_MOST + 1));
    const [part] = parts;
    const late = Number(part?.expiresAtSeconds) - Number(item.expiresAtSeconds);
    expect(late).toBeGreaterThan(2 * 86_400);
  });

  test("that does not compress has further rows from 16,000 bytes on, each of at most 300,000", async () => {
    // Digits of a sequence without period: about 0.42 of the text remains.
    let seed = 7;
    const digits = Array.from({ length: 1_000_000 }, () => {
      seed = (seed * 48_271) % 2_147_483_647;
      return seed % 10;
    }).join("");
    const record = recordWith([{ op: "add", path: "/title", value: digits }]);
    const rows = rowsOf(record);
    expect(rows.parts.length).toBeGreaterThan(1);
    for (const part of rows.parts) expect(bytesIn(part)).toBeLessThanOrEqual(300_000);
    expect(bytesIn(rows.item)).toBeLessThan(1_000);
    await store(rows);
    expect(await withParts(table, toRecord(tenant, rows.item))).toEqual(record);
  });
});

describe("a damaged row", () => {
  const item = () => rowsOf(recordOf(2_000)).item;

  test("whose text would become longer than any record is refused before all of it is made", () => {
    const bomb = new Uint8Array(deflateRawSync(Buffer.alloc(64_000_001, "x")));
    expect(bomb.length).toBeLessThan(400_000);
    const before = process.memoryUsage().rss;
    expect(() => toRecord(tenant, { ...item(), r: bomb })).toThrow(DamagedRow);
    expect(process.memoryUsage().rss - before).toBeLessThan(400_000_000);
  });

  test.each<[string, unknown]>([
    ["is cut", new Uint8Array(deflateRawSync("x".repeat(900))).subarray(0, 8)],
    ["is no JSON", "{"],
    ["is a number", 5],
    ["is absent", undefined],
  ])("whose text %s is refused", (_, r) => {
    expect(() => toRecord(tenant, { ...item(), r } as Item)).toThrow(DamagedRow);
  });

  test("with fewer further rows than it says is refused", async () => {
    const { item: whole, parts } = rowsOf(recordOf(TEXT_MOST + 1));
    await store({ item: { ...whole, n: 2 }, parts });
    await expect(withParts(table, { ...toRecord(tenant, whole), parts: 2 })).rejects.toThrow(DamagedRow);
  });
});
