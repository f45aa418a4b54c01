/**
 * Reads of single items that a request begins at the same moment are made as one call (decision 0141). They are as
 * consistent as separate calls, and read the same units: what is saved is the cost of a call.
 */
import { checkKey } from "./expressions.ts";
import type { Item, ItemReadOptions, Key, Table } from "./table.ts";

type Found = Item | undefined;

/** How items are read: one in a call of its own, or several in one, in the order of their keys. */
export interface ItemReads {
  one(key: Key, options?: ItemReadOptions): Promise<Found>;
  many(keys: readonly Key[]): Promise<readonly Found[]>;
}

interface Waiting {
  readonly key: Key;
  resolve(found: Found): void;
  reject(error: unknown): void;
}

/**
 * `Table.get` for one request. A read starts when the code that runs at the moment of the call has come to its end,
 * together with the reads that began until then; they fail together. Reads at half the price and reads of keys are made
 * alone.
 */
export function joinedGet({ one, many }: ItemReads): Table["get"] {
  let waiting: Waiting[] = [];
  const start = async (): Promise<void> => {
    const together = waiting;
    waiting = [];
    try {
      const keys = together.map(({ key }) => key);
      const [alone] = keys;
      const found = alone && keys.length === 1 ? [await one(alone)] : await many(keys);
      for (const [at, { resolve }] of together.entries()) resolve(found[at]);
    } catch (error) {
      for (const { reject } of together) reject(error);
    }
  };
  return (key, options = {}) => {
    if (options.consistent === false || options.keyOnly) return one(key, options);
    return new Promise((resolve, reject) => {
      // A wrong key fails alone.
      checkKey(key);
      waiting.push({ key, resolve, reject });
      if (waiting.length === 1) queueMicrotask(start);
    });
  };
}
