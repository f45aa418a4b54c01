/** Paths, parameters, headers and answers that SCIM 2.0 operations share. */
import * as z from "zod";
import { Described, ListResponse, ScimGroup, ScimRole, ScimUser } from "./shapes.ts";

export const Projection = z.object({
  attributes: text("Comma-separated: the attributes to answer, beside those that always are"),
  excludedAttributes: text("Comma-separated: the attributes to leave out; ignored beside attributes"),
});
/** The parameters of a list. Numbers are read by the handlers, whose refusals are SCIM's own. */
export const ListQuery = Projection.extend({
  filter: text("A filter (RFC 7644 section 3.4.2.2)"),
  startIndex: text("The first resource of the page, from 1"),
  count: text("The most resources of the page: 100 where it is left out, never more than 200"),
  cursor: text("Pages by cursor (RFC 9865): empty for the first page, then the nextCursor of the page before"),
  domain: text("The user store to look in; all of them where it is left out"),
  sortBy: text("The attribute to sort by; userName or displayName where it is left out"),
  sortOrder: text("ascending (where it is left out) or descending"),
  sortOder: text("Upstream's spelling of sortOrder; ignored beside it"),
});
export const Path = z.object({ id: z.string().max(1_024) });
/** RFC 7644 section 3.14. */
export const IfMatch = z.object({ "if-match": text("The entity tag that the resource must have") });

/** A group of 20,000 members has so many members in its JSON; so have more operations than are carried out, which a sentence tells. */
export const MANY_MEMBERS = { members: 100_000 } as const;
export const listed = { status: 200, body: ListResponse } as const;
export const userMade = { status: 201, body: ScimUser, location: true, etag: true } as const;
export const userShown = { status: 200, body: ScimUser, location: true, etag: true } as const;
export const groupShown = { status: 200, body: ScimGroup, location: true, etag: true } as const;
export const roleShown = { status: 200, body: ScimRole, location: true, etag: true } as const;
export const described = { status: 200, body: Described } as const;
export const changing = [400, 403, 404, 412] as const;

export function text(description: string) {
  return z.string().max(16_384).optional().meta({ description });
}
