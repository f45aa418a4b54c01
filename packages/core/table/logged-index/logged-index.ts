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
import { openLogged } from "./reading.ts";
import { entryItem, type LoggedContext, type LoggedLimits, loggedLimitsOf, newEntry } from "./rows.ts";
import { tend } from "./tending.ts";

/** Opens the index with these keys. It has no state. Its pairs have no facets; an owner has one at most. */
export function loggedIndex(table: Table, keys: ValueIndexKeys, limits: Partial<LoggedLimits> = {}): ValueIndex {
  const context: LoggedContext = { table, keys, limits: loggedLimitsOf(limits) };
  return {
    // Two round trips, strongly consistent in any case: what moves would be missing otherwise, not only what is new.
    open: () => openLogged(context),

    async steps(change, moved) {
      const steps = entriesOf(change).map((entry): Step => {
        return { put: entryItem(keys, entry), when: "absent", otherwise: moved };
      });
      if (steps.length > 0 && Math.random() < context.limits.chance) await tend(context);
      return steps;
    },
  };
}

function entriesOf({ added, removed }: PairChange) {
  const count = Math.max(added.length, removed.length);
  return Array.from({ length: count }, (_, at) => {
    const [comes, goes] = [added[at], removed[at]];
    const pair = comes ?? goes;
    if (!pair || (comes && goes && comes.id !== goes.id)) throw new RangeError("a log has changes of one owner");
    return newEntry(pairText(pair).slice(-TIE_LENGTH), loggedValue(comes), loggedValue(goes));
  });
}

function loggedValue(pair: Pair | undefined): string | undefined {
  if (pair && pair.facet !== "") throw new RangeError("a value behind a log has no facet");
  return pair && escaped(pair.value);
}
