/** The path that a request for an unknown path probably means. */
import { distance } from "../nearest.ts";
import { segmentsOf } from "./match.ts";
import type { Protections } from "./operation.ts";
import { familyOf } from "./services.ts";

/**
 * Finds the declared path that differs from an unknown one by letter case or further slashes, else by a few letters, or
 * by a beginning that was left out; `undefined` where there is none. Takes the path with its tenant, if it names one.
 * The result has `{names}` in place of what the caller sent there, so that it repeats nothing of the request.
 */
export type NearestPath = (path: string) => string | undefined;

interface Template {
  readonly path: string;
  /** In lower case; `undefined` for a parameter. */
  readonly segments: readonly (string | undefined)[];
  readonly literals: number;
}

/** Letters that may differ in all segments together. */
const LETTERS_MOST = 3;
/** Longer segments are ids. */
const SEGMENT_MOST = 60;
const BEGINNINGS = ["/api", "/api/server", "/api/server/v1", "/scim2", "/scim2/v2", "/oauth2"];

const TENANT_PREFIX = /^\/t\/[^/]+(?=\/)/i;

/** Prepares the search over the paths of some operations. */
export function nearestPathOf(operations: Protections): NearestPath {
  const templates = [...new Set(Object.values(operations).map(({ path }) => path))].map(templateOf);
  // Literal segments take precedence, as they do where requests are matched.
  templates.sort((a, b) => b.literals - a.literals);
  const find = (path: string): string | undefined => {
    const segments = segmentsOf(path)?.map((segment) => segment.toLowerCase());
    if (!segments) return undefined;
    const [same] = templates.filter((template) => fits(template, segments));
    return (same ?? misspelt(templates, segments) ?? withoutBeginning(templates, segments))?.path;
  };
  return (path) => {
    const single = path.replace(/\/{2,}/g, "/");
    const found = find(single);
    if (found !== undefined || !TENANT_PREFIX.test(single)) return found;
    const inTenant = find(single.replace(TENANT_PREFIX, ""));
    return inTenant !== undefined && familyOf(inTenant) ? `/t/{tenant}${inTenant}` : undefined;
  };
}

/** The template with the least letters to change, all in all and in each segment. */
function misspelt(templates: readonly Template[], given: readonly string[]): Template | undefined {
  if (given.some((segment) => segment.length > SEGMENT_MOST)) return undefined;
  let best: { readonly template: Template; readonly letters: number } | undefined;
  for (const template of templates) {
    const letters = lettersApart(template, given, best?.letters ?? LETTERS_MOST + 1);
    if (letters !== undefined) best = { template, letters };
  }
  return best?.template;
}

/** How many letters a path is apart from a template; `undefined` for `limit` letters or more, or too many at once. */
function lettersApart({ segments }: Template, given: readonly string[], limit: number): number | undefined {
  if (segments.length !== given.length) return undefined;
  let letters = 0;
  for (const [index, segment] of segments.entries()) {
    const sent = given[index] ?? "";
    if (segment === undefined || segment === sent) continue;
    if (Math.abs(segment.length - sent.length) > LETTERS_MOST) return undefined;
    const apart = distance(segment, sent);
    letters += apart;
    if (letters >= limit || apart > segment.length / 2) return undefined;
  }
  return letters;
}

/** The template that ends as the path does, where the path lacks its beginning, such as `/api/server/v1`. */
function withoutBeginning(templates: readonly Template[], given: readonly string[]): Template | undefined {
  return templates.find(({ segments, path }) => {
    const missing = segments.length - given.length;
    const isBeginning =
      missing > 0 &&
      BEGINNINGS.includes(
        path
          .split("/")
          .slice(0, missing + 1)
          .join("/"),
      );
    return isBeginning && fits({ path, segments: segments.slice(missing), literals: 0 }, given) && given[0] !== "";
  });
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
