/** A checksum of a group's members. A reading that does not agree with it shows half of a change. */

/** What a group's row says of its members. */
export interface Tally {
  readonly memberCount: number;
  /** A sum over the members' ids. */
  readonly memberSum: number;
}

const FNV_OFFSET = 0x811c9dc5;
const FNV_PRIME = 0x01000193;

/** The tally of some members. */
export function tallyOf(ids: readonly string[]): Tally {
  return {
    memberCount: ids.length,
    memberSum: ids.reduce((sum, id) => sum + bitsOf(id), 0),
  };
}

/** 32 bits of an id (FNV-1a over its UTF-16 units): the sum over a million of them is exact. */
function bitsOf(id: string): number {
  let bits = FNV_OFFSET;
  for (let at = 0; at < id.length; at += 1) bits = Math.imul(bits ^ id.charCodeAt(at), FNV_PRIME);
  return bits >>> 0;
}

/** A tally after a change. */
export function tallyAfter(before: Tally, added: readonly string[], removed: readonly string[]): Tally {
  const [more, less] = [tallyOf(added), tallyOf(removed)];
  return {
    memberCount: before.memberCount + more.memberCount - less.memberCount,
    memberSum: before.memberSum + more.memberSum - less.memberSum,
  };
}

/** Whether ids that were read are exactly the members that a group's row tallies. */
export function agrees({ memberCount, memberSum }: Tally, ids: readonly string[]): boolean {
  const read = tallyOf(ids);
  return read.memberCount === memberCount && read.memberSum === memberSum;
}
