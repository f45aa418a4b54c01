/** Lists of deleted resources where `deleted_days` was changed, and while expired rows wait for their removal. */
import { beforeEach, expect, test } from "vitest";
import { newMeter } from "#core/database/table/meter.ts";
import type { Table } from "#core/database/table/table.ts";
import { entryOf, puttingAside } from "#core/database/trash/aside-rows.ts";
import { type AsideStore, asideStore } from "#core/database/trash/aside-store.ts";
import { type DeletedType, deletedTypes } from "#core/database/trash/model.ts";
import { testTable } from "#tests/support/engine.ts";

const tenant = "acme.example";
const DAY_MS = 86_400_000;
const NOON = Date.UTC(2026, 10, 22, 12);

let table: Table;
let asides: AsideStore;
beforeEach(async () => {
  table = (await testTable()).open(newMeter());
  asides = asideStore(table);
});

const deleted = async (type: DeletedType, id: string, atMs: number, days: number) =>
  table.write(...puttingAside(tenant, { type, id, name: id, item: {} }, atMs, days));

/** All pages: the ids of each. */
const pagesOf = async (types: readonly DeletedType[], limit: number, nowMs: number) => {
  const pages: string[][] = [];
  for (let after: string | undefined; ; ) {
    const { found, next } = await asides.list(tenant, { types, limit, after, nowMs });
    pages.push(found.map(({ id }) => id));
    if (next === undefined) return pages;
    expect(pages.length).toBeLessThan(100);
    after = next;
  }
};

test("what can be restored is listed behind what has expired, in pages that may be empty", async () => {
  await deleted("user", "kept", NOON, 30);
  for (const at of [1, 2, 3, 4, 5, 6, 7]) await deleted("user", `expired-${at}`, NOON + at, 1);
  const nowMs = NOON + 2 * DAY_MS;
  expect(await asides.find(tenant, "kept", nowMs)).toMatchObject({ id: "kept" });
  expect(await pagesOf(["user"], 3, nowMs)).toEqual([[], [], ["kept"]]);
  expect(await pagesOf(["user"], 3, NOON + 8)).toEqual([
    ["expired-7", "expired-6", "expired-5"],
    ["expired-4", "expired-3", "expired-2"],
    ["expired-1", "kept"],
  ]);
});

test("pages of several types have each resource once, the latest first, and the last one has no next", async () => {
  const ids: string[] = [];
  for (let at = 0; at < 12; at += 1) {
    const type = deletedTypes[at % 3] ?? "user";
    await deleted(type, `r${at}`, NOON + at, at % 4 === 0 ? 1 : 30);
    ids.unshift(`r${at}`);
  }
  expect((await pagesOf(deletedTypes, 4, NOON + 20)).map(({ length }) => length)).toEqual([4, 4, 4]);
  expect((await pagesOf(deletedTypes, 5, NOON + 20)).flat()).toEqual(ids);
  const alive = ids.filter((id) => Number(id.slice(1)) % 4 !== 0);
  expect((await pagesOf(deletedTypes, 5, NOON + 2 * DAY_MS)).flat()).toEqual(alive);
});

test("a type of which only a part was read hides nothing of the others", async () => {
  for (let at = 0; at < 6; at += 1) await deleted("user", `u${at}`, NOON + at * 10, 30);
  for (let at = 0; at < 6; at += 1) await deleted("group", `g${at}`, NOON + at, 30);
  const short = asideStore({
    ...table,
    // As DynamoDB does after 1 MB.
    query: (range) => table.query(range.PK.endsWith("#user") ? { ...range, limit: 2 } : range),
  });
  const seen: string[] = [];
  for (let after: string | undefined; ; ) {
    const page = await short.list(tenant, { types: ["user", "group"], limit: 10, after, nowMs: NOON + 100 });
    seen.push(...page.found.map(entryOf));
    after = page.next;
    if (after === undefined) break;
  }
  expect(seen).toHaveLength(12);
  expect(seen).toEqual(seen.toSorted().reverse());
});
