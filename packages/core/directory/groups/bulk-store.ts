/** Bulk memberships of groups, and what is cleared after a group is deleted (decision 0066). */

import { keys } from "../../database/table/keys.ts";
import { stale, whileStale } from "../../database/table/stale.ts";
import type { Key, Step, Table } from "../../database/table/table.ts";
import { leftToOthers } from "../../database/table/timing.ts";
import { keepingMembers } from "../../database/trash/aside-rows.ts";
import { systemClock } from "../../kernel/clock.ts";
import { revokingRole, revokingUser } from "../../tokens/revocation-store.ts";
import { type Assignee, noteDeletedRoles, removingRolesOfDeleted, roleAssignees } from "../memberships/assignees.ts";
import { type OpenBulk, openText } from "../memberships/bulk-model.ts";
import type { BulkKind } from "../memberships/bulk-part.ts";
import { partRow, unlistingBulk } from "../memberships/bulk-rows.ts";
import { clearMembers, newClearing, stopped, whileDeleted } from "../memberships/clearing.ts";
import { groupMembers, type NewMember } from "../memberships/membership.ts";
import { chunks, MEMBERS_AT_ONCE, type Owner } from "../memberships/relation.ts";
import { tallyAfter } from "../memberships/tally.ts";
import type { Group } from "./model.ts";
import { groupOf } from "./rows.ts";

/** Ids in one row: some 80 KB. */
const ROLES_PER_PART = 2_000;
/** Two steps each. */
const ROLES_AT_ONCE = 45;

/** Bulks of groups. */
export const groupBulk: BulkKind<string, NewMember> = {
  kind: "group",
  relation: groupMembers,
  ownerKey: groupKey,
  // A user's row has its groups, and every request reads it.
  telling: () => [],
  correcting({ tenant, id }, { adding, removing }) {
    const { memberCount, memberSum } = tallyAfter({ memberCount: 0, memberSum: 0 }, removing, adding);
    return [
      {
        change: keys.group(tenant, id),
        add: { members: memberCount, memberSum },
        when: "present",
        otherwise: stale,
      },
    ];
  },
  async endTokens(table, { tenant, id }) {
    const group = groupOf(await table.get(keys.group(tenant, id)));
    await endTokensOfRoles(table, tenant, group?.roleIds ?? []);
  },
};

/** The steps that revoke the tokens of up to 45 members who are removed from a group with roles; two for each. */
export function endingTokens(tenant: string, { roleIds }: Group, removed: readonly string[]): readonly Step[] {
  return roleIds.length === 0 ? [] : removed.flatMap((userId) => revokingUser(tenant, userId));
}

/**
 * Revokes the tokens of members who are removed from a group with roles, where the change has no room for it. It is
 * written before the change, so that a crash ends too many tokens and not too few, and again after it: a token that was
 * issued in between is dated after the first revocation.
 */
export async function endTokens(
  table: Table,
  tenant: string,
  before: Group,
  removed: readonly string[],
): Promise<void> {
  if (before.roleIds.length === 0 || removed.length === 0) return;
  if (removed.length > MEMBERS_AT_ONCE) return endTokensOfRoles(table, tenant, before.roleIds);
  await table.write(...endingTokens(tenant, before, removed));
}

/** Revokes the access tokens whose scopes depend on some roles; two steps for each. */
export async function endTokensOfRoles(table: Table, tenant: string, roleIds: readonly string[]): Promise<void> {
  for (const some of chunks(roleIds, MEMBERS_AT_ONCE)) {
    await table.write(...some.flatMap((roleId) => revokingRole(tenant, roleId)));
  }
}

/** The clearing of a group that is about to be deleted, and the steps that record the roles it has. */
export function groupClearing(owner: Owner, roleIds: readonly string[]) {
  const parts = chunks(roleIds, ROLES_PER_PART);
  const open = newClearing("group", owner, parts.length);
  const steps = parts.map(
    (removing, at): Step => ({
      put: { ...partKey(owner, open, at), ...partRow.write({ adding: [], removing }) },
      when: "absent",
      otherwise: stale,
    }),
  );
  return { open, steps };
}

/** Removes the roles and up to `most` members of a deleted group; they are kept for `deletedDays`. */
export async function clearGroup(
  table: Table,
  tenant: string,
  open: OpenBulk,
  { most, deletedDays }: { readonly most?: number; readonly deletedDays: number },
): Promise<void> {
  const { ownerId: id, bulk } = open;
  const owner: Owner = { tenant, id };
  const deleted = { type: "group", id, deletedMs: bulk.sinceMs, clearing: openText(open) } as const;
  const keeping = (members: readonly string[]) => keepingMembers(tenant, deleted, members, deletedDays);
  const clear = async (): Promise<boolean> => {
    for (let at = 0; at < bulk.parts; at += 1) {
      const key = partKey(owner, open, at);
      const item = await table.get(key);
      if (!item) continue;
      for (const some of chunks(partRow.read(item).removing, ROLES_AT_ONCE)) {
        await clearRoles(leftToOthers(table), owner, some);
      }
      await table.forget(key);
    }
    return clearMembers(table, groupMembers, owner, { ownerKey: groupKey(owner), most, keeping });
  };
  if (await clear().catch(stopped)) await leftToOthers(table).write(unlistingBulk(tenant, open));
}

function clearRoles(table: Table, { tenant, id }: Owner, roleIds: readonly string[]): Promise<void> {
  const assignee: Assignee = { kind: "group", id };
  const deleted = new Set<string>();
  return whileStale(async () => {
    const pairs = roleIds.map((roleId) => roleAssignees.pairKey({ tenant, id: roleId }, assignee));
    const items = await table.getMany(pairs);
    const left = roleIds.filter((_, at) => items[at] !== undefined);
    if (left.length === 0) return;
    await noteDeletedRoles(table, tenant, left, deleted);
    // Not the time of the deletion: what changed since has a later one already.
    const steps = removingRolesOfDeleted(tenant, assignee, left, { nowMs: systemClock.now(), deleted });
    await table.write(...steps, whileDeleted(groupKey({ tenant, id })));
  });
}

function partKey(owner: Owner, { bulk }: OpenBulk, at: number): Key {
  return keys.bulkPart(keys.group(owner.tenant, owner.id), bulk.id, at);
}

function groupKey({ tenant, id }: Owner): Key {
  return keys.group(tenant, id);
}
