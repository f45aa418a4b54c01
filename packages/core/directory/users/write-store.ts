/**
 * Writes users: each change in one transaction with its name, lookup rows and indexes. Loaded with the first write of a
 * container.
 */

import { keys } from "../../database/table/keys.ts";
import { covers, type Range } from "../../database/table/name-index/items.ts";
import { type NameIndex, nameIndex } from "../../database/table/name-index/name-index.ts";
import { nameKey } from "../../database/table/name-index/name-key.ts";
import { stale, whileStale } from "../../database/table/stale.ts";
import type { Step, Table } from "../../database/table/table.ts";
import { leftToOthers } from "../../database/table/timing.ts";
import { attributesOf, type Kept, puttingAside } from "../../database/trash/aside-rows.ts";
import { expiryOf, expiryWithSlack } from "../../database/trash/model.ts";
import { PRIMARY } from "../../kernel/domain/username.ts";
import { canBeId } from "../../kernel/ids.ts";
import { noteDeletedRoles } from "../memberships/assignees.ts";
import { ignoreFault } from "../memberships/bulk.ts";
import { type OpenBulk, openText } from "../memberships/bulk-model.ts";
import { renamingMember } from "../memberships/membership.ts";
import { chunks } from "../memberships/relation.ts";
import { clearOwners, removingOwners } from "./clearing-store.ts";
import type { DeclaredIndexes } from "./declared-indexes.ts";
import { type IndexPlan, nextSettling, planIndexes, STEPS_MOST, wantedNames } from "./index-plan.ts";
import { foundingIndexes, indexOfValues, withdrawUndeclared } from "./index-rows.ts";
import { lookupSteps } from "./lookup-rows.ts";
import { qualifiedName, type User } from "./model.ts";
import { asRead, notingIndexes, toUser, userItem } from "./rows.ts";
import { nameTaken, notFound } from "./rules.ts";
import type { Adding, NotedUsers, Removal, StoreName, UserChange } from "./writing.ts";

/** Groups whose copy of a user's name is changed in the transaction that renames the user. */
const GROUPS_RENAMED_AT_ONCE = 40;
/** Steps of a name and its range: when it comes or goes, and when another takes its place. */
const NAME_STEPS = 4;
const RENAME_STEPS = 6;
/** The record of the change, what is left of a removed user, and the first answer of a repeatable request. */
const RECORD_STEPS = 3;

/** What the writes of one request share. */
export interface UserWriting {
  readonly table: Table;
  readonly tenant: string;
  readonly declared: DeclaredIndexes | undefined;
}

/** Steps of the caller of a removal, at most. */
const GIVEN_STEPS = 5;

const idInUse: Step["otherwise"] = () => new Error("a new user id is in use");

/** See `UserStore.add`. */
export async function addUser(
  writing: UserWriting,
  user: User,
  { steps = [], taken = () => nameTaken(user.userName), owned, allowed, noted }: Adding,
): Promise<User> {
  const { table, tenant, declared } = writing;
  const { userStore } = user;
  const lookups = lookupSteps(tenant, user.id, { after: user }, idInUse);
  const founding = declared ? foundingIndexes(tenant, userStore, declared.attributes) : [];
  // A step may be recorded by one more.
  const used = 1 + lookups.length + 2 * steps.length + founding.length + NAME_STEPS + RECORD_STEPS;
  let added = user;
  await indexOf(table, tenant, userStore).create({
    key: nameKey(user.userName),
    entry: { id: user.id },
    steps: [...lookups, ...steps],
    async more(moved) {
      const [plan] = await Promise.all([
        planIndexes(
          table,
          { tenant, after: user },
          { names: wantedNames(user, declared), room: STEPS_MOST - used, moved, isSpread: true },
        ),
        declared && withdrawUndeclared(table, tenant, userStore, declared),
      ]);
      added = { ...user, indexed: plan.indexed, unsettled: plan.unsettled };
      return [
        { put: userItem(tenant, added), when: "absent", otherwise: idInUse, ...noting(tenant, noted) },
        ...plan.steps,
      ];
    },
    founding,
    allowed,
    taken,
    owned,
  });
  if (added.unsettled) await settleIndexes(writing, user.id);
  return added;
}

