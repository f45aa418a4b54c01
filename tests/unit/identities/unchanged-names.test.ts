/** A change with the name that a group or role has leaves that name, however it would be read as a new one. */
import { beforeAll, describe, expect, test } from "vitest";
import { newMeter } from "#core/database/table/meter.ts";
import { changeGroup, type MembershipChange } from "#core/directory/provisioning/groups.ts";
import { changeRole } from "#core/directory/provisioning/roles.ts";
import { freshRole } from "#core/directory/roles/model.ts";
import { bootstrapTenant } from "#core/directory/tenants/bootstrap.ts";
import { PRIMARY } from "#core/kernel/domain/username.ts";
import { newId } from "#core/kernel/ids.ts";
import { testTable } from "#tests/support/engine.ts";
import { type Directory, directory, faultOf } from "./support.ts";

const TENANT = "unchanged";
const none: MembershipChange = { replaces: false, adding: new Set(), removing: new Set() };

let calm: Directory;
let user: string;
beforeAll(async () => {
  const table = await testTable();
  await bootstrapTenant(table.open(newMeter()), TENANT, { username: "admin", password: "admin" });
  calm = directory(table.open, TENANT);
  user = await calm.addUser("member");
});

describe("a group", () => {
  /** Adds a group with exactly this name. Returns its id. */
  const added = async (displayName: string): Promise<string> => {
    const now = Date.now();
    const times = { createdMs: now, modifiedMs: now, version: 1 };
    const group = { id: newId(), displayName, userStore: PRIMARY, ...times, memberCount: 0, memberSum: 0, roleIds: [] };
    return (await calm.stores.groups.add(TENANT, group, [])).group.id;
  };
  const joined = (id: string, sent: string | undefined) => {
    const stores = { ...calm.stores, userStores: [PRIMARY, "EMEA"] };
    const membership = { ...none, adding: new Set([user]) };
    return changeGroup(stores, { tenant: TENANT, now: Date.now() }, id, {
      change: async (before) => ({
        after: { ...before, ...(sent !== undefined && { displayName: sent }) },
        membership,
      }),
      displayName: sent,
      membership,
    });
  };

  test.each([
    ["with a slash after what is a store now", "EMEA/Sales"],
    ["that begins with its store", "PRIMARY/ops"],
    ["with spaces around it", " crew "],
  ])("keeps a name %s", async (_, name) => {
    const id = await added(name);
    expect(await faultOf(joined(id, undefined))).toBeUndefined();
    expect(await faultOf(calm.part(id, user))).toBeUndefined();
    expect(await faultOf(joined(id, name))).toBeUndefined();
    expect(await calm.stores.groups.find(TENANT, id)).toMatchObject({ displayName: name, memberCount: 1 });
  });
  test("is not moved to another store by another name", async () => {
    const id = await added("APAC/Sales");
    expect(await faultOf(joined(id, "EMEA/Sales 2"))).toBe("request.invalid");
    expect(await faultOf(joined(id, "PRIMARY/ Pacific "))).toBeUndefined();
    expect((await calm.stores.groups.find(TENANT, id))?.displayName).toBe("Pacific");
  });
});

test("a role keeps spaces around its name", async () => {
  const role = freshRole(newId(), " keepers ", TENANT, Date.now(), {});
  await calm.stores.roles.add(TENANT, role, []);
  const unread = async () => new Map<string, string>();
  const stores = { ...calm.stores, knownScopes: async () => new Set<string>(), applicationNames: unread };
  const assigning = { user: { ...none, adding: new Set([user]) }, group: none };
  const after = await changeRole(stores, { tenant: TENANT, now: Date.now() }, role.id, {
    check: () => undefined,
    change: async (before) => ({ after: before, assigneeChanges: assigning }),
  });
  expect([after.name, after.version]).toEqual([" keepers ", 2]);
});
