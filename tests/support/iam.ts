/**
 * Evaluates policy statements as IAM documents it: a denial wins, and a call without an allowing statement is denied.
 */
import type { Condition, Statement } from "../../stacks/statements.ts";

/** A call to authorise. */
export interface Call {
  /** Without the service name: `GetItem`. */
  readonly action: string;
  /** The values of the condition keys; absent keys have no values. */
  readonly context: Readonly<Record<string, readonly string[]>>;
}

/** Whether a text matches a pattern: `*` matches any characters, `?` one. */
export const isLike = (text: string, pattern: string): boolean => {
  // Only the last star backtracks: earlier stars never need to match more.
  let [at, from] = [0, 0];
  let star = -1;
  let taken = 0;
  while (at < text.length) {
    const expected = pattern[from];
    if (expected === "*") {
      star = from;
      taken = at;
      from += 1;
    } else if (expected === "?" || expected === text[at]) {
      at += 1;
      from += 1;
    } else if (star >= 0) {
      taken += 1;
      at = taken;
      from = star + 1;
    } else return false;
  }
  return [...pattern.slice(from)].every((rest) => rest === "*");
};

const operators: Readonly<Record<string, (value: string, expected: string) => boolean>> = {
  StringLike: isLike,
  StringEquals: (value, expected) => value === expected,
  StringEqualsIfExists: (value, expected) => value === expected,
};

const holds = ({ test, variable, values }: Condition, context: Call["context"]): boolean => {
  const given = context[variable] ?? [];
  if (test === "Null") return values.includes(String(given.length === 0));
  const [set, name] = test.includes(":") ? test.split(":") : ["ForAnyValue", test];
  const operator = operators[name ?? ""];
  if (!operator) throw new Error(`unknown condition ${test}`);
  const fits = (value: string) => values.some((expected) => operator(value, expected));
  if (given.length === 0 && test.endsWith("IfExists")) return true;
  // In IAM, ForAllValues is true for an empty set.
  return set === "ForAllValues" ? given.every(fits) : given.some(fits);
};

/** Whether the statements allow the call. */
export const isAllowed = (statements: readonly Statement[], { action, context }: Call): boolean => {
  const fitting = statements.filter(
    ({ actions, conditions }) =>
      actions.includes(`dynamodb:${action}`) && conditions.every((condition) => holds(condition, context)),
  );
  return fitting.some(({ effect }) => effect === "allow") && !fitting.some(({ effect }) => effect === "deny");
};
