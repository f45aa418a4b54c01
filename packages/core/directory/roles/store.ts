/**
 * Stores roles: one row each, an entry for the name (its uniqueness guard, and the row of the list), and their
 * assignees.
 */

import { keys } from "../../database/table/keys.ts";
import { stale, whileStale } from "../../database/table/stale.ts";
import type { Item, Step, Table } from "../../database/table/table.ts";
import { attributesOf, type Kept, puttingAside } from "../../database/trash/aside-rows.ts";
import { systemClock } from "../../kernel/clock.ts";
import { canBeId } from "../../kernel/ids.ts";
import { revokingRole } from "../../tokens/revocation-store.ts";
import {
  type Assignee,
  type AssigneeKind,
  readAllAssignees,
  readAssignees,
  roleAssignees,
} from "../memberships/assignees.ts";
import { withoutAssignments } from "../memberships/assignment-clearing.ts";
import {
  afterBulks,
  carryOut,
  checkNoBulk,
  committing,
  ignoreError,
  ignoreFault,
  isBulk,
  type PreparedBulk,
  prepareBulk,
  settleBulk,
} from "../memberships/bulk.ts";
import { isAbandoned, type OpenBulk, openText } from "../memberships/bulk-model.ts";
import { listingBulk } from "../memberships/bulk-rows.ts";
import { newClearing, SWEPT_MAX } from "../memberships/clearing.ts";
import {
  addingMember,
  MEMBERS_AT_ONCE,
  membersAmong,
  type Owner,
  removingMember,
  stillPresent,
} from "../memberships/relation.ts";
import { renamingStep } from "../memberships/shown-names.ts";
import { clearRole, roleBulk, tellingGroups } from "./bulk-store.ts";
import { EVERYONE_ROLE, type Role } from "./model.ts";
import { entryKey, entryOf, roleEntry, roleItem, toRole } from "./rows.ts";
import { nameTaken, notFound } from "./rules.ts";

export type { Role } from "./model.ts";

const ROLES_PER_PAGE = 5_000;

/** Assignees that get a role, which they do not have yet, and assignees that lose it. */
export interface AssigneeChanges {
  readonly adding: readonly Assignee[];
  readonly removing: readonly Assignee[];
}

/** A change of a role. */
interface RoleChange extends AssigneeChanges {
  readonly after: Role;
}

/** The roles of all tenants. */
export type RoleStore = ReturnType<typeof roleStore>;

