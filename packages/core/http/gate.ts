/**
 * Conditional writes of resources whose entity tag is that of their content: the pipeline shows the resource as a GET
 * would, compares its tag, and lets the handler write only while the rows behind it are the same.
 */
import { checkConditions, resourceAbsent, resourceChanged } from "../operation/conditions.ts";
import type { Conditions } from "../operation/context.ts";
import type { Operation } from "../operation/operation.ts";
import { Fault } from "../platform/faults.ts";
import { newRowWatch } from "../table/row-watch.ts";
import type { Conditional, Served } from "./conditions.ts";
import { type AnyHandler, type Call, execute } from "./serve.ts";

/** A conditional request, and the GET whose tag its conditions name. */
interface Gated extends Conditional {
  readonly conditions: Conditions;
  readonly shown: Operation;
}

/** The gate of a conditional request. */
export function gateOf(gated: Gated): Served {
  const { handler, meter, conditions } = gated;
  const watch = newRowWatch();
  const guarded: AnyHandler = async (input, context) => {
    const tag = await tagOf(gated, context);
    watch.hold(resourceChanged);
    if (tag !== undefined) {
      checkConditions(conditions, tag);
      return handler(input, context);
    }
    if (conditions.ifMatch === undefined) return handler(input, context);
    // A request that would fail without its condition fails so; any other writes nothing.
    watch.refuse(resourceAbsent);
    await handler(input, context);
    throw resourceAbsent();
  };
  return { handler: guarded, meter: { ...meter, wrap: watch.wrap } };
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
