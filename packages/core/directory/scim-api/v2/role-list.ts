/**
 * Lists of roles: roles for all applications first, by name. A tenant has few enough roles to read all of them.
 *
 * Filters of lists of roles. A list does not read the assignees of its roles, so a filter can only name them by id: the
 * user or group knows its roles. Each caller who lists roles may read the ids of their assignees (decision 0061).
 */
import { compareKeys } from "../../../database/table/table.ts";
import { Fault } from "../../../kernel/faults.ts";
import { valuesTogether } from "../../../kernel/together.ts";
import type { Position } from "../../../scim/listing/source.ts";
import { bindFilter } from "../../../scim/protocol/filter/bind.ts";
import { type BoundFilter, type Leaf, leavesOf, pathName } from "../../../scim/protocol/filter/bound.ts";
import { matches } from "../../../scim/protocol/filter/evaluate.ts";
import { parseFilter } from "../../../scim/protocol/filter/parse.ts";
import { compareSortValues, type Order, readOrder, sortValue } from "../../../scim/protocol/order.ts";
import { projectionOf } from "../../../scim/protocol/projection.ts";
import type { Resource } from "../../../scim/protocol/schema/attribute.ts";
import { roleType } from "../../../scim/protocol/schema/role.ts";
import type { AssigneeKind } from "../../memberships/assignees.ts";
import { audiencesOf } from "../../roles/audiences.ts";
import type { Role } from "../../roles/model.ts";
import { entryOf } from "../../roles/rows.ts";
import { filled } from "../resources/present.ts";
import { settledBulks } from "../resources/show.ts";
import { openCursor, sealCursor } from "./cursor.ts";
import { type ListResult, resultOf } from "./list.ts";
import { type CursorRequest, type ListRequest, pagingOf } from "./list-request.ts";
import { assigneeLists, kinds, roleResource, showListed } from "./role-view.ts";
import type { Scim2Call } from "./stores.ts";

/** What the roles that are compared do not have. Without a refusal, no role would match. */
const unlisted: ReadonlySet<string> = new Set(Object.values(assigneeLists));

/** A user or group that a filter names. */
interface Named {
  readonly kind: AssigneeKind;
  readonly id: string;
}

/** Whether a role, with its resource, matches. */
type RoleMatch = (role: Role, resource: Resource) => boolean;

/** A role of a list, and its place in the order. */
interface Listed {
  readonly role: Role;
  readonly resource: Resource;
  readonly at: Position;
}

type Comparison = (a: Pick<Listed, "at">, b: Pick<Listed, "at">) => number;

/** Lists roles. Throws the faults of SCIM for filters, orders and pages. */
export async function listRoles(call: Scim2Call, request: ListRequest): Promise<ListResult> {
  const { attributes, excludedAttributes, filter: text = "", sortBy, sortOrder } = request;
  const [projection, filter, order, paging] = valuesTogether(
    () => projectionOf(roleType, { attributes, excludedAttributes }),
    () => (text.trim() === "" ? undefined : bindFilter(roleType, parseFilter(text), { unknown: "refuse" })),
    () => readOrder(roleType, sortBy, sortOrder),
    () => pagingOf(request),
    request.check ?? (() => undefined),
  );
  const [all, isMatch] = await Promise.all([
    call.stores.roles.all(call.tenant),
    filter ? roleMatch(call, filter) : () => true,
  ]);
  const audiences = await audiencesOf(call.stores.applicationNames, call.tenant, all);
  const roles = all.flatMap((role): Listed[] => {
    const audience = audiences.get(role.id);
    const resource = audience && roleResource(role, audience, call);
    return resource && isMatch(role, resource) ? [listedAs(role, resource, order)] : [];
  });
  const compare = byPlace(order);
  if (order) roles.sort(compare);
  const shown = (page: readonly Listed[]) => showListed(call, projection, page);
  if (paging.kind === "cursor") {
    const { page, nextCursor } = pageByCursor(call, request, paging, { roles, compare });
    return resultOf(roles.length, await shown(page), nextCursor === undefined ? {} : { nextCursor });
  }
  const { startIndex, count } = paging;
  return resultOf(roles.length, await shown(roles.slice(startIndex - 1, startIndex - 1 + count)), { startIndex });
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
  return { role, resource, at: { source: 0, key: entryOf(role), ...(value !== undefined && { value }) } };
}

/** By the order, then by audience and name. */
function byPlace(order: Order | undefined): Comparison {
  return ({ at: a }, { at: b }) =>
    (order ? compareSortValues(order, a.value, b.value) : 0) || compareKeys(a.key, b.key);
}

/**
 * Reads the users and groups that a filter names. Throws `scim.filter_invalid` for a comparison of what lists do not
 * have. One round trip where users or groups are named, more where a bulk is open; else none.
 */
async function roleMatch(call: Scim2Call, filter: BoundFilter): Promise<RoleMatch> {
  const named = leavesOf(filter).flatMap((leaf) => assigneeIn(leaf) ?? checkListed(leaf));
  const holders = await Promise.all(kinds.map((kind) => holdersOf(call, kind, named)));
  return ({ id }, resource) => {
    // Of its assignees a role gets those that the filter names: equalities ask for no others.
    const assignees = kinds.map((kind, at) =>
      filled(
        assigneeLists[kind],
        (holders[at] ?? []).flatMap((holder) => (holder.roleIds.has(id) ? [{ value: holder.id }] : [])),
      ),
    );
    return matches(filter, Object.assign({ ...resource }, ...assignees));
  };
}

/** The assignee of `users.value eq "id"` or `users[value eq "id"]`; `undefined` for any other comparison. */
function assigneeIn(leaf: Leaf): Named | undefined {
  const test = leaf.kind === "element" ? leaf.where : leaf;
  if (test.kind !== "compare" || test.operator !== "eq" || test.where) return undefined;
  const kind = kinds.find((one) => pathName(test.path) === `${assigneeLists[one]}.value`);
  return kind && { kind, id: String(test.value) };
}

/** Throws `scim.filter_invalid` for a comparison of what roles of a list do not have. */
function checkListed(leaf: Leaf): readonly [] {
  if (leaf.kind === "extension") return [];
  const name = pathName(leaf.path);
  if (unlisted.has(leaf.path.attribute.name) || unlisted.has(name)) {
    throw new Fault(
      "scim.filter_invalid",
      `Lists of roles cannot be filtered by this comparison of '${name}'. Of users and groups, users.value eq "<id>" and groups.value eq "<id>" work; displayName, externalId, audience, permissions, associatedApplications and meta can be compared in any way.`,
    );
  }
  if (leaf.where) leavesOf(leaf.where).forEach(checkListed);
  return [];
}

/** The users or groups that a filter names, with the roles that are assigned to them. */
async function holdersOf(call: Scim2Call, kind: AssigneeKind, named: readonly Named[]) {
  const { stores, tenant } = call;
  const ids = [...new Set(named.flatMap((one) => (one.kind === kind ? [one.id] : [])))];
  if (ids.length === 0) return [];
  const read = () => stores[kind === "user" ? "users" : "groups"].findMany(tenant, ids);
  const [found, isStale] = await Promise.all([read(), settledBulks(call)]);
  const current = isStale ? await read() : found;
  return current.flatMap((holder) => (holder ? [{ id: holder.id, roleIds: new Set(holder.roleIds) }] : []));
}
