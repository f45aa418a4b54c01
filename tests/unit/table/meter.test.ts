/** The meter counts the longest chain of calls as round trips, also among concurrent chains. */
import { expect, test } from "vitest";
import { newMeter } from "#core/database/table/meter.ts";

/** Makes calls: `a` begins one, `-a` ends it. */
const played = (...moves: readonly string[]) => {
  const meter = newMeter();
  const open = new Map<string, ReturnType<typeof meter.begin>>();
  for (const move of moves) {
    if (move.startsWith("-")) open.get(move.slice(1))?.(1, 0.5);
    else open.set(move, meter.begin());
  }
  return meter.cost;
};

test.each([
  [0, []],
  [1, ["a", "-a"]],
  [2, ["a", "-a", "b", "-b"]],
  [1, ["a", "b", "-a", "-b"]],
  // A chain of two calls, concurrent with one long call.
  [2, ["a", "long", "-a", "b", "-b", "-long"]],
  [3, ["a", "x", "-a", "b", "-x", "y", "-b", "c", "-y", "-c"]],
  // Calls that begin before any has ended are concurrent.
  [1, ["a", "b", "c", "-c", "-b", "-a"]],
])("counts %i round trips for the calls %s", (roundTrips, moves) => {
  expect(played(...moves).roundTrips).toBe(roundTrips);
});

test("adds up units and calls", () => {
  expect(played("a", "b", "-a", "-b")).toEqual({ calls: 2, roundTrips: 1, readUnits: 2, writeUnits: 1 });
});

test("counts the round trip of a call that fails", () => {
  expect(played("a")).toMatchObject({ calls: 1, roundTrips: 1 });
});
