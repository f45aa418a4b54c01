/** Roles as resources, with their assignees. */

import { systemScopes } from "../../../kernel/domain/system-apis.ts";
import { Fault } from "../../../kernel/faults.ts";
import { type Projection, present, wants } from "../../../scim/protocol/projection.ts";
import type { Resource } from "../../../scim/protocol/schema/attribute.ts";
import { assigneesSchema } from "../../../scim/protocol/schema/role.ts";
import { isObject } from "../../../scim/protocol/values.ts";
import type { AssigneeKind } from "../../memberships/assignees.ts";
import type { ShownAudience } from "../../memberships/shown-names.ts";
import { settleRole } from "../../provisioning/open-bulks.ts";
import { audiencesOf } from "../../roles/audiences.ts";
import type { Role } from "../../roles/model.ts";
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

/** The most users, and the most groups, of a role in a list: a page has up to 200 roles. */
const LISTED_MAX = 50;

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
export function roleResource(role: Role, shown: ShownAudience, call: Scim2Call): Resource {
  const { value, display, type } = shown;
  const application = `${call.origin}${call.base.replace(/\/scim2$/, "")}/api/server/v1/applications/${value}`;
  return {
    id: role.id,
    displayName: role.name,
    ...(role.externalId !== undefined && { externalId: role.externalId }),
    audience: { value, display, type },
    permissions: permissionsOf(role).map((permission) => ({ value: permission, display: permission })),
    ...(shown.exists && type === "application" && { associatedApplications: [{ value, display, $ref: application }] }),
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
  const wanted = kinds.filter((kind) => wants(projection, assigneeLists[kind]));
  const [only] = wanted;
  const none: Assignees = { user: [], group: [] };
  if (!only) return none;
  const read: Assignees =
    wanted.length === 1
      ? { ...none, [only]: await roles.assigneeIds(tenant, id, only, most + 1) }
      : await roles.assignees(tenant, id, most + 1);
  const upToMost = (ids: readonly string[] = []) => (ids.length > most ? undefined : ids);
  return { user: upToMost(read.user), group: upToMost(read.group) };
}

/** A role with its assignees. Those that do not fit one response are left out: the change itself has been made. */
export async function showRole(call: Scim2Call, role: Role, projection: Projection, read?: Assignees): Promise<Tagged> {
  const assignees = read ?? (await readAssignees(call, role.id, projection, MEMBERS_SHOWN_MAX));
  const [resource, ...shown] = await Promise.all([
    resourceOf(call, role),
    ...kinds.map((kind) => assigneesShown(call, kind, assignees[kind] ?? [])),
  ]);
  Object.assign(resource, ...shown);
  return { ...headersOf(call, roleAt(role.id), role), body: { ...presentRole(projection, resource) } };
}

async function resourceOf(call: Scim2Call, role: Role): Promise<Resource> {
  const audiences = await audiencesOf(call.stores.applicationNames, call.tenant, [role]);
  const audience = audiences.get(role.id);
  if (!audience) throw new Error("a role has no audience");
  return roleResource(role, audience, call);
}

/**
 * Roles of a list with their assignees: up to 50 users and 50 groups of each, with their names where the page has no
 * more than 200. Roles with more are marked. One round trip for the assignees, and one for their names.
 */
export async function showListed(
  call: Scim2Call,
  projection: Projection,
  listed: readonly { readonly role: Role; readonly resource: Resource }[],
): Promise<readonly Resource[]> {
  await Promise.all(listed.map(({ role }) => role.bulk && settleRole(call.stores, call.tenant, role)));
  const read = await Promise.all(listed.map(({ role }) => readAssignees(call, role.id, projection, LISTED_MAX)));
  const [users, groups] = await Promise.all(
    kinds.map((kind) => namesShown(call, kind, [...new Set(read.flatMap((assignees) => assignees[kind] ?? []))])),
  );
  const names = { user: users, group: groups };
  return listed.map(({ resource }, at) => {
    const assignees = read[at];
    const shown = kinds.map((kind) => withNames(call, kind, assignees?.[kind] ?? [], names[kind]));
    const omitted = kinds.flatMap((kind) =>
      assignees && !assignees[kind] ? [[`${assigneeLists[kind]}Omitted`, true] as const] : [],
    );
    const mark = omitted.length > 0 ? { [assigneesSchema.id]: Object.fromEntries(omitted) } : {};
    return presentRole(projection, Object.assign({ ...resource }, ...shown, mark));
  });
}

/**
 * Checks that a role which a client sends back is not one of a list that left out its users or groups: without them,
 * all would be removed. Throws `request.invalid`.
 */
export function checkAssigneesSent(body: unknown, resource: Resource): void {
  const mark = isObject(body) ? body[assigneesSchema.id] : undefined;
  for (const list of Object.values(assigneeLists)) {
    if (resource[list] !== undefined || !isObject(mark) || mark[`${list}Omitted`] !== true) continue;
    throw new Fault(
      "request.invalid",
      `The ${list} of this role were left out of a list (${assigneesSchema.id}), and a role without ${list} would lose all of them. Send ${list}, leave out ${assigneesSchema.id}, or change the role with PATCH.`,
    );
  }
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
  return withNames(call, kind, ids, await namesShown(call, kind, ids));
}

/** The names that a response shows; `undefined` for too many, and for a caller who may not read them. */
async function namesShown(call: Scim2Call, kind: AssigneeKind, ids: readonly string[]) {
  return ids.length <= NAMED_MAX && mayReadNames(call, kind) ? readNames(call, kind, ids) : undefined;
}

function withNames(
  call: Scim2Call,
  kind: AssigneeKind,
  ids: readonly string[],
  names: ShownNames | undefined,
): Resource {
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