/** See `UserStore.update`. */
export async function updateUser(
  writing: UserWriting,
  id: string,
  change: (before: User) => Promise<UserChange | undefined> | UserChange | undefined,
  newName?: StoreName,
): Promise<User> {
  const { table, tenant, declared } = writing;
  const updated = await whileStale(async () => {
    const [before, near] = await Promise.all([
      readUser(table, tenant, id),
      newName && indexOf(table, tenant, newName.userStore).locate(nameKey(newName.name)),
      // Most users are in this store: saves a round trip.
      declared && withdrawUndeclared(table, tenant, newName?.userStore ?? PRIMARY, declared),
    ]);
    if (!before) throw notFound(id);
    const changed = await change(before);
    if (!changed) return before;
    const after = { ...changed.after, version: before.version + 1 };
    const hint = newName?.userStore === after.userStore ? near : undefined;
    return write(writing, before, { ...changed, after, near: hint });
  });
  if (updated.unsettled) await settleIndexes(writing, id);
  return updated;
}

/** Writes a change of a user, and returns the user as it is then. `near` is a hint for the new name. */
async function write(
  writing: UserWriting,
  before: User,
  { after, steps = [], allowed, near, noted }: UserChange & { readonly near: Range | undefined },
): Promise<User> {
  const { table, tenant, declared } = writing;
  const isRenamed = after.userName !== before.userName;
  const lookups = lookupSteps(tenant, after.id, { before, after }, stale);
  const used = 1 + lookups.length + steps.length + RECORD_STEPS + (isRenamed ? RENAME_STEPS : 0);
  let written = after;
  let room = STEPS_MOST - used;
  /** The row and the indexes. Sets what is written, and how many steps are left. */
  const own = async (moved: () => Error): Promise<readonly Step[]> => {
    const [plan] = await Promise.all([
      planIndexes(
        table,
        { tenant, before, after },
        { names: wantedNames(before, declared), room: STEPS_MOST - used, moved },
      ),
      declared && withdrawUndeclared(table, tenant, after.userStore, declared),
    ]);
    written = { ...after, indexed: plan.indexed, unsettled: plan.unsettled };
    room = STEPS_MOST - used - plan.steps.length;
    const put = userItem(tenant, written);
    return [{ put, when: asRead(before), otherwise: stale, ...noting(tenant, noted) }, ...plan.steps];
  };
  if (!isRenamed) {
    const [first] = await Promise.all([own(stale), allowed]);
    await table.write(...first, ...lookups, ...steps);
    return written;
  }
  const index = indexOf(table, tenant, after.userStore);
  const from = nameKey(before.userName);
  const [left] = await Promise.all([near && covers(near, from) ? near : index.locate(from), allowed]);
  const atOnce = () => after.groupIds.slice(0, Math.min(GROUPS_RENAMED_AT_ONCE, room));
  await index.rename({
    from,
    to: nameKey(after.userName),
    entry: { id: after.id },
    steps: [...lookups, ...steps],
    more: async (moved) => [...(await own(moved)), ...renaming(tenant, after, atOnce())],
    taken: () => nameTaken(after.userName),
    notOwned: stale,
    left,
    near,
  });
  await renameRest(leftToOthers(table), tenant, after, after.groupIds.slice(atOnce().length));
  return written;
}

/** What the record of a change compares, as rows. */
function noting(tenant: string, noted: NotedUsers | undefined): Pick<Step, "noted"> {
  if (!noted) return {};
  const rowOf = (user: User | undefined) => user && userItem(tenant, user);
  return { noted: { ...noted, before: rowOf(noted.before), after: rowOf(noted.after) } };
}

/** The steps that copy a user's name to groups. */
function renaming(tenant: string, user: User, groupIds: readonly string[]): Step[] {
  const member = { userId: user.id, name: qualifiedName(user) };
  return groupIds.map((id) => renamingMember({ tenant, id }, member));
}

/** Copies a name to more groups. Stops when the user has another name by then: that change copies its own. */
async function renameRest(
  table: Table,
  tenant: string,
  { id, userName }: User,
  groupIds: readonly string[],
): Promise<void> {
  for (const some of chunks(groupIds, GROUPS_RENAMED_AT_ONCE)) {
    await whileStale(async () => {
      const user = await readUser(table, tenant, id);
      if (user?.userName !== userName) return;
      const still = some.filter((groupId) => user.groupIds.includes(groupId));
      const named: Step = { check: keys.user(tenant, id), when: { equal: { userName } }, otherwise: stale };
      if (still.length > 0) await table.write(named, ...renaming(tenant, user, still));
    });
  }
}

/** What else the removal of a user depends on. */
interface RemovedUser {
  readonly id: string;
  readonly nowMs: number;
  readonly deletedDays: number;
}

