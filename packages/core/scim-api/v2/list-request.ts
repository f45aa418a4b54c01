/** Reads list requests: the parameters of a query or the body of a search, and the requested page. */
import { type IndexPage, indexPage, integerOf, type PageRequest, type SortRequest } from "../../listing/request.ts";
import { Fault } from "../../platform/faults.ts";
import { limits } from "../../scim/discovery.ts";
import type { Selection } from "../../scim/projection.ts";
import { SEARCH_REQUEST } from "./shapes.ts";

/** A list request, as sent. */
export interface ListRequest extends Selection, SortRequest, PageRequest {
  readonly filter?: string | undefined;
  readonly domain?: string | undefined;
  /** Empty for the first page. */
  readonly cursor?: string | undefined;
}

/** A page by cursor (RFC 9865). */
export interface CursorRequest {
  readonly cursor: string;
  readonly count: number;
}

type Paging = ({ readonly kind: "index" } & IndexPage) | ({ readonly kind: "cursor" } & CursorRequest);

const MEMBERS = [
  "attributes",
  "excludedAttributes",
  "filter",
  "domain",
  "sortBy",
  "sortOrder",
  "startIndex",
  "count",
  "cursor",
] as const;

/**
 * The page of a request. Throws `request.invalid`, and `scim.count_invalid` for a page that is too large for a cursor.
 */
export function pagingOf({ startIndex, count, cursor }: ListRequest): Paging {
  if (cursor === undefined) return { kind: "index", ...indexPage({ startIndex, count }) };
  const size = integerOf("count", count) ?? limits.pageSizeDefault;
  if (integerOf("startIndex", startIndex) !== undefined) {
    throw refuse("startIndex and cursor exclude each other. Send one of them.");
  }
  if (size > limits.pageSizeMax) {
    throw new Fault("scim.count_invalid", `With a cursor, count must be at most ${limits.pageSizeMax}.`);
  }
  return { kind: "cursor", cursor, count: Math.max(0, size) };
}

/** The fault for a list that has no cursors. */
export function noCursor(resources: string): Fault {
  return new Fault("scim.cursor_invalid", `${resources} cannot be paged by cursor. Use startIndex and count.`);
}

/**
 * Reads the body of a search (RFC 7644 section 3.4.3). The case of names does not matter; unknown members are ignored.
 */
export function searchOf(body: Readonly<Record<string, unknown>>): ListRequest {
  const given = new Map(Object.entries(body).map(([name, value]) => [name.toLowerCase(), value]));
  const schemas = given.get("schemas") ?? [];
  const urns = listed("schemas", schemas);
  const hasUrn = [urns].flat().some((urn) => urn.toLowerCase() === SEARCH_REQUEST.toLowerCase());
  if (urns.length > 0 && !hasUrn) throw refuse(`schemas must contain ${SEARCH_REQUEST}.`);
  const request: Record<string, string | number | readonly string[]> = {};
  for (const name of MEMBERS) {
    const value = given.get(name.toLowerCase());
    if (value === undefined || value === null) continue;
    if (name === "attributes" || name === "excludedAttributes") request[name] = listed(name, value);
    else if (name === "startIndex" || name === "count") {
      if (typeof value !== "number" && typeof value !== "string") throw refuse(`${name} must be a whole number.`);
      request[name] = value;
    } else {
      if (typeof value !== "string") throw new Fault("request.malformed", `${name} must be a string.`);
      request[name] = value;
    }
  }
  return request;
}

function listed(name: string, value: unknown): readonly string[] | string {
  if (typeof value === "string") return value;
  if (Array.isArray(value) && value.every((entry) => typeof entry === "string")) return value;
  throw new Fault("request.malformed", `${name} must be an array of strings.`);
}

function refuse(description: string): Fault {
  return new Fault("request.invalid", description);
}
