/**
 * Bulk requests of both SCIM versions: which function applies an operation, and what is the same in their responses.
 */

import {
  type BulkCaller,
  type BulkKind,
  type BulkOperation,
  type BulkProtocol,
  executeBulk,
  readBulk,
} from "../../scim/bulk.ts";
import type { ScimCall } from "./call.ts";
import { linkTo } from "./present.ts";

/** One operation: the id in its path, its `data`, and the entity tag that it names. */
interface BulkInput {
  readonly id: string;
  readonly data: unknown;
  readonly version: string | undefined;
}

/** A resource that an operation created or changed. */
interface BulkResult {
  readonly location: string;
  readonly etag?: string;
}

/** The functions of one type of resource. */
interface BulkFunctions {
  readonly POST: (data: unknown) => Promise<BulkResult & { readonly body: Record<string, unknown> }>;
  readonly PUT: (input: BulkInput) => Promise<BulkResult>;
  readonly PATCH: (input: BulkInput) => Promise<BulkResult>;
  readonly DELETE: (input: BulkInput) => Promise<void>;
}

/** How a SCIM version applies operations and reports their results. */
export interface BulkVersion<Outcome> extends Pick<BulkProtocol<Outcome>, "unknownPath" | "succeeded" | "failed"> {
  readonly functions: Readonly<Record<BulkKind, BulkFunctions>>;
}

/**
 * Applies a bulk request; the outcomes are in its order. Throws `request.malformed`, `request.invalid` or
 * `request.too_large` for the request as a whole. A fault of one operation is reported in its outcome.
 */
export function bulkOutcomes<Outcome>(
  call: ScimCall,
  caller: BulkCaller,
  body: Readonly<Record<string, unknown>>,
  { functions, ...version }: BulkVersion<Outcome>,
): Promise<Outcome[]> {
  const protocol: BulkProtocol<Outcome> = {
    ...version,
    async create(kind, data) {
      const { body: created, etag } = await functions[kind].POST(data);
      return { id: String(created.id), ...(etag !== undefined && { etag }) };
    },
    change: async (kind, method, id, sent) => (await functions[kind][method]({ id, ...sent })) || undefined,
    locationOf: (kind, id) => linkTo(call, `/${kind}/${id}`),
  };
  return executeBulk(protocol, caller, readBulk(body));
}

/** The members of an outcome that repeat the operation. */
export function headOf({ method, bulkId }: BulkOperation) {
  return { method, ...(bulkId !== undefined && { bulkId }) };
}
