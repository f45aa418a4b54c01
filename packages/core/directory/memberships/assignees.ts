/** The assignees of roles: the relation between roles and the users and groups that have them. */
import { keys, ROLE_GROUP, ROLE_USER } from "../../database/table/keys.ts";
import { stale } from "../../database/table/stale.ts";
import { LAST, type Step, type Table } from "../../database/table/table.ts";
import { type Owner, type Relation, removingPair } from "./relation.ts";

/** Users and groups can have roles. */
export type AssigneeKind = "user" | "group";

/** A user or group that has a role. */
export interface Assignee {
  readonly kind: AssigneeKind;
  readonly id: string;
}

const prefixes: Readonly<Record<AssigneeKind, string>> = { user: ROLE_USER, group: ROLE_GROUP };
const ASSIGNEES_PER_PAGE = 8_000;

/** Roles and their assignees. */
export const roleAssignees: Relation<Assignee, Assignee> = {
  attribute: "roles",
  // Both kinds: no other sort key of a role is between them.
  pairs: ({ tenant, id }) => ({ PK: keys.role(tenant, id).PK, from: ROLE_GROUP, to: `${ROLE_USER}${LAST}` }),
  refAt(sortKey) {
    const kind = sortKey.startsWith(ROLE_USER) ? "user" : "group";
    return { kind, id: sortKey.slice(prefixes[kind].length) };
  },
  refOf: (assignee) => assignee,
  idOf: ({ id }) => id,
  pairKey: (role, { kind, id }) =>
    kind === "user" ? keys.roleUser(role.tenant, role.id, id) : keys.roleGroup(role.tenant, role.id, id),
  memberKey: (tenant, { kind, id }) => (kind === "user" ? keys.user(tenant, id) : keys.group(tenant, id)),
  copied: () => ({ attributes: {}, when: "present" }),
  async current(table, tenant, assignees, attempts) {
    // A pair repeats nothing of its assignee, so assignees are read only after a failed transaction.
    if (attempts === 0) return assignees;
    const items = await table.getMany(assignees.map((assignee) => roleAssignees.memberKey(tenant, assignee)));
    return assignees.map((assignee, at) => (items[at] ? assignee : undefined));
  },
};

/** How the roles of a deleted assignee are removed. */
export interface RolesRemoval {
  readonly nowMs: number;
  /** Roles of which only the pair is removed. One that turns out to be deleted is added, for the next attempt. */
  readonly deleted: Set<string>;
}

/**
 * The steps that remove the roles of a user or group that is being deleted; two for each role, which gets another
 * version, because it shows its assignees. The caller removes the row of the user or group.
 */
export function removingRolesOfDeleted(
  tenant: string,
  assignee: Assignee,
  roleIds: readonly string[],
  { nowMs, deleted }: RolesRemoval,
): Step[] {
  return roleIds.flatMap((id): Step[] => {
    const removing = removingPair(roleAssignees, { tenant, id }, assignee);
    if (deleted.has(id)) return [removing];
    const otherwise: Step["otherwise"] = (found) => {
      if (!found) deleted.add(id);
      return stale();
    };
    // A bulk skips assignees who are deleted.
    const recording = { add: { ver: 1 }, set: { modified: nowMs }, when: "present", otherwise } as const;
    return [removing, { change: keys.role(tenant, id), ...recording }];
  });
}

/**
 * Adds those of some roles that do not exist to `deleted`, where one is there already: a transaction that fails tells
 * of one of them only. At most one round trip.
 */
export async function noteDeletedRoles(
  table: Table,
  tenant: string,
  roleIds: readonly string[],
  deleted: Set<string>,
): Promise<void> {
  if (deleted.size === 0) return;
  const items = await table.getMany(roleIds.map((id) => keys.role(tenant, id)));
  for (const [at, id] of roleIds.entries()) if (!items[at]) deleted.add(id);
}

/**
 * The ids of the users and of the groups that have a role, in order, up to `most` of each. One query where both fit one
 * page: it reads the groups first, which may leave no room for the users, and then a second one reads these.
 */
export async function readAllAssignees(
  table: Table,
  role: Owner,
  most: number,
): Promise<Readonly<Record<AssigneeKind, readonly string[]>>> {
  const idsOf = (kind: AssigneeKind) => readAssignees(table, role, kind, most);
  if (most * 2 > ASSIGNEES_PER_PAGE) {
    const [user, group] = await Promise.all([idsOf("user"), idsOf("group")]);
    return { user, group };
  }
  const items = await table.queryAll({ ...roleAssignees.pairs(role), limit: ASSIGNEES_PER_PAGE }, most * 2);
  const found = items.map(({ SK }) => roleAssignees.refAt(SK));
  const first = (kind: AssigneeKind) => found.flatMap((one) => (one.kind === kind ? [one.id] : [])).slice(0, most);
  const isShort = found.length === most * 2 && first("user").length < most;
  return { group: first("group"), user: isShort ? await idsOf("user") : first("user") };
}

/** The ids of the users or of the groups that have a role, in order, up to `most`. */
export async function readAssignees(
  table: Table,
  role: Owner,
  kind: AssigneeKind,
  most: number,
): Promise<readonly string[]> {
  const prefix = prefixes[kind];
  const range = { ...roleAssignees.pairs(role), from: prefix, to: `${prefix}${LAST}`, limit: ASSIGNEES_PER_PAGE };
  return (await table.queryAll(range, most)).map(({ SK }) => SK.slice(prefix.length));
}
