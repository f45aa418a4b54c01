/** Lists of roles: roles for all applications first, by name. A tenant has few enough roles to read all of them. */

import type { Role } from "../../identities/roles/model.ts";
import { entryOf } from "../../identities/roles/rows.ts";
import type { Position } from "../../listing/source.ts";
import { bindFilter } from "../../scim/filter/bind.ts";
import { parseFilter } from "../../scim/filter/parse.ts";
import { compareSortValues, type Order, readOrder, sortValue } from "../../scim/order.ts";
import { projectionOf } from "../../scim/projection.ts";
import type { Resource } from "../../scim/schema/attribute.ts";
import { roleType } from "../../scim/schema/role.ts";
import { compareKeys } from "../../table/table.ts";
import { openCursor, sealCursor } from "./cursor.ts";
import { type ListResult, resultOf } from "./list.ts";
import { type CursorRequest, type ListRequest, pagingOf } from "./list-request.ts";
import { roleMatch } from "./role-filter.ts";
import { presentRole, roleResource } from "./role-view.ts";
import type { Scim2Call } from "./stores.ts";

/** The attributes of a role in a list: assignees are shown by each role alone. */
const LISTED = "displayName,externalId,audience,permissions,meta";

/** A role of a list, and its place in the order. */
interface Listed {
  readonly resource: Resource;
  readonly at: Position;
}

type Comparison = (a: Pick<Listed, "at">, b: Pick<Listed, "at">) => number;

/** Lists roles. Throws the faults of SCIM for filters, orders and pages. */
export async function listRoles(call: Scim2Call, request: ListRequest): Promise<ListResult> {
  const { excludedAttributes, filter: text = "", sortBy, sortOrder } = request;
  const { attributes = excludedAttributes === undefined ? LISTED : undefined } = request;
  const projection = projectionOf(roleType, { attributes, excludedAttributes });
  const paging = pagingOf(request);
  const filter = text.trim() === "" ? undefined : bindFilter(roleType, parseFilter(text), { unknown: "refuse" });
  const order = readOrder(roleType, sortBy, sortOrder);
  const [all, isMatch] = await Promise.all([
    call.stores.roles.all(call.tenant),
    filter ? roleMatch(call, filter) : () => true,
  ]);
  const roles = all.flatMap((role): Listed[] => {
    const resource = roleResource(role, call);
    return isMatch(role, resource) ? [listedAs(role, resource, order)] : [];
  });
  const compare = byPlace(order);
  if (order) roles.sort(compare);
  const shown = (page: readonly Listed[]) => page.map(({ resource }) => presentRole(projection, resource));
  if (paging.kind === "cursor") {
    const { page, nextCursor } = pageByCursor(call, request, paging, { roles, compare });
    return resultOf(roles.length, shown(page), nextCursor === undefined ? {} : { nextCursor });
  }
  const { startIndex, count } = paging;
  return resultOf(roles.length, shown(roles.slice(startIndex - 1, startIndex - 1 + count)), { startIndex });
}

/** A page by cursor, which holds the place of the last role that was shown: it stays when that role is deleted. */
function pageByCursor(
  call: Scim2Call,
  request: ListRequest,
  { cursor, count }: CursorRequest,
  { roles, compare }: { readonly roles: readonly Listed[]; readonly compare: Comparison },
): { readonly page: readonly Listed[]; readonly nextCursor?: string } {
  const scope = { call, endpoint: "/v2/Roles", request };
  const last = cursor === "" ? undefined : openCursor(scope, cursor, count).at;
  const rest = last === undefined ? roles : roles.filter((role) => compare(role, { at: last }) > 0);
  const page = rest.slice(0, count);
  const end = page.at(-1);
  if (end === undefined || page.length === rest.length) return { page };
  return { page, nextCursor: sealCursor(scope, { at: end.at, total: roles.length, count }) };
}

function listedAs(role: Role, resource: Resource, order: Order | undefined): Listed {
  const value = order && sortValue(order, resource);
  return { resource, at: { source: 0, key: entryOf(role), ...(value !== undefined && { value }) } };
}

/** By the order, then by audience and name. */
function byPlace(order: Order | undefined): Comparison {
  return ({ at: a }, { at: b }) =>
    (order ? compareSortValues(order, a.value, b.value) : 0) || compareKeys(a.key, b.key);
}
