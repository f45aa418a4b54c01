/** When two texts are the same text although they are written differently. */

/** The most UTF-8 bytes of a folded name: a sort key holds 1,024, and that of a range spends one on its dot. */
export const NAME_BYTES_MAX = 1_023;

/**
 * The form in which names are compared: Unicode NFC and lower case (our choice, decision 0004). Terms of a filter need it too.
 * Lowering can leave a letter decomposed that has a composed form (J with caron), hence the second NFC.
 */
export function foldName(text: string): string {
  return text.normalize("NFC").toLowerCase().normalize("NFC");
}
