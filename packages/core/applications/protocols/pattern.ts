/**
 * Regular expressions of callers and operators. They are RE2 patterns, which match in linear time. The engine is loaded
 * when it is first needed.
 */

/** A compiled pattern. */
export interface Pattern {
  /** Whether the whole text matches. */
  matches(text: string): boolean;
}

const PATTERN_LENGTH_MAX = 1_024;

/**
 * Compiles a pattern. `undefined` for an invalid one, or one with more than 1,024 characters. RE2 has no back
 * references and no look-around.
 */
export async function readPattern(source: string): Promise<Pattern | undefined> {
  if (source.length > PATTERN_LENGTH_MAX) return undefined;
  const { RE2JS } = await import("re2js");
  try {
    const compiled = RE2JS.compile(source);
    return { matches: (text) => compiled.matches(text) };
  } catch {
    // RE2JS throws for an invalid pattern.
    return undefined;
  }
}
