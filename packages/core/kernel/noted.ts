/** Work through a list of which each element that fails is noted, so that a later call tries it again. */
import { concurrently } from "./concurrently.ts";

/** A failure after which what failed is noted: a later call tries it again. `cause` is the failure. */
export class Noted extends Error {
  constructor(cause: unknown) {
    super("failed, and noted to be tried again", { cause });
  }
}

/** How an element is worked on, and how it is noted where that fails. */
export interface NotedWork<T> {
  work(element: T): Promise<void>;
  note(element: T): Promise<void>;
}

/**
 * Works through a whole list, also where elements fail. Throws a failure at the end: as `Noted` where all that failed
 * were noted; otherwise as it is, one that could not be noted first.
 */
export async function eachNoted<T>(list: readonly T[], atOnce: number, { work, note }: NotedWork<T>): Promise<void> {
  const lost: unknown[] = [];
  const noted: unknown[] = [];
  await concurrently(list, atOnce, async (element) => {
    try {
      await work(element);
    } catch (error) {
      try {
        await note(element);
        noted.push(error);
      } catch {
        // The first failure says more: the second one is mostly its consequence.
        lost.push(error);
      }
    }
  });
  if (lost.length > 0) throw lost[0];
  if (noted.length > 0) throw new Noted(noted[0]);
}
