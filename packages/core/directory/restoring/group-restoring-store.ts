/** Restores deleted groups with their members and roles (decision 0084). Many members are a bulk (decision 0066). */

import { keys } from "../../database/table/keys.ts";
import { nameKey } from "../../database/table/name-index/name-key.ts";
import { stale, whileStale } from "../../database/table/stale.ts";
import type { Step, Table } from "../../database/table/table.ts";
import { early, leftToOthers } from "../../database/table/timing.ts";
import {
  type Aside,
  itemOf,
  type Left,
  notingLeft,
  readAsides,
  readMembersAside,
  takingBack,
} from "../../database/trash/aside-rows.ts";
import { changingRolesOfGroups } from "../../tokens/revocation-store.ts";
import { clearGroup, groupBulk } from "../groups/bulk-store.ts";
import { type Group, shownName } from "../groups/model.ts";
import { externalIdSteps, groupItem, groupOf } from "../groups/rows.ts";
import { GROUPS_OF_USER_MAX, nameTaken } from "../groups/rules.ts";
import { idsOf, indexOf } from "../groups/write-store.ts";
import { type Assignee, roleAssignees } from "../memberships/assignees.ts";
import { carryOut, committing, prepareBulk } from "../memberships/bulk.ts";
import { openOf } from "../memberships/bulk-model.ts";
import { BULK } from "../memberships/bulk-rows.ts";
import { groupMembers, type NewMember } from "../memberships/membership.ts";
import { addingMember, type Owner } from "../memberships/relation.ts";
import { renamingStep } from "../memberships/shown-names.ts";
import { tallyOf } from "../memberships/tally.ts";
import { roleBulk } from "../roles/bulk-store.ts";
import { toRole } from "../roles/rows.ts";
import { qualifiedName } from "../users/model.ts";
import { toUser } from "../users/rows.ts";
import { type Again, daysOf, type Restored } from "./model.ts";

/** Members of the transaction that writes the group; more are a bulk. */
const MEMBERS_AT_COMMIT = 30;
/** Roles of that transaction, and of those after it: two steps each. */
const ROLES_AT_COMMIT = 4;
const ROLES_AT_ONCE = 20;

/** The group that was put aside, without the roles that do not exist any more. One round trip. */
export async function groupAside(table: Table, tenant: string, aside: Aside): Promise<Group> {
  const group = groupOf(itemOf(aside, aside.item));
  if (!group) throw new Error(`the group ${aside.id} was never finished`);
  return {
    ...group,
    bulk: undefined,
    roleIds: await existingRoles(table, tenant, aside.left?.roleIds ?? group.roleIds),
  };
}

/** Restores a group. Throws `scim.unique`, and the error of `absent`. Three round trips for few members. */
export async function restoreGroup(table: Table, again: Again & { readonly group: Group }): Promise<Restored> {
  const { tenant, aside, group } = again;
  const owner = { tenant, id: group.id };
  if (aside.left) {
    const now = groupOf(await table.get(keys.group(tenant, group.id)));
    if (!now || (again.name !== undefined && again.name !== now.displayName)) throw again.absent();
    if (now.bulk) await carryOut(table, groupBulk, owner, now.bulk);
    await writeRoles(table, tenant, again);
    return { name: shownName(now), leftOut: { members: 0, groups: 0, roles: 0 } };
  }
  const open = aside.clearing === undefined ? undefined : openOf(aside.clearing);
  if (open) await clearGroup(early(table), tenant, open, { deletedDays: daysOf(aside) });
  const all = (await readMembersAside(table, tenant, aside)).map(groupMembers.refAt);
  const { written, members } = await whileStale(async () => {
    const members = await presentMembers(table, tenant, group, all);
    return { written: await commit(table, again, members), members: members.length };
  });
  if (written.bulk) await carryOut(table, groupBulk, owner, written.bulk);
  if (group.roleIds.length > ROLES_AT_COMMIT) await writeRoles(table, tenant, again);
  const before = groupOf(itemOf(aside, aside.item));
  const roles = (before?.roleIds.length ?? 0) - group.roleIds.length;
  return { name: shownName(written), leftOut: { members: all.length - members, groups: 0, roles } };
}

