/** What requests of SCIM 2.0 for one resource have in common. */

import type { Selection } from "../../../scim/protocol/projection.ts";

/** Whether a request selects attributes. Without a selection, large lists are left out of the response to a change. */
export function hasSelection({ attributes = "", excludedAttributes = "" }: Selection): boolean {
  return attributes !== "" || excludedAttributes !== "";
}
