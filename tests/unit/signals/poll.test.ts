/** Poll delivery: nothing is lost and order is kept, however a receiver polls, acknowledges and crashes. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { changeIdOf, digestOfResource } from "#core/database/changes/change-id.ts";
import type { ChangeRecord } from "#core/database/changes/model.ts";
import type { Feed } from "#core/events/delivery/model.ts";
import { defaultTypes } from "#core/events/shared-signals/event-types.ts";
import type { Stream } from "#core/events/shared-signals/model.ts";
import { poll } from "#core/events/shared-signals/poll.ts";
import { envelopeOf } from "#core/events/shared-signals/push.ts";
import { asideText } from "#core/events/shared-signals/streams.ts";
import { NOON, ORIGIN, reading, recordOf, streamWith } from "./support.ts";

/** A feed in memory: a cursor is the number of records before it. */
const feedOf = (records: readonly ChangeRecord[]): Feed & { reads: number } => ({
  reads: 0,
  async read(_, cursor, limit) {
    this.reads += 1;
    const page = records.slice(Number(cursor), Number(cursor) + limit);
    const end = Number(cursor) + page.length;
    return { records: page, next: String(end), mayBeMore: end < records.length };
  },
});

/** The change number `at` of a resource, which is one event; of applications it is none. */
const numbered = (at: number, id: string): ChangeRecord =>
  recordOf([{ op: "replace", path: "/title", value: `t${at}`, from: "t" }], {
    id: changeIdOf(NOON + at, digestOfResource("user", id)),
    atMs: NOON + at,
    resource: { type: id.startsWith("a") ? "application" : "user", id },
  });

/** A stream whose progress is stored after each poll. */
const receiverOf = (feed: Feed, first: Partial<Stream> = {}) => {
  let stream = streamWith({ requested: defaultTypes, ...first });
  return {
    get stream() {
      return stream;
    },
    set: (more: Partial<Stream>) => {
      stream = { ...stream, ...more };
    },
    async poll(ack: readonly string[] = [], most = 100) {
      const making = { feed, envelope: envelopeOf(stream, ORIGIN), reads: reading() };
      const found = await poll(stream, making, { reported: new Set(ack), most, nowMs: NOON });
      stream = { ...stream, progress: found.progress };
      return { ids: found.claims.map(({ jti }) => jti), ...found };
    },
  };
};

