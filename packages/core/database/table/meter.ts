/**
 * Counts the database cost of one request: calls, sequential round trips and capacity units.
 *
 * A call follows every call that had ended when it began. Round trips are the longest such chain: concurrent calls are
 * one, and of two concurrent chains the longer one counts.
 */
import type { Table } from "./table.ts";

/** The cost so far. Units are DynamoDB capacity units; one read unit is 4 KB strongly consistent. */
export interface Cost {
  readonly calls: number;
  readonly roundTrips: number;
  readonly readUnits: number;
  readonly writeUnits: number;
}

/** Ends one call with the units that it consumed. */
export type EndCall = (readUnits: number, writeUnits: number) => void;

/** The counter of one request. */
export interface Meter {
  readonly cost: Cost;
  /** Begins one call. */
  begin(): EndCall;
  /** What stands between the stores and the table in this request, if anything does. */
  wrap?(table: Table): Table;
}

/** Starts at zero. */
export function newMeter(): Meter {
  /** The longest chain of ended calls. */
  let ended = 0;
  const cost = { calls: 0, roundTrips: 0, readUnits: 0, writeUnits: 0 };
  return {
    cost,
    begin() {
      const place = ended + 1;
      cost.calls += 1;
      cost.roundTrips = Math.max(cost.roundTrips, place);
      return (readUnits, writeUnits) => {
        ended = Math.max(ended, place);
        cost.readUnits += readUnits;
        cost.writeUnits += writeUnits;
      };
    },
  };
}
