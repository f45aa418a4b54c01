/** An index of values on the table: its interface, and how it is opened (decision 0095). */
import type { ValueIndexKeys } from "../keys.ts";
import type { ReadOptions, Step, Table } from "../table.ts";
import { changeSteps } from "./changes.ts";
import { openDirectory } from "./matches.ts";
import type { PairChange, ValueDirectory } from "./model.ts";
import { limitsOf, type ValueContext, type ValueIndexLimits } from "./range-rows.ts";

/** The index of one attribute on the table of one request. */
export interface ValueIndex {
  /** One round trip. Eventually consistent reads cost half and may miss the latest changes. */
  open(options?: ReadOptions): Promise<ValueDirectory>;
  /**
   * The steps of a change, for the transaction that changes the owner: at most two for each pair. One round trip; about
   * four more where a range is full. `moved` is the error where a range is not as it was read: the caller repeats the
   * attempt with new steps. `isSpread`: the caller repeats it after `Crowded` too, as `settle` does.
   */
  steps(change: PairChange, moved: () => Error, isSpread?: boolean): Promise<readonly Step[]>;
}

/** The indexes of the declared attributes of one set of owners, for lists. */
export interface ValueIndexes {
  /** The attributes. */
  readonly declared: readonly string[];
  /** The attributes whose indexes hold all owners. One round trip, which may go with that of opening indexes. */
  ready(): Promise<ReadonlySet<string>>;
  /** Opens the index of a declared attribute, which may be incomplete. One round trip. */
  open(attribute: string, options?: ReadOptions): Promise<ValueDirectory>;
}

/** Opens the index with these keys. It has no state. */
export function valueIndex(table: Table, keys: ValueIndexKeys, limits: Partial<ValueIndexLimits> = {}): ValueIndex {
  const context: ValueContext = { table, keys, limits: limitsOf(limits) };
  return {
    open: (options) => openDirectory(context, options),
    steps: (change, moved, isSpread) => changeSteps(context, change, moved, isSpread),
  };
}
