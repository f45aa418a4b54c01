/** The path that a request for an unknown path probably means. */
import { segmentsOf } from "./match.ts";
import type { Protections } from "./operation.ts";
import { familyOf } from "./services.ts";

/**
 * Finds the declared path that differs from an unknown one only by letter case or by further slashes; `undefined` where
 * there is none. Takes the path with its tenant, if it names one. The result has `{names}` in place of what the caller
 * sent there, so that it repeats nothing of the request.
 */
export type NearestPath = (path: string) => string | undefined;

interface Template {
  readonly path: string;
  /** In lower case; `undefined` for a parameter. */
  readonly segments: readonly (string | undefined)[];
  readonly literals: number;
}

const TENANT_PREFIX = /^\/t\/[^/]+(?=\/)/i;

/** Prepares the search over the paths of some operations. */
export function nearestPathOf(operations: Protections): NearestPath {
  const templates = [...new Set(Object.values(operations).map(({ path }) => path))].map(templateOf);
  // Literal segments take precedence, as they do where requests are matched.
  templates.sort((a, b) => b.literals - a.literals);
  const find = (path: string): string | undefined => {
    const segments = segmentsOf(path)?.map((segment) => segment.toLowerCase());
    return segments && templates.find((template) => fits(template, segments))?.path;
  };
  return (path) => {
    const single = path.replace(/\/{2,}/g, "/");
    const found = find(single);
    if (found !== undefined || !TENANT_PREFIX.test(single)) return found;
    const inTenant = find(single.replace(TENANT_PREFIX, ""));
    return inTenant !== undefined && familyOf(inTenant) ? `/t/{tenant}${inTenant}` : undefined;
  };
}

function templateOf(path: string): Template {
  const segments = path
    .slice(1)
    .split("/")
    .map((segment) => (segment.startsWith("{") ? undefined : segment.toLowerCase()));
  return { path, segments, literals: segments.filter((segment) => segment !== undefined).length };
}

function fits({ segments }: Template, given: readonly string[]): boolean {
  return (
    segments.length === given.length &&
    segments.every((segment, index) => segment === undefined || segment === given[index])
  );
}
