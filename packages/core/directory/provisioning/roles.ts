/** Changes of roles, for every protocol. Roles are created and changed by resources in canonical form. */
import { systemScopes } from "../../kernel/domain/system-apis.ts";
import { Fault, refuse } from "../../kernel/faults.ts";
import { newId } from "../../kernel/ids.ts";
import { allTogether, checking } from "../../kernel/together.ts";
import type { JsonObject, Resource } from "../../scim/protocol/schema/attribute.ts";
import type { GroupStore } from "../groups/store.ts";
import type { Assignee, AssigneeKind } from "../memberships/assignees.ts";
import type { ApplicationNames } from "../roles/audiences.ts";
import { type Audience, freshRole, type Role } from "../roles/model.ts";
import { checkBuiltIn, checkPermissions, checkRoleName, unknownHolders } from "../roles/rules.ts";
import type { AssigneeChanges, RoleStore } from "../roles/store.ts";
import type { TenantStore } from "../tenant-store.ts";
import type { UserStore } from "../users/store.ts";
import { checkAssignedRoles, checkGrantedScopes } from "./escalation.ts";
import type { MembershipChange } from "./groups.ts";
import { checkRemoved, textOf } from "./resource.ts";
import type { ChangeContext } from "./users.ts";

/** The stores that changes of roles need. */
export interface RoleStores {
  readonly users: UserStore;
  readonly groups: GroupStore;
  readonly roles: RoleStore;
  readonly tenants: TenantStore;
  /** Those of some scopes that an API of the tenant has. */
  knownScopes(tenant: string, scopes: readonly string[]): Promise<ReadonlySet<string>>;
  readonly applicationNames: ApplicationNames;
}

/** A requested change of the assignees of one kind. */
export type AssigneeChange = MembershipChange;

/** Assignees that are read where a change replaces all of them. */
const ASSIGNEES_READ_MAX = 1_000_000;
const kinds = ["user", "group"] as const;

/** A requested change of a role. */
interface RoleChangeRequest {
  /** Throws where the role must not be changed. */
  readonly check: (before: Role) => void;
  /** Returns the new resource and the changes of assignees; `assigneeIds` reads the ids of the current ones. */
  readonly change: (
    before: Resource,
    assigneeIds: (kind: AssigneeKind) => Promise<readonly string[]>,
  ) => Promise<{ readonly after: Resource; readonly assigneeChanges: Readonly<Record<AssigneeKind, AssigneeChange>> }>;
}

/** The ids in a list of `{value}`. Throws `request.invalid`. */
export function valuesIn(name: string, list: Resource[string] | undefined): Set<string> {
  const values = new Set<string>();
  for (const element of Array.isArray(list) ? list : []) {
    const { value } = element as JsonObject;
    if (typeof value !== "string") throw refuse(`${name}.value is required.`);
    values.add(value);
  }
  return values;
}

/** Creates a role with its assignees. Throws `request.invalid`, `scim.forbidden` and `scim.unique`. */
export async function createRole(stores: RoleStores, context: ChangeContext, resource: Resource): Promise<Role> {
  const { tenant, now } = context;
  const name = textOf(resource, "displayName");
  const permissions = [...valuesIn("permissions", resource.permissions)].sort();
  checkGrantedScopes(context, permissions);
  const [, audience, users, groups] = await allTogether([
    checking(() => checkRoleName(name)),
    audienceIn(stores, tenant, resource),
    assigneesOf(stores, tenant, "user", [...valuesIn("users", resource.users)]),
    assigneesOf(stores, tenant, "group", [...valuesIn("groups", resource.groups)]),
    checkScopes(stores, tenant, permissions),
  ]);
  const role = freshRole(newId(), name, tenant, now, { permissions, audience, externalId: externalIdIn(resource) });
  return stores.roles.add(tenant, role, [...users, ...groups]);
}

async function audienceIn(stores: RoleStores, tenant: string, { audience }: Resource): Promise<Audience> {
  const { type = "organization", value } = (audience ?? {}) as JsonObject;
  const kind = String(type).toLowerCase();
  if (kind === "organization") {
    checkOrganization(tenant, value);
    return { type: "organization", value: tenant };
  }
  if (kind !== "application") throw refuse("audience.type must be organization or application.");
  const id = typeof value === "string" ? value : "";
  const name = id === "" ? undefined : (await stores.applicationNames(tenant, [{ id }])).get(id);
  if (name === undefined) throw refuse("audience.value must be the id of an application.");
  return { type: "application", value: id, name };
}

/** The value can only be the tenant. Without a type, another one is probably the id of an application. */
function checkOrganization(tenant: string, value: JsonObject[string] | undefined): void {
  if (value === undefined || (typeof value === "string" && value.toLowerCase() === tenant)) return;
  throw refuse(
    `audience.value of the organization is "${tenant}", and may be left out. A role of an application also has audience.type "application".`,
  );
}

/**
 * Changes a role. Throws `scim.not_found`, `scim.unique`, `scim.forbidden`, `request.invalid`, and what `check` and
 * `change` throw.
 */
