/** Lists and searches of users, of groups, and of both together. */

import { refuse } from "../../../kernel/faults.ts";
import { valuesTogether } from "../../../kernel/together.ts";
import { listAfter, listPage } from "../../../scim/listing/list.ts";
import { indexPage, type SortRequest } from "../../../scim/listing/request.ts";
import { bindFilter } from "../../../scim/protocol/filter/bind.ts";
import { parseFilter } from "../../../scim/protocol/filter/parse.ts";
import { readOrder } from "../../../scim/protocol/order.ts";
import { type Projection, projectionOf } from "../../../scim/protocol/projection.ts";
import type { Resource, ResourceType } from "../../../scim/protocol/schema/attribute.ts";
import type { Group } from "../../groups/model.ts";
import type { User } from "../../users/model.ts";
import { groupsListed, type Listing, type ListTarget, usersListed } from "../resources/list.ts";
import { readNamesState, showUsers } from "../resources/show.ts";
import { showGroups } from "../resources/show-groups.ts";
import { openCursor, sealCursor } from "./cursor.ts";
import { type CursorRequest, type ListRequest, noCursor, pagingOf } from "./list-request.ts";
import { LIST_RESPONSE } from "./shapes.ts";
import type { Scim2Call } from "./stores.ts";

/** A page as SCIM 2.0 shows it. */
export interface ListResult {
  readonly schemas: [typeof LIST_RESPONSE];
  readonly totalResults: number;
  readonly startIndex?: number;
  readonly itemsPerPage: number;
  readonly nextCursor?: string;
  readonly Resources: Record<string, unknown>[];
}

/** The resources of one type: how they are read, and how they are shown. */
interface Part<T> extends Listing<T> {
  readonly endpoint: "/Users" | "/Groups";
  readonly userStores: readonly string[];
  readonly show: (items: readonly T[]) => Promise<readonly Resource[]>;
}

/** Lists users. Throws the faults of SCIM for filters, orders, pages and cursors. */
export function listUsers(call: Scim2Call, request: ListRequest): Promise<ListResult> {
  return listPart(call, request, () => usersOf(call, request, request, "refuse"));
}

/** Lists groups. Throws as `listUsers` does. */
export function listGroups(call: Scim2Call, request: ListRequest): Promise<ListResult> {
  return listPart(call, request, () => groupsOf(call, request, request, "refuse"));
}

/**
 * Lists users, then groups (RFC 7644 section 3.4.2.1). A type that lacks an attribute of the filter has no match.
 * Neither sorting nor cursors span types: the resources of each type are in the order of their names.
 */
export async function listResources(call: Scim2Call, request: ListRequest): Promise<ListResult> {
  const [, , { startIndex, count }, users, groups] = valuesTogether(
    () => {
      if (request.sortBy) throw refuse("Users and groups cannot be sorted together. Leave out sortBy.");
    },
    () => {
      if (request.cursor !== undefined) throw noCursor("Users and groups together");
    },
    () => indexPage(request),
    () => usersOf(call, request, {}, "nothing"),
    () => groupsOf(call, request, {}, "nothing"),
  );
  const offset = startIndex - 1;
  const first = await listPage(users.sources, users.query, { offset, limit: count });
  const second = await listPage(groups.sources, groups.query, {
    offset: Math.max(0, offset - first.total),
    limit: count - first.items.length,
  });
  const [shownUsers, shownGroups] = await Promise.all([users.show(first.items), groups.show(second.items)]);
  return resultOf(first.total + second.total, [...shownUsers, ...shownGroups], { startIndex });
}

/** A page as SCIM 2.0 shows it. */
export function resultOf(
  totalResults: number,
  resources: readonly Resource[],
  page: { readonly startIndex?: number; readonly nextCursor?: string },
): ListResult {
  return {
    schemas: [LIST_RESPONSE],
    totalResults,
    ...page,
    itemsPerPage: resources.length,
    Resources: resources.map((resource) => ({ ...resource })),
  };
}

function usersOf(
  call: Scim2Call,
  request: ListRequest,
  sort: SortRequest,
  unknown: NonNullable<ListTarget["unknown"]>,
): Part<User> {
  const { userType, removesDuplicateUsers } = call.stores.dialect;
  const [projection, target] = partOf(call, userType, request, sort, unknown);
  const listing = usersListed(call, target, sort);
  // Read concurrently with the list.
  const state = readNamesState(call, projection);
  const once = (users: readonly User[]) => [...new Map(users.map((user) => [user.id, user])).values()];
  return {
    ...listing,
    endpoint: "/Users",
    userStores: target.userStores,
    show: (users) => showUsers(call, removesDuplicateUsers ? once(users) : users, projection, state),
  };
}

function groupsOf(
  call: Scim2Call,
  request: ListRequest,
  sort: SortRequest,
  unknown: NonNullable<ListTarget["unknown"]>,
): Part<Group> {
  const { groupType } = call.stores.dialect;
  const [projection, target] = partOf(call, groupType, request, sort, unknown);
  return {
    ...groupsListed(call, target, sort),
    endpoint: "/Groups",
    userStores: target.userStores,
    show: (groups) => showGroups(call, groups, projection),
  };
}

/** What a list shows, and of which resources. Tells the faults of the filter and of the order at once. */
function partOf(
  { stores }: Scim2Call,
  type: ResourceType,
  request: ListRequest,
  { sortBy, sortOrder }: SortRequest,
  unknown: ListTarget["unknown"],
): [Projection, ListTarget] {
  const { domain = "", filter = "" } = request;
  const [projection, userStores, syntax] = valuesTogether(
    () => projectionOf(type, request),
    () => {
      if (domain === "") return stores.userStores;
      const found = stores.userStores.filter((store) => store === domain.toUpperCase());
      if (found.length > 0) return found;
      throw refuse(`domain: Invalid user store domain: ${domain.slice(0, 50)}.`);
    },
    () => {
      const parsed = filter.trim() === "" ? undefined : parseFilter(filter);
      if (parsed) bindFilter(type, parsed, { unknown: unknown ?? "refuse" });
      return parsed;
    },
    () => readOrder(type, sortBy, sortOrder),
    request.check ?? (() => undefined),
  );
  return [projection, { type, userStores, syntax, unknown }];
}

async function listPart<T>(call: Scim2Call, request: ListRequest, read: () => Part<T>): Promise<ListResult> {
  const [part, paging] = valuesTogether(read, () => pagingOf(request));
  if (paging.kind === "cursor") return listByCursor(call, request, part, paging);
  const { startIndex, count: limit } = paging;
  const { items, total } = await listPage(part.sources, part.query, { offset: startIndex - 1, limit });
  return resultOf(total, await part.show(items), { startIndex });
}

/** The total is counted for the first page, and stored in the cursor. */
async function listByCursor<T>(
  call: Scim2Call,
  request: ListRequest,
  { sources, query, endpoint, userStores, show }: Part<T>,
  { cursor, count }: CursorRequest,
): Promise<ListResult> {
  const scope = { call, endpoint, request, userStores };
  const state = cursor === "" ? undefined : openCursor(scope, cursor, count);
  if (count === 0) {
    const { total } = await listPage(sources, query, { offset: 0, limit: 0 });
    return resultOf(state?.total ?? total, [], {});
  }
  const { items, next, total: counted = 0 } = await listAfter(sources, query, state?.at, count);
  const total = state?.total ?? counted;
  const nextCursor = next && sealCursor(scope, { at: next, total, count });
  return resultOf(total, await show(items), nextCursor === undefined ? {} : { nextCursor });
}
