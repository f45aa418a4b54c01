/** A feed, receivers and a worker for tests of the delivery engine. */
import type { ChangeRecord } from "#core/database/changes/model.ts";
import { newMeter } from "#core/database/table/meter.ts";
import { deliverDue } from "#core/events/delivery/deliver.ts";
import type { DeliveryDeps, DeliveryRecord } from "#core/events/delivery/deps.ts";
import {
  type Feed,
  type Message,
  type Outcome,
  type Subscriber,
  type SubscriberKind,
  startingAt,
} from "#core/events/delivery/model.ts";
import { deliveryStore, subscriberStore } from "#core/events/delivery/subscriber-store.ts";
import type { TestTable } from "#tests/support/engine.ts";

export const T = "wayfinder.example";
export const NOON = Date.UTC(2026, 10, 22, 12);

/** A record of the change number `at` of a resource. */
export const recordOf = (at: number, resource = "u1", tenant = T): ChangeRecord => ({
  id: String(at).padStart(18, "0"),
  atMs: NOON + at,
  tenant,
  actor: { type: "user", id: "admin", name: "admin", signIn: "password" },
  sourceIp: "192.0.2.1",
  operation: "patchUser",
  resource: { type: "user", id: resource },
  changes: [{ op: "replace", path: "/nickName", value: `n${at}`, from: `n${at - 1}` }],
  traceId: "trace",
});

/** A feed in memory. A cursor is the number of the records before it. */
export const feedOf = (records: Map<string, ChangeRecord[]>): Feed & { reads: number } => ({
  reads: 0,
  async read(tenant, cursor, limit) {
    this.reads += 1;
    const from = Number(cursor);
    const all = records.get(tenant) ?? [];
    const page = all.slice(from, from + limit);
    const end = from + page.length;
    return { records: page, next: String(end), mayBeMore: end < all.length };
  },
});

export const subscriberOf = (id: string, more: Partial<Subscriber> = {}): Subscriber => ({
  id,
  kind: "webhook",
  isActive: true,
  settings: {},
  createdAtMs: NOON,
  updatedAtMs: NOON,
  ...more,
});

/** A worker with everything that it uses in memory but the table. */
export const workshop = (testTable: TestTable) => {
  const open = () => testTable.open(newMeter());
  const records = new Map<string, ChangeRecord[]>();
  const feed = feedOf(records);
  const sent: { readonly tenant: string; readonly subscriber: string; readonly id: string }[] = [];
  const reports: DeliveryRecord[] = [];
  let nowMs = NOON;
  let receive: (message: Message, subscriber: string) => Outcome | Promise<Outcome> = () => ({ kind: "delivered" });
  const kind: SubscriberKind = {
    isPushed: ({ settings }) => settings.polled !== true,
    messagesOf: (_, record) =>
      record.operation === "ignored" ? [] : [{ id: record.id, atMs: record.atMs, body: JSON.stringify(record) }],
    messageOfAside: (_, aside) => ({ id: aside, atMs: nowMs, body: aside }),
    async send({ tenant, subscriber }, message) {
      sent.push({ tenant, subscriber: subscriber.id, id: message.id });
      return receive(message, subscriber.id);
    },
  };
  const worker = (more: Partial<DeliveryDeps> = {}): DeliveryDeps => ({
    subscribers: deliveryStore(open()),
    feed,
    kinds: { webhook: kind, stream: kind },
    clock: { now: () => nowMs },
    report: (record) => reports.push(record),
    untilMs: Number.POSITIVE_INFINITY,
    random: () => 1,
    ...more,
  });
  return {
    store: subscriberStore(open()),
    feed,
    sent,
    reports,
    worker,
    /** The ids of the records that were sent, as numbers, and then forgotten. */
    taken: () => sent.splice(0).map(({ id }) => Number(id)),
    get nowMs() {
      return nowMs;
    },
    later: (ms: number) => {
      nowMs += ms;
    },
    receive: (by: typeof receive) => {
      receive = by;
    },
    change: (record: ChangeRecord) => {
      records.set(record.tenant, [...(records.get(record.tenant) ?? []), record]);
    },
    add: (id: string, more: Partial<Subscriber> = {}, tenant = T, cursor = "0") =>
      subscriberStore(open()).add(tenant, subscriberOf(id, more), startingAt(cursor), {
        group: { name: "all", most: 100, has: () => true, full: () => new Error("full") },
        taken: () => new Error("taken"),
      }),
    /** As the stream does: for tenants with changes, whatever their time. */
    run: (more: Partial<DeliveryDeps> = {}) => deliverDue(worker(more), () => true),
    /** As the schedule does: for tenants whose time has come. */
    tick: (more: Partial<DeliveryDeps> = {}) => deliverDue(worker(more)),
    state: async (id: string, tenant = T) => {
      const state = await subscriberStore(open()).find(tenant, id);
      if (!state) throw new Error(`no subscriber ${id}`);
      return state;
    },
  };
};
