/**
 * Conditional writes of resources whose entity tag is that of their content: the pipeline shows the resource as a GET
 * would, compares its tag, and lets the handler write only while the rows behind it are the same.
 */
import { checkConditions, resourceAbsent } from "../operation/conditions.ts";
import type { Conditions } from "../operation/context.ts";
import type { Operation } from "../operation/operation.ts";
import { Fault } from "../platform/faults.ts";
import { newRowWatch, type RowWatch } from "../table/row-watch.ts";
import { whileConflicting } from "../table/stale.ts";
import type { Conditional, Served } from "./conditions.ts";
import { type AnyHandler, type Call, execute } from "./serve.ts";

/** A conditional request, and the GET whose tag its conditions name. */
interface Gated extends Conditional {
  readonly conditions: Conditions;
  readonly shown: Operation;
}

/** A row behind the tag has changed before the request could write. */
class Moved extends Error {}

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
