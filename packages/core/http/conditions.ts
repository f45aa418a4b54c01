/** Whether a request is conditional, and who compares: the handler, or a gate before it (gate.ts). */
import { conditionsOf } from "../operation/conditions.ts";
import type { Conditions } from "../operation/context.ts";
import type { Operation } from "../operation/operation.ts";
import type { Meter } from "../table/meter.ts";
import type { Changing } from "./changing.ts";
import type { HttpRequest } from "./request.ts";
import type { AnyHandler, Call } from "./serve.ts";

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

/**
 * The handler and the meter of a request. One without conditions gets its own. Throws as `conditionsOf` does; the
 * handler throws what `checkConditions` throws.
 */
export async function gated(given: Conditional, changing: Pick<Changing, "gateOf"> | undefined): Promise<Served> {
  const { declared, handler, request, meter, operations, requiresIfMatch } = given;
  const conditions = conditionsOf(declared, request.headers, requiresIfMatch);
  if (!conditions) return { handler, meter };
  const shown = operations[declared.target ?? ""];
  if (shown?.success.etag !== "content") return { handler, meter, conditions };
  // Loaded with the first such request, so that it costs no cold start.
  const gateOf = await changing?.gateOf();
  if (!gateOf) throw new Error("the function cannot compare conditions");
  return { ...gateOf({ ...given, conditions, shown }), conditions };
}
