import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Fault } from "#core/kernel/faults.ts";
import { type Filter, matches, parseFilter } from "#core/kernel/filter/filter.ts";

const attributes = ["name", "clientId", "issuer"] as const;
type Attribute = (typeof attributes)[number];
const vocabulary = {
  attributes,
  names: ["name"],
  unknownAttribute: "filter.attribute",
  example: "name eq Pickup",
} as const;
const parse = (text: string) => parseFilter<Attribute>(text, vocabulary);
const faultOf = (text: string): string => {
  try {
    parse(text);
    return "none";
  } catch (error) {
    return error instanceof Fault ? error.fault : String(error);
  }
};
const compare = (attribute: Attribute, operator: "eq" | "sw" | "ew" | "co", value: string) =>
  ({ kind: "compare", attribute, operator, value }) as const;

describe("a filter", () => {
  test("evaluates and before or", () => {
    expect(parse("name sw A and name ew B or issuer co C and clientId eq D")).toEqual({
      kind: "or",
      parts: [
        { kind: "and", parts: [compare("name", "sw", "A"), compare("name", "ew", "B")] },
        { kind: "and", parts: [compare("issuer", "co", "C"), compare("clientId", "eq", "D")] },
      ],
    });
  });
  test("evaluates parentheses before and", () => {
    expect(parse("name sw A and (name ew B or issuer co C)")).toEqual({
      kind: "and",
      parts: [
        compare("name", "sw", "A"),
        { kind: "or", parts: [compare("name", "ew", "B"), compare("issuer", "co", "C")] },
      ],
    });
  });
  test("accepts spaces in a value, and joining words and parentheses in a quoted one", () => {
    expect(parse("name eq User  Portal")).toEqual(compare("name", "eq", "User  Portal"));
    expect(parse(`name eq "Salt and Pepper (new)"`)).toEqual(compare("name", "eq", "Salt and Pepper (new)"));
    expect(parse(`name eq 'it\\'s'`)).toEqual(compare("name", "eq", "it's"));
    expect(parse("name EQ x AND name Sw y")).toEqual({
      kind: "and",
      parts: [compare("name", "eq", "x"), compare("name", "sw", "y")],
    });
  });
  test("accepts the words of filters as a value", () => {
    for (const word of ["and", "or", "AND", "not", "eq", "co", "name", "()", "(and)"]) {
      expect(parse(`name co ${word}`)).toEqual(compare("name", "co", word));
      expect(parse(`(name co ${word})`)).toEqual(compare("name", "co", word));
      expect(parse(`name co ${word} or issuer eq ${word}`)).toEqual({
        kind: "or",
        parts: [compare("name", "co", word), compare("issuer", "eq", word)],
      });
    }
  });
  test("accepts parentheses in a value, with all that is between them", () => {
    for (const value of ["Sales(EMEA)", "Sales (EMEA)", "(new) Portal", "f(g(x)) (y)", "Sales (EMEA and Asia)"]) {
      expect(parse(`name eq ${value}`)).toEqual(compare("name", "eq", value));
      expect(parse(`(name eq ${value}) and (issuer co a or name sw ${value})`)).toEqual({
        kind: "and",
        parts: [
          compare("name", "eq", value),
          { kind: "or", parts: [compare("issuer", "co", "a"), compare("name", "sw", value)] },
        ],
      });
    }
  });
  test("compares a value literally", () => {
    for (const value of ["*", "%", "_", ".*", ":v0", "#n", "$where", 'x"y', "O'Brien"]) {
      expect(matches(parse(`name eq ${value}`), { name: value }), value).toBe(true);
      expect(matches(parse(`name eq ${value}`), { name: "other" }), value).toBe(false);
    }
  });
  test("matches no row whose attribute has no value", () => {
    expect(matches(parse("issuer co e"), { name: "e" })).toBe(false);
  });
});

describe("an invalid filter", () => {
  test.each([
    ["name", "filter.malformed"],
    ["name coo abc", "filter.malformed"],
    ["name eq", "filter.malformed"],
    ["name eq abc and", "filter.malformed"],
    ["and name eq abc", "filter.malformed"],
    ["(name eq abc", "filter.malformed"],
    ["name eq abc)", "filter.malformed"],
    ["name eq abc (def", "filter.malformed"],
    ["name eq abc (def))", "filter.malformed"],
    ["(name eq abc (def)", "filter.malformed"],
    ["name eq and issuer eq abc", "filter.malformed"],
    ['name eq "abc" (def)', "filter.malformed"],
    ["name eq (", "filter.malformed"],
    ['name eq "abc', "filter.malformed"],
    ['name eq "abc" def', "filter.malformed"],
    ["id eq abc", "filter.attribute"],
    ["Name eq abc", "filter.attribute"],
    ["__proto__ eq abc", "filter.attribute"],
    ["name toString abc", "filter.malformed"],
    ["not name eq abc", "filter.operator"],
    ["name ne abc", "filter.operator"],
    ["name pr", "filter.operator"],
    [`${"(".repeat(1000)}name eq a${")".repeat(1000)}`, "filter.malformed"],
    [Array.from({ length: 21 }, () => "name eq a").join(" or "), "filter.malformed"],
  ])("is rejected: %s (%s)", (text, fault) => expect(faultOf(text)).toBe(fault));
});

describe("properties", () => {
  const leaf = fc.record({
    kind: fc.constant("compare" as const),
    attribute: fc.constantFrom(...attributes),
    operator: fc.constantFrom("eq" as const, "sw" as const, "ew" as const, "co" as const),
    value: fc.string({ minLength: 1, maxLength: 8, unit: "grapheme" }),
  });
  const { tree } = fc.letrec<{ tree: Filter<Attribute> }>((tie) => ({
    tree: fc.oneof(
      { maxDepth: 3, depthIdentifier: "filter" },
      leaf,
      fc.record({
        kind: fc.constantFrom("and" as const, "or" as const),
        parts: fc.array(tie("tree"), { minLength: 2, maxLength: 2, depthIdentifier: "filter" }),
      }),
    ),
  }));
  const print = (filter: Filter<Attribute>): string =>
    filter.kind === "compare"
      ? `${filter.attribute} ${filter.operator} "${filter.value.replace(/(["\\])/g, "\\$1")}"`
      : filter.parts.map((part) => `(${print(part)})`).join(` ${filter.kind} `);
  const row = fc.record({
    name: fc.string(),
    clientId: fc.option(fc.string(), { nil: undefined }),
    issuer: fc.string(),
  });

  test("has the same meaning after it is printed and parsed", () => {
    fc.assert(
      fc.property(tree, row, (filter, values) => {
        expect(matches(parse(print(filter)), values)).toBe(matches(filter, values));
      }),
    );
  });
  test("is accepted or rejected with a fault, for every text", () => {
    const words = fc.constantFrom("name", "eq", "co", "and", "or", "not", "(", ")", '"', "'", "\\", "x", " ");
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.array(words).map((parts) => parts.join(" ")),
        ),
        (text) => {
          expect(faultOf(text)).toMatch(/^(none|filter\.(malformed|attribute|operator))$/);
        },
      ),
    );
  });
});
