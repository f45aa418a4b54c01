/** Matching requests against the rules of an operator (reference access.md sections 4.1 and 4.2). */
import { readPattern } from "../../applications/protocols/pattern.ts";
import type { AccessRule } from "./model.ts";

/** A rule that is ready to match. */
export interface ReadyRule extends AccessRule {
  matches(method: string, path: string): boolean;
}

const PATTERN_CHARACTERS = /[\\^$.|?+()[\]{}*]/;

/** Paths differ neither by a slash at their end nor, for rules, by case. */
const normal = (path: string): string => path.toLowerCase().replace(/(?<=.)\/$/, "");

/**
 * What a context means: a path; with `/*`, `*` or `(.*)` at its end and no other pattern character everything that begins
 * so; otherwise a regular expression over the whole path.
 */
const contextTest = async (context: string): Promise<((path: string) => boolean) | undefined> => {
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
};

/** HEAD is what GET is. */
const methodOf = (method: string): string => (method === "HEAD" ? "GET" : method.toUpperCase());

/** Makes a rule ready; `undefined` where its context is no pattern that matches in linear time. */
export const readyRule = async (rule: AccessRule): Promise<ReadyRule | undefined> => {
  const test = await contextTest(rule.context);
  return (
    test && {
      ...rule,
      matches: (method, path) => (rule.methods?.has(methodOf(method)) ?? true) && test(path),
    }
  );
};

/** The first rule that matches. */
export const ruleFor = (rules: readonly ReadyRule[], method: string, path: string): ReadyRule | undefined =>
  rules.find((rule) => rule.matches(method, path));
