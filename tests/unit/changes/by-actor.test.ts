/**
 * Changes by actor: the index gives what a search of all records gives, for whom changes much and for whom changes
 * rarely, at any moment of indexing; and it costs changes next to nothing.
 */
import { beforeAll, describe, expect, test } from "vitest";
import { indexActors } from "#core/database/changes/actor-index.ts";
import { readIndexed } from "#core/database/changes/actor-rows.ts";
import { type AuditFilter, findRecords } from "#core/database/changes/audit.ts";
import { changeIdOf, digestOfResource } from "#core/database/changes/change-id.ts";
import type { ChangeActor, ChangeRecord } from "#core/database/changes/model.ts";
import { recordItems } from "#core/database/changes/record-rows.ts";
import { newMeter } from "#core/database/table/meter.ts";
import { newIndexer } from "#core/events/bus/indexing.ts";
import { type TestTable, testTable } from "#tests/support/engine.ts";
import { seeded } from "#tests/support/hostile-database.ts";
import { loadItems } from "#tools/bench/loading.ts";

const TENANT = "acme.com";
const COUNT = Number(process.env.RECORDS ?? 12_000);
const DAY_MS = 86_400_000;
const KEEP_DAYS = 400;
const NOW = Date.now();
const START = NOW - 300 * DAY_MS;
const STEP_MS = Math.floor((299 * DAY_MS) / COUNT);
/** Every seventh of so many is by a person of ten changes among all. */
const RARE_EVERY = Math.floor(COUNT / 10);
const random = seeded(7);

const actorOf = (at: number): ChangeActor => {
  if (at % RARE_EVERY === 3)
    return { type: "user", id: "rare", name: "rare@acme.com", signIn: "token", clientId: "app" };
  const dice = random();
  if (dice < 0.5) return { type: "client", id: "sync" };
  if (dice < 0.8) return { type: "user", id: `person-${at % 50}`, name: `name-${at % 50}`, via: ["helper"] };
  return { type: "user", id: `own-${at}`, name: `own-name-${at}` };
};
const recordOf = (at: number, actor: ChangeActor, atMs = START + at * STEP_MS): ChangeRecord => ({
  id: changeIdOf(atMs, digestOfResource("user", `resource ${at % 997}`)),
  atMs,
  tenant: TENANT,
  actor,
  sourceIp: "10.0.0.1",
  operation: at % 3 === 0 ? "patchUser" : "replaceUser",
  resource: { type: at % 5 === 0 ? "group" : "user", id: `resource ${at % 997}`, name: "n" },
  changes: [{ op: "replace", path: "/name/familyName", value: `v ${at}`, from: `v ${at - 1}` }],
  traceId: "0190f5d2-7e5a-7000-8000-000000000000",
});

const load = async (table: TestTable, records: readonly ChangeRecord[]) => {
  const items = records.map((record) => recordItems(record, [], Math.floor(NOW / 1_000) + DAY_MS).item);
  await loadItems(table.endpoint, table.tableName, "records", items.length, items);
};
/** Indexes as long as there are blocks, as if `since` was then. Returns the changes and the write units. */
const indexAll = async ({ open }: TestTable, since: number) => {
  const meter = newMeter();
  let indexed = 0;
  for (let nowMs = since; ; nowMs += 61_000) {
    const count = await indexActors(open(meter), TENANT, { nowMs, recordDays: KEEP_DAYS, perLane: 400 });
    if (count === 0) return { indexed, writeUnits: meter.cost.writeUnits };
    indexed += count;
  }
};
/** All pages, and the most round trips and read units of one. */
const search = async ({ open }: TestTable, filter: AuditFilter, limit = 50) => {
  const ids: string[] = [];
  const costs: { readonly roundTrips: number; readonly readUnits: number }[] = [];
  for (let after: string | undefined; ; ) {
    const meter = newMeter();
    const page = await findRecords(open(meter), TENANT, filter, { limit, after });
    ids.push(...page.records.map(({ id }) => id));
    costs.push(meter.cost);
    if (page.next === undefined) break;
    after = page.next;
  }
  const most = (of: "roundTrips" | "readUnits") => Math.max(...costs.map((cost) => cost[of]));
  return { ids, pages: costs.length, roundTrips: most("roundTrips"), readUnits: most("readUnits") };
};
const expected = (records: readonly ChangeRecord[], filter: AuditFilter): string[] => {
  const { actor = "", sinceMs = 0, untilMs = Number.POSITIVE_INFINITY, operation, resourceType, isAscending } = filter;
  const ids = records
    .filter((one) => [one.actor.id, one.actor.name, one.actor.clientId, ...(one.actor.via ?? [])].includes(actor))
    .filter(({ atMs }) => atMs >= sinceMs && atMs < untilMs)
    .filter((one) => operation === undefined || one.operation === operation)
    .filter((one) => resourceType === undefined || one.resource.type === resourceType)
    .map(({ id }) => id)
    .sort();
  return isAscending ? ids : ids.reverse();
};

