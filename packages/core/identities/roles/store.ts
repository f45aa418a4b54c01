/**
 * Stores roles: one row each, an entry for the name (its uniqueness guard, and the row of the list), and their
 * assignees.
 */
import { canBeId } from "../../platform/ids.ts";
import { keys } from "../../table/keys.ts";
import { stale, whileStale } from "../../table/stale.ts";
import type { Item, Step, Table } from "../../table/table.ts";
import { changingRolesOfGroups, revokingRole } from "../../tokens/revocation-store.ts";
import { type Assignee, type AssigneeKind, readAssignees, roleAssignees } from "../memberships/assignees.ts";
import {
  addingMember,
  changeMembers,
  MEMBERS_AT_ONCE,
  type MemberChanges,
  membersAmong,
  type Owner,
  removeMembers,
  removingMember,
  stillPresent,
} from "../memberships/relation.ts";
import { renamingStep } from "../memberships/shown-names.ts";
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
export interface RoleStore {
  /** One round trip. */
  find(tenant: string, id: string): Promise<Role | undefined>;
  /** Several roles in one round trip, without deleted ones. */
  findMany(tenant: string, ids: readonly string[]): Promise<Role[]>;
  /** The id of the role that every user has without an assignment. One round trip. */
  idOfEveryone(tenant: string): Promise<string | undefined>;
  /** All roles of a tenant, those for all applications first, by name. Two round trips. */
  all(tenant: string): Promise<Role[]>;
  /** The names of several roles, without those that do not exist. One round trip. */
  namesOf(tenant: string, ids: readonly string[]): Promise<ReadonlyMap<string, string>>;
  /** The ids of the users or groups that have a role, up to `most`. */
  assigneeIds(tenant: string, id: string, kind: AssigneeKind, most: number): Promise<readonly string[]>;
  /** Those of some users and groups that have a role: the same objects that were given. One round trip. */
  assigneesAmong(tenant: string, id: string, assignees: readonly Assignee[]): Promise<ReadonlySet<Assignee>>;
  /**
   * Creates a role with its first assignees, without those that are deleted meanwhile, and returns it. More than 45
   * need several transactions. Throws `scim.unique`, and `request.invalid` for a name that no key can hold.
   */
  add(tenant: string, role: Role, assignees: readonly Assignee[]): Promise<Role>;
  /**
   * Changes a role and returns its new state. `change` returns the change of the current state, or `undefined` for
   * none; it is called again when another writer committed first. Up to 45 assignees change in the transaction that
   * changes the role, more in transactions after it, without those that are deleted meanwhile. Throws `scim.not_found`,
   * `scim.unique`, `request.invalid` as `add` does, and what `change` throws.
   */
  update(
    tenant: string,
    id: string,
    nowMs: number,
    change: (before: Role) => Promise<RoleChange | undefined>,
  ): Promise<Role>;
  /** Removes a role; from then on, no assignee has it. Throws `scim.not_found`, and what `check` throws. */
  remove(tenant: string, id: string, check: (role: Role) => void): Promise<void>;
  /** The steps that create a role and claim its name. */
  adding(tenant: string, role: Role, otherwise: Step["otherwise"]): Step[];
  /** The role's side of an assignment to a user who is created in the same transaction, with the role's id. */
  holding(tenant: string, roleId: string, userId: string, otherwise: Step["otherwise"]): Step;
}

