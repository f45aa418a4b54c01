/** The delivery engine: order, at least once, retries, pauses, leases, crashes; on the embedded engine. */
import { beforeEach, describe, expect, test } from "vitest";
import { newMeter } from "#core/database/table/meter.ts";
import { GIVE_UP_MS } from "#core/events/delivery/backoff.ts";
import { deliverDue } from "#core/events/delivery/deliver.ts";
import type { Outcome } from "#core/events/delivery/model.ts";
import { resumed, shownFailures, startingAt } from "#core/events/delivery/model.ts";
import { deliveryStore } from "#core/events/delivery/subscriber-store.ts";
import { type TestTable, testTable } from "#tests/support/engine.ts";
import { recordOf, T, workshop } from "./support.ts";

let table: TestTable;
let shop: ReturnType<typeof workshop>;
beforeEach(async () => {
  table = await testTable();
  shop = workshop(table);
});

const failed: Outcome = { kind: "failed", what: "The receiver responded with 503." };
const numbers = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, at) => from + at);

describe("delivery", () => {
  test("sends every record once and in order, over several pages", async () => {
    for (const at of numbers(1, 130)) shop.change(recordOf(at));
    await shop.add("a");
    await shop.run();
    expect(shop.taken()).toEqual(numbers(1, 130));
    await shop.run();
    expect(shop.taken()).toEqual([]);
    shop.change(recordOf(131));
    await shop.run();
    expect(shop.taken()).toEqual([131]);
  });

  test("gives each subscriber what its own cursor says, and each tenant its own records", async () => {
    for (const at of numbers(1, 3)) shop.change(recordOf(at));
    shop.change(recordOf(7, "u1", "other.example"));
    await shop.add("a");
    await shop.add("late", {}, T, "2");
    await shop.add("b", {}, "other.example");
    await shop.run();
    const ids = (subscriber: string) => shop.sent.filter((each) => each.subscriber === subscriber);
    expect(ids("a").map(({ id }) => Number(id))).toEqual([1, 2, 3]);
    expect(ids("late").map(({ id }) => Number(id))).toEqual([3]);
    expect(ids("b")).toEqual([{ tenant: "other.example", subscriber: "b", id: recordOf(7).id }]);
  });

  test("passes over records that are of no interest, and over subscribers that are off or fetch themselves", async () => {
    shop.change({ ...recordOf(1), operation: "ignored" });
    shop.change(recordOf(2));
    await shop.add("a");
    await shop.add("off", { isActive: false });
    await shop.add("poll", { settings: { polled: true } });
    await shop.run();
    expect(shop.sent.map(({ subscriber, id }) => [subscriber, Number(id)])).toEqual([["a", 2]]);
    expect((await shop.state("a")).progress.cursor).toBe("2");
    expect((await shop.state("off")).progress.cursor).toBe("0");
  });

  test("sends asides before records, each once", async () => {
    shop.change(recordOf(5));
    await shop.add("a");
    await shop.store.update(
      T,
      "a",
      ({ progress }) => ({ progress: { ...progress, asides: ["1", "2"] } }),
      () => new Error("taken"),
    );
    await shop.run();
    expect(shop.taken()).toEqual([1, 2, 5]);
    expect((await shop.state("a")).progress.asides).toEqual([]);
  });

  test("goes on after a message that the receiver refuses for good, and reports it", async () => {
    for (const at of numbers(1, 3)) shop.change(recordOf(at));
    await shop.add("a");
    shop.receive(({ id }) => (Number(id) === 2 ? { kind: "refused", what: "no" } : { kind: "delivered" }));
    await shop.run();
    expect(shop.taken()).toEqual([1, 2, 3]);
    expect(shop.reports).toEqual([expect.objectContaining({ delivered: 2, refusals: ["no"], isPaused: false })]);
  });
});

