/** Cursors of the list of deleted resources: the entry after which a page begins. */
import { Fault } from "../../kernel/faults.ts";

const ENTRY = /^\d{15}#.{1,255}$/s;

/** The cursor of an entry. */
export function cursorOf(entry: string): string {
  return Buffer.from(entry, "utf8").toString("base64url");
}

/** The entry of a cursor. Throws `deleted.cursor_invalid`. */
export function cursorFrom(cursor: string): string {
  const entry = Buffer.from(cursor, "base64url").toString("utf8");
  if (ENTRY.test(entry) && entry.isWellFormed() && cursorOf(entry) === cursor) return entry;
  throw new Fault("deleted.cursor_invalid", "after: not a cursor of this list. Use the value of next.");
}
