/** The steps that claim and release a name. */
import type { Step } from "../table.ts";
import { type EntryAttributes, entryItem, type IndexContext } from "./items.ts";

/** A name to claim. */
export interface NewName {
  /** A result of `nameKey`. */
  readonly key: string;
  /** The id must be new, or there is `owned`: an entry that has it counts as this write. */
  readonly entry: EntryAttributes;
  /** Written in the same transaction: at most 97, of items outside the index. */
  readonly steps: readonly Step[];
  /** Written in the same transaction. Their conditions decide before the name. Not used by `createMany`. */
  readonly first?: readonly Step[];
  /**
   * Makes further steps of the same transaction, for each attempt. `moved` is the error of a step that makes the index
   * start again. Not used by `createMany`.
   */
  readonly more?: (moved: () => Error) => Promise<readonly Step[]>;
  /** Written where the name is the first of the index. Not used by `createMany`. */
  readonly founding?: readonly Step[];
  /** A check that reads more, concurrently. Nothing is written where it is rejected. Not used by `createMany`. */
  readonly allowed?: Promise<void> | undefined;
  /** The error when the name has another owner. */
  readonly taken: () => Error;
  /** The error when the name has this owner already, for one that is not new. */
  readonly owned?: (() => Error) | undefined;
}

/** A name to release. */
export interface OldName {
  readonly key: string;
  /** The id of its owner. */
  readonly id: string;
  /** Written in the same transaction: at most 97, of items outside the index. */
  readonly steps: readonly Step[];
  /** The error when the name does not have that owner. */
  readonly notOwned: () => Error;
}

/**
 * The step that claims a name. It comes before those of ranges: whether the name is free does not depend on the
 * ranges.
 */
export function claim(context: IndexContext, { key, entry, taken, owned }: Omit<NewName, "steps" | "first">): Step {
  return {
    put: entryItem(context.keys, key, entry),
    when: "absent",
    otherwise: (found) => (found?.id === entry.id ? (owned?.() ?? "applied") : taken()),
  };
}

/** The step that releases a name of that owner. */
export function release(context: IndexContext, { key, id, notOwned }: Omit<OldName, "steps">): Step {
  return {
    remove: context.keys.entry(key),
    when: { equal: { id } },
    otherwise: notOwned,
  };
}
