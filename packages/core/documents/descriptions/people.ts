/** What the operations of both SCIM versions say in the document, besides their summaries. */

const LIST =
  "A page has 100 resources by default and at most 200, by `startIndex` and `count` or by `cursor`. `totalResults` is exact.";
const MINE = "It works on the caller alone, and an application on its own account gets 403.";

/** The descriptions by the ids of the operations. */
export const peopleDescriptions: Readonly<Record<string, string>> = {
  listUsers: `Lists by name unless \`sortBy\` says otherwise. ${LIST} A filter that neither a name nor an index narrows looks at up to 10,000 users; beyond that it is 400 \`tooMany\`.`,
  searchUsers: `Does what listing users does, with the parameters in the body: filters can be longer there and appear in no log of addresses. ${LIST} It changes nothing.`,
  createUser:
    "Only `userName` is required, and a password where the SCIM profile `wso2` applies. A name in use is 409 `uniqueness`, per user store and without regard to case. A user has at most 250,000 bytes. A password that is a hash of another system is taken over for callers with `internal_user_hash_import`.",
  getUser:
    "Shows the attributes, groups and roles; the password is never returned. `attributes` and `excludedAttributes` select.",
  replaceUser:
    "Attributes that the body leaves out are removed, except the password, read-only ones, groups and roles. Another password, and `active` false, end all tokens of the user. Changes of administrators and of passwords need the scopes of the user's roles.",
  patchUser:
    "Applies up to 1,000 operations of RFC 7644 in order, all or none. Another password, and `active` false, end all tokens of the user. Changes of administrators and of passwords need the scopes of the user's roles.",
  deleteUser:
    "The user leaves all groups and roles, and all tokens end at once. The user is put aside for 30 days and can be restored with its password, unless the operator chose otherwise. The first administrator of a tenant cannot be deleted (403).",
  getMe: `Shows what reading the user by its id shows. ${MINE}`,
  replaceMe: `Replaces what users may change of themselves; other attributes in the body are ignored and keep their values. ${MINE}`,
  patchMe: `Applies the operations of the body, all or none; those that name attributes that only administrators may change are 400 \`mutability\`. ${MINE}`,
  deleteMe: `Needs the right to delete users. All tokens of the caller end. ${MINE}`,
  createMe: "Always 501: users are created by administrators, or by the bulk operation.",
  listGroups: `Lists by name unless \`sortBy\` says otherwise. ${LIST} Groups are shown with their members where 20,000 members in total fit the page.`,
  searchGroups: `Does what listing groups does, with the parameters in the body. ${LIST} It changes nothing.`,
  createGroup:
    "Members must be users of this tenant; a group has no groups. A name in use is 409 `uniqueness`. Any number of members is added at once: readers see all of them or no group.",
  getGroup:
    "Shows name, members and roles. A group of more than 20,000 members is read without them, by `excludedAttributes=members`, and its members as users by a filter on `groups`.",
  replaceGroup:
    "The members become exactly those of the body. Users who leave a group with roles lose tokens that depend on these. Adding a user to a group with roles needs the scopes of the roles.",
  patchGroup:
    "Adds, removes and replaces members or the name in the order of the operations. Readers see all of the change or nothing of it, however many members it has. Users who leave a group with roles lose tokens that depend on these; adding needs the scopes of the roles.",
  deleteGroup:
    "Its users lose the roles of the group, and tokens that depend on these. The group is put aside for 30 days and can be restored with its members, unless the operator chose otherwise.",
  bulk: "The body has at most 1,000 operations and 1 MiB. Each has a status of its own in the answer; an operation can refer to an earlier one of the request by `bulkId`. `failOnErrors` stops after that many failures. What was done before a failure stays.",
  listResources: `Lists the users first, then the groups, in one list. ${LIST} Roles have lists of their own.`,
  searchResources: `Does what listing users and groups together does, with the parameters in the body. ${LIST} It changes nothing.`,
  listRoles: `Lists roles for all applications first, by name, without their users and groups: each role alone shows these. ${LIST}`,
  searchRoles: `Does what listing roles does, with the parameters in the body. ${LIST} It changes nothing.`,
  createRole:
    "A role has a name, permissions, users and groups; the caller must have the scopes of this service that it gives. It belongs to the tenant, or by `audience` to one application. A role has at most 1,000 permissions. A name in use in its audience is 409.",
  getRole:
    "Shows the permissions, users, groups and the audience. The role of administrators shows every scope of the service.",
  replaceRole:
    "Name, permissions, users and groups become exactly those of the body. Tokens that depend on the role end where permissions or assignees are lost. The roles `admin` and `everyone` keep their names.",
  patchRole:
    "Applies the operations of the body in order. Readers see all of the change or nothing of it, however many users it has. Tokens that depend on the role end where permissions or assignees are lost. The caller must have the scopes that the change gives to others.",
  deleteRole:
    "Users and groups lose it, and tokens that depend on it end. It is put aside for 30 days and can be restored, unless the operator chose otherwise. The roles `admin` and `everyone` cannot be deleted (403).",
  listRolesV1: `For tools that were written for the first roles API, which is read only here. ${LIST}`,
  getRoleV1:
    "For tools that were written for the first roles API, which is read only here: the same role, with permissions as plain texts.",
  listRolesV3: `Lists what version 2 lists. ${LIST}`,
  searchRolesV3: `Does what listing roles by version 3 does, with the parameters in the body. ${LIST} It changes nothing.`,
  createRoleV3:
    "Version 3 splits the right to change a role: users and groups in the body are 400 and are added by their own operations. The caller must have the scopes of this service that it gives.",
  getRoleV3: "Shows what version 2 shows: the same roles are behind both.",
  replaceRoleV3:
    "Name and permissions become those of the body; users or groups in it are 400. Tokens that depend on the role end where it loses permissions.",
  patchRoleV3:
    "Operations on users or groups are 400: they have paths of their own. Tokens that depend on the role end where it loses permissions.",
  deleteRoleV3:
    "Does what deleting the role by version 2 does: users and groups lose it, and tokens that depend on it end. It can be restored.",
  replaceRoleUsers:
    "The body is the complete list of users, each by its id. Users who lose the role lose tokens that depend on it. The caller must have the permissions of the role.",
  patchRoleUsers:
    'Takes up to 1,000 operations: add, remove and replace, with the path `value eq "<id>"` or without a path for the whole list. The caller must have the permissions of a role that it gives.',
  replaceRoleGroups:
    "The body is the complete list of groups, each by its id. Users of groups that lose the role lose tokens that depend on it. The caller must have the permissions of the role.",
  patchRoleGroups:
    'Takes up to 1,000 operations: add, remove and replace, with the path `value eq "<id>"` or without a path for the whole list. Users of the groups get or lose the role at once.',
  getServiceProviderConfig:
    "Says what this SCIM service supports: PATCH, bulk requests with their limits, filters, sorting, entity tags, pages by cursor and ways to authenticate.",
  listResourceTypes:
    "Lists users, groups and roles with their paths and schemas. A filter is 403, as RFC 7644 demands.",
  getResourceType: "The id is the name of the type, such as `User`.",
  listSchemas:
    "Lists every schema with its attributes and their characteristics. A filter is 403, as RFC 7644 demands.",
  getSchema: "The id is the URN of the schema.",
  createScim1User:
    "Takes the attributes of SCIM 1.1 and creates the same user that SCIM 2.0 shows. A name in use is 409. Where the SCIM profile `wso2` is fixed, a password is required.",
  listScim1Users:
    "A filter is one attribute, `Eq` and a value, such as `userName Eq kim`. Without `startIndex` and `count` a list of more than 5,000 users is 400.",
  getScim1User: "Shows the user with its groups by the attribute names of SCIM 1.1; the password is never returned.",
  replaceScim1User:
    "Attributes that SCIM 1.1 cannot name stay. Another password, and `active` false, end all tokens of the user.",
  patchScim1User:
    "A PATCH of SCIM 1.1: the body has the new values, and `meta.attributes` the names of those to remove first. Another password, and `active` false, end all tokens of the user.",
  deleteScim1User:
    "The user leaves all groups and roles, and all tokens end. It can be restored for 30 days, unless the operator chose otherwise.",
  getScim1Me: "For users with the role `admin` only, as SCIM 1.1 of WSO2 Identity Server has it: others get 403.",
  replaceScim1Me: "For users with the role `admin` only. Attributes that SCIM 1.1 cannot name stay.",
  patchScim1Me:
    "For users with the role `admin` only. The body has the new values, and `meta.attributes` the names of those to remove.",
  deleteScim1Me:
    "No request deletes the calling user by SCIM 1.1, as in WSO2 Identity Server. Delete the user by its id.",
  createScim1Group: "Creates the same group that SCIM 2.0 shows. Members are users by their ids; a name in use is 409.",
  listScim1Groups:
    "A filter is one attribute, `Eq` and a value; a name may contain `*` for any text. Members are shown where 20,000 in total fit the answer. Without `startIndex` and `count` a list of more than 5,000 groups is 400.",
  getScim1Group: "Shows the members by id and name. A group of more than 20,000 members is 400.",
  replaceScim1Group:
    "The members become exactly those of the body. Users who leave a group with roles lose tokens that depend on these.",
  patchScim1Group:
    'A member with `"operation": "delete"` leaves the group; the others of the body are added, and those that it does not name stay.',
  deleteScim1Group:
    "Its users lose the roles of the group, and tokens that depend on these. It can be restored for 30 days, unless the operator chose otherwise.",
  scim1Bulk:
    "The body has at most 1,000 operations and 1 MiB, as with SCIM 2.0, and each has a status of its own in the answer. What was done before a failure stays.",
};
