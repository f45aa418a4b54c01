/** Writing a name index: each change of a name is one transaction, together with what the caller writes about its bearer. */
import type { Step } from "../table.ts";
import { bulkCreate, type Outcome } from "./bulk.ts";
import { claim, type NewName, type OldName, release } from "./claim.ts";
import {
  covers,
  type EntryAttributes,
  entryItem,
  type IndexContext,
  leafItem,
  leafOf,
  type Range,
  rangeKey,
  rangeOf,
} from "./items.ts";
import { begin, locate, locateRoom, moved, touch, turn } from "./ranges.ts";
import { settle } from "./settle.ts";

/** A name that is to be exchanged for another. */
export interface Renaming {
  readonly from: string;
  readonly to: string;
  /** The new entry; its id must be that of the old one. */
  readonly entry: EntryAttributes;
  /** At most 93. */
  readonly steps: readonly Step[];
  /** The error when the new name belongs to another. */
  readonly taken: () => Error;
  /** The error when the old name is not that one's (any more). */
  readonly gone: () => Error;
  /** What `locate(to)` answered, if the caller had time for it: saves a round trip. */
  readonly near?: Range | undefined;
  /** The same of `from`. */
  readonly left?: Range | undefined;
}

/**
 * How to write an index. Every method throws what a caller's step means when that does not hold, and
 * `service.unavailable` when the index stays busy to the deadline; nothing is written then. A transaction whose answer
 * is lost is recognised and counts once.
 */
export interface NameWrites {
  /** Takes a name. Two round trips; two more once in about 115 times, when it finds its range full and splits it. */
  create(name: NewName): Promise<void>;
  /**
   * Takes many names, up to 49 with one step each in one transaction where they share a range. Answers for each whether it was
   * created, or the error that speaks against it; the others are created all the same. Of equal names the first wins.
   * @throws only what is nobody's fault in particular, such as `service.unavailable`; part may have been created by then
   */
  createMany(names: readonly NewName[]): Promise<readonly Outcome[]>;
  /** Releases a name. Two round trips, one with `near`. */
  remove(name: OldName & { readonly near?: Range | undefined }): Promise<void>;
  /** Exchanges a name; the same one rewrites its entry. At most three round trips, two with `near`, one with `left` as well. */
  rename(renaming: Renaming): Promise<void>;
  /** A hint for `rename` and `remove`: the range of a name that is to be taken or released. One round trip, half a read unit. */
  locate(key: string): Promise<Range | undefined>;
}

/** Makes the writing half of an index. */
export function nameWrites(context: IndexContext): NameWrites {
  const { table, deadlineMs } = context;
  return {
    create: ({ key, entry, steps, taken }) =>
      settle(deadlineMs, async (before) => {
        const range = await locateRoom(context, key, before > 0);
        const ofRange = range ? turn(context, range, { added: [key] }) : begin(context, [key]);
        await table.write(claim(context, { key, entry, taken }), ...ofRange, ...steps);
      }),

    createMany: (names) => bulkCreate(context, names),

    remove: ({ key, id, steps, gone, near }) =>
      settle(deadlineMs, async (before) => {
        const isKnown = before === 0 && near !== undefined && covers(near, key);
        const range = isKnown ? near : await locate(context, key, before > 0);
        // The first reading may have been an instant behind the first name of all.
        if (!range) throw before === 0 ? moved() : gone();
        await table.write(release(context, { key, id, gone }), ...turn(context, range, { removed: [key] }), ...steps);
      }),

    rename: (renaming) => (renaming.from === renaming.to ? rewrite(context, renaming) : rename(context, renaming)),

    locate: (key) => settle(deadlineMs, (before) => locate(context, key, before > 0)),
  };
}

function rewrite({ table, keys }: IndexContext, { to, entry, steps, gone }: Renaming): Promise<void> {
  return table.write({ put: entryItem(keys, to, entry), when: { equal: { id: entry.id } }, otherwise: gone }, ...steps);
}

function rename(context: IndexContext, renaming: Renaming): Promise<void> {
  const { from, to, entry, steps, taken, gone, near, left } = renaming;
  const { table, keys } = context;
  return settle(context.deadlineMs, async (before) => {
    const known = before === 0 ? near : undefined;
    const knownLeft = before === 0 ? [near, left].find((range) => range && covers(range, from)) : undefined;
    const [found, room] = await Promise.all([
      knownLeft ?? locate(context, from, before > 0),
      locateRoom(context, to, before > 0, known),
    ]);
    // Making room may have split the range of the old name as well.
    const old = room && covers(room, from) ? room : found;
    if (!old || !room) throw before === 0 ? moved() : gone();
    const ofRanges =
      old.low === room.low
        ? await exchange(context, room.low, renaming)
        : [...turn(context, room, { added: [to] }), ...turn(context, old, { removed: [from] })];
    await table.write(
      // An own entry under the new name is another rename of the same bearer: this one was not applied, whatever it held besides.
      {
        put: entryItem(keys, to, entry),
        when: "absent",
        otherwise: (met) => (met?.id === entry.id ? gone() : taken()),
      },
      release(context, { key: from, id: entry.id, gone }),
      ...ofRanges,
      ...steps,
    );
  });
}

/** The steps on the index when both names lie in one range: the leaf is written whole, as one update cannot add and take. */
async function exchange(context: IndexContext, low: string, { from, to }: Renaming): Promise<Step[]> {
  const { table, keys } = context;
  const [item, leaf] = await table.snapshot([rangeKey(keys, low), keys.leaf(low)]);
  if (!item || !leaf) throw moved();
  const range = rangeOf(item);
  if (!covers(range, from) || !covers(range, to)) throw moved();
  const names = new Set(leafOf(leaf).names);
  names.delete(from);
  names.add(to);
  return [
    touch(context, range, { added: [to], removed: [from] }, range.version),
    { put: leafItem(keys, low, range.high, names), when: "present", otherwise: moved },
  ];
}
