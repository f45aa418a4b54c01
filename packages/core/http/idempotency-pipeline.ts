/** Joins the pipeline of a function with repeatable requests (decision 0086). Loaded with the first key. */
import type { Principal, PublicContext } from "../operation/context.ts";
import type { Fault } from "../platform/faults.ts";
import type { Table } from "../table/table.ts";
import { answerOnce, type EncodedResponse } from "./idempotency.ts";
import { digestOfKey, newAnswerSecrets, readIdempotencyKey, textOfRequest } from "./idempotency-key.ts";
import { type Call, inputOf } from "./serve.ts";

type Over = (table: Table) => Table;

/** A request with a key, and how the function serves it. */
interface Serving {
  readonly call: Omit<Call, "context">;
  readonly principal: Principal;
  readonly scopes: readonly string[];
  /** The header with the key. */
  readonly header: string;
  readonly answerKeys: readonly Uint8Array[];
  readonly nowMs: number;
  /** Serves the request on a table that is laid over its own. */
  readonly serve: (over: Over, more: Partial<PublicContext>) => Promise<EncodedResponse>;
  /** The stores of the request on such a table. */
  readonly storesOn: (over: Over) => unknown;
  readonly render: (fault: Fault) => EncodedResponse;
  readonly reportDefect: (defect: Error) => void;
}

/** Serves a request, or gives its first answer again. Throws as `readIdempotencyKey` and `answerOnce` do. An invalid request claims no key. */
export async function serveOnce(serving: Serving): Promise<EncodedResponse> {
  const { call, principal, scopes, header, answerKeys, nowMs, serve, storesOn, render, reportDefect } = serving;
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
    table: tableOf(storesOn),
    attempt: (held, inParts) =>
      serve(() => held, {
        inParts: (place, work) => inParts(place, (own) => work(storesOn(() => own))),
      }),
    render,
    reportDefect: (defect) => reportDefect(defect instanceof Error ? defect : new Error(String(defect))),
  });
}

/** The table below the records of changes, which only the stores of a function know. */
function tableOf(storesOn: Serving["storesOn"]): Table {
  let found: Table | undefined;
  storesOn((table) => {
    found = table;
    return table;
  });
  if (!found) throw new Error("an operation that takes a key has no table");
  return found;
}