describe("a receiver that fails", () => {
  test("gets the same message again, later each time, and then the rest", async () => {
    for (const at of numbers(1, 4)) shop.change(recordOf(at));
    await shop.add("a");
    shop.receive(({ id }) => (Number(id) === 3 ? failed : { kind: "delivered" }));
    await shop.run();
    expect(shop.taken()).toEqual([1, 2, 3]);
    const waits: number[] = [];
    for (const failures of numbers(1, 9)) {
      const { progress } = await shop.state("a");
      expect(progress).toMatchObject({
        failures: 0,
        held: [{ resource: "user u1", failures }],
        lastFailure: failed.what,
        delivered: [1, 2].map((at) => recordOf(at).id),
      });
      const { nextAttemptMs } = shownFailures(progress);
      waits.push(nextAttemptMs - shop.nowMs);
      await shop.run();
      expect(shop.taken()).toEqual([]);
      shop.later(nextAttemptMs - shop.nowMs);
      await shop.tick();
      expect(shop.taken()).toEqual([3]);
    }
    expect(waits).toEqual([5_000, 15_000, 45_000, 135_000, 405_000, 1_215_000, 3_600_000, 3_600_000, 3_600_000]);
    shop.receive(() => ({ kind: "delivered" }));
    shop.later(3_600_000);
    await shop.tick();
    expect(shop.taken()).toEqual([3, 4]);
    const { progress } = await shop.state("a");
    expect(progress).toMatchObject({ failures: 0, nextAttemptMs: 0, firstFailureMs: 0, held: [] });
    expect(progress.lastFailure).toBeUndefined();
  });

  test("does not hold up other resources: those of the message that fails wait, over several pages too", async () => {
    const isHeld = (at: number) => at % 10 === 3;
    for (const at of numbers(1, 120)) shop.change(recordOf(at, `u${at % 10}`));
    await shop.add("a");
    shop.receive(({ id }) => (isHeld(Number(id)) ? failed : { kind: "delivered" }));
    await shop.run();
    const others = numbers(1, 120).filter((at) => !isHeld(at));
    expect(shop.taken().sort((a, b) => a - b)).toEqual([...others, 3].sort((a, b) => a - b));
    expect((await shop.state("a")).progress).toMatchObject({ cursor: "0", failures: 0, held: [{ failures: 1 }] });
    shop.change(recordOf(121, "u1"));
    await shop.run();
    expect(shop.taken(), "another resource does not wait for the next attempt").toEqual([121]);
    shop.later(5_000);
    await shop.tick();
    expect(shop.taken()).toEqual([3]);
    shop.receive(() => ({ kind: "delivered" }));
    shop.later(60_000);
    await shop.tick();
    expect(shop.taken()).toEqual(numbers(1, 120).filter(isHeld));
    expect((await shop.state("a")).progress).toMatchObject({ cursor: "121", delivered: [], failures: 0 });
  });

  test("does not count as down because of a few messages that always fail", async () => {
    for (const at of numbers(1, 300)) shop.change(recordOf(at, `u${at}`));
    await shop.add("a");
    shop.receive(({ id }) => (Number(id) <= 5 ? failed : { kind: "delivered" }));
    const delivered: number[] = [];
    for (let run = 0; run < 4; run += 1) {
      await shop.run();
      delivered.push(...shop.taken().filter((at) => at > 5));
      shop.later(60_000);
    }
    expect(delivered.sort((a, b) => a - b)).toEqual(numbers(6, 300));
    shop.change(recordOf(301, "u301"));
    await shop.run();
    expect(shop.taken()).toContain(301);
  });

  test("that names a time waits for the longest that it names, with all of its messages", async () => {
    for (const at of numbers(1, 20)) shop.change(recordOf(at, `u${at}`));
    await shop.add("a");
    shop.receive(async ({ id }) => {
      await new Promise((done) => setTimeout(done, 5));
      return { ...failed, afterMs: Number(id) === 2 ? 600_000 : 1_000 };
    });
    await shop.run();
    expect(shop.taken().length).toBeLessThanOrEqual(8);
    expect((await shop.state("a")).progress).toMatchObject({ failures: 1, nextAttemptMs: shop.nowMs + 600_000 });
  });

  test("is reported with the age of the changes that wait behind a message besides them", async () => {
    shop.change(recordOf(1));
    await shop.add("a");
    await shop.store.update(
      T,
      "a",
      ({ progress }) => ({ progress: { ...progress, asides: ["7"] } }),
      () => new Error("taken"),
    );
    shop.receive(() => failed);
    shop.later(60_001);
    await shop.run();
    expect(shop.taken()).toEqual([7]);
    expect(shop.reports).toEqual([expect.objectContaining({ lagMs: 60_000, failure: failed.what })]);
  });

  test("is reported with the age of the oldest change that waits, whatever it waits for", async () => {
    for (const at of numbers(1, 120)) shop.change(recordOf(at, `u${at}`));
    await shop.add("a");
    shop.receive(() => failed);
    shop.later(90_000);
    await shop.run();
    expect(shop.reports.at(-1)?.lagMs).toBe(90_000 - 1);
    shop.receive(() => {
      shop.later(1_000);
      return { kind: "delivered" };
    });
    shop.later(10_000);
    await shop.tick({ untilMs: shop.nowMs + 4_000 });
    expect(shop.reports.at(-1)?.lagMs).toBeGreaterThan(100_000);
  });

  test("gets a bounded number of later messages while one fails, and the rest afterwards, each once", async () => {
    shop.change(recordOf(1, "bad"));
    for (const at of numbers(2, 1_500)) shop.change(recordOf(at, `u${at % 40}`));
    await shop.add("a");
    shop.receive(({ id }) => (Number(id) === 1 ? failed : { kind: "delivered" }));
    for (let run = 0; run < 6; run += 1) {
      await shop.run();
      shop.later(3_600_000);
    }
    const first = shop.taken().filter((at) => at !== 1);
    expect(first.length).toBeGreaterThanOrEqual(900);
    expect((await shop.state("a")).progress.delivered.length).toBeLessThanOrEqual(1_100);
    shop.receive(() => ({ kind: "delivered" }));
    await shop.run();
    expect([...first, ...shop.taken()].sort((a, b) => a - b)).toEqual(numbers(1, 1_500));
  });

  test("meets few attempts while it is down, however many resources wait", async () => {
    for (const at of numbers(1, 200)) shop.change(recordOf(at, `u${at}`));
    await shop.add("a");
    shop.receive(() => failed);
    await shop.run();
    expect(shop.taken().length).toBeLessThanOrEqual(8);
    shop.later(5_000);
    await shop.tick();
    expect(shop.taken().length).toBeLessThanOrEqual(2);
    expect((await shop.state("a")).progress).toMatchObject({ failures: 2, delivered: [] });
  });

  test("is not asked before the time that it names", async () => {
    shop.change(recordOf(1));
    await shop.add("a");
    shop.receive(() => ({ ...failed, afterMs: 600_000 }));
    await shop.run();
    expect((await shop.state("a")).progress.nextAttemptMs - shop.nowMs).toBe(600_000);
  });

  test("is paused after a day with a reason, and goes on where it was when its owner says so", async () => {
    for (const at of numbers(1, 2)) shop.change(recordOf(at));
    await shop.add("a");
    shop.receive(() => failed);
    await shop.run();
    shop.later(GIVE_UP_MS);
    await shop.tick();
    const { progress } = await shop.state("a");
    expect(progress.pause).toEqual({ reason: `An event failed for a day. ${failed.what}`, atMs: shop.nowMs });
    expect(shop.reports.at(-1)).toMatchObject({ isPaused: true, delivered: 0 });
    shop.taken();
    shop.later(GIVE_UP_MS);
    await shop.tick();
    await shop.run();
    expect(shop.taken()).toEqual([]);

    shop.receive(() => ({ kind: "delivered" }));
    await shop.store.update(
      T,
      "a",
      (before) => ({ progress: resumed(before.progress) }),
      () => new Error("taken"),
    );
    await shop.tick();
    expect(shop.taken()).toEqual([1, 2]);
  });

  test("is paused at once when it wants nothing more", async () => {
    shop.change(recordOf(1));
    await shop.add("a");
    shop.receive(() => ({ kind: "gone", reason: "The receiver responded with 410." }));
    await shop.run();
    expect((await shop.state("a")).progress.pause?.reason).toBe("The receiver responded with 410.");
  });

  test("does not delay the other subscribers", async () => {
    shop.change(recordOf(1));
    await shop.add("a");
    await shop.add("b");
    shop.receive((_, subscriber) => (subscriber === "a" ? failed : { kind: "delivered" }));
    await shop.run();
    expect((await shop.state("b")).progress.cursor).toBe("1");
  });

  test("a defect of the service counts as a failure, and is reported with its cause", async () => {
    shop.change(recordOf(1));
    await shop.add("a");
    const defect = new Error("a bug");
    shop.receive(() => {
      throw defect;
    });
    await shop.run();
    expect((await shop.state("a")).progress).toMatchObject({ held: [{ failures: 1 }], cursor: "0" });
    expect(shop.reports).toEqual([expect.objectContaining({ defect, failure: expect.any(String) })]);
  });
});

