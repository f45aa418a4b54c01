/**
 * Arbitrary requests for every operation of the API document, valid ones and mutations: every response has a status, a
 * media type and a body that the document declares, and none is a defect. `SEED` repeats or varies a run, and `RUNS`
 * says how many requests each operation gets.
 */
import { describe, expect, test } from "vitest";
import { placed } from "#tests/support/document/document.ts";
import { newLoop } from "#tests/support/document/loop.ts";
import { world } from "#tests/support/world.ts";

const RUNS = Number(process.env.RUNS ?? 12);
const SEED = Number(process.env.SEED ?? 14);
const MS_PER_REQUEST = 1_000;
const loop = newLoop(world());

describe("every operation returns what the document declares", () => {
  test.each(placed)("$id", { timeout: 30_000 + RUNS * MS_PER_REQUEST }, async (operation) => {
    const { problems } = await loop(operation, { runs: RUNS, seed: SEED });
    expect(problems).toEqual([]);
  });
});
