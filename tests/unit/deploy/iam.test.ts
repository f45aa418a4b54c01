/** The fake of IAM, compared with IAM's documentation. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { isAllowed, isLike } from "#tests/support/iam.ts";
import type { Statement } from "../../../stacks/statements.ts";

describe("a pattern", () => {
  test.each([
    ["T#a#U#1", "T#*#U#*", true],
    ["T#a#UN#1", "T#*#U#*", false],
    ["T#a#AN", "T#*#AN", true],
    ["T#a#AN#", "T#*#AN", false],
    ["", "*", true],
    ["", "?", false],
    ["ab", "a?", true],
    ["a*b", "a*b", true],
    ["aXbYb", "a*b", true],
    ["A", "a", false],
  ])("%j and %j: %s", (text, pattern, is) => expect(isLike(text, pattern)).toBe(is));

  test("matches like a regular expression in which * is any text and ? any character", () => {
    const small = fc.string({ unit: fc.constantFrom("a", "b", "#"), maxLength: 8 });
    const pattern = fc.string({ unit: fc.constantFrom("a", "b", "#", "*", "?"), maxLength: 6 });
    fc.assert(
      fc.property(small, pattern, (text, like) => {
        const expression = new RegExp(`^${like.replaceAll("*", ".*").replaceAll("?", ".")}$`, "s");
        expect(isLike(text, like)).toBe(expression.test(text));
      }),
    );
  });
});

describe("a policy", () => {
  const on = (test: string, values: string[]) => ({ test, variable: "dynamodb:LeadingKeys", values });
  const allow: Statement = {
    effect: "allow",
    actions: ["dynamodb:GetItem"],
    conditions: [on("ForAllValues:StringLike", ["A#*", "B#*"]), on("Null", ["false"])],
  };
  const deny: Statement = { ...allow, effect: "deny", conditions: [on("ForAnyValue:StringLike", ["A#secret"])] };
  const ask = (statements: Statement[], keys: string[], action = "GetItem") =>
    isAllowed(statements, { action, context: { "dynamodb:LeadingKeys": keys } });

  test("allows a call only if one statement allows all of its keys", () => {
    expect(ask([allow], ["A#1", "B#1"])).toBe(true);
    expect(ask([allow], ["A#1", "C#1"])).toBe(false);
    expect(ask([allow], ["A#1"], "PutItem")).toBe(false);
    expect(ask([], ["A#1"])).toBe(false);
  });
  test("refuses a call without keys only if it has the condition Null", () => {
    expect(ask([allow], [])).toBe(false);
    expect(ask([{ ...allow, conditions: allow.conditions.slice(0, 1) }], [])).toBe(true);
  });
  test("with IfExists, tests a key only where the call has it", () => {
    const select = { test: "StringEqualsIfExists", variable: "dynamodb:Select", values: ["SPECIFIC_ATTRIBUTES"] };
    const policy = [{ ...allow, conditions: [...allow.conditions, select] }];
    const selecting = (...values: string[]) =>
      isAllowed(policy, {
        action: "GetItem",
        context: { "dynamodb:LeadingKeys": ["A#1"], "dynamodb:Select": values },
      });
    expect([selecting(), selecting("SPECIFIC_ATTRIBUTES"), selecting("ALL_ATTRIBUTES")]).toEqual([true, true, false]);
  });
  test("denies a call if any statement denies it", () => {
    expect(ask([allow, deny], ["A#1"])).toBe(true);
    expect(ask([allow, deny], ["A#1", "A#secret"])).toBe(false);
  });
  test("throws for an unknown condition", () => {
    expect(() => ask([{ ...allow, conditions: [on("Bool", ["true"])] }], ["A#1"])).toThrow("Bool");
  });
});
