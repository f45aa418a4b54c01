/** The cost of the checks against privilege escalation (decision 0052). */
import { beforeAll, expect, test } from "vitest";
import { newMeter } from "#core/database/table/meter.ts";
import { groupStore } from "#core/directory/groups/store.ts";
import { roleAssignees } from "#core/directory/memberships/assignees.ts";
import { addingMember } from "#core/directory/memberships/relation.ts";
import { checkAccountChange, checkAssignedIds } from "#core/directory/provisioning/escalation.ts";
import { freshRole } from "#core/directory/roles/model.ts";
import { roleStore } from "#core/directory/roles/store.ts";
import { bootstrapTenant } from "#core/directory/tenants/bootstrap.ts";
import { freshUser } from "#core/directory/users/model.ts";
import { userStore } from "#core/directory/users/store.ts";
import { systemScopes } from "#core/kernel/domain/system-apis.ts";
import { PRIMARY } from "#core/kernel/domain/username.ts";
import { testTable } from "#tests/support/engine.ts";
import { directory, faultOf } from "#tests/unit/identities/support.ts";

const tenant = "escalation.example";
const VIEW = "internal_application_mgt_view";
const whole = { tenant, scopes: systemScopes };
let made: Awaited<ReturnType<typeof testTable>>;
let [admin, group, bare, adminRole] = ["", "", "", ""];
beforeAll(async () => {
  made = await testTable();
  const table = made.open(newMeter());
  await bootstrapTenant(table, tenant, { username: "boss", password: "good-password" });
  const { addGroup } = directory(made.open, tenant);
  admin = (await userStore(table).idOf({ tenant, userStore: PRIMARY, name: "boss" })) ?? "";
  adminRole = (await userStore(table).find(tenant, admin))?.roleIds[0] ?? "";
  [group, bare] = [await addGroup("with a role"), await addGroup("without")];
  await roleStore(table).add(tenant, freshRole("viewing", "viewing", tenant, 0, { permissions: [VIEW] }), []);
  await table.write(...addingMember(roleAssignees, { tenant, id: "viewing" }, { kind: "group", id: group }));
});

const stores = (meter = newMeter()) => {
  const table = made.open(meter);
  return { meter, stores: { users: userStore(table), groups: groupStore(table), roles: roleStore(table) } };
};

test.each<[string, number, readonly string[], readonly string[]]>([
  ["neither roles nor groups", 0, [], []],
  ["a role", 1, ["viewing"], []],
  ["a group without roles", 1, [], ["bare"]],
  ["a group with roles", 2, ["gone"], ["group"]],
])("a change of how a user with %s signs in needs %i round trips", async (_, most, roleIds, groups) => {
  const { meter, stores: opened } = stores();
  const groupIds = groups.map((name) => (name === "group" ? group : bare));
  const target = freshUser("target", "target", 0, { roleIds, groupIds });
  await checkAccountChange(opened, { tenant, subject: "another user", scopes: new Set([VIEW]) }, target, {
    takesOver: true,
  });
  expect(meter.cost.roundTrips).toBe(most);
});

test("an assignment needs no round trip without roles, one with roles, one more for the full-access role", async () => {
  const cost = async (roleIds: readonly string[]) => {
    const { meter, stores: opened } = stores();
    await checkAssignedIds(opened, { ...whole, subject: admin }, roleIds);
    return meter.cost.roundTrips;
  };
  expect([await cost([]), await cost(["viewing"]), await cost([adminRole])]).toEqual([0, 1, 2]);
});

test("allows the service everything, a caller with unknown scopes nothing, and an application no full-access role", async () => {
  const { stores: opened } = stores();
  const gain = (caller: object, ...roleIds: string[]) =>
    faultOf(checkAssignedIds(opened, { tenant, ...caller }, roleIds));
  expect(await gain({}, adminRole, "viewing")).toBeUndefined();
  expect(await gain({ subject: admin }, "viewing")).toBe("scim.forbidden");
  expect(await gain({ subject: admin }, adminRole)).toBe("scim.forbidden");
  expect(await gain({ ...whole, subject: "an application" }, adminRole)).toBe("scim.forbidden");
  expect(await gain({ ...whole, subject: "an application" }, "viewing")).toBeUndefined();
});
