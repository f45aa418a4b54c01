/** The keys by which names are ordered and unique. */
import { Fault } from "../../../kernel/faults.ts";
import { foldName, NAME_BYTES_MAX } from "../../../kernel/fold.ts";
import { LAST } from "../table.ts";

export { foldName, NAME_BYTES_MAX };

/** The greatest texts of 0, 1, 2 and 3 bytes. */
const greatestOf = ["", "\u007f", "\u07ff", "\uffff"] as const;

/** UTF-8 bytes of a text. */
export function bytesOf(text: string): number {
  return Buffer.byteLength(text, "utf8");
}

/**
 * The key of a name: folded, 1 to 1,023 bytes, well-formed. Two names with one key are the same name. Throws
 * `request.invalid` for any other text, and for one with the noncharacter U+10FFFF, which ends every range.
 */
export function nameKey(name: string): string {
  if (!name.isWellFormed()) throw refused("must be well-formed Unicode: it contains half of a surrogate pair");
  const key = foldName(name);
  const bytes = bytesOf(key);
  if (bytes === 0) throw refused("must not be empty");
  if (bytes > NAME_BYTES_MAX)
    throw refused(`must not be longer than ${NAME_BYTES_MAX} bytes of UTF-8; it has ${bytes}`);
  if (key.includes(LAST)) throw refused("must not contain the noncharacter U+10FFFF");
  return key;
}

function refused(why: string): Fault {
  return new Fault("request.invalid", `The name ${why}.`);
}

/** The greatest sort key that a name with this prefix can have, within the length of a sort key. */
export function prefixEnd(prefix: string): string {
  return prefix + (greatestOf[NAME_BYTES_MAX - bytesOf(prefix)] ?? LAST);
}

/** Whether a name can start with this text. A text that is cut by UTF-16 units may end in half of a character. */
export function isPrefix(text: string): boolean {
  return text.isWellFormed() && bytesOf(text) <= NAME_BYTES_MAX;
}
