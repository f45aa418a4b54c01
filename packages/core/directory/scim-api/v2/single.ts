/**
 * What operations on single resources, lists of roles and bulk requests call, as one chunk of the bundle (decision
 * 0074): a chunk for each kind would share most of its code with the others, in many small files.
 */
export { bulk } from "./bulk.ts";
export { patchGroup, postGroup, putGroup, readGroup, removeGroup } from "./groups.ts";
export { listRoles } from "./role-list.ts";
export { patchRole, postRole, putRole, readRole, removeRole } from "./roles.ts";
export { listRolesV1, readRoleV1 } from "./roles-v1.ts";
export { patchAssignees, patchRoleV3, postRoleV3, putAssignees, putRoleV3 } from "./roles-v3.ts";
export { patchUser, postUser, putUser, readUser, removeUser } from "./users.ts";
