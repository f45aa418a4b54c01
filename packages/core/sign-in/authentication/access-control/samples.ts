/** Requests that lead to operations, to try access rules on. Pure. */
import type { Protection, Protections } from "../../../kernel/operation/operation.ts";

/** A request that an operation serves. */
export interface Sample {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  readonly declared: Protection;
}

const SAMPLE_ID = "01a1fcb5-eb5d-70e7-9787-60a3d6f9978b";

/** One request for every operation, by its id, with any ids in its path. */
export function anySamples(operations: Protections): ReadonlyMap<string, Sample> {
  return new Map(
    Object.entries(operations).map(([id, declared]) => [
      id,
      { id, method: declared.method, path: declared.path.replace(/\{\w+\}/g, SAMPLE_ID), declared },
    ]),
  );
}

/**
 * Sample requests for every operation: with any id, and with the id that the context of the rule names. A literal
 * segment of another path is no id: the router prefers literals, so no application has the id `meta`.
 */
export function samplesFor(operations: Protections, context: string): readonly Sample[] {
  const segments = context.split("/");
  const isLiteral = literalsOf(operations);
  return [...anySamples(operations).values()].flatMap((any) => {
    const { path: declared } = any.declared;
    const named = declared.split("/").map((segment, at) => {
      const given = segments[at] ?? "";
      return segment.startsWith("{") && /^[\w.:-]+$/.test(given) ? given : segment.replace(/\{\w+\}/, SAMPLE_ID);
    });
    const paths = new Set([named.join("/"), any.path]);
    return [...paths].filter((path) => leadsTo(declared, path, isLiteral)).map((path) => ({ ...any, path }));
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
    const end = segment.toLowerCase();
    if (end === SAMPLE_ID) return false;
    const start = before.map((each) => each.toLowerCase());
    return paths.some((path) => path[start.length] === end && start.every((each, at) => fits(path[at], each)));
  };
}
