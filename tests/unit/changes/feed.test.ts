/** The feed over a table in which records become visible late, out of order, and while pages are read. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { changeIdOf, digestOfResource } from "#core/database/changes/change-id.ts";
import { changeFeed, DELIVERY_SHOWN_MAX, feedCursorAt, shortCursor } from "#core/database/changes/feed.ts";
import type { Change, ChangeRecord } from "#core/database/changes/model.ts";
import { presenting } from "#core/database/changes/present.ts";
import { recordItems } from "#core/database/changes/record-rows.ts";
import type { Item, RangeQuery, Table } from "#core/database/table/table.ts";

const TENANT = "acme.com";
const START = 1_800_000_000_000;

interface Written {
  readonly item: Item;
  readonly parts?: readonly Item[];
  readonly record: ChangeRecord;
  readonly visibleAt: number;
}

const recordOf = (resource: string, atMs: number, previous: string | undefined): ChangeRecord => ({
  id: changeIdOf(atMs, digestOfResource("user", resource)),
  atMs,
  tenant: TENANT,
  actor: { type: "user", id: "u" },
  sourceIp: "",
  operation: "patchUser",
  resource: { type: "user", id: resource },
  changes: [],
  traceId: "t",
  ...(previous !== undefined && { previous }),
});

/** Lanes with the records that are visible; the clock moves on while a lane is read. */
const tableOf = (written: readonly Written[], clock: { now: number }, readMs: () => number): Table =>
  ({
    async query({ PK, from = "", to = "~", limit, backwards }: RangeQuery) {
      clock.now += readMs();
      const items = written
        .filter(({ item, visibleAt }) => item.PK === PK && visibleAt <= clock.now && item.SK >= from && item.SK <= to)
        .map(({ item }) => item)
        .sort((a, b) => (a.SK < b.SK ? -1 : 1) * (backwards ? -1 : 1));
      const page = items.slice(0, limit);
      const last = page.at(-1);
      return { items: page, ...(items.length > limit && last && { next: { PK: last.PK, SK: last.SK } }) };
    },
    async queryAll({ PK }: RangeQuery) {
      return written.flatMap(({ parts = [] }) => parts).filter((item) => item.PK === PK);
    },
  }) as unknown as Table;

/** Changes of some resources: each commits after the one before it of its resource, up to 35 s after its id was made. */
const writes = fc
  .array(
    fc.record({
      resource: fc.integer({ min: 0, max: 6 }),
      pause: fc.integer({ min: 0, max: 3_000 }),
      commit: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 35_000 })),
      skew: fc.integer({ min: -3_000, max: 0 }),
    }),
    { minLength: 1, maxLength: 250 },
  )
  .map((list) => {
    let now = START;
    const last = new Map<string, Written>();
    return list.map(({ resource, pause, commit, skew }): Written => {
      now += pause;
      const name = `r${resource}`;
      const before = last.get(name);
      // A writer reads the change before it, and makes its id after that.
      const madeAt = Math.max(now, before?.visibleAt ?? 0);
      const atMs = Math.max(madeAt + skew, (before?.record.atMs ?? 0) + 1);
      const record = recordOf(name, atMs, before?.record.id);
      const written = { record, item: recordItems(record, [], 0).item, visibleAt: madeAt + commit };
      last.set(name, written);
      return written;
    });
  });

