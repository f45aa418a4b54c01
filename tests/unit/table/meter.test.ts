/** Round trips are the longest chain of calls, however the chains lie beside each other. */
import { expect, test } from "vitest";
import { newMeter } from "#core/table/meter.ts";

/** Plays calls: `a` begins one, `-a` ends it. */
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
  // A chain of two beside one long call, though something is under way all the time.
  [2, ["a", "long", "-a", "b", "-b", "-long"]],
  [3, ["a", "x", "-a", "b", "-x", "y", "-b", "c", "-y", "-c"]],
  // What begins before anything has ended waits for nothing.
  [1, ["a", "b", "c", "-c", "-b", "-a"]],
])("%i", (roundTrips, moves) => {
  expect(played(...moves).roundTrips).toBe(roundTrips);
});

test("units and calls are summed", () => {
  expect(played("a", "b", "-a", "-b")).toEqual({ calls: 2, roundTrips: 1, readUnits: 2, writeUnits: 1 });
});

test("a call that fails used a round trip all the same", () => {
  expect(played("a")).toMatchObject({ calls: 1, roundTrips: 1 });
});
