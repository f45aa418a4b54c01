/** The parser of filters and paths (C row ids: docs/scim-conformance.md). */
import fc from "fast-check";
import { afterEach, describe, expect, test, vi } from "vitest";
import { Fault } from "#core/kernel/faults.ts";
import { parseFilter, parsePath } from "#core/scim/protocol/filter/parse.ts";
import { type FilterSyntax, operators, type PathSyntax } from "#core/scim/protocol/filter/syntax.ts";
import { ENTERPRISE, faultOf, sentenceOf } from "./support.ts";

/** A filter as normalised text without positions, which is easy to compare. */
const printPath = ({ name, within, sub }: PathSyntax): string =>
  `${name}${within ? `[${print(within)}]` : ""}${sub === undefined ? "" : `.${sub}`}`;
const print = (filter: FilterSyntax): string => {
  switch (filter.kind) {
    case "and":
    case "or":
      return filter.parts
        .map((part) => (part.kind === "and" || part.kind === "or" ? `(${print(part)})` : print(part)))
        .join(` ${filter.kind} `);
    case "not":
      return `not (${print(filter.part)})`;
    case "present":
      return `${printPath(filter.path)} pr`;
    case "element":
      return printPath(filter.path);
    default: {
      const { path, operator, literal } = filter;
      return `${printPath(path)} ${operator} ${literal.quoted ? JSON.stringify(literal.text) : literal.text}`;
    }
  }
};

describe("parses", () => {
  test.each([
    ["C070 eq", 'userName eq "kim"', 'userName eq "kim"'],
    ["C075 pr", "title pr", "title pr"],
    ["C080 and", 'a eq "1" and b eq "2" and c pr', 'a eq "1" and b eq "2" and c pr'],
    ["C083 parentheses", "a pr and (b pr or c pr)", "a pr and (b pr or c pr)"],
    ["C083 parentheses that change nothing", "((a pr))", "a pr"],
    ["C084 and before or", "a pr or b pr and c pr or d pr", "a pr or (b pr and c pr) or d pr"],
    ["C084 not before and", "not (a pr) and b pr", "not (a pr) and b pr"],
    ["C082 not without a blank", "not(a pr)", "not (a pr)"],
    ["C082 not not", "not (not (a pr))", "not (not (a pr))"],
    ["C085 value path", 'emails[type eq "work" and value co "x"]', 'emails[type eq "work" and value co "x"]'],
    ["C085 parentheses in brackets", "emails[(a pr or b pr) and not (c pr)]", "emails[(a pr or b pr) and not (c pr)]"],
    [
      "C085 value path among others",
      'emails[type eq "work"] and active eq true',
      'emails[type eq "work"] and active eq true',
    ],
    ["C086 sub-attribute", "name.familyName eq x", "name.familyName eq x"],
    ["C087 URN", `${ENTERPRISE}:manager.value eq "1"`, `${ENTERPRISE}:manager.value eq "1"`],
    ["C088 words in any case", 'a EQ "1" AnD b Sw "2" OR NOT (c PR)', '(a eq "1" and b sw "2") or not (c pr)'],
    ["C093 escapes", String.raw`a eq "x\"y\\z\u00e9\n"`, String.raw`a eq "x\"y\\zé\n"`],
    ["C093 words in quotes", 'a eq "b and (c or d) ] pr"', 'a eq "b and (c or d) ] pr"'],
    ["bare words", "userName sw ki and name.familyName co err", "userName sw ki and name.familyName co err"],
    ["a bare word ends at a parenthesis or bracket", "(a eq b) and c[d eq e]", "a eq b and c[d eq e]"],
    ["parentheses within a bare word", "a eq Sales(EMEA) and b co (new)", "a eq Sales(EMEA) and b co (new)"],
    ["the same in parentheses", "(a eq b(c)(d) or not (e eq f(g(h))))", "a eq b(c)(d) or not (e eq f(g(h)))"],
    ["the same in brackets", "c[d eq e(f) and g eq h[1]]", "c[d eq e(f) and g eq h[1]]"],
    ["a bare word holds everything else", `a eq b(c['"`, `a eq b(c['"`],
    ["single quotes are ordinary characters", "a eq 'b'", "a eq 'b'"],
    ["a bare word may be a joining word", "a eq and and b eq or", "a eq and and b eq or"],
    ["numbers, booleans and null", "a eq -1.5e3 or b eq true or c eq null", "a eq -1.5e3 or b eq true or c eq null"],
    [
      "Entra ID: a sub-attribute after brackets",
      'emails[type eq "work"].value eq "x"',
      'emails[type eq "work"].value eq "x"',
    ],
    ["the same with pr", 'emails[type eq "work"].value pr', 'emails[type eq "work"].value pr'],
    ["blanks of every kind", " \t a\r\n eq   b  ", "a eq b"],
    ["no blanks around parentheses", "(a pr)and(b pr)", "a pr and b pr"],
    ["names that look like words", "andy pr and order pr or nothing pr", "(andy pr and order pr) or nothing pr"],
    [
      "M46",
      "name.FamilyName eq Employee and (emails.Value co example.com or emails.Value co example.org)",
      "name.FamilyName eq Employee and (emails.Value co example.com or emails.Value co example.org)",
    ],
    ["M47", "meta.Created gt 2015-10-10T14:38:21.8617979-07:00", "meta.Created gt 2015-10-10T14:38:21.8617979-07:00"],
    ["M52", '(ActiVe eq true) and meta.lastmodified ge "1"', 'ActiVe eq true and meta.lastmodified ge "1"'],
    [
      "S06",
      'addresses[type eq "home" and locality eq "Redwood Shores"]',
      'addresses[type eq "home" and locality eq "Redwood Shores"]',
    ],
  ])("%s: %s", (_, text, meaning) => expect(print(parseFilter(text))).toBe(meaning));

  test("values with and without quotes, with their positions", () => {
    expect(parseFilter('a eq "null"')).toMatchObject({ literal: { text: "null", quoted: true, at: 6 } });
    expect(parseFilter("a eq null")).toMatchObject({ literal: { text: "null", quoted: false, at: 6 } });
  });
});

