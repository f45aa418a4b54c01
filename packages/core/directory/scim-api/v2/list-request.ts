/** Reads list requests: the parameters of a query or the body of a search, and the requested page. */

import { Fault, refuse } from "../../../kernel/faults.ts";
import { checkTogether, valuesTogether } from "../../../kernel/together.ts";
import {
  type IndexPage,
  indexPage,
  integerOf,
  type PageRequest,
  type SortRequest,
} from "../../../scim/listing/request.ts";
import { limits } from "../../../scim/protocol/discovery.ts";
import { pickFrom } from "../../../scim/protocol/input.ts";
import type { Selection } from "../../../scim/protocol/projection.ts";
import { SEARCH_REQUEST } from "./shapes.ts";

/** A list request, as sent. */
export interface ListRequest extends Selection, SortRequest, PageRequest {
  readonly filter?: string | undefined;
  readonly domain?: string | undefined;
  /** Empty for the first page. */
  readonly cursor?: string | undefined;
  /** Throws the faults of members that could not be read, which are told with those of the others. */
  readonly check?: (() => void) | undefined;
}

/** A page by cursor (RFC 9865). */
export interface CursorRequest {
  readonly cursor: string;
  readonly count: number;
}

type Paging = ({ readonly kind: "index" } & IndexPage) | ({ readonly kind: "cursor" } & CursorRequest);

type Value = string | number | readonly string[];

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
  const [, size] = valuesTogether(
    () => {
      if (integerOf("startIndex", startIndex) === undefined) return;
      throw refuse("startIndex and cursor exclude each other. Send one of them.");
    },
    () => {
      const number = integerOf("count", count) ?? limits.pageSizeDefault;
      if (number <= limits.pageSizeMax) return number;
      throw new Fault("scim.count_invalid", `With a cursor, count must be at most ${limits.pageSizeMax}.`);
    },
  );
  return { kind: "cursor", cursor, count: Math.max(0, size) };
}

/** The fault for a list that has no cursors. */
export function noCursor(resources: string): Fault {
  return new Fault("scim.cursor_invalid", `${resources} cannot be paged by cursor. Use startIndex and count.`);
}

/**
 * Reads the body of a search (RFC 7644 section 3.4.3). The case of names does not matter; unknown members are ignored.
 * `check` of the request throws `request.malformed` or `request.invalid` for the members that are left out of it.
 */
export function searchOf(body: Readonly<Record<string, unknown>>): ListRequest {
  const given = pickFrom(body);
  const request: Record<string, Value> = {};
  try {
    checkTogether(
      () => checkSchemas(given("schemas") ?? []),
      ...MEMBERS.map((name) => () => {
        const value = given(name) ?? undefined;
        if (value !== undefined) request[name] = memberValue(name, value);
      }),
    );
    return request;
  } catch (error) {
    // Told with the faults of the members that could be read.
    const check = (): never => {
      throw error;
    };
    return { ...request, check };
  }
}

function checkSchemas(schemas: unknown): void {
  const urns = listed("schemas", schemas);
  const hasUrn = [urns].flat().some((urn) => urn.toLowerCase() === SEARCH_REQUEST.toLowerCase());
  if (urns.length > 0 && !hasUrn) throw refuse(`schemas must contain ${SEARCH_REQUEST}.`);
}

function memberValue(name: (typeof MEMBERS)[number], value: unknown): Value {
  if (name === "attributes" || name === "excludedAttributes") return listed(name, value);
  if (name === "startIndex" || name === "count") {
    if (typeof value !== "number" && typeof value !== "string") throw refuse(`${name} must be a whole number.`);
    integerOf(name, value);
    return value;
  }
  if (typeof value !== "string") throw new Fault("request.malformed", `${name} must be a string.`);
  return value;
}

function listed(name: string, value: unknown): readonly string[] | string {
  if (typeof value === "string") return value;
  if (Array.isArray(value) && value.every((entry) => typeof entry === "string")) return value;
  throw new Fault("request.malformed", `${name} must be an array of strings.`);
}