describe("a receiver", () => {
  test("gets events in order until it acknowledges them, and then never again", async () => {
    const records = [1, 2, 3, 4, 5].map((at) => numbered(at, "u1"));
    const receiver = receiverOf(feedOf(records));
    const first = await receiver.poll([], 2);
    expect([first.ids.length, first.hasMore]).toEqual([2, true]);
    expect((await receiver.poll([], 2)).ids).toEqual(first.ids);
    const second = await receiver.poll(first.ids, 2);
    expect(second.claims.map(({ txn }) => txn)).toEqual(records.slice(2, 4).map(({ id }) => id));
    const last = await receiver.poll(second.ids);
    expect([last.ids.length, last.hasMore]).toEqual([1, false]);
    expect((await receiver.poll(last.ids)).ids).toEqual([]);
    expect(receiver.stream.progress).toMatchObject({ cursor: "5", received: [] });
  });
  test("can acknowledge in any order, and report ids that do not exist", async () => {
    const receiver = receiverOf(feedOf([1, 2, 3].map((at) => numbered(at, `u${at}`))));
    const { ids } = await receiver.poll();
    expect((await receiver.poll([ids[2] ?? "", "unknown"])).ids).toEqual(ids.slice(0, 2));
    expect((await receiver.poll([ids[0] ?? ""])).ids).toEqual([ids[1]]);
    expect((await receiver.poll([ids[1] ?? ""])).ids).toEqual([]);
    expect(receiver.stream.progress.received).toEqual([]);
  });
  test("with maxEvents 0 acknowledges only, and learns whether more waits", async () => {
    const receiver = receiverOf(feedOf([1, 2].map((at) => numbered(at, "u1"))));
    const { ids } = await receiver.poll();
    expect(await receiver.poll(ids.slice(0, 1), 0)).toMatchObject({ ids: [], hasMore: true });
    expect(await receiver.poll(ids.slice(1), 0)).toMatchObject({ ids: [], hasMore: false });
  });
  test("learns that changes wait also behind a page that is not full", async () => {
    const records = Array.from({ length: 30 }, (_, at) => numbered(at, `u${at}`));
    const whole = feedOf(records);
    // A page ends early where its records are large.
    const feed: Feed = { read: (tenant, cursor, _, nowMs) => whole.read(tenant, cursor, 10, nowMs) };
    const receiver = receiverOf(feed);
    const first = await receiver.poll([], 10);
    expect([first.ids.length, first.hasMore]).toEqual([10, true]);
    const last = await receiver.poll(first.ids, 20);
    expect([last.ids.length, last.hasMore]).toEqual([20, false]);
  });
  test("passes over changes without events in short pages, also by several polls", async () => {
    const whole = feedOf([...Array.from({ length: 45 }, (_, at) => numbered(at, "a1")), numbered(1_000, "u1")]);
    const receiver = receiverOf({ read: (tenant, cursor, _, nowMs) => whole.read(tenant, cursor, 1, nowMs) });
    const first = await receiver.poll();
    expect(first).toMatchObject({ ids: [], hasMore: true });
    // So much is stored without an acknowledgement, too.
    expect(first.passed).toBeGreaterThanOrEqual(100);
    await receiver.poll();
    expect((await receiver.poll()).ids).toHaveLength(1);
  });
  test("learns that changes wait also where events about the stream fill an answer", async () => {
    const aside = asideText({ name: "verification", jti: "own", payload: {} });
    const pollOne = (records: readonly ChangeRecord[], more: Partial<Stream> = {}) => {
      const progress = { ...streamWith().progress, asides: [aside] };
      return receiverOf(feedOf(records), { progress, ...more }).poll([], 1);
    };
    const users = [numbered(1, "u1"), numbered(2, "u2")];
    expect(await pollOne(users)).toMatchObject({ ids: ["own"], hasMore: true, progress: { cursor: "0" } });
    expect(await pollOne([numbered(1, "a1")])).toMatchObject({ ids: ["own"], hasMore: false });
    expect(await pollOne(users, { status: "paused" })).toMatchObject({ ids: ["own"], hasMore: false });
  });
  test("passes over many changes without events in one poll", async () => {
    const records = [...Array.from({ length: 950 }, (_, at) => numbered(at, "a1")), numbered(1_000, "u1")];
    const feed = feedOf(records);
    const receiver = receiverOf(feed);
    const found = await receiver.poll();
    expect(found.ids).toHaveLength(1);
    expect(found.passed).toBeGreaterThanOrEqual(900);
    feed.reads = 0;
    await receiver.poll(found.ids);
    expect(feed.reads).toBeLessThanOrEqual(2);
  });
  test("that never acknowledges the first event holds a bounded number of acknowledgements", async () => {
    const receiver = receiverOf(feedOf(Array.from({ length: 3_000 }, (_, at) => numbered(at, "u1"))));
    let ack: readonly string[] = [];
    for (let round = 0; round < 40; round += 1) ack = (await receiver.poll(ack)).ids.slice(1);
    expect(receiver.stream.progress.received?.length).toBeLessThanOrEqual(1_000);
    expect(receiver.stream.progress.cursor).toBe("0");
  });
});

describe("events whose data must be read", () => {
  const put = (at: number): ChangeRecord => ({ ...numbered(at, "u1"), operation: "replaceUser" });
  const FULL = "urn:ietf:params:scim:event:prov:put:full";
  /** A receiver of data that counts what is read for it. */
  const reader = (count: number, isKnown: (at: number) => boolean = () => true) => {
    const records = Array.from({ length: count }, (_, at) => put(at));
    const feed = feedOf(records);
    const found = { reads: 0, atOnce: 0, most: 0 };
    const representation = async ({ change }: { readonly change: string }) => {
      found.reads += 1;
      found.atOnce += 1;
      found.most = Math.max(found.most, found.atOnce);
      await new Promise((done) => setTimeout(done, 1));
      found.atOnce -= 1;
      return isKnown(records.findIndex(({ id }) => id === change)) ? { id: change } : undefined;
    };
    let stream = streamWith({ requested: [FULL] });
    return {
      found,
      set: (more: Partial<Stream>) => {
        stream = { ...stream, ...more };
      },
      async poll(ack: readonly string[] = [], most = 100) {
        const reads = { readable: new Set(["user"] as const), representation };
        const making = { feed, envelope: envelopeOf(stream, ORIGIN), reads };
        const polled = await poll(stream, making, { reported: new Set(ack), most, nowMs: NOON });
        stream = { ...stream, progress: polled.progress };
        return { ids: polled.claims.map(({ jti }) => jti), ...polled };
      },
    };
  };

  test("are not made while the stream is paused, nor beyond the most that a receiver takes", async () => {
    const receiver = reader(90);
    receiver.set({ status: "paused" });
    await receiver.poll();
    await receiver.poll(["unknown"]);
    expect(receiver.found.reads).toBe(0);
    receiver.set({ status: "enabled" });
    expect(await receiver.poll([], 3)).toMatchObject({ hasMore: true });
    expect(receiver.found.reads).toBe(3);
  });
  test("are read eight at once, at most 24 in one poll, and all arrive in order", async () => {
    const receiver = reader(90);
    const arrived: string[] = [];
    for (let ack: readonly string[] = []; ; ) {
      receiver.found.reads = 0;
      const { ids, claims, hasMore } = await receiver.poll(ack);
      expect(receiver.found.reads).toBeLessThanOrEqual(24);
      expect(receiver.found.most).toBeLessThanOrEqual(8);
      arrived.push(...claims.map(({ txn = "" }) => txn));
      expect(hasMore).toBe(arrived.length < 90);
      if (!hasMore) break;
      ack = ids;
    }
    expect(arrived).toEqual(Array.from({ length: 90 }, (_, at) => put(at).id));
  });
  test("of which much data is gone are passed over, without a poll that looks for it again", async () => {
    const receiver = reader(90, (at) => at === 85);
    let rounds = 0;
    let found = await receiver.poll();
    for (; found.ids.length === 0 && rounds < 10; rounds += 1) {
      expect(found).toMatchObject({ hasMore: true, gone: 24 });
      found = await receiver.poll();
    }
    expect([found.claims.map(({ txn }) => txn), rounds]).toEqual([[put(85).id], 3]);
    expect(receiver.found.reads).toBe(90);
  });
});

