/**
 * A table in the memory of the test, for models of thousands of small tenants: reads as the real one, and writes whose
 * conditions are not checked. Tests of conditions use the engine.
 */
import {
  compareKeys,
  type Item,
  type Key,
  type RangeQuery,
  type Step,
  type Table,
} from "#core/database/table/table.ts";

/** An empty table. */
export const memoryTable = (): Table & { clear(): void } => {
  const rows = new Map<string, Map<string, Item>>();
  const partition = (PK: string) => rows.get(PK) ?? new Map<string, Item>();
  const put = (item: Item) => rows.set(item.PK, partition(item.PK).set(item.SK, item));
  const get = ({ PK, SK }: Key) => rows.get(PK)?.get(SK);
  const inRange = ({ PK, from = "", to = "\u{10FFFF}", backwards }: RangeQuery): Item[] => {
    const found = [...partition(PK).values()].filter(
      ({ SK }) => compareKeys(SK, from) >= 0 && compareKeys(SK, to) <= 0,
    );
    found.sort((a, b) => compareKeys(a.SK, b.SK));
    return backwards ? found.reverse() : found;
  };
  const apply = (step: Step): void => {
    if ("put" in step) put(step.put);
    if ("remove" in step) rows.get(step.remove.PK)?.delete(step.remove.SK);
    if ("change" in step) {
      if (step.add || step.take || step.push) throw new Error("the table of tests sets and clears only");
      const cleared = Object.fromEntries((step.clear ?? []).map((name) => [name, undefined]));
      put({ ...get(step.change), ...step.change, ...step.set, ...cleared });
    }
  };
  return {
    clear: () => rows.clear(),
    get: async (key) => get(key),
    getMany: async (some) => some.map(get),
    snapshot: async (some) => some.map(get),
    query: async (range) => ({ items: inRange(range) }),
    queryAll: async (range, most) => inRange(range).slice(0, most),
    nearest: async ({ PK, from, to }) => inRange({ PK, from, to, limit: 1 }).at(-1),
    write: async (...steps) => {
      for (const step of steps) apply(step);
    },
    putNewer: async (item) => {
      put(item);
      return true;
    },
    count: async (key, add, set = {}) => {
      const before: Item = get(key) ?? { ...key };
      const sums = Object.fromEntries(Object.entries(add).map(([name, by]) => [name, Number(before[name] ?? 0) + by]));
      const after = { ...before, ...sums, ...set };
      put(after);
      return after;
    },
    forget: async ({ PK, SK }) => {
      rows.get(PK)?.delete(SK);
    },
  };
};