describe("refuses with invalidFilter and a position", () => {
  test.each([
    ["C094 unknown operator", 'userName xx "a"', 10],
    ["C095 no value", "userName eq", 12],
    ["C095 no value before a parenthesis", "(userName eq )", 14],
    ["C095 parenthesis not closed", "(a eq 1", 8],
    ["C095 parenthesis not opened", "a eq 1)", 7],
    ["C095 parenthesis not opened, after some in a value", "a eq b(c))", 10],
    ["C095 parenthesis in a value not closed", "(a eq b(c)", 11],
    ["C095 no operator", "userName", 9],
    ["C095 nothing", "", 1],
    ["C095 blanks", "   ", 4],
    ["C095 nothing after and", "a pr and", 9],
    ["C095 nothing before and", "and a pr", 5],
    ["C095 two terms", "a pr b pr", 6],
    ["C095 text after a value", 'a eq "b" c', 10],
    ["C095 no blank after the quote", 'a eq "b"c', 9],
    ["C095 quote not closed", 'a eq "b', 6],
    ["C095 quote not closed by an escaped one", String.raw`a eq "b\"`, 6],
    ["C095 not JSON", String.raw`a eq "\x"`, 6],
    ["C095 half of a surrogate pair", String.raw`a eq "\ud800"`, 6],
    ["not without parentheses", "not a pr", 5],
    ["empty parentheses", "()", 2],
    ["bracket not closed", "emails[type pr", 15],
    ["bracket not opened", "emails] pr", 7],
    ["empty brackets", "emails[]", 8],
    ["brackets in brackets", "a[b[c pr]]", 4],
    ["brackets without a name", "[a pr]", 1],
    ["no name after the dot", "a[b pr]. pr", 9],
    ["a sub-attribute that is not compared", "a[b pr].c", 10],
    ["pr with a value", "a pr 1", 6],
    ["a quoted name", '"a" eq 1', 1],
  ])("%s: %s", (_, text, position) => {
    expect(faultOf(() => parseFilter(text))).toBe("scim.filter_invalid");
    expect(sentenceOf(() => parseFilter(text))).toContain(`at character ${position}: `);
  });

  test("filters over the limits: 8,192 bytes, 200 terms, 50 levels", () => {
    const terms = (count: number) => Array.from({ length: count }, () => "a pr").join(" or ");
    const nested = (depth: number) => `${"(".repeat(depth)}a pr${")".repeat(depth)}`;
    const negated = (depth: number) => `${"not (".repeat(depth)}a pr${")".repeat(depth)}`;
    const long = (length: number) => `a eq "${"x".repeat(length - 7)}"`;
    expect(sentenceOf(() => parseFilter(long(10_240)))).toBe("The filter has 10240 bytes. Send at most 8192.");
    expect(faultOf(() => parseFilter(`a eq ${"é".repeat(4_100)}`))).toBe("scim.filter_invalid");
    expect(faultOf(() => parseFilter(long(8_192)))).toBe("none");
    expect(sentenceOf(() => parseFilter(terms(201)))).toContain("more than 200 comparisons");
    expect(faultOf(() => parseFilter(terms(200)))).toBe("none");
    for (const deep of [nested, negated]) {
      expect(sentenceOf(() => parseFilter(deep(200)))).toContain("more than 50 nested levels");
      expect(faultOf(() => parseFilter(deep(1_300)))).toBe("scim.filter_invalid");
      expect(faultOf(() => parseFilter(deep(51)))).toBe("scim.filter_invalid");
      expect(faultOf(() => parseFilter(deep(50)))).toBe("none");
    }
    expect(faultOf(() => parseFilter(`a[${nested(50)}]`))).toBe("scim.filter_invalid");
    expect(faultOf(() => parseFilter(`a[${nested(49)}]`))).toBe("none");
  });

  test("says what it expected", () => {
    const all = "Use eq, ne, co, sw, ew, gt, ge, lt, le or pr.";
    const sentence = (text: string) => sentenceOf(() => parseFilter(text)).replace("Invalid filter at character ", "");
    expect(sentence("a xx 1")).toBe(`3: 'xx' is not an operator. ${all}`);
    expect(sentence("a (b)")).toBe(`3: expected an operator. ${all}`);
    expect(sentence("(a pr or (b pr)")).toBe("16: expected the closing parenthesis of character 1.");
    expect(sentence("a[b pr or c[")).toBe("12: brackets cannot be nested.");
    expect(sentence("a pr xor b pr")).toBe("6: expected 'and', 'or' or the end of the filter.");
    expect(sentence("not a pr")).toBe("5: expected a filter in parentheses after 'not'.");
    expect(sentenceOf(() => parsePath('emails[type eq "x'))).toBe(
      "Invalid path at character 16: the closing quote is missing.",
    );
  });

  test("shortens the caller's text in the message", () => {
    expect(sentenceOf(() => parseFilter(`a ${"x".repeat(5_000)}`)).length).toBeLessThan(200);
  });
});