export function changeRole(
  stores: RoleStores,
  context: ChangeContext,
  id: string,
  { check, change }: RoleChangeRequest,
): Promise<Role> {
  const { tenant, now } = context;
  return stores.roles.update(tenant, id, now, async (before) => {
    check(before);
    const { after: resource, assigneeChanges } = await change(storedRole(before), (kind) =>
      stores.roles.assigneeIds(tenant, id, kind, ASSIGNEES_READ_MAX),
    );
    const after: Role = {
      ...before,
      // The name that is shown stays the name, as that of a group does.
      name: resource.displayName === before.name ? before.name : textOf(resource, "displayName"),
      externalId: externalIdIn(resource),
      permissions: permissionsAfter(before, valuesIn("permissions", resource.permissions)),
    };
    checkBuiltIn(before, after);
    const held = new Set(before.permissions);
    const granted = after.permissions.filter((permission) => !held.has(permission));
    checkGrantedScopes(context, granted);
    const [, changes] = await allTogether([
      after.name !== before.name && checking(() => checkRoleName(after.name)),
      allTogether(kinds.map((kind) => resolve(stores, tenant, id, kind, assigneeChanges[kind]))),
      checkScopes(stores, tenant, granted),
    ]);
    const [adding, removing] = [changes.flatMap((one) => one.adding), changes.flatMap((one) => one.removing)];
    await checkAdministrator(stores, tenant, before, removing);
    if (adding.length > 0) await checkAssignedRoles(stores, context, [after]);
    const isSame =
      after.name === before.name &&
      after.externalId === before.externalId &&
      after.permissions.join("\n") === before.permissions.join("\n");
    return isSame && adding.length === 0 && removing.length === 0 ? undefined : { after, adding, removing };
  });
}

/** The permissions of a changed role. A role with every scope is shown with all of them, and may be sent back so. */
function permissionsAfter({ holdsEveryScope }: Role, given: ReadonlySet<string>): readonly string[] {
  const isAsShown = holdsEveryScope && given.size === systemScopes.size && given.isSubsetOf(systemScopes);
  return isAsShown ? [] : [...given].sort();
}

/** A role as the resource that changes apply to, without its assignees. */
function storedRole(role: Role): Resource {
  return {
    id: role.id,
    displayName: role.name,
    ...(role.externalId !== undefined && { externalId: role.externalId }),
    audience: { value: role.audience.value, type: role.audience.type },
    ...(role.permissions.length > 0 && {
      // With the name that responses show, which paths of a PATCH may compare.
      permissions: role.permissions.map((value) => ({ value, display: value })),
    }),
  };
}

/** Leaves out assignees to add that have the role already, and those to remove that do not. */
async function resolve(
  stores: RoleStores,
  tenant: string,
  roleId: string,
  kind: AssigneeKind,
  { replaces, adding, removing }: AssigneeChange,
): Promise<AssigneeChanges> {
  const as = (id: string): Assignee => ({ kind, id });
  if (replaces) {
    const current = await stores.roles.assigneeIds(tenant, roleId, kind, ASSIGNEES_READ_MAX);
    const fresh = adding.difference(new Set(current));
    return {
      adding: await assigneesOf(stores, tenant, kind, [...fresh]),
      removing: current.filter((id) => !adding.has(id)).map(as),
    };
  }
  const [added, removed] = [[...adding].map(as), [...removing].map(as)];
  if (added.length + removed.length === 0) return { adding: [], removing: [] };
  const [current] = await Promise.all([
    stores.roles.assigneesAmong(tenant, roleId, [...added, ...removed]),
    assigneesOf(stores, tenant, kind, [...adding]),
  ]);
  const holders = new Set([...current].map((assignee) => assignee.id));
  checkRemoved(`${kind}s`, removing, (assigneeId) => holders.has(assigneeId));
  return {
    adding: added.filter((assignee) => !current.has(assignee)),
    removing: removed.filter((assignee) => current.has(assignee)),
  };
}

/**
 * The first administrator of a tenant keeps the full-access role: without it, no user could assign it. Throws
 * `scim.forbidden`.
 */
async function checkAdministrator(
  { tenants }: RoleStores,
  tenant: string,
  { holdsEveryScope }: Role,
  removed: readonly Assignee[],
): Promise<void> {
  if (!holdsEveryScope || removed.length === 0) return;
  const administrator = (await tenants.find(tenant))?.administrator;
  if (removed.some(({ kind, id }) => kind === "user" && id === administrator)) {
    throw new Fault("scim.forbidden", "The full-access role cannot be removed from the administrator of the tenant.");
  }
}

/** Deletes a role. Throws `scim.not_found` and `scim.forbidden`. */
export function deleteRole({ roles }: RoleStores, { tenant }: ChangeContext, id: string, check: (role: Role) => void) {
  return roles.remove(tenant, id, (role) => {
    checkBuiltIn(role, undefined);
    check(role);
  });
}

function externalIdIn({ externalId }: Resource): string | undefined {
  return typeof externalId === "string" ? externalId : undefined;
}

/** Assignees by their ids. Throws `request.invalid` for those that do not exist. */
async function assigneesOf(
  { users, groups }: RoleStores,
  tenant: string,
  kind: AssigneeKind,
  ids: readonly string[],
): Promise<Assignee[]> {
  if (ids.length === 0) return [];
  const known = kind === "user" ? await users.findMany(tenant, ids) : [];
  const found = kind === "user" ? known : await groups.findMany(tenant, ids);
  const unknown = ids.filter((_, at) => found[at] === undefined);
  if (unknown.length > 0) throw unknownHolders(kind, unknown);
  await users.elsewhere?.anchor(
    tenant,
    known.flatMap((user) => user ?? []),
  );
  return ids.map((id) => ({ kind, id }));
}

async function checkScopes(stores: RoleStores, tenant: string, permissions: readonly string[]): Promise<void> {
  if (permissions.length > 0) checkPermissions(permissions, await stores.knownScopes(tenant, permissions));
}
