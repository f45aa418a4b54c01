/** The comparison of conditions with the entity tag of a resource: loaded where a request has conditions. */
import { namesTag } from "../entity-tag.ts";
import { Fault } from "../faults.ts";
import type { Conditions } from "./context.ts";

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
