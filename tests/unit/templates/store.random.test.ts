/**
 * The template store compared with a plain map, with many writers and the disturbances of DynamoDB: conflicts,
 * throttling, reads during a transaction, lost responses. A failure names its seed.
 */
import { beforeAll, describe, expect, test } from "vitest";
import { templateStore } from "#core/applications/templates/store.ts";
import { newMeter } from "#core/database/table/meter.ts";
import { Fault } from "#core/kernel/faults.ts";
import { newId } from "#core/kernel/ids.ts";
import { type TestTable, testTable } from "#tests/support/engine.ts";
import { CALM, hostileDatabase, type Odds, seeded } from "#tests/support/hostile-database.ts";

const WRITERS = 10;
const OPERATIONS = 150;
const HALF_MS = 40;
const HOSTILE: Odds = { conflict: 0.08, throttle: 0.02, half: 0.5, halfMs: HALF_MS, lost: 0.05, heldMs: 3 };
const names = ["one", "two", "three", "four", "five", "six", "seven"];

const happened = { conflicts: 0, lost: 0, halves: 0 };

let table: TestTable;
beforeAll(async () => {
  table = await testTable();
});

describe.each([1, 2, 3])("seed %i", (seed) => {
  test("names, list and templates agree with the model in the end", async () => {
    const tenant = `tenant-${seed}`;
    const database = hostileDatabase(seed, HOSTILE);
    const open = table.reopen({ deadlineMs: 9_000, client: { ...table.client, transport: database.transport } });
    const store = templateStore(open(newMeter()));
    const random = seeded(seed);
    const model = new Map<string, { name: string; description: string }>();
    const busy = new Set<string>();
    const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;
    const application = { name: "a" };

    const taken = async (write: Promise<void>): Promise<boolean> => {
      try {
        await write;
        return false;
      } catch (error) {
        if (error instanceof Fault && error.fault === "template.name_taken") return true;
        throw error;
      }
    };
    const add = async () => {
      const fields = { name: pick(names), description: `${left}` };
      const id = newId();
      if (!(await taken(store.add(tenant, { id, ...fields, application })))) model.set(id, fields);
    };
    const replace = async (id: string) => {
      const fields = { name: pick(names), description: `${left}` };
      // Two writers of the same values: whichever comes second finds what the first has written.
      const both = [fields, fields].map((same) => taken(store.replace(tenant, id, () => ({ ...same, application }))));
      if ((await Promise.all(both)).includes(false)) model.set(id, fields);
    };

    let left = OPERATIONS;
    const writer = async () => {
      while (left-- > 0) {
        const free = [...model.keys()].filter((id) => !busy.has(id));
        const id = free.length > 0 && random() < 0.7 ? pick(free) : undefined;
        if (id === undefined) await add();
        else {
          busy.add(id);
          if (random() < 0.3) {
            await store.remove(tenant, id);
            model.delete(id);
          } else await replace(id);
          busy.delete(id);
        }
      }
    };
    const reader = async () => {
      while (left > 0) {
        const ids = (await store.summaries(tenant)).map(({ id }) => id);
        expect(new Set(ids).size).toBe(ids.length);
      }
    };
    await Promise.all([...Array.from({ length: WRITERS }, writer), reader()]);
    for (const kind of ["conflicts", "lost", "halves"] as const) happened[kind] += database.counts[kind];

    database.set(CALM);
    await new Promise((done) => setTimeout(done, HALF_MS + 1));
    const expected = [...model].map(([id, fields]) => ({ id, ...fields }));
    expect(await store.summaries(tenant)).toEqual(expected.sort((a, b) => (a.name < b.name ? -1 : 1)));
    for (const kept of expected) expect(await store.find(tenant, kept.id)).toEqual({ ...kept, application });
    for (const name of names) {
      expect(await store.idOf(tenant, name)).toBe(expected.find((kept) => kept.name === name)?.id);
    }
  });
});

test("the runs include every kind of disturbance", () => {
  expect(Math.min(...Object.values(happened))).toBeGreaterThan(0);
});
