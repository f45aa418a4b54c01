/** Parameters, headers and responses that SCIM 2.0 operations share. */
import * as z from "zod";
import { text } from "../resources/shapes.ts";
import { Described, ListResponse, ScimGroup, ScimRole, ScimUser } from "./shapes.ts";

export const Projection = z.object({
  attributes: text("Comma-separated: attributes to return, besides those that are always returned"),
  excludedAttributes: text("Comma-separated: attributes to leave out; ignored where attributes is given"),
});
/** The parameters of a list. The handlers read the numbers, because their faults have SCIM's own form. */
export const ListQuery = Projection.extend({
  filter: text("A filter (RFC 7644 section 3.4.2.2)"),
  startIndex: text("The first resource of the page, from 1"),
  count: text("The most resources of the page: 100 by default, at most 200"),
  cursor: text("Pages by cursor (RFC 9865): empty for the first page, then the nextCursor of the previous page"),
  domain: text("The user store to list; all user stores by default"),
  sortBy: text("The attribute to sort by; userName or displayName by default"),
  sortOrder: text("ascending (the default) or descending"),
  sortOder: text("Upstream's spelling of sortOrder; ignored where sortOrder is given"),
});
/** RFC 7644 section 3.14. */
export const IfMatch = z.object({ "if-match": text("The entity tag that the resource must have") });

export const listed = { status: 200, body: ListResponse } as const;
export const userMade = { status: 201, body: ScimUser, location: true, etag: true } as const;
export const userShown = { status: 200, body: ScimUser, location: true, etag: true } as const;
export const groupShown = { status: 200, body: ScimGroup, location: true, etag: true } as const;
export const roleShown = { status: 200, body: ScimRole, location: true, etag: true } as const;
export const described = { status: 200, body: Described } as const;
export const changing = [400, 403, 404, 412] as const;