/** See `UserStore.remove`. */
export async function removeUser(
  writing: UserWriting,
  { id, nowMs, deletedDays }: RemovedUser,
  { check, steps: stepsOf, isFinal }: Removal,
): Promise<void> {
  const { table, tenant } = writing;
  const days = isFinal ? 0 : deletedDays;
  const untilSeconds = days > 0 ? expiryWithSlack(expiryOf(nowMs, days)) : undefined;
  /** Groups and roles that turned out to be deleted: only their pairs are removed. */
  const deleted = new Set<string>();
  const open = await whileStale(async () => {
    const user = await readUser(table, tenant, id);
    if (!user) throw notFound(id);
    const index = indexOf(table, tenant, user.userStore);
    const own: Step[] = [
      { remove: keys.user(tenant, id), when: asRead(user), otherwise: stale },
      ...lookupSteps(tenant, id, { before: user }, stale),
    ];
    const asideSteps = (left: OpenBulk | undefined) => puttingAside(tenant, asideOf(tenant, user, left), nowMs, days);
    const used = own.length + GIVEN_STEPS + asideSteps(undefined).length + NAME_STEPS + RECORD_STEPS;
    const [near, plan] = await Promise.all([
      index.locate(nameKey(user.userName)),
      planIndexes(table, { tenant, before: user }, { names: [], room: STEPS_MOST - used, moved: stale }),
      check(user),
      noteDeletedRoles(table, tenant, user.roleIds, deleted),
    ]);
    const room = STEPS_MOST - used - plan.steps.length;
    const owners = removingOwners(tenant, user, nowMs, { deleted, room });
    if (plan.unsettled || (owners.steps.length > room && plan.steps.length > 0)) {
      await settleIndexes(writing, id, () => []);
      throw stale();
    }
    await index.remove({
      key: nameKey(user.userName),
      id,
      steps: [...own, ...owners.steps, ...stepsOf(user, untilSeconds), ...plan.steps, ...asideSteps(owners.open)],
      notOwned: stale,
      near,
    });
    return owners.open;
  });
  // The user is deleted; what is left of its memberships is on the tenant's list.
  if (open) await clearOwners(table, tenant, open).catch(ignoreFault);
}

function asideOf(tenant: string, user: User, open: OpenBulk | undefined): Kept {
  return {
    type: "user",
    id: user.id,
    name: qualifiedName(user),
    // A user who is put aside is in no index.
    item: attributesOf(userItem(tenant, { ...user, indexed: [], unsettled: undefined })),
    clearing: open && openText(open),
  };
}

/**
 * Brings a user into the indexes of the attributes that `namesOf` returns, and takes it out of the others; without it,
 * of those that are declared. One transaction, and where it does not fit, one for each 48 values that come or go.
 * Returns whether anything changed.
 */
export async function settleIndexes(
  { table, tenant, declared }: UserWriting,
  id: string,
  namesOf: (user: User) => readonly string[] = (user) => wantedNames(user, declared),
): Promise<boolean> {
  const others = leftToOthers(table);
  let transactions = 0;
  for (;;) {
    const isLeft = await whileStale(async () => {
      const user = await readUser(table, tenant, id);
      if (!user) return false;
      const names = namesOf(user);
      const next = transactions === 0 ? await whole(user, names) : await part(user, names);
      if (!next) return false;
      await others.write(notingIndexes(tenant, user, next), ...next.steps);
      transactions += 1;
      return next.unsettled !== undefined;
    });
    if (!isLeft) return transactions > 0;
  }

  async function whole(user: User, names: readonly string[]): Promise<IndexPlan | undefined> {
    if (!nextSettling(user, names)) return undefined;
    // A step that notes it, and the first answer of a repeatable request.
    const room = STEPS_MOST - 2;
    const plan = await planIndexes(table, { tenant, before: user, after: user }, { names, room, moved: stale });
    return plan.unsettled && plan.steps.length === 0 ? part(user, names) : plan;
  }

  async function part(user: User, names: readonly string[]): Promise<IndexPlan | undefined> {
    const next = nextSettling(user, names);
    if (!next) return undefined;
    const index = indexOfValues(table, tenant, user.userStore, next.attribute);
    return { ...next, steps: await index.steps(next.change, stale) };
  }
}

export function indexOf(table: Table, tenant: string, store: string): NameIndex {
  return nameIndex(table, keys.userNames(tenant, store));
}

export async function readUser(table: Table, tenant: string, id: string): Promise<User | undefined> {
  const item = canBeId(id) ? await table.get(keys.user(tenant, id)) : undefined;
  return item && toUser(item);
}
