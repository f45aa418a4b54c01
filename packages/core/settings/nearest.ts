/** What somebody may have meant by a misspelt word. */

/** Single-character changes between two words that still count as a slip. */
const SLIPS_MAX = 3;

/** The known word that a given one is a slip away from, or that is part of it or the other way round; else `undefined`. */
export function nearest(given: string, known: readonly string[]): string | undefined {
  const word = folded(given.slice(0, 100));
  if (word === "") return undefined;
  const ranked = known
    .map((candidate) => ({ candidate, slips: distance(word, folded(candidate)) }))
    .sort((a, b) => a.slips - b.slips);
  const [best] = ranked;
  if (best && best.slips <= Math.min(SLIPS_MAX, word.length / 2)) return best.candidate;
  return known.find((candidate) => folded(candidate).includes(word) || word.includes(folded(candidate)));
}

function folded(word: string): string {
  return word.toLowerCase().replaceAll(/[^a-z0-9]/g, "");
}

/** The number of characters to insert, delete or replace to make one word of the other (Levenshtein). */
function distance(a: string, b: string): number {
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
