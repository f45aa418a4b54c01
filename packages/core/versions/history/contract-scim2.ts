/** The histories of users, groups and roles. */
import { groupOperations } from "../../directory/scim-api/v2/contract-groups.ts";
import { roleOperations } from "../../directory/scim-api/v2/contract-roles.ts";
import { userOperations } from "../../directory/scim-api/v2/contract-users.ts";
import { historyOf } from "./contract-parts.ts";

const user = historyOf(userOperations.getUser, {
  list: "List the changes of a user, newest first",
  at: "Read a user as it was after a change, with its groups and roles of today",
});
const group = historyOf(groupOperations.getGroup, {
  list: "List the changes of a group and its members, newest first",
  at: "Read a group with its members as it was after a change; without members who do not exist now",
});
const role = historyOf(roleOperations.getRole, {
  list: "List the changes of a role and its users and groups, newest first",
  at: "Read a role with its users and groups as it was after a change",
});

export const scim2HistoryOperations = {
  listUserHistory: user.list,
  getUserVersion: user.at,
  listGroupHistory: group.list,
  getGroupVersion: group.at,
  listRoleHistory: role.list,
  getRoleVersion: role.at,
} as const;
