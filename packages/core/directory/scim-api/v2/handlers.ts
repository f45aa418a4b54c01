/** The functions of the SCIM 2.0 operations. */

import { SUPER_TENANT } from "../../../kernel/domain/tenant.ts";
import { Fault } from "../../../kernel/faults.ts";
import { later } from "../../../kernel/later.ts";
import type { OpenableContext, RequestContext, ScopedContext } from "../../../kernel/operation/context.ts";
import type { Handlers } from "../../../kernel/operation/operation.ts";
import {
  limits,
  resourceTypeResources,
  resourceWithId,
  schemaResources,
  serviceProviderConfig,
} from "../../../scim/protocol/discovery.ts";
import type { JsonObject } from "../../../scim/protocol/schema/attribute.ts";
import { roleType } from "../../../scim/protocol/schema/role.ts";
import { callOf, done, ownUserId } from "../resources/call.ts";
import { type Target, targetOf } from "../resources/target.ts";
import type { scim2Operations } from "./contract.ts";
import { type ListResult, listGroups, listResources, listUsers, resultOf } from "./list.ts";
import { type ListRequest, searchOf } from "./list-request.ts";
import type { Scim2Call, Scim2Stores } from "./stores.ts";

const single = () => import("./single.ts");
const { readUser, postUser, putUser, patchUser, removeUser } = later(
  single,
  "readUser",
  "postUser",
  "putUser",
  "patchUser",
  "removeUser",
);
const { readGroup, postGroup, putGroup, patchGroup, removeGroup } = later(
  single,
  "readGroup",
  "postGroup",
  "putGroup",
  "patchGroup",
  "removeGroup",
);
const { readRole, postRole, putRole, patchRole, removeRole } = later(
  single,
  "readRole",
  "postRole",
  "putRole",
  "patchRole",
  "removeRole",
);
const { listRoles, bulk } = later(single, "listRoles", "bulk");
const { listRolesV1, readRoleV1 } = later(single, "listRolesV1", "readRoleV1");
const { postRoleV3, putRoleV3, patchRoleV3, putAssignees, patchAssignees } = later(
  single,
  "postRoleV3",
  "putRoleV3",
  "patchRoleV3",
  "putAssignees",
  "patchAssignees",
);

