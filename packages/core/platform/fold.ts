/** When two texts are the same text although they are written differently. */

/**
 * The form in which names are compared: Unicode NFC and lower case (our choice, decision 0004). Terms of a filter need it too.
 * Lowering can leave a letter decomposed that has a composed form (J with caron), hence the second NFC.
 */
export const foldName = (text: string): string => text.normalize("NFC").toLowerCase().normalize("NFC");
