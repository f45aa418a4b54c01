/** The list of API resources: filter, cursor paging, links, as upstream's. */
import type * as z from "zod";
import type { ApiSummary } from "../domain/api-resource.ts";
import { Fault } from "../platform/faults.ts";
import { matches, parseFilter } from "../platform/filter/filter.ts";
import { LIMIT_DEFAULT, LIMIT_MAX } from "./contract.ts";
import { collectionOf, presentSummary } from "./present.ts";
import type { ApiResourceList } from "./shapes.ts";
import type { ApiResourceStore } from "./store.ts";

const filterable = ["name", "identifier", "type"] as const;

/** The query of the list, parsed by the contract. */
export interface ListQuery {
  readonly limit?: number | undefined;
  readonly after?: string | undefined;
  readonly before?: string | undefined;
  readonly filter?: string | undefined;
  readonly attributes?: string | undefined;
}

const vocabulary = {
  attributes: filterable,
  unknownAttribute: "filter.attribute",
  example: "name co Booking or identifier sw https://",
} as const;

type Link = z.input<typeof ApiResourceList>["links"][number];

/**
 * One page of a tenant's API resources with the exact total. One round trip. A cursor stays good when what it stands at is
 * deleted. Throws `api_resource.filter_invalid`, `limit_invalid`, `two_cursors`, `cursor_invalid`, `attribute_unknown`.
 */
export async function listApiResources(
  store: ApiResourceStore,
  tenant: string,
  query: ListQuery,
): Promise<z.input<typeof ApiResourceList>> {
  const limit = limitOf(query);
  const withProperties = showsProperties(query);
  const test = testOf(query.filter);
  const found = (await store.summaries(tenant)).filter(test);
  const [from, to] = pageOf(query, limit, found);
  const page = found.slice(from, to);
  const [first, last] = [page[0], page.at(-1)];
  const rest = query.filter?.trim() ? `&${new URLSearchParams({ filter: query.filter })}` : "";
  const link = (rel: Link["rel"], cursor: Record<string, string>): Link => ({
    rel,
    href: `${collectionOf(tenant)}?limit=${limit}${rest}&${new URLSearchParams(cursor)}`,
  });
  return {
    totalResults: found.length,
    links: [
      ...(first && from > 0 ? [link("previous", { before: toCursor(first) })] : []),
      ...(last && to < found.length ? [link("next", { after: toCursor(last) })] : []),
    ],
    apiResources: page.map((api) => presentSummary(tenant, api, withProperties)),
  };
}

function limitOf({ limit = LIMIT_DEFAULT }: ListQuery): number {
  if (limit >= 1) return Math.min(limit, LIMIT_MAX);
  throw new Fault("api_resource.limit_invalid", "Limit should be a positive integer.");
}

function showsProperties({ attributes }: ListQuery): boolean {
  const wished = (attributes ?? "").split(",").filter((name) => name !== "");
  const unknown = wished.find((name) => name !== "properties");
  if (unknown === undefined) return wished.length > 0;
  throw new Fault(
    "api_resource.attribute_unknown",
    `Invalid attribute name '${unknown.slice(0, 50)}' provided as required attribute; use properties.`,
  );
}

/** The filter as a test. Its faults get upstream's code for this list. */
function testOf(filter: string | undefined): (api: ApiSummary) => boolean {
  if (!filter?.trim()) return () => true;
  try {
    const parsed = parseFilter(filter, vocabulary);
    return ({ name, identifier, type }) => matches(parsed, { name, identifier, type });
  } catch (error) {
    if (error instanceof Fault) throw new Fault("api_resource.filter_invalid", error.description, { cause: error });
    throw error;
  }
}

/** The first and the end index of the page. */
function pageOf(query: ListQuery, limit: number, all: readonly ApiSummary[]): readonly [number, number] {
  if (query.before && query.after) {
    throw new Fault(
      "api_resource.two_cursors",
      "Both before and after parameters cannot be provided at the same time.",
    );
  }
  if (query.before) {
    const { ahead } = placeOf(query.before, all);
    return [Math.max(0, ahead - limit), ahead];
  }
  const from = query.after ? placeOf(query.after, all).behind : 0;
  return [from, from + limit];
}

/** Where a cursor stands in a list: `ahead` counts what comes before it, `behind` what comes before the first one after it. */
function placeOf(cursor: string, all: readonly ApiSummary[]): { readonly ahead: number; readonly behind: number } {
  const id = Buffer.from(cursor, "base64").toString("utf8");
  if (!/^[0-9a-f-]{36}$/.test(id)) {
    throw new Fault("api_resource.cursor_invalid", "Invalid cursor used for pagination: take it from a link.");
  }
  const at = all.findIndex((api) => api.id === id);
  if (at >= 0) return { ahead: at, behind: at + 1 };
  // What it stood at is gone, so it was one of the tenant's own, which lie newest first, ahead of the system's.
  const next = all.findIndex((api) => api.type !== "BUSINESS" || api.id < id);
  const place = next < 0 ? all.length : next;
  return { ahead: place, behind: place };
}

/** A cursor names the API resource that it stands at, in Base64 as upstream's do. */
function toCursor({ id }: ApiSummary): string {
  return Buffer.from(id, "utf8").toString("base64");
}
