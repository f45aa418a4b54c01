/** Matches requests against the access rules. */
import { readPattern } from "../../applications/protocols/pattern.ts";
import type { AccessRule } from "./model.ts";

/** A compiled rule. */
export interface ReadyRule extends AccessRule {
  matches(method: string, path: string): boolean;
}

const PATTERN_CHARACTERS = /[\\^$.|?+()[\]{}*]/;

/** Compiles a rule; `undefined` where its context is not a pattern of RE2. */
export async function readyRule(rule: AccessRule): Promise<ReadyRule | undefined> {
  const test = await contextTest(rule.context);
  return (
    test && {
      ...rule,
      matches: (method, path) => (rule.methods?.has(methodOf(method)) ?? true) && test(path),
    }
  );
}

/**
 * A context without pattern characters is a path. With only `/*`, `*` or `(.*)` at its end it is a prefix. Otherwise it
 * is a regular expression over the whole path.
 */
async function contextTest(context: string): Promise<((path: string) => boolean) | undefined> {
  // In a path a dot is a literal dot.
  const isLiteral = (text: string) => !PATTERN_CHARACTERS.test(text.replaceAll(".", ""));
  const [, prefix, slash] = /^(.*?)(\/?)(?:\*|\(\.\*\))$/s.exec(context) ?? [];
  if (prefix !== undefined && isLiteral(prefix)) {
    const start = `${prefix.toLowerCase()}${slash}`;
    return (path) => `${normal(path)}${slash}`.startsWith(start);
  }
  if (isLiteral(context)) return (path) => normal(path) === normal(context);
  const pattern = await readPattern(`(?i)(?:${context})`);
  return pattern && ((path) => pattern.matches(path) || pattern.matches(normal(path)));
}

/** Rules ignore a slash at the end of a path, and case. */
function normal(path: string): string {
  return path.toLowerCase().replace(/(?<=.)\/$/, "");
}

/** HEAD counts as GET. */
function methodOf(method: string): string {
  return method === "HEAD" ? "GET" : method.toUpperCase();
}

export function ruleFor(rules: readonly ReadyRule[], method: string, path: string): ReadyRule | undefined {
  return rules.find((rule) => rule.matches(method, path));
}
