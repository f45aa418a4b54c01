/** What several sections of deployment.toml share: tables, certificates, and the sentences of refusals. */
import { X509Certificate } from "node:crypto";
import { nearest } from "../../kernel/nearest.ts";
import * as z from "../../kernel/zod.ts";

const NAME_MAX = 100;

/** The forms of TOML by zod's names of types. */
const forms: Readonly<Record<string, string>> = {
  string: "a string in quotes",
  boolean: "true or false, without quotes",
  number: "a number, without quotes",
  int: "a whole number",
  array: "a list",
  object: "a table",
};

/** A table that refuses unknown keys: a misspelt key would otherwise be a setting without effect. */
export function table<Shape extends z.ZodRawShape>(shape: Shape) {
  return z.strictObject(shape, {
    error: (issue) => {
      if (issue.code !== "unrecognized_keys") return undefined;
      const known = Object.keys(shape);
      return (issue.keys as readonly string[])
        .map((key) => `unknown key "${key.slice(0, NAME_MAX)}" (${hint(key, known)})`)
        .join(", ");
    },
  });
}

/** What to write instead of an unknown word. */
export function hint(given: string, known: readonly string[]): string {
  const meant = nearest(given, known);
  return meant === undefined ? `known: ${known.join(", ")}` : `did you mean "${meant}"?`;
}

/** Whether a value is a table of TOML. */
export function isTable(value: unknown): boolean {
  return typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof Date);
}

/** A certificate in PEM. */
export function pem(lengthMax: number) {
  return z
    .string()
    .max(lengthMax)
    .refine((text) => {
      try {
        return new X509Certificate(text).publicKey !== undefined;
      } catch {
        return false;
      }
    }, "must be a certificate in PEM");
}

/** How a file or section is parsed: a refusal says what to write. */
export const parsing: z.core.ParseContext<z.core.$ZodIssue> = {
  reportInput: true,
  // It is parsed once: to generate code for it would take longer than to parse it.
  jitless: true,
  error: (issue) => {
    if (issue.code === "invalid_type") return `must be ${forms[issue.expected] ?? issue.expected}`;
    if (issue.code === "invalid_value") return `must be ${issue.values.map((one) => JSON.stringify(one)).join(" or ")}`;
    if (issue.code === "too_small") return limit(issue.origin, `at least ${issue.minimum}`);
    if (issue.code === "too_big") return limit(issue.origin, `at most ${issue.maximum}`);
    return undefined;
  },
};

function limit(origin: string, bound: string): string {
  const unit = origin === "string" ? "the number of characters " : origin === "array" ? "the number of elements " : "";
  return `${unit}must be ${bound}`;
}

/** What an issue says about its key. */
export function reasonOf({ code, input, message }: z.core.$ZodIssue): string {
  const isMissing = (code === "invalid_type" || code === "invalid_union") && input === undefined;
  return isMissing ? "is required" : message;
}
