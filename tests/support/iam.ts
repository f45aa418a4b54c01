/** Evaluates the statements of a policy as IAM documents it: a denial wins, what no statement allows is denied. */
import type { Condition, Statement } from "../../stacks/statements.ts";

/** One call that IAM is asked about. */
export interface Call {
  /** Without the service: `GetItem`. */
  readonly action: string;
  /** The values of the condition keys; a key without values is one that the call does not have. */
  readonly context: Readonly<Record<string, readonly string[]>>;
}

/** Whether a text is like a pattern: `*` stands for any characters, `?` for one. */
export const isLike = (text: string, pattern: string): boolean => {
  // The last star takes more and more until the rest fits: no star before it ever has to give way.
  let [at, from] = [0, 0];
  let star = -1;
  let taken = 0;
  while (at < text.length) {
    const wanted = pattern[from];
    if (wanted === "*") {
      star = from;
      taken = at;
      from += 1;
    } else if (wanted === "?" || wanted === text[at]) {
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

const operators: Readonly<Record<string, (value: string, wanted: string) => boolean>> = {
  StringLike: isLike,
  StringEquals: (value, wanted) => value === wanted,
};

const holds = ({ test, variable, values }: Condition, context: Call["context"]): boolean => {
  const given = context[variable] ?? [];
  if (test === "Null") return values.includes(String(given.length === 0));
  const [set, name] = test.includes(":") ? test.split(":") : ["ForAnyValue", test];
  const operator = operators[name ?? ""];
  if (!operator) throw new Error(`the condition ${test} is not known here`);
  const fits = (value: string) => values.some((wanted) => operator(value, wanted));
  // IAM takes "all of none" for true.
  return set === "ForAllValues" ? given.every(fits) : given.some(fits);
};

/** Whether the statements let the call through. */
export const isAllowed = (statements: readonly Statement[], { action, context }: Call): boolean => {
  const fitting = statements.filter(
    ({ actions, conditions }) =>
      actions.includes(`dynamodb:${action}`) && conditions.every((condition) => holds(condition, context)),
  );
  return fitting.some(({ effect }) => effect === "allow") && !fitting.some(({ effect }) => effect === "deny");
};
