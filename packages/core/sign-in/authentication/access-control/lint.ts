/**
 * Checks access rules when the authorizer starts. It refuses a rule that makes tenant data public, a rule that matches
 * no operation, a rule that is never reached because earlier rules match first (decision 0051), and a rule that
 * protects one way to a resource and leaves another open (decision 0144).
 */
import { type Protections, PUBLIC } from "../../../kernel/operation/operation.ts";
import { openTwins } from "./families.ts";
import type { AccessRule } from "./model.ts";
import { type CompiledRule, compiledRule, type ReadyRule } from "./rules.ts";
import { samplesFor } from "./samples.ts";

/** Compiles and checks the rules. Throws an `Error` that names the file and each wrong rule, with what to change. */
export async function readyRules(rules: readonly AccessRule[], operations: Protections): Promise<readonly ReadyRule[]> {
  const ready: ReadyRule[] = [];
  const problems: string[] = [];
  for (const rule of rules) {
    const one = await compiledRule(rule);
    if (!one) {
      problems.push(`${rule.place}: context must be a path or a regular expression in the syntax of RE2`);
      continue;
    }
    const matched = samplesFor(operations, rule.context).filter(({ method, path }) => one.matches(method, path));
    const problem = matched.length === 0 ? await nothingMatched(one, operations) : problemOf(one, ready, matched);
    if (problem) problems.push(`${rule.place}: ${problem}`);
    ready.push({ ...one, isAround: matched.some(({ declared }) => !declared.staysClosed) });
  }
  if (problems.length === 0) problems.push(...openTwins(ready, operations));
  const file = rules[0]?.file;
  if (problems.length > 0) throw new Error(`${file === undefined ? "" : `${file}: `}${problems.join("; ")}`);
  return ready;
}

function problemOf(
  rule: CompiledRule,
  before: readonly ReadyRule[],
  matched: ReturnType<typeof samplesFor>,
): string | undefined {
  const reached = matched.filter(({ method, path }) => !before.some((earlier) => earlier.matches(method, path)));
  if (reached.length === 0) {
    const [first] = matched;
    const winner = first && before.find((earlier) => earlier.matches(first.method, first.path));
    return `it is never reached: ${winner?.place ?? "a rule"} matches first; move it before that rule, or delete it`;
  }
  // An operation that stays closed is no reason to refuse a rule that opens others.
  const others = reached.filter(({ declared }) => !declared.staysClosed);
  const opened = (others.length > 0 ? others : reached).find(
    ({ declared }) => !rule.isSecured && declared.scope !== PUBLIC && !declared.openable,
  );
  if (opened) {
    return `secured = false would make ${opened.method} ${opened.declared.path} public; only operations that show no data of a tenant can be public`;
  }
  return undefined;
}

/** What is wrong with a context that no path has. */
async function nothingMatched(rule: AccessRule, operations: Protections): Promise<string> {
  for (const [context, reason] of respelled(rule.context)) {
    const one = await compiledRule({ ...rule, context });
    const matches = samplesFor(operations, context).some(({ method, path }) => one?.matches(method, path));
    if (matches) return `context matches no path: ${reason}; did you mean "${context}"?`;
  }
  return "no operation of the API has this path and method; correct context and http_method, or delete the rule";
}

/** What an operator may have meant, and why it is written otherwise. */
function respelled(context: string): readonly (readonly [string, string])[] {
  const plain = context.replace(/^\/t\/(?:[^/[(]+|\[\^\/\][+*]|\(?\.[+*]\)?)(?=\/)/, "");
  let short = plain;
  while (short.endsWith("/")) short = short.slice(0, -1);
  const reasons = [
    ...(plain === context ? [] : ["without /t/{tenant}"]),
    ...(short === plain ? [] : ["without a slash at their end"]),
  ];
  return reasons.length === 0 ? [] : [[short, `paths are compared ${reasons.join(" and ")}`]];
}
