/** The contract of the table on a database with conflicts, throttling and lost responses. */
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { newMeter } from "#core/database/table/meter.ts";
import type { Item, Key, Step, Table } from "#core/database/table/table.ts";
import { Fault } from "#core/kernel/faults.ts";
import { type TestTable, testTable } from "#tests/support/engine.ts";
import { CALM, hostileDatabase, type Odds } from "#tests/support/hostile-database.ts";

let made: TestTable;
let table: Table;
beforeAll(async () => {
  made = await testTable();
  table = made.open(newMeter());
});

let partitions = 0;
let PK = "";
beforeEach(() => {
  partitions += 1;
  PK = `partition-${partitions}`;
});

const refused = (why: string) => () => new Error(why);
const at = (SK: string): Key => ({ PK, SK });
const put = (item: Item | Key): Step => ({ put: { ...item }, when: "absent", otherwise: refused(item.SK) });

describe("on a hostile database", () => {
  const behind = (odds: Partial<Odds>, deadlineMs = 250) => {
    const hostile = hostileDatabase(1, { ...CALM, ...odds });
    const client = { transport: hostile.transport };
    return { hostile, table: made.reopen({ deadlineMs, client })(newMeter()) };
  };
  const unavailable = expect.objectContaining({ fault: "service.unavailable" });

  it("throws service.unavailable at the deadline when every call conflicts or is throttled", async () => {
    const conflicting = behind({ conflict: 1 });
    await expect(conflicting.table.write(put(at("a")))).rejects.toThrow(unavailable);
    expect(conflicting.hostile.counts.conflicts).toBeGreaterThan(1);
    const calls: ((on: Table) => Promise<unknown>)[] = [
      (on) => on.write(put(at("a"))),
      (on) => on.get(at("a")),
      (on) => on.getMany([at("a")]),
      (on) => on.snapshot([at("a")]),
      (on) => on.query({ PK, limit: 1 }),
      (on) => on.queryAll({ PK, limit: 1 }),
      (on) => on.count(at("a"), { n: 1 }),
      (on) => on.forget(at("a")),
    ];
    for (const call of calls) {
      const throttled = behind({ throttle: 1 });
      await expect(call(throttled.table)).rejects.toThrow(Fault);
      expect(throttled.hostile.counts.throttles).toBeGreaterThan(1);
    }
    expect(await table.get(at("a"))).toBeUndefined();
  });

  it("retries transient conflicts and throttling", async () => {
    const { hostile, table: on } = behind({ conflict: 0.4, throttle: 0.3, heldMs: 2 }, 10_000);
    await table.write(put({ ...at("n"), n: 0 }));
    const add: Step = { change: at("n"), add: { n: 1 }, when: "present", otherwise: refused("n") };
    await Promise.all(Array.from({ length: 25 }, (_, id) => on.write(add, put(at(`${id}`)))));
    expect(await table.get(at("n"))).toMatchObject({ n: 25 });
    expect(hostile.counts.conflicts).toBeGreaterThan(10);
  });

  it("applies a write once when its response is lost", async () => {
    const { hostile, table: on } = behind({ lost: 0.6 }, 10_000);
    await table.write(put({ ...at("n"), n: 0 }));
    const add: Step = { change: at("n"), add: { n: 1 }, when: "present", otherwise: refused("n") };
    for (let id = 0; id < 15; id += 1) await on.write(add, put(at(`${id}`)));
    expect(await table.get(at("n"))).toMatchObject({ n: 15 });
    expect(hostile.counts.lost).toBeGreaterThan(5);
  });

  it("throws service.unavailable when nothing listens", async () => {
    const on = made.reopen({ deadlineMs: 60, client: { endpoint: "http://127.0.0.1:9" } })(newMeter());
    await expect(on.get(at("a"))).rejects.toThrow(unavailable);
  });
});
