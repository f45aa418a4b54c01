/** A table whose process dies after some writes, and the views that clients have of users, groups and roles. */

import type { Table } from "#core/database/table/table.ts";
import { defaultPasswordLimits } from "#core/directory/credentials/password-limits.ts";
import { groupStore } from "#core/directory/groups/store.ts";
import { nameStore, newNameMemory } from "#core/directory/memberships/shown-names.ts";
import { roleStore } from "#core/directory/roles/store.ts";
import { readGroup } from "#core/directory/scim-api/v2/groups.ts";
import { listGroups, listUsers } from "#core/directory/scim-api/v2/list.ts";
import { readRole } from "#core/directory/scim-api/v2/roles.ts";
import type { Scim2Call } from "#core/directory/scim-api/v2/stores.ts";
import { readUser } from "#core/directory/scim-api/v2/users.ts";
import { tenantStore } from "#core/directory/tenant-store.ts";
import { declaredIndexes } from "#core/directory/users/declared-indexes.ts";
import { userStore } from "#core/directory/users/store.ts";
import { PRIMARY } from "#core/kernel/domain/username.ts";
import { Fault } from "#core/kernel/faults.ts";
import { groupType, userTypeFor } from "#core/scim/protocol/schema/resource-types.ts";
import { shippedIndexes } from "#core/service/settings/indexes.ts";

/** The process is dead: nothing that it still does reaches the table. */
export class Killed extends Error {}

/** A table for a process that dies once it has written `most` times, and how often it wrote. */
export const dyingTable = (table: Table, most: number): { readonly table: Table; writes(): number } => {
  let writes = 0;
  const alive = <R>(doing: () => Promise<R>): Promise<R> => (writes > most ? Promise.reject(new Killed()) : doing());
  const writing = <R>(doing: () => Promise<R>): Promise<R> => {
    writes += 1;
    return alive(doing);
  };
  return {
    writes: () => writes,
    table: {
      get: (...asked) => alive(() => table.get(...asked)),
      getMany: (...asked) => alive(() => table.getMany(...asked)),
      snapshot: (...asked) => alive(() => table.snapshot(...asked)),
      query: (...asked) => alive(() => table.query(...asked)),
      nearest: (...asked) => alive(() => table.nearest(...asked)),
      queryAll: (...asked) => alive(() => table.queryAll(...asked)),
      write: (...steps) => writing(() => table.write(...steps)),
      putNewer: (...asked) => writing(() => table.putNewer(...asked)),
      count: (...asked) => writing(() => table.count(...asked)),
      forget: (...asked) => writing(() => table.forget(...asked)),
    },
  };
};

/** A call of SCIM 2.0 in a new container. */
export const callOn = (table: Table, tenant: string): Scim2Call => {
  const users = userStore(table, { declared: declaredIndexes(shippedIndexes) });
  const [groups, roles] = [groupStore(table), roleStore(table)];
  return {
    origin: "https://example.com",
    base: "/scim2",
    tenant,
    now: Date.now(),
    stores: {
      users,
      groups,
      roles,
      tenants: tenantStore(table),
      names: nameStore(table, newNameMemory(), [groups.namesOf, roles.namesOf]),
      userStores: [PRIMARY],
      passwords: defaultPasswordLimits,
      knownScopes: async (_, scopes) => new Set(scopes),
      applicationNames: async () => new Map(),
      seal: { seal: (text) => text, open: (sealed) => sealed },
      dialect: {
        showsUsername: false,
        needsPassword: false,
        showsEvents: false,
        removesDuplicateUsers: false,
        requiresIfMatch: false,
        userType: userTypeFor("wso2"),
        groupType,
        errorOf: () => ({}),
      },
    },
  };
};

type Shown = Readonly<Record<string, unknown>>;
const valuesIn = (list: unknown): readonly string[] =>
  Array.isArray(list) ? list.map(({ value }: { readonly value: string }) => value).sort() : [];

/** What clients see. */
export interface Views {
  /** The ids of a group's members; `undefined` where it does not exist. */
  membersOf(groupId: string): Promise<readonly string[] | undefined>;
  /** The ids of the users that have a role. */
  assigneesOf(roleId: string): Promise<readonly string[] | undefined>;
  /** The groups and roles (`$ref`) that each user shows, by the user's id: in a list of all users. */
  listed(): Promise<ReadonlyMap<string, readonly string[]>>;
  /** The same by reading one user. */
  ownersOf(userId: string): Promise<readonly string[]>;
  /** The ids of the users that a filter on a group finds. */
  usersIn(groupId: string): Promise<readonly string[]>;
  /** The ids of the groups that a filter on a user finds. */
  groupsWith(userId: string): Promise<readonly string[]>;
}

const unlessMissing = async <R>(reading: Promise<R>): Promise<R | undefined> => {
  try {
    return await reading;
  } catch (error) {
    if (error instanceof Fault && error.fault === "scim.not_found") return undefined;
    throw error;
  }
};
const ownersIn = (user: Shown): readonly string[] =>
  [user.groups, user.roles]
    .flatMap((list) => (Array.isArray(list) ? list : []))
    .map(({ $ref }: { readonly $ref: string }) => $ref.split("/").at(-1) ?? "")
    .sort();

/** The views of a tenant. Each read is by a new container. */
export const viewsOn = (table: Table, tenant: string): Views => {
  const call = () => callOn(table, tenant);
  const ids = (page: { readonly Resources: readonly Shown[] }) => page.Resources.map(({ id }) => String(id)).sort();
  return {
    async membersOf(id) {
      const group = await unlessMissing(readGroup(call(), id, {}));
      return group && valuesIn(group.body?.members);
    },
    async assigneesOf(id) {
      const role = await unlessMissing(readRole(call(), id, {}));
      return role && valuesIn(role.body?.users);
    },
    async listed() {
      const owners = new Map<string, readonly string[]>();
      for (let startIndex = 1; ; startIndex += 200) {
        const page = await listUsers(call(), { startIndex, count: 200 });
        for (const user of page.Resources) owners.set(String(user.id), ownersIn(user));
        if (startIndex + 200 > page.totalResults) return owners;
      }
    },
    ownersOf: async (id) => ownersIn((await readUser(call(), id, {})).body ?? {}),
    usersIn: async (id) => ids(await listUsers(call(), { filter: `groups.value eq "${id}"`, count: 200 })),
    groupsWith: async (id) =>
      ids(await listGroups(call(), { filter: `members.value eq "${id}"`, excludedAttributes: "members", count: 200 })),
  };
};