describe("the feed", () => {
  test("shows every record at least once, and those of a resource in order, to a reader that crashes", async () => {
    await fc.assert(
      fc.asyncProperty(writes, fc.infiniteStream(fc.nat(99)), async (written, chance) => {
        const next = () => Number(chance.next().value);
        const clock = { now: START };
        const feed = changeFeed(tableOf(written, clock, () => next() % 5));
        const end = Math.max(...written.map(({ visibleAt }) => visibleAt)) + 80_000;
        const first: ChangeRecord[] = [];
        const seen = new Set<string>();
        let saved: string | undefined;
        while (clock.now < end) {
          const limit = 1 + (next() % 20);
          const page = await feed.read(TENANT, saved, limit, clock.now);
          expect(page.records.length).toBeLessThanOrEqual(limit);
          const fresh = page.records.filter(({ id }) => !seen.has(id));
          for (const record of fresh) seen.add(record.id);
          first.push(...fresh);
          // A crash: what was shown is shown again.
          if (next() > 20) saved = page.next;
          clock.now += page.records.length > 0 ? next() : 500 + next() * 20;
        }
        expect([...seen].sort()).toEqual(written.map(({ record }) => record.id).sort());
        for (const resource of new Set(first.map((record) => record.resource.id))) {
          const own = first.filter((record) => record.resource.id === resource).map(({ id }) => id);
          expect(own).toEqual(own.toSorted());
        }
      }),
      { numRuns: 150 },
    );
  });

  test("shows each record once to a reader that does not crash", async () => {
    await fc.assert(
      fc.asyncProperty(writes, async (written) => {
        const clock = { now: START };
        const feed = changeFeed(tableOf(written, clock, () => 1));
        const end = Math.max(...written.map(({ visibleAt }) => visibleAt)) + 80_000;
        const shown: string[] = [];
        for (let after: string | undefined; clock.now < end; clock.now += 700) {
          const page = await feed.read(TENANT, after, 50, clock.now);
          shown.push(...page.records.map(({ id }) => id));
          after = page.next;
          expect(after.length).toBeLessThan(2_000);
        }
        expect(shown.toSorted()).toEqual(written.map(({ record }) => record.id).sort());
      }),
      { numRuns: 100 },
    );
  });

  test("shows a new record at once", async () => {
    const record = recordOf("r", START, undefined);
    const table = tableOf(
      [{ record, item: recordItems(record, [], 0).item, visibleAt: START }],
      { now: START },
      () => 0,
    );
    const { records, next } = await changeFeed(table).read(TENANT, undefined, 10, START);
    expect(records).toEqual([record]);
    expect((await changeFeed(table).read(TENANT, next, 10, START + 90_000)).records).toEqual([]);
  });

  test.each([8, 50, 100])(
    "shows %i records a second to a delivery as soon as each is visible",
    async (perSecond) => {
      const written: Written[] = [];
      const clock = { now: START };
      const feed = changeFeed(
        tableOf(written, clock, () => 0),
        DELIVERY_SHOWN_MAX,
      );
      let cursor = await feed.start(TENANT, clock.now);
      // 45 s: longer than the horizon, so that ids come and go.
      for (let at = 0; at < 45 * perSecond; at += 1) {
        clock.now += 1_000 / perSecond;
        const record = recordOf(`r${at % 500}`, Math.floor(clock.now), undefined);
        const { item } = recordItems(record, [], 1);
        written.push({ item, record, visibleAt: clock.now });
        // As the stream of the table calls the delivery: here for each ten changes.
        if (at % 10 < 9) continue;
        const { records, next } = await feed.read(TENANT, cursor, 50, Math.floor(clock.now));
        expect(records.map(({ id }) => id).sort()).toEqual(
          written
            .slice(at - 9)
            .map(({ record: { id } }) => id)
            .sort(),
        );
        cursor = next;
        // What callers see is short, and nothing after it is missing.
        const short = shortCursor(TENANT, cursor);
        expect(short.length).toBeLessThan(1_700);
      }
      // It is kept in a row, which has at most 400 KB.
      expect(cursor.length).toBeLessThan(110_000);
    },
    60_000,
  );
  test("shows a caller with a short cursor of a delivery everything after its horizon again", async () => {
    const written: Written[] = [];
    const clock = { now: START };
    const table = tableOf(written, clock, () => 0);
    for (let at = 0; at < 200; at += 1) {
      clock.now += 10;
      const record = recordOf(`r${at}`, clock.now, undefined);
      written.push({ item: recordItems(record, [], 1).item, record, visibleAt: clock.now });
    }
    const { next } = await changeFeed(table, DELIVERY_SHOWN_MAX).read(TENANT, undefined, 200, clock.now);
    expect((await changeFeed(table, DELIVERY_SHOWN_MAX).read(TENANT, next, 200, clock.now)).records).toEqual([]);
    const again = await changeFeed(table, DELIVERY_SHOWN_MAX).read(TENANT, shortCursor(TENANT, next), 200, clock.now);
    const ids = written.map(({ record: { id } }) => id).sort();
    expect(again.records.map(({ id }) => id)).toEqual(ids.slice(64));
  });
  test("has pages that one response holds, with one record at least, and shows each record once", async () => {
    const PAGE_BYTES = 2_100_000;
    const sizes = [
      900_000,
      900_000,
      900_000,
      10,
      7_000_000,
      50_000,
      10,
      2_500_000,
      2_500_000,
      ...Array(40).fill(60_000),
    ];
    const written = sizes.map((bytes, at): Written => {
      const changes = Array.from(
        { length: Math.ceil(bytes / 1_000) },
        (_, member): Change => ({
          op: "add",
          path: `/members/${member}`,
          value: "v".repeat(Math.min(bytes, 1_000)),
        }),
      );
      const record = { ...recordOf(`r${at}`, START + at, undefined), changes };
      return { record, ...recordItems(record, [], 0), visibleAt: record.atMs };
    });
    const show = presenting([]);
    for (const nowMs of [START + 1_000, START + 90_000]) {
      const feed = changeFeed(tableOf(written, { now: nowMs }, () => 0));
      const [seen, whole]: [string[], ChangeRecord[]] = [[], []];
      for (let after: string | undefined; ; ) {
        const { records, next, mayBeMore } = await feed.read(TENANT, after, 1_000, nowMs);
        expect(mayBeMore).toBe(seen.length + records.length < sizes.length);
        if (records.length === 0) break;
        expect(Buffer.byteLength(JSON.stringify(records.map(show)))).toBeLessThan(PAGE_BYTES);
        seen.push(...records.map(({ id }) => id));
        whole.push(...records);
        after = next;
      }
      expect(seen.toSorted()).toEqual(written.map(({ record }) => record.id).sort());
      // Receivers are told how many changes there are.
      expect(whole.map(({ changes }) => changes.length).toSorted()).toEqual(
        written.map(({ record }) => record.changes.length).toSorted(),
      );
    }
  });

  test("says that more may be visible behind a full page only", async () => {
    const written = [1, 2, 3].map((at): Written => {
      const record = recordOf(`r${at}`, START + at, undefined);
      return { record, item: recordItems(record, [], 0).item, visibleAt: record.atMs };
    });
    const feed = changeFeed(tableOf(written, { now: START + 1_000 }, () => 0));
    const moreOf = async (limit: number) => (await feed.read(TENANT, undefined, limit, START + 1_000)).mayBeMore;
    expect([await moreOf(2), await moreOf(3), await moreOf(4)]).toEqual([true, false, false]);
  });

  test("begins at a time", async () => {
    const [old, young] = [recordOf("a", START, undefined), recordOf("b", START + 5_000, undefined)];
    const written = [old, young].map((record) => ({
      record,
      item: recordItems(record, [], 0).item,
      visibleAt: record.atMs,
    }));
    const feed = changeFeed(tableOf(written, { now: START + 6_000 }, () => 0));
    const { records } = await feed.read(TENANT, feedCursorAt(TENANT, START + 1_000), 10, START + 6_000);
    expect(records).toEqual([young]);
  });

  test("shows a reader that begins now all that commits later, also with an older id, and nothing else", async () => {
    let reached = 0;
    await fc.assert(
      fc.asyncProperty(writes, fc.nat(100), async (written, part) => {
        const clock = { now: START };
        const feed = changeFeed(tableOf(written, clock, () => 0));
        const end = Math.max(...written.map(({ visibleAt }) => visibleAt));
        const begin = Math.round(START + ((end - START) * part) / 100);
        clock.now = begin;
        const visible = written.filter(({ visibleAt }) => visibleAt <= begin);
        fc.pre(visible.filter(({ record }) => record.atMs >= begin - 40_000).length <= 32);
        const shown: string[] = [];
        let after = await feed.start(TENANT, begin);
        for (; clock.now < end + 80_000; clock.now += 700) {
          const page = await feed.read(TENANT, after, 50, clock.now);
          shown.push(...page.records.map(({ id }) => id));
          after = page.next;
        }
        const late = written.filter(({ visibleAt }) => visibleAt > begin);
        if (late.some(({ record }) => record.atMs < begin)) reached += 1;
        expect(shown.toSorted()).toEqual(late.map(({ record }) => record.id).sort());
      }),
      { numRuns: 100 },
    );
    expect(reached).toBeGreaterThan(10);
  });

  test("shows a reader that begins in a crowd what is younger than the latest 32 records, and new ones at once", async () => {
    const at = (ms: number, visibleMs = ms) => {
      const record = recordOf(`r${ms}`, START + ms, undefined);
      return { record, item: recordItems(record, [], 0).item, visibleAt: START + visibleMs };
    };
    const crowd = Array.from({ length: 100 }, (_, index) => at(10 * index));
    const written = [...crowd, at(665, 2_000), at(675, 2_000), at(985, 2_000), at(1_500)];
    const clock = { now: START + 1_000 };
    const feed = changeFeed(tableOf(written, clock, () => 0));
    const after = await feed.start(TENANT, clock.now);
    clock.now = START + 2_000;
    const { records } = await feed.read(TENANT, after, 100, clock.now);
    expect(records.map(({ atMs }) => atMs - START)).toEqual([675, 985, 1_500]);
  });

  test("refuses what is no cursor of the tenant", async () => {
    const feed = changeFeed(tableOf([], { now: START }, () => 0));
    const own = feedCursorAt(TENANT, START);
    await expect(feed.read(TENANT, own, 1, START)).resolves.toMatchObject({ records: [] });
    for (const cursor of ["", "x", `${own}x`, own.slice(1), feedCursorAt("other.com", START)]) {
      await expect(feed.read(TENANT, cursor, 1, START)).rejects.toMatchObject({ fault: "request.invalid" });
    }
    await fc.assert(
      fc.asyncProperty(fc.string(), async (cursor) => {
        await expect(feed.read(TENANT, cursor, 1, START)).rejects.toMatchObject({ fault: "request.invalid" });
      }),
    );
  });
});
