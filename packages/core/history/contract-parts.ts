/** What all operations on the histories of resources share (decision 0083). */
import { ChangeRecords, PageQuery, Version } from "../changes/shapes.ts";
import type * as z from "../platform/zod.ts";

export const SOURCE = "decision 0083";

/** The changes of one resource. */
export const listed = {
  seesScopes: true,
  query: PageQuery,
  success: { status: 200, body: ChangeRecords },
  failures: [400, 404],
} as const;

/** A resource as it was after one of its changes. */
export function shownAs<S extends z.ZodType>(body: S) {
  return { success: { status: 200, body, etag: "content" }, failures: [400, 404] } as const;
}

/** The path parameters of a version, given those of the resource. */
export const versionPart = { version: Version } as const;
