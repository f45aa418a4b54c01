/** Lists and searches of users, of groups, and of both together. */

import type { Group } from "../../identities/groups/model.ts";
import type { User } from "../../identities/users/model.ts";
import { listAfter, listPage } from "../../listing/list.ts";
import { orderOf } from "../../listing/order.ts";
import type { Position, Query, Source } from "../../listing/source.ts";
import { Fault } from "../../platform/faults.ts";
import { bindFilter } from "../../scim/filter/bind.ts";
import { always, type BoundFilter, combined, negated, never, pathName } from "../../scim/filter/bound.ts";
import { matches } from "../../scim/filter/evaluate.ts";
import { parseFilter } from "../../scim/filter/parse.ts";
import type { FilterSyntax } from "../../scim/filter/syntax.ts";
import { type Projection, projectionOf } from "../../scim/projection.ts";
import type { Resource, ResourceType } from "../../scim/schema/attribute.ts";
import type { Links } from "../resources/present.ts";
import { showGroups, showUsers, versionBeside } from "../resources/show.ts";
import { canonicalIn, groupSource, userSource } from "../resources/sources.ts";
import { type ListRequest, openCursor, pagingOf, sealCursor } from "./paging.ts";
import { LIST_RESPONSE } from "./shapes.ts";
import type { Scim2Stores } from "./stores.ts";

/** Who asks, and when. */
export interface Asking extends Links {
  readonly subject: string;
  /** The scopes of the credential, where the operation is told. */
  readonly scopes: ReadonlySet<string> | undefined;
  readonly now: number;
}

/** A page as SCIM answers it. */
export interface ListAnswer {
  readonly schemas: [typeof LIST_RESPONSE];
  readonly totalResults: number;
  readonly startIndex?: number;
  readonly itemsPerPage: number;
  readonly nextCursor?: string;
  readonly Resources: Record<string, unknown>[];
}

/** One kind of resources in a list. */
interface Part<T> {
  readonly type: ResourceType;
  readonly nameAttribute: string;
  readonly sources: readonly Source<T>[];
  readonly filters: readonly (BoundFilter | undefined)[];
  readonly show: (things: readonly T[]) => Promise<readonly Resource[]>;
}

/** Lists users. Throws SCIM's refusals of filters, orders, pages and cursors. */
export function listUsers(stores: Scim2Stores, asking: Asking, request: ListRequest): Promise<ListAnswer> {
  const projection = projectionOf(stores.dialect.userType, request);
  return listPart(stores, asking, "/Users", request, userPart(stores, asking, request, projection, "refuse"));
}

/** Lists groups. Throws as `listUsers` does. */
export function listGroups(stores: Scim2Stores, asking: Asking, request: ListRequest): Promise<ListAnswer> {
  const projection = projectionOf(stores.dialect.groupType, request);
  return listPart(stores, asking, "/Groups", request, groupPart(stores, asking, request, projection, "refuse"));
}

/**
 * Lists users and behind them groups (RFC 7644 section 3.4.2.1). A kind that lacks an attribute of the filter has no match;
 * neither sorting nor cursors span kinds: each kind is in the order of its names.
 */
export async function listResources(stores: Scim2Stores, asking: Asking, request: ListRequest): Promise<ListAnswer> {
  if (request.sortBy) throw new Fault("request.invalid", "Users and groups together are not sorted: leave sortBy out.");
  if (request.cursor !== undefined) {
    throw new Fault("scim.cursor_invalid", "Users and groups together are paged by startIndex and count.");
  }
  const { userType, groupType } = stores.dialect;
  const paging = pagingOf(request);
  if (paging.kind !== "index") throw new Error("a cursor was refused before");
  const offset = paging.startIndex - 1;
  const users = userPart(stores, asking, request, projectionOf(userType, request), "nothing");
  const groups = groupPart(stores, asking, request, projectionOf(groupType, request), "nothing");
  const ofUsers = await listPage(users.sources, queryOf(users, {}), { offset, limit: paging.count });
  const ofGroups = await listPage(groups.sources, queryOf(groups, {}), {
    offset: Math.max(0, offset - ofUsers.total),
    limit: paging.count - ofUsers.things.length,
  });
  const [shownUsers, shownGroups] = await Promise.all([users.show(ofUsers.things), groups.show(ofGroups.things)]);
  return answer(ofUsers.total + ofGroups.total, [...shownUsers, ...shownGroups], { startIndex: paging.startIndex });
}

