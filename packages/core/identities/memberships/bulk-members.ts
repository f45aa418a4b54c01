/**
 * Members that are too many for one transaction: they join or leave in several. Each looks at the users anew, so that
 * whoever was faster with one of them, or deleted or renamed one, is let be.
 */

import { keys } from "../../table/keys.ts";
import { stale, whileStale } from "../../table/stale.ts";
import type { Table } from "../../table/table.ts";
import type { Group } from "../groups/model.ts";
import { notFound } from "../groups/rules.ts";
import { qualifiedName } from "../users/model.ts";
import { type Joiner, joiningSteps, memberRange, membersAmong, partingSteps, touchingGroup } from "./membership.ts";

/** Members that join or leave in one transaction: two steps each, beside those of the group and its name. */
export const MEMBERS_AT_ONCE = 45;
/** How many transactions clear up behind a group that was deleted. What is left does no harm: the group is gone. */
const CLEARING_ROUNDS = 40;

/** What is to become of one user. */
export interface MemberChange {
  readonly userId: string;
  readonly joins: boolean;
}

/** Which group. */
export type GroupRef = Pick<Group, "id" | "userStore">;

/** Cuts a list into parts. */
export function chunks<T>(list: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(list.length / size) }, (_, at) => list.slice(at * size, (at + 1) * size));
}

/** The joiners that were known, and on a further attempt those of them that still are there, with the names they have now. */
export async function stillThere(
  table: Table,
  tenant: string,
  { userStore }: GroupRef,
  known: readonly Joiner[],
  attempts: number,
): Promise<readonly Joiner[]> {
  if (attempts === 0 || known.length === 0) return known;
  const ids = known.map(({ userId }) => userId);
  return (await joinersNow(table, tenant, userStore, ids)).flatMap((joiner) => joiner ?? []);
}

/** Carries out changes that may be many, and counts them in the group. Throws `scim.not_found` when the group is deleted meanwhile, and `resource.contended`. */
export async function changeMembers(
  table: Table,
  tenant: string,
  group: GroupRef,
  nowMs: number,
  changes: readonly MemberChange[],
): Promise<void> {
  for (const some of chunks(changes, MEMBERS_AT_ONCE)) {
    await whileStale(async () => {
      const ids = some.map(({ userId }) => userId);
      const [are, joiners] = await Promise.all([
        membersAmong(table, tenant, group.id, ids),
        joinersNow(table, tenant, group.userStore, ids),
      ]);
      const open = some.flatMap(({ userId, joins }, at) => {
        const joiner = joiners[at];
        return joiner && are.has(userId) !== joins ? [{ joiner, joins }] : [];
      });
      if (open.length === 0) return;
      const turned = (joined: boolean) =>
        open.flatMap(({ joiner, joins }) => (joins === joined ? [joiner.userId] : []));
      await table.write(
        ...open.flatMap(({ joiner, joins }) =>
          joins ? joiningSteps(tenant, group.id, joiner) : partingSteps(tenant, group.id, joiner.userId),
        ),
        touchingGroup(tenant, group.id, { nowMs, joined: turned(true), left: turned(false) }, "present", (found) =>
          found ? stale() : notFound(group.id),
        ),
      );
    });
  }
}

/** Takes members out of a group that is gone or never was, up to 1,800 of them. */
export async function clearMembers(table: Table, tenant: string, groupId: string): Promise<void> {
  for (let round = 0; round < CLEARING_ROUNDS; round += 1) {
    let isDone = false;
    await whileStale(async () => {
      const { members, more } = await memberRange(table, tenant, groupId, { limit: MEMBERS_AT_ONCE });
      isDone = !more;
      if (members.length === 0) return;
      await table.write(...members.flatMap(({ userId }) => partingSteps(tenant, groupId, userId)));
    });
    if (isDone) return;
  }
}

/** Users as they can join now, in the order of the ids; those that are gone are `undefined`. One round trip. */
async function joinersNow(
  table: Table,
  tenant: string,
  userStore: string,
  ids: readonly string[],
): Promise<readonly (Joiner | undefined)[]> {
  const items = await table.getMany(ids.map((userId) => keys.user(tenant, userId)));
  return ids.map((userId, at) => {
    const userName = items[at]?.userName;
    return typeof userName === "string"
      ? { userId, userName, name: qualifiedName({ userStore, userName }) }
      : undefined;
  });
}
