/** The budgets of lists of users. Each counts the index; the users that a list shows come on top. */
import type { Budget } from "./report.ts";

export function pageBudget(resources: number): Budget {
  return withResources(4, 20, resources);
}

/** An index of times, strongly consistent: half of it in eventually consistent units. */
export function timeBudget(resources: number): Budget {
  return withResources(5, 60, resources);
}

export function prefixBudget(resources: number): Budget {
  return withResources(4, 50, resources);
}

export function searchBudget(resources: number): Budget {
  return withResources(5, 1_550, resources);
}

/** A budget with the read units of the index, of the resources, and of the version of the names. */
export function withResources(roundTrips: number, indexUnits: number, resources: number): Budget {
  return {
    roundTrips,
    readUnits: indexUnits + resources + 1,
  };
}

/** A container reads unknown names of groups: one more round trip, and a read unit per group. */
export function unknownNames(resources: number): Budget {
  return withResources(5, 20, resources * 2);
}
