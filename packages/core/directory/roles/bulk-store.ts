/** Bulk assignments of roles (decision 0066). */

import { keys } from "../../database/table/keys.ts";
import type { Step, Table } from "../../database/table/table.ts";
import { leftToOthers } from "../../database/table/timing.ts";
import { keepingMembers } from "../../database/trash/aside-rows.ts";
import { changingRolesOfGroups, revokingRole } from "../../tokens/revocation-store.ts";
import { type Assignee, roleAssignees } from "../memberships/assignees.ts";
import { type OpenBulk, openText } from "../memberships/bulk-model.ts";
import type { BulkKind } from "../memberships/bulk-part.ts";
import { unlistingBulk } from "../memberships/bulk-rows.ts";
import { clearMembers, stopped } from "../memberships/clearing.ts";
import type { Owner } from "../memberships/relation.ts";

/** Bulks of roles. */
export const roleBulk: BulkKind<Assignee, Assignee> = {
  kind: "role",
  relation: roleAssignees,
  ownerKey: ({ tenant, id }) => keys.role(tenant, id),
  // A role does not count its assignees.
  correcting: () => [],
  telling: tellingGroups,
  endTokens: (table, { tenant, id }) => table.write(...revokingRole(tenant, id)),
};

/** The step for a transaction in which groups get or lose a role; none where only users do. */
export function tellingGroups(tenant: string, changed: readonly Assignee[]): readonly Step[] {
  return changed.some(({ kind }) => kind === "group") ? [changingRolesOfGroups(tenant)] : [];
}

/** Removes up to `most` assignees of a deleted role; `open` lists this work. They are kept for `deletedDays`. */
export async function clearRole(
  table: Table,
  owner: Owner,
  open: OpenBulk | undefined,
  { most, deletedDays }: { readonly most?: number; readonly deletedDays: number },
): Promise<void> {
  const deleted =
    open && ({ type: "role", id: owner.id, deletedMs: open.bulk.sinceMs, clearing: openText(open) } as const);
  const keeping = (members: readonly string[]) =>
    deleted ? keepingMembers(owner.tenant, deleted, members, deletedDays) : [];
  const ownerKey = keys.role(owner.tenant, owner.id);
  const isDone = await clearMembers(table, roleAssignees, owner, { ownerKey, most, keeping }).catch(stopped);
  if (isDone && open) await leftToOthers(table).write(unlistingBulk(owner.tenant, open));
}
