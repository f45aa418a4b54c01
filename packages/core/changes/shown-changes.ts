/** How many of the changes of one record a response shows. Pure. */
import type { Change } from "./model.ts";

/**
 * Bytes of the JSON of the changes of one record. Lambda accepts responses of 6 MB, in which quotes and backslashes
 * count twice.
 */
const CHANGES_BYTES = 2_000_000;

/** The first of the changes of a record, as many as a response shows. All of them, but for records of very many. */
export function shownChanges(changes: readonly Change[]): readonly Change[] {
  let bytes = 0;
  const end = changes.findIndex((change) => {
    bytes += Buffer.byteLength(JSON.stringify(change)) + 1;
    return bytes > CHANGES_BYTES;
  });
  return end === -1 ? changes : changes.slice(0, end);
}
