/** Restores deleted roles with their assignees (decision 0084). Many assignees are a bulk (decision 0066). */

import { stale, whileStale } from "../../database/table/stale.ts";
import type { Table } from "../../database/table/table.ts";
import { early } from "../../database/table/timing.ts";
import { type Aside, itemOf, readMembersAside, takingBack } from "../../database/trash/aside-rows.ts";
import { revokingRole } from "../../tokens/revocation-store.ts";
import { type Assignee, roleAssignees } from "../memberships/assignees.ts";
import { carryOut, committing, prepareBulk } from "../memberships/bulk.ts";
import { openOf } from "../memberships/bulk-model.ts";
import { addingMember } from "../memberships/relation.ts";
import { renamingStep } from "../memberships/shown-names.ts";
import { clearRole, roleBulk, tellingGroups } from "../roles/bulk-store.ts";
import type { Role } from "../roles/model.ts";
import { entryKey, roleEntry, roleItem, toRole } from "../roles/rows.ts";
import { nameTaken } from "../roles/rules.ts";
import { type Again, daysOf, type Restored } from "./model.ts";

/** Assignees of the transaction that writes the role; more are a bulk. */
const ASSIGNEES_AT_COMMIT = 35;

/** The role that was put aside. */
export function roleAside(aside: Aside): Role {
  return { ...toRole(itemOf(aside, aside.item)), bulk: undefined };
}

/** Restores a role. Throws `scim.unique`, and the error of `absent`. Two round trips for few assignees. */
export async function restoreRole(table: Table, again: Again & { readonly role: Role }): Promise<Restored> {
  const { tenant, aside, role } = again;
  const owner = { tenant, id: role.id };
  const open = aside.clearing === undefined ? undefined : openOf(aside.clearing);
  if (open) await clearRole(early(table), owner, open, { deletedDays: daysOf(aside) });
  const all = (await readMembersAside(table, tenant, aside)).map(roleAssignees.refAt);
  const { written, assignees } = await whileStale(async () => {
    const items = await table.getMany(all.map((assignee) => roleAssignees.memberKey(tenant, assignee)));
    const present = all.filter((_, at) => items[at] !== undefined);
    return { written: await commit(table, again, present), assignees: present.length };
  });
  if (written.bulk) await carryOut(table, roleBulk, owner, written.bulk);
  return { name: written.name, leftOut: { members: all.length - assignees, groups: 0, roles: 0 } };
}

async function commit(
  table: Table,
  again: Again & { readonly role: Role },
  present: readonly Assignee[],
): Promise<Role> {
  const { tenant, aside, name, nowMs, role, absent } = again;
  const owner = { tenant, id: role.id };
  const isSmall = present.length <= ASSIGNEES_AT_COMMIT;
  const prepared = isSmall ? undefined : await prepareBulk(table, roleBulk, owner, { adding: present, removing: [] });
  const after: Role = {
    ...role,
    ...(name !== undefined && { name }),
    bulk: prepared?.bulk,
    version: role.version + 1,
    modifiedMs: nowMs,
  };
  const write = () =>
    table.write(
      ...takingBack(tenant, aside, undefined, absent),
      {
        put: { ...entryKey(tenant, after), ...roleEntry.write(after) },
        when: "absent",
        otherwise: () => nameTaken(after.name),
      },
      { put: roleItem(tenant, after), when: "absent", otherwise: stale },
      // Containers may have cached that it does not exist.
      renamingStep(tenant, prepared?.toList),
      ...revokingRole(tenant, role.id),
      ...(prepared?.steps ?? present.flatMap((assignee) => addingMember(roleAssignees, owner, assignee))),
      ...tellingGroups(tenant, prepared ? [] : present),
    );
  await (prepared ? committing(prepared, write) : write());
  return after;
}
