/** The order of texts in the database and in every list. */

/**
 * Compares by code points, which is also the order of UTF-8 bytes. JavaScript's `<` compares UTF-16 units and differs
 * for emoji. Both texts must be well-formed. Allocates nothing, because searches sort many names.
 */
export function compareText(a: string, b: string): number {
  const shorter = Math.min(a.length, b.length);
  for (let at = 0; at < shorter; at += 1) {
    const x = a.charCodeAt(at);
    const y = b.charCodeAt(at);
    // Surrogates encode code points above every other unit.
    if (x !== y) return isSurrogate(x) === isSurrogate(y) ? x - y : isSurrogate(x) ? 1 : -1;
  }
  return a.length - b.length;
}

function isSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdfff;
}
