/** What access to an application costs with 10,000 assignments, and its list. */
import { beforeAll, expect, test } from "vitest";
import { newMeter } from "#core/database/table/meter.ts";
import { stale } from "#core/database/table/stale.ts";
import type { Step } from "#core/database/table/table.ts";
import type { Held } from "#core/directory/memberships/assignment-model.ts";
import { heldItem, NAMED_MAX, pairItem } from "#core/directory/memberships/assignment-rows.ts";
import { assignmentStore } from "#core/directory/memberships/assignments.ts";
import { chunks } from "#core/directory/memberships/relation.ts";
import { hasAccess } from "#core/sign-in/authentication/access.ts";
import { type TestTable, testTable } from "#tests/support/engine.ts";

const TENANT = "carbon.super";
const USERS = 10_000;
const idOf = (kind: string, at: number) => `${kind}-${String(at).padStart(32, "0")}`;
const groups = Array.from({ length: NAMED_MAX }, (_, at) => ({
  ...{ type: "group" as const, id: idOf("g", at), quietFromMs: 1_750_000_000_000 },
}));
const held: Held = { version: 1, counts: { groups: NAMED_MAX, roles: 0, users: USERS }, named: groups, removedMs: 0 };
let table: TestTable;

beforeAll(async () => {
  table = await testTable();
  const open = table.open(newMeter());
  const users = Array.from({ length: USERS }, (_, at) => ({
    type: "user" as const,
    id: idOf("u", at),
    quietFromMs: 0,
  }));
  const put = (item: Step & { put: unknown }) => item;
  const steps = [
    ...[...groups, ...users].map((one) => pairItem(TENANT, "app", { ...one, createdMs: 1 })),
    heldItem(TENANT, "app", held),
  ].map((item) => put({ put: item, when: "absent", otherwise: stale }));
  await Promise.all(chunks(steps, 100).map((some) => open.write(...some)));
}, 60_000);

/** Whether a user of these groups has access, and what it costs to find out. */
const check = async (id: string, groupIds: readonly string[]) => {
  const meter = newMeter();
  const nothing = { groups: { findMany: async () => [] }, roles: { idOfEveryone: async () => undefined } };
  const user = { id, groupIds, roleIds: [] };
  const isAllowed = await hasAccess(
    { ...nothing, table: table.open(meter) },
    { tenant: TENANT, applicationId: "app", user },
  );
  return { isAllowed, trips: meter.cost.roundTrips, units: meter.cost.readUnits };
};

test("a check costs one round trip and two units, for every caller, in any number of groups", async () => {
  const many = Array.from({ length: 500 }, (_, at) => idOf("other", at));
  const cost = { trips: 1, units: 2 };
  expect(await check(idOf("u", 9_999), many)).toEqual({ isAllowed: true, ...cost });
  expect(await check("stranger", many)).toEqual({ isAllowed: false, ...cost });
  expect(await check("driver", [...many, idOf("g", NAMED_MAX - 1)])).toEqual({ isAllowed: true, ...cost });
});

test("a page at any place is read from the nearer end", async () => {
  const meter = newMeter();
  const store = assignmentStore(table.open(meter));
  const pageAt = async (offset: number) => {
    const found = await store.page(TENANT, "app", held, { types: ["group", "role", "user"], offset, limit: 3 });
    return found.map(({ id }) => id);
  };
  expect(await pageAt(NAMED_MAX - 1)).toEqual([idOf("g", NAMED_MAX - 1), idOf("u", 0), idOf("u", 1)]);
  expect(await pageAt(NAMED_MAX + 9_998)).toEqual([idOf("u", 9_998), idOf("u", 9_999)]);
  expect(await pageAt(NAMED_MAX + 6_000)).toEqual([idOf("u", 6_000), idOf("u", 6_001), idOf("u", 6_002)]);
  expect(await pageAt(NAMED_MAX + 20_000)).toEqual([]);
});
