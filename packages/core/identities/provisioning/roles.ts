/** What provisioning does with roles: they are made and changed by resources in canonical form, and held by users and groups. */

import type { TenantStore } from "../../domain/tenant-store.ts";
import { Fault } from "../../platform/faults.ts";
import { newId } from "../../platform/ids.ts";
import type { JsonObject, Resource } from "../../scim/schema/attribute.ts";
import type { GroupStore } from "../groups/store.ts";
import type { Holder, HolderKind } from "../memberships/assignees.ts";
import { type Audience, freshRole, type Role } from "../roles/model.ts";
import { checkBuiltIn, checkPermissions, checkRoleName, unknownHolders } from "../roles/rules.ts";
import type { RoleStore } from "../roles/store.ts";
import type { UserStore } from "../users/store.ts";
import { checkGiven, checkHeld } from "./escalation.ts";
import type { Occasion } from "./users.ts";

/** What provisioning of roles uses. */
export interface RoleStores {
  readonly users: UserStore;
  readonly groups: GroupStore;
  readonly roles: RoleStore;
  readonly tenants: TenantStore;
  /** Which of some scopes an API of the tenant has. */
  knownScopes(tenant: string, scopes: readonly string[]): Promise<ReadonlySet<string>>;
  /** Whether the tenant has an application of that id. */
  hasApplication(tenant: string, id: string): Promise<boolean>;
}

/** What is to become of the holders of one kind. */
export interface HolderWish {
  /** True: nobody keeps the role but those who gain it. */
  readonly replaces: boolean;
  readonly joining: ReadonlySet<string>;
  readonly leaving: ReadonlySet<string>;
}

/** Holders that are read where a change concerns all of them. */
const HOLDERS_READ_MAX = 1_000_000;
const kinds = ["user", "group"] as const;