/** Opens the store on the table of one request. Deleted roles are put aside for `deletedDays`. */
export function roleStore(table: Table, deletedDays = 0) {
  const findMany = async (tenant: string, ids: readonly string[]): Promise<Role[]> => {
    const possible = ids.filter(canBeId);
    if (possible.length === 0) return [];
    const items = await table.getMany(possible.map((id) => keys.role(tenant, id)));
    return items.flatMap((item) => (item ? [toRole(item)] : []));
  };
  return {
    /** One round trip. */
    find: (tenant: string, id: string) => read(table, { tenant, id }),
    /** Several roles in one round trip, without deleted ones. */
    findMany,

    /** The id of the role that every user has without an assignment. One round trip. */
    async idOfEveryone(tenant: string): Promise<string | undefined> {
      const entry = await table.get(keys.roleName(tenant, `#${EVERYONE_ROLE}`));
      return entry && roleEntry.read(entry).id;
    },

    /** All roles of a tenant, those for all applications first, by name. Two round trips. */
    async all(tenant: string): Promise<Role[]> {
      const { PK } = keys.roleName(tenant, "-");
      const entries = await table.queryAll({ PK, limit: ROLES_PER_PAGE });
      return findMany(
        tenant,
        entries.map((entry) => roleEntry.read(entry).id),
      );
    },

    /** The names of several roles, without those that do not exist. One round trip. */
    async namesOf(tenant: string, ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
      return new Map((await findMany(tenant, ids)).map(({ id, name }) => [id, name]));
    },

    /** The ids of the users or groups that have a role, up to `most`. */
    assigneeIds: async (tenant: string, id: string, kind: AssigneeKind, most: number): Promise<readonly string[]> =>
      canBeId(id) ? readAssignees(table, { tenant, id }, kind, most) : [],
    /** The ids of the users and of the groups that have a role, up to `most` of each. */
    assignees: async (
      tenant: string,
      id: string,
      most: number,
    ): Promise<Readonly<Record<AssigneeKind, readonly string[]>>> =>
      canBeId(id) ? readAllAssignees(table, { tenant, id }, most) : { user: [], group: [] },
    /** Those of some users and groups that have a role: the same objects that were given. One round trip. */
    assigneesAmong: (tenant: string, id: string, assignees: readonly Assignee[]) =>
      membersAmong(table, roleAssignees, { tenant, id }, assignees),
    /**
     * Creates a role with its first assignees, without those that are deleted meanwhile, and returns it. More than 45
     * are a bulk. Throws `scim.unique`, and `request.invalid` for a name that no key can hold.
     */
    add: (tenant: string, role: Role, assignees: readonly Assignee[]) => add(table, tenant, role, assignees),
    /**
     * Changes a role and returns its new state. `change` returns the change of the current state, or `undefined` for
     * none; it is called again when another writer committed first. More than 45 assignees are a bulk: all of them
     * change, or none, without those that are deleted meanwhile. Throws `scim.not_found`, `scim.unique`,
     * `request.invalid` as `add` does, and what `change` throws.
     */
    update: (tenant: string, id: string, nowMs: number, change: (before: Role) => Promise<RoleChange | undefined>) =>
      update(table, { tenant, id }, nowMs, change),
    /** Removes a role; from then on, no assignee has it. Throws `scim.not_found`, and what `check` throws. */
    remove: (tenant: string, id: string, check: (role: Role) => void): Promise<void> =>
      withoutAssignments(table, tenant, { type: "role", id }, deletedDays, (clearing) =>
        remove(table, { tenant, id }, check, { deletedDays, clearing }),
      ),

    /**
     * Carries out a bulk assignment that was committed, or continues the clearing of a deleted role, if the
     * request that began it has ended.
     */
    async settle(tenant: string, open: OpenBulk): Promise<void> {
      if (open.bulk.purpose !== "clear") return settleBulk(table, roleBulk, tenant, open);
      if (!isAbandoned(open.bulk, systemClock.now())) return;
      await clearRole(table, { tenant, id: open.ownerId }, open, { most: SWEPT_MAX, deletedDays }).catch(ignoreError);
    },
    /** The steps that create a role and claim its name. */
    adding: addingRole,

    /** The role's side of an assignment to a user who is created in the same transaction, with the role's id. */
    holding: (tenant: string, roleId: string, userId: string, otherwise: Step["otherwise"]): Step => ({
      put: { ...keys.roleUser(tenant, roleId, userId) },
      when: "absent",
      otherwise,
    }),
  };
}

async function read(table: Table, { tenant, id }: Owner): Promise<Role | undefined> {
  const item = canBeId(id) ? await table.get(keys.role(tenant, id)) : undefined;
  return item && toRole(item);
}

async function add(table: Table, tenant: string, role: Role, assignees: readonly Assignee[]): Promise<Role> {
  const owner = { tenant, id: role.id };
  const changes = { adding: assignees, removing: [] };
  const taken: Step["otherwise"] = (found) => (found?.id === role.id ? "applied" : nameTaken(role.name));
  const bulk = await whileStale(async (attempts) => {
    if (!isBulk(changes)) {
      const present = await stillPresent(table, roleAssignees, tenant, assignees, attempts);
      const adding = present.flatMap((assignee) => addingMember(roleAssignees, owner, assignee));
      await table.write(...addingRole(tenant, role, taken), ...adding, ...tellingGroups(tenant, present));
      return undefined;
    }
    const prepared = await prepareBulk(table, roleBulk, owner, changes);
    const steps = addingRole(tenant, { ...role, bulk: prepared.bulk }, taken);
    await committing(prepared, () => table.write(...steps, ...prepared.steps, ...listing(tenant, prepared)));
    return prepared.bulk;
  });
  if (!bulk) return role;
  await carryOut(table, roleBulk, owner, bulk);
  return (await read(table, owner)) ?? role;
}

function listing(tenant: string, { toList }: PreparedBulk): readonly Step[] {
  return toList ? [listingBulk(tenant, toList)] : [];
}

function addingRole(tenant: string, role: Role, otherwise: Step["otherwise"]): Step[] {
  return [
    { put: { ...entryKey(tenant, role), ...roleEntry.write(role) }, when: "absent", otherwise },
    { put: roleItem(tenant, role), when: "absent", otherwise },
  ];
}

