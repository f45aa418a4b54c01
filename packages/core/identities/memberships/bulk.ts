/**
 * Bulk memberships (decision 0066). A bulk is cut into parts of one transaction each. The transaction that writes the
 * bulk into its owner's row commits it. From then on, whoever needs the owner's members carries out the parts that are
 * left: each part is removed in the transaction that applies it, so it is applied once, whoever does it.
 */
import { systemClock } from "../../platform/clock.ts";
import { concurrently } from "../../platform/concurrently.ts";
import { Fault } from "../../platform/faults.ts";
import { keys } from "../../table/keys.ts";
import { stale, whileStale } from "../../table/stale.ts";
import type { Key, Step, Table } from "../../table/table.ts";
import { type Bulk, bulkText, isAbandoned, newBulk, type OpenBulk, type OwnerKind } from "./bulk-model.ts";
import { BULK, listingBulk, partRow, unlistingBulk } from "./bulk-rows.ts";
import {
  addingMember,
  chunks,
  MEMBERS_AT_ONCE,
  type MemberChanges,
  membersAmong,
  type Owner,
  type Relation,
  removingMember,
  removingPair,
} from "./relation.ts";

/** Parts that are written in the transaction that commits their bulk. A larger bulk writes the others before. */
const PARTS_AT_COMMIT = 70;
const PARTS_AT_ONCE_STAGED = 90;
const TRANSACTIONS_AT_ONCE = 8;

/** What bulks need to know of groups, or of roles. */
export interface BulkKind<Ref, New> {
  readonly kind: OwnerKind;
  readonly relation: Relation<Ref, New>;
  /** The key of the owner's row. */
  ownerKey(owner: Owner): Key;
  /** The steps that take changes which turned out to be done already from what the owner's row counts; at most one. */
  correcting(owner: Owner, skipped: MemberChanges<Ref>): readonly Step[];
  /** The steps that tell containers of changed members, whose privileges they may have cached; at most one. */
  telling(tenant: string, changed: readonly Ref[]): readonly Step[];
  /** Ends the tokens whose scopes came from a membership that a bulk removed. */
  endTokens(table: Table, owner: Owner): Promise<void>;
}

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

type Part = ReturnType<typeof partRow.read>;

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
  await concurrently(parts, TRANSACTIONS_AT_ONCE, (key) => carryOutPart(table, kind, owner, key));
  // Tokens may have been issued since the commit.
  if (bulk.purpose === "removing") await kind.endTokens(table, owner);
  await table.write(
    {
      change: ownerKey,
      clear: [BULK],
      when: { equal: { [BULK]: bulkText(bulk) } },
      otherwise: () => "applied",
    },
    unlistingBulk(owner.tenant, { kind: kind.kind, ownerId: owner.id, bulk }),
  );
}

function carryOutPart<Ref, New>(table: Table, kind: BulkKind<Ref, New>, owner: Owner, key: Key): Promise<void> {
  return whileStale(async (attempts) => {
    // Neither a Query nor a batch shows all of a transaction at once.
    const item = await table.get(key);
    if (!item) return;
    const steps = await stepsOfPart(table, kind, owner, partRow.read(item), attempts);
    await table.write({ remove: key, when: "present", otherwise: () => "applied" }, ...steps);
  });
}

/** Skips what is done already or has become impossible, on the condition that it stays so. */
async function stepsOfPart<Ref, New>(
  table: Table,
  { relation, correcting, telling }: BulkKind<Ref, New>,
  owner: Owner,
  part: Part,
  attempts: number,
): Promise<readonly Step[]> {
  const [adding, removing] = [part.adding.map(relation.refAt), part.removing.map(relation.refAt)];
  const refs = [...adding, ...removing];
  const [members, current] = await Promise.all([
    membersAmong(table, relation, owner, refs),
    relation.current(table, owner.tenant, refs, attempts),
  ]);
  const skipped: { readonly adding: Ref[]; readonly removing: Ref[] } = { adding: [], removing: [] };
  const skipping = (list: Ref[], ref: Ref, check: Key, when: "absent" | "present"): Step[] => {
    list.push(ref);
    return [{ check, when, otherwise: stale }];
  };
  const steps = refs.flatMap((ref, at): Step[] => {
    const member = current[at];
    const pair = relation.pairKey(owner, ref);
    if (at >= adding.length) {
      if (!members.has(ref)) return skipping(skipped.removing, ref, pair, "absent");
      return member === undefined ? [removingPair(relation, owner, ref)] : removingMember(relation, owner, ref);
    }
    if (members.has(ref)) return skipping(skipped.adding, ref, pair, "present");
    if (member === undefined) return skipping(skipped.adding, ref, relation.memberKey(owner.tenant, ref), "absent");
    return addingMember(relation, owner, member);
  });
  const isAsPlanned = skipped.adding.length + skipped.removing.length === 0;
  return [...steps, ...(isAsPlanned ? [] : correcting(owner, skipped)), ...telling(owner.tenant, refs)];
}

/**
 * Carries out a listed bulk if it was committed; otherwise removes what is left of it once whoever began it does not
 * run any more.
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
  table: Table,
  { ownerKey }: BulkKind<Ref, New>,
  owner: Owner,
  open: OpenBulk,
): Promise<void> {
  const { bulk } = open;
  const key = ownerKey(owner);
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
  await table.write(unlistingBulk(owner.tenant, open));
}

/** For work that whoever comes next does again. Other errors are defects, and are thrown. */
export function ignoreFault(error: unknown): void {
  if (!(error instanceof Fault)) throw error;
}

function shuffled<T>(list: readonly T[]): T[] {
  return list
    .map((element) => ({ element, at: Math.random() }))
    .sort((a, b) => a.at - b.at)
    .map(({ element }) => element);
}
