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

/** A sigma that ends a word if letters precede the text, and one that ends a word unless letters follow the text. */
const FIRST_SIGMA = /^\p{Case_Ignorable}*[Σσς](?!\p{Case_Ignorable}*\p{Cased})/u;
const LAST_SIGMA = /[Σσς](?<=\p{Cased}\p{Case_Ignorable}*[Σσς])(?=\p{Case_Ignorable}*$)/u;

/**
 * The texts whose folded forms a part of a name can have inside the folded name. Lower case of Σ is the only one that
 * depends on the letters around it: ς at the end of a word, σ elsewhere. So where letters can precede or follow the
 * part, a sigma next to them may be either, and only there: names are stored as they were folded whole.
 */
export function sigmaForms(
  part: string,
  open: { readonly before: boolean; readonly after: boolean },
): readonly string[] {
  const either = (text: string, sigma: RegExp): readonly string[] =>
    sigma.test(text) ? ["σ", "ς"].map((form) => text.replace(sigma, (found) => found.slice(0, -1) + form)) : [text];
  const forms = open.before ? either(part, FIRST_SIGMA) : [part];
  return open.after ? forms.flatMap((form) => either(form, LAST_SIGMA)) : forms;
}
