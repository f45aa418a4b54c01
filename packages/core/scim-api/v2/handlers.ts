/** The functions behind the SCIM 2.0 operations. */

import { SUPER_TENANT } from "../../domain/tenant.ts";
import { callerId, type OpenableContext, type RequestContext, type ScopedContext } from "../../operation/context.ts";
import type { Handlers } from "../../operation/operation.ts";
import { Fault } from "../../platform/faults.ts";
import {
  limits,
  resourceTypeResources,
  resourceWithId,
  schemaResources,
  serviceProviderConfig,
} from "../../scim/discovery.ts";
import type { JsonObject } from "../../scim/schema/attribute.ts";
import { roleType } from "../../scim/schema/role.ts";
import { bulk } from "./bulk.ts";
import type { scim2Operations } from "./contract.ts";
import { patchGroup, postGroup, putGroup, readGroup, removeGroup } from "./groups.ts";
import { type Asking, type ListAnswer, listGroups, listResources, listUsers } from "./list.ts";
import { type ListRequest, searchOf } from "./paging.ts";
import { listRoles, patchRole, postRole, putRole, readRole, removeRole } from "./roles.ts";
import { LIST_RESPONSE } from "./shapes.ts";
import type { Scim2Stores } from "./stores.ts";
import { patchUser, postUser, putUser, readUser, removeUser } from "./users.ts";

export const scim2Handlers: Handlers<typeof scim2Operations, Scim2Stores> = {
  listUsers: ({ query }, context) => listUsers(context, askingOf(context), requestOf(query)),
  searchUsers: ({ body }, context) => listUsers(context, askingOf(context), searchOf(body)),
  createUser: ({ body, query }, context) => postUser(context, askingOf(context), body, query),
  getUser: ({ params, query }, context) => readUser(context, askingOf(context), params.id, query),
  replaceUser: ({ params, query, headers, body }, context) =>
    putUser(context, askingOf(context), { id: params.id, ifMatch: headers["if-match"] }, body, query),
  patchUser: ({ params, query, headers, body }, context) =>
    patchUser(context, askingOf(context), { id: params.id, ifMatch: headers["if-match"] }, body, query),
  async deleteUser({ params, headers }, context) {
    await removeUser(context, askingOf(context), { id: params.id, ifMatch: headers["if-match"] });
    return undefined;
  },

  listGroups: ({ query }, context) => listGroups(context, askingOf(context), requestOf(query)),
  searchGroups: ({ body }, context) => listGroups(context, askingOf(context), searchOf(body)),
  createGroup: ({ body, query }, context) => postGroup(context, askingOf(context), body, query),
  getGroup: ({ params, query }, context) => readGroup(context, askingOf(context), params.id, query),
  replaceGroup: ({ params, query, headers, body }, context) =>
    putGroup(context, askingOf(context), { id: params.id, ifMatch: headers["if-match"] }, body, query),
  patchGroup: ({ params, query, headers, body }, context) =>
    patchGroup(context, askingOf(context), { id: params.id, ifMatch: headers["if-match"] }, body, query),
  async deleteGroup({ params, headers }, context) {
    await removeGroup(context, askingOf(context), { id: params.id, ifMatch: headers["if-match"] });
    return undefined;
  },

  getMe: ({ query }, context) => readUser(context, askingOf(context), selfIn(context), query),
  replaceMe: ({ query, headers, body }, context) =>
    putUser(
      context,
      askingOf(context),
      { id: selfIn(context), ifMatch: headers["if-match"], isSelf: true },
      body,
      query,
    ),
  patchMe: ({ query, headers, body }, context) =>
    patchUser(
      context,
      askingOf(context),
      { id: selfIn(context), ifMatch: headers["if-match"], isSelf: true },
      body,
      query,
    ),
  async deleteMe({ headers }, context) {
    await removeUser(context, askingOf(context), { id: selfIn(context), ifMatch: headers["if-match"] });
    return undefined;
  },
  async createMe() {
    throw new Fault("scim.not_implemented", "Self-registration is not offered: create users with POST /Users.");
  },

  listRoles: ({ query }, context) => listRoles(context, askingOf(context), requestOf(query)),
  searchRoles: ({ body }, context) => listRoles(context, askingOf(context), searchOf(body)),
  createRole: ({ body, query }, context) => postRole(context, askingOf(context), body, query),
  getRole: ({ params, query }, context) => readRole(context, askingOf(context), params.id, query),
  replaceRole: ({ params, query, headers, body }, context) =>
    putRole(context, askingOf(context), { id: params.id, ifMatch: headers["if-match"] }, body, query),
  patchRole: ({ params, query, headers, body }, context) =>
    patchRole(context, askingOf(context), { id: params.id, ifMatch: headers["if-match"] }, body, query),
  async deleteRole({ params, headers }, context) {
    await removeRole(context, askingOf(context), { id: params.id, ifMatch: headers["if-match"] });
    return undefined;
  },

  bulk: ({ body }, context) => bulk(context, askingOf(context), context, body),

  listResources: ({ query }, context) => listResources(context, askingOf(context), requestOf(query)),
  searchResources: ({ body }, context) => listResources(context, askingOf(context), searchOf(body)),

  async getServiceProviderConfig({ query }, context) {
    unfiltered(query);
    return { ...serviceProviderConfig({ base: baseOf(context), ...limits }) };
  },
  async listResourceTypes({ query }, context) {
    unfiltered(query);
    return described(resourceTypeResources(baseOf(context), typesOf(context)));
  },
  getResourceType: async ({ params }, context) =>
    oneOf(resourceTypeResources(baseOf(context), typesOf(context)), params.id),
  async listSchemas({ query }, context) {
    unfiltered(query);
    return described(schemaResources(baseOf(context), typesOf(context)));
  },
  getSchema: async ({ params }, context) => oneOf(schemaResources(baseOf(context), typesOf(context)), params.id),
};

