/** Validates parts of a request against their schemas. */
import type * as z from "zod";
import { Fault } from "./faults.ts";

const MISSING_OR_OUT_OF_RANGE = new Set(["too_small", "too_big"]);
const ISSUES_SHOWN = 5;
const PLACE_LENGTH_MAX = 200;

/**
 * Parses one part of a request. Throws `request.malformed` for a value of the wrong type, and `request.invalid` for a
 * missing or out-of-range value, with a sentence for each of the first issues.
 */
export function parsePart<S extends z.ZodType>(
  place: "path" | "query" | "header" | "body",
  schema: S,
  given: unknown,
): z.output<S> {
  const parsed = schema.safeParse(given, { reportInput: true, jitless: isFirstUse(schema) });
  if (parsed.success) return parsed.data;
  const { issues } = parsed.error;
  const isShape = issues.some((issue) => !MISSING_OR_OUT_OF_RANGE.has(issue.code) && !isMissing(issue));
  throw new Fault(isShape ? "request.malformed" : "request.invalid", describeIssues(place, issues));
}

const used = new WeakSet<z.ZodType>();

/**
 * Whether a schema is used for the first time in this container: then zod interprets it. To generate its code would
 * take longer, and pays from the second time on (decision 0074).
 */
export function isFirstUse(schema: z.ZodType): boolean {
  if (used.has(schema)) return false;
  used.add(schema);
  return true;
}

/** One sentence for each issue, with its field path. */
function describeIssues(place: string, issues: readonly z.core.$ZodIssue[]): string {
  return issues
    .slice(0, ISSUES_SHOWN)
    .map((issue) => {
      const where = [place, ...issue.path.map(String)].join(".").slice(0, PLACE_LENGTH_MAX);
      return isMissing(issue) ? `${where} is required.` : `${where}: ${issue.message.replace(/\.$/, "")}.`;
    })
    .join(" ");
}

function isMissing({ code, input }: z.core.$ZodIssue): boolean {
  return code === "invalid_type" && input === undefined;
}
