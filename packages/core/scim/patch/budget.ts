/** Limits the work of one PATCH request. */
import { Fault } from "../../platform/faults.ts";

/** Counts comparisons before they are made. */
export type Budget = (comparisons: number) => void;

/** The maximum of comparisons of one request (RFC 7644 sets none): 1,000 operations on 1,000 elements. */
const COMPARISONS_MAX = 1_000_000;

/** Starts the count of one request. Throws `request.too_large` when the budget is used up. */
export function budget(): Budget {
  let left = COMPARISONS_MAX;
  return (comparisons) => {
    left -= comparisons;
    if (left >= 0) return;
    throw new Fault(
      "request.too_large",
      `The operations need more than ${COMPARISONS_MAX} comparisons. Send fewer operations, or shorter filters.`,
    );
  };
}
