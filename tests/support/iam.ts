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

const patterns = new Map<string, RegExp>();

/** Whether a text matches a pattern: `*` matches any characters, `?` one. */
export const isLike = (text: string, pattern: string): boolean => {
  let compiled = patterns.get(pattern);
  if (!compiled) {
    const source = pattern
      .replace(/[\\^$.|+()[\]{}]/g, "\\$&")
      .replace(/\*+/g, ".*")
      .replaceAll("?", ".");
    compiled = new RegExp(`^${source}$`, "s");
    patterns.set(pattern, compiled);
  }
  return compiled.test(text);
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

/** The statements of each action, by the array that they are in. */
const byAction = new WeakMap<readonly Statement[], Map<string, readonly Statement[]>>();

const statementsFor = (statements: readonly Statement[], action: string): readonly Statement[] => {
  const known = byAction.get(statements) ?? new Map<string, readonly Statement[]>();
  byAction.set(statements, known);
  const found = known.get(action) ?? statements.filter(({ actions }) => actions.includes(`dynamodb:${action}`));
  known.set(action, found);
  return found;
};

/** Whether the statements allow the call. */
export const isAllowed = (statements: readonly Statement[], { action, context }: Call): boolean => {
  const fitting = statementsFor(statements, action).filter(({ conditions }) =>
    conditions.every((condition) => holds(condition, context)),
  );
  return fitting.some(({ effect }) => effect === "allow") && !fitting.some(({ effect }) => effect === "deny");
};
