/** How many of the changes of one record a response shows. Pure. */
import type { Change } from "./model.ts";

/**
 * Bytes of the JSON of the changes of one record. Lambda accepts responses of 6 MB, in which quotes and backslashes
 * count twice.
 */
const CHANGES_BYTES = 2_000_000;

/** The first of the changes of a record, as many as a response shows. All of them, but for records of very many. */
export function shownChanges(changes: readonly Change[]): readonly Change[] {
  return measured(changes).shown;
}

/** The bytes of the JSON of the changes that a response shows of a record. */
export function bytesOfShown(changes: readonly Change[]): number {
  return measured(changes).bytes;
}

function measured(changes: readonly Change[]): { readonly shown: readonly Change[]; readonly bytes: number } {
  let bytes = 0;
  for (const [at, change] of changes.entries()) {
    const own = Buffer.byteLength(JSON.stringify(change)) + 1;
    if (bytes + own > CHANGES_BYTES) return { shown: changes.slice(0, at), bytes };
    bytes += own;
  }
  return { shown: changes, bytes };
}
