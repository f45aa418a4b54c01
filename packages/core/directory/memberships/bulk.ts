/**
 * Bulk memberships (decision 0066). A bulk is cut into parts of one transaction each. The transaction that writes the
 * bulk into its owner's row commits it. From then on, a request that needs the owner's members carries out the parts
 * that are left. Each part is removed in the transaction that applies it, so it is applied once.
 */

import { keys } from "../../database/table/keys.ts";
import { stale, whileStale } from "../../database/table/stale.ts";
import type { Step, Table } from "../../database/table/table.ts";
import { leftToOthers } from "../../database/table/timing.ts";
import { systemClock } from "../../kernel/clock.ts";
import { concurrently } from "../../kernel/concurrently.ts";
import { Fault } from "../../kernel/faults.ts";
import { type Bulk, bulkText, isAbandoned, newBulk, type OpenBulk } from "./bulk-model.ts";
import { type BulkKind, carryOutPart } from "./bulk-part.ts";
import { BULK, listingBulk, type Part, partRow, unlistingBulk } from "./bulk-rows.ts";
import { chunks, MEMBERS_AT_ONCE, type MemberChanges, type Owner } from "./relation.ts";

/** Parts that are written in the transaction that commits their bulk. A larger bulk writes the others before. */
const PARTS_AT_COMMIT = 70;
const PARTS_AT_ONCE_STAGED = 90;
const TRANSACTIONS_AT_ONCE = 8;

/** A bulk that can be committed. */
export interface PreparedBulk {
  readonly bulk: Bulk;
  /** Belong in the transaction that writes the bulk into its owner's row; at most 71. */
  readonly steps: readonly Step[];
  /** To be listed in that transaction; absent where it is listed already. */
  readonly toList: OpenBulk | undefined;
  /** Removes what was written for a bulk that could not be committed. */
  withdraw(): Promise<void>;
}

/** The owner has a bulk, which must be carried out first. */
class BulkMet extends Error {
  readonly bulk: Bulk;
  constructor(bulk: Bulk) {
    super("the owner has a bulk that is not finished");
    this.bulk = bulk;
  }
}

/** Whether so many changes need a bulk. */
export function isBulk({ adding, removing }: MemberChanges<unknown>): boolean {
  return adding.length + removing.length > MEMBERS_AT_ONCE;
}

/** Writes what a commit has no room for: nothing up to some 3,000 members. */
export async function prepareBulk<Ref, New>(
  table: Table,
  kind: BulkKind<Ref, New>,
  owner: Owner,
  changes: MemberChanges<Ref>,
): Promise<PreparedBulk> {
  const parts = partsOf(kind, owner, changes);
  const bulk = newBulk(changes.removing.length > 0 ? "removing" : "adding", systemClock.now(), parts.length);
  const open: OpenBulk = { kind: kind.kind, ownerId: owner.id, bulk };
  const ownerKey = kind.ownerKey(owner);
  const putting = (part: Part, at: number): Step => ({
    put: { ...keys.bulkPart(ownerKey, bulk.id, at), ...partRow.write(part) },
    when: "absent",
    otherwise: stale,
  });
  const steps = parts.map(putting);
  const [before, atCommit] = [steps.slice(0, -PARTS_AT_COMMIT), steps.slice(-PARTS_AT_COMMIT)];
  if (before.length === 0) return { bulk, steps: atCommit, toList: open, withdraw: async () => undefined };
  const stage = keys.bulkStage(ownerKey, bulk.id);
  const withdraw = () => withdrawBulk(table, kind, owner, open).catch(ignoreFault);
  try {
    await table.write({ put: { ...stage }, when: "absent", otherwise: stale }, listingBulk(owner.tenant, open));
    for (const some of chunks(before, PARTS_AT_ONCE_STAGED)) {
      await table.write({ check: stage, when: "present", otherwise: stale }, ...some);
    }
  } catch (error) {
    await withdraw();
    throw error;
  }
  return {
    bulk,
    steps: [{ remove: stage, when: "present", otherwise: stale }, ...atCommit],
    toList: undefined,
    withdraw,
  };
}

function partsOf<Ref>(
  { relation }: BulkKind<Ref, unknown>,
  owner: Owner,
  { adding, removing }: MemberChanges<Ref>,
): readonly Part[] {
  const sortKey = (ref: Ref) => relation.pairKey(owner, ref).SK;
  const isAdded = new Set(adding);
  return chunks([...removing, ...adding], MEMBERS_AT_ONCE).map((some) => ({
    adding: some.filter((ref) => isAdded.has(ref)).map(sortKey),
    removing: some.filter((ref) => !isAdded.has(ref)).map(sortKey),
  }));
}

