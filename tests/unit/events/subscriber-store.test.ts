/** Subscribers that are read while their owner changes them: what was read is never half of a change. */
import { beforeEach, expect, test } from "vitest";
import { keys } from "#core/database/table/keys.ts";
import { newMeter } from "#core/database/table/meter.ts";
import { stale } from "#core/database/table/stale.ts";
import type { Table } from "#core/database/table/table.ts";
import { type Subscriber, startingAt } from "#core/events/delivery/model.ts";
import { deliveryStore, subscriberStore } from "#core/events/delivery/subscriber-store.ts";
import { type TestTable, testTable } from "#tests/support/engine.ts";
import { recordOf, subscriberOf, T, workshop } from "#tests/unit/events/support.ts";

let table: TestTable;
let shop: ReturnType<typeof workshop>;
beforeEach(async () => {
  table = await testTable();
  shop = workshop(table);
});

const to = (name: string, more: Partial<Subscriber> = {}) => subscriberOf("a", { settings: { name }, ...more });
const taken = () => new Error("taken");
const changing = (subscriber: Subscriber) => shop.store.update(T, "a", () => ({ subscriber }), taken);

/** A table on which the owner's change comes between the reads of the two rows, once. */
const between = (change: () => Promise<unknown>): Table => {
  const real = table.open(newMeter());
  const { PK } = keys.subscriberProgress(T, "");
  let read: Promise<unknown> | undefined;
  let isChanged = false;
  return {
    ...real,
    async queryAll(range, most) {
      if (range.PK !== PK) {
        const items = real.queryAll(range, most);
        read = items;
        return items;
      }
      await read;
      if (!isChanged) await change();
      isChanged = true;
      return real.queryAll(range, most);
    },
    async getMany(wanted, options) {
      const [subscriber, ...others] = await real.getMany(wanted, options);
      if (isChanged || wanted.every((key) => key.PK !== PK)) return [subscriber, ...others];
      await change();
      isChanged = true;
      return [subscriber, ...(await real.getMany(wanted, options)).slice(1)];
    },
  };
};

/** Delivers, and tells to which names. */
const deliveredTo = async (open: Table): Promise<unknown[]> => {
  const names: unknown[] = [];
  const deps = shop.worker({ subscribers: deliveryStore(open) });
  const kinds = {
    webhook: {
      isPushed: () => true,
      messagesOf: () => [{ id: "1", atMs: 0, body: "{}" }],
      async send({ subscriber }: { readonly subscriber: Subscriber }) {
        names.push(subscriber.settings.name);
        return { kind: "delivered" } as const;
      },
    },
  };
  await shop.run({ ...deps, kinds });
  return names;
};

test("a worker that reads both rows around a change of the endpoint delivers to the new one", async () => {
  shop.change(recordOf(1));
  await shop.add("a", to("old"));
  expect(await deliveredTo(between(() => changing(to("new"))))).toEqual(["new"]);
});

test("and nothing to a webhook that was deactivated meanwhile, whose cursor stays", async () => {
  shop.change(recordOf(1));
  await shop.add("a", to("old"));
  expect(await deliveredTo(between(() => changing(to("old", { isActive: false }))))).toEqual([]);
  expect((await shop.state("a")).progress.cursor).toBe("0");
});

test("the same after deliveries, which write the progress too", async () => {
  shop.change(recordOf(1));
  await shop.add("a", to("old"));
  await shop.run();
  await changing(to("second"));
  shop.change(recordOf(2));
  expect(await deliveredTo(between(() => changing(to("third"))))).toEqual(["third"]);
});

test("its owner reads it before or after such a change, and finds it", async () => {
  await shop.add("a", to("old"));
  const listed = await subscriberStore(between(() => changing(to("new")))).list(T);
  expect(listed.map(({ subscriber, versions }) => [subscriber.settings.name, versions])).toEqual([
    ["new", { subscriber: 2, progress: 2 }],
  ]);
  const found = await subscriberStore(between(() => changing(to("newer")))).find(T, "a");
  expect(found).toMatchObject({
    subscriber: { settings: { name: "newer" } },
    versions: { subscriber: 3, progress: 3 },
  });
});

/** Stores the progress with another version of the subscriber. */
const progressWith = async (subscriberVersion: number): Promise<void> => {
  const open = table.open(newMeter());
  const [item] = await open.getMany([keys.subscriberProgress(T, "a")]);
  if (!item) throw new Error("no progress");
  const put = { ...item, subscriberVersion };
  await open.write({ put, when: "any", otherwise: stale });
};

test("two rows that never agree count as they are after a moment, and the next write mends them", async () => {
  shop.change(recordOf(1));
  await shop.add("a", to("old"));
  await progressWith(7);
  expect(await deliveredTo(table.open(newMeter()))).toEqual(["old"]);
  const meter = newMeter();
  expect(await deliveryStore(table.open(meter)).list(T)).toHaveLength(1);
  expect(meter.cost.calls).toBe(2);
  expect(await shop.store.update(T, "a", () => ({ progress: startingAt("0") }), taken)).toBeDefined();
});
