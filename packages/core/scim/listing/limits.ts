/** What one list may read. */

import type { ValueIndexes } from "../../database/table/value-index/value-index.ts";
import { Fault } from "../../kernel/faults.ts";

/** The most candidates that one request reads. */
export const CANDIDATES_MAX = 10_000;

/** The fault for a list that would read too much. It names the attributes that have an index. */
export function tooMany(
  { indexes }: { readonly indexes?: ValueIndexes | undefined } = {},
  reason = `The filter or the order must read more than ${CANDIDATES_MAX} resources.`,
): Fault {
  const { declared = [] } = indexes ?? {};
  const further =
    declared.length > 0 ? ` These attributes have an index for filters and for sortBy: ${declared.join(", ")}.` : "";
  return new Fault(
    "scim.too_many",
    `${reason} Narrow the filter with userName (eq, sw), displayName, id, externalId, emails or groups.${further}`,
  );
}
