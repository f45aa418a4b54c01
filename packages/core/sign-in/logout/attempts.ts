/** When a client that could not be told is told again. Pure. */

const SECOND_MS = 1_000;
const FIRST_MS = 5 * SECOND_MS;
const FACTOR = 3;
const MOST_MS = 60 * 60 * SECOND_MS;

/**
 * How long to wait after a failed attempt. Waits grow threefold from 5 seconds to an hour; each is between half and all
 * of that by `random` (0 to 1), and at least what the client asked for, up to an hour.
 */
export function waitMs(failures: number, askedMs: number, random: number): number {
  const most = Math.min(MOST_MS, FIRST_MS * FACTOR ** (failures - 1));
  return Math.ceil(Math.max((most / 2) * (1 + random), Math.min(askedMs, MOST_MS)));
}
