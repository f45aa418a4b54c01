/** Finds the known word that a misspelt word probably means. */

/** The edit distance up to which a word counts as misspelt. */
const DISTANCE_MAX = 3;

/** A word as it is compared. */
interface Form {
  readonly text: string;
  /** A bit for each of its characters; some share one. */
  readonly letters: number;
}

/** The forms of lists of known words, which callers keep: a body may have thousands of misspelt words. */
const formsOf = new WeakMap<readonly string[], readonly Form[]>();

/**
 * The known word within a small edit distance, else one that contains the given word or is part of it, else
 * `undefined`. Fast for a list that stays the same array.
 */
export function nearest(given: string, known: readonly string[]): string | undefined {
  const word = formOf(given.slice(0, 100));
  if (word.text === "") return undefined;
  const forms = formsOf.get(known) ?? known.map(formOf);
  formsOf.set(known, forms);
  let least = Math.min(DISTANCE_MAX, Math.floor(word.text.length / 2)) + 1;
  let best: string | undefined;
  for (const [at, form] of forms.entries()) {
    if (distanceMin(word, form) >= least) continue;
    const far = distance(word.text, form.text, least);
    if (far < least) [least, best] = [far, known[at]];
  }
  return best ?? known[forms.findIndex(({ text }) => contains(text, word.text) || contains(word.text, text))];
}

/** What the lengths and the characters say: each character that the other word lacks is a change. */
function distanceMin(a: Form, b: Form): number {
  const lengths = Math.abs(a.text.length - b.text.length);
  return Math.max(lengths, bitsIn(a.letters & ~b.letters), bitsIn(b.letters & ~a.letters));
}

function bitsIn(mask: number): number {
  let count = 0;
  for (let rest = mask; rest !== 0; rest &= rest - 1) count += 1;
  return count;
}

function formOf(word: string): Form {
  const text = word.toLowerCase().replaceAll(/[^a-z0-9]/g, "");
  let letters = 0;
  for (let at = 0; at < text.length; at += 1) letters |= 1 << (text.charCodeAt(at) % 32);
  return { text, letters };
}

/** A part of one or two letters is in many words. */
function contains(word: string, part: string): boolean {
  return part.length > 2 && word.includes(part);
}

/**
 * The Levenshtein distance: insertions, deletions and replacements of single UTF-16 units. At least `most` where it is
 * not smaller.
 */
export function distance(a: string, b: string, most = Number.POSITIVE_INFINITY): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 0; i < a.length; i += 1) {
    const next = [i + 1];
    let smallest = i + 1;
    for (let j = 0; j < b.length; j += 1) {
      const replaced = (row[j] ?? 0) + (a.charCodeAt(i) === b.charCodeAt(j) ? 0 : 1);
      const here = Math.min(replaced, (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1);
      smallest = Math.min(smallest, here);
      next.push(here);
    }
    if (smallest >= most) return smallest;
    row = next;
  }
  return row[b.length] ?? 0;
}
