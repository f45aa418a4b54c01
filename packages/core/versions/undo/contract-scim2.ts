/** Undo: users, groups and roles as they were after a change. */

import { Path } from "../../directory/scim-api/resources/shapes.ts";
import { groupOperations } from "../../directory/scim-api/v2/contract-groups.ts";
import { roleOperations } from "../../directory/scim-api/v2/contract-roles.ts";
import { userOperations } from "../../directory/scim-api/v2/contract-users.ts";
import { changing, Projection } from "../../directory/scim-api/v2/shapes-query.ts";
import { operation } from "../../kernel/operation/operation.ts";
import { versionPart } from "../history/contract-parts.ts";
import { SOURCE } from "./source.ts";

const common = {
  service: "scim2",
  method: "POST",
  source: SOURCE,
  seesScopes: true,
  params: Path.extend(versionPart),
  query: Projection,
  failures: changing,
} as const;

export const scim2UndoOperations = {
  restoreUserVersion: operation({
    ...common,
    path: "/scim2/Users/{id}/history/{version}/restore",
    scope: userOperations.replaceUser.scope,
    target: "getUser",
    staysClosed: true,
    summary: "Make the attributes of a user as they were after a change; password, groups and roles stay",
    success: userOperations.replaceUser.success,
  }),
  restoreGroupVersion: operation({
    ...common,
    path: "/scim2/Groups/{id}/history/{version}/restore",
    scope: groupOperations.replaceGroup.scope,
    target: "getGroup",
    staysClosed: true,
    summary: "Make a group as it was after a change, with those of its members who exist; its roles stay",
    success: groupOperations.replaceGroup.success,
  }),
  restoreRoleVersion: operation({
    ...common,
    path: "/scim2/v2/Roles/{id}/history/{version}/restore",
    scope: roleOperations.replaceRole.scope,
    target: "getRole",
    staysClosed: true,
    summary: "Make a role as it was after a change, with those of its users, groups and permissions that exist",
    success: roleOperations.replaceRole.success,
  }),
} as const;
