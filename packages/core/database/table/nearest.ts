/**
 * Finding the range that covers a key, in partitions whose items are ranges without gaps. A Query finds it, one for
 * each. A container remembers the ranges that it has met, so that all ranges of a change are read by their keys in one
 * call. What is remembered is a guess, because ranges are split: the item that is read says whether it covers the key,
 * and where it does not, a Query finds the one that does.
 */
import { compareKeys, type Item, type Key, type NearestQuery, type Table } from "./table.ts";

/** Items that a container remembers: some 2 MB. */
const REMEMBERED_MOST = 5_000;

/** The ranges of partitions, for the requests of one container. */
export class NearestMemory {
  readonly #partitions = new Map<string, Item[]>();
  readonly #most: number;
  #size = 0;

  constructor(most: number = REMEMBERED_MOST) {
    this.#most = most;
  }

  /** The last known item from one sort key to another. */
  guess({ PK, from, to }: NearestQuery): Item | undefined {
    const known = this.#used(PK);
    const found = known[placeAfter(known, to) - 1];
    return found && compareKeys(found.SK, from) >= 0 ? found : undefined;
  }

  /** Remembers an item. Where there are too many, the partition that was used longest ago is forgotten. */
  note(item: Item): void {
    const { PK, SK } = item;
    const known = this.#used(PK);
    this.#partitions.set(PK, known);
    const at = placeAfter(known, SK);
    if (known[at - 1]?.SK === SK) {
      known[at - 1] = item;
      return;
    }
    known.splice(at, 0, item);
    this.#size += 1;
    while (this.#size > this.#most) {
      const [oldest = "", keys = []] = this.#partitions.entries().next().value ?? [];
      this.#partitions.delete(oldest);
      this.#size -= keys.length;
    }
  }

  /** Forgets an item that there is no more. */
  drop({ PK, SK }: Key): void {
    const known = this.#partitions.get(PK) ?? [];
    const at = placeAfter(known, SK) - 1;
    if (known[at]?.SK !== SK) return;
    known.splice(at, 1);
    this.#size -= 1;
  }

  /** The items of a partition, which is the latest that was used then. */
  #used(PK: string): Item[] {
    const known = this.#partitions.get(PK);
    if (!known) return [];
    this.#partitions.delete(PK);
    this.#partitions.set(PK, known);
    return known;
  }
}

/** The number of items up to a sort key, which is included. */
function placeAfter(keys: readonly Key[], key: string): number {
  let [from, to] = [0, keys.length];
  while (from < to) {
    const middle = (from + to) >>> 1;
    if (compareKeys(keys[middle]?.SK ?? "", key) <= 0) from = middle + 1;
    else to = middle;
  }
  return from;
}

/** See `Table.nearest`. */
export function nearestOn(
  { getMany, query }: Pick<Table, "getMany" | "query">,
  memory: NearestMemory,
): Table["nearest"] {
  let batch: { readonly keys: Key[]; readonly items: Promise<readonly (Item | undefined)[]> } | undefined;
  const readTogether = async (key: Key): Promise<Item | undefined> => {
    if (!batch) {
      const keys: Key[] = [];
      const items = Promise.resolve().then(() => {
        batch = undefined;
        return getMany(keys, { consistent: false });
      });
      batch = { keys, items };
    }
    const at = batch.keys.push(key) - 1;
    return (await batch.items)[at];
  };
  return async (range, covers, { consistent = false } = {}) => {
    const known = consistent ? undefined : memory.guess(range);
    if (known && covers(known)) {
      const key = { PK: range.PK, SK: known.SK };
      const item = await readTogether(key);
      if (item) memory.note(item);
      else memory.drop(key);
      if (item && covers(item)) return item;
    }
    const { items } = await query({ ...range, backwards: true, limit: 1, consistent });
    const [item] = items;
    if (item) memory.note(item);
    return item;
  };
}
