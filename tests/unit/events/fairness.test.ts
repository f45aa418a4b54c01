/** Slow receivers do not stop the others: who has waited longest comes first. */
import { beforeEach, describe, expect, test } from "vitest";
import { type TestTable, testTable } from "#tests/support/engine.ts";
import { recordOf, T, workshop } from "./support.ts";

const RUN_MS = 1_000;
const SLOW_MS = 400;
/** So long a message really takes: others begin meanwhile. */
const REAL_MS = 40;
let table: TestTable;
let shop: ReturnType<typeof workshop>;
beforeEach(async () => {
  table = await testTable();
  shop = workshop(table);
});

/** One call of the delivery function, which ends after a while. */
const call = () => shop.tick({ untilMs: shop.nowMs + RUN_MS });
const isSlow = (name: string) => name.includes("slow");
const names = (count: number, name: string) => Array.from({ length: count }, (_, at) => `${name}${at}`);

/** Calls until everybody was served. In each, eight are served at once, slow ones with three messages. */
const callsUntil = async (count: number, who: (one: (typeof shop.sent)[number]) => string): Promise<number> => {
  for (let calls = 1; calls <= 50; calls += 1) {
    await call();
    if (new Set(shop.sent.map(who)).size === count) return calls;
  }
  throw new Error(`only ${[...new Set(shop.sent.map(who))]} were served`);
};

describe("with more slow receivers than are served at once, and a backlog of each", () => {
  beforeEach(() => {
    // Receivers that are called at the same time respond at the same time.
    shop.receive(async (_, subscriber) => {
      if (!isSlow(subscriber)) return { kind: "delivered" };
      const endMs = shop.nowMs + SLOW_MS;
      await new Promise((done) => setTimeout(done, REAL_MS));
      shop.later(Math.max(0, endMs - shop.nowMs));
      return { kind: "delivered" };
    });
  });

  test("every receiver of a tenant is served as soon as it has waited longest", async () => {
    for (let at = 1; at <= 80; at += 1) shop.change(recordOf(at, `u${at}`));
    // In the order of their names, the slow ones come first.
    for (const id of [...names(10, "a-slow"), ...names(4, "b-quick")]) await shop.add(id);
    expect(await callsUntil(14, ({ subscriber }) => subscriber)).toBeLessThanOrEqual(6);
  });

  test("every tenant is served as soon as it has waited longest", async () => {
    for (const name of [...names(10, "a-slow"), ...names(4, "b-quick")]) {
      const tenant = `${name}.example`;
      for (let at = 1; at <= 80; at += 1) shop.change(recordOf(at, `u${at}`, tenant));
      await shop.add(name, {}, tenant);
    }
    expect(await callsUntil(14, ({ tenant }) => tenant)).toBeLessThanOrEqual(6);
  });

  test("all is delivered in the end, to each receiver in order and once", async () => {
    for (let at = 1; at <= 12; at += 1) shop.change(recordOf(at, `u${at}`));
    const ids = [...names(10, "a-slow"), ...names(4, "b-quick")];
    for (const id of ids) await shop.add(id);
    for (let round = 0; round < 200 && shop.sent.length < ids.length * 12; round += 1) await call();
    for (const id of ids) {
      const own = shop.sent.filter(({ tenant, subscriber }) => tenant === T && subscriber === id);
      expect(own.map((one) => Number(one.id))).toEqual(Array.from({ length: 12 }, (_, at) => at + 1));
    }
  });
});
