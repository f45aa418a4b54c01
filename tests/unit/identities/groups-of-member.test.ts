/** `Groups?filter=members.value eq "…"` while a bulk membership is committed and not carried out. */
import { beforeAll, expect, test } from "vitest";
import { type Cost, newMeter } from "#core/database/table/meter.ts";
import type { Step, Table } from "#core/database/table/table.ts";
import { groupStore } from "#core/directory/groups/store.ts";
import { nameStore, newNameMemory } from "#core/directory/memberships/shown-names.ts";
import type { ScimCall, ScimStores } from "#core/directory/scim-api/resources/call.ts";
import { groupsListed } from "#core/directory/scim-api/resources/list.ts";
import { bootstrapTenant } from "#core/directory/tenants/bootstrap.ts";
import { Fault } from "#core/kernel/faults.ts";
import { listPage } from "#core/scim/listing/list.ts";
import { parseFilter } from "#core/scim/protocol/filter/parse.ts";
import { groupType } from "#core/scim/protocol/schema/resource-types.ts";
import { type TestTable, testTable } from "#tests/support/engine.ts";
import { type Directory, directory, faultOf } from "./support.ts";

const TENANT = "members";
const MEMBERS = 60;

let table: TestTable;
let calm: Directory;
let users: readonly string[];
beforeAll(async () => {
  table = await testTable();
  await bootstrapTenant(table.open(newMeter()), TENANT, { username: "admin", password: "admin" });
  calm = directory(table.open, TENANT);
  users = await Promise.all(Array.from({ length: MEMBERS }, (_, at) => calm.addUser(`user.${at}`)));
});

/** A part of a bulk is removed by the transaction that carries it out. */
const carriesOut = (step: Step) => "remove" in step && step.remove.SK.startsWith("B#");

/** A directory whose bulks are committed and not carried out. */
const interrupted = (): Directory => {
  const real = table.open(newMeter());
  const open = (): Table => ({
    ...real,
    async write(...steps) {
      if (steps.some(carriesOut)) throw new Fault("service.unavailable", "The database does not answer.");
      return real.write(...steps);
    },
  });
  return directory(open, TENANT);
};

/** The names of the groups that a filter finds, and what that costs. */
const found = async (filter: string): Promise<{ readonly names: readonly string[]; readonly cost: Cost }> => {
  const meter = newMeter();
  const open = table.open(meter);
  const names = nameStore(open, newNameMemory(), [groupStore(open).namesOf]);
  const stores = { ...directory(() => open, TENANT).stores, names } as unknown as ScimStores;
  const call: ScimCall = { stores, tenant: TENANT, origin: "https://x.example", base: "/scim2", now: Date.now() };
  const target = { type: groupType, userStores: ["PRIMARY"], syntax: parseFilter(filter) };
  const { sources, query } = groupsListed(call, target, {});
  const { items } = await listPage(sources, query, { offset: 0, limit: 10 });
  return { names: items.map(({ displayName }) => displayName), cost: meter.cost };
};
const ofMember = (user: string | undefined) => found(`members.value eq "${user}"`);

test("the filter finds the group of each new member, and not that of a removed one", async () => {
  const id = await calm.addGroup("Crew");
  expect(await faultOf(interrupted().join(id, ...users))).toBe("service.unavailable");
  expect((await ofMember(users.at(-1))).names).toEqual(["Crew"]);
  expect(await calm.membersOf(id)).toEqual([...users].sort());
  expect(await faultOf(interrupted().part(id, ...users))).toBe("service.unavailable");
  expect((await ofMember(users[0])).names).toEqual([]);
});

test("where nothing is open, it takes the round trips of the user and of the groups", async () => {
  const [first, second] = await Promise.all(users.slice(0, 2).map((user, at) => calm.addGroup(`Pair ${at}`, [user])));
  expect(first).not.toBe(second);
  const { names, cost } = await ofMember(users[0]);
  expect(names).toEqual(["Pair 0"]);
  expect(cost.roundTrips).toBe(2);
  const both = await found(`members.value eq "${users[0]}" or members.value eq "${users[1]}"`);
  expect(both.names).toEqual(["Pair 0", "Pair 1"]);
  // The row of open bulks is read once for both.
  expect(both.cost.calls).toBe(4);
});
