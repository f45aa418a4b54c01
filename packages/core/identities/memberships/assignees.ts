/** The assignees of roles: the relation between roles and the users and groups that have them. */
import { keys, ROLE_GROUP, ROLE_USER } from "../../table/keys.ts";
import { LAST, type Step, type Table } from "../../table/table.ts";
import { addingMember, type Owner, type Relation, removingPair } from "./relation.ts";

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

/** The steps that assign a role; two of a transaction. */
export function assigningRole(tenant: string, roleId: string, assignee: Assignee): Step[] {
  return addingMember(roleAssignees, { tenant, id: roleId }, assignee);
}

/** The steps that remove the pairs of an assignee that is being deleted; the caller removes its row. */
export function removingRolePairs(tenant: string, assignee: Assignee, roleIds: readonly string[]): Step[] {
  return roleIds.map((id) => removingPair(roleAssignees, { tenant, id }, assignee));
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
