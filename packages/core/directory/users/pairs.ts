/**
 * The pairs of users in indexes (decision 0095): what an index should hold of a user, what it holds, and what a change
 * of the user changes there. Pure.
 */

import type { Pair, PairChange } from "../../database/table/value-index/model.ts";
import { indexedFacet, indexedName, indexedText } from "../../database/table/value-index/pair.ts";
import { type IndexedAttribute, type IndexedValue, indexedAttribute, valuesOf } from "../../scim/protocol/indexed.ts";
import type { User } from "./model.ts";

/** Its index has the order of names, so that it holds whole ones. */
const NAME = "userName";

const known = new Map<string, IndexedAttribute | undefined>();

/** The attribute with a name; `undefined` for one that a row names and this release does not index. */
export function attributeOf(name: string): IndexedAttribute | undefined {
  if (!known.has(name)) known.set(name, indexedAttribute(name));
  return known.get(name);
}

/** What an index should hold of a user: its values, or the marker of a user who lacks the attribute. */
export function pairsOf(attribute: IndexedAttribute, user: User): readonly Pair[] {
  const { id, active, profile, userName } = user;
  const times = attribute.kind === "time" && { meta: timesOf(user) };
  const pairs = new Map<string, Pair>();
  for (const { value, facet } of valuesOf(attribute, { ...profile, userName, active, ...times })) {
    const text = attribute.name === NAME ? indexedName(value) : indexedText(value);
    const pair = { value: text, facet: indexedFacet(facet), id };
    // Two long values may have one beginning.
    pairs.set(JSON.stringify([pair.value, pair.facet]), pair);
  }
  return pairs.size > 0 ? [...pairs.values()] : [{ value: "", facet: "", id }];
}

/** As lists show and filter them. */
function timesOf({ createdMs, modifiedMs }: User) {
  return { created: new Date(createdMs).toISOString(), lastModified: new Date(modifiedMs).toISOString() };
}

/** What an index holds of a user, by the row of the user. */
export function heldPairs(attribute: IndexedAttribute, user: User): readonly Pair[] {
  const held = user.unsettled?.[attribute.name];
  if (held) return held.map(({ value, facet }) => ({ value, facet, id: user.id }));
  return user.indexed.includes(attribute.name) ? pairsOf(attribute, user) : [];
}

/** Pairs as the row of a user notes them. */
export function notedPairs(pairs: readonly Pair[]): readonly IndexedValue[] {
  return pairs.map(({ value, facet }) => ({ value, facet }));
}

/** From what an index holds of a user to what it should hold; `undefined` where that is the same. */
export function pairChange(held: readonly Pair[], wanted: readonly Pair[]): PairChange | undefined {
  const added = without(wanted, held);
  const removed = without(held, wanted);
  if (added.length + removed.length === 0) return undefined;
  const several = Number(wanted.length > 1) - Number(held.length > 1);
  return { added, removed, several: several > 0 ? 1 : several < 0 ? -1 : 0 };
}

/** How a change of the pairs of a user comes about. */
type Cause = "write" | "settling" | "removal";

/** The last digit of an order, for changes of one version. */
const causes: Readonly<Record<Cause, number>> = { write: 0, settling: 1, removal: 2 };
const CAUSES = 3;

/**
 * The place of a change of pairs among those of the user: whatever clocks say, the time of the last change of a user
 * grows with each.
 */
export function orderOf({ modifiedMs }: User, cause: Cause): number {
  return Math.floor(modifiedMs) * CAUSES + causes[cause];
}

function without(pairs: readonly Pair[], others: readonly Pair[]): readonly Pair[] {
  return pairs.filter(({ value, facet }) => !others.some((other) => other.value === value && other.facet === facet));
}