export const scim2Handlers: Handlers<typeof scim2Operations, Scim2Stores> = {
  listUsers: ({ query }, context) => listUsers(callIn(context), requestOf(query)),
  searchUsers: ({ body }, context) => listUsers(callIn(context), searchOf(body)),
  createUser: ({ body, query }, context) => postUser(callIn(context), body, query),
  getUser: ({ params, query }, context) => readUser(callIn(context), params.id, query),
  replaceUser: ({ params, query, body }, context) => putUser(callIn(context), targetOf(params, context), body, query),
  patchUser: ({ params, query, body }, context) => patchUser(callIn(context), targetOf(params, context), body, query),
  deleteUser: ({ params }, context) => done(removeUser(callIn(context), targetOf(params, context))),

  listGroups: ({ query }, context) => listGroups(callIn(context), requestOf(query)),
  searchGroups: ({ body }, context) => listGroups(callIn(context), searchOf(body)),
  createGroup: ({ body, query }, context) => postGroup(callIn(context), body, query),
  getGroup: ({ params, query }, context) => readGroup(callIn(context), params.id, query),
  replaceGroup: ({ params, query, body }, context) => putGroup(callIn(context), targetOf(params, context), body, query),
  patchGroup: ({ params, query, body }, context) => patchGroup(callIn(context), targetOf(params, context), body, query),
  deleteGroup: ({ params }, context) => done(removeGroup(callIn(context), targetOf(params, context))),

  getMe: ({ query }, context) => readUser(callIn(context), ownUserId(context), query),
  replaceMe: ({ query, body }, context) => putUser(callIn(context), selfOf(context), body, query),
  patchMe: ({ query, body }, context) => patchUser(callIn(context), selfOf(context), body, query),
  deleteMe: (_, context) => done(removeUser(callIn(context), selfOf(context))),
  async createMe() {
    throw new Fault("scim.not_implemented", "Self-registration is not supported. Create users with POST /Users.");
  },

  listRoles: ({ query }, context) => listRoles(callIn(context), requestOf(query)),
  searchRoles: ({ body }, context) => listRoles(callIn(context), searchOf(body)),
  createRole: ({ body, query }, context) => postRole(callIn(context), body, query),
  getRole: ({ params, query }, context) => readRole(callIn(context), params.id, query),
  replaceRole: ({ params, query, body }, context) => putRole(callIn(context), targetOf(params, context), body, query),
  patchRole: ({ params, query, body }, context) => patchRole(callIn(context), targetOf(params, context), body, query),
  deleteRole: ({ params }, context) => done(removeRole(callIn(context), targetOf(params, context))),

  listRolesV1: ({ query }, context) => listRolesV1(callIn(context), requestOf(query)),
  getRoleV1: ({ params, query }, context) => readRoleV1(callIn(context), params.id, query),

  listRolesV3: ({ query }, context) => listRoles(callIn(context), requestOf(query)),
  searchRolesV3: ({ body }, context) => listRoles(callIn(context), searchOf(body)),
  createRoleV3: ({ body, query }, context) => postRoleV3(callIn(context), body, query),
  getRoleV3: ({ params, query }, context) => readRole(callIn(context), params.id, query),
  replaceRoleV3: ({ params, query, body }, context) =>
    putRoleV3(callIn(context), targetOf(params, context), body, query),
  patchRoleV3: ({ params, query, body }, context) =>
    patchRoleV3(callIn(context), targetOf(params, context), body, query),
  deleteRoleV3: ({ params }, context) => done(removeRole(callIn(context), targetOf(params, context))),
  replaceRoleUsers: ({ params, body }, context) =>
    putAssignees(callIn(context), targetOf(params, context), "user", body),
  patchRoleUsers: ({ params, body }, context) =>
    patchAssignees(callIn(context), targetOf(params, context), "user", body),
  replaceRoleGroups: ({ params, body }, context) =>
    putAssignees(callIn(context), targetOf(params, context), "group", body),
  patchRoleGroups: ({ params, body }, context) =>
    patchAssignees(callIn(context), targetOf(params, context), "group", body),

  bulk: ({ body }, context) => bulk(callIn(context), context, body),

  listResources: ({ query }, context) => listResources(callIn(context), requestOf(query)),
  searchResources: ({ body }, context) => listResources(callIn(context), searchOf(body)),

  async getServiceProviderConfig({ query }, context) {
    checkUnfiltered(query);
    return { ...serviceProviderConfig({ base: baseOf(context), ...limits, showsEvents: context.dialect.showsEvents }) };
  },
  async listResourceTypes({ query }, context) {
    checkUnfiltered(query);
    return described(resourceTypeResources(baseOf(context), typesOf(context)));
  },
  getResourceType: async ({ params }, context) =>
    oneOf(resourceTypeResources(baseOf(context), typesOf(context)), params.id),
  async listSchemas({ query }, context) {
    checkUnfiltered(query);
    return described(schemaResources(baseOf(context), typesOf(context)));
  },
  getSchema: async ({ params }, context) => oneOf(schemaResources(baseOf(context), typesOf(context)), params.id),
};

type AnyContext = Scim2Stores & RequestContext & Partial<ScopedContext>;

function callIn(context: AnyContext): Scim2Call {
  return callOf(context, basePath(context.tenant));
}

function selfOf(context: RequestContext): Target {
  return { ...targetOf({ id: ownUserId(context) }, context), isSelf: true };
}

/** Upstream also has the misspelt parameter `sortOder`. */
function requestOf({ sortOder, ...query }: ListRequest & { readonly sortOder?: string | undefined }): ListRequest {
  return { ...query, sortOrder: query.sortOrder ?? sortOder };
}

/** Discovery cannot be filtered (RFC 7644 section 4). Throws `scim.forbidden`. */
function checkUnfiltered({ filter }: { readonly filter?: string | undefined }): void {
  if (filter !== undefined) throw new Fault("scim.forbidden", "This resource cannot be filtered. Leave out filter.");
}

/**
 * The base of the links of discovery: in the tenant of the caller, or of the path where the caller has no credential.
 */
function baseOf({ origin, tenant, pathTenant }: OpenableContext): string {
  return `${origin}${basePath(tenant ?? pathTenant ?? SUPER_TENANT)}`;
}

/** The path of the resources of a tenant. */
function basePath(tenant: string): string {
  return tenant === SUPER_TENANT ? "/scim2" : `/t/${tenant}/scim2`;
}

function described(list: readonly JsonObject[]): ListResult {
  return resultOf(list.length, list, { startIndex: 1 });
}

function typesOf({ dialect }: Scim2Stores) {
  return [dialect.userType, dialect.groupType, roleType];
}

/** A description by its id. Throws `scim.not_found`. */
function oneOf(list: readonly JsonObject[], id: string): Record<string, unknown> {
  const found = resourceWithId(list, id);
  if (!found) throw new Fault("scim.not_found", `No schema or resource type has the id "${id.slice(0, 200)}".`);
  return { ...found };
}
