/**
 * Regular expressions that callers or operators write. They are RE2's, which match in time proportional to the text; the
 * engine is loaded when the first one is met.
 */

/** A pattern that is ready to match. */
export interface Pattern {
  /** Whether the whole text matches. */
  matches(text: string): boolean;
}

const PATTERN_LENGTH_MAX = 1_024;

/** Reads a pattern; `undefined` when it is none, is longer than 1,024 characters, or needs what RE2 has not (back references, look-around). */
export async function readPattern(source: string): Promise<Pattern | undefined> {
  if (source.length > PATTERN_LENGTH_MAX) return undefined;
  const { RE2JS } = await import("re2js");
  try {
    const compiled = RE2JS.compile(source);
    return { matches: (text) => compiled.matches(text) };
  } catch {
    // A pattern that does not compile is the answer, not a failure.
    return undefined;
  }
}
