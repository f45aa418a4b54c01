/** Steps without a condition: for rows with random ids, and for rows that only move one way. */
import type { Item, Key, Step } from "../database/table/table.ts";

export function putting(item: Item): Step {
  return { put: item, when: "any", otherwise: failed };
}

export function removing(key: Key): Step {
  return { remove: key, when: "any", otherwise: failed };
}

/** Never called. */
function failed(): Error {
  return new Error("a step without a condition failed");
}
