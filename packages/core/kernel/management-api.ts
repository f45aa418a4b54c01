/** What all operations of the management API share: null members, and the query and links of lists. */
import * as z from "./zod.ts";

/** The most rows of a page. A larger `limit` is lowered to it. */
export const LIMIT_MAX = 100;

/** The rows of a page without `limit`, by the family of the list. */
export const LIMIT_DEFAULTS = { applications: 30, administration: 10 } as const;

/** Links to the pages around this one. */
export const PageLinks = z.array(
  z.object({ rel: z.enum(["next", "previous"]), href: z.string() }).meta({ id: "PageLink" }),
);

/** One link to another page. */
export type PageLink = z.output<typeof PageLinks>[number];

/** The text parameters of a list. */
export interface ListQuery {
  readonly limit?: number | undefined;
  readonly offset?: number | undefined;
  readonly filter?: string | undefined;
  readonly attributes?: string | undefined;
}

/** How the document describes a number. */
interface NumberMeta {
  readonly description: string;
  readonly default: number;
  readonly minimum?: number;
  readonly maximum?: number;
}

/**
 * A query parameter that holds a whole number, not less than `least` and not more than `most` if these are given.
 * JavaScript's own conversion would accept "", "0x10" and "1e3".
 */
export function wholeNumber(meta: NumberMeta, least = Number.MIN_SAFE_INTEGER, most = Number.MAX_SAFE_INTEGER) {
  const digits = z.string().regex(/^-?\d{1,10}$/, "expected a whole number of at most 10 digits");
  const whole = digits.transform(Number).pipe(z.int().min(least).max(most));
  return whole.optional().meta({ type: "integer", ...meta });
}

/** What a `limit` parameter says in the document. */
export function limitMeta(rows: string, fallback: number): NumberMeta {
  return {
    description: `The maximum number of ${rows} on a page; a value above ${LIMIT_MAX} means ${LIMIT_MAX}`,
    default: fallback,
    minimum: 1,
  };
}

/** A query parameter that holds text of at most 1,000 characters: `filter`, `attributes`. */
export function textParameter(description: string) {
  return z.string().max(1_000).optional().meta({ description });
}

/** The rows that a page holds: from the index `offset`, at most `limit`. */
export function pageOf({ limit, offset = 0 }: ListQuery, fallback: number) {
  return { limit: Math.min(limit ?? fallback, LIMIT_MAX), offset };
}

/** Removes members that are `null`, at every depth: they mean the same as absent ones. */
export function withoutNulls(given: unknown): unknown {
  if (Array.isArray(given)) return given.map(withoutNulls);
  if (given === null || typeof given !== "object") return given;
  return Object.fromEntries(
    Object.entries(given)
      .filter(([, value]) => value !== null)
      .map(([name, value]) => [name, withoutNulls(value)]),
  );
}
