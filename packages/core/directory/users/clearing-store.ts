/**
 * What a deleted user leaves: memberships and roles that do not fit the transaction that deletes it. That transaction
 * writes them as parts of a clearing and lists it (decision 0066). Until a part is carried out, its groups still list
 * the user as a member.
 */

import { keys } from "../../database/table/keys.ts";
import { list, rowCodec, text } from "../../database/table/row.ts";
import { stale, whileStale } from "../../database/table/stale.ts";
import type { Key, Step, Table } from "../../database/table/table.ts";
import { leftToOthers } from "../../database/table/timing.ts";
import { systemClock } from "../../kernel/clock.ts";
import { concurrently } from "../../kernel/concurrently.ts";
import { noteDeletedRoles, removingRolesOfDeleted, roleAssignees } from "../memberships/assignees.ts";
import { newBulk, type OpenBulk } from "../memberships/bulk-model.ts";
import { listingBulk, unlistingBulk } from "../memberships/bulk-rows.ts";
import { groupMembers, removingDeletedUser } from "../memberships/membership.ts";
import { chunks, MEMBERS_AT_ONCE } from "../memberships/relation.ts";
import type { User } from "./model.ts";

/** Groups and roles that are removed in the transaction that removes their user, at most; two steps each. */
const GROUPS_AT_ONCE = 28;
const ROLES_AT_ONCE = 12;
/** Roles of a part, and those of one transaction: two steps each. */
const ROLES_PER_PART = 90;
const ROLES_PER_TRANSACTION = 45;
const TRANSACTIONS_AT_ONCE = 4;

/** Owners to remove a user from in one transaction. */
const partRow = rowCodec<Pick<User, "groupIds" | "roleIds">>("part of a clearing", {
  groupIds: list(text),
  roleIds: list(text),
});

/** What the removal of a user removes with it. */
export interface OwnersRemoval {
  /** Of the transaction that removes the user. */
  readonly steps: readonly Step[];
  /** What is left to do after it. */
  readonly open: OpenBulk | undefined;
}

/**
 * The steps that remove a user from its groups and roles, or record that this is to be done where they are more than
 * `room`. Of groups and roles in `deleted` only the pair is removed; one that turns out to be deleted is added there,
 * for the next attempt.
 */
export function removingOwners(
  tenant: string,
  { id, groupIds, roleIds }: User,
  nowMs: number,
  { deleted, room }: { readonly deleted: Set<string>; readonly room: number },
): OwnersRemoval {
  if (groupIds.length <= GROUPS_AT_ONCE && roleIds.length <= ROLES_AT_ONCE) {
    const steps = [
      ...groupIds.flatMap((groupId) => removingDeletedUser({ tenant, id: groupId }, id, nowMs, deleted)),
      ...removingRolesOfDeleted(tenant, { kind: "user", id }, roleIds, { nowMs, deleted }),
    ];
    if (steps.length <= room) return { steps, open: undefined };
  }
  const parts = [
    ...chunks(groupIds, MEMBERS_AT_ONCE).map((some) => ({ groupIds: some, roleIds: [] })),
    ...chunks(roleIds, ROLES_PER_PART).map((some) => ({ groupIds: [], roleIds: some })),
  ];
  const bulk = newBulk("clear", systemClock.now(), parts.length);
  const open: OpenBulk = { kind: "user", ownerId: id, bulk };
  const putting = parts.map(
    (part, at): Step => ({
      put: { ...keys.bulkPart(keys.user(tenant, id), bulk.id, at), ...partRow.write(part) },
      when: "absent",
      otherwise: stale,
    }),
  );
  return { steps: [...putting, listingBulk(tenant, open)], open };
}

/** Removes a deleted user from its groups and roles. */
export async function clearOwners(table: Table, tenant: string, open: OpenBulk): Promise<void> {
  const { bulk, ownerId } = open;
  const parts = Array.from({ length: bulk.parts }, (_, at) => keys.bulkPart(keys.user(tenant, ownerId), bulk.id, at));
  const ofParts = leftToOthers(table);
  await concurrently(parts, TRANSACTIONS_AT_ONCE, (key) => clearPart(ofParts, tenant, open, key));
  await leftToOthers(table).write(unlistingBulk(tenant, open));
}

async function clearPart(table: Table, tenant: string, open: OpenBulk, key: Key): Promise<void> {
  const deleted = new Set<string>();
  for (let isDone = false; !isDone; ) isDone = await whileStale(() => clearSome(table, tenant, open, { key, deleted }));
}

/** Clears what one transaction has room for. Returns whether that was all of the part. */
async function clearSome(
  table: Table,
  tenant: string,
  { ownerId }: Pick<OpenBulk, "ownerId">,
  { key, deleted }: { readonly key: Key; readonly deleted: Set<string> },
): Promise<boolean> {
  const item = await table.get(key);
  if (!item) return true;
  const { groupIds, roleIds } = partRow.read(item);
  // A group or role that is deleted may have lost its members already.
  const assignee = { kind: "user", id: ownerId } as const;
  const pairs = [
    ...groupIds.map((id) => groupMembers.pairKey({ tenant, id }, ownerId)),
    ...roleIds.map((id) => roleAssignees.pairKey({ tenant, id }, assignee)),
  ];
  const found = await table.getMany(pairs);
  const inGroups = groupIds.filter((_, at) => found[at] !== undefined);
  const withRoles = roleIds.filter((_, at) => found[groupIds.length + at] !== undefined);
  const roles = withRoles.slice(0, ROLES_PER_TRANSACTION);
  const isLast = roles.length === withRoles.length;
  await noteDeletedRoles(table, tenant, roles, deleted);
  // Not the time of the deletion: what changed since has a later one already.
  const nowMs = systemClock.now();
  await table.write(
    { ...(isLast ? { remove: key } : { check: key }), when: "present", otherwise: () => "applied" },
    ...inGroups.flatMap((id) => removingDeletedUser({ tenant, id }, ownerId, nowMs, deleted)),
    ...removingRolesOfDeleted(tenant, assignee, roles, { nowMs, deleted }),
  );
  return isLast;
}