describe("several resources", () => {
  test("are sent at the same time; the messages of each follow one another", async () => {
    for (const at of numbers(1, 48)) shop.change(recordOf(at, `u${at % 6}`));
    await shop.add("a");
    const running = new Map<string, number>();
    let most = 0;
    shop.receive(async ({ body }) => {
      const { id } = JSON.parse(body).resource;
      running.set(id, (running.get(id) ?? 0) + 1);
      most = Math.max(
        most,
        [...running.values()].reduce((sum, each) => sum + each, 0),
      );
      expect(running.get(id)).toBe(1);
      await new Promise((done) => setTimeout(done, 2));
      running.set(id, 0);
      return { kind: "delivered" };
    });
    await shop.run();
    expect(most).toBe(6);
    const taken = shop.taken();
    expect(taken.length).toBe(48);
    for (const own of numbers(0, 5)) {
      expect(taken.filter((at) => at % 6 === own)).toEqual(numbers(1, 48).filter((at) => at % 6 === own));
    }
  });

  test("progress is stored while they are sent, and no progress is lost", async () => {
    for (const at of numbers(1, 40)) shop.change(recordOf(at, `u${at}`));
    await shop.add("a");
    const real = deliveryStore(table.open(newMeter()));
    const saves: number[] = [];
    shop.receive(() => {
      shop.later(2_000);
      return { kind: "delivered" };
    });
    await shop.run({
      subscribers: {
        ...real,
        save: (state, progress) => {
          saves.push(progress.delivered.length);
          return real.save(state, progress);
        },
      },
    });
    expect(saves.length).toBeGreaterThan(4);
    expect(shop.taken().sort((a, b) => a - b)).toEqual(numbers(1, 40));
    expect((await shop.state("a")).progress).toMatchObject({ cursor: "40", delivered: [], leasedUntilMs: 0 });
  });
});

