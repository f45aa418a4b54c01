/**
 * Restores deleted users (decision 0084). The transaction that claims the name writes the user with its first
 * memberships; those of a user in many groups follow in further ones. A request that ends in between is continued by
 * the next one: what is put aside says which are left.
 */

import { keys } from "../../database/table/keys.ts";
import { nameIndex } from "../../database/table/name-index/name-index.ts";
import { nameKey } from "../../database/table/name-index/name-key.ts";
import { stale, whileStale } from "../../database/table/stale.ts";
import type { Step, Table } from "../../database/table/table.ts";
import { early, leftToOthers } from "../../database/table/timing.ts";
import { type Aside, itemOf, type Left, notingLeft, readAsides, takingBack } from "../../database/trash/aside-rows.ts";
import { restoringPasskeys } from "../credentials/passkey-store.ts";
import { restoringCredential } from "../credentials/store.ts";
import { restoringTotp } from "../credentials/totp-store.ts";
import { groupBulk } from "../groups/bulk-store.ts";
import { groupOf } from "../groups/rows.ts";
import { type Assignee, roleAssignees } from "../memberships/assignees.ts";
import { carryOut } from "../memberships/bulk.ts";
import { openOf } from "../memberships/bulk-model.ts";
import { BULK } from "../memberships/bulk-rows.ts";
import { groupMembers, touchingGroup } from "../memberships/membership.ts";
import { roleBulk } from "../roles/bulk-store.ts";
import { toRole } from "../roles/rows.ts";
import { clearOwners } from "../users/clearing-store.ts";
import type { DeclaredIndexes } from "../users/declared-indexes.ts";
import { planIndexes, STEPS_MOST, stepsOfNew } from "../users/index-plan.ts";
import { withdrawUndeclared } from "../users/index-rows.ts";
import { lookupSteps } from "../users/lookup-rows.ts";
import {
  hasCodes,
  hasPasskeys,
  qualifiedName,
  systemAttributes,
  type User,
  withPasskeys,
  withSystemAttributes,
} from "../users/model.ts";
import { toUser, userItem } from "../users/rows.ts";
import { nameTaken } from "../users/rules.ts";
import { settleIndexes } from "../users/write-store.ts";
import type { Again, Restored } from "./model.ts";

/** Memberships in one transaction, at most: two steps each, and the record of the group or role. */
const GROUPS_AT_ONCE = 10;
const ROLES_AT_ONCE = 10;
const STEPS_PER_MEMBERSHIP = 3;
/** Memberships that come with the user however large it is. */
const MEMBERSHIPS_LEAST = 4;
/** The row, the name, what was put aside, the record, and the first answer of a repeatable request. */
const OWN_STEPS = 12;

/** A user who is restored. */
interface UserAgain extends Again {
  readonly user: User;
  /** The indexes that the user gets. */
  readonly declared: DeclaredIndexes | undefined;
  /** A check that reads more. Nothing is written where it is rejected. */
  readonly allowed: Promise<void>;
}

/** The user that was put aside, without the groups and roles that do not exist any more. One round trip. */
export async function userAside(table: Table, tenant: string, aside: Aside): Promise<User> {
  const user = toUser(itemOf(aside, aside.item));
  const { groupIds, roleIds } = await existing(table, tenant, aside.left ?? user);
  return { ...user, groupIds, roleIds };
}

/** Restores a user. Throws `scim.unique`, and the error of `absent`. Two round trips for few memberships. */
export async function restoreUser(table: Table, again: UserAgain): Promise<Restored> {
  const { tenant, aside } = again;
  if (aside.left) return continued(table, again, aside);
  const open = aside.clearing === undefined ? undefined : openOf(aside.clearing);
  // Pairs that are still there would be taken for new ones.
  if (open) await clearOwners(early(table), tenant, open);
  let { user } = again;
  const left = await whileStale(async () => {
    try {
      return await commit(table, { ...again, user });
    } catch (error) {
      // They expired before their user, who sets them up again.
      if (error instanceof PasswordGone) user = { ...user, hasPassword: false };
      else if (error instanceof CodesGone) user = { ...user, profile: withoutCodes(user) };
      else if (error instanceof PasskeysGone) user = { ...user, profile: withoutPasskeys(user) };
      else throw error;
      throw stale();
    }
  });
  if (left) await writeRest(table, tenant, again);
  return restored(again);
}

