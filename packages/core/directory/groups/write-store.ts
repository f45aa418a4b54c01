/** Writes the change of a group in one transaction. */
import { keys } from "../../database/table/keys.ts";
import type { Range } from "../../database/table/name-index/items.ts";
import { type NameIndex, nameIndex } from "../../database/table/name-index/name-index.ts";
import { nameKey } from "../../database/table/name-index/name-key.ts";
import { stale } from "../../database/table/stale.ts";
import type { Step, Table } from "../../database/table/table.ts";
import type { PreparedBulk } from "../memberships/bulk.ts";
import { listingBulk } from "../memberships/bulk-rows.ts";
import { groupMembers, type Member, type NewMember, touchingGroup } from "../memberships/membership.ts";
import { addingMember, removingMember } from "../memberships/relation.ts";
import { renamingStep } from "../memberships/shown-names.ts";
import { type Group, shownName } from "./model.ts";
import { externalIdSteps, groupItem } from "./rows.ts";
import { nameTaken } from "./rules.ts";

/** A change of a group. */
export interface GroupChange {
  /** The group with its other attributes; the store sets version, time and tally. */
  readonly after: Group;
  /** Users who are not members yet. */
  readonly adding: readonly NewMember[];
  /** The ids of members to remove. */
  readonly removing: readonly string[];
  /** True where the change is valid for this version of the group only, so that no concurrent change may precede it. */
  readonly isExact?: boolean;
}

/** A change as it is written. */
interface GroupWrite extends GroupChange {
  /** A hint for another name. */
  readonly near: Range | undefined;
  /** The steps that end tokens, where the transaction has room for them. */
  readonly ending?: readonly Step[];
  /** The members, where they are a bulk. */
  readonly prepared?: PreparedBulk;
}

/** Opens the index of the group names of a store. */
export function indexOf(table: Table, tenant: string, userStore: string): NameIndex {
  return nameIndex(table, keys.groupNames(tenant, userStore));
}

/** Writes a change in one transaction, with another name through the index. `near` is a hint for that name. */
export async function writeGroup(
  table: Table,
  tenant: string,
  before: Group,
  { after, adding, removing, isExact = false, near, ending = [], prepared }: GroupWrite,
): Promise<void> {
  const owner = { tenant, id: after.id };
  const isRenamed = after.displayName !== before.displayName;
  const isOnlyTouched = !isExact && !isRenamed && after.externalId === before.externalId;
  const own: Step = isOnlyTouched
    ? touchingGroup(
        owner,
        {
          nowMs: after.modifiedMs,
          added: idsOf(adding),
          removed: removing,
          hasNoRoles: removing.length > 0 && before.roleIds.length === 0,
        },
        after.bulk,
      )
    : { put: groupItem(tenant, after), when: { equal: { ver: before.version } }, otherwise: stale };
  const members = prepared?.steps ?? [
    ...removing.flatMap((userId) => removingMember(groupMembers, owner, userId)),
    ...adding.flatMap((member) => addingMember(groupMembers, owner, member)),
  ];
  const steps = [own, ...externalIdSteps(tenant, after.id, before.externalId, after.externalId), ...members, ...ending];
  if (!isRenamed) return table.write(...steps, ...(prepared?.toList ? [listingBulk(tenant, prepared.toList)] : []));
  await indexOf(table, tenant, after.userStore).rename({
    from: nameKey(before.displayName),
    to: nameKey(after.displayName),
    entry: { id: after.id },
    steps: [...steps, renamingStep(tenant, prepared?.toList)],
    taken: () => nameTaken(shownName(after)),
    notOwned: stale,
    near,
  });
}

/** The ids of members. */
export function idsOf(members: readonly Member[]): string[] {
  return members.map(({ userId }) => userId);
}
