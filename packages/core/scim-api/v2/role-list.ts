/** Lists of roles: roles for all applications first, by name. A tenant has few enough roles to read all of them. */

import { bindFilter } from "../../scim/filter/bind.ts";
import { matches } from "../../scim/filter/evaluate.ts";
import { parseFilter } from "../../scim/filter/parse.ts";
import { compareBy, readOrder } from "../../scim/order.ts";
import { projectionOf } from "../../scim/projection.ts";
import { roleType } from "../../scim/schema/role.ts";
import { type ListResult, resultOf } from "./list.ts";
import { type ListRequest, noCursor, pagingOf } from "./list-request.ts";
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
  if (paging.kind !== "index") throw noCursor("Roles");
  const filter = text.trim() === "" ? undefined : bindFilter(roleType, parseFilter(text), { unknown: "refuse" });
  const order = readOrder(roleType, sortBy, sortOrder);
  const found = (await call.stores.roles.all(call.tenant))
    .map((role) => roleResource(role, call))
    .filter((resource) => !filter || matches(filter, resource));
  if (order) found.sort(compareBy(order));
  const { startIndex, count } = paging;
  const page = found.slice(startIndex - 1, startIndex - 1 + count);
  return resultOf(
    found.length,
    page.map((resource) => presentRole(projection, resource)),
    { startIndex },
  );
}
