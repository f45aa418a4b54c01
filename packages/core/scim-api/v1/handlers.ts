/** The functions of the SCIM 1.1 operations. */

import type { RequestContext, ScopedContext } from "../../operation/context.ts";
import type { Handlers } from "../../operation/operation.ts";
import { scim1GroupType, userType } from "../../scim/schema/resource-types.ts";
import { callOf, done, ownUserId } from "../resources/call.ts";
import { type Target, targetOf } from "../resources/target.ts";
import { bulk } from "./bulk.ts";
import type { scim1Operations } from "./contract.ts";
import { patchGroup, postGroup, putGroup, readGroup, removeGroup } from "./groups.ts";
import { listGroups, listUsers } from "./list.ts";
import { projectionFor } from "./projection.ts";
import type { Scim1Call, Scim1Stores } from "./stores.ts";
import { patchUser, postUser, putUser, readUser, removeUser } from "./users.ts";

export const scim1Handlers: Handlers<typeof scim1Operations, Scim1Stores> = {
  createScim1User: ({ body }, context) => postUser(callIn(context), body),
  listScim1Users: ({ query }, context) => listUsers(callIn(context), query),
  getScim1User: ({ params, query }, context) =>
    readUser(callIn(context), params, projectionFor(userType, query.attributes)),
  replaceScim1User: ({ params, body }, context) => putUser(callIn(context), targetOf(params, context), body),
  patchScim1User: ({ params, body }, context) => patchUser(callIn(context), targetOf(params, context), body),
  deleteScim1User: ({ params }, context) => done(removeUser(callIn(context), targetOf(params, context))),

  getScim1Me: async ({ query }, context) =>
    readUser(callIn(context), selfIn(context), projectionFor(userType, query.attributes)),
  replaceScim1Me: async ({ body }, context) => putUser(callIn(context), selfIn(context), body),
  patchScim1Me: async ({ body }, context) => patchUser(callIn(context), selfIn(context), body),
  deleteScim1Me: (_, context) => done(removeUser(callIn(context), { id: "me" })),

  createScim1Group: ({ body }, context) => postGroup(callIn(context), body),
  listScim1Groups: ({ query }, context) => listGroups(callIn(context), query),
  getScim1Group: ({ params, query }, context) =>
    readGroup(callIn(context), params.id, projectionFor(scim1GroupType, query.attributes)),
  replaceScim1Group: ({ params, body }, context) => putGroup(callIn(context), targetOf(params, context), body),
  patchScim1Group: ({ params, body }, context) => patchGroup(callIn(context), targetOf(params, context), body),
  deleteScim1Group: ({ params }, context) => done(removeGroup(callIn(context), targetOf(params, context))),

  scim1Bulk: ({ body }, context) => bulk(callIn(context), context, body),
};

/** Paths are the same in every tenant: the credential decides the tenant (S1-020). */
function callIn(context: Scim1Stores & RequestContext & Partial<ScopedContext>): Scim1Call {
  return callOf(context, "/svc/scim");
}

function selfIn(context: RequestContext): Target {
  return { ...targetOf({ id: ownUserId(context) }, context), isSelf: true };
}
