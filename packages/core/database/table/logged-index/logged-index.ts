/**
 * An index of values behind a log (decision 0130): for values that change with every change of their owner, and whose
 * newest ones are next to each other, such as times. A change costs two write units and no read, and meets no other
 * change.
 */
import type { ValueIndexKeys } from "../keys.ts";
import type { Step, Table } from "../table.ts";
import type { Pair, PairChange } from "../value-index/model.ts";
import { escaped, pairText, TIE_LENGTH } from "../value-index/pair.ts";
import type { ValueIndex } from "../value-index/value-index.ts";
import { directoryIn, readSnapshot } from "./reading.ts";
import { entryItem, type LoggedContext, type LoggedLimits, loggedLimitsOf, newEntry } from "./rows.ts";
import { tend } from "./tending.ts";

/** The changes of each index since this container looked whether entries are to be moved. */
const changes = new Map<string, number>();
/** Indexes that are counted at once. */
const COUNTED_MOST = 10_000;

/** Opens the index with these keys. Its pairs have no facets; an owner has one at most. */
export function loggedIndex(table: Table, keys: ValueIndexKeys, limits: Partial<LoggedLimits> = {}): ValueIndex {
  const context: LoggedContext = { table, keys, limits: loggedLimitsOf(limits) };
  return {
    // Two round trips, strongly consistent in any case: what moves would be missing otherwise, not only what is new.
    // Where the changes are by many containers, or by none that lives long, a list moves the entries on.
    async open() {
      const snapshot = await readSnapshot(context);
      if (snapshot.log.length < context.limits.readMost) return directoryIn(context, snapshot);
      await tend(context, snapshot);
      return directoryIn(context, await readSnapshot(context));
    },

    async steps(change, moved) {
      const steps = entriesOf(change).map((entry): Step => {
        return { put: entryItem(keys, entry), when: "absent", otherwise: moved };
      });
      if (steps.length > 0 && isTurn(context)) await tend(context);
      return steps;
    },
  };
}

/** Counts a change. True for one in some dozens. */
function isTurn({ keys, limits }: LoggedContext): boolean {
  const count = (changes.get(keys.ranges) ?? 0) + 1;
  if (changes.size > COUNTED_MOST) changes.clear();
  changes.set(keys.ranges, count % limits.every);
  return count >= limits.every;
}

function entriesOf({ added, removed, order }: PairChange) {
  const count = Math.max(added.length, removed.length);
  return Array.from({ length: count }, (_, at) => {
    const [comes, goes] = [added[at], removed[at]];
    const pair = comes ?? goes;
    if (!pair || (comes && goes && comes.id !== goes.id)) throw new RangeError("a log has changes of one owner");
    return newEntry(pairText(pair).slice(-TIE_LENGTH), loggedValue(comes), loggedValue(goes), order);
  });
}

function loggedValue(pair: Pair | undefined): string | undefined {
  if (pair && pair.facet !== "") throw new RangeError("a value behind a log has no facet");
  return pair && escaped(pair.value);
}