async function update(
  table: Table,
  owner: Owner,
  nowMs: number,
  change: (before: Role) => Promise<RoleChange | undefined>,
): Promise<Role> {
  const { tenant, id } = owner;
  const written = await afterBulks(table, roleBulk, owner, async () => {
    const before = await read(table, owner);
    if (!before) throw notFound(id);
    checkNoBulk(before);
    const changed = await change(before);
    if (!changed) return before;
    const { adding, removing } = changed;
    const after: Role = { ...changed.after, version: before.version + 1, modifiedMs: nowMs };
    const write = async (role: Role, prepared?: PreparedBulk): Promise<void> => {
      const isRevoking = removing.length > 0 || !isSame(before.permissions, role.permissions);
      const members = prepared?.steps ?? [
        ...removing.flatMap((assignee) => removingMember(roleAssignees, owner, assignee)),
        ...adding.flatMap((assignee) => addingMember(roleAssignees, owner, assignee)),
      ];
      await table.write(
        { put: roleItem(tenant, role), when: { equal: { ver: before.version } }, otherwise: stale },
        ...renaming(tenant, before, role, prepared?.toList),
        ...members,
        ...(isRevoking ? revokingRole(tenant, id) : []),
        // A bulk tells them with each of its parts.
        ...(prepared ? [] : tellingGroups(tenant, [...removing, ...adding])),
      );
    };
    if (!isBulk(changed)) {
      await write(after);
      return after;
    }
    const prepared = await prepareBulk(table, roleBulk, owner, changed);
    const withBulk: Role = { ...after, bulk: prepared.bulk };
    await committing(prepared, () => write(withBulk, prepared));
    return withBulk;
  });
  if (!written.bulk) return written;
  await carryOut(table, roleBulk, owner, written.bulk);
  return (await read(table, owner)) ?? written;
}

/** The steps between the names of two states of a role; they list a bulk that begins with it. */
function renaming(tenant: string, before: Role, after: Role, open?: OpenBulk): Step[] {
  const { id, name } = after;
  const entry: Step[] =
    entryOf(after) === entryOf(before)
      ? []
      : [
          {
            put: { ...entryKey(tenant, after), ...roleEntry.write(after) },
            when: "absent",
            otherwise: (found: Item | undefined) => (found?.id === id ? stale() : nameTaken(name)),
          },
          { remove: entryKey(tenant, before), when: { equal: { id } }, otherwise: stale },
        ];
  if (name !== before.name) return [...entry, renamingStep(tenant, open)];
  return open ? [...entry, listingBulk(tenant, open)] : entry;
}

async function remove(
  table: Table,
  owner: Owner,
  check: (role: Role) => void,
  { deletedDays, clearing: others }: { readonly deletedDays: number; readonly clearing: () => Promise<void> },
): Promise<void> {
  const { tenant, id } = owner;
  if (!canBeId(id)) throw notFound(id);
  const clearing = await afterBulks(table, roleBulk, owner, async () => {
    const [role, page] = await Promise.all([
      read(table, owner),
      table.query({ ...roleAssignees.pairs(owner), limit: MEMBERS_AT_ONCE }),
    ]);
    if (!role) throw notFound(id);
    check(role);
    checkNoBulk(role);
    const open = page.next ? newClearing("role", owner) : undefined;
    const assignees = open ? [] : page.items.map(({ SK }) => roleAssignees.refAt(SK));
    await table.write(
      { remove: keys.role(tenant, id), when: { equal: { ver: role.version } }, otherwise: stale },
      { remove: entryKey(tenant, role), when: { equal: { id } }, otherwise: stale },
      renamingStep(tenant, open),
      ...revokingRole(tenant, id),
      ...assignees.flatMap((assignee) => removingMember(roleAssignees, owner, assignee)),
      ...puttingAside(tenant, asideOf(tenant, role, assignees, open), systemClock.now(), deletedDays),
    );
    return open;
  });
  // The role is deleted; what is left of its assignees is on the tenant's list.
  if (clearing) await others();
  await clearRole(table, owner, clearing, { deletedDays }).catch(ignoreFault);
}

function asideOf(tenant: string, role: Role, assignees: readonly Assignee[], open: OpenBulk | undefined): Kept {
  return {
    type: "role",
    id: role.id,
    name: role.name,
    item: attributesOf(roleItem(tenant, role)),
    members: assignees.map((assignee) => roleAssignees.pairKey({ tenant, id: role.id }, assignee).SK),
    clearing: open && openText(open),
  };
}

function isSame(some: readonly string[], others: readonly string[]): boolean {
  const all = new Set(others);
  return some.length === others.length && some.every((one) => all.has(one));
}
