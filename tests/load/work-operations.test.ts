/**
 * Every operation with a body, at the largest bodies that its shape describes: its work stays below a ceiling and grows
 * with the body and not with its square. Work is counted, not timed (support/work.ts).
 */
import { afterAll, expect, test } from "vitest";
import { startMeter } from "#tests/support/work.ts";

const PART = 4;
const GROWTH_MAX = 5;
/** Below this, a request costs more than its body does. */
const CHEAP = 8_000_000;
/** Some of it is reading 28,000 users of a group from the table. */
const STEPS_MAX = 60_000_000;
const BYTES_MAX = 80_000_000;
const TIMEOUT_MS = 120_000;

const meter = await startMeter(new URL("../bounds/operations.ts", import.meta.url));
afterAll(() => meter.stop());

test.each(meter.cases)("$name", { timeout: TIMEOUT_MS }, async ({ name, largest }) => {
  const whole = await meter.measure({ name, size: largest });
  // 501: what the specification leaves out. 503: a machine so slow that the deadline of a request passes.
  expect(whole.outcome).toMatch(/^(?:[234]\d\d|501|503) /);
  expect(whole.steps).toBeLessThan(STEPS_MAX);
  expect(whole.bytes).toBeLessThan(BYTES_MAX);
  if (whole.steps < CHEAP) return;
  const part = await meter.measure({ name, size: Math.ceil(largest / PART) });
  expect(whole.steps / part.steps).toBeLessThan(GROWTH_MAX);
});