/** Commits a prepared bulk. Withdraws it where `commit` throws. */
export async function committing(prepared: PreparedBulk, commit: () => Promise<void>): Promise<void> {
  try {
    await commit();
  } catch (error) {
    await prepared.withdraw();
    throw error;
  }
}

/** Throws where an owner has a bulk; `afterBulks` then carries it out and repeats the attempt. */
export function checkNoBulk({ bulk }: { readonly bulk?: Bulk | undefined }): void {
  if (bulk) throw new BulkMet(bulk);
}

/** Repeats an attempt while it is stale, as `whileStale` does, and after each bulk that it meets. */
export async function afterBulks<R, Ref, New>(
  table: Table,
  kind: BulkKind<Ref, New>,
  owner: Owner,
  attempt: (before: number) => Promise<R>,
): Promise<R> {
  for (;;) {
    try {
      return await whileStale(attempt);
    } catch (error) {
      if (!(error instanceof BulkMet)) throw error;
      await carryOut(table, kind, owner, error.bulk);
    }
  }
}

/** Carries out what is left of a bulk that is committed. Several may do it at the same time. */
export async function carryOut<Ref, New>(
  table: Table,
  kind: BulkKind<Ref, New>,
  owner: Owner,
  bulk: Bulk,
): Promise<void> {
  const ownerKey = kind.ownerKey(owner);
  // In an order of its own, so that two who carry it out seldom meet at the same part.
  const parts = shuffled(Array.from({ length: bulk.parts }, (_, at) => keys.bulkPart(ownerKey, bulk.id, at)));
  const ofParts = leftToOthers(table);
  await concurrently(parts, TRANSACTIONS_AT_ONCE, (key) => carryOutPart(ofParts, kind, owner, key));
  // Tokens may have been issued since the commit.
  if (bulk.purpose === "removing") await kind.endTokens(leftToOthers(table), owner);
  await leftToOthers(table).write(
    {
      change: ownerKey,
      clear: [BULK],
      when: { equal: { [BULK]: bulkText(bulk) } },
      otherwise: () => "applied",
    },
    unlistingBulk(owner.tenant, { kind: kind.kind, ownerId: owner.id, bulk }),
  );
}

/**
 * Carries out a listed bulk if it was committed; otherwise removes what is left of it once the request that began it
 * has ended.
 */
export async function settleBulk<Ref, New>(
  table: Table,
  kind: BulkKind<Ref, New>,
  tenant: string,
  open: OpenBulk,
): Promise<void> {
  const owner: Owner = { tenant, id: open.ownerId };
  const ownerKey = kind.ownerKey(owner);
  const [item, stage] = await table.snapshot([ownerKey, keys.bulkStage(ownerKey, open.bulk.id)]);
  if (item?.[BULK] === bulkText(open.bulk)) return carryOut(table, kind, owner, open.bulk);
  if (stage && !isAbandoned(open.bulk, systemClock.now())) return;
  await withdrawBulk(table, kind, owner, open).catch(ignoreFault);
}

/** Removes all that was written for a bulk that is not committed. Throws `stale` for one that is. */
async function withdrawBulk<Ref, New>(
  given: Table,
  { ownerKey }: BulkKind<Ref, New>,
  owner: Owner,
  open: OpenBulk,
): Promise<void> {
  const { bulk } = open;
  const key = ownerKey(owner);
  const table = leftToOthers(given);
  const isCommitted = await whileStale(async () => {
    const [item, stage] = await table.snapshot([key, keys.bulkStage(key, bulk.id)]);
    if (item?.[BULK] === bulkText(bulk)) return true;
    // From here on it cannot be committed any more.
    if (stage) await table.write({ remove: keys.bulkStage(key, bulk.id), when: "present", otherwise: stale });
    return false;
  });
  if (isCommitted) return;
  const parts = Array.from({ length: bulk.parts }, (_, at) => keys.bulkPart(key, bulk.id, at));
  for (const some of chunks(parts, PARTS_AT_ONCE_STAGED)) {
    await table.write(...some.map((part): Step => ({ remove: part, when: "any", otherwise: stale })));
  }
  await leftToOthers(given).write(unlistingBulk(owner.tenant, open));
}

/** For work that the next request repeats. Other errors are defects, and are thrown: the request caused them. */
export function ignoreFault(error: unknown): void {
  if (!(error instanceof Fault)) throw error;
}

/** For a request that met work of others: it must not fail because of a row that it does not need. */
export function ignoreError(): void {}

function shuffled<T>(list: readonly T[]): T[] {
  return list
    .map((element) => ({ element, at: Math.random() }))
    .sort((a, b) => a.at - b.at)
    .map(({ element }) => element);
}
