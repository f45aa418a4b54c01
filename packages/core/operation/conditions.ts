/** The conditions of requests (RFC 9110 section 13): how they are read, and compared with the tag of a resource. */
import { namesTag } from "../platform/entity-tag.ts";
import { Fault } from "../platform/faults.ts";
import type { Conditions } from "./context.ts";
import type { Operation } from "./operation.ts";

/** Whether the operator can require `If-Match` of an operation: it changes a resource that may exist already. */
export function canRequireMatch({ method, target }: Pick<Operation, "method" | "target">): boolean {
  return target !== undefined && isChange(method);
}

function isChange(method: string): boolean {
  return method === "PUT" || method === "PATCH" || method === "DELETE";
}

/**
 * The conditions of a request, if it has some. Throws `request.precondition` for an `If-Match` that is about no
 * resource: a path without a representation has no tag (RFC 9110 section 13.1.1).
 */
export function conditionsOf(
  declared: Pick<Operation, "method" | "target" | "changesNothing">,
  headers: Readonly<Record<string, string | undefined>>,
  requiresMatch: boolean,
): Conditions | undefined {
  const [ifMatch, ifNoneMatch] = [headers["if-match"]?.trim(), headers["if-none-match"]?.trim()];
  if (declared.target !== undefined) {
    const isRequired = requiresMatch && canRequireMatch(declared);
    if (!ifMatch && !ifNoneMatch && !isRequired) return undefined;
    return { ...(ifMatch && { ifMatch }), ...(ifNoneMatch && { ifNoneMatch }), ...(isRequired && { isRequired }) };
  }
  if (!ifMatch || !isChange(declared.method) || declared.changesNothing) return undefined;
  throw new Fault("request.precondition", "This path has no entity tag that If-Match could name. Leave out If-Match.");
}

/**
 * Compares the conditions of a request with the entity tag of the resource, which exists. Weak tags count like strong
 * ones: SCIM has no others (RFC 7644 section 3.14), and a gateway that compresses makes strong ones weak. Throws
 * `request.precondition` and `request.precondition_required`.
 */
export function checkConditions({ ifMatch, ifNoneMatch, isRequired }: Conditions, etag: string): void {
  if (ifMatch !== undefined && !namesTag(ifMatch, etag)) {
    throw new Fault(
      "request.precondition",
      "The resource is not the one that If-Match names: it has changed. Read it, and send its ETag with your change.",
    );
  }
  if (ifNoneMatch !== undefined && namesTag(ifNoneMatch, etag)) {
    throw new Fault("request.precondition", "The resource exists, with an entity tag that If-None-Match excludes.");
  }
  if (isRequired && ifMatch === undefined) {
    throw new Fault(
      "request.precondition_required",
      "Changes of existing resources need If-Match: send the ETag of the resource as you read it, or * for any.",
    );
  }
}

/** The fault of `If-Match` where there is no resource. */
export function resourceAbsent(): Fault {
  return new Fault("request.precondition", "If-Match names a resource, but there is none. Leave out If-Match.");
}