describe("several workers", () => {
  test("a change whose worker met the lease is delivered by the one that holds it", async () => {
    shop.change(recordOf(1));
    await shop.add("a");
    const real = deliveryStore(table.open(newMeter()));
    let isFirst = true;
    await shop.run({
      subscribers: {
        ...real,
        save: async (state, progress) => {
          if (progress.leasedUntilMs === 0 && isFirst) {
            isFirst = false;
            shop.change(recordOf(2));
            await shop.run();
          }
          return real.save(state, progress);
        },
      },
    });
    expect(shop.taken()).toEqual([1, 2]);
  });

  test("do not deliver to one subscriber at once", async () => {
    for (const at of numbers(1, 60)) shop.change(recordOf(at));
    await shop.add("a");
    await Promise.all(numbers(1, 6).map(() => shop.run()));
    expect(shop.taken()).toEqual(numbers(1, 60));
  });

  test("take over after a crash: what was delivered since the last stored progress comes again", async () => {
    for (const at of numbers(1, 3)) shop.change(recordOf(at));
    await shop.add("a");
    // Killed between the delivery and the write of the cursor: no further write reaches the table.
    const real = deliveryStore(table.open(newMeter()));
    let writes = 0;
    const dying: typeof real = {
      ...real,
      save: (state, progress) => {
        writes += 1;
        if (writes > 1) throw new Error("killed");
        return real.save(state, progress);
      },
    };
    await expect(shop.run({ subscribers: dying })).rejects.toMatchObject({ cause: { message: "killed" } });
    expect(shop.taken()).toEqual([1, 2, 3]);
    await shop.run();
    expect(shop.taken(), "the lease of the dead worker").toEqual([]);
    shop.later(60_000);
    await shop.tick();
    expect(shop.taken()).toEqual([1, 2, 3]);
    expect((await shop.state("a")).progress).toMatchObject({ cursor: "3", leasedUntilMs: 0 });
  });

  test("of two times that are written at once, the sooner one counts", async () => {
    await shop.add("a");
    await shop.tick();
    shop.receive(() => failed);
    const real = deliveryStore(table.open(newMeter()));
    // It reads an empty feed, and writes its time after the other one has read the same row.
    let isFirst = true;
    const slow: typeof real = {
      ...real,
      setDue: async (entry, dueMs) => {
        if (isFirst) {
          isFirst = false;
          const [own] = (await real.tenants()).filter(({ tenant }) => tenant === T);
          await real.setDue(own ?? entry, shop.nowMs + 15 * 60_000);
        }
        return real.setDue(entry, dueMs);
      },
    };
    shop.change(recordOf(1));
    await shop.run({ subscribers: slow });
    expect(shop.taken()).toEqual([1]);
    expect(isFirst).toBe(false);
    shop.receive(() => ({ kind: "delivered" }));
    shop.later(5_000);
    await shop.tick();
    expect(shop.taken()).toEqual([1]);
  });

  test("a worker stops when the owner changes the subscriber meanwhile, and overwrites nothing", async () => {
    for (const at of numbers(1, 120)) shop.change(recordOf(at));
    await shop.add("a");
    shop.receive(async ({ id }) => {
      if (Number(id) === 10) {
        const change = { progress: startingAt("100") };
        await shop.store.update(
          T,
          "a",
          () => change,
          () => new Error("taken"),
        );
      }
      return { kind: "delivered" };
    });
    await shop.run();
    expect(shop.taken()).toEqual(numbers(1, 50));
    expect((await shop.state("a")).progress.cursor).toBe("100");
    await shop.tick();
    expect(shop.taken()).toEqual(numbers(101, 120));
  });

  test("a worker whose time is over stores how far it is, and the next one goes on", async () => {
    for (const at of numbers(1, 60)) shop.change(recordOf(at));
    await shop.add("a");
    shop.receive(() => {
      shop.later(1_000);
      return { kind: "delivered" };
    });
    await shop.run({ untilMs: shop.nowMs + 5_000 });
    expect(shop.taken()).toEqual(numbers(1, 5));
    expect((await shop.state("a")).progress.leasedUntilMs).toBe(0);
    await shop.tick({ untilMs: shop.nowMs + 45_000 });
    expect(shop.taken()).toEqual(numbers(6, 50));
    // It ended with a page: the cursor before that page is stored.
    await shop.tick();
    expect(shop.taken()).toEqual(numbers(51, 60));
  });
});

