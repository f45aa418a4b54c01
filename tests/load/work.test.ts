/**
 * Every parser at its largest input: its work grows with the input and not with its square, and stays below a ceiling.
 * Work is counted, not timed (support/work.ts). A parser that takes input belongs into a list of tests/bounds.
 */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { cases as files } from "#tests/bounds/files.ts";
import { cases as requests } from "#tests/bounds/requests.ts";
import { cases as scim } from "#tests/bounds/scim.ts";
import { startMeter, type WorkMeter } from "#tests/support/work.ts";

/** The largest input is four times the other one: linear work grows fourfold, with a logarithm a little more. */
const PART = 4;
const GROWTH_MAX = 5;
/** What a counter itself does: smaller counts say nothing about growth. */
const NOISE = 20_000;
/** About a second of one processor. */
const STEPS_MAX = 75_000_000;
const BYTES_MAX = 100_000_000;
const TIMEOUT_MS = 120_000;

const modules = [
  ["requests", requests],
  ["files", files],
  ["scim", scim],
] as const;

describe.each(modules)("%s", (module, cases) => {
  let meter: WorkMeter | undefined;
  beforeAll(async () => {
    meter = await startMeter(new URL(`../bounds/${module}.ts`, import.meta.url));
  });
  afterAll(() => meter?.stop());

  test.each(cases)("$name", { timeout: TIMEOUT_MS }, async ({ name, largest, outcome, growth = GROWTH_MAX }) => {
    const part = await meter?.measure({ name, size: Math.ceil(largest / PART) });
    const whole = await meter?.measure({ name, size: largest });
    if (!part || !whole) throw new Error("the meter starts before the first test");
    expect(whole.outcomes).toEqual([outcome ? expect.stringMatching(outcome) : "accepted"]);
    expect(whole.steps).toBeLessThan(STEPS_MAX);
    expect(whole.bytes).toBeLessThan(BYTES_MAX);
    if (whole.steps > NOISE) expect(whole.steps / part.steps).toBeLessThan(growth);
    if (whole.bytes > NOISE) expect(whole.bytes / part.bytes).toBeLessThan(growth);
  });
});
