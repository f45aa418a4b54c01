/** Reads the order and the page of a list request. Both throw `request.invalid`. */
import { Fault } from "../../kernel/faults.ts";
import { valuesTogether } from "../../kernel/together.ts";
import { limits } from "../protocol/discovery.ts";
import { pathName } from "../protocol/filter/bound.ts";
import { compareSortValues, readOrder, sortValue } from "../protocol/order.ts";
import type { ResourceType } from "../protocol/schema/attribute.ts";
import type { Ordering, Query } from "./source.ts";

/** The order, as sent (RFC 7644 section 3.4.2.3). */
export interface SortRequest {
  readonly sortBy?: string | undefined;
  readonly sortOrder?: string | undefined;
}

/** The page, as sent (RFC 7644 section 3.4.2.4). */
export interface PageRequest {
  readonly startIndex?: string | number | undefined;
  readonly count?: string | number | undefined;
}

/** At most `count` resources, from the 1-based `startIndex`. */
export interface IndexPage {
  readonly startIndex: number;
  readonly count: number;
}

/** The order of a list whose name index holds `nameAttribute`. */
export function orderOf(
  type: ResourceType,
  nameAttribute: string,
  { sortBy, sortOrder }: SortRequest,
): Pick<Query, "order" | "backwards" | "anyOrder"> {
  const order = readOrder(type, sortBy, sortOrder);
  if (!order) return { order: undefined, backwards: false, anyOrder: true };
  const { path, descending } = order;
  if (!path.extension && path.attribute.name === nameAttribute) return { order: undefined, backwards: descending };
  const ordering: Ordering = {
    attribute: pathName(path),
    descending,
    valueOf: (resource) => sortValue(order, resource),
    compare: (a, b) => compareSortValues(order, a, b),
  };
  return { order: ordering, backwards: false };
}

/**
 * The page: 100 resources by default, at most 200. Numbers below the minimum count as the minimum, as RFC 7644
 * specifies.
 */
export function indexPage({ startIndex, count }: PageRequest): IndexPage {
  const [from = 1, size = limits.pageSizeDefault] = valuesTogether(
    () => integerOf("startIndex", startIndex),
    () => integerOf("count", count),
  );
  return { startIndex: Math.max(1, from), count: Math.min(limits.pageSizeMax, Math.max(0, size)) };
}

/** A number of a request; `undefined` where it is left out or empty. */
export function integerOf(name: string, given: string | number | undefined): number | undefined {
  if (given === undefined || given === "") return undefined;
  const number = typeof given === "number" ? given : /^[+-]?\d{1,15}$/.test(given.trim()) ? Number(given) : Number.NaN;
  if (!Number.isSafeInteger(number)) throw new Fault("request.invalid", `${name} must be a whole number.`);
  return number;
}