async function continued(table: Table, again: UserAgain, aside: Aside): Promise<Restored> {
  await again.allowed;
  const item = await table.get(keys.user(again.tenant, aside.id));
  if (!item) throw again.absent();
  const user = toUser(item);
  if (again.name !== undefined && again.name !== user.userName) throw again.absent();
  await writeRest(table, again.tenant, again);
  return { ...restored(again), name: qualifiedName(user) };
}

/** Writes the user. Returns the memberships that are left, if there are any. */
async function commit(table: Table, again: UserAgain): Promise<Left | undefined> {
  const { tenant, aside, name, nowMs, user, declared, allowed } = again;
  const present = await existing(table, tenant, user);
  const lookups = lookupSteps(tenant, user.id, { after: user }, stale);
  const credential = [
    ...(user.hasPassword ? [restoringCredential(tenant, user.id, () => new PasswordGone())] : []),
    ...(hasCodes(user) ? [restoringTotp(tenant, user.id, () => new CodesGone())] : []),
    ...(hasPasskeys(user) ? [restoringPasskeys(tenant, user.id, () => new PasskeysGone())] : []),
  ];
  const used = OWN_STEPS + lookups.length + credential.length;
  const [first, rest] = split(
    present,
    Math.floor((STEPS_MOST - used - stepsOfNew(user, declared)) / STEPS_PER_MEMBERSHIP),
  );
  const left = rest.groupIds.length + rest.roleIds.length > 0 ? rest : undefined;
  const after: User = {
    ...user,
    ...first,
    ...(name !== undefined && { userName: name }),
    version: user.version + 1,
    modifiedMs: Math.max(nowMs, user.modifiedMs + 1),
  };
  const room = STEPS_MOST - used - STEPS_PER_MEMBERSHIP * (first.groupIds.length + first.roleIds.length);
  const { userStore } = after;
  let isUnsettled = false;
  await nameIndex(table, keys.userNames(tenant, userStore)).create({
    key: nameKey(after.userName),
    entry: { id: after.id },
    first: takingBack(tenant, aside, left, again.absent),
    steps: [...lookups, ...credential, ...pairSteps(tenant, after, first, nowMs)],
    async more(moved) {
      const [{ steps, ...noted }] = await Promise.all([
        planIndexes(table, { tenant, after }, { names: declared?.attributes ?? [], room, moved }),
        declared && withdrawUndeclared(table, tenant, userStore, declared),
      ]);
      isUnsettled = noted.unsettled !== undefined;
      return [{ put: userItem(tenant, { ...after, ...noted }), when: "absent", otherwise: stale }, ...steps];
    },
    allowed,
    taken: () => nameTaken(after.userName),
  });
  if (isUnsettled) await settleIndexes({ table, tenant, declared }, after.id);
  return left;
}

/** The memberships that come with the user, and those that follow. */
function split({ groupIds, roleIds }: Left, room: number): readonly [Left, Left] {
  const most = Math.max(room, MEMBERSHIPS_LEAST);
  const roles = Math.min(ROLES_AT_ONCE, roleIds.length, most);
  const groups = Math.min(GROUPS_AT_ONCE, most - roles);
  return [
    { groupIds: groupIds.slice(0, groups), roleIds: roleIds.slice(0, roles) },
    { groupIds: groupIds.slice(groups), roleIds: roleIds.slice(roles) },
  ];
}

