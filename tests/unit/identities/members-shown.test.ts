/** A group that is created or changed while one of its new members is deleted: the answer shows what was stored. */
import { beforeAll, expect, test } from "vitest";
import { newMeter } from "#core/database/table/meter.ts";
import type { Step, Table } from "#core/database/table/table.ts";
import { createGroup, memberIds } from "#core/directory/provisioning/groups.ts";
import type { ScimCall, ScimStores } from "#core/directory/scim-api/resources/call.ts";
import {
  changedGroup,
  type GroupView,
  replacingMembers,
  showGroup,
} from "#core/directory/scim-api/resources/groups.ts";
import { bootstrapTenant } from "#core/directory/tenants/bootstrap.ts";
import { projectionOf } from "#core/scim/protocol/projection.ts";
import { groupType } from "#core/scim/protocol/schema/resource-types.ts";
import { type TestTable, testTable } from "#tests/support/engine.ts";
import { type Directory, directory } from "./support.ts";

const TENANT = "shown";
const projection = projectionOf(groupType, {});

let table: TestTable;
let calm: Directory;
beforeAll(async () => {
  table = await testTable();
  await bootstrapTenant(table.open(newMeter()), TENANT, { username: "admin", password: "admin" });
  calm = directory(table.open, TENANT);
});

let named = 0;
const fresh = (kind: string): string => {
  named += 1;
  return `${kind}.${named}`;
};
const users = (count: number): Promise<string[]> =>
  Promise.all(Array.from({ length: count }, () => calm.addUser(fresh("user"))));

/** Calls that come after something else, before their first write that has such a step. */
const afterwards = (isMet: (step: Step) => boolean, happens: () => Promise<unknown>): ScimCall => {
  const real = table.open(newMeter());
  let isOver = false;
  const open = (): Table => ({
    ...real,
    async write(...steps) {
      if (!isOver && steps.some(isMet)) {
        isOver = true;
        await happens();
      }
      return real.write(...steps);
    },
  });
  const { stores } = directory(open, TENANT);
  const call = { stores: stores as unknown as ScimStores, tenant: TENANT, origin: "https://x.example", base: "/scim2" };
  return { ...call, now: Date.now() };
};
const anyStep = () => true;
/** A part of a bulk is removed by the transaction that carries it out. */
const carriesOut = (step: Step) => "remove" in step && step.remove.SK.startsWith("B#");

const idsShown = async (call: ScimCall, view: GroupView): Promise<string[]> =>
  [...memberIds((await showGroup(call, view, projection)).members)].sort();

const create = async (call: ScimCall, ids: readonly string[]) => {
  const members = ids.map((value) => ({ value }));
  return createGroup(call.stores, call, { displayName: fresh("Group"), members });
};

test.each([
  ["a few members", 3, anyStep],
  ["many members", 60, carriesOut],
] as const)("created with %s", async (_, count, isMet) => {
  const [gone = "", ...others] = await users(count);
  const call = afterwards(isMet, () => calm.removeUser(gone));
  const view = await create(call, [gone, ...others]);
  const stored = await calm.membersOf(view.group.id);
  expect(stored).toEqual(others.sort());
  expect(await idsShown(call, view)).toEqual(stored);
  expect(view.group.memberCount).toBe(count - 1);
});

test("replaced with many members", async () => {
  const [gone = "", first = "", ...others] = await users(61);
  const id = await calm.addGroup(fresh("Group"), [first]);
  const call = afterwards(carriesOut, () => calm.removeUser(gone));
  const membership = replacingMembers(new Set([gone, ...others]));
  const change = { change: async (before: object) => ({ after: { ...before }, membership }), membership };
  const view = await changedGroup(call, id, change, projection);
  const stored = await calm.membersOf(id);
  expect(stored).toEqual(others.sort());
  expect(await idsShown(call, view)).toEqual(stored);
});

test("where all are stored, the members are not read", async () => {
  const call = afterwards(
    () => false,
    async () => undefined,
  );
  for (const count of [3, 60]) {
    const ids = (await users(count)).sort();
    const view = await create(call, ids);
    expect(view.members?.map(({ userId }) => userId)).toEqual(ids);
  }
});
