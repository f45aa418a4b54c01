/** Tables of deployment.toml that take no other keys than their own. */
import * as z from "zod";
import { nearest } from "./nearest.ts";

const NAME_MAX = 100;

/** A table that takes no other keys than its own: a misspelt key would otherwise be a setting that silently does nothing. */
export function table<Shape extends z.ZodRawShape>(shape: Shape) {
  return z.strictObject(shape, {
    error: (issue) => {
      if (issue.code !== "unrecognized_keys") return undefined;
      return (issue.keys as readonly string[]).map((key) => unknownKey(key, Object.keys(shape))).join(", ");
    },
  });
}

function unknownKey(key: string, known: readonly string[]): string {
  const meant = nearest(key, known);
  return `unknown key "${key.slice(0, NAME_MAX)}" (${meant ? `did you mean "${meant}"?` : `known: ${known.join(", ")}`})`;
}

/** Whether a value is a table, or what stands for one. */
export function isTable(value: unknown): boolean {
  return typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof Date);
}
