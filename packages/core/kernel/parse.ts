/** Validates parts of a request against their schemas. */
import type * as z from "zod";
import { Fault } from "./faults.ts";
import { describeIssues, isMissing, messageOf } from "./issues.ts";
import { missingIn } from "./required.ts";

const MISSING_OR_OUT_OF_RANGE = new Set(["too_small", "too_big"]);

/**
 * Parses one part of a request. Throws `request.malformed` for a value of the wrong type, and `request.invalid` for a
 * missing or out-of-range value, with a sentence for each of the first 20 faults.
 */
export function parsePart<S extends z.ZodType>(
  place: "path" | "query" | "header" | "body",
  schema: S,
  given: unknown,
): z.output<S> {
  const parsed = schema.safeParse(given, { reportInput: true, jitless: isFirstUse(schema), error: messageOf });
  if (parsed.success) return parsed.data;
  const { issues } = parsed.error;
  const isShape = issues.some((issue) => !MISSING_OR_OUT_OF_RANGE.has(issue.code) && !isMissing(issue));
  throw new Fault(
    isShape ? "request.malformed" : "request.invalid",
    describeIssues(place, issues, missingIn(schema, given)),
  );
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

/** A refusal of a body that also tells the faults which its schema finds. */
export function withFaultsOf(schema: z.ZodType, body: unknown, refused: Fault): Fault {
  try {
    parsePart("body", schema, body);
    const missing = missingIn(schema, body);
    return missing.length === 0 ? refused : refused.with(describeIssues("body", [], missing));
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    return refused.with(error.description);
  }
}
