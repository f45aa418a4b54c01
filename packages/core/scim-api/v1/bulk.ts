/** Bulk requests of SCIM 1.1, with the response that its API documents. */
import { Fault } from "../../platform/faults.ts";
import type { BulkMethod } from "../../scim/bulk.ts";
import { scim1GroupType, userType } from "../../scim/schema/resource-types.ts";
import { isObject, kindOf } from "../../scim/values.ts";
import { type BulkContext, type BulkVersion, bulkOutcomes, headOf } from "../resources/bulk.ts";
import { bulkTarget } from "../resources/target.ts";
import { patchGroup, postGroup, putGroup, removeGroup } from "./groups.ts";
import type { Body } from "./input.ts";
import { summary } from "./projection.ts";
import { CORE } from "./shapes.ts";
import type { Scim1Call } from "./stores.ts";
import { patchUser, postUser, putUser, removeUser } from "./users.ts";

/** The result of one operation. */
interface Outcome {
  readonly location?: string;
  readonly method: string;
  readonly bulkId?: string;
  readonly status: { readonly code: string; readonly description?: string };
}

/** Results have no bodies, so nothing further is read for them. */
const [userSummary, groupSummary] = [summary(userType), summary(scim1GroupType)];

const codes: Readonly<Record<BulkMethod, string>> = { POST: "201", PUT: "200", PATCH: "200", DELETE: "200" };

/** Applies a bulk request. Throws as `bulkOutcomes` does. */
export async function bulk(call: Scim1Call, caller: BulkContext, body: Body) {
  return {
    schemas: [CORE] as [typeof CORE],
    Operations: await bulkOutcomes(call, caller, body, versionOf()),
  };
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
