/** Roles as resources, with their assignees. */

import { systemScopes } from "../../domain/system-apis.ts";
import type { AssigneeKind } from "../../identities/memberships/assignees.ts";
import type { Role } from "../../identities/roles/model.ts";
import { Fault } from "../../platform/faults.ts";
import { type Projection, present, wants } from "../../scim/projection.ts";
import type { Resource } from "../../scim/schema/attribute.ts";
import { filled, linkTo, metaOf, type ShownNames } from "../resources/present.ts";
import { namesOfUsers } from "../resources/show.ts";
import { MEMBERS_SHOWN_MAX } from "../resources/show-groups.ts";
import { headersOf, type Tagged } from "../resources/target.ts";
import { groupOperations } from "./contract-groups.ts";
import { userOperations } from "./contract-users.ts";
import type { Scim2Call } from "./stores.ts";

/**
 * The scopes that show the names of assignees, by kind: those that read users and groups. The scopes of roles show ids
 * alone (decision 0061).
 */
const nameScopes: Readonly<Record<AssigneeKind, readonly string[]>> = {
  user: [userOperations.getUser.scope, userOperations.listUsers.scope],
  group: [groupOperations.getGroup.scope],
};

/** Assignees are shown with their names up to as many as a page has resources: each name costs a read. */
const NAMED_MAX = 200;

const everySystemScope = [...systemScopes].sort();

export const kinds = ["user", "group"] as const;

/** The attribute that lists the assignees of a kind. */
export const assigneeLists: Readonly<Record<AssigneeKind, string>> = { user: "users", group: "groups" };

/** The ids of the assignees that a response shows; `undefined` for a kind that has too many. */
type Assignees = Readonly<Record<AssigneeKind, readonly string[] | undefined>>;

/** The path of a role. */
export function roleAt(id: string): string {
  return `/v2/Roles/${id}`;
}

/** A role without its assignees. */
export function roleResource(role: Role, call: Scim2Call): Resource {
  const { value, type } = role.audience;
  return {
    id: role.id,
    displayName: role.name,
    ...(role.externalId !== undefined && { externalId: role.externalId }),
    audience: { value, display: value, type },
    permissions: permissionsOf(role).map((permission) => ({ value: permission, display: permission })),
    meta: metaOf("Role", role, linkTo(call, roleAt(role.id))),
  };
}

/** The scopes of a role, in alphabetical order. A role with every scope shows all of this service. */
export function permissionsOf(role: Role): readonly string[] {
  return role.holdsEveryScope ? everySystemScope : role.permissions;
}

/** Reads the ids of the assignees that a projection shows, up to `most` of each kind. */
export async function readAssignees(
  { stores: { roles }, tenant }: Scim2Call,
  id: string,
  projection: Projection,
  most: number,
): Promise<Assignees> {
  const read = async (kind: AssigneeKind) => {
    const ids = wants(projection, assigneeLists[kind]) ? await roles.assigneeIds(tenant, id, kind, most + 1) : [];
    return ids.length > most ? undefined : ids;
  };
  const [user, group] = await Promise.all([read("user"), read("group")]);
  return { user, group };
}

/** A role with its assignees. Those that do not fit one response are left out: the change itself has been made. */
export async function showRole(call: Scim2Call, role: Role, projection: Projection, read?: Assignees): Promise<Tagged> {
  const assignees = read ?? (await readAssignees(call, role.id, projection, MEMBERS_SHOWN_MAX));
  const shown = await Promise.all(kinds.map((kind) => assigneesShown(call, kind, assignees[kind] ?? [])));
  const resource: Resource = Object.assign(roleResource(role, call), ...shown);
  return { ...headersOf(call, roleAt(role.id), role), body: { ...presentRole(projection, resource) } };
}

/** A role as a projection shows it. `permissions` are there when they are empty, too: tools fail without them. */
export function presentRole(projection: Projection, resource: Resource): Resource {
  const shown = present(projection, resource);
  return wants(projection, "permissions") ? { ...shown, permissions: shown.permissions ?? [] } : shown;
}

/** The URL of an assignee. */
export function assigneeLink(call: Scim2Call, kind: AssigneeKind, id: string): string {
  return linkTo(call, `${kind === "user" ? "/Users" : "/Groups"}/${id}`);
}

/**
 * The names of assignees for filters on `display`: those that a response shows. Throws `scim.forbidden` where the
 * caller may not read them, because the answer would tell them, and `scim.too_many` for more than responses show.
 */
export async function namesCompared(call: Scim2Call, kind: AssigneeKind, ids: readonly string[]): Promise<ShownNames> {
  const list = assigneeLists[kind];
  const instead = `Name ids: ${list}[value eq "<id>"].`;
  if (!mayReadNames(call, kind)) {
    const scopes = nameScopes[kind].join(" or ");
    throw new Fault(
      "scim.forbidden",
      `A filter on ${list}.display requires the scope ${scopes}, which your credential does not have. ${instead}`,
    );
  }
  if (ids.length > NAMED_MAX) {
    throw new Fault("scim.too_many", `The role has more than ${NAMED_MAX} ${list}: names are not read. ${instead}`);
  }
  return readNames(call, kind, ids);
}

/** The users or groups of a role. Where names are read, an assignee that was deleted meanwhile is left out. */
async function assigneesShown(call: Scim2Call, kind: AssigneeKind, ids: readonly string[]): Promise<Resource> {
  const isNamed = ids.length <= NAMED_MAX && mayReadNames(call, kind);
  const names = isNamed ? await readNames(call, kind, ids) : undefined;
  const existing = names ? ids.filter((id) => names.has(id)) : ids;
  return filled(
    assigneeLists[kind],
    existing.map((value) => ({
      value,
      ...(names && { display: names.get(value) ?? "" }),
      $ref: assigneeLink(call, kind, value),
    })),
  );
}

function mayReadNames({ scopes }: Scim2Call, kind: AssigneeKind): boolean {
  return nameScopes[kind].some((scope) => scopes?.has(scope));
}

async function readNames(call: Scim2Call, kind: AssigneeKind, ids: readonly string[]): Promise<ShownNames> {
  if (kind === "user") return namesOfUsers(call, ids);
  return ids.length > 0 ? call.stores.groups.namesOf(call.tenant, ids) : new Map();
}
