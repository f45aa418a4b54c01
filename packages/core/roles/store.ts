/** Roles: named sets of scopes, given to users. */
import { keys } from "../table/keys.ts";
import type { Item, Step, Table } from "../table/table.ts";

/** The role that holds every scope of the catalogue, whatever scopes later versions add. */
export const ADMIN_ROLE = "admin";

/** The role that every user of a tenant has without being given it. */
export const EVERYONE_ROLE = "everyone";

/** One role. */
export interface Role {
  readonly id: string;
  readonly name: string;
  /** The scopes that the role was given; empty for a role that holds every scope. */
  readonly permissions: readonly string[];
  readonly holdsEveryScope: boolean;
}

const toRole = (item: Item): Role => ({
  id: item.id as string,
  name: item.name as string,
  permissions: [...((item.permissions as ReadonlySet<string> | undefined) ?? [])],
  holdsEveryScope: item.every === true,
});

/** The roles of all tenants. */
export interface RoleStore {
  /** Several roles in one round trip; those that are gone are left out. */
  findMany(tenant: string, ids: readonly string[]): Promise<Role[]>;
  /** The steps that keep a new role and claim its name. */
  adding(tenant: string, role: Role, otherwise: Step["otherwise"]): Step[];
  /** The steps that give a role to a user. */
  giving(tenant: string, roleId: string, userId: string, otherwise: Step["otherwise"]): Step[];
}

/** Opens the store on the table of one request. */
export const roleStore = (table: Table): RoleStore => ({
  async findMany(tenant, ids) {
    if (ids.length === 0) return [];
    const items = await table.getMany(ids.map((id) => keys.role(tenant, id)));
    return items.flatMap((item) => (item ? [toRole(item)] : []));
  },

  adding: (tenant, { id, name, permissions, holdsEveryScope }, otherwise) => [
    { put: { ...keys.roleName(tenant, name.toLowerCase()), id }, when: "absent", otherwise },
    {
      put: {
        ...keys.role(tenant, id),
        id,
        name,
        ...(permissions.length > 0 && { permissions: new Set(permissions) }),
        ...(holdsEveryScope && { every: true }),
      },
      when: "absent",
      otherwise,
    },
  ],

  giving: (tenant, roleId, userId, otherwise) => [
    { put: { ...keys.userRole(tenant, userId, roleId) }, when: "absent", otherwise },
    { put: { ...keys.roleUser(tenant, roleId, userId) }, when: "absent", otherwise },
  ],
});

/** The scopes of some roles. `everyScope` is what a role that holds them all stands for. */
export const scopesOf = (roles: readonly Role[], everyScope: ReadonlySet<string>): ReadonlySet<string> =>
  new Set(roles.flatMap((role) => (role.holdsEveryScope ? [...everyScope] : role.permissions)));
