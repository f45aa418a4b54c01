/**
 * Every operation with a body, at the largest bodies that its shape describes: its work stays below a ceiling and grows
 * with the body and not with its square. Work is counted, not timed (support/work.ts).
 */
import { afterAll, expect, test } from "vitest";
import { startMeter } from "#tests/support/work.ts";

const PART = 4;
const GROWTH_MAX = 5;
/** A third of the ceiling: what is below it at its largest may grow as it likes, since nothing larger is accepted. */
const CHEAP = 25_000_000;
/** Some of it is reading 28,000 users of a group from the table. */
const STEPS_MAX = 60_000_000;
const BYTES_MAX = 80_000_000;
const TIMEOUT_MS = 300_000;

const meter = await startMeter(new URL("../bounds/operations.ts", import.meta.url));
afterAll(() => meter.stop());

const operations = Map.groupBy(meter.cases, ({ name }) => name.slice(0, name.indexOf(":")));

test.each([...operations])("%s", { timeout: TIMEOUT_MS }, async (_, cases) => {
  const largest = cases.map(({ name, largest: size }) => ({ name, size }));
  const all = await meter.measure(...largest);
  // 501: what the specification leaves out. 503: a machine so slow that the deadline of a request passes.
  expect(all.outcomes).toEqual(cases.map(() => expect.stringMatching(/^(?:[234]\d\d|501|503) /)));
  // Where all of them together are cheap, each one is.
  if (all.steps < CHEAP && all.bytes < BYTES_MAX) return;
  for (const { name, size } of largest) {
    const whole = await meter.measure({ name, size });
    expect(whole.steps, name).toBeLessThan(STEPS_MAX);
    expect(whole.bytes, name).toBeLessThan(BYTES_MAX);
    if (whole.steps < CHEAP) continue;
    const part = await meter.measure({ name, size: Math.ceil(size / PART) });
    expect(whole.steps / part.steps, name).toBeLessThan(GROWTH_MAX);
  }
});
