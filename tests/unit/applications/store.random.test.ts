/**
 * The application store compared with a plain map, with many writers and the disturbances of DynamoDB: conflicts,
 * throttling, reads during a transaction, stale reads, lost responses. A failure names its seed.
 */
import { beforeAll, describe, expect, test } from "vitest";
import { listApplications } from "#core/applications/management/list.ts";
import { type Application, freshApplication } from "#core/applications/registry/model.ts";
import { applicationItems, applicationStore, TAKES_ONLY } from "#core/applications/registry/store.ts";
import { newMeter } from "#core/database/table/meter.ts";
import { Fault } from "#core/kernel/faults.ts";
import { newId } from "#core/kernel/ids.ts";
import { foundIndex } from "#tests/support/application-index.ts";
import { type TestTable, testTable } from "#tests/support/engine.ts";
import { CALM, hostileDatabase, type Odds, seeded } from "#tests/support/hostile-database.ts";
import { loadItems } from "#tools/bench/loading.ts";

const WRITERS = 12;
const OPERATIONS = 200;
const HALF_MS = 40;
const HOSTILE: Odds = { conflict: 0.08, throttle: 0.02, half: 0.5, halfMs: HALF_MS, lost: 0.05, heldMs: 3 };
const names = ["one", "two", "three", "four", "five", "six", "seven"];

const happened = { conflicts: 0, lost: 0, halves: 0 };

let table: TestTable;
beforeAll(async () => {
  table = await testTable();
});

describe.each([1, 2, 3])("seed %i", (seed) => {
  const tenant = `tenant-${seed}`;
  test("entries, applications and names agree with the model in the end", async () => {
    await foundIndex(table.open(newMeter()), tenant);
    const database = hostileDatabase(seed, HOSTILE);
    const open = table.reopen({ deadlineMs: 9_000, client: { ...table.client, transport: database.transport } });
    const store = applicationStore(open(newMeter()));
    const random = seeded(seed);
    const model = new Map<string, { name: string; notes: number }>();
    const busy = new Set<string>();
    const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;

    const taken = async (write: Promise<void>): Promise<boolean> => {
      try {
        await write;
        return false;
      } catch (error) {
        if (error instanceof Fault && error.fault === "application.name_taken") return true;
        throw error;
      }
    };
    const add = async () => {
      const fresh = freshApplication(newId(), pick(names), "owner", false);
      if (!(await taken(store.add(tenant, fresh, TAKES_ONLY)))) model.set(fresh.id, { name: fresh.name, notes: 0 });
    };
    const change = async (id: string) => {
      const kept = model.get(id);
      if (!kept) return;
      const note = (before: Application) => ({ ...before, description: `${before.description ?? ""}.` });
      if (random() < 0.5) {
        // Two writers on one application: both notes must be there.
        await Promise.all([store.update(tenant, id, TAKES_ONLY, note), store.update(tenant, id, TAKES_ONLY, note)]);
        kept.notes += 2;
        return;
      }
      const name = pick(names);
      if (!(await taken(store.update(tenant, id, TAKES_ONLY, (before) => ({ ...note(before), name }))))) {
        Object.assign(kept, { name, notes: kept.notes + 1 });
      }
    };
    const remove = async (id: string) => {
      await store.remove(tenant, id);
      model.delete(id);
    };

    let left = OPERATIONS;
    const writer = async () => {
      while (left-- > 0) {
        const free = [...model.keys()].filter((id) => !busy.has(id));
        const id = free.length > 0 && random() < 0.7 ? pick(free) : undefined;
        if (id === undefined) await add();
        else {
          busy.add(id);
          await (random() < 0.3 ? remove(id) : change(id));
          busy.delete(id);
        }
      }
    };
    const reader = async () => {
      while (left > 0) {
        const page = await listApplications(store, tenant, { limit: 100 });
        expect(page.count).toBeLessThanOrEqual(page.totalResults);
        expect(new Set(page.applications.map(({ id }) => id)).size).toBe(page.count);
      }
    };
    await Promise.all([...Array.from({ length: WRITERS }, writer), reader()]);
    for (const kind of ["conflicts", "lost", "halves"] as const) happened[kind] += database.counts[kind];

    database.set(CALM);
    await new Promise((done) => setTimeout(done, HALF_MS + 1));
    const entries = await store.entries(tenant);
    expect(entries.map(({ id, name }) => [id, name]).sort()).toEqual(
      [...model].map(([id, { name }]) => [id, name]).sort(),
    );
    for (const [id, { name, notes }] of model) {
      expect(await store.find(tenant, id)).toMatchObject({
        id,
        name,
        ...(notes > 0 && { description: ".".repeat(notes) }),
      });
    }
    expect((await store.readMany(tenant, entries)).map(({ id }) => id)).toEqual(entries.map(({ id }) => id));
    for (const name of names) {
      const entry = await store.entry(tenant, name);
      expect(entry?.id).toBe([...model].find(([, kept]) => kept.name === name)?.[0]);
    }
  });
});

test("the runs include every kind of disturbance", () => {
  expect(Math.min(...Object.values(happened))).toBeGreaterThan(0);
});

test("a list continues after the strongly read entries and reads each entry once", async () => {
  const meter = newMeter();
  const store = applicationStore(table.open(meter));
  const fresh = Array.from({ length: 2_050 }, (_, index) => freshApplication(newId(), `app ${index}`, "owner", false));
  const items = fresh.flatMap((application) => applicationItems("large", application));
  await loadItems(table.endpoint, table.tableName, "applications", items.length, items);
  const entries = await store.entries("large");
  expect(entries.map(({ id }) => id)).toEqual(fresh.map(({ id }) => id).reverse());
  // 2,000 entries of some 50 bytes strongly, 50 at half the price: reading any of them twice would cost 10 units more.
  expect(meter.cost.roundTrips).toBe(2);
  expect(meter.cost.readUnits).toBeLessThan(30);
});

test("a copy that is older than its entry is read again, so a list shows the latest change", async () => {
  const database = hostileDatabase(7, { ...CALM, half: 1, halfMs: 5_000 });
  const open = table.reopen({ client: { ...table.client, transport: database.transport } });
  const store = applicationStore(open(newMeter()));
  const fresh = freshApplication(newId(), "shown", "owner", false);
  await store.add("stale", fresh, TAKES_ONLY);
  await store.update("stale", fresh.id, TAKES_ONLY, (before) => ({ ...before, description: "new" }));
  // Query shows an old entry too under these odds, so the entry is read by its key, which is never behind.
  const entry = await store.entry("stale", "shown");
  expect(entry?.version).toBe(2);
  expect(await store.readMany("stale", entry ? [entry] : [])).toMatchObject([{ description: "new" }]);
});
