/** Sequential round trips of each operation, with the names of groups and roles in memory. */
import { beforeAll, describe, expect, test } from "vitest";
import { newMeter } from "#core/database/table/meter.ts";
import { patchGroup, postGroup, putGroup, readGroup, removeGroup } from "#core/directory/scim-api/v1/groups.ts";
import { listGroups, listUsers } from "#core/directory/scim-api/v1/list.ts";
import type { Scim1Call } from "#core/directory/scim-api/v1/stores.ts";
import { patchUser, postUser, putUser, readUser, removeUser } from "#core/directory/scim-api/v1/users.ts";
import { bootstrapTenant } from "#core/directory/tenants/bootstrap.ts";
import { PRIMARY } from "#core/kernel/domain/username.ts";
import { type TestTable, testTable } from "#tests/support/engine.ts";
import { callOn, newContainer, storesOn } from "./support.ts";

const tenant = "cost.example";
const container = newContainer();
let table: TestTable;
let [admin, kim, lee, group] = ["", "", "", ""];

const costOf = async (work: (call: Scim1Call) => Promise<unknown>): Promise<number> => {
  const meter = newMeter();
  await work(callOn(tenant, storesOn(table.open(meter), [PRIMARY], container)));
  return meter.cost.roundTrips;
};
const idOf = async (made: Promise<{ readonly body: Record<string, unknown> }>) => String((await made).body.id);

beforeAll(async () => {
  table = await testTable();
  const open = table.open(newMeter());
  const stores = storesOn(open, [PRIMARY], container);
  const call = callOn(tenant, stores);
  await bootstrapTenant(open, tenant, { username: "boss", password: "good-password" });
  admin = (await stores.users.idOf({ tenant, userStore: PRIMARY, name: "boss" })) ?? "";
  kim = await idOf(postUser(call, { userName: "kim" }));
  lee = await idOf(postUser(call, { userName: "lee" }));
  group = await idOf(postGroup(call, { displayName: "staff", members: [kim] }));
  for (const id of [admin, kim]) await readUser(call, { id });
  await readUser(call, { id: admin, isSelf: true });
});

describe("users", () => {
  test.each<[string, number, (call: Scim1Call) => Promise<unknown>]>([
    ["read", 1, (call) => readUser(call, { id: kim })],
    ["read the calling user", 1, (call) => readUser(call, { id: admin, isSelf: true })],
    ["list", 3, (call) => listUsers(call, {})],
    ["a page", 3, (call) => listUsers(call, { startIndex: 1, count: 100 })],
    ["find by name", 2, (call) => listUsers(call, { filter: 'userName Eq "kim"' })],
    ["create", 2, (call) => postUser(call, { userName: "new" })],
    ["replace", 2, (call) => putUser(call, { id: lee }, { userName: "lee", title: "T" })],
    ["change", 2, (call) => patchUser(call, { id: lee }, { nickName: "N" })],
    ["change the calling user", 2, (call) => patchUser(call, { id: admin, isSelf: true }, { title: "T" })],
    ["rename", 3, (call) => putUser(call, { id: lee }, { userName: "leonie" })],
    ["delete", 3, (call) => removeUser(call, { id: lee })],
  ])("%s takes at most %i round trips", async (_, most, work) => expect(await costOf(work)).toBeLessThanOrEqual(most));
});

describe("groups", () => {
  test.each<[string, number, (call: Scim1Call) => Promise<unknown>]>([
    ["read", 1, (call) => readGroup(call, group)],
    ["list", 3, (call) => listGroups(call, {})],
    ["find by name", 2, (call) => listGroups(call, { filter: "displayNameEqstaff" })],
    ["find by pattern", 4, (call) => listGroups(call, { filter: "displayNameEq*ta*" })],
    ["create", 3, (call) => postGroup(call, { displayName: "new", members: [kim] })],
    ["change members", 3, (call) => patchGroup(call, { id: group }, { members: [admin] })],
    ["rename", 3, (call) => patchGroup(call, { id: group }, { displayName: "crew" })],
    ["replace", 3, (call) => putGroup(call, { id: group }, { members: [kim] })],
    // Which members are removed is known once the members are read.
    ["replace and rename", 4, (call) => putGroup(call, { id: group }, { displayName: "team", members: [admin] })],
    ["delete", 3, (call) => removeGroup(call, { id: group })],
  ])("%s takes at most %i round trips", async (_, most, work) => expect(await costOf(work)).toBeLessThanOrEqual(most));
});