function askingOf({ origin, tenant, principal, now, scopes }: RequestContext & Partial<ScopedContext>): Asking {
  return {
    origin,
    tenant,
    base: basePath(tenant),
    subject: callerId(principal),
    scopes,
    now,
  };
}

/** The parameters of a list as a search has them. */
function requestOf({ sortOder, ...query }: ListRequest & { readonly sortOder?: string | undefined }): ListRequest {
  return {
    ...query,
    sortOrder: query.sortOrder ?? sortOder,
  };
}

/** The user who asks; a caller that is no user has none. */
function selfIn({ principal }: RequestContext): string {
  // The id of an application is chosen by whoever makes it, and could be that of a user.
  if (principal.kind === "user") return principal.subject;
  throw new Fault("scim.forbidden", "An application on its own account is no user: ask with the credential of one.");
}

/** RFC 7644 section 4: what describes the service is not searched. */
function unfiltered({ filter }: { readonly filter?: string | undefined }): void {
  if (filter !== undefined) throw new Fault("scim.forbidden", "What describes the service cannot be filtered.");
}

/** Where the links of what describes the service begin: in the caller's tenant, or that of the path where nobody had to say who calls. */
function baseOf({ origin, tenant, pathTenant }: OpenableContext): string {
  return `${origin}${basePath(tenant ?? pathTenant ?? SUPER_TENANT)}`;
}

/** Where the resources of a tenant are. */
function basePath(tenant: string): string {
  return tenant === SUPER_TENANT ? "/scim2" : `/t/${tenant}/scim2`;
}

function described(list: readonly JsonObject[]): ListAnswer {
  return {
    schemas: [LIST_RESPONSE],
    totalResults: list.length,
    startIndex: 1,
    itemsPerPage: list.length,
    Resources: list.map((one) => ({ ...one })),
  };
}

function typesOf({ dialect }: Scim2Stores) {
  return [dialect.userType, dialect.groupType, roleType];
}

/** One of a list of descriptions by its id. Throws `scim.not_found`. */
function oneOf(list: readonly JsonObject[], id: string): Record<string, unknown> {
  const found = resourceWithId(list, id);
  if (!found) throw new Fault("scim.not_found", `"${id.slice(0, 200)}" describes nothing here.`);
  return { ...found };
}
