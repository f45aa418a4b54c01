/**
 * Carries out one part of a bulk membership: one transaction, which also removes the part (decision 0066). A part must
 * not fail for ever, because reads wait for it: a member whose row cannot be changed is left out.
 */
import { isOfRow } from "../../database/table/failures.ts";
import { stale, whileStale } from "../../database/table/stale.ts";
import type { Key, Step, Table } from "../../database/table/table.ts";
import type { OwnerKind } from "./bulk-model.ts";
import { type Part, partRow } from "./bulk-rows.ts";
import {
  addingMember,
  type MemberChanges,
  membersAmong,
  type Owner,
  type Relation,
  removingMember,
  removingPair,
} from "./relation.ts";

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

/** Carries out a part, unless that is done. */
export async function carryOutPart<Ref, New>(
  table: Table,
  kind: BulkKind<Ref, New>,
  owner: Owner,
  key: Key,
): Promise<void> {
  try {
    await carryOutWithout(table, kind, owner, key, new Set());
  } catch (error) {
    if (!isOfRow(error)) throw error;
    await carryOutWithout(table, kind, owner, key, await carryOutEach(table, kind, owner, key));
  }
}

function carryOutWithout<Ref, New>(
  table: Table,
  kind: BulkKind<Ref, New>,
  owner: Owner,
  key: Key,
  refused: ReadonlySet<string>,
): Promise<void> {
  return whileStale(async (attempts) => {
    // Neither a Query nor a batch shows all of a transaction at once.
    const item = await table.get(key);
    if (!item) return;
    const { adding, removing } = partRow.read(item);
    const isPossible = (sortKey: string) => !refused.has(sortKey);
    const part = { adding: adding.filter(isPossible), removing: removing.filter(isPossible) };
    const { steps, skipped } = await stepsOfPart(table, kind, owner, part, attempts);
    const refs = (list: readonly string[]) => list.filter((one) => refused.has(one)).map(kind.relation.refAt);
    const undone = {
      adding: [...skipped.adding, ...refs(adding)],
      removing: [...skipped.removing, ...refs(removing)],
    };
    const isAsPlanned = undone.adding.length + undone.removing.length === 0;
    await table.write(
      { remove: key, when: "present", otherwise: () => "applied" },
      ...steps,
      ...(isAsPlanned ? [] : kind.correcting(owner, undone)),
    );
  });
}

/** Carries out the members of a part one by one, and leaves the part. Returns those for which that is impossible. */
async function carryOutEach<Ref, New>(
  table: Table,
  kind: BulkKind<Ref, New>,
  owner: Owner,
  key: Key,
): Promise<ReadonlySet<string>> {
  const refused = new Set<string>();
  const item = await table.get(key);
  const { adding, removing } = item ? partRow.read(item) : { adding: [], removing: [] };
  const singles: readonly Part[] = [
    ...adding.map((one) => ({ adding: [one], removing: [] })),
    ...removing.map((one) => ({ adding: [], removing: [one] })),
  ];
  for (const single of singles) {
    try {
      await carryOutSingle(table, kind, owner, key, single);
    } catch (error) {
      if (!isOfRow(error)) throw error;
      for (const one of [...single.adding, ...single.removing]) refused.add(one);
    }
  }
  return refused;
}

/** The part will skip what is done here, and take it out of what the owner counts: it is counted once more. */
function carryOutSingle<Ref, New>(
  table: Table,
  kind: BulkKind<Ref, New>,
  owner: Owner,
  key: Key,
  single: Part,
): Promise<void> {
  return whileStale(async (attempts) => {
    const { steps, skipped } = await stepsOfPart(table, kind, owner, single, attempts);
    if (skipped.adding.length + skipped.removing.length > 0) return;
    const { refAt } = kind.relation;
    const again = { adding: single.removing.map(refAt), removing: single.adding.map(refAt) };
    await table.write(
      { check: key, when: "present", otherwise: () => "applied" },
      ...steps,
      ...kind.correcting(owner, again),
    );
  });
}

/** Skips what is done already or has become impossible, on the condition that it stays so. */
async function stepsOfPart<Ref, New>(
  table: Table,
  { relation, telling }: BulkKind<Ref, New>,
  owner: Owner,
  part: Part,
  attempts: number,
): Promise<{ readonly steps: readonly Step[]; readonly skipped: MemberChanges<Ref> }> {
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
  return { steps: [...steps, ...telling(owner.tenant, refs)], skipped };
}
