/** Concurrent work with progress. */
import { type ProgressOptions, progressOf } from "./frame/progress.ts";

const CONCURRENCY = 4;

/**
 * Runs `work` for each item, four at a time. Returns the results in the order of the items. The first error ends the
 * run.
 */
export async function forEach<Item, Result>(
  title: string,
  items: readonly Item[],
  work: (item: Item) => Promise<Result>,
  options?: ProgressOptions,
): Promise<Result[]> {
  const progress = progressOf(title, items.length, options);
  const results: Result[] = [];
  let next = 0;
  let isOver = false;
  const worker = async (): Promise<void> => {
    while (!isOver && next < items.length) {
      const at = next;
      next += 1;
      try {
        results[at] = await work(items[at] as Item);
      } catch (error) {
        isOver = true;
        throw error;
      }
      progress.add();
    }
  };
  try {
    const workers = await Promise.allSettled(Array.from({ length: CONCURRENCY }, worker));
    for (const each of workers) if (each.status === "rejected") throw each.reason;
  } finally {
    progress.stop();
  }
  return results;
}