/** Writes the memberships that are left, a transaction for each 20 of them. */
async function writeRest(table: Table, tenant: string, { aside, nowMs }: Again): Promise<void> {
  for (;;) {
    const isDone = await whileStale(async () => {
      const [[row], item] = await Promise.all([
        readAsides(table, tenant, [aside], nowMs),
        table.get(keys.user(tenant, aside.id)),
      ]);
      // Another request has finished it, or the user is deleted again.
      if (!row?.left || !item) return true;
      const user = toUser(item);
      const next = {
        groupIds: row.left.groupIds.slice(0, GROUPS_AT_ONCE),
        roleIds: row.left.roleIds.slice(0, ROLES_AT_ONCE),
      };
      const after = {
        groupIds: row.left.groupIds.slice(GROUPS_AT_ONCE),
        roleIds: row.left.roleIds.slice(ROLES_AT_ONCE),
      };
      const present = await existing(table, tenant, next, user);
      // Each follows the one before it.
      await leftToOthers(table).write(
        notingLeft(tenant, row, after),
        {
          change: keys.user(tenant, user.id),
          add: {
            ver: 1,
            ...(present.groupIds.length > 0 && { groups: new Set(present.groupIds) }),
            ...(present.roleIds.length > 0 && { roles: new Set(present.roleIds) }),
          },
          when: { equal: { ver: user.version } },
          otherwise: stale,
        },
        ...pairSteps(tenant, user, present, nowMs),
      );
      return after.groupIds.length + after.roleIds.length === 0;
    });
    if (isDone) return;
  }
}

/** The pairs of a user; two steps for each group and role. */
function pairSteps(tenant: string, user: User, { groupIds, roleIds }: Left, nowMs: number): Step[] {
  const assignee: Assignee = { kind: "user", id: user.id };
  return [
    ...groupIds.flatMap((id): Step[] => [
      {
        put: { ...groupMembers.pairKey({ tenant, id }, user.id), name: qualifiedName(user) },
        when: "absent",
        otherwise: stale,
      },
      touchingGroup({ tenant, id }, { nowMs, added: [user.id] }),
    ]),
    ...roleIds.flatMap((id): Step[] => [
      { put: { ...roleAssignees.pairKey({ tenant, id }, assignee) }, when: "absent", otherwise: stale },
      {
        change: keys.role(tenant, id),
        add: { ver: 1 },
        set: { modified: nowMs },
        // Changes of one role are in order: this one comes after a bulk that is not finished.
        when: { lacking: [BULK] },
        otherwise: stale,
      },
    ]),
  ];
}

/**
 * Those of some groups and roles that exist, and that a user does not have already. Finishes the bulk memberships of
 * these groups. One round trip.
 */
async function existing(table: Table, tenant: string, { groupIds, roleIds }: Left, user?: User): Promise<Left> {
  const items = await table.getMany([
    ...groupIds.map((id) => keys.group(tenant, id)),
    ...roleIds.map((id) => keys.role(tenant, id)),
  ]);
  const groups = groupIds.map((_, at) => groupOf(items[at]));
  const roles = roleIds.map((_, at) => items[groupIds.length + at]).map((item) => item && toRole(item));
  for (const group of groups) {
    if (group?.bulk) await carryOut(early(table), groupBulk, { tenant, id: group.id }, group.bulk);
  }
  for (const role of roles) {
    if (role?.bulk) await carryOut(early(table), roleBulk, { tenant, id: role.id }, role.bulk);
  }
  return {
    groupIds: groupIds.filter((id, at) => groups[at] !== undefined && !user?.groupIds.includes(id)),
    roleIds: roleIds.filter((id, at) => roles[at] !== undefined && !user?.roleIds.includes(id)),
  };
}

function restored({ aside, user, name }: UserAgain): Restored {
  const before = toUser(itemOf(aside, aside.item));
  return {
    name: qualifiedName({ ...user, ...(name !== undefined && { userName: name }) }),
    leftOut: {
      members: 0,
      groups: aside.left ? 0 : before.groupIds.length - user.groupIds.length,
      roles: aside.left ? 0 : before.roleIds.length - user.roleIds.length,
    },
  };
}

function withoutCodes({ profile }: User): User["profile"] {
  return withSystemAttributes(profile, { totpEnabled: undefined });
}

function withoutPasskeys({ profile }: User): User["profile"] {
  const { enabledAuthenticators } = systemAttributes(profile);
  return withSystemAttributes(profile, { enabledAuthenticators: withPasskeys(enabledAuthenticators, false) });
}

/** The credential of a user who had one does not exist. */
class PasswordGone extends Error {}

/** The same of the secret of one-time codes. */
class CodesGone extends Error {}

/** The same of passkeys. */
class PasskeysGone extends Error {}
