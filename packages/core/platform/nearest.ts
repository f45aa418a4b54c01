/** Finds the known word that a misspelt word probably means. */

/** The edit distance up to which a word counts as misspelt. */
const DISTANCE_MAX = 3;

/**
 * The known word within a small edit distance, else one that contains the given word or is part of it, else
 * `undefined`.
 */
export function nearest(given: string, known: readonly string[]): string | undefined {
  const word = folded(given.slice(0, 100));
  if (word === "") return undefined;
  const [best] = known
    // A distance is at least the difference of the lengths.
    .filter((candidate) => Math.abs(folded(candidate).length - word.length) <= DISTANCE_MAX)
    .map((candidate) => ({ candidate, distance: distance(word, folded(candidate)) }))
    .sort((a, b) => a.distance - b.distance);
  if (best && best.distance <= Math.min(DISTANCE_MAX, word.length / 2)) return best.candidate;
  return known.find((candidate) => contains(folded(candidate), word) || contains(word, folded(candidate)));
}

/** A part of one or two letters is in many words. */
function contains(word: string, part: string): boolean {
  return part.length > 2 && word.includes(part);
}

function folded(word: string): string {
  return word.toLowerCase().replaceAll(/[^a-z0-9]/g, "");
}

/** The Levenshtein distance: insertions, deletions and replacements of single characters. */
export function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (const [i, character] of [...a].entries()) {
    const next = [i + 1];
    for (const [j, other] of [...b].entries()) {
      const replaced = (row[j] ?? 0) + (character === other ? 0 : 1);
      next.push(Math.min(replaced, (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}
