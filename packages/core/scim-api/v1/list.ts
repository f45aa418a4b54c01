/** Lists of users and of groups: pages where they are asked for, otherwise all there are as far as one answer can hold them. */

import type { Group } from "../../identities/groups/model.ts";
import type { User } from "../../identities/users/model.ts";
import { listPage, type Page, type Query, type Source } from "../../listing/list.ts";
import { orderOf, type SortRequest } from "../../listing/order.ts";
import { indexPage, type PageNumbers } from "../../listing/paging.ts";
import { Fault } from "../../platform/faults.ts";
import { limits } from "../../scim/discovery.ts";
import { bindFilter } from "../../scim/filter/bind.ts";
import { type BoundFilter, pathName } from "../../scim/filter/bound.ts";
import type { Resource, ResourceType } from "../../scim/schema/attribute.ts";
import { groupType, userType } from "../../scim/schema/resource-types.ts";
import { canonicalIn, groupSource, userSource } from "../resources/sources.ts";
import { type Filter, groupFilter, userFilter } from "./filter.ts";
import { attributesNamed } from "./naming.ts";
import { summaryOf } from "./present.ts";
import { CORE } from "./shapes.ts";
import { type Asking, everything, showAll, showGroups, summary } from "./show.ts";
import type { Scim1Stores } from "./stores.ts";

/** The most resources of a list that is not paged: some 2 MB of summaries, read in a few seconds at worst. */
const UNPAGED_MAX = 5_000;

/** What a request asks for. */
export interface ListRequest extends PageNumbers, SortRequest {
  readonly filter?: string | undefined;
  /** By commas: what is shown beside what always is. */
  readonly attributes?: string | undefined;
}

/** A page as SCIM 1.1 answers it. */
export interface ListAnswer {
  readonly totalResults: number;
  readonly itemsPerPage: number;
  readonly startIndex: number;
  readonly schemas: [typeof CORE];
  readonly Resources: Record<string, unknown>[];
}

/** One kind of resources in a list. */
interface Part<T> {
  readonly type: ResourceType;
  readonly nameAttribute: string;
  readonly sources: readonly Source<T>[];
  readonly filters: readonly (BoundFilter | undefined)[];
  readonly names: Filter["names"];
  readonly show: (things: readonly T[]) => Promise<readonly Resource[]>;
}

/** Lists users. Throws SCIM's refusals of filters, orders and pages, and `scim.too_many` for a list that must be paged. */
export function listUsers(stores: Scim1Stores, asking: Asking, request: ListRequest): Promise<ListAnswer> {
  const filter = userFilter(userType, request.filter);
  const { projection, finish } = shownIn(userType, stores, request);
  const part: Part<User> = {
    type: userType,
    nameAttribute: "userName",
    sources: stores.userStores.map((store) => userSource(stores, asking, store)),
    filters: boundFor(userType, filter, stores.userStores),
    names: filter.names,
    show: async (users) => (await showAll(stores, asking, users, projection)).map(finish),
  };
  return list(part, request);
}

/** Lists groups. Throws as `listUsers` does. */
export function listGroups(stores: Scim1Stores, asking: Asking, request: ListRequest): Promise<ListAnswer> {
  const filter = groupFilter(groupType, request.filter, stores.userStores);
  const { projection, finish } = shownIn(groupType, stores, request);
  const userStores = stores.userStores.filter((store) => filter.userStore === undefined || store === filter.userStore);
  const filters = boundFor(groupType, filter, userStores);
  const part: Part<Group> = {
    type: groupType,
    nameAttribute: "displayName",
    sources: userStores.map((store) => groupSource(stores, asking, store)),
    filters,
    names: filter.names,
    show: async (groups) => (await showGroups(stores, asking, groups, projection)).map(finish),
  };
  return list(part, request);
}

/** How the resources of a list are shown: by the spec in part, unless the deployment has lists show all of them. */
function shownIn(type: ResourceType, { dialect }: Scim1Stores, { attributes = "" }: ListRequest) {
  const isWhole = dialect.listsWhole && attributes.trim() === "";
  return isWhole
    ? { projection: everything(type), finish: (resource: Resource) => resource }
    : { projection: summary(type, attributes), finish: summaryOf };
}

function boundFor(type: ResourceType, { syntax }: Filter, userStores: readonly string[]): (BoundFilter | undefined)[] {
  return userStores.map(
    (store) => syntax && bindFilter(type, syntax, { unknown: "refuse", canonical: canonicalIn(store) }),
  );
}

async function list<T>(part: Part<T>, request: ListRequest): Promise<ListAnswer> {
  const { type, nameAttribute, sources, filters, names, show } = part;
  const query: Query = { filters, names, ...orderOf(type, nameAttribute, sortOf(type, request)) };
  const { startIndex, page } = await windowOf(sources, query, request);
  const resources = await show(page.things);
  return {
    totalResults: page.total,
    itemsPerPage: resources.length,
    startIndex,
    schemas: [CORE],
    Resources: resources.map((resource) => ({ ...resource })),
  };
}

/** The attribute to sort by, as SCIM 2.0 calls it. */
function sortOf(type: ResourceType, { sortBy, sortOrder }: SortRequest): SortRequest {
  if (sortBy === undefined || sortBy.trim() === "") return {};
  const [path] = attributesNamed(type, sortBy);
  if (!path)
    throw new Fault(
      "request.invalid",
      `sortBy names "${sortBy.slice(0, 100)}", which is no attribute of ${type.name.toLowerCase()}s.`,
    );
  return { sortBy: pathName(path), sortOrder };
}

/**
 * The part of a list that is asked for. One that is not paged is complete, or refused: it is read as a page first, which is
 * all of most lists and tells how long the others are.
 */
async function windowOf<T>(sources: readonly Source<T>[], query: Query, request: ListRequest) {
  if (isGiven(request.startIndex) || isGiven(request.count)) {
    const { startIndex, count } = indexPage(request);
    return { startIndex, page: await listPage(sources, query, { offset: startIndex - 1, limit: count }) };
  }
  const first: Page<T> = await listPage(sources, query, { offset: 0, limit: limits.pageSizeMax });
  if (first.total <= limits.pageSizeMax && !first.hasMore) return { startIndex: 1, page: first };
  if (first.total > UNPAGED_MAX) throw unpageable(first.total, UNPAGED_MAX);
  const page = await listPage(sources, query, { offset: 0, limit: UNPAGED_MAX });
  if (page.total > UNPAGED_MAX || page.hasMore) throw unpageable(page.total, UNPAGED_MAX);
  return { startIndex: 1, page };
}

function isGiven(number: string | number | undefined): boolean {
  return number !== undefined && number !== "";
}

function unpageable(total: number, max: number): Fault {
  return new Fault(
    "scim.too_many",
    `The list has ${total} resources; without paging at most ${max} are answered. Page through it with startIndex and count, such as startIndex=1&count=${limits.pageSizeMax} (the most of one page), then startIndex=${limits.pageSizeMax + 1}, or narrow it with a filter.`,
  );
}
