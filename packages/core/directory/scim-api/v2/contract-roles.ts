/** The operations on roles: upstream's SCIM2 roles API v2. */
import { operation } from "../../../kernel/operation/operation.ts";
import { MANY_MEMBERS, Path } from "../resources/shapes.ts";
import { PatchRequest, ScimRoleInput, SearchRequest } from "./shapes.ts";
import { changing, ListQuery, Projection, roleShown, rolesListed } from "./shapes-query.ts";

const roles = { service: "scim2", source: "decision 0016" } as const;

/** The scopes that allow a change of one list of a role, and of no other attribute. */
export const roleListScopes = {
  users: "internal_role_mgt_users_update",
  groups: "internal_role_mgt_groups_update",
  permissions: "internal_role_mgt_permissions_update",
} as const;

export const roleOperations = {
  listRoles: operation({
    ...roles,
    method: "GET",
    path: "/scim2/v2/Roles",
    scope: "internal_role_mgt_view",
    seesScopes: true,
    summary: "List roles",
    query: ListQuery,
    success: rolesListed,
    failures: [400],
  }),
  searchRoles: operation({
    ...roles,
    method: "POST",
    path: "/scim2/v2/Roles/.search",
    scope: "internal_role_mgt_view",
    staysClosed: true,
    seesScopes: true,
    summary: "Search roles",
    body: SearchRequest,
    changesNothing: true,
    success: rolesListed,
    failures: [400],
  }),
  createRole: operation({
    ...roles,
    method: "POST",
    path: "/scim2/v2/Roles",
    scope: "internal_role_mgt_create",
    seesScopes: true,
    summary: "Create a role",
    query: Projection,
    body: ScimRoleInput,
    limits: MANY_MEMBERS,
    success: { ...roleShown, status: 201 },
    failures: [400],
  }),
  getRole: operation({
    ...roles,
    method: "GET",
    path: "/scim2/v2/Roles/{id}",
    scope: "internal_role_mgt_view",
    seesScopes: true,
    summary: "Read a role; the names of its users and groups only with a scope that reads users, or groups",
    params: Path,
    query: Projection,
    success: roleShown,
    failures: [400, 404],
  }),
  replaceRole: operation({
    ...roles,
    method: "PUT",
    path: "/scim2/v2/Roles/{id}",
    scope: "internal_role_mgt_update",
    seesScopes: true,
    summary: "Replace a role",
    params: Path,
    query: Projection,
    target: "getRole",
    body: ScimRoleInput,
    limits: MANY_MEMBERS,
    success: roleShown,
    failures: changing,
  }),
  patchRole: operation({
    ...roles,
    method: "PATCH",
    path: "/scim2/v2/Roles/{id}",
    scope: "internal_role_mgt_update",
    seesScopes: true,
    partialScopes: Object.values(roleListScopes),
    summary:
      "Change a role, or with the scope of one list only its users, groups or permissions; without a response body where it has more than 1,000 users or groups and no attributes are requested",
    params: Path,
    query: Projection,
    target: "getRole",
    body: PatchRequest,
    patches: ScimRoleInput,
    limits: MANY_MEMBERS,
    success: { ...roleShown, orNoContent: true },
    failures: changing,
  }),
  deleteRole: operation({
    ...roles,
    method: "DELETE",
    path: "/scim2/v2/Roles/{id}",
    scope: "internal_role_mgt_delete",
    summary: "Delete a role",
    params: Path,
    target: "getRole",
    success: { status: 204 },
    failures: changing,
  }),
} as const;
