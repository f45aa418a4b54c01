/** The functions of the SCIM 1.1 operations. Bulk requests get the response that its API documents. */

import { Fault } from "../../../kernel/faults.ts";
import type { RequestContext, ScopedContext } from "../../../kernel/operation/context.ts";
import type { Handlers } from "../../../kernel/operation/operation.ts";
import type { BulkMethod } from "../../../scim/protocol/bulk-places.ts";
import { scim1GroupType, userType } from "../../../scim/protocol/schema/resource-types.ts";
import { isObject, kindOf } from "../../../scim/protocol/values.ts";
import { type BulkContext, type BulkVersion, bulkOutcomes, headOf } from "../resources/bulk.ts";
import { callOf, done, ownUserId } from "../resources/call.ts";
import { bulkTarget, type Target, targetOf } from "../resources/target.ts";
import type { scim1Operations } from "./contract.ts";
import { patchGroup, postGroup, putGroup, readGroup, removeGroup } from "./groups.ts";
import type { Body } from "./input.ts";
import { listGroups, listUsers } from "./list.ts";
import { projectionFor, summary } from "./projection.ts";
import { CORE } from "./shapes.ts";
import type { Scim1Call, Scim1Stores } from "./stores.ts";
import { patchUser, postUser, putUser, readUser, removeUser } from "./users.ts";

/** Results have no bodies, so nothing further is read for them. */
const [userSummary, groupSummary] = [summary(userType), summary(scim1GroupType)];

const codes: Readonly<Record<BulkMethod, string>> = { POST: "201", PUT: "200", PATCH: "200", DELETE: "200" };

/** The result of one operation. */
interface Outcome {
  readonly location?: string;
  readonly method: string;
  readonly bulkId?: string;
  readonly status: { readonly code: string; readonly description?: string };
}

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

/** Applies a bulk request. Throws as `bulkOutcomes` does. */
export async function bulk(call: Scim1Call, caller: BulkContext, body: Body) {
  return {
    schemas: [CORE] as [typeof CORE],
    Operations: await bulkOutcomes(call, caller, body, versionOf()),
  };
}

/** Paths are the same in every tenant: the credential decides the tenant (S1-020). */
function callIn(context: Scim1Stores & RequestContext & Partial<ScopedContext>): Scim1Call {
  return callOf(context, "/svc/scim");
}

function selfIn(context: RequestContext): Target {
  return { ...targetOf({ id: ownUserId(context) }, context), isSelf: true };
}

function versionOf(): BulkVersion<Outcome, Scim1Call> {
  return {
    functions: (call) => ({
      Users: {
        POST: async (data) => postUser(call, bodyOf(data), userSummary),
        PUT: async (sent) => putUser(call, bulkTarget(call, sent), bodyOf(sent.data), userSummary),
        PATCH: async (sent) => patchUser(call, bulkTarget(call, sent), bodyOf(sent.data), userSummary),
        DELETE: (sent) => removeUser(call, bulkTarget(call, sent)),
      },
      Groups: {
        POST: async (data) => postGroup(call, bodyOf(data), groupSummary),
        PUT: async (sent) => putGroup(call, bulkTarget(call, sent), bodyOf(sent.data), groupSummary),
        PATCH: async (sent) => patchGroup(call, bulkTarget(call, sent), bodyOf(sent.data), groupSummary),
        DELETE: (sent) => removeGroup(call, bulkTarget(call, sent)),
      },
    }),
    unknownPath: (description) => new Fault("request.invalid", description),
    succeeded: (sent, { method, location }) => ({ location, ...headOf(sent), status: { code: codes[method] } }),
    failed: (sent, fault, location) => ({
      ...(location !== undefined && { location }),
      ...headOf(sent),
      status: { code: String(fault.row.status), description: fault.description },
    }),
  };
}

function bodyOf(data: unknown): Body {
  if (isObject(data)) return data;
  throw new Fault("request.malformed", `data must be an object, not ${kindOf(data)}.`);
}
