/** Whether a request is conditional, and who compares: the handler, or a gate before it (gate.ts). */
import { conditionsOf } from "../kernel/operation/conditions.ts";
import type { Changing } from "./changing.ts";
import type { Conditional, Served } from "./gate.ts";

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
