/** Sequential round trips of each operation (DESIGN section 6), with the names of groups and roles remembered. */
import { beforeAll, describe, expect, test } from "vitest";
import { PRIMARY } from "#core/domain/username.ts";
import { patchGroup, postGroup, putGroup, readGroup, removeGroup } from "#core/scim-api/v1/groups.ts";
import { listGroups, listUsers } from "#core/scim-api/v1/list.ts";
import type { Scim1Stores } from "#core/scim-api/v1/stores.ts";
import { patchUser, postUser, putUser, readUser, removeUser } from "#core/scim-api/v1/users.ts";
import { newMeter } from "#core/table/meter.ts";
import { foundTenant } from "#core/tenants/bootstrap.ts";
import { type TestTable, testTable } from "#tests/support/engine.ts";
import { askingIn, newContainer, storesOn } from "./support.ts";

const tenant = "cost.example";
const asking = askingIn(tenant);
const container = newContainer();
let table: TestTable;
let [admin, kim, lee, group] = ["", "", "", ""];

const costOf = async (call: (stores: Scim1Stores) => Promise<unknown>): Promise<number> => {
  const meter = newMeter();
  await call(storesOn(table.open(meter), [PRIMARY], container));
  return meter.cost.roundTrips;
};
const idOf = async (made: Promise<{ readonly body: Record<string, unknown> }>) => String((await made).body.id);

beforeAll(async () => {
  table = await testTable();
  const open = table.open(newMeter());
  const stores = storesOn(open, [PRIMARY], container);
  await foundTenant(open, tenant, { username: "boss", password: "good-password" });
  admin = (await stores.users.idOf({ tenant, userStore: PRIMARY, name: "boss" })) ?? "";
  kim = await idOf(postUser(stores, asking, { userName: "kim" }));
  lee = await idOf(postUser(stores, asking, { userName: "lee" }));
  group = await idOf(postGroup(stores, asking, { displayName: "staff", members: [kim] }));
  for (const id of [admin, kim]) await readUser(stores, asking, { id });
  await readUser(stores, asking, { id: admin, isSelf: true });
});

describe("users", () => {
  test.each<[string, number, (stores: Scim1Stores) => Promise<unknown>]>([
    ["read", 1, (stores) => readUser(stores, asking, { id: kim })],
    ["read the one who asks", 1, (stores) => readUser(stores, asking, { id: admin, isSelf: true })],
    ["list", 3, (stores) => listUsers(stores, asking, {})],
    ["a page", 3, (stores) => listUsers(stores, asking, { startIndex: 1, count: 100 })],
    ["find by name", 2, (stores) => listUsers(stores, asking, { filter: 'userName Eq "kim"' })],
    ["create", 2, (stores) => postUser(stores, asking, { userName: "new" })],
    ["replace", 2, (stores) => putUser(stores, asking, { id: lee }, { userName: "lee", title: "T" })],
    ["change", 2, (stores) => patchUser(stores, asking, { id: lee }, { nickName: "N" })],
    ["change the one who asks", 2, (stores) => patchUser(stores, asking, { id: admin, isSelf: true }, { title: "T" })],
    ["rename", 3, (stores) => putUser(stores, asking, { id: lee }, { userName: "leonie" })],
    ["delete", 3, (stores) => removeUser(stores, asking, lee)],
  ])("%s: at most %i", async (_, most, call) => expect(await costOf(call)).toBeLessThanOrEqual(most));
});

describe("groups", () => {
  test.each<[string, number, (stores: Scim1Stores) => Promise<unknown>]>([
    ["read", 1, (stores) => readGroup(stores, asking, group)],
    ["list", 3, (stores) => listGroups(stores, asking, {})],
    ["find by name", 2, (stores) => listGroups(stores, asking, { filter: "displayNameEqstaff" })],
    ["find by pattern", 4, (stores) => listGroups(stores, asking, { filter: "displayNameEq*ta*" })],
    ["create", 3, (stores) => postGroup(stores, asking, { displayName: "new", members: [kim] })],
    ["change members", 3, (stores) => patchGroup(stores, asking, group, { members: [admin] })],
    ["rename", 3, (stores) => patchGroup(stores, asking, group, { displayName: "crew" })],
    ["replace", 3, (stores) => putGroup(stores, asking, group, { members: [kim] })],
    // As by SCIM 2.0: the members that go are known once the members are.
    ["replace and rename", 4, (stores) => putGroup(stores, asking, group, { displayName: "team", members: [admin] })],
    ["delete", 3, (stores) => removeGroup(stores, asking, group)],
  ])("%s: at most %i", async (_, most, call) => expect(await costOf(call)).toBeLessThanOrEqual(most));
});
