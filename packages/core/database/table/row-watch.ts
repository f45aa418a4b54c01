/**
 * Rows that must not change between a read and the transaction that is based on it, although the two are made by
 * different stores: what a condition of a request was compared with, and what the request then writes.
 */
import { isDeepStrictEqual } from "node:util";
import { type Item, identityOf, type Key, keyOf, type Step, type Table, type Value, type When } from "./table.ts";

/** The rows of one request. */
export interface RowWatch {
  /** A table whose consistent reads and writes are watched. */
  wrap(table: Table): Table;
  /** Forgets the rows that were read, and holds and refuses nothing. */
  begin(): void;
  /**
   * Holds the rows that were read up to now, until the request has written: a later read that finds one of them in
   * another state, and a transaction that writes to one of them in another state, throw the error of `changed`. The
   * next read of such a row by its key costs nothing: it returns what was read.
   */
  hold(changed: () => Error): void;
  /** From now on every transaction throws this error instead. */
  refuse(refused: () => Error): void;
}

/** A row as it was read; without an item where there was none. */
interface Seen {
  readonly item: Item | undefined;
  /** Whether the next read returns it. */
  isKept: boolean;
}

/** Watches no row yet. */
export function newRowWatch(): RowWatch {
  const seen = new Map<string, Seen>();
  let changed: (() => Error) | undefined;
  let refused: (() => Error) | undefined;

  const noted = (key: Key, item: Item | undefined): Item | undefined => {
    const before = seen.get(identityOf(key));
    if (!changed) seen.set(identityOf(key), { item, isKept: true });
    else if (before && !isSame(before.item, item)) throw changed();
    return item;
  };
  const all = (items: readonly Item[]) => {
    for (const item of items) noted(item, item);
  };

  return {
    begin() {
      seen.clear();
      changed = undefined;
      refused = undefined;
    },
    hold(error) {
      changed = error;
    },
    refuse(error) {
      refused = error;
    },
    wrap: (table) => ({
      ...table,

      async get(key, options) {
        if (options?.consistent === false || options?.keyOnly) return table.get(key, options);
        const kept = changed && seen.get(identityOf(key));
        if (!kept?.isKept) return noted(key, await table.get(key, options));
        kept.isKept = false;
        return kept.item;
      },

      async getMany(keys, options) {
        const items = await table.getMany(keys, options);
        return options?.consistent === false ? items : items.map((item, at) => noted(keys[at] as Key, item));
      },

      async snapshot(keys) {
        const items = await table.snapshot(keys);
        return items.map((item, at) => noted(keys[at] as Key, item));
      },

      async query(range) {
        const page = await table.query(range);
        if (range.consistent !== false && !range.keysOnly) all(page.items);
        return page;
      },

      async queryAll(range, most) {
        const items = await table.queryAll(range, most);
        if (range.consistent !== false && !range.keysOnly) all(items);
        return items;
      },

      async write(...steps) {
        if (refused) throw refused();
        const error = changed;
        if (!error || !steps.some((step) => seen.has(identityOf(keyOf(step))))) return table.write(...steps);
        await table.write(
          ...steps.map((step) => {
            const before = seen.get(identityOf(keyOf(step)));
            return before ? heldStep(step, before.item, error) : step;
          }),
        );
        // The request has made its change: what it reads from now on is newer.
        seen.clear();
      },
    }),
  };
}

/** A step whose row must be as it was read. */
function heldStep(step: Step, before: Item | undefined, changed: () => Error): Step {
  return {
    ...step,
    when: before ? unchanged(step.when, before) : stillAbsent(step.when),
    otherwise(found) {
      const outcome = step.otherwise(found);
      return outcome === "applied" || isSame(before, found) ? outcome : changed();
    },
  };
}

/** No row meets it: for a step whose own condition another state of the row would meet. */
const NEVER: When = { lacking: ["PK"] };

function stillAbsent(when: When): When {
  return when === "any" || when === "absent" ? "absent" : NEVER;
}

function unchanged(when: When, before: Item): When {
  if (when === "absent") return NEVER;
  const own = typeof when === "string" ? {} : when;
  return { ...own, equal: { ...own.equal, ...stateOf(before) } };
}

/** The attributes by which a state of a row is told from others: its version, or all of them where it has none. */
function stateOf({ PK: _, SK: __, ver, ...rest }: Item): Readonly<Record<string, Value>> {
  if (ver !== undefined) return { ver };
  return Object.fromEntries(
    Object.entries(rest).flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const])),
  );
}

function isSame(one: Item | undefined, other: Item | undefined): boolean {
  return one && other ? isDeepStrictEqual(stateOf(one), stateOf(other)) : one === other;
}
