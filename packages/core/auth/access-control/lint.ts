/**
 * What is wrong with the rules of an operator, told before anything starts: a rule that opens what must stay closed, one
 * that matches nothing, and one that stands behind others which match everything it could.
 */
import { type Operation, PUBLIC } from "../../operation/operation.ts";
import type { AccessRule } from "./model.ts";
import { type ReadyRule, readyRule } from "./rules.ts";

/** A request that some operation answers. */
interface Sample {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  readonly declared: Operation;
}

const SAMPLE_ID = "01a1fcb5-eb5d-70e7-9787-60a3d6f9978b";

/** Makes the rules ready. Throws an `Error` that names their file and each rule that is wrong, and why. */
export async function readyRules(
  rules: readonly AccessRule[],
  operations: Readonly<Record<string, Operation>>,
): Promise<readonly ReadyRule[]> {
  const ready: ReadyRule[] = [];
  const problems: string[] = [];
  for (const rule of rules) {
    const one = await readyRule(rule);
    if (!one) {
      problems.push(`${rule.place}: context is no regular expression that matches in linear time (RE2)`);
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

function problemOf(
  rule: ReadyRule,
  before: readonly ReadyRule[],
  operations: Readonly<Record<string, Operation>>,
): string | undefined {
  const matched = samplesFor(operations, rule.context).filter(({ method, path }) => rule.matches(method, path));
  if (matched.length === 0) return "no operation of the API has such a path and method";
  const reached = matched.filter(({ method, path }) => !before.some((earlier) => earlier.matches(method, path)));
  if (reached.length === 0) {
    const [first] = matched;
    const winner = first && before.find((earlier) => earlier.matches(first.method, first.path));
    return `it is never reached: ${winner?.place ?? "a rule"} matches first`;
  }
  const opened = reached.find(({ declared }) => !rule.isSecured && declared.scope !== PUBLIC && !declared.openable);
  if (opened) {
    return `secured = false would open ${opened.method} ${opened.declared.path} to anybody; only what shows nothing of a tenant can be opened`;
  }
  return undefined;
}

/** Requests for every operation, with any id, and with what the context of a rule has in the place of an id. */
function samplesFor(operations: Readonly<Record<string, Operation>>, context: string): readonly Sample[] {
  const segments = context.split("/");
  return Object.entries(operations).flatMap(([id, declared]) => {
    const named = declared.path.split("/").map((segment, at) => {
      const given = segments[at] ?? "";
      return segment.startsWith("{") && /^[\w.:-]+$/.test(given) ? given : segment.replace(/\{\w+\}/, SAMPLE_ID);
    });
    const paths = new Set([named.join("/"), declared.path.replace(/\{\w+\}/g, SAMPLE_ID)]);
    return [...paths].map((path) => ({ id, method: declared.method, path, declared }));
  });
}
