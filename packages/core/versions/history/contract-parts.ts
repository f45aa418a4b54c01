/** What all operations on the histories of resources share (decision 0083). */
import { ChangeRecords, PageQuery, Version } from "../../database/changes/shapes.ts";
import type { Operation, Success } from "../../kernel/operation/operation.ts";
import * as z from "../../kernel/zod.ts";

export const SOURCE = "decision 0083";

/** The changes of one resource. */
export const listed = {
  seesScopes: true,
  query: PageQuery,
  success: { status: 200, body: ChangeRecords },
  failures: [400, 404],
} as const;

/** The path parameters of a version, given those of the resource. */
export const versionPart = { version: Version } as const;

/** Reads a resource as it is now. */
interface Reading extends Operation {
  readonly success: Success & { readonly body: z.ZodType };
}

/** Those of some members that a declaration has. */
type Some<O, Names> = Pick<O, Extract<keyof O, Names>>;

type ParamsAt<Params> = z.ZodObject<(Params extends z.ZodObject<infer Shape> ? Shape : unknown) & typeof versionPart>;

/** A resource as it was after one of its changes. */
export function shownAs<S extends z.ZodType>(body: S) {
  return { success: { status: 200, body, etag: "content" }, failures: [400, 404] } as const;
}

/**
 * The operations on the history of what `get` reads: the list of its changes, and the resource as it was after one of
 * them. Who may read the resource may use both.
 */
export function historyOf<const Get extends Reading>(
  get: Get,
  summary: { readonly list: string; readonly at: string },
) {
  const path: Get["path"] = get.path;
  const body: Get["success"]["body"] = get.success.body;
  const common = {
    ...some(get, "service", "scope", "does"),
    method: "GET",
    source: SOURCE,
    staysClosed: true,
  } as const;
  const failures = [...new Set([...listed.failures, ...get.failures])].sort((a, b) => a - b);
  return {
    list: { ...common, path: `${path}/history`, summary: summary.list, ...some(get, "params"), ...listed, failures },
    at: {
      ...common,
      path: `${path}/history/{version}`,
      summary: summary.at,
      params: paramsAt<Get["params"]>(get.params),
      ...some(get, "seesScopes", "query"),
      ...shownAs(body),
      failures,
    },
  } as const;
}

function some<const O extends Operation, Name extends keyof Operation>(declared: O, ...names: readonly Name[]) {
  const own = names.filter((name) => name in declared);
  return Object.fromEntries(own.map((name) => [name, declared[name]])) as Some<O, Name>;
}

/** The parameters of a resource, and its version. */
function paramsAt<Params>(params: Params): ParamsAt<Params>;
function paramsAt(params: z.ZodObject | undefined): z.ZodObject {
  return z.object({ ...params?.shape, ...versionPart });
}
