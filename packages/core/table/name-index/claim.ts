/** The steps that take a name and give it back. */
import type { Step } from "../table.ts";
import { type EntryAttributes, entryItem, type IndexContext } from "./items.ts";

/** A name that is to be taken. */
export interface NewName {
  /** Of `nameKey`. */
  readonly key: string;
  /** The id must be new: an entry that has it already counts as this very write. */
  readonly entry: EntryAttributes;
  /** Written in the same transaction: at most 97, of items outside the index. */
  readonly steps: readonly Step[];
  /** The error when the name belongs to another. */
  readonly taken: () => Error;
}

/** A name that is to be given back. */
export interface OldName {
  readonly key: string;
  /** Whose the name must be. */
  readonly id: string;
  /** Written in the same transaction: at most 97, of items outside the index. */
  readonly steps: readonly Step[];
  /** The error when the name is not that one's (any more). */
  readonly gone: () => Error;
}

/** The step that takes a name, once. It stands first: whether the name is free does not depend on how the ranges lie. */
export function claim(context: IndexContext, { key, entry, taken }: Omit<NewName, "steps">): Step {
  return {
    put: entryItem(context.keys, key, entry),
    when: "absent",
    otherwise: (found) => (found?.id === entry.id ? "applied" : taken()),
  };
}

/** The step that releases a name, from its bearer only. */
export function release(context: IndexContext, { key, id, gone }: Omit<OldName, "steps">): Step {
  return {
    remove: context.keys.entry(key),
    when: { equal: { id } },
    otherwise: gone,
  };
}
