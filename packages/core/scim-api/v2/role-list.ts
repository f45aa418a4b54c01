/** Lists of roles: roles for all applications first, by name. A tenant has few enough roles to read all of them. */

import { bindFilter } from "../../scim/filter/bind.ts";
import { matches } from "../../scim/filter/evaluate.ts";
import { parseFilter } from "../../scim/filter/parse.ts";
import { compareBy, readOrder } from "../../scim/order.ts";
import { projectionOf } from "../../scim/projection.ts";
import type { Resource } from "../../scim/schema/attribute.ts";
import { roleType } from "../../scim/schema/role.ts";
import { openCursor, sealCursor } from "./cursor.ts";
import { type ListResult, resultOf } from "./list.ts";
import { type CursorRequest, type ListRequest, pagingOf } from "./list-request.ts";
import { presentRole, roleResource } from "./role-view.ts";
import type { Scim2Call } from "./stores.ts";

/** The attributes of a role in a list: assignees are shown by each role alone. */
const LISTED = "displayName,externalId,audience,permissions,meta";

/** Lists roles. Throws the faults of SCIM for filters, orders and pages. */
export async function listRoles(call: Scim2Call, request: ListRequest): Promise<ListResult> {
  const { excludedAttributes, filter: text = "", sortBy, sortOrder } = request;
  const { attributes = excludedAttributes === undefined ? LISTED : undefined } = request;
  const projection = projectionOf(roleType, { attributes, excludedAttributes });
  const paging = pagingOf(request);
  const filter = text.trim() === "" ? undefined : bindFilter(roleType, parseFilter(text), { unknown: "refuse" });
  const order = readOrder(roleType, sortBy, sortOrder);
  const found = (await call.stores.roles.all(call.tenant))
    .map((role) => roleResource(role, call))
    .filter((resource) => !filter || matches(filter, resource));
  if (order) found.sort(compareBy(order));
  const shown = (page: readonly Resource[]) => page.map((resource) => presentRole(projection, resource));
  if (paging.kind === "cursor") {
    const { page, nextCursor } = pageByCursor(call, request, paging, found);
    return resultOf(found.length, shown(page), nextCursor === undefined ? {} : { nextCursor });
  }
  const { startIndex, count } = paging;
  return resultOf(found.length, shown(found.slice(startIndex - 1, startIndex - 1 + count)), { startIndex });
}

/**
 * A page by cursor, which holds the id of the last role that was shown and its place. The page starts after that role;
 * where it was deleted, at its place.
 */
function pageByCursor(
  call: Scim2Call,
  request: ListRequest,
  { cursor, count }: CursorRequest,
  found: readonly Resource[],
): { readonly page: readonly Resource[]; readonly nextCursor?: string } {
  const scope = { call, endpoint: "/v2/Roles", request };
  const last = cursor === "" ? undefined : openCursor(scope, cursor, count).at;
  const known = last === undefined ? -1 : found.findIndex(({ id }) => id === last.id);
  const start = last === undefined ? 0 : known < 0 ? last.source : known + 1;
  const page = found.slice(start, start + count);
  const end = page.at(-1);
  if (end === undefined || start + count >= found.length) return { page };
  const at = { source: start + page.length - 1, key: "", id: String(end.id) };
  return { page, nextCursor: sealCursor(scope, { at, total: found.length, count }) };
}