async function listPart<T>(
  stores: Scim2Stores,
  asking: Asking,
  endpoint: string,
  request: ListRequest,
  part: Part<T>,
): Promise<ListAnswer> {
  const query = queryOf(part, request);
  const paging = pagingOf(request);
  const { count } = paging;
  if (paging.kind === "index") {
    const window = { offset: paging.startIndex - 1, limit: count };
    const { things, total } = await listPage(part.sources, query, window);
    return answer(total, await part.show(things), { startIndex: paging.startIndex });
  }
  const scope = { tenant: asking.tenant, subject: asking.subject, endpoint, request, now: asking.now };
  const { cursor } = paging;
  const known = cursor === "" ? undefined : openCursor(stores.seal, scope, cursor, count);
  if (count === 0) {
    const { total } = await listPage(part.sources, query, { offset: 0, limit: 0 });
    return answer(known?.total ?? total, [], {});
  }
  const { things, next, total: counted = 0 } = await listAfter(part.sources, query, known?.at, count);
  // The total is counted once, on the first page, and travels in the cursor.
  const total = known?.total ?? counted;
  const nextCursor = next && sealCursor(stores.seal, scope, next satisfies Position, total, count);
  return answer(total, await part.show(things), nextCursor === undefined ? {} : { nextCursor });
}

function userPart(
  stores: Scim2Stores,
  asking: Asking,
  request: ListRequest,
  projection: Projection,
  unknown: "refuse" | "nothing",
): Part<User> {
  const type = stores.dialect.userType;
  const userStores = storesFor(stores, request.domain);
  const filters = boundFor(type, syntaxOf(request), userStores, unknown);
  // Read beside the list, so that showing names takes no round trip of its own.
  const version = versionBeside(stores, asking.tenant, projection);
  return {
    type,
    nameAttribute: "userName",
    sources: userStores.map((store) => userSource(stores, asking, store)),
    filters,
    show: (users) => showUsers(stores, asking, withoutRepeats(stores, users), projection, version),
  };
}

/** Users that several stores list, once, where the deployment says so. */
function withoutRepeats({ dialect }: Scim2Stores, users: readonly User[]): readonly User[] {
  return dialect.removesDuplicateUsers ? [...new Map(users.map((user) => [user.id, user])).values()] : users;
}

function groupPart(
  stores: Scim2Stores,
  asking: Asking,
  request: ListRequest,
  projection: Projection,
  unknown: "refuse" | "nothing",
): Part<Group> {
  const type = stores.dialect.groupType;
  const userStores = storesFor(stores, request.domain);
  return {
    type,
    nameAttribute: "displayName",
    sources: userStores.map((store) => groupSource(stores, asking, store)),
    filters: boundFor(type, syntaxOf(request), userStores, unknown),
    show: (groups) => showGroups(stores, asking, groups, projection),
  };
}

function storesFor(stores: Scim2Stores, domain: string | undefined): readonly string[] {
  if (domain === undefined || domain === "") return stores.userStores;
  const named = domain.toUpperCase();
  if (stores.userStores.includes(named)) return [named];
  throw new Fault("request.invalid", `Invalid user store domain: ${domain.slice(0, 50)}.`);
}

function boundFor(
  type: ResourceType,
  syntax: FilterSyntax | undefined,
  userStores: readonly string[],
  unknown: "refuse" | "nothing",
): (BoundFilter | undefined)[] {
  return userStores.map(
    (store) => syntax && withoutKind(type, bindFilter(type, syntax, { unknown, canonical: canonicalIn(store) })),
  );
}

/** What a filter says about the kind of resources is decided for all of a kind at once. */
function withoutKind(type: ResourceType, filter: BoundFilter): BoundFilter {
  switch (filter.kind) {
    case "and":
    case "or":
      return combined(
        filter.kind,
        filter.parts.map((part) => withoutKind(type, part)),
      );
    case "not":
      return negated(withoutKind(type, filter.part));
    case "compare":
    case "present":
      if (pathName(filter.path) !== "meta.resourceType") return filter;
      return matches(filter, { meta: { resourceType: type.name } }) ? always : never;
    default:
      return filter;
  }
}

function syntaxOf({ filter }: ListRequest): FilterSyntax | undefined {
  return filter === undefined || filter.trim() === "" ? undefined : parseFilter(filter);
}

function queryOf<T>({ type, nameAttribute, filters }: Part<T>, request: ListRequest): Query {
  return {
    filters,
    ...orderOf(type, nameAttribute, request),
  };
}

function answer(
  totalResults: number,
  resources: readonly Resource[],
  page: { readonly startIndex?: number; readonly nextCursor?: string },
): ListAnswer {
  return {
    schemas: [LIST_RESPONSE],
    totalResults,
    ...page,
    itemsPerPage: resources.length,
    Resources: resources.map((resource) => ({ ...resource })),
  };
}
