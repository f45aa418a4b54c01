/**
 * Checks access rules when the authorizer starts. It refuses a rule that makes tenant data public, a rule that matches
 * no operation, and a rule that is never reached because earlier rules match first (decision 0051).
 */
import { type Protection, type Protections, PUBLIC } from "../../operation/operation.ts";
import type { AccessRule } from "./model.ts";
import { type ReadyRule, readyRule } from "./rules.ts";

/** A request that an operation serves. */
interface Sample {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  readonly declared: Protection;
}

const SAMPLE_ID = "01a1fcb5-eb5d-70e7-9787-60a3d6f9978b";

/** Compiles and checks the rules. Throws an `Error` that names the file and each wrong rule, with what to change. */
export async function readyRules(rules: readonly AccessRule[], operations: Protections): Promise<readonly ReadyRule[]> {
  const ready: ReadyRule[] = [];
  const problems: string[] = [];
  for (const rule of rules) {
    const one = await readyRule(rule);
    if (!one) {
      problems.push(`${rule.place}: context must be a path or a regular expression in the syntax of RE2`);
      continue;
    }
    const problem = problemOf(one, ready, operations);
    if (problem) problems.push(`${rule.place}: ${problem}`);
    ready.push(one);
  }
  const file = rules[0]?.file;
  if (problems.length > 0) throw new Error(`${file === undefined ? "" : `${file}: `}${problems.join("; ")}`);
  return ready;
}

function problemOf(rule: ReadyRule, before: readonly ReadyRule[], operations: Protections): string | undefined {
  const matched = samplesFor(operations, rule.context).filter(({ method, path }) => rule.matches(method, path));
  if (matched.length === 0)
    return "no operation of the API has this path and method; correct context and http_method, or delete the rule";
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

/**
 * Sample requests for every operation: with any id, and with the id that the context of the rule names. A literal
 * segment of another path is no id: the router prefers literals, so no application has the id `meta`.
 */
function samplesFor(operations: Protections, context: string): readonly Sample[] {
  const segments = context.split("/");
  const isLiteral = literalsOf(operations);
  return Object.entries(operations).flatMap(([id, declared]) => {
    const named = declared.path.split("/").map((segment, at) => {
      const given = segments[at] ?? "";
      return segment.startsWith("{") && /^[\w.:-]+$/.test(given) ? given : segment.replace(/\{\w+\}/, SAMPLE_ID);
    });
    const paths = new Set([named.join("/"), declared.path.replace(/\{\w+\}/g, SAMPLE_ID)]);
    return [...paths]
      .filter((path) => leadsTo(declared.path, path, isLiteral))
      .map((path) => ({ id, method: declared.method, path, declared }));
  });
}

/** Whether no segment in the place of a parameter is a literal of another operation. */
function leadsTo(declared: string, path: string, isLiteral: (before: readonly string[], segment: string) => boolean) {
  const given = path.split("/");
  return declared.split("/").every((segment, at) => {
    return !segment.startsWith("{") || !isLiteral(given.slice(0, at), given[at] ?? "");
  });
}

/** Finds out whether some path has a literal segment after these segments. Ignores case, as rules do. */
function literalsOf(operations: Protections) {
  const paths = Object.values(operations).map(({ path }) => path.toLowerCase().split("/"));
  const fits = (one: string | undefined, given: string) => one === given || (one?.startsWith("{") ?? false);
  return (before: readonly string[], segment: string): boolean => {
    const [start, end] = [before.map((each) => each.toLowerCase()), segment.toLowerCase()];
    return paths.some((path) => path[start.length] === end && start.every((each, at) => fits(path[at], each)));
  };
}
