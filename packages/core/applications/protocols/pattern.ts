/**
 * Regular expressions of callers and operators. They are RE2 patterns, which match in linear time. The engine writes
 * repeats out, so that a short pattern can become a program that is a thousand times as long: its size is bounded
 * before the pattern is compiled (decision 0064). The engine is loaded when it is first needed.
 */
import { exampleOf, type Reach } from "./pattern-example.ts";
import { expandedSize } from "./pattern-size.ts";

/** A compiled pattern. */
export interface Pattern {
  /** Whether the whole text matches. */
  matches(text: string): boolean;
  /** An address that it matches; `undefined` where it can match none, and "" where none was found in bounded work. */
  example(reach: Reach): string | undefined;
}

const LENGTH_MAX = 1_024;
/** `[a-z]{1,1000}` fits. */
const EXPANDED_MAX = 2_048;

/**
 * Compiles a pattern. `undefined` for an invalid one, and for one with more than 1,024 characters, or more than 2,048
 * with its repeats written out. RE2 has no back references and no look-around.
 */
export async function readPattern(source: string): Promise<Pattern | undefined> {
  if (source.length > LENGTH_MAX || expandedSize(source) > EXPANDED_MAX) return undefined;
  const { RE2JS } = await import("re2js");
  try {
    const compiled = RE2JS.compile(source);
    return {
      matches: (text) => compiled.matches(text),
      example: (reach) => exampleOf(compiled.re2().prog, reach),
    };
  } catch {
    // RE2JS throws for an invalid pattern.
    return undefined;
  }
}
