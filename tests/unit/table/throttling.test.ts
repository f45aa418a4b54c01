/** Throttled calls are repeated within a budget (decision 0177), whatever else is repeated up to the deadline. */
import { beforeAll, describe, expect, it } from "vitest";
import { DatabaseError, TransactionCancelled } from "#core/database/table/client/errors.ts";
import { newMeter } from "#core/database/table/meter.ts";
import type { Item, Key, Step, Table } from "#core/database/table/table.ts";
import {
  BUDGET,
  isThrottling,
  newRetryBudget,
  THROTTLED_ATTEMPTS,
  throttledOf,
  Unprocessed,
} from "#core/database/table/throttling.ts";
import { type TestTable, testTable } from "#tests/support/engine.ts";
import { CALM, hostileDatabase, type Odds } from "#tests/support/hostile-database.ts";

/** The limits of the functions, and the time that a throttled call may take on a busy machine. */
const DEADLINE_MS = 9_000;
const HELD_MS = 2_000;

let made: TestTable;
beforeAll(async () => {
  made = await testTable();
});

const at = (PK: string) => ({ PK, SK: "A" }) satisfies Key;
const absent = (put: Item): Step => ({ put, when: "absent", otherwise: () => new Error("present") });
/** A container, whose calls have the odds. */
const container = (odds: Partial<Odds>, throttling: "refused" | "awaited" = "refused", deadlineMs = DEADLINE_MS) => {
  const hostile = hostileDatabase(1, { ...CALM, ...odds });
  const open = made.reopen({ deadlineMs, throttling, client: { transport: hostile.transport } });
  return { counts: hostile.counts, open, table: open(newMeter()) };
};
const unavailable = expect.objectContaining({ fault: "service.unavailable" });

const calls: Readonly<Record<string, (on: Table) => Promise<unknown>>> = {
  get: (on) => on.get(at("a")),
  getMany: (on) => on.getMany([at("a"), at("b")]),
  snapshot: (on) => on.snapshot([at("a")]),
  query: (on) => on.query({ PK: "a", limit: 1 }),
  queryAll: (on) => on.queryAll({ PK: "a", limit: 1 }),
  nearest: (on) => on.nearest({ PK: "a", from: "A", to: "B" }, () => true),
  put: (on) => on.write({ put: at("a"), when: "any", otherwise: () => new Error("never") }),
  write: (on) => on.write(absent(at("a")), absent(at("b"))),
  putNewer: (on) => on.putNewer(at("a"), "atMs"),
  count: (on) => on.count(at("a"), { n: 1 }),
  forget: (on) => on.forget(at("a")),
};

describe("a table that throttles always", () => {
  it.each(Object.entries(calls))(
    "makes at most three attempts of %s, and throws service.unavailable",
    async (_, call) => {
      const { counts, table } = container({ throttle: 1 });
      const startMs = performance.now();
      await expect(call(table)).rejects.toThrow(unavailable);
      expect(counts.throttles).toBe(THROTTLED_ATTEMPTS);
      expect(performance.now() - startMs).toBeLessThan(HELD_MS);
    },
  );

  it("makes one attempt of each call once the repeats of the partition are used up", async () => {
    const { counts, open } = container({ throttle: 1 });
    const calls = 20;
    for (let number = 0; number < calls; number += 1) {
      await expect(open(newMeter()).get(at("hot"))).rejects.toThrow(unavailable);
    }
    // What flows back meanwhile lets a few more through.
    expect(counts.throttles - calls).toBeGreaterThanOrEqual(BUDGET.partition.most);
    expect(counts.throttles - calls).toBeLessThanOrEqual(BUDGET.partition.most + 5);
  });

  it("awaits it up to the deadline for a command", async () => {
    const { counts, table } = container({ throttle: 1 }, "awaited", 300);
    await expect(table.get(at("a"))).rejects.toThrow(unavailable);
    expect(counts.throttles).toBeGreaterThan(THROTTLED_ATTEMPTS);
  });
});

describe("what is not throttled", () => {
  it("is repeated up to the deadline: a conflict ends when the other transaction does", async () => {
    const { counts, table } = container({ conflict: 1 }, "refused", 1_500);
    await expect(table.write(absent(at("c")))).rejects.toThrow(unavailable);
    expect(counts.conflicts).toBeGreaterThan(THROTTLED_ATTEMPTS);
  });

  it("is repeated up to the deadline: a lost response says nothing of the load", async () => {
    const { counts, table } = container({ lost: 1 }, "refused", 1_500);
    await expect(table.get(at("c"))).rejects.toThrow(unavailable);
    expect(counts.lost).toBeGreaterThan(THROTTLED_ATTEMPTS);
  });
});

describe("the budget of a container", () => {
  const budget = () => {
    let nowMs = 0;
    const { spend } = newRetryBudget(() => nowMs);
    const wait = (ms: number): void => {
      nowMs += ms;
    };
    const most = (...partitions: string[]) => {
      let count = 0;
      while (count < 1_000 && spend(partitions)) count += 1;
      return count;
    };
    return { most, spend, wait };
  };

  it("lets each partition repeat a few calls, and all together more", () => {
    const { most } = budget();
    const each = ["a", "b", "c", "d", "e", "f"].map((partition) => most(partition));
    expect(each).toEqual([4, 4, 4, 4, 4, 0]);
  });

  it("flows back with time, up to its most", () => {
    const { most, wait } = budget();
    expect(most("a")).toBe(BUDGET.partition.most);
    wait(2_000);
    expect(most("a")).toBe(2 * BUDGET.partition.perSecond);
    wait(3_600_000);
    expect(most("a")).toBe(BUDGET.partition.most);
  });

  it("takes nothing where one of the partitions has nothing left", () => {
    const { most, spend } = budget();
    most("a");
    for (let number = 0; number < 10; number += 1) expect(spend(["a", "b"])).toBe(false);
    expect(most("b")).toBe(BUDGET.partition.most);
  });
});

describe("what counts as throttled", () => {
  const cancelled = (...codes: string[]) =>
    new TransactionCancelled(
      "cancelled",
      codes.map((Code) => ({ Code })),
      400,
    );

  it.each<[string, boolean, unknown]>([
    ["a throttled call", true, new DatabaseError("ProvisionedThroughputExceededException", "", 400)],
    ["the limit of the account", true, new DatabaseError("RequestLimitExceeded", "", 400)],
    ["a transaction with a throttled step", true, cancelled("None", "ThrottlingError")],
    ["the same next to a conflict", true, cancelled("TransactionConflict", "ThrottlingError")],
    ["a batch whose keys were throttled", true, new Unprocessed(true, ["a"])],
    ["a batch of 16 MB", false, new Unprocessed(false, ["a"])],
    ["a conflict", false, cancelled("TransactionConflict", "None")],
    ["a failed condition next to a throttled step", false, cancelled("ConditionalCheckFailed", "ThrottlingError")],
    ["a failure of DynamoDB", false, new DatabaseError("InternalServerError", "", 500)],
    ["a lost connection", false, Object.assign(new Error("cut"), { code: "ECONNRESET" })],
  ])("%s: %s", (_, isThrottled, error) => expect(isThrottling(error)).toBe(isThrottled));

  it("is the partition that the failure names, or all of the call", () => {
    expect([...throttledOf(cancelled("None", "ThrottlingError"), ["a", "b"])]).toEqual(["b"]);
    expect([...throttledOf(new Unprocessed(true, ["c"]), ["a", "b", "c"])]).toEqual(["c"]);
    expect([...throttledOf(new DatabaseError("ThrottlingException", "", 400), ["a", "b"])]).toEqual(["a", "b"]);
  });
});
