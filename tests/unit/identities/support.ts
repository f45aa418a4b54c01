/** Changes of users and groups of a tenant, on a database that may be hostile. */

import type { OpenTable } from "#core/database/table/dynamo.ts";
import { newMeter } from "#core/database/table/meter.ts";
import { defaultPasswordLimits } from "#core/directory/credentials/password-limits.ts";
import { groupStore } from "#core/directory/groups/store.ts";
import {
  changeGroup,
  createGroup,
  type GroupStores,
  type MembershipChange,
} from "#core/directory/provisioning/groups.ts";
import { changeUser, createUser, deleteUser, type UserStores } from "#core/directory/provisioning/users.ts";
import { roleStore } from "#core/directory/roles/store.ts";
import { tenantStore } from "#core/directory/tenant-store.ts";
import { bootstrapTenant } from "#core/directory/tenants/bootstrap.ts";
import { declaredIndexes } from "#core/directory/users/declared-indexes.ts";
import { userStore } from "#core/directory/users/store.ts";
import { PRIMARY } from "#core/kernel/domain/username.ts";
import { Fault } from "#core/kernel/faults.ts";
import type { Resource } from "#core/scim/protocol/schema/attribute.ts";
import { shippedIndexes } from "#core/service/settings/indexes.ts";
import type { TestTable } from "#tests/support/engine.ts";
import { type HostileDatabase, hostileDatabase, type Odds } from "#tests/support/hostile-database.ts";

/** Everything that DynamoDB may do to writers. */
export const HOSTILE: Odds = { conflict: 0.05, throttle: 0.01, half: 0.5, halfMs: 30, lost: 0.03, heldMs: 3 };

/** Changes of users and groups, with the parameters that tests need. */
export interface Directory {
  readonly tenant: string;
  readonly stores: UserStores & GroupStores;
  /** Returns the user's id. */
  addUser(userName: string, more?: Resource): Promise<string>;
  changeUser(id: string, more: Resource): Promise<unknown>;
  removeUser(id: string): Promise<void>;
  /** Returns the group's id. */
  addGroup(displayName: string, members?: readonly string[], more?: Resource): Promise<string>;
  changeGroup(id: string, more: Resource): Promise<unknown>;
  join(groupId: string, ...userIds: readonly string[]): Promise<unknown>;
  part(groupId: string, ...userIds: readonly string[]): Promise<unknown>;
  replaceMembers(groupId: string, userIds: readonly string[]): Promise<unknown>;
  removeGroup(id: string): Promise<void>;
  /** The ids of a group's members, in order. */
  membersOf(groupId: string): Promise<readonly string[]>;
}

const nobody: ReadonlySet<string> = new Set();
const wish = (some: Partial<MembershipChange>): MembershipChange => ({
  replaces: false,
  adding: nobody,
  removing: nobody,
  ...some,
});

/** Opens the directory of a tenant. */
export const directory = (open: OpenTable, tenant: string): Directory => {
  const table = open(newMeter());
  const [users, groups] = [userStore(table, { declared: declaredIndexes(shippedIndexes) }), groupStore(table)];
  const stores = {
    users,
    groups,
    roles: roleStore(table),
    tenants: tenantStore(table),
    userStores: [PRIMARY],
    passwords: defaultPasswordLimits,
  };
  const context = () => ({ tenant, now: Date.now() });
  const membership = (id: string, membership: MembershipChange) =>
    changeGroup(stores, context(), id, { change: async (before) => ({ after: before, membership }), membership });
  return {
    tenant,
    stores,
    addUser: async (userName, more = {}) =>
      (await createUser(stores, context(), { userName, ...more }, { needsPassword: false })).id,
    changeUser: (id, more) => changeUser(stores, context(), id, { change: (before) => ({ ...before, ...more }) }),
    removeUser: (id) => deleteUser(stores, context(), id),
    addGroup: async (displayName, members = [], more = {}) => {
      const resource = { displayName, members: members.map((value) => ({ value })), ...more };
      return (await createGroup(stores, context(), resource)).group.id;
    },
    changeGroup: (id, more) =>
      changeGroup(stores, context(), id, {
        change: async (before) => ({ after: { ...before, ...more }, membership: wish({}) }),
      }),
    join: (id, ...userIds) => membership(id, wish({ adding: new Set(userIds) })),
    part: (id, ...userIds) => membership(id, wish({ removing: new Set(userIds) })),
    replaceMembers: (id, userIds) => membership(id, wish({ replaces: true, adding: new Set(userIds) })),
    removeGroup: (id) => groups.remove(tenant, id, () => undefined),
    membersOf: async (id) => (await groups.members(tenant, id, 10_000)).map(({ userId }) => userId),
  };
};

/** Creates a tenant and opens its directory twice: on the plain database, and on a hostile one. */
export const foundDirectory = async (
  table: TestTable,
  tenant: string,
  seed: number,
  odds: Odds = HOSTILE,
): Promise<{ readonly calm: Directory; readonly hostile: Directory; readonly database: HostileDatabase }> => {
  await bootstrapTenant(table.open(newMeter()), tenant, { username: "admin", password: "admin" });
  const database = hostileDatabase(seed, odds);
  const client = { ...table.client, transport: database.transport };
  const open = table.reopen({ deadlineMs: 20_000, client });
  return { calm: directory(table.open, tenant), hostile: directory(open, tenant), database };
};

/** The name of the fault that a call throws; `undefined` when it succeeds. Other errors are thrown. */
export const faultOf = async (doing: Promise<unknown>): Promise<string | undefined> => {
  try {
    await doing;
    return undefined;
  } catch (error) {
    if (error instanceof Fault) return error.fault;
    throw error;
  }
};