/** Opens the store on the table of one request. */
export function roleStore(table: Table): RoleStore {
  const findMany: RoleStore["findMany"] = async (tenant, ids) => {
    const possible = ids.filter(canBeId);
    if (possible.length === 0) return [];
    const items = await table.getMany(possible.map((id) => keys.role(tenant, id)));
    return items.flatMap((item) => (item ? [toRole(item)] : []));
  };
  return {
    find: (tenant, id) => read(table, { tenant, id }),
    findMany,

    async idOfEveryone(tenant) {
      const entry = await table.get(keys.roleName(tenant, `#${EVERYONE_ROLE}`));
      return entry && roleEntry.read(entry).id;
    },

    async all(tenant) {
      const { PK } = keys.roleName(tenant, "-");
      const entries = await table.queryAll({ PK, limit: ROLES_PER_PAGE });
      return findMany(
        tenant,
        entries.map((entry) => roleEntry.read(entry).id),
      );
    },

    async namesOf(tenant, ids) {
      return new Map((await findMany(tenant, ids)).map(({ id, name }) => [id, name]));
    },

    assigneeIds: async (tenant, id, kind, most) =>
      canBeId(id) ? readAssignees(table, { tenant, id }, kind, most) : [],
    assigneesAmong: (tenant, id, assignees) => membersAmong(table, roleAssignees, { tenant, id }, assignees),
    add: (tenant, role, assignees) => add(table, tenant, role, assignees),
    update: (tenant, id, nowMs, change) => update(table, { tenant, id }, nowMs, change),
    remove: (tenant, id, check) => remove(table, { tenant, id }, check),
    adding: addingRole,

    holding: (tenant, roleId, userId, otherwise) => ({
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
  const [first, rest] = [assignees.slice(0, MEMBERS_AT_ONCE), assignees.slice(MEMBERS_AT_ONCE)];
  const steps = addingRole(tenant, role, (found) => (found?.id === role.id ? "applied" : nameTaken(role.name)));
  await whileStale(async (attempts) => {
    const present = await stillPresent(table, roleAssignees, tenant, first, attempts);
    await table.write(
      ...steps,
      ...present.flatMap((assignee) => addingMember(roleAssignees, owner, assignee)),
      ...tellingGroups(tenant, present),
    );
  });
  if (rest.length === 0) return role;
  await changeRest(table, owner, role.createdMs, { adding: rest, removing: [] });
  return (await read(table, owner)) ?? role;
}

function addingRole(tenant: string, role: Role, otherwise: Step["otherwise"]): Step[] {
  return [
    { put: { ...entryKey(tenant, role), ...roleEntry.write(role) }, when: "absent", otherwise },
    { put: roleItem(tenant, role), when: "absent", otherwise },
  ];
}

function update(
  table: Table,
  owner: Owner,
  nowMs: number,
  change: (before: Role) => Promise<RoleChange | undefined>,
): Promise<Role> {
  const { tenant, id } = owner;
  return whileStale(async () => {
    const before = await read(table, owner);
    if (!before) throw notFound(id);
    const changed = await change(before);
    if (!changed) return before;
    const { adding, removing } = changed;
    const after = { ...changed.after, version: before.version + 1, modifiedMs: nowMs };
    const removed = removing.slice(0, MEMBERS_AT_ONCE);
    const added = adding.slice(0, MEMBERS_AT_ONCE - removed.length);
    const isRevoking = removing.length > 0 || !isSame(before.permissions, after.permissions);
    await table.write(
      { put: roleItem(tenant, after), when: { equal: { ver: before.version } }, otherwise: stale },
      ...renaming(tenant, before, after),
      ...removed.flatMap((assignee) => removingMember(roleAssignees, owner, assignee)),
      ...added.flatMap((assignee) => addingMember(roleAssignees, owner, assignee)),
      ...(isRevoking ? revokingRole(tenant, id) : []),
      ...tellingGroups(tenant, [...removed, ...added]),
    );
    const rest = { adding: adding.slice(added.length), removing: removing.slice(removed.length) };
    if (rest.adding.length + rest.removing.length === 0) return after;
    await changeRest(table, owner, nowMs, rest);
    return (await read(table, owner)) ?? after;
  });
}

/** The steps between the names of two states of a role. */
function renaming(tenant: string, before: Role, after: Role): Step[] {
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
  return name === before.name ? entry : [...entry, renamingStep(tenant)];
}

/**
 * Changes the assignees that did not fit the first transaction. Throws `scim.not_found` when the role is deleted
 * meanwhile.
 */
function changeRest(table: Table, owner: Owner, nowMs: number, changes: MemberChanges<Assignee>): Promise<void> {
  const { tenant, id } = owner;
  return changeMembers(table, roleAssignees, owner, changes, ({ adding, removing }) => [
    ...(removing.length > 0 ? revokingRole(tenant, id) : []),
    ...tellingGroups(tenant, [...adding, ...removing]),
    {
      change: keys.role(tenant, id),
      add: { ver: 1 },
      set: { modified: nowMs },
      when: "present",
      otherwise: (found) => (found ? stale() : notFound(id)),
    },
  ]);
}

async function remove(table: Table, owner: Owner, check: (role: Role) => void): Promise<void> {
  const { tenant, id } = owner;
  await whileStale(async () => {
    const role = await read(table, owner);
    if (!role) throw notFound(id);
    check(role);
    await table.write(
      { remove: keys.role(tenant, id), when: { equal: { ver: role.version } }, otherwise: stale },
      { remove: entryKey(tenant, role), when: { equal: { id } }, otherwise: stale },
      renamingStep(tenant),
      ...revokingRole(tenant, id),
    );
  });
  await removeMembers(table, roleAssignees, owner);
}

/** The step for a transaction in which groups get or lose a role; none where only users do. */
function tellingGroups(tenant: string, changed: readonly Assignee[]): readonly Step[] {
  return changed.some(({ kind }) => kind === "group") ? [changingRolesOfGroups(tenant)] : [];
}

function isSame(some: readonly string[], others: readonly string[]): boolean {
  const all = new Set(others);
  return some.length === others.length && some.every((one) => all.has(one));
}
