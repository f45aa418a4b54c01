/**
 * What requests for one resource have in common: its id, `If-Match`, the attributes to show, and the form of the
 * response.
 */

import { namesTag } from "../../platform/entity-tag.ts";
import { Fault } from "../../platform/faults.ts";
import type { Selection } from "../../scim/projection.ts";
import type { Shown } from "../resources/call.ts";
import type { Links } from "../resources/present.ts";
import { etagOf } from "../resources/present.ts";

/** The resource of an operation. */
export interface Target {
  readonly id: string;
  readonly ifMatch?: string | undefined;
  /** True for `/Me`, where a user may change fewer attributes. */
  readonly isSelf?: boolean;
}

/** A resource in a response, with its entity tag. */
export interface Tagged extends Shown {
  readonly etag: string;
}

/** Whether a request selects attributes. Without a selection, large lists are left out of the response to a change. */
export function hasSelection({ attributes = "", excludedAttributes = "" }: Selection): boolean {
  return attributes !== "" || excludedAttributes !== "";
}

/** Compares the version of a resource with `If-Match` (RFC 7644 section 3.14). Throws `scim.precondition`. */
export function checkMatch({ ifMatch = "" }: Target, { version }: { readonly version: number }): void {
  const tag = ifMatch.trim();
  if (tag === "" || namesTag(tag, etagOf(version))) return;
  throw new Fault("scim.precondition", `The resource has changed. Its entity tag is now ${etagOf(version)}.`);
}

/** The headers of a response that shows a resource. */
export function headersOf({ base }: Links, path: string, { version }: { readonly version: number }) {
  return { location: `${base}${path}`, etag: etagOf(version) };
}
