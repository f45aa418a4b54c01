/**
 * Filters of lists of roles. A list does not read the assignees of its roles, so a filter can only name them by id: the
 * user or group knows its roles. Each caller who lists roles may read the ids of their assignees (decision 0061).
 */
import type { AssigneeKind } from "../../identities/memberships/assignees.ts";
import type { Role } from "../../identities/roles/model.ts";
import { Fault } from "../../platform/faults.ts";
import { type BoundFilter, type Leaf, leavesOf, pathName } from "../../scim/filter/bound.ts";
import { matches } from "../../scim/filter/evaluate.ts";
import type { Resource } from "../../scim/schema/attribute.ts";
import { filled } from "../resources/present.ts";
import { settledBulks } from "../resources/show.ts";
import { assigneeLists, kinds } from "./role-view.ts";
import type { Scim2Call } from "./stores.ts";

/** What roles of a list do not have; the others are never shown. Without a refusal, no role would match. */
const unlisted: ReadonlySet<string> = new Set([
  ...Object.values(assigneeLists),
  "associatedApplications",
  "properties",
  "permissions.$ref",
]);

/** A user or group that a filter names. */
interface Named {
  readonly kind: AssigneeKind;
  readonly id: string;
}

/** Whether a role, with its resource, matches. */
type RoleMatch = (role: Role, resource: Resource) => boolean;

/**
 * Reads the users and groups that a filter names. Throws `scim.filter_invalid` for a comparison of what lists do not
 * have. One round trip where users or groups are named, more where a bulk is open; else none.
 */
export async function roleMatch(call: Scim2Call, filter: BoundFilter): Promise<RoleMatch> {
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
      `Lists of roles cannot be filtered by this comparison of '${name}'. Of users and groups, users.value eq "<id>" and groups.value eq "<id>" work; displayName, externalId, audience, permissions and meta can be compared in any way.`,
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