describe(`${COUNT} changes of 300 days`, () => {
  const records = Array.from({ length: COUNT }, (_, at) => recordOf(at, actorOf(at)));
  let table: TestTable;
  let indexed = { indexed: 0, writeUnits: 0 };
  beforeAll(async () => {
    table = await testTable();
    await load(table, records);
    indexed = await indexAll(table, NOW - DAY_MS);
  }, 300_000);

  test("indexing costs at most 0.1 write units for a change", () => {
    expect(indexed.indexed).toBeGreaterThan(COUNT * 0.7);
    expect(indexed.writeUnits / indexed.indexed).toBeLessThan(0.1);
  });

  test.each(["rare", "rare@acme.com", "app"])("all changes of %s are one page of two round trips", async (actor) => {
    const found = await search(table, { actor });
    expect(found.ids).toEqual(expected(records, { actor }));
    expect([found.ids.length, found.pages, found.roundTrips]).toEqual([10, 1, 2]);
  });

  test("a page of who changes much takes two round trips, and reads what it shows besides what is not indexed", async () => {
    const found = await search(table, { actor: "sync", untilMs: START + 100 * DAY_MS });
    expect(found.ids).toEqual(expected(records, { actor: "sync", untilMs: START + 100 * DAY_MS }));
    expect(found.roundTrips).toBe(2);
    expect(found.pages).toBe(Math.ceil(found.ids.length / 50));
  });

  test("nobody has no changes, in one page of two round trips", async () => {
    expect(await search(table, { actor: "nobody" })).toMatchObject({ ids: [], pages: 1, roundTrips: 2 });
  });

  test("finds what a search of all records finds, in any period, order, page size and with other filters", async () => {
    const actors = ["rare", "sync", "person-7", "name-11", "helper", "own-name-4321", "nobody"];
    for (let round = 0; round < 24; round += 1) {
      const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;
      const [a, b] = [START + random() * 300 * DAY_MS, START + random() * 300 * DAY_MS].map(Math.floor);
      const filter: AuditFilter = {
        actor: pick(actors),
        isAscending: random() < 0.5,
        ...(random() < 0.5 && { sinceMs: Math.min(a ?? 0, b ?? 0), untilMs: Math.max(a ?? 0, b ?? 0) }),
        ...(random() < 0.3 && { operation: "patchUser" }),
        ...(random() < 0.2 && { resourceType: "group" as const }),
      };
      const found = await search(table, filter, pick([333, 1_000]));
      expect(found.ids, JSON.stringify(filter)).toEqual(expected(records, filter));
      expect(found.roundTrips).toBeLessThanOrEqual(2);
    }
  }, 120_000);

  test("shows the latest changes at once, and all while a block has just become complete", async () => {
    const latest = Array.from({ length: 3_000 }, (_, at) =>
      recordOf(at, { type: "user", id: at % 300 === 0 ? "rare" : `late-${at}` }, NOW - 3_600_000 + at * 10),
    );
    await load(table, latest);
    const all = [...records, ...latest];
    expect((await search(table, { actor: "rare" })).ids).toEqual(expected(all, { actor: "rare" }));
    // Two at once, now: readers do not trust a block before all requests are over that began before it.
    const indexing = { nowMs: Date.now(), recordDays: KEEP_DAYS };
    const counts = await Promise.all([1, 2, 3].map(() => indexActors(table.open(newMeter()), TENANT, indexing)));
    expect(counts.filter((count) => count > 0)).toHaveLength(1);
    for (const isAscending of [false, true]) {
      const filter = { actor: "rare", isAscending };
      expect((await search(table, filter, 3)).ids).toEqual(expected(all, filter));
    }
  }, 60_000);
});

describe("the function of the stream", () => {
  const batchOf = (records: readonly ChangeRecord[]) => ({
    Records: records.map((record, at) => {
      const { PK, SK } = recordItems(record, [], 0).item;
      return {
        eventName: "INSERT",
        dynamodb: { SequenceNumber: String(at), Keys: { PK: { S: PK }, SK: { S: SK } } },
      };
    }),
  });
  const records = Array.from({ length: 2_100 }, (_, at) => recordOf(at, { type: "user", id: `person-${at % 9}` }));
  const clock = { now: () => NOW };

  test("indexes now and then, and reports what it could not do without failing", async () => {
    const table = await testTable();
    await load(table, records);
    const failures: string[] = [];
    const report = { notIndexed: (tenant: string) => failures.push(tenant) };
    const indexer = (random: number, open = table.open) =>
      newIndexer({ open, recordDays: KEEP_DAYS, report, clock, random: () => random });
    const indexed = () => readIndexed(table.open(newMeter()), TENANT);
    const batch = batchOf(records.slice(0, 5));
    await indexer(0.5)(batch);
    expect(await indexed()).toBeUndefined();
    const broken = table.reopen({ client: { endpoint: "http://127.0.0.1:9" }, deadlineMs: 500 });
    await indexer(0, broken)(batch);
    expect([await indexed(), failures]).toEqual([undefined, [TENANT]]);
    await indexer(0)(batch);
    expect(await indexed()).toMatchObject({ atMs: NOW });
  }, 60_000);
});

test("where every change is somebody else's, a block still costs at most 0.1 write units for a change", async () => {
  const table = await testTable();
  const own = (at: number): ChangeActor => ({
    type: "user",
    id: `own-${at}`,
    name: `own-name-${at}`,
    clientId: `c-${at}`,
  });
  await load(
    table,
    Array.from({ length: 2_100 }, (_, at) => recordOf(at, own(at))),
  );
  const { indexed, writeUnits } = await indexAll(table, NOW - DAY_MS);
  expect(indexed).toBe(2_100);
  expect(writeUnits / indexed).toBeLessThan(0.1);
}, 60_000);
