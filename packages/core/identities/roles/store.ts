/** How roles are kept: one item each, an entry per name (its claim, and the row of the list), and an item for each holder. */

import { canBeId } from "../../platform/ids.ts";
import { keys } from "../../table/keys.ts";
import { stale, whileStale } from "../../table/stale.ts";
import type { Item, Step, Table } from "../../table/table.ts";
import { revokingRole } from "../../tokens/revocation-store.ts";
import {
  gainingRole,
  type Holder,
  type HolderKind,
  holdersAmong,
  losingRole,
  readHolders,
} from "../memberships/assignees.ts";
import { changeHolders, HOLDERS_AT_ONCE, type HolderChanges, stillThere } from "../memberships/bulk-assignees.ts";
import { renamingStep } from "../memberships/shown-names.ts";
import { entryKey, entryOf, roleItem, toRole } from "./items.ts";
import { EVERYONE_ROLE, type Role } from "./model.ts";
import { nameTaken, notFound } from "./rules.ts";

export type { Role } from "./model.ts";

/** How many transactions clear up behind a role that was deleted. What is left does no harm: the role is gone. */
const CLEARING_ROUNDS = 40;
const ROLES_PER_PAGE = 5_000;

/** What a change makes of a role. */
interface RoleChange extends HolderChanges {
  readonly after: Role;
}

/** The roles of all tenants. */
export interface RoleStore {
  /** One round trip. */
  find(tenant: string, id: string): Promise<Role | undefined>;
  /** Several roles in one round trip; those that are gone are left out. */
  findMany(tenant: string, ids: readonly string[]): Promise<Role[]>;
  /** The id of the role that every user has without being given it. One round trip. */
  idOfEveryone(tenant: string): Promise<string | undefined>;
  /** All roles of a tenant, those for all applications first, by name. Two round trips. */
  all(tenant: string): Promise<Role[]>;
  /** The names of several roles, as far as they exist. One round trip. */
  namesOf(tenant: string, ids: readonly string[]): Promise<ReadonlyMap<string, string>>;
  /** The ids of the users or groups that hold a role, up to `most`. */
  holders(tenant: string, id: string, kind: HolderKind, most: number): Promise<readonly string[]>;
  /** Which of some users and groups hold a role. One round trip. */
  holdersAmong(tenant: string, id: string, holders: readonly Holder[]): Promise<readonly Holder[]>;
  /**
   * Keeps a new role with its first holders, but for those who are deleted meanwhile, and answers it. Beyond 45 of them in
   * several transactions. Throws `scim.unique`, and `request.invalid` for a name that no key can hold.
   */
  add(tenant: string, role: Role, holders: readonly Holder[]): Promise<Role>;
  /**
   * Changes a role: `change` is given what is there and answers what shall be, or `undefined` to leave it. It is called again
   * when another writer was faster. Up to 45 holders gain or lose it in the transaction that changes it, more in further
   * ones, but for those who are deleted meanwhile. Answers the role as it is then. Throws `scim.not_found`, `scim.unique`,
   * `request.invalid` as `add` does, and what `change` throws.
   */
  update(
    tenant: string,
    id: string,
    nowMs: number,
    change: (before: Role) => Promise<RoleChange | undefined>,
  ): Promise<Role>;
  /** Removes a role; nobody holds it from that moment on. Throws `scim.not_found`, and what `check` throws. */
  remove(tenant: string, id: string, check: (role: Role) => void): Promise<void>;
  /** The steps that keep a new role and claim its name. */
  adding(tenant: string, role: Role, otherwise: Step["otherwise"]): Step[];
  /** The role's side of giving it: the step for a user who is made in the same transaction, with the role's id. */
  holding(tenant: string, roleId: string, userId: string, otherwise: Step["otherwise"]): Step;
}

const holding: RoleStore["holding"] = (tenant, roleId, userId, otherwise) => ({
  put: { ...keys.roleUser(tenant, roleId, userId) },
  when: "absent",
  otherwise,
});

