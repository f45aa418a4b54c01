/** Events of a span of time, which are put on the bus again: from its start on, and before its end. */
import { beforeEach, describe, expect, test } from "vitest";
import { changeIdOf, digestOfResource } from "#core/database/changes/change-id.ts";
import type { ChangeRecord } from "#core/database/changes/model.ts";
import { presenting } from "#core/database/changes/present.ts";
import { recordItems, recordKey } from "#core/database/changes/record-rows.ts";
import { newMeter } from "#core/database/table/meter.ts";
import type { BusEvent } from "#core/events/bus/event.ts";
import { newRepeater } from "#core/events/bus/repeat.ts";
import { type TestTable, testTable } from "#tests/support/engine.ts";

const NOON = Date.UTC(2026, 10, 22, 12);
const tenant = "carbon.super";
const timeOf = (ms: number) => new Date(ms).toISOString();

let table: TestTable;
/** The types of the events that were put last, and the records that were reported. */
let [kinds, unreadable]: [string[], string[]] = [[], []];
beforeEach(async () => {
  table = await testTable();
  [kinds, unreadable] = [[], []];
});

/** Stores the record of a change of a resource, in the lane that the resource has. */
const store = async (atMs: number, id: string): Promise<string> => {
  const record: ChangeRecord = {
    id: changeIdOf(atMs, digestOfResource("user", id)),
    atMs,
    tenant,
    actor: { type: "user", id: "admin" },
    sourceIp: "192.0.2.1",
    operation: "patchUser",
    resource: { type: "user", id },
    changes: [{ op: "add", path: "/title", value: "t" }],
    traceId: "trace",
  };
  const { item } = recordItems(record, [], Math.floor(Date.now() / 1_000) + 86_400);
  await table.open(newMeter()).write({ put: item, when: "absent", otherwise: () => new Error("there") });
  return record.id;
};

const repeated = async (since: number, until: number, refusal?: string) => {
  const put: BusEvent[] = [];
  const repeat = newRepeater({
    open: table.open,
    shown: presenting([]),
    put: async (events) => {
      put.push(...events);
      return events.map(() => refusal);
    },
    report: { unreadable: ({ id }) => unreadable.push(id) },
  });
  const { events } = await repeat({ since: timeOf(since), until: timeOf(until), tenant });
  const ids = put.map(({ Detail }) => JSON.parse(Detail).id as string);
  kinds = put.map(({ DetailType }) => DetailType);
  expect(events).toBe(ids.length);
  return ids.sort();
};

describe("a span", () => {
  test("has the changes at its start, and none at or after its end, in every lane", async () => {
    const users = Array.from({ length: 24 }, (_, at) => `u${at}`);
    const times = [NOON - 1, NOON, NOON + 1, NOON + 999, NOON + 1_000, NOON + 1_001];
    const stored = await Promise.all(
      times.map(async (atMs) => [atMs, await Promise.all(users.map((id) => store(atMs, id)))] as const),
    );
    const within = (from: number, to: number) =>
      stored.flatMap(([atMs, ids]) => (atMs >= from && atMs < to ? ids : [])).sort();
    expect(await repeated(NOON, NOON + 1_000)).toEqual(within(NOON, NOON + 1_000));
    expect(within(NOON, NOON + 1_000)).toHaveLength(72);
    expect(await repeated(NOON + 1_000, NOON + 1_001)).toEqual(within(NOON + 1_000, NOON + 1_001));
    expect(await repeated(NOON, NOON)).toEqual([]);
    expect(await repeated(NOON + 1_000, NOON)).toEqual([]);
    // Two spans that meet have every change once.
    const halves = [await repeated(NOON - 1, NOON + 1), await repeated(NOON + 1, NOON + 2_000)].flat().sort();
    expect(halves).toEqual(within(NOON - 1, NOON + 2_000));
  });

  test("is over several pages of one lane", async () => {
    const ids = await Promise.all(Array.from({ length: 130 }, (_, at) => store(NOON + at, "u1")));
    expect(await repeated(NOON, NOON + 120)).toEqual(ids.slice(0, 120).sort());
  });

  test("goes on after a record that cannot be read, and says so of that one", async () => {
    const [first, damaged, last] = [await store(NOON, "u1"), await store(NOON + 1, "u1"), await store(NOON + 2, "u1")];
    const put = { ...recordKey(tenant, damaged), r: "{" };
    await table.open(newMeter()).write({ put, when: "present", otherwise: () => new Error("not there") });
    expect(await repeated(NOON, NOON + 3)).toEqual([first, damaged, last]);
    expect([kinds, unreadable]).toEqual([["user.updated", "change.unreadable", "user.updated"], [damaged]]);
  });

  test("fails as a whole where the bus refuses an event", async () => {
    await store(NOON, "u1");
    await expect(repeated(NOON, NOON + 1, "InternalFailure")).rejects.toThrow("the bus refused an event");
  });
});
