/**
 * Counts what one request costs in the database: calls, sequential round trips and capacity units.
 *
 * Calls that run side by side are one round trip: a new one begins when a call starts while none is under way.
 */

/** What was counted so far. Units are DynamoDB capacity units; one read unit is 4 KB strongly consistent. */
export interface Cost {
  readonly calls: number;
  readonly roundTrips: number;
  readonly readUnits: number;
  readonly writeUnits: number;
}

/** A counter that one request passes to the tables it uses. */
export interface Meter {
  readonly cost: Cost;
  begin(): void;
  end(readUnits: number, writeUnits: number): void;
}

/** Starts at zero. */
export const newMeter = (): Meter => {
  let underWay = 0;
  const cost = { calls: 0, roundTrips: 0, readUnits: 0, writeUnits: 0 };
  return {
    cost,
    begin() {
      cost.calls += 1;
      if (underWay === 0) cost.roundTrips += 1;
      underWay += 1;
    },
    end(readUnits, writeUnits) {
      underWay -= 1;
      cost.readUnits += readUnits;
      cost.writeUnits += writeUnits;
    },
  };
};
