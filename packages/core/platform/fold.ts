/** Case-insensitive comparison of names. */

/** The most UTF-8 bytes of a folded name: a sort key holds 1,024, and that of a range begins with a dot. */
export const NAME_BYTES_MAX = 1_023;

/**
 * The form in which names are compared: Unicode NFC and lower case (decision 0004). Terms of a filter need it too.
 * Lower case can be decomposed where a composed form exists (J with caron), hence the second NFC.
 */
export function foldName(text: string): string {
  return text.normalize("NFC").toLowerCase().normalize("NFC");
}
