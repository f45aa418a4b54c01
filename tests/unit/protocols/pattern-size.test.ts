/** The size of a pattern is known before it is compiled: RE2 writes repeats out, a thousand times and more. */
import fc from "fast-check";
import { RE2JS } from "re2js";
import { describe, expect, test } from "vitest";
import { readPattern } from "#core/applications/protocols/pattern.ts";
import { expandedSize } from "#core/applications/protocols/pattern-size.ts";

/** The instructions at the beginning and the end of every program. */
const FRAME = 4;

/** The instructions of a compiled pattern; `undefined` for an invalid one. */
const programSize = (pattern: string): number | undefined => {
  try {
    return RE2JS.compile(pattern).programSize();
  } catch {
    // RE2JS throws for an invalid pattern.
    return undefined;
  }
};

const atom = fc.constantFrom(
  ...["a", ".", "\\d", "\\pL", "\\p{Greek}", "\\x{10FFFF}", "\\Qa{9}\\E", "[a-z]", "[]a]", "[^]\\]]", "[[:alpha:]]"],
  ...["[\\pL\\d]", "^", "$", "\\b", "\\{", "{", "}", "{,3}", "-", "é", "\u{1F600}", "(?i)", "(?s-i)", "\\Q\\E", "(?:)"],
);
const repeat = fc.oneof(
  fc.constantFrom("", "*", "+", "?", "*?", "{2}?", "{0}", "{3,}", "{0,4}"),
  fc.tuple(fc.nat(12), fc.nat(12)).map(([least, more]) => `{${least},${least + more}}`),
);
const { pattern } = fc.letrec<{ pattern: string; part: string; group: string }>((tie) => ({
  pattern: fc.array(tie("part"), { maxLength: 4 }).map((parts) => parts.join("")),
  part: fc.tuple(fc.oneof({ depthSize: "medium" }, atom, tie("group")), repeat).map((both) => both.join("")),
  group: fc
    .tuple(fc.constantFrom("(", "(?:", "(?P<n>", "(?i:"), tie("pattern"), fc.constantFrom("", "|", "|b"))
    .map(([open, inside, end]) => `${open}${inside}${end})`),
}));

describe("the size of a pattern with its repeats written out", () => {
  test("is never below that of the compiled program", () => {
    let compiled = 0;
    fc.assert(
      fc.property(pattern, (source) => {
        const size = programSize(source);
        if (size === undefined) return;
        compiled += 1;
        expect(expandedSize(source) + FRAME).toBeGreaterThanOrEqual(size);
      }),
      { numRuns: 3_000, examples: [["^*^*^*^*^*"], ["\\b*(?s-i){0,30}"], ["\\b{0,}(?s){0,30}"], ["()*(?s){0,30}"]] },
    );
    expect(compiled).toBeGreaterThan(500);
  });
  test("of any text is a number, which grows with the text at most where it has no repeats", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom(..."()[]{}\\pPQEx?*+|,19a:^-".split("")), maxLength: 60 }),
        (text) => {
          expect(expandedSize(text)).toBeGreaterThanOrEqual(0);
          if (!text.includes("{")) expect(expandedSize(text)).toBeLessThanOrEqual(40 * text.length);
        },
      ),
    );
  });
  test.each([
    ["(a{1000}){1000}"],
    ["(((a?){10}){10}){10}"],
    ["\\pL{1000}".repeat(100)],
    ["(?:a{0,1000}|b{0,1000})"],
    ["a".repeat(1_025)],
    ["\\pL".repeat(300)],
  ])("%s is not compiled", async (source) => {
    expect(await readPattern(source)).toBeUndefined();
  });
  test.each([
    ["https://(a|b)\\.example/callback", "https://b.example/callback"],
    ["https://[a-z0-9-]{1,63}\\.example(:[0-9]{1,5})?/.*", "https://one.example:8080/cb"],
    ["[a-z]{1,1000}", "a".repeat(1_000)],
    ["a".repeat(1_024), "a".repeat(1_024)],
  ])("%s matches as before", async (source, text) => {
    expect((await readPattern(source))?.matches(text)).toBe(true);
    expect(programSize(source)).toBeLessThan(2_048 + FRAME);
  });
});
