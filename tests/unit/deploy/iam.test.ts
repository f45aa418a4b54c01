/** The stand-in for IAM, against what IAM documents. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { isAllowed, isLike } from "#tests/support/iam.ts";
import type { Statement } from "../../../stacks/statements.ts";

describe("likeness", () => {
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

  test("is that of an expression in which a star is any text", () => {
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

  test("allows what one statement allows as a whole", () => {
    expect(ask([allow], ["A#1", "B#1"])).toBe(true);
    expect(ask([allow], ["A#1", "C#1"])).toBe(false);
    expect(ask([allow], ["A#1"], "PutItem")).toBe(false);
    expect(ask([], ["A#1"])).toBe(false);
  });
  test("does not take a call without keys for one with fitting keys, unless it forgets to say so", () => {
    expect(ask([allow], [])).toBe(false);
    expect(ask([{ ...allow, conditions: allow.conditions.slice(0, 1) }], [])).toBe(true);
  });
  test("denies what any statement denies", () => {
    expect(ask([allow, deny], ["A#1"])).toBe(true);
    expect(ask([allow, deny], ["A#1", "A#secret"])).toBe(false);
  });
  test("fails on a condition that is not known here", () => {
    expect(() => ask([{ ...allow, conditions: [on("Bool", ["true"])] }], ["A#1"])).toThrow("Bool");
  });
});
