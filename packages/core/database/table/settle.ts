/** Repeating what another writer interrupted, and running tasks concurrently. */
import { retry, startingWithin } from "../../kernel/retry.ts";
import { unavailable } from "./failures.ts";

const WAIT_FIRST_MS = 2;
const WAIT_MOST_MS = 100;

/** A range is not as it was read: the attempt must start again. Never leaves the index. */
export class Moved extends Error {}

/**
 * Another transaction is writing a range that is small enough to be split for it: the attempt must start again after
 * `relieve`.
 */
export class Crowded extends Moved {
  /** Tells ranges apart. */
  readonly range: string;
  readonly relieve: () => Promise<void>;
  constructor(range: string, relieve: () => Promise<void>) {
    super("others are writing the range");
    this.range = range;
    this.relieve = relieve;
  }
}

/**
 * What a transaction ends in, given what its steps say that met other transactions: room is made in all ranges at once.
 * One after the other, the last of them would be folded before, and stay one range.
 */
export function contentionOf(errors: readonly Error[]): Error | undefined {
  const crowds = errors.filter((error) => error instanceof Crowded);
  const [first, ...others] = new Map(crowds.map((crowd) => [crowd.range, crowd])).values();
  if (!first || others.length === 0) return first ?? errors[0];
  return new Crowded(first.range, async () => {
    await Promise.all([first, ...others].map((crowd) => crowd.relieve()));
  });
}

/**
 * Repeats an attempt that ends in `Moved`, with back-off. Passes the number of earlier attempts to it. Throws
 * `service.unavailable` once the deadline (in milliseconds) has passed.
 */
export function settle<R>(deadlineMs: number, attempt: (before: number) => Promise<R>): Promise<R> {
  const policy = {
    isTransient: (error: unknown) => error instanceof Moved,
    firstMs: WAIT_FIRST_MS,
    mostMs: WAIT_MOST_MS,
    hasTime: startingWithin(deadlineMs),
    exhausted: unavailable,
  };
  return retry(policy, async (before) => {
    try {
      return await attempt(before);
    } catch (error) {
      if (error instanceof Crowded) await error.relieve();
      throw error;
    }
  });
}

/** Runs tasks concurrently, at most `width` at a time. Throws the first failure once all have ended. */
export async function sideBySide<T>(
  items: readonly T[],
  width: number,
  task: (item: T) => Promise<void>,
): Promise<void> {
  const waiting = items.values();
  const lane = async (): Promise<void> => {
    for (const item of waiting) await task(item);
  };
  const lanes = await Promise.allSettled(Array.from({ length: Math.min(width, items.length) }, lane));
  const failed = lanes.find((outcome) => outcome.status === "rejected");
  if (failed) throw failed.reason;
}
