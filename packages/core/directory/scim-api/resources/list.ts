/** What a list of users or groups reads, in either SCIM version. */

import { orderOf, type SortRequest } from "../../../scim/listing/request.ts";
import type { Query, Source } from "../../../scim/listing/source.ts";
import { bindFilter } from "../../../scim/protocol/filter/bind.ts";
import { always, type BoundFilter, combined, negated, never, pathName } from "../../../scim/protocol/filter/bound.ts";
import { matches } from "../../../scim/protocol/filter/evaluate.ts";
import type { FilterSyntax } from "../../../scim/protocol/filter/syntax.ts";
import type { ResourceType } from "../../../scim/protocol/schema/attribute.ts";
import type { Group } from "../../groups/model.ts";
import type { User } from "../../users/model.ts";
import type { ScimCall } from "./call.ts";
import { canonicalIn, groupSource, lookupsOnce, userSource } from "./sources.ts";

/** Which resources a list has. */
export interface ListTarget {
  readonly type: ResourceType;
  readonly userStores: readonly string[];
  readonly syntax: FilterSyntax | undefined;
  /** Names that the syntax cannot express. */
  readonly names?: Query["names"];
  /** What an attribute that the type does not have means: a fault (the default), or no match. */
  readonly unknown?: "refuse" | "nothing";
}

/** The resources of one type that a list reads, and in which order. */
export interface Listing<T> {
  readonly sources: readonly Source<T>[];
  readonly query: Query;
}

/** Users. Throws `scim.filter_invalid`, and `request.invalid` for an order. */
export function usersListed(call: ScimCall, target: ListTarget, sort: SortRequest): Listing<User> {
  const idsBy = lookupsOnce(call);
  return {
    query: queryOf(target, "userName", sort),
    sources: target.userStores.map((store) => userSource(call, store, idsBy)),
  };
}

/** Groups. Throws as `usersListed` does. */
export function groupsListed(call: ScimCall, target: ListTarget, sort: SortRequest): Listing<Group> {
  return {
    query: queryOf(target, "displayName", sort),
    sources: target.userStores.map((store) => groupSource(call, store)),
  };
}

function queryOf(
  { type, userStores, syntax, names, unknown = "refuse" }: ListTarget,
  nameAttribute: "userName" | "displayName",
  sort: SortRequest,
): Query {
  const filters = userStores.map((store) => {
    const canonical = canonicalIn(store, nameAttribute);
    return syntax && withoutType(type, bindFilter(type, syntax, { unknown, canonical }));
  });
  return { filters, names, ...orderOf(type, nameAttribute, sort) };
}

/** Decides terms on `meta.resourceType`, which is the same for all resources of a type. */
function withoutType(type: ResourceType, filter: BoundFilter): BoundFilter {
  switch (filter.kind) {
    case "and":
    case "or":
      return combined(
        filter.kind,
        filter.parts.map((part) => withoutType(type, part)),
      );
    case "not":
      return negated(withoutType(type, filter.part));
    case "compare":
    case "present":
      if (pathName(filter.path) !== "meta.resourceType") return filter;
      return matches(filter, { meta: { resourceType: type.name } }) ? always : never;
    default:
      return filter;
  }
}
