/**
 * Holds the change of a request back until its response is known, so that both are stored in one transaction (decision
 * 0086). What the request wrote is tried out on the table as it is; when it is written, every condition is checked
 * again.
 */
import { concurrently } from "../../kernel/concurrently.ts";
import { Fault } from "../../kernel/faults.ts";
import { overlay } from "./overlay.ts";
import { isStale, stale } from "./stale.ts";
import type { Step, Table } from "./table.ts";

/** Transactions that complete a change at the same time. */
const AT_ONCE = 8;

/** The change of one request. */
export interface Deferral {
  /** Shows what the request has written. Writes are kept, except those that are `early`. */
  readonly table: Table;
  /** Whether the request wrote anything that is kept. */
  hasChange(): boolean;
  /** Forgets what is kept. */
  discard(): void;
  /**
   * Writes what is kept. `step` belongs to the transaction of the change: where it fails, nothing has changed. Throws
   * what it throws, `stale` where something else has changed since it was read, so that the request must start again,
   * and `service.unavailable`. What is left to others does not fail it: `reportDefect` gets unexpected errors.
   */
  commit(step: Step, reportDefect: (defect: unknown) => void): Promise<void>;
}

/** Opens a deferral on the table of one request. */
export function deferral(table: Table): Deferral {
  const kept = overlay(table);
  return {
    table: {
      ...kept,
      write: (...steps) =>
        steps.some(({ timing }) => timing === "early") ? table.write(...steps) : kept.write(...steps),
    },
    hasChange: () => kept.pending().some(isChange),
    discard: kept.discard,
    async commit(step, reportDefect) {
      const transactions = kept.pending();
      const at = transactions.findLastIndex(isChange);
      // What comes before prepares the change, such as a split of a full range of names.
      for (const before of transactions.slice(0, Math.max(at, 0))) await table.write(...before.map(staleWhereItFails));
      await table.write(step, ...(transactions[at] ?? []).map((one) => ({ ...one, otherwise: stale })));
      await complete(table, transactions.slice(at + 1)).catch((error: unknown) => {
        if (!isStale(error) && !(error instanceof Fault)) reportDefect(error);
      });
      kept.discard();
    },
  };
}

/** Whether a transaction is a change, or prepares one. A removal without a condition is what `forget` does. */
function isChange(steps: readonly Step[]): boolean {
  return !steps.some(({ timing }) => timing !== undefined) && !(steps.length === 1 && isForgetting(steps[0]));
}

function isForgetting(step: Step | undefined): boolean {
  return step !== undefined && "remove" in step && step.when === "any";
}

/** What was tried out may have changed: the request decides again. */
function staleWhereItFails(step: Step): Step {
  return { ...step, otherwise: (found) => (step.otherwise(found) === "applied" ? "applied" : stale()) };
}

/** Groups of transactions one after the other. After a failure, others do the rest: a later group needs the earlier. */
async function complete(table: Table, transactions: readonly (readonly Step[])[]): Promise<void> {
  const rest = [...transactions];
  while (rest.length > 0) {
    const group = timingOf(rest[0]);
    const end = rest.findIndex((one) => timingOf(one) !== group);
    const some = rest.splice(0, end < 0 ? rest.length : Math.max(end, 1));
    await concurrently(some, AT_ONCE, (steps) => table.write(...steps));
  }
}

function timingOf(steps: readonly Step[] | undefined) {
  return steps?.find(({ timing }) => timing !== undefined)?.timing;
}
