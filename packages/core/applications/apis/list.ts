/** The list of API resources: filter, cursors, links, as in WSO2's API. */
import type * as z from "zod";
import type { ApiSummary } from "../../kernel/domain/api-resource.ts";
import { Fault } from "../../kernel/faults.ts";
import { matches, parseFilter } from "../../kernel/filter/filter.ts";
import { LIMIT_DEFAULTS, type ListQuery, type PageLink, pageOf } from "../../kernel/management-api.ts";
import { collectionOf, presentSummary } from "./present.ts";
import type { ApiResourceList } from "./shapes.ts";
import type { ApiResourceStore } from "./store.ts";

const filterable = ["name", "identifier", "type"] as const;

interface CursorQuery extends ListQuery {
  readonly after?: string | undefined;
  readonly before?: string | undefined;
}

const vocabulary = {
  attributes: filterable,
  names: ["name", "identifier"],
  unknownAttribute: "filter.attribute",
  example: "name co Booking or identifier sw https://",
} as const;

/**
 * One page of a tenant's API resources with the exact total. One round trip. A cursor stays valid when its resource is
 * deleted. Throws `api_resource.filter_invalid`, `limit_invalid`, `two_cursors`, `cursor_invalid`, `attribute_unknown`.
 */
export async function listApiResources(
  store: ApiResourceStore,
  tenant: string,
  query: CursorQuery,
): Promise<z.input<typeof ApiResourceList>> {
  if (query.limit !== undefined && query.limit < 1) {
    throw new Fault("api_resource.limit_invalid", "Limit should be a positive integer.");
  }
  const { limit } = pageOf(query, LIMIT_DEFAULTS.administration);
  const withProperties = showsProperties(query);
  const test = testOf(query.filter);
  const found = (await store.summaries(tenant)).filter(test);
  const [from, to] = rangeOf(query, limit, found);
  const page = found.slice(from, to);
  const [first, last] = [page[0], page.at(-1)];
  const rest = query.filter?.trim() ? `&${new URLSearchParams({ filter: query.filter })}` : "";
  const link = (rel: PageLink["rel"], cursor: Record<string, string>): PageLink => ({
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

function showsProperties({ attributes }: ListQuery): boolean {
  const requested = (attributes ?? "").split(",").filter((name) => name !== "");
  const unknown = requested.find((name) => name !== "properties");
  if (unknown === undefined) return requested.length > 0;
  throw new Fault(
    "api_resource.attribute_unknown",
    `Invalid attribute name '${unknown.slice(0, 50)}' provided as required attribute; use properties.`,
  );
}

/** The filter as a test. This list has a fault code of its own for filters. */
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
function rangeOf(query: CursorQuery, limit: number, all: readonly ApiSummary[]): readonly [number, number] {
  if (query.before && query.after) {
    throw new Fault(
      "api_resource.two_cursors",
      "Both before and after parameters cannot be provided at the same time.",
    );
  }
  if (query.before) {
    const { at } = placeOf(query.before, all);
    return [Math.max(0, at - limit), at];
  }
  const from = query.after ? placeOf(query.after, all).after : 0;
  return [from, from + limit];
}

/** A cursor's place: the index of its resource, and the index after it. They are equal if the resource is deleted. */
function placeOf(cursor: string, all: readonly ApiSummary[]): { readonly at: number; readonly after: number } {
  const id = Buffer.from(cursor, "base64").toString("utf8");
  if (!/^[0-9a-f-]{36}$/.test(id)) {
    throw new Fault("api_resource.cursor_invalid", "Invalid cursor used for pagination: use one of a page's links.");
  }
  const at = all.findIndex((api) => api.id === id);
  if (at >= 0) return { at, after: at + 1 };
  // Only APIs of the tenant can be deleted. They are listed newest first, before those of the service.
  const next = all.findIndex((api) => api.type !== "BUSINESS" || api.id < id);
  const place = next < 0 ? all.length : next;
  return { at: place, after: place };
}

/** A cursor is the id of an API resource in Base64. */
function toCursor({ id }: ApiSummary): string {
  return Buffer.from(id, "utf8").toString("base64");
}
