/** A few of the requests of tests/load/document-loop.test.ts for each operation. */
import { describe, expect, test } from "vitest";
import { placed } from "#tests/support/document/document.ts";
import { newLoop } from "#tests/support/document/loop.ts";
import { world } from "#tests/support/world.ts";

const RUNS = 3;
const SEED = 7;
const loop = newLoop(world());

describe("every operation returns what the document declares", () => {
  test.each(placed)("$id", async (operation) => {
    const { problems } = await loop(operation, { runs: RUNS, seed: SEED });
    expect(problems).toEqual([]);
  });
});
