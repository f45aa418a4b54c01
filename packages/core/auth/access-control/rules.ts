/** Matching requests against the rules of an operator (reference access.md sections 4.1 and 4.2). */
import { readPattern } from "../../applications/protocols/pattern.ts";
import type { AccessRule } from "./model.ts";

/** A rule that is ready to match. */
export interface ReadyRule extends AccessRule {
  matches(method: string, path: string): boolean;
}

const PATTERN_CHARACTERS = /[\\^$.|?+()[\]{}*]/;

/** Makes a rule ready; `undefined` where its context is no pattern that matches in linear time. */
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
 * What a context means: a path; with `/*`, `*` or `(.*)` at its end and no other pattern character everything that begins
 * so; otherwise a regular expression over the whole path.
 */
async function contextTest(context: string): Promise<((path: string) => boolean) | undefined> {
  // A dot is a letter to everybody who writes a path, and one more letter matched is no danger in a literal.
  const isLiteral = (text: string) => !PATTERN_CHARACTERS.test(text.replaceAll(".", ""));
  const [, prefix, slash] = /^(.*?)(\/?)(?:\*|\(\.\*\))$/s.exec(context) ?? [];
  if (prefix !== undefined && isLiteral(prefix)) {
    const beginning = `${prefix.toLowerCase()}${slash}`;
    return (path) => `${normal(path)}${slash}`.startsWith(beginning);
  }
  if (isLiteral(context)) return (path) => normal(path) === normal(context);
  const pattern = await readPattern(`(?i)(?:${context})`);
  return pattern && ((path) => pattern.matches(path) || pattern.matches(normal(path)));
}

/** Paths differ neither by a slash at their end nor, for rules, by case. */
function normal(path: string): string {
  return path.toLowerCase().replace(/(?<=.)\/$/, "");
}

/** HEAD is what GET is. */
function methodOf(method: string): string {
  return method === "HEAD" ? "GET" : method.toUpperCase();
}

/** The first rule that matches. */
export function ruleFor(rules: readonly ReadyRule[], method: string, path: string): ReadyRule | undefined {
  return rules.find((rule) => rule.matches(method, path));
}
