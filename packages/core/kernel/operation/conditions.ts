/** The conditions of requests (RFC 9110 section 13): how they are read. */
import { Fault } from "../faults.ts";
import type { Conditions } from "./context.ts";
import type { Operation } from "./operation.ts";

type ConditionalOperation = Pick<Operation, "method" | "target" | "changesNothing">;

/** Whether the operator can require `If-Match` of an operation: it changes a resource that may exist already. */
export function canRequireMatch({ method, target }: Pick<Operation, "method" | "target">): boolean {
  return target !== undefined && isChange(method);
}

/** Whether a condition of a request can fail: `If-Match` does at a change whose path has no representation. */
export function canFailCondition({ method, target, changesNothing }: ConditionalOperation): boolean {
  return target !== undefined || (isChange(method) && !changesNothing);
}

function isChange(method: string): boolean {
  return method === "PUT" || method === "PATCH" || method === "DELETE";
}

/**
 * The conditions of a request, if it has some. Throws `request.precondition` for an `If-Match` that is about no
 * resource: a path without a representation has no tag (RFC 9110 section 13.1.1).
 */
export function conditionsOf(
  declared: ConditionalOperation,
  headers: Readonly<Record<string, string | undefined>>,
  requiresMatch: boolean,
): Conditions | undefined {
  const [ifMatch, ifNoneMatch] = [headers["if-match"]?.trim(), headers["if-none-match"]?.trim()];
  if (declared.target !== undefined) {
    const isRequired = requiresMatch && canRequireMatch(declared);
    if (!ifMatch && !ifNoneMatch && !isRequired) return undefined;
    return { ...(ifMatch && { ifMatch }), ...(ifNoneMatch && { ifNoneMatch }), ...(isRequired && { isRequired }) };
  }
  if (!ifMatch || !canFailCondition(declared)) return undefined;
  throw new Fault("request.precondition", "This path has no entity tag that If-Match could name. Leave out If-Match.");
}
