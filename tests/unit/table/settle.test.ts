/** Attempts that meet other writers: room is made in all ranges of a transaction at once. */
import { describe, expect, test } from "vitest";
import { Crowded, contentionOf, Moved, settle } from "#core/table/settle.ts";

const crowd = (range: string, relieved: string[]) => new Crowded(range, async () => void relieved.push(range));

describe("what a transaction ends in that met others", () => {
  test("is nothing where no step says anything", () => {
    expect(contentionOf([])).toBeUndefined();
  });
  test("is the first error where no range is crowded", () => {
    const errors = [new Moved("one"), new Moved("two")];
    expect(contentionOf(errors)).toBe(errors[0]);
  });
  test("makes room in every crowded range, once each, before the next attempt", async () => {
    const relieved: string[] = [];
    const met = [new Moved("founded"), crowd("a", relieved), crowd("a", relieved), crowd("b", relieved)];
    let attempts = 0;
    const done = await settle(1_000, async () => {
      attempts += 1;
      if (attempts === 1) throw contentionOf(met);
      return relieved.toSorted();
    });
    expect([attempts, done]).toEqual([2, ["a", "b"]]);
  });
});