/** How a role is to be changed. */
interface RoleWish {
  readonly check: (before: Role) => void;
  /** Answers the resource that shall be, and what becomes of the holders, whose ids `holders` reads. */
  readonly change: (
    before: Resource,
    holders: (kind: HolderKind) => Promise<readonly string[]>,
  ) => Promise<{ readonly after: Resource; readonly wishes: Readonly<Record<HolderKind, HolderWish>> }>;
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

/** Makes a role with its holders. Throws `request.invalid`, `scim.forbidden` and `scim.unique`. */
export async function createRole(stores: RoleStores, occasion: Occasion, resource: Resource): Promise<Role> {
  const { tenant, now } = occasion;
  const name = nameIn(resource);
  const permissions = [...valuesIn("permissions", resource.permissions)].sort();
  checkGiven(occasion, permissions);
  const [audience, users, groups] = await Promise.all([
    audienceIn(stores, tenant, resource),
    holdersOf(stores, tenant, "user", [...valuesIn("users", resource.users)]),
    holdersOf(stores, tenant, "group", [...valuesIn("groups", resource.groups)]),
    checkScopes(stores, tenant, permissions),
  ]);
  const role = freshRole(newId(), name, tenant, now, { permissions, audience });
  return stores.roles.add(tenant, role, [...users, ...groups]);
}

async function audienceIn(stores: RoleStores, tenant: string, { audience }: Resource): Promise<Audience> {
  const { type = "organization", value } = (audience ?? {}) as JsonObject;
  const kind = String(type).toLowerCase();
  if (kind === "organization") return { type: "organization", value: tenant };
  if (kind !== "application") throw refuse("audience.type is organization or application.");
  if (typeof value !== "string" || !(await stores.hasApplication(tenant, value))) {
    throw refuse("audience.value must be the id of an application.");
  }
  return { type: "application", value };
}

/** Changes a role. Throws `scim.not_found`, `scim.unique`, `scim.forbidden`, `request.invalid`, and what `check` and `change` throw. */
export function changeRole(
  stores: RoleStores,
  occasion: Occasion,
  id: string,
  { check, change }: RoleWish,
): Promise<Role> {
  const { tenant, now } = occasion;
  return stores.roles.update(tenant, id, now, async (before) => {
    check(before);
    const { after: wished, wishes } = await change(storedRole(before), (kind) =>
      stores.roles.holders(tenant, id, kind, HOLDERS_READ_MAX),
    );
    const after: Role = {
      ...before,
      name: nameIn(wished),
      permissions: [...valuesIn("permissions", wished.permissions)].sort(),
    };
    checkBuiltIn(before, after);
    const added = after.permissions.filter((permission) => !before.permissions.includes(permission));
    checkGiven(occasion, added);
    const [holders] = await Promise.all([
      Promise.all(kinds.map((kind) => settle(stores, tenant, before, kind, wishes[kind]))),
      checkScopes(stores, tenant, added),
    ]);
    const [gaining, losing] = [holders.flatMap((one) => one.gaining), holders.flatMap((one) => one.losing)];
    await checkAdministrator(stores, tenant, before, losing);
    if (gaining.length > 0) await checkHeld(stores, occasion, [after]);
    const isSame = after.name === before.name && after.permissions.join("\n") === before.permissions.join("\n");
    return isSame && gaining.length === 0 && losing.length === 0 ? undefined : { after, gaining, losing };
  });
}

/** A role as the resource that changes are made to, without its holders. */
function storedRole(role: Role): Resource {
  return {
    id: role.id,
    displayName: role.name,
    audience: { value: role.audience.value, type: role.audience.type },
    ...(role.permissions.length > 0 && { permissions: role.permissions.map((value) => ({ value })) }),
  };
}

async function settle(
  stores: RoleStores,
  tenant: string,
  role: Role,
  kind: HolderKind,
  { replaces, joining, leaving }: HolderWish,
): Promise<{ readonly gaining: readonly Holder[]; readonly losing: readonly Holder[] }> {
  const as = (id: string): Holder => ({ kind, id });
  if (replaces) {
    const present = await stores.roles.holders(tenant, role.id, kind, HOLDERS_READ_MAX);
    const hold = new Set(present);
    const fresh = [...joining].filter((id) => !hold.has(id));
    return {
      gaining: await holdersOf(stores, tenant, kind, fresh),
      losing: present.filter((id) => !joining.has(id)).map(as),
    };
  }
  const [wanted, unwanted] = [[...joining].map(as), [...leaving].map(as)];
  if (wanted.length + unwanted.length === 0) return { gaining: [], losing: [] };
  const [hold] = await Promise.all([
    stores.roles.holdersAmong(tenant, role.id, [...wanted, ...unwanted]),
    holdersOf(stores, tenant, kind, [...joining]),
  ]);
  const held = new Set(hold);
  return {
    gaining: wanted.filter((holder) => !held.has(holder)),
    losing: unwanted.filter((holder) => held.has(holder)),
  };
}

/** The first administrator of a tenant keeps the role that holds every scope, or nobody might be left who can give it. Throws `scim.forbidden`. */
async function checkAdministrator(
  { tenants }: RoleStores,
  tenant: string,
  { holdsEveryScope }: Role,
  losing: readonly Holder[],
): Promise<void> {
  if (!holdsEveryScope || losing.length === 0) return;
  const administrator = (await tenants.find(tenant))?.administrator;
  if (losing.some(({ kind, id }) => kind === "user" && id === administrator)) {
    throw new Fault("scim.forbidden", "The administrator of the tenant keeps the role that holds every scope.");
  }
}

/** Deletes a role. Throws `scim.not_found` and `scim.forbidden`. */
export function deleteRole({ roles }: RoleStores, { tenant }: Occasion, id: string, check: (role: Role) => void) {
  return roles.remove(tenant, id, (role) => {
    checkBuiltIn(role, undefined);
    check(role);
  });
}

function nameIn({ displayName }: Resource): string {
  if (typeof displayName !== "string") throw refuse("Required attribute displayName is missing in the SCIM object.");
  const name = displayName.trim();
  checkRoleName(name);
  return name;
}

function refuse(description: string): Fault {
  return new Fault("request.invalid", description);
}

/** Holders by their ids. Throws `request.invalid` for those who are not there. */
async function holdersOf(
  { users, groups }: RoleStores,
  tenant: string,
  kind: HolderKind,
  ids: readonly string[],
): Promise<Holder[]> {
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
