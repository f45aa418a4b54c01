/**
 * Removes the members of a deleted owner (decision 0066). The transaction that deletes the owner lists this work, so
 * that the next request continues it. Until then the memberships have no effect, because ids are never used again.
 */
import { systemClock } from "../../platform/clock.ts";
import { concurrently } from "../../platform/concurrently.ts";
import { whileStale } from "../../table/stale.ts";
import type { Step, Table } from "../../table/table.ts";
import { leftToOthers } from "../../table/timing.ts";
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

/**
 * Removes the members of a deleted owner, and stops after some `most` of them. Returns whether none is left. One round
 * trip where there is none.
 */
export async function clearMembers<Ref>(
  table: Table,
  relation: Relation<Ref, unknown>,
  owner: Owner,
  most = Number.POSITIVE_INFINITY,
): Promise<boolean> {
  const range = { ...relation.pairs(owner), limit: MEMBERS_AT_ONCE * TRANSACTIONS_AT_ONCE };
  const others = leftToOthers(table);
  for (let cleared = 0; cleared < most; ) {
    const { items } = await table.query(range);
    if (items.length === 0) return true;
    const refs = items.map(({ SK }) => relation.refAt(SK));
    await concurrently(chunks(refs, MEMBERS_AT_ONCE), TRANSACTIONS_AT_ONCE, (some) =>
      clearSome(others, relation, owner, some),
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
): Promise<void> {
  return whileStale(async (attempts) => {
    const steps = attempts === 0 ? refs.flatMap((ref) => removingMember(relation, owner, ref)) : await left(attempts);
    if (steps.length > 0) await table.write(...steps);
  });

  /** Others may remove the same members, or delete them. */
  async function left(attempts: number): Promise<readonly Step[]> {
    const [members, current] = await Promise.all([
      membersAmong(table, relation, owner, refs),
      relation.current(table, owner.tenant, refs, attempts),
    ]);
    return refs.flatMap((ref, at) => {
      if (!members.has(ref)) return [];
      return current[at] === undefined ? [removingPair(relation, owner, ref)] : removingMember(relation, owner, ref);
    });
  }
}