/** Opens the store on the table of one request. */
export function roleStore(table: Table): RoleStore {
  const find: RoleStore["find"] = async (tenant, id) => {
    if (!canBeId(id)) return undefined;
    const item = await table.get(keys.role(tenant, id));
    return item && toRole(item);
  };
  const findMany: RoleStore["findMany"] = async (tenant, ids) => {
    const known = ids.filter((id) => canBeId(id));
    if (known.length === 0) return [];
    const items = await table.getMany(known.map((id) => keys.role(tenant, id)));
    return items.flatMap((item) => (item ? [toRole(item)] : []));
  };

  return {
    find,
    findMany,

    async idOfEveryone(tenant) {
      const entry = await table.get(keys.roleName(tenant, `#${EVERYONE_ROLE}`));
      return entry && String(entry.id);
    },

    async all(tenant) {
      const { PK } = keys.roleName(tenant, "-");
      const entries = await table.queryAll({ PK, limit: ROLES_PER_PAGE });
      return findMany(
        tenant,
        entries.map(({ id }) => String(id)),
      );
    },

    async namesOf(tenant, ids) {
      return new Map((await findMany(tenant, ids)).map(({ id, name }) => [id, name]));
    },

    holders: async (tenant, id, kind, most) => (canBeId(id) ? readHolders(table, tenant, id, kind, most) : []),
    holdersAmong: (tenant, id, holders) => holdersAmong(table, tenant, id, holders),

    async add(tenant, role, holders) {
      const [first, rest] = [holders.slice(0, HOLDERS_AT_ONCE), holders.slice(HOLDERS_AT_ONCE)];
      const steps = adding(tenant, role, (found) => (found?.id === role.id ? "applied" : nameTaken(role.name)));
      await whileStale(async (attempts) => {
        const there = await stillThere(table, tenant, first, attempts);
        await table.write(...steps, ...there.flatMap((holder) => gainingRole(tenant, role.id, holder)));
      });
      if (rest.length === 0) return role;
      await changeHolders(table, tenant, role.id, role.createdMs, { gaining: rest, losing: [] });
      return (await find(tenant, role.id)) ?? role;
    },

    update: (tenant, id, nowMs, change) =>
      whileStale(async () => {
        const before = await find(tenant, id);
        if (!before) throw notFound(id);
        const wished = await change(before);
        if (!wished) return before;
        const { gaining, losing } = wished;
        const after = { ...wished.after, version: before.version + 1, modifiedMs: nowMs };
        const [now, later] = [losing.slice(0, HOLDERS_AT_ONCE), losing.slice(HOLDERS_AT_ONCE)];
        const room = HOLDERS_AT_ONCE - now.length;
        const isRenamed = entryOf(after) !== entryOf(before);
        await table.write(
          { put: roleItem(tenant, after), when: { equal: { ver: before.version } }, otherwise: stale },
          ...(isRenamed
            ? [
                {
                  put: { ...entryKey(tenant, after), id },
                  when: "absent",
                  otherwise: (found: Item | undefined) => (found?.id === id ? stale() : nameTaken(after.name)),
                } as const,
                { remove: entryKey(tenant, before), when: { equal: { id } }, otherwise: stale } as const,
              ]
            : []),
          ...(after.name === before.name ? [] : [renamingStep(tenant)]),
          ...now.flatMap((holder) => losingRole(tenant, id, holder)),
          ...gaining.slice(0, room).flatMap((holder) => gainingRole(tenant, id, holder)),
          ...(losing.length > 0 || !isSame(before.permissions, after.permissions) ? revokingRole(tenant, id) : []),
        );
        await changeHolders(table, tenant, id, nowMs, { gaining: gaining.slice(room), losing: later });
        return later.length + gaining.length > room ? ((await find(tenant, id)) ?? after) : after;
      }),

    async remove(tenant, id, check) {
      await whileStale(async () => {
        const role = await find(tenant, id);
        if (!role) throw notFound(id);
        check(role);
        await table.write(
          { remove: keys.role(tenant, id), when: { equal: { ver: role.version } }, otherwise: stale },
          { remove: entryKey(tenant, role), when: { equal: { id } }, otherwise: stale },
          renamingStep(tenant),
          ...revokingRole(tenant, id),
        );
      });
      for (const kind of ["user", "group"] as const) {
        for (let round = 0; round < CLEARING_ROUNDS; round += 1) {
          const ids = await readHolders(table, tenant, id, kind, HOLDERS_AT_ONCE);
          if (ids.length === 0) break;
          await whileStale(async () => {
            const hold = await holdersAmong(
              table,
              tenant,
              id,
              ids.map((holderId) => ({ kind, id: holderId })),
            );
            if (hold.length > 0) await table.write(...hold.flatMap((holder) => losingRole(tenant, id, holder)));
          });
        }
      }
    },

    adding,
    holding,
  };
}

function adding(tenant: string, role: Role, otherwise: Step["otherwise"]): Step[] {
  return [
    { put: { ...entryKey(tenant, role), id: role.id }, when: "absent", otherwise },
    { put: roleItem(tenant, role), when: "absent", otherwise },
  ];
}

function isSame(some: readonly string[], others: readonly string[]): boolean {
  return some.length === others.length && some.every((one) => others.includes(one));
}
