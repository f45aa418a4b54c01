/**
 * Removes the members of a deleted owner (decision 0066). The transaction that deletes the owner lists this work, so
 * that the next request continues it. Until then the memberships have no effect. An id is
 * used again only where its owner is restored (decision 0084): this work stops then.
 */

import { whileStale } from "../../database/table/stale.ts";
import type { Key, Step, Table } from "../../database/table/table.ts";
import { leftToOthers } from "../../database/table/timing.ts";
import { systemClock } from "../../kernel/clock.ts";
import { concurrently } from "../../kernel/concurrently.ts";
import { newBulk, type OpenBulk, type OwnerKind } from "./bulk-model.ts";
import {
  chunks,
  MEMBERS_AT_ONCE,
  membersAmong,
  type Owner,
  type Relation,
  removingMember,
  removingPair,
} from "./relation.ts";

const TRANSACTIONS_AT_ONCE = 8;

/** Members of a deleted owner that a request removes which happens to meet them. */
export const SWEPT_MAX = 2_000;

/**
 * The clearing of an owner that is about to be deleted, to be listed in the transaction that deletes it. `parts`: how
 * many rows of the owner's own say what else is to be removed.
 */
export function newClearing(kind: OwnerKind, { id }: Owner, parts = 0): OpenBulk {
  return { kind, ownerId: id, bulk: newBulk("clear", systemClock.now(), parts) };
}

/** The owner is restored, so that nothing of it may be removed any more. */
class OwnerReturned extends Error {}

/** The step that stops a clearing once its owner is restored. `stopped` takes its error. */
export function whileDeleted(ownerKey: Key): Step {
  return { check: ownerKey, when: "absent", otherwise: () => new OwnerReturned("the owner is restored") };
}

/** Ends a clearing whose owner is restored: then it is done. Throws any other error. */
export function stopped(error: unknown): true {
  if (error instanceof OwnerReturned) return true;
  throw error;
}

/** How members are cleared. */
export interface Clearing {
  readonly ownerKey: Key;
  /** Stops after some so many. */
  readonly most?: number | undefined;
  /** The step that keeps members, by the sort keys of their pairs, in the transaction that removes them. */
  readonly keeping?: (members: readonly string[]) => readonly Step[];
}

/**
 * Removes the members of a deleted owner, and stops after some `most` of them. Returns whether none is left. One round
 * trip where there is none.
 */
export async function clearMembers<Ref>(
  table: Table,
  relation: Relation<Ref, unknown>,
  owner: Owner,
  { ownerKey, most = Number.POSITIVE_INFINITY, keeping = () => [] }: Clearing,
): Promise<boolean> {
  const more = (members: readonly string[]) => [...keeping(members), whileDeleted(ownerKey)];
  const range = { ...relation.pairs(owner), limit: MEMBERS_AT_ONCE * TRANSACTIONS_AT_ONCE };
  const others = leftToOthers(table);
  for (let cleared = 0; cleared < most; ) {
    const { items } = await table.query(range);
    if (items.length === 0) return true;
    const refs = items.map(({ SK }) => relation.refAt(SK));
    await concurrently(chunks(refs, MEMBERS_AT_ONCE), TRANSACTIONS_AT_ONCE, (some) =>
      clearSome(others, relation, owner, some, more),
    );
    cleared += items.length;
  }
  return false;
}

function clearSome<Ref>(
  table: Table,
  relation: Relation<Ref, unknown>,
  owner: Owner,
  refs: readonly Ref[],
  keeping: NonNullable<Clearing["keeping"]>,
): Promise<void> {
  return whileStale(async (attempts) => {
    const { steps, removed } =
      attempts === 0
        ? { steps: refs.flatMap((ref) => removingMember(relation, owner, ref)), removed: refs }
        : await left(attempts);
    const kept = removed.map((ref) => relation.pairKey(owner, ref).SK);
    if (steps.length > 0) await table.write(...steps, ...keeping(kept));
  });

  /** Others may remove the same members, or delete them. */
  async function left(
    attempts: number,
  ): Promise<{ readonly steps: readonly Step[]; readonly removed: readonly Ref[] }> {
    const [members, current] = await Promise.all([
      membersAmong(table, relation, owner, refs),
      relation.current(table, owner.tenant, refs, attempts),
    ]);
    const steps = refs.flatMap((ref, at) => {
      if (!members.has(ref)) return [];
      return current[at] === undefined ? [removingPair(relation, owner, ref)] : removingMember(relation, owner, ref);
    });
    return { steps, removed: refs.filter((ref) => members.has(ref)) };
  }
}
