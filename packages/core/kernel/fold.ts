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

/**
 * A name without white space at its ends: as names of users, groups and roles are stored, compared and searched
 * (decision 0151). White space is that of ECMAScript: blanks of any width, tabs, ends of lines, the byte order mark.
 */
export function trimName(name: string): string {
  return name.trim();
}

/**
 * What a term compares names with. Names have no white space at their ends (decision 0151), so it does not count there
 * in a whole name, in front of a beginning, and behind an ending. A text of white space alone stays, and is in no name.
 */
export function nameTerm(operator: string, text: string): string {
  if (operator === "co") return text;
  const term = operator === "sw" ? text.trimStart() : operator === "ew" ? text.trimEnd() : trimName(text);
  return term === "" ? text : term;
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
