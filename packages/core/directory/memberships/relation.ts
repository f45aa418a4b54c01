/**
 * Relations between owners (groups, roles) and their members (users, groups). A pair is stored twice, in one
 * transaction: as a row in the owner's partition, and as the owner's id in a set attribute of the member's row. So an
 * owner of any size gains or loses a member in one small transaction, and a member is read with its owners in one round
 * trip (decision 0014).
 */

import { stale } from "../../database/table/stale.ts";
import type { Key, RangeQuery, Step, Table, Value, When } from "../../database/table/table.ts";
import { canBeId } from "../../kernel/ids.ts";

/**
 * Members that are added or removed in one transaction: two steps each, in addition to those of the owner and its name.
 */
export const MEMBERS_AT_ONCE = 45;

/** One kind of relation. `Ref` names a member; `New` is what adding it takes. */
export interface Relation<Ref, New> {
  /** The attribute of a member's row that holds the ids of its owners. */
  readonly attribute: "groups" | "roles";
  /** The keys of the pairs of an owner. */
  pairs(owner: Owner): Required<Pick<RangeQuery, "PK" | "from" | "to">>;
  /** The member of a pair, by its sort key. */
  refAt(sortKey: string): Ref;
  refOf(member: New): Ref;
  idOf(ref: Ref): string;
  /** The key of the pair's row. */
  pairKey(owner: Owner, ref: Ref): Key;
  /** The key of the member's own row. */
  memberKey(tenant: string, ref: Ref): Key;
  /** Attributes of the pair's row, and what they depend on in the member's row. */
  copied(member: New): { readonly attributes: Readonly<Record<string, Value>>; readonly when: When };
  /**
   * Members as they are now, in order; `undefined` for deleted ones. `attempts` is the number of earlier attempts. At
   * most one round trip.
   */
  current(table: Table, tenant: string, refs: readonly Ref[], attempts: number): Promise<readonly (New | undefined)[]>;
}

/** A group or a role. */
export interface Owner {
  readonly tenant: string;
  readonly id: string;
}

/** Members to add, which are not members yet, and members to remove. */
export interface MemberChanges<Ref> {
  readonly adding: readonly Ref[];
  readonly removing: readonly Ref[];
}

/** The steps that add a member; two of a transaction. They leave the owner's row unchanged. */
export function addingMember<Ref, New>(relation: Relation<Ref, New>, owner: Owner, member: New): Step[] {
  const ref = relation.refOf(member);
  const { attributes, when } = relation.copied(member);
  return [
    { put: { ...relation.pairKey(owner, ref), ...attributes }, when: "absent", otherwise: stale },
    {
      change: relation.memberKey(owner.tenant, ref),
      add: { ver: 1, [relation.attribute]: new Set([owner.id]) },
      when,
      otherwise: stale,
    },
  ];
}

/** The steps that remove a member; two of a transaction. They leave the owner's row unchanged. */
export function removingMember<Ref>(relation: Relation<Ref, unknown>, owner: Owner, ref: Ref): Step[] {
  return [removingPair(relation, owner, ref), forgettingOwners(relation, owner.tenant, ref, [owner.id])];
}

/** The step that removes a pair's row. The caller changes the row of the member. */
export function removingPair<Ref>(relation: Relation<Ref, unknown>, owner: Owner, ref: Ref): Step {
  return { remove: relation.pairKey(owner, ref), when: "present", otherwise: stale };
}

/** The step that removes owners from a member's row. The caller removes the rows of the pairs. */
export function forgettingOwners<Ref>(
  relation: Relation<Ref, unknown>,
  tenant: string,
  ref: Ref,
  ownerIds: readonly string[],
  when: When = "present",
): Step {
  return {
    change: relation.memberKey(tenant, ref),
    add: { ver: 1 },
    take: { [relation.attribute]: new Set(ownerIds) },
    when,
    otherwise: stale,
  };
}

/** Those of some references that are members: the same objects that were given. One round trip. */
export async function membersAmong<Ref>(
  table: Table,
  relation: Relation<Ref, unknown>,
  owner: Owner,
  refs: readonly Ref[],
): Promise<ReadonlySet<Ref>> {
  const possible = refs.filter((ref) => canBeId(relation.idOf(ref)));
  const items = await table.getMany(possible.map((ref) => relation.pairKey(owner, ref)));
  return new Set(possible.filter((_, at) => items[at] !== undefined));
}

/** New members for a further attempt: as they are now, without deleted ones. No round trip for the first attempt. */
export async function stillPresent<Ref, New>(
  table: Table,
  relation: Relation<Ref, New>,
  tenant: string,
  known: readonly New[],
  attempts: number,
): Promise<readonly New[]> {
  if (attempts === 0 || known.length === 0) return known;
  const current = await relation.current(table, tenant, known.map(relation.refOf), attempts);
  return current.flatMap((member) => member ?? []);
}

/** Cuts a list into parts of one size; the last may be smaller. */
export function chunks<T>(list: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(list.length / size) }, (_, at) => list.slice(at * size, (at + 1) * size));
}
