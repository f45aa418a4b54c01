/** The order that a list is asked for (RFC 7644 section 3.4.2.3). */

import { pathName } from "../scim/filter/bound.ts";
import { compareSortValues, readOrder, sortValue } from "../scim/order.ts";
import type { ResourceType } from "../scim/schema/attribute.ts";
import type { Ordering, Query } from "./source.ts";

/** What a request says about the order. */
export interface SortRequest {
  readonly sortBy?: string | undefined;
  readonly sortOrder?: string | undefined;
}

/** Reads the order of a list whose index is in the order of `nameAttribute`. Throws `request.invalid`. */
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
    valueOf: (resource) => sortValue(order, resource),
    compare: (a, b) => compareSortValues(order, a, b),
  };
  return { order: ordering, backwards: false };
}