describe("what is due", () => {
  test("costs one read where no tenant has a subscriber", async () => {
    const meter = newMeter();
    await deliverDue({ ...shop.worker(), subscribers: deliveryStore(table.open(meter)) });
    expect(meter.cost).toMatchObject({ calls: 1, writeUnits: 0 });
  });

  test("costs no write where nothing is due, and no read of the feed before the time of a tenant", async () => {
    await shop.add("a");
    await shop.tick();
    const meter = newMeter();
    const subscribers = deliveryStore(table.open(meter));
    await shop.run({ subscribers });
    expect(meter.cost.writeUnits).toBe(0);
    const { reads } = shop.feed;
    await shop.tick({ subscribers });
    expect(shop.feed.reads).toBe(reads);
    expect(meter.cost.writeUnits).toBe(0);
  });

  test("a tenant is looked at again after a quarter of an hour, without an announcement", async () => {
    await shop.add("a");
    await shop.tick();
    shop.change(recordOf(1));
    shop.later(14 * 60_000);
    await shop.tick();
    expect(shop.taken()).toEqual([]);
    shop.later(60_000);
    await shop.tick();
    expect(shop.taken()).toEqual([1]);
  });

  test("a tenant whose last subscriber was removed leaves the list, and comes back with a new one", async () => {
    await shop.add("a");
    expect(await shop.store.remove(T, "a")).toBe(true);
    expect(await shop.store.remove(T, "a")).toBe(false);
    await shop.tick();
    expect(await deliveryStore(table.open(newMeter())).tenants()).toEqual([]);
    shop.change(recordOf(1));
    await shop.add("b");
    await shop.tick();
    expect(shop.taken()).toEqual([1]);
  });

  test("a record that becomes visible late is delivered, after a failure inside of its page too", async () => {
    const [first, late, third] = numbers(1, 3).map((at) => recordOf(at, `u${at}`)) as [never, never, never];
    let page: readonly ReturnType<typeof recordOf>[] = [first, third];
    const feed = {
      read: async (_: string, cursor: string) =>
        cursor === "0"
          ? { records: page, next: "1", mayBeMore: false }
          : { records: [], next: cursor, mayBeMore: false },
    };
    await shop.add("a");
    shop.receive(({ id }) => (Number(id) === 3 ? failed : { kind: "delivered" }));
    await shop.run({ feed });
    page = [first, late, third];
    shop.receive(() => ({ kind: "delivered" }));
    shop.later(5_000);
    await shop.tick({ feed });
    expect(shop.taken()).toEqual([1, 3, 2, 3]);
    // Without an announcement, the feed is read once more when nothing can become visible late.
    shop.change(recordOf(9));
    shop.later(44_000);
    await shop.tick();
    expect(shop.taken()).toEqual([]);
    shop.later(1_000);
    await shop.tick({
      feed: {
        async read() {
          return { records: shop.sent.length > 0 ? [] : [recordOf(9)], next: "2", mayBeMore: false };
        },
      },
    });
    expect(shop.taken()).toEqual([9]);
  });

  test("an error of one tenant does not stop another", async () => {
    shop.change(recordOf(1, "u1", "z.example"));
    await shop.add("a", {}, "broken.example");
    await shop.add("z", {}, "z.example");
    const feed = {
      read: (tenant: string, ...rest: [string, number, number]) => {
        if (tenant === "broken.example") throw new Error("unreadable");
        return shop.feed.read(tenant, ...rest);
      },
    };
    await expect(shop.run({ feed })).rejects.toMatchObject({ cause: { message: "unreadable" } });
    expect(shop.sent.map(({ tenant }) => tenant)).toEqual(["z.example"]);
  });
});

describe("claims of subscribers", () => {
  const taken = () => new Error("taken");
  test("one subscriber of a tenant has an endpoint; it is free when that one moves or is removed", async () => {
    await shop.add("a", { claim: "https://x.example" });
    await expect(shop.add("b", { claim: "https://x.example" })).rejects.toThrow("taken");
    await shop.add("c", { claim: "https://x.example" }, "other.example");
    await shop.store.update(T, "a", ({ subscriber }) => ({ subscriber: { ...subscriber, claim: "https://y" } }), taken);
    await shop.add("b", { claim: "https://x.example" });
    await shop.store.remove(T, "b");
    await shop.add("d", { claim: "https://x.example" });
    const ids = (await shop.store.list(T)).map(({ subscriber }) => subscriber.id);
    expect(ids).toEqual(["a", "d"]);
  });
});
