/**
 * Bulk requests of both SCIM versions: which function applies an operation, and what is the same in their responses.
 */

import type { PublicContext } from "../../../kernel/operation/context.ts";
import { type BulkCaller, type BulkProtocol, executeBulk } from "../../../scim/protocol/bulk.ts";
import type { BulkKind } from "../../../scim/protocol/bulk-places.ts";
import { type BulkOperation, readBulk } from "../../../scim/protocol/bulk-request.ts";
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

/** The functions of each kind that a version has. */
type BulkKinds = Readonly<Partial<Record<BulkKind, BulkFunctions>>>;

/** How a SCIM version applies operations and reports their results. */
export interface BulkVersion<Outcome, Call extends ScimCall>
  extends Pick<BulkProtocol<Outcome>, "unknownPath" | "succeeded" | "failed"> {
  readonly functions: (call: Call) => BulkKinds;
  /** Throws where the `schemas` of the request are those of another message. */
  readonly checkSchemas?: (schemas: unknown) => void;
  /** Where the resources of a kind are, below the path of the version. */
  readonly placeOf?: (kind: BulkKind) => string;
}

/** The caller of a bulk request, and how its operations run one by one where the request is repeatable. */
export type BulkContext = BulkCaller & Pick<PublicContext, "inParts">;

/**
 * Applies a bulk request; the outcomes are in its order. Throws `request.malformed`, `request.invalid` or
 * `request.too_large` for the request as a whole. A fault of one operation is reported in its outcome.
 */
export function bulkOutcomes<Outcome, Call extends ScimCall>(
  call: Call,
  caller: BulkContext,
  body: Readonly<Record<string, unknown>>,
  { functions, checkSchemas, placeOf = (kind) => kind, ...version }: BulkVersion<Outcome, Call>,
): Promise<Outcome[]> {
  const { inParts } = caller;
  /** Where the request is repeatable, an operation has stores of its own, and its result is stored with its change. */
  const at = <R>(place: number, run: (functions: BulkKinds) => Promise<R>): Promise<R> =>
    inParts
      ? inParts(place, (stores) => run(functions({ ...call, stores: stores as Call["stores"] })))
      : run(functions(call));
  const request = readBulk(body, checkSchemas);
  const kinds = functions(call);
  const protocol: BulkProtocol<Outcome> = {
    ...version,
    create: (place, kind, data) =>
      at(place, async (run) => {
        const { body: created, etag } = await of(run, kind).POST(data);
        return { id: String(created.id), ...(etag !== undefined && { etag }) };
      }),
    change: (place, kind, method, id, sent) =>
      at(place, async (run) => {
        const changed = await of(run, kind)[method]({ id, ...sent });
        return changed?.etag === undefined ? undefined : { etag: changed.etag };
      }),
    locationOf: (kind, id) => linkTo(call, `/${placeOf(kind)}/${id}`),
    takes: (kind) => kinds[kind] !== undefined,
  };
  return executeBulk(protocol, caller, request);
}

function of(kinds: BulkKinds, kind: BulkKind): BulkFunctions {
  const found = kinds[kind];
  if (!found) throw new Error(`a bulk operation on ${kind} was not refused`);
  return found;
}

/** The members of an outcome that repeat the operation. */
export function headOf({ method, bulkId }: BulkOperation) {
  return { method, ...(bulkId !== undefined && { bulkId }) };
}
