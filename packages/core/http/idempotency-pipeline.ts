/** Joins the pipeline of a function with repeatable requests (decision 0086). Loaded with the first request that has a key. */
import type { PublicContext } from "../operation/context.ts";
import type { Fault } from "../platform/faults.ts";
import type { Table } from "../table/table.ts";
import { answerOnce, type EncodedResponse } from "./idempotency.ts";
import { type AnswerSecrets, digestOfKey, textOfRequest } from "./idempotency-key.ts";
import { type Admitted, type Call, inputOf } from "./serve.ts";

type Over = (table: Table) => Table;

/** A request with a key, and how the function serves it. */
interface Serving<Stores> {
  readonly call: Omit<Call, "context">;
  readonly admitted: Admitted;
  readonly key: string;
  readonly answers: AnswerSecrets | undefined;
  readonly nowMs: number;
  /** Serves the request on a table. */
  readonly serve: (own: { readonly over: Over }, more: Partial<PublicContext>) => Promise<EncodedResponse>;
  /** The stores of the request on a table. */
  readonly storesOver: (over: Over) => Stores;
  readonly render: (fault: Fault) => EncodedResponse;
  readonly reportDefect: (defect: Error) => void;
}

/** Serves a request, or gives its first answer again. Throws as `answerOnce` does; a request that is not valid uses up no key. */
export async function serveOnce<Stores extends object>(serving: Serving<Stores>): Promise<EncodedResponse> {
  const { call, admitted, key, answers, nowMs, serve, storesOver, render, reportDefect } = serving;
  const { principal, scopes } = admitted;
  if (!principal || !answers) throw new Error("a key without a caller or without secrets");
  inputOf(call);
  let table: Table | undefined;
  storesOver((own) => {
    table = own;
    return own;
  });
  if (!table) throw new Error("an operation that takes a key has no table");
  return answerOnce(
    {
      tenant: principal.tenant,
      digest: digestOfKey(principal, key),
      text: textOfRequest(call.request, call.body),
      scopes: call.declared.seesScopes && scopes,
      nowMs,
    },
    {
      secrets: answers,
      table,
      attempt: (held, inParts) =>
        serve({ over: () => held }, { inParts: (place, work) => inParts(place, (own) => work(storesOver(() => own))) }),
      render,
      reportDefect: (defect) => reportDefect(defect instanceof Error ? defect : new Error(String(defect))),
    },
  );
}