async function commit(
  table: Table,
  again: Again & { readonly group: Group },
  members: readonly NewMember[],
): Promise<Group> {
  const { tenant, aside, name, nowMs, group, absent } = again;
  const owner = { tenant, id: group.id };
  const ids = idsOf(members);
  const isSmall = ids.length <= MEMBERS_AT_COMMIT;
  const prepared = isSmall ? undefined : await prepareBulk(table, groupBulk, owner, { adding: ids, removing: [] });
  const roleIds = await existingRoles(table, tenant, group.roleIds);
  const first = roleIds.slice(0, ROLES_AT_COMMIT);
  const left = roleIds.length > first.length ? { groupIds: [], roleIds: roleIds.slice(ROLES_AT_COMMIT) } : undefined;
  const after: Group = {
    ...group,
    ...(name !== undefined && { displayName: name }),
    ...tallyOf(ids),
    roleIds: first,
    bulk: prepared?.bulk,
    version: group.version + 1,
    modifiedMs: nowMs,
  };
  const write = () =>
    indexOf(table, tenant, after.userStore).create({
      key: nameKey(after.displayName),
      entry: { id: after.id },
      first: takingBack(tenant, aside, left, absent),
      steps: [
        { put: groupItem(tenant, after), when: "absent", otherwise: stale },
        ...externalIdSteps(tenant, after.id, undefined, after.externalId),
        ...(prepared?.steps ?? members.flatMap((member) => addingMember(groupMembers, owner, member))),
        ...roleSteps(owner, first, nowMs),
        // Containers may have cached that it does not exist.
        renamingStep(tenant, prepared?.toList),
        ...(first.length > 0 ? [changingRolesOfGroups(tenant)] : []),
      ],
      taken: () => nameTaken(shownName(after)),
    });
  await (prepared ? committing(prepared, write) : write());
  return after;
}

/** Those of the former members who can be members now. One round trip for each 1,600. */
async function presentMembers(
  table: Table,
  tenant: string,
  group: Group,
  ids: readonly string[],
): Promise<NewMember[]> {
  const items = await table.getMany(ids.map((id) => keys.user(tenant, id)));
  const users = items.flatMap((item) => (item ? [toUser(item)] : []));
  return users
    .filter(({ userStore, groupIds }) => userStore === group.userStore && groupIds.length < GROUPS_OF_USER_MAX)
    .map((user) => ({ userId: user.id, name: qualifiedName(user), userName: user.userName }));
}

/** Writes the roles that are left. */
async function writeRoles(table: Table, tenant: string, { aside, nowMs }: Again): Promise<void> {
  for (;;) {
    const isDone = await whileStale(async () => {
      const [[row], item] = await Promise.all([
        readAsides(table, tenant, [aside], nowMs),
        table.get(keys.group(tenant, aside.id)),
      ]);
      const group = groupOf(item);
      if (!row?.left || !group) return true;
      const left: Left = { groupIds: [], roleIds: row.left.roleIds.slice(ROLES_AT_ONCE) };
      const present = await existingRoles(table, tenant, row.left.roleIds.slice(0, ROLES_AT_ONCE));
      const roleIds = present.filter((id) => !group.roleIds.includes(id));
      // Each follows the one before it.
      await leftToOthers(table).write(
        notingLeft(tenant, row, left),
        {
          change: keys.group(tenant, group.id),
          add: { ver: 1, ...(roleIds.length > 0 && { roles: new Set(roleIds) }) },
          when: "present",
          otherwise: stale,
        },
        ...roleSteps({ tenant, id: group.id }, roleIds, nowMs),
        changingRolesOfGroups(tenant),
      );
      return left.roleIds.length === 0;
    });
    if (isDone) return;
  }
}

/** The pairs of a group with its roles; two steps each. */
function roleSteps({ tenant, id }: Owner, roleIds: readonly string[], nowMs: number): Step[] {
  const assignee: Assignee = { kind: "group", id };
  return roleIds.flatMap((roleId): Step[] => [
    { put: { ...roleAssignees.pairKey({ tenant, id: roleId }, assignee) }, when: "absent", otherwise: stale },
    {
      change: keys.role(tenant, roleId),
      add: { ver: 1 },
      set: { modified: nowMs },
      // Changes of one role are in order: this one comes after a bulk that is not finished.
      when: { lacking: [BULK] },
      otherwise: stale,
    },
  ]);
}

/** Those of some roles that exist. Finishes their bulk memberships. One round trip. */
async function existingRoles(table: Table, tenant: string, roleIds: readonly string[]): Promise<string[]> {
  const items = await table.getMany(roleIds.map((id) => keys.role(tenant, id)));
  const roles = items.map((item) => item && toRole(item));
  for (const role of roles) {
    if (role?.bulk) await carryOut(early(table), roleBulk, { tenant, id: role.id }, role.bulk);
  }
  return roleIds.filter((_, at) => roles[at] !== undefined);
}
