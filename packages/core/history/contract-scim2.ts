/** The histories of users, groups and roles. */
import { operation } from "../operation/operation.ts";
import { Path } from "../scim-api/resources/shapes.ts";
import { groupOperations } from "../scim-api/v2/contract-groups.ts";
import { roleOperations } from "../scim-api/v2/contract-roles.ts";
import { userOperations } from "../scim-api/v2/contract-users.ts";
import { ScimGroup, ScimRole, ScimUser } from "../scim-api/v2/shapes.ts";
import { Projection } from "../scim-api/v2/shapes-query.ts";
import { listed, SOURCE, shownAs, versionPart } from "./contract-parts.ts";

const common = { service: "scim2", method: "GET", source: SOURCE } as const;
const params = Path.extend(versionPart);

export const scim2HistoryOperations = {
  listUserHistory: operation({
    ...common,
    path: "/scim2/Users/{id}/history",
    scope: userOperations.getUser.scope,
    summary: "List the changes of a user, newest first",
    params: Path,
    ...listed,
  }),
  getUserVersion: operation({
    ...common,
    path: "/scim2/Users/{id}/history/{version}",
    scope: userOperations.getUser.scope,
    summary: "Read a user as it was after a change, with its groups and roles of today",
    params,
    query: Projection,
    ...shownAs(ScimUser),
  }),
  listGroupHistory: operation({
    ...common,
    path: "/scim2/Groups/{id}/history",
    scope: groupOperations.getGroup.scope,
    summary: "List the changes of a group and its members, newest first",
    params: Path,
    ...listed,
  }),
  getGroupVersion: operation({
    ...common,
    path: "/scim2/Groups/{id}/history/{version}",
    scope: groupOperations.getGroup.scope,
    summary: "Read a group with its members as it was after a change; without members who do not exist now",
    params,
    query: Projection,
    ...shownAs(ScimGroup),
  }),
  listRoleHistory: operation({
    ...common,
    path: "/scim2/v2/Roles/{id}/history",
    scope: roleOperations.getRole.scope,
    summary: "List the changes of a role and its users and groups, newest first",
    params: Path,
    ...listed,
  }),
  getRoleVersion: operation({
    ...common,
    path: "/scim2/v2/Roles/{id}/history/{version}",
    scope: roleOperations.getRole.scope,
    seesScopes: true,
    summary: "Read a role with its users and groups as it was after a change",
    params,
    query: Projection,
    ...shownAs(ScimRole),
  }),
} as const;