describe("paths of PATCH", () => {
  test.each([
    ["displayName", "displayName"],
    ["name.familyName", "name.familyName"],
    ['emails[type eq "work"]', 'emails[type eq "work"]'],
    ['emails[type eq "work"].value', 'emails[type eq "work"].value'],
    [" emails[ type EQ work ].value ", "emails[type eq work].value"],
    [`${ENTERPRISE}:manager.value`, `${ENTERPRISE}:manager.value`],
    ["members[$ref pr]", "members[$ref pr]"],
  ])("%s", (text, meaning) => expect(printPath(parsePath(text))).toBe(meaning));

  test.each([
    "emails[type eq",
    "emails[type eq work",
    "emails[]",
    "emails[type pr].",
    "emails[type pr]x",
    "emails[type pr][value pr]",
    "emails value",
    'emails[type eq "work]',
    "[type pr]",
    "]",
    "(emails)",
    '"emails"',
    "emails[a[b pr]]",
    "x".repeat(9_000),
  ])("C164 refuses %s with invalidPath", (text) => {
    expect(faultOf(() => parsePath(text))).toBe("scim.path_invalid");
  });
});

describe("any text", () => {
  const word = fc.stringMatching(/^[A-Za-z$][A-Za-z0-9.:_-]{0,12}$/).filter((text) => text.toLowerCase() !== "not");
  const literal = fc.oneof(
    fc.string({ unit: "grapheme", maxLength: 12 }).map((text) => ({ text, quoted: true, at: 0 })),
    word.map((text) => ({ text, quoted: false, at: 0 })),
  );
  const name = word.map((text): PathSyntax => ({ name: text, within: undefined, sub: undefined, at: 0 }));
  const termOf = (path: fc.Arbitrary<PathSyntax>): fc.Arbitrary<FilterSyntax> =>
    fc.oneof(
      path.map((one): FilterSyntax => ({ kind: "present", path: one })),
      fc
        .tuple(path, fc.constantFrom(...operators), literal)
        .map(([one, operator, value]): FilterSyntax => ({ kind: "compare", path: one, operator, literal: value })),
    );
  const joined = (part: fc.Arbitrary<FilterSyntax>): fc.Arbitrary<FilterSyntax> =>
    fc.oneof(
      fc
        .tuple(fc.constantFrom("and" as const, "or" as const), fc.array(part, { minLength: 2, maxLength: 3 }))
        .map(([kind, parts]): FilterSyntax => ({ kind, parts })),
      part.map((one): FilterSyntax => ({ kind: "not", part: one })),
    );
  const within = fc.oneof(termOf(name), joined(termOf(name)));
  const path = fc.oneof(
    name,
    fc
      .tuple(word, within, word)
      .map(
        ([one, filter, sub]): PathSyntax => ({ name: one, within: filter, sub: sub.replaceAll(/[.:]/g, ""), at: 0 }),
      ),
  );
  const element = fc.tuple(word, within).map(
    ([one, filter]): FilterSyntax => ({
      kind: "element",
      path: { name: one, within: filter, sub: undefined, at: 0 },
    }),
  );
  const term = fc.oneof(termOf(path), element);
  const filter = fc.oneof(term, joined(term), joined(joined(term)));
  const withoutPositions = (value: unknown): unknown =>
    JSON.parse(JSON.stringify(value), (key, one) => (key === "at" ? 0 : one));

  test("parses a printed filter to the same filter", () => {
    fc.assert(
      fc.property(filter, (given) => {
        expect(withoutPositions(parseFilter(print(given)))).toEqual(withoutPositions(given));
      }),
      { numRuns: 500 },
    );
  });

  const noise = fc
    .array(
      fc.oneof(
        fc.constantFrom(
          "(",
          ")",
          "[",
          "]",
          '"',
          "\\",
          " ",
          ".",
          ":",
          "not",
          "and",
          "or",
          "pr",
          "eq",
          "null",
          "emails",
          "a",
        ),
        fc.string({ unit: "binary", maxLength: 3 }),
      ),
      { maxLength: 60 },
    )
    .map((parts) => parts.join(""));

  test("is parsed or refused with a fault", () => {
    fc.assert(
      fc.property(noise, (text) => {
        expect(["none", "scim.filter_invalid"]).toContain(faultOf(() => parseFilter(text)));
        expect(["none", "scim.path_invalid"]).toContain(faultOf(() => parsePath(text)));
      }),
      { numRuns: 2_000 },
    );
  });

  afterEach(() => {
    vi.restoreAllMocks();
  });

  /** The number of characters that the parser reads. */
  const looks = (text: string): number => {
    const spy = vi.spyOn(String.prototype, "charCodeAt");
    try {
      parseFilter(text);
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
    }
    const count = spy.mock.calls.length;
    spy.mockRestore();
    return count;
  };

  test.each([
    ["quotes", (size: number) => `a eq "${String.raw`\"`.repeat(size)}"`],
    ["an open quote", (size: number) => `a eq "${String.raw`\\`.repeat(size)}`],
    ["a long name", (size: number) => `${"n".repeat(2 * size)} pr`],
    ["a long word", (size: number) => `a ${"n".repeat(2 * size)}`],
    ["a long bare word", (size: number) => `a eq ${"(".repeat(2 * size)}`],
    ["blanks", (size: number) => `a${" ".repeat(2 * size)}pr`],
    ["trailing blanks", (size: number) => `a pr${" ".repeat(2 * size)}x`],
    ["parentheses", (size: number) => "(".repeat(2 * size)],
    ["a long word after many parentheses", (size: number) => `${"(".repeat(49)}a pr ${"n".repeat(2 * size)}`],
    ["terms", (size: number) => "a pr or ".repeat(size / 4)],
    ["brackets", (size: number) => "a[b pr] and ".repeat(size / 6)],
    ["nothing in particular", (size: number) => "a.b:c ]x".repeat(size / 4)],
  ])("needs linear time for %s", (_, make) => {
    for (const size of [400, 800, 1_600, 3_200]) {
      const text = make(size);
      expect(looks(text)).toBeGreaterThan(0);
      expect(looks(text)).toBeLessThanOrEqual(6 * text.length + 500);
    }
  });
});
