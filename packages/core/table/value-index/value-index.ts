/** An index of values on the table: its interface, and how it is opened (decision 0095). */
import type { ReadOptions, Step } from "../table.ts";
import type { PairChange, ValueDirectory } from "./model.ts";

/** The index of one attribute on the table of one request. */
export interface ValueIndex {
  /** One round trip. Eventually consistent reads cost half and may miss the latest changes. */
  open(options?: ReadOptions): Promise<ValueDirectory>;
  /**
   * The steps of a change, for the transaction that changes the owner: at most two for each pair. One round trip; about
   * four more where a range is full. `moved` is the error where a range is not as it was read: the caller repeats the
   * attempt with new steps.
   */
  steps(change: PairChange, moved: () => Error): Promise<readonly Step[]>;
}
