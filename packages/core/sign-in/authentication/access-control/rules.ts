/** Matches requests against the access rules. */
import { readPattern } from "../../../applications/protocols/pattern.ts";
import type { AccessRule } from "./model.ts";

/** A compiled rule. */
export interface CompiledRule extends AccessRule {
  matches(method: string, path: string): boolean;
}

/** A checked rule. */
export interface ReadyRule extends CompiledRule {
  /** False where it matches only operations that stay closed: then it means these. */
  readonly isAround: boolean;
}

const PATTERN_CHARACTERS = /[\\^$.|?+()[\]{}*]/;

/** Compiles a rule; `undefined` where its context is not a pattern of RE2. */
export async function compiledRule(rule: AccessRule): Promise<CompiledRule | undefined> {
  const test = await contextTest(rule.context);
  return (
    test && {
      ...rule,
      matches: (method, path) => (rule.methods?.has(methodOf(method)) ?? true) && test(path),
    }
  );
}

/**
 * A context is a regular expression over the whole path. Without pattern characters it is a path, in which a dot is a
 * dot. With only `*` or `(.*)` at its end it is the beginning of paths; with `/*`, a path and everything below it.
 */
async function contextTest(context: string): Promise<((path: string) => boolean) | undefined> {
  const folded = context.toLowerCase();
  const [, start = "", end = ""] = /^(.*?)(\/?\*|\(\.\*\))?$/s.exec(folded) ?? [];
  if (!PATTERN_CHARACTERS.test(start.replaceAll(".", ""))) {
    if (end === "") return (path) => normal(path) === start;
    if (end === "/*") return (path) => normal(path) === start || normal(path).startsWith(`${start}/`);
    return (path) => normal(path).startsWith(start);
  }
  const pattern = await readPattern(`(?is)(?:${context})`);
  return pattern && ((path) => pattern.matches(normal(path)));
}

/** A path in lower case, without a slash at its end: with it, it leads to the same operation. */
function normal(path: string): string {
  return path.toLowerCase().replace(/(?<=.)\/$/, "");
}

/** HEAD counts as GET. */
function methodOf(method: string): string {
  return method === "HEAD" ? "GET" : method.toUpperCase();
}

/** The first rule that matches a request. */
export function ruleFor<Rule extends CompiledRule>(
  rules: readonly Rule[],
  method: string,
  path: string,
): Rule | undefined {
  return rules.find((rule) => rule.matches(method, path));
}
