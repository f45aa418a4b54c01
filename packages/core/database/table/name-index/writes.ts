/** Writes of a name index: each change of a name is one transaction, with steps of the caller about its owner. */

import { later } from "../../../kernel/later.ts";
import { settle } from "../settle.ts";
import type { Step } from "../table.ts";
import type { Outcome } from "./bulk.ts";
import { claim, type NewName, type OldName, release } from "./claim.ts";
import { locate } from "./directory.ts";
import {
  covers,
  type EntryAttributes,
  entryItem,
  type IndexContext,
  isWide,
  leafItem,
  leafOf,
  type Range,
  rangeKey,
  rangeOf,
} from "./items.ts";
import { begin, locateRoom, moved, roomToLeave, touch, turn, turnWide } from "./ranges.ts";
import { crowded } from "./spread.ts";

/** A name to replace by another. */
export interface Renaming {
  readonly from: string;
  readonly to: string;
  /** The new entry; its id must be that of the old one. */
  readonly entry: EntryAttributes;
  /** At most 93. */
  readonly steps: readonly Step[];
  /** As for a new name. */
  readonly more?: NewName["more"];
  /** The error when the new name has another owner. */
  readonly taken: () => Error;
  /** The error when the old name does not have that owner. */
  readonly notOwned: () => Error;
  /** The result of `locate(to)`, where the caller has it: saves a round trip. */
  readonly near?: Range | undefined;
  /** The result of `locate(from)`. */
  readonly left?: Range | undefined;
}

/**
 * The writes of an index. Every method throws the error of a caller's step whose condition fails, and
 * `service.unavailable` when the index is still busy at the deadline; nothing is written then. A transaction whose
 * response is lost is recognised and applied once.
 */
export interface NameWrites {
  /**
   * Claims a name. Two round trips; two more about once in 115 times, when its narrow range is full and is split, or
   * five about once in 60 times, when its wide range is full and is folded.
   */
  create(name: NewName): Promise<void>;
  /**
   * Claims many names, up to 49 with one step each in one transaction where they share a range. Returns for each
   * whether it was created, or its error; an error of one name does not affect the others. Of equal names the first
   * wins. Throws only errors of no particular name, such as `service.unavailable`; some names may have been created by
   * then.
   */
  createMany(names: readonly NewName[]): Promise<readonly Outcome[]>;
  /** Releases a name. Two round trips, one with `near`. */
  remove(name: OldName & { readonly near?: Range | undefined }): Promise<void>;
  /**
   * Replaces a name; for the same name, rewrites its entry. At most three round trips, two with `near`, one with `left`
   * too.
   */
  rename(renaming: Renaming): Promise<void>;
  /** A hint for `rename` and `remove`: the range of a name. One round trip, half a read unit. */
  locate(key: string): Promise<Range | undefined>;
}

/** Only loaders create many names at once. */
const { bulkCreate } = later(() => import("./bulk.ts"), "bulkCreate");

/** Opens the writes of an index. */
export function nameWrites(context: IndexContext): NameWrites {
  const { table, deadlineMs } = context;
  return {
    create: ({ key, entry, steps, first = [], more, founding = [], taken, owned, allowed }) =>
      settle(deadlineMs, async (before) => {
        const [range, others = []] = await Promise.all([locateRoom(context, key, before > 0), more?.(moved), allowed]);
        // Where others write a range, it is spread; where they create the index, it is looked for again.
        const contended = range ? () => crowded(context, range) : moved;
        const own = range ? turn(context, range, { added: [key] }) : [...begin(context, [key]), ...founding];
        const ofRange = own.map((step) => ({ ...step, contended }));
        await table.write(...first, claim(context, { key, entry, taken, owned }), ...ofRange, ...steps, ...others);
      }),

    createMany: (names) => bulkCreate(context, names),

    remove: ({ key, id, steps, notOwned, near }) =>
      settle(deadlineMs, async (before) => {
        const isKnown = before === 0 && near !== undefined && covers(near, key);
        const found = isKnown ? near : await locate(context, key, before > 0);
        const range = found && (await roomToLeave(context, key, found));
        // The first read may have missed the creation of the index.
        if (!range) throw before === 0 ? moved() : notOwned();
        await table.write(
          release(context, { key, id, notOwned }),
          ...turn(context, range, { removed: [key] }),
          ...steps,
        );
      }),

    rename: (renaming) => (renaming.from === renaming.to ? rewrite(context, renaming) : rename(context, renaming)),

    locate: (key) => settle(deadlineMs, (before) => locate(context, key, before > 0)),
  };
}

function rewrite({ table, keys, deadlineMs }: IndexContext, renaming: Renaming): Promise<void> {
  const { to, entry, steps, more, notOwned } = renaming;
  return settle(deadlineMs, async () =>
    table.write(
      { put: entryItem(keys, to, entry), when: { equal: { id: entry.id } }, otherwise: notOwned },
      ...steps,
      ...((await more?.(moved)) ?? []),
    ),
  );
}

function rename(context: IndexContext, renaming: Renaming): Promise<void> {
  const { from, to, entry, steps, more, taken, notOwned, near, left } = renaming;
  const { table, keys } = context;
  return settle(context.deadlineMs, async (before) => {
    const making = more?.(moved);
    // Awaited only once the ranges are read; a failure before that must not become an unhandled rejection.
    making?.catch(() => undefined);
    const known = before === 0 ? near : undefined;
    const knownLeft = before === 0 ? [near, left].find((range) => range && covers(range, from)) : undefined;
    const [found, room] = await Promise.all([
      knownLeft ?? locate(context, from, before > 0),
      locateRoom(context, to, before > 0, known),
    ]);
    // The range of the old name may have been split too.
    const old = room && covers(room, from) ? room : found && (await roomToLeave(context, from, found));
    if (!old || !room) throw before === 0 ? moved() : notOwned();
    const ofRanges =
      old.low !== room.low
        ? [...turn(context, room, { added: [to] }), ...turn(context, old, { removed: [from] })]
        : isWide(room)
          ? turnWide(context, room, { added: [to], removed: [from] })
          : await exchange(context, room.low, renaming);
    await table.write(
      // An entry of the same owner under the new name comes from another rename: this one was not applied.
      {
        put: entryItem(keys, to, entry),
        when: "absent",
        otherwise: (met) => (met?.id === entry.id ? notOwned() : taken()),
      },
      release(context, { key: from, id: entry.id, notOwned }),
      ...ofRanges,
      ...steps,
      ...((await making) ?? []),
    );
  });
}

/**
 * The steps on the index when both names are in one narrow range: the whole leaf is written, because one update cannot
 * add and remove.
 */
async function exchange(context: IndexContext, low: string, { from, to }: Renaming): Promise<Step[]> {
  const { table, keys } = context;
  const [item, leaf] = await table.snapshot([rangeKey(keys, low), keys.leaf(low)]);
  if (!item || !leaf) throw moved();
  const range = rangeOf(item);
  if (isWide(range) || !covers(range, from) || !covers(range, to)) throw moved();
  const names = new Set(leafOf(leaf).names);
  names.delete(from);
  names.add(to);
  return [
    touch(context, range, { added: [to], removed: [from] }, range.version),
    { put: leafItem(keys, low, range.high, names), when: "present", otherwise: moved },
  ];
}
