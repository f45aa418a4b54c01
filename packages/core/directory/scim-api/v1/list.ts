/**
 * Lists of SCIM 1.1: a page if the request has paging parameters, otherwise the whole list if one response can hold it.
 */

import { Fault } from "../../../kernel/faults.ts";
import { listPage, type Page } from "../../../scim/listing/list.ts";
import { indexPage, type PageRequest, type SortRequest } from "../../../scim/listing/request.ts";
import { limits } from "../../../scim/protocol/discovery.ts";
import { pathName } from "../../../scim/protocol/filter/bound.ts";
import type { Resource, ResourceType } from "../../../scim/protocol/schema/attribute.ts";
import { hintFor } from "../../../scim/protocol/schema/paths.ts";
import { scim1GroupType, userType } from "../../../scim/protocol/schema/resource-types.ts";
import { groupsListed, type Listing, usersListed } from "../resources/list.ts";
import { showUsers } from "../resources/show.ts";
import { showGroups } from "../resources/show-groups.ts";
import { groupFilter, userFilter } from "./filter.ts";
import { attributesNamed } from "./naming.ts";
import { groupShown, summaryOf, userShown } from "./present.ts";
import { everything, summary } from "./projection.ts";
import { CORE } from "./shapes.ts";
import type { Scim1Call } from "./stores.ts";

/** The most resources of a list without pages: some 2 MB of summaries, read in a few seconds at most. */
const UNPAGED_MAX = 5_000;

/** The parameters of a list. */
export interface ListRequest extends PageRequest, SortRequest {
  readonly filter?: string | undefined;
  /** Comma-separated: attributes to show besides those that are always shown. */
  readonly attributes?: string | undefined;
}

/** A list or a page of it, as SCIM 1.1 shows it. */
export interface ListResult {
  readonly totalResults: number;
  readonly itemsPerPage: number;
  readonly startIndex: number;
  readonly schemas: [typeof CORE];
  readonly Resources: Record<string, unknown>[];
}

interface StartedPage<T> extends Page<T> {
  readonly startIndex: number;
}

/**
 * Lists users. Throws the faults of SCIM for filters, orders and pages, and `scim.too_many` for a list that needs
 * pages.
 */
export async function listUsers(call: Scim1Call, request: ListRequest): Promise<ListResult> {
  const { userStores } = call.stores;
  const filter = userFilter(userType, request.filter);
  const { projection, finish } = shownIn(userType, call, request);
  const target = { ...filter, type: userType, userStores };
  const page = await pageOf(usersListed(call, target, sortOf(userType, request)), request);
  const resources = await showUsers(call, page.items, projection);
  return resultOf(
    page,
    resources.map((resource) => finish(userShown(resource, userStores))),
  );
}

/** Lists groups. Throws as `listUsers` does. */
export async function listGroups(call: Scim1Call, request: ListRequest): Promise<ListResult> {
  const { userStore, ...filter } = groupFilter(scim1GroupType, request.filter, call.stores.userStores);
  const userStores = call.stores.userStores.filter((store) => userStore === undefined || store === userStore);
  const { projection, finish } = shownIn(scim1GroupType, call, request);
  const target = { ...filter, type: scim1GroupType, userStores };
  const page = await pageOf(groupsListed(call, target, sortOf(scim1GroupType, request)), request);
  const resources = await showGroups(call, page.items, projection);
  return resultOf(
    page,
    page.items.map((group, at) => finish(groupShown(resources[at] ?? {}, group))),
  );
}

/** Lists show a part of their resources, unless the settings require whole resources. */
function shownIn(type: ResourceType, { stores: { dialect } }: Scim1Call, { attributes = "" }: ListRequest) {
  const isWhole = dialect.listsWhole && attributes.trim() === "";
  return isWhole
    ? { projection: everything(type), finish: (resource: Resource) => resource }
    : { projection: summary(type, attributes), finish: summaryOf };
}

/** The order, with the attribute's name in SCIM 2.0. */
function sortOf(type: ResourceType, { sortBy, sortOrder }: SortRequest): SortRequest {
  if (sortBy === undefined || sortBy.trim() === "") return {};
  const [path] = attributesNamed(type, sortBy);
  if (path) return { sortBy: pathName(path), sortOrder };
  const name = sortBy.slice(0, 100);
  throw new Fault(
    "request.invalid",
    `sortBy: "${name}" is not an attribute of ${type.name.toLowerCase()}s.${hintFor(type, name)}`,
  );
}

/**
 * The requested page. Without paging parameters, the whole list: a first page shows its length, and is all of a short
 * list. Throws `scim.too_many` for a longer list than one response holds.
 */
async function pageOf<T>({ sources, query }: Listing<T>, request: ListRequest): Promise<StartedPage<T>> {
  if (isGiven(request.startIndex) || isGiven(request.count)) {
    const { startIndex, count } = indexPage(request);
    return { ...(await listPage(sources, query, { offset: startIndex - 1, limit: count })), startIndex };
  }
  const first = await listPage(sources, query, { offset: 0, limit: limits.pageSizeMax });
  if (first.total <= limits.pageSizeMax && !first.hasMore) return { ...first, startIndex: 1 };
  if (first.total > UNPAGED_MAX) throw needsPages(first.total);
  const page = await listPage(sources, query, { offset: 0, limit: UNPAGED_MAX });
  if (page.total > UNPAGED_MAX || page.hasMore) throw needsPages(page.total);
  return { ...page, startIndex: 1 };
}

function isGiven(number: string | number | undefined): boolean {
  return number !== undefined && number !== "";
}

function needsPages(total: number): Fault {
  return new Fault(
    "scim.too_many",
    `The list has ${total} resources; without pages, at most ${UNPAGED_MAX} are returned. Page with startIndex and count, such as startIndex=1&count=${limits.pageSizeMax} (the largest page), then startIndex=${limits.pageSizeMax + 1}, or narrow the filter.`,
  );
}

function resultOf({ total, startIndex }: StartedPage<unknown>, resources: readonly Resource[]): ListResult {
  return {
    totalResults: total,
    itemsPerPage: resources.length,
    startIndex,
    schemas: [CORE],
    Resources: resources.map((resource) => ({ ...resource })),
  };
}
