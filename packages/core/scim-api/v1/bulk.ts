/** Many operations in one request, as SCIM 1.1 has them (reference scim.md section 2.11), answered in the spec's shape. */
import { Fault } from "../../platform/faults.ts";
import {
  type BulkCaller,
  type BulkMethod,
  type BulkOperation,
  type BulkProtocol,
  carryOutBulk,
  readBulk,
} from "../../scim/bulk.ts";
import { groupType, userType } from "../../scim/schema/resource-types.ts";
import { isObject, kindOf } from "../../scim/values.ts";
import { linkTo } from "../resources/present.ts";
import { patchGroup, postGroup, putGroup, removeGroup } from "./groups.ts";
import type { Body } from "./input.ts";
import { CORE } from "./shapes.ts";
import { type Asking, summary } from "./show.ts";
import type { Scim1Stores } from "./stores.ts";
import { patchUser, postUser, putUser, removeUser } from "./users.ts";

/** What became of one operation. */
interface Outcome {
  readonly location?: string;
  readonly method: string;
  readonly bulkId?: string;
  readonly status: { readonly code: string; readonly description?: string };
}

/** The answers of the operations are not shown, so nothing is read for them. */
const [userSummary, groupSummary] = [summary(userType), summary(groupType)];

const codes: Readonly<Record<BulkMethod, string>> = { POST: "201", PUT: "200", PATCH: "200", DELETE: "200" };

/**
 * Carries out a bulk request. Throws `request.malformed`, `request.invalid` or `request.too_large` for the request as a
 * whole; whatever fails in one operation stands in its own answer.
 */
export async function bulk(stores: Scim1Stores, asking: Asking, caller: BulkCaller, body: Body) {
  return {
    schemas: [CORE] as [typeof CORE],
    Operations: await carryOutBulk(protocolOf(stores, asking), caller, readBulk(body)),
  };
}

function protocolOf(stores: Scim1Stores, asking: Asking): BulkProtocol<Outcome> {
  return {
    create: async (kind, data) =>
      idOf(
        kind === "Users"
          ? await postUser(stores, asking, bodyOf(data), userSummary)
          : await postGroup(stores, asking, bodyOf(data), groupSummary),
      ),
    async change(kind, method, id, { data }) {
      if (method === "DELETE") {
        await (kind === "Users" ? removeUser : removeGroup)(stores, asking, id);
      } else if (kind === "Users") {
        await (method === "PUT" ? putUser : patchUser)(stores, asking, { id }, bodyOf(data), userSummary);
      } else {
        await (method === "PUT" ? putGroup : patchGroup)(stores, asking, id, bodyOf(data), groupSummary);
      }
      return undefined;
    },
    locationOf: (kind, id) => linkTo(asking, `/${kind}/${id}`),
    unknownPath: (description) => new Fault("request.invalid", description),
    succeeded: (sent, { method, location }) => ({ location, ...headOf(sent), status: { code: codes[method] } }),
    failed: (sent, fault, location) => ({
      ...(location !== undefined && { location }),
      ...headOf(sent),
      status: { code: String(fault.row.status), description: fault.description },
    }),
  };
}

function idOf({ body }: { readonly body: Record<string, unknown> }) {
  return { id: String(body.id) };
}

function bodyOf(data: unknown): Body {
  if (isObject(data)) return data;
  throw new Fault("request.malformed", `data must be an object, not ${kindOf(data)}.`);
}

function headOf({ method, bulkId }: BulkOperation) {
  return { method, ...(bulkId !== undefined && { bulkId }) };
}
