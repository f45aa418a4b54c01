/** What a list request asks for: numbers read strictly, cursors sealed (reference scim.md sections 3.7, 3.8 and 5). */
import { createHash } from "node:crypto";
import type { Position } from "../../listing/list.ts";
import { indexPage, wholeNumber } from "../../listing/paging.ts";
import { Fault } from "../../platform/faults.ts";
import type { Seal } from "../../platform/seal.ts";
import { limits } from "../../scim/discovery.ts";
import { SEARCH_REQUEST } from "./shapes.ts";

const { pageSizeDefault: PAGE_DEFAULT, pageSizeMax: PAGE_MAX, cursorTimeoutSeconds: CURSOR_TIMEOUT_S } = limits;

/** A list request, whichever way it came. Texts as they were sent. */
export interface ListRequest {
  readonly attributes?: string | readonly string[] | undefined;
  readonly excludedAttributes?: string | readonly string[] | undefined;
  readonly filter?: string | undefined;
  readonly domain?: string | undefined;
  readonly sortBy?: string | undefined;
  readonly sortOrder?: string | undefined;
  readonly startIndex?: string | number | undefined;
  readonly count?: string | number | undefined;
  /** Empty for the first page. */
  readonly cursor?: string | undefined;
}

/** Which page is asked for. */
type Paging =
  | { readonly kind: "index"; readonly startIndex: number; readonly count: number }
  | { readonly kind: "cursor"; readonly cursor: string; readonly count: number };

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

/** Whom and what a cursor is for: it opens for nobody else and for nothing else. */
interface CursorScope {
  readonly tenant: string;
  readonly subject: string;
  readonly endpoint: string;
  readonly request: ListRequest;
  readonly now: number;
}

/** What a cursor holds. */
interface CursorState {
  /** Behind what the page begins. */
  readonly at: Position;
  readonly total: number;
  readonly count: number;
  /** A digest of what the walk lists. */
  readonly query: string;
  readonly until: number;
}

/** Reads the paging of a request. Throws `request.invalid`, and `scim.count_invalid` for a page that is too large for a cursor. */
export function pagingOf({ startIndex, count, cursor }: ListRequest): Paging {
  if (cursor === undefined) return { kind: "index", ...indexPage({ startIndex, count }) };
  const asked = wholeNumber("count", count) ?? PAGE_DEFAULT;
  if (wholeNumber("startIndex", startIndex) !== undefined)
    throw refuse("startIndex and cursor exclude each other: page by one of them.");
  if (asked > PAGE_MAX)
    throw new Fault("scim.count_invalid", `count must not be greater than ${PAGE_MAX} with a cursor.`);
  return { kind: "cursor", cursor, count: Math.max(0, asked) };
}

/** Reads the body of a search (RFC 7644 section 3.4.3). Members are read whatever their case, unknown ones are ignored. */
export function searchOf(body: Readonly<Record<string, unknown>>): ListRequest {
  const given = new Map(Object.entries(body).map(([name, value]) => [name.toLowerCase(), value]));
  const schemas = given.get("schemas") ?? [];
  const urns = listed("schemas", schemas);
  const hasUrn = [urns].flat().some((urn) => urn.toLowerCase() === SEARCH_REQUEST.toLowerCase());
  if (urns.length > 0 && !hasUrn) throw refuse(`schemas must hold ${SEARCH_REQUEST}.`);
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

/** Seals where a walk stands. The text consists of unreserved characters (RFC 9865). */
export function sealCursor(seal: Seal, scope: CursorScope, at: Position, total: number, count: number): string {
  const state: CursorState = { at, total, count, query: digestOf(scope), until: scope.now + CURSOR_TIMEOUT_S * 1_000 };
  return seal.seal(JSON.stringify(state), ownerOf(scope));
}

/**
 * Opens a cursor. Throws `scim.cursor_invalid` for one that was not given to this caller for this list,
 * `scim.cursor_expired`, and `scim.count_invalid` where another page size is asked for than at first.
 */
export function openCursor(
  seal: Seal,
  scope: CursorScope,
  cursor: string,
  count: number,
): { readonly at: Position; readonly total: number } {
  let state: CursorState;
  try {
    state = JSON.parse(seal.open(cursor, ownerOf(scope))) as CursorState;
  } catch (cause) {
    throw new Fault("scim.cursor_invalid", "The cursor is none that this list gave to this caller.", { cause });
  }
  if (state.query !== digestOf(scope)) {
    throw new Fault(
      "scim.cursor_invalid",
      "The cursor belongs to another list: leave filter, sorting and attributes as they were.",
    );
  }
  if (state.until < scope.now) throw new Fault("scim.cursor_expired", "The cursor has expired: begin anew.");
  if (state.count !== count)
    throw new Fault("scim.count_invalid", `count must stay ${state.count} in a walk by cursor.`);
  return { at: state.at, total: state.total };
}

function refuse(description: string): Fault {
  return new Fault("request.invalid", description);
}

function digestOf({ endpoint, request }: CursorScope): string {
  const { attributes, excludedAttributes, filter, domain, sortBy, sortOrder } = request;
  const text = JSON.stringify([
    endpoint,
    [attributes].flat().join(","),
    [excludedAttributes].flat().join(","),
    filter,
    domain,
    sortBy,
    sortOrder,
  ]);
  return createHash("sha256").update(text).digest("base64url").slice(0, 22);
}

function ownerOf({ tenant, subject }: CursorScope): string {
  return `cursor ${tenant} ${subject}`;
}
