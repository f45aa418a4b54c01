/** Joins the pipeline of a function with repeatable requests (decision 0086). Loaded with the first key. */

import type { Table } from "../database/table/table.ts";
import type { Fault } from "../kernel/faults.ts";
import type { Principal, PublicContext } from "../kernel/operation/context.ts";
import { answerOnce, type EncodedResponse } from "./idempotency.ts";
import { digestOfKey, newAnswerSecrets, readIdempotencyKey, textOfRequest } from "./idempotency-key.ts";
import { type Call, inputOf } from "./serve.ts";

/** A request with a key, and how the function serves it. */
interface Serving {
  readonly call: Omit<Call, "context">;
  readonly principal: Principal;
  readonly scopes: readonly string[];
  /** The header with the key. */
  readonly header: string;
  readonly answerKeys: readonly Uint8Array[];
  readonly nowMs: number;
  /** The table of the request, without the records of changes. */
  readonly table: Table;
  /** Serves the request on a table that is laid over its own. */
  readonly serve: (on: Table, more: Partial<PublicContext>) => Promise<EncodedResponse>;
  /** The stores of the request on such a table. */
  readonly storesOn: (on: Table) => unknown;
  readonly render: (fault: Fault) => EncodedResponse;
  readonly reportDefect: (defect: Error) => void;
}

/**
 * Serves a request, or gives its first answer again. Throws as `readIdempotencyKey` and `answerOnce` do. An invalid
 * request claims no key.
 */
export async function serveOnce(serving: Serving): Promise<EncodedResponse> {
  const { call, principal, scopes, header, answerKeys, nowMs, table, serve, storesOn } = serving;
  const key = readIdempotencyKey(header);
  inputOf(call);
  const request = {
    tenant: principal.tenant,
    digest: digestOfKey(principal, key),
    text: textOfRequest(call.request, call.body),
    scopes: call.declared.seesScopes && scopes,
    nowMs,
  };
  return answerOnce(request, {
    secrets: newAnswerSecrets(answerKeys),
    table,
    attempt: (held, inParts) => serve(held, { inParts: (place, work) => inParts(place, (own) => work(storesOn(own))) }),
    render: serving.render,
    reportDefect: (defect) => serving.reportDefect(defect instanceof Error ? defect : new Error(String(defect))),
  });
}
