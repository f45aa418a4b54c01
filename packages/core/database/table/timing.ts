/** Views of a table that say when their transactions take effect where a change is held back (decision 0086). */
import type { Step, Table, Timing } from "./table.ts";

/** For what has no effect without the change that follows: reservations. */
export function early(table: Table): Table {
  return timed(table, "early");
}

/**
 * For what completes a committed change, and for work that others began. The transactions of one view may happen in any
 * order; those of a later view happen after them.
 */
export function leftToOthers(table: Table): Table {
  return timed(table, { isLeftToOthers: true });
}

function timed(table: Table, timing: Timing): Table {
  const with_ = (step: Step): Step => ({ ...step, timing });
  return { ...table, write: (...steps) => table.write(...steps.map(with_)) };
}
