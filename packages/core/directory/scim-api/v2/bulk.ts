/** Bulk requests of SCIM 2.0 (RFC 7644 section 3.7). */
import { Fault } from "../../../kernel/faults.ts";
import type { BulkMethod } from "../../../scim/protocol/bulk-places.ts";
import { wholeScopes } from "../../../scim/protocol/bulk-scopes.ts";
import { type BulkContext, type BulkVersion, bulkOutcomes, headOf } from "../resources/bulk.ts";
import { bulkTarget } from "../resources/target.ts";
import { patchGroup, postGroup, putGroup, removeGroup } from "./groups.ts";
import { patchRole, postRole, putRole, removeRole } from "./roles.ts";
import { BULK_REQUEST, BULK_RESPONSE } from "./shapes.ts";
import type { Scim2Call } from "./stores.ts";
import { patchUser, postUser, putUser, removeUser } from "./users.ts";

/** The result of one operation. */
interface Outcome {
  readonly method: string;
  readonly bulkId?: string;
  readonly version?: string;
  readonly location?: string;
  readonly status: string;
  readonly response?: Record<string, unknown>;
}

/** Results have no bodies, so nothing further is read for them. */
const BRIEF = { attributes: "id" } as const;

const statuses: Readonly<Record<BulkMethod, string>> = { POST: "201", PUT: "200", PATCH: "200", DELETE: "204" };

/** Applies a bulk request. Throws as `bulkOutcomes` does. */
export async function bulk(call: Scim2Call, caller: BulkContext, body: Readonly<Record<string, unknown>>) {
  return {
    schemas: [BULK_RESPONSE] as [typeof BULK_RESPONSE],
    Operations: await bulkOutcomes(call, caller, body, versionOf(call)),
  };
}

function checkSchemas(schemas: unknown): void {
  const hasUrn = [schemas]
    .flat()
    .some((urn) => typeof urn === "string" && urn.toLowerCase() === BULK_REQUEST.toLowerCase());
  if (Array.isArray(schemas) && (schemas.length === 0 || hasUrn)) return;
  throw new Fault("request.invalid", `schemas must contain ${BULK_REQUEST}.`);
}

function versionOf({ stores: { dialect } }: Scim2Call): BulkVersion<Outcome, Scim2Call> {
  return {
    checkSchemas: (schemas) => checkSchemas(schemas ?? []),
    functions: (call) => ({
      Users: {
        POST: (data) => postUser(call, data, BRIEF),
        PUT: (sent) => putUser(call, bulkTarget(call, sent), sent.data, BRIEF),
        PATCH: (sent) => patchUser(call, bulkTarget(call, sent), sent.data, BRIEF),
        DELETE: (sent) => removeUser(call, bulkTarget(call, sent)),
      },
      Groups: {
        POST: (data) => postGroup(call, data, BRIEF),
        PUT: (sent) => putGroup(call, bulkTarget(call, sent), sent.data, BRIEF),
        PATCH: (sent) => patchGroup(call, bulkTarget(call, sent), sent.data, BRIEF),
        DELETE: (sent) => removeGroup(call, bulkTarget(call, sent)),
      },
      Roles: {
        POST: (data) => postRole(call, data, BRIEF),
        PUT: (sent) => putRole(call, bulkTarget(call, sent), sent.data, BRIEF),
        PATCH: (sent) => patchRole(call, bulkTarget(call, sent), sent.data, BRIEF, wholeScopes("Roles", "PATCH")),
        DELETE: (sent) => removeRole(call, bulkTarget(call, sent)),
      },
    }),
    placeOf: (kind) => (kind === "Roles" ? "v2/Roles" : kind),
    unknownPath: (description) => new Fault("scim.not_found", description),
    succeeded: (sent, { method, location, etag }) => ({
      ...headOf(sent),
      ...(etag !== undefined && { version: etag }),
      location,
      status: statuses[method],
    }),
    failed: (sent, fault, location) => ({
      ...headOf(sent),
      ...(location !== undefined && { location }),
      status: String(fault.row.status),
      response: dialect.errorOf(fault),
    }),
  };
}
