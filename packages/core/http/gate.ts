/**
 * Conditional writes of resources whose entity tag is that of their content: the pipeline shows the resource as a GET
 * would, compares its tag, and lets the handler write only while the rows behind it are the same.
 */

import type { Meter } from "../database/table/meter.ts";
import { newRowWatch, type RowWatch } from "../database/table/row-watch.ts";
import { Moved, whileConflicting } from "../database/table/stale.ts";
import { Fault } from "../kernel/faults.ts";
import type { Conditions } from "../kernel/operation/context.ts";
import type { Operation } from "../kernel/operation/operation.ts";
import { checkConditions, resourceAbsent } from "../kernel/operation/preconditions.ts";
import type { HttpRequest } from "./request.ts";
import { type AnyHandler, type Call, execute } from "./serve.ts";

/** A request, and what its conditions are compared with. */
export interface Conditional extends Pick<Call, "declared" | "handler" | "params"> {
  readonly request: HttpRequest;
  readonly scopes: readonly string[];
  readonly meter: Meter;
  readonly operations: Readonly<Record<string, Operation>>;
  readonly handlers: Readonly<Record<string, AnyHandler>>;
  /** Whether the operator requires `If-Match`. */
  readonly requiresIfMatch: boolean;
}

/** With what a request is served. */
export interface Served {
  readonly handler: AnyHandler;
  readonly meter: Meter;
  readonly conditions?: Conditions;
}

/** A conditional request, and the GET whose tag its conditions name. */
interface Gated extends Conditional {
  readonly conditions: Conditions;
  readonly shown: Operation;
}

/**
 * The gate of a conditional request. Where another request changes the resource between the comparison and the write,
 * both are made again: the tag of its new state decides, so that no state is overwritten that the caller has not named.
 */
export function gateOf(gated: Gated): Served {
  const watch = newRowWatch();
  const guarded: AnyHandler = (input, context) =>
    whileConflicting(
      () => attempt(gated, watch, input, context),
      (error) => error instanceof Moved,
    );
  return { handler: guarded, meter: { ...gated.meter, wrap: watch.wrap } };
}

async function attempt(gated: Gated, watch: RowWatch, input: never, context: never): Promise<unknown> {
  const { handler, conditions } = gated;
  watch.begin();
  const tag = await tagOf(gated, context);
  if (tag !== undefined) checkConditions(conditions, tag);
  watch.hold(() => new Moved("the resource has changed"));
  if (tag !== undefined || conditions.ifMatch === undefined) return handler(input, context);
  // A request that would fail without its condition fails so; any other writes nothing.
  watch.refuse(resourceAbsent);
  await handler(input, context);
  throw resourceAbsent();
}

/** The entity tag that a GET by the same caller has; `undefined` where it finds nothing. */
async function tagOf(
  { declared: { target = "" }, shown, handlers, request, params, scopes }: Gated,
  context: object,
): Promise<string | undefined> {
  const handler = handlers[target];
  if (!handler) throw new Error(`${target} has no handler`);
  try {
    const { headers } = await execute({
      declared: shown,
      handler,
      request: { ...request, method: "GET", rawQuery: "", headers: {} },
      params,
      body: undefined,
      context: { ...(context as Call["context"]), ...(shown.seesScopes && { scopes: new Set(scopes) }) },
    });
    return headers.etag;
  } catch (error) {
    if (error instanceof Fault && error.row.status === 404) return undefined;
    throw error;
  }
}