describe("a stream", () => {
  const records = [numbered(1, "u1"), numbered(2, "u1")];
  test("that is paused holds its events, and acknowledges", async () => {
    const receiver = receiverOf(feedOf(records));
    const { ids } = await receiver.poll([], 1);
    receiver.set({ status: "paused" });
    expect(await receiver.poll(ids)).toMatchObject({ ids: [], hasMore: false });
    receiver.set({ status: "enabled" });
    expect((await receiver.poll()).claims.map(({ txn }) => txn)).toEqual([records[1]?.id]);
  });
  test("that is disabled sends nothing", async () => {
    const aside = asideText({ name: "verification", jti: "v1", payload: { state: "s" } });
    const receiver = receiverOf(feedOf(records), { status: "disabled" });
    receiver.set({ progress: { ...receiver.stream.progress, asides: [aside] } });
    expect(await receiver.poll()).toMatchObject({ ids: [], hasMore: false });
  });
  test("sends events about itself first, until they are acknowledged", async () => {
    const aside = asideText({ name: "verification", jti: "v1", payload: { state: "s" } });
    const receiver = receiverOf(feedOf(records));
    receiver.set({ progress: { ...receiver.stream.progress, asides: [aside] } });
    const { claims, ids } = await receiver.poll([], 2);
    expect(claims[0]).toMatchObject({
      jti: "v1",
      sub_id: { format: "opaque", id: "stream-1" },
      events: { "https://schemas.openid.net/secevent/ssf/event-type/verification": { state: "s" } },
    });
    expect(ids).toHaveLength(2);
    expect((await receiver.poll(["v1"])).ids).not.toContain("v1");
    expect(receiver.stream.progress.asides).toEqual([]);
  });
});

test("receivers that crash at random get every event at least once, in order for each resource, until they have it", async () => {
  const step = fc.record({
    arrive: fc.nat(40),
    most: fc.integer({ min: 0, max: 30 }),
    /** Bits: which of the events of the answer are acknowledged next time. */
    kept: fc.nat(),
    crashes: fc.boolean(),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 25 }), async (steps) => {
      const records: ChangeRecord[] = [];
      const receiver = receiverOf(feedOf(records));
      /** By resource, the changes in the order in which they were first received. */
      const seen = new Map<string, string[]>();
      const had = new Set<string>();
      let ack: string[] = [];
      const arrive = (count: number) => {
        for (let at = 0; at < count; at += 1) {
          const number = records.length;
          records.push(numbered(number, number % 7 === 0 ? "a1" : `u${number % 3}`));
        }
      };
      const receive = async (most: number) => {
        const { claims, ids } = await receiver.poll(ack, most);
        expect(ids.filter((id) => had.has(id))).toEqual([]);
        for (const id of ack) had.add(id);
        expect(ids.filter((id) => ack.includes(id))).toEqual([]);
        expect(ids.length).toBeLessThanOrEqual(most);
        for (const { txn = "", sub_id } of claims) {
          const known = seen.get(String(sub_id.uri)) ?? [];
          if (!known.includes(txn)) seen.set(String(sub_id.uri), [...known, txn]);
        }
        return ids;
      };
      for (const { arrive: count, most, kept, crashes } of steps) {
        arrive(count);
        const ids = await receive(most);
        ack = crashes ? [] : ids.filter((_, at) => (kept >> (at % 30)) % 2 === 1);
      }
      for (let ids = await receive(100); ids.length > 0; ids = await receive(100)) ack = ids;
      const expected = new Map<string, string[]>();
      for (const { id, resource } of records) {
        if (resource.type !== "user") continue;
        const uri = `/Users/${resource.id}`;
        expected.set(uri, [...(expected.get(uri) ?? []), id]);
      }
      expect(Object.fromEntries(seen)).toEqual(Object.fromEntries(expected));
      expect(receiver.stream.progress.received).toEqual([]);
    }),
    { numRuns: 40 },
  );
});
