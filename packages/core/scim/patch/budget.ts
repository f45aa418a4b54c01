/** A bound on the work of one PATCH request, whatever its operations and the resource look like. */
import { Fault } from "../../platform/faults.ts";

/** Takes note of comparisons that are about to be made. */
export type Budget = (comparisons: number) => void;

/** The most comparisons of one request (our choice): 1,000 operations on 1,000 elements. */
const COMPARISONS_MAX = 1_000_000;

/**
 * Opens the account of one request.
 * @throws `request.too_large`, from the account, when it is overdrawn.
 */
export function budget(): Budget {
  let left = COMPARISONS_MAX;
  return (comparisons) => {
    left -= comparisons;
    if (left >= 0) return;
    throw new Fault(
      "request.too_large",
      `The operations would make more than ${COMPARISONS_MAX} comparisons; send fewer operations in one request, or shorter filters.`,
    );
  };
}
