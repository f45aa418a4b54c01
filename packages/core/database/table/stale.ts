/** Optimistic locking: read, decide, write on condition that nothing has changed since the read; otherwise repeat. */
import { Fault } from "../../kernel/faults.ts";
import { retry, startingWithin } from "../../kernel/retry.ts";

const RETRY_FOR_MS = 8_000;
const BACKOFF_FIRST_MS = 5;
/** Long enough for some hundred writers of one item to finish one after the other. */
const BACKOFF_MOST_MS = 1_600;

/** An optimistic-locking conflict: what a write was based on has changed. */
class Stale extends Error {}

/** Whether an error is such a conflict. */
export function isStale(error: unknown): boolean {
  return error instanceof Stale;
}

/** What a whole request was based on has changed before it could write. It must be served again from its start. */
export class Moved extends Error {}

/** The `otherwise` of a step whose change must be decided again on the current state. */
export function stale(): Error {
  return new Stale("the item has changed since it was read");
}

/**
 * Repeats an attempt that ends in `stale`, with back-off. Passes the number of earlier attempts to it. Throws
 * `resource.contended` after 8 seconds.
 */
export function whileStale<R>(attempt: (before: number) => Promise<R>): Promise<R> {
  return whileConflicting(attempt, (error) => error instanceof Stale);
}

/** The same for an attempt of which other errors are conflicts. */
export function whileConflicting<R>(
  attempt: (before: number) => Promise<R>,
  isTransient: (error: unknown) => boolean,
): Promise<R> {
  const policy = {
    isTransient,
    firstMs: BACKOFF_FIRST_MS,
    mostMs: BACKOFF_MOST_MS,
    hasTime: startingWithin(RETRY_FOR_MS),
    exhausted: () =>
      new Fault("resource.contended", "Other requests keep changing this resource. Try again in a moment."),
  };
  return retry(policy, attempt);
}
