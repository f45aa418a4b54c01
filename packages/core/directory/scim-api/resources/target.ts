/** The resource of an operation, on what its change is conditional, and the headers of responses that show it. */

import type { Conditions, PublicContext } from "../../../kernel/operation/context.ts";
import { checkConditions } from "../../../kernel/operation/preconditions.ts";
import type { ScimCall, Shown } from "./call.ts";
import { etagOf, type Links } from "./present.ts";

/** The resource of an operation. */
export interface Target {
  readonly id: string;
  readonly conditions?: Conditions | undefined;
  /** True for `/Me`, where a user may change fewer attributes, and for `/Users/me` of SCIM 1.1. */
  readonly isSelf?: boolean;
}

/** A resource in a response, with its entity tag. */
export interface Tagged extends Shown {
  readonly etag: string;
}

/** The resource that a request names. */
export function targetOf({ id }: { readonly id: string }, { conditions }: PublicContext): Target {
  return { id, conditions };
}

/** The resource of an operation of a bulk request, with the version that it must have (RFC 7644 section 3.7). */
export function bulkTarget(
  { stores: { dialect } }: ScimCall,
  { id, version = "" }: { readonly id: string; readonly version: string | undefined },
): Target {
  const ifMatch = version.trim();
  return { id, conditions: { ...(ifMatch && { ifMatch }), isRequired: dialect.requiresIfMatch } };
}

/** Whether a change depends on the version of the resource. */
export function dependsOnVersion({ conditions: { ifMatch, ifNoneMatch } = {} }: Target): boolean {
  return ifMatch !== undefined || ifNoneMatch !== undefined;
}

/** Compares the version of a resource with the conditions of the request. Throws as `checkConditions` does. */
export function checkMatch({ conditions = {} }: Target, { version }: { readonly version: number }): void {
  checkConditions(conditions, etagOf(version));
}

/** The headers of a response that shows a resource. */
export function headersOf({ base }: Links, path: string, { version }: { readonly version: number }) {
  return { location: `${base}${path}`, etag: etagOf(version) };
}
