/**
 * Items that have a unique name in their tenant. Each item is a row at its id, with a version. An entry at its name is
 * both the claim of the name and the item's row of the list. Item and entry change in one transaction.
 */
import { as, type Field, number, type RowCodec } from "./row.ts";
import { stale, whileStale } from "./stale.ts";
import { type Item, type Key, LAST, type ReadOptions, type Step, type Table, type Value } from "./table.ts";

/** An item with the version that its row has. */
export interface Versioned<T> {
  readonly value: T;
  readonly version: number;
}

/** What every entry says. */
export interface NamedEntry {
  readonly id: string;
  /** The version of the item when the entry was written. Entries of kinds that are never renamed have none. */
  readonly version?: number;
}

/** How one kind of named items is stored. */
export interface NamedKind<T, E extends NamedEntry> {
  readonly item: RowCodec<Versioned<T>>;
  readonly entry: RowCodec<E>;
  itemKey(tenant: string, id: string): Key;
  entryKey(tenant: string, name: string): Key;
  /** The partition of the entries. */
  entries(tenant: string): string;
  nameOf(value: T): string;
  entryOf(value: T, version: number): E;
  /** The attribute by which an entry names its item. */
  owner(id: string): Readonly<Record<string, Value>>;
  /** Entries that a list reads strongly; those after them cost half. All where it is left out. */
  readonly readStrongly?: number;
}

/** A change of one item. */
export interface NamedChange<T, R = undefined> {
  /** What else is read in the round trip that reads the item: called for each attempt. `steps` gets it. */
  alongside?(): Promise<R>;
  /**
   * Derives the new value from the current one; called again after each conflict. Returning its argument writes
   * nothing.
   */
  change(before: T): T;
  /** The fault for an id that no item has. */
  absent(): Error;
  /** The fault for a new name that another item has. */
  taken(after: T): Error;
  /** What else changes in the same transaction. */
  steps?(
    before: Versioned<T>,
    after: Versioned<T>,
    given: { readonly attempt: number; readonly alongside: R | undefined },
  ): readonly Step[] | Promise<readonly Step[]>;
}

/** The items of one kind, on the table of one request. */
export interface NamedItems<T, E extends NamedEntry> {
  /** One round trip. */
  find(tenant: string, id: string): Promise<Versioned<T> | undefined>;
  /** In the order of the ids. One round trip. */
  findMany(tenant: string, ids: readonly string[], options?: ReadOptions): Promise<(Versioned<T> | undefined)[]>;
  /** The entry of a name. One round trip. */
  entry(tenant: string, name: string): Promise<E | undefined>;
  /** The entries of those names that are in use. At most one round trip. */
  entriesOf(tenant: string, names: readonly string[]): Promise<E[]>;
  /**
   * The entries of all names, or of those that begin with a text of at most 255 bytes, one for each item. One round
   * trip for 10,000 entries or 1 MB.
   */
  entries(tenant: string, prefix?: string): Promise<E[]>;
  /** The same where there are not more than `most`; otherwise `undefined`. One round trip. */
  fewEntries(tenant: string, prefix: string, most: number): Promise<E[] | undefined>;
  /** Stores a new item. Throws the error of `taken` when the name is in use. One round trip. */
  add(tenant: string, value: T, taken: () => Error, steps?: readonly Step[]): Promise<void>;
  /** The steps that write a removed item again, with its id and a later version. `taken`: its name is in use. */
  returning(tenant: string, before: Versioned<T>, taken: () => Error): Step[];
  /** Optimistic locking. Two round trips, besides those of `steps`. */
  update<R = undefined>(tenant: string, id: string, change: NamedChange<T, R>): Promise<void>;
  /** The steps that remove an item and its entry; `stale` when it has changed since it was read. */
  removing(tenant: string, id: string, before: Versioned<T>): Step[];
}

/** The version of an item, as an attribute of its row. */
export const version: Field<number> = as("ver", number);

const FIRST_VERSION = 1;
/** DynamoDB ends a page at 1 MB in any case. */
const ENTRIES_PER_PAGE = 10_000;
/** Greater than any name of 255 UTF-16 units: the greatest code point takes two. */
const AFTER_ALL_NAMES = LAST.repeat(128);

/** The rows of a new item, for a loader into an empty table. */
export function namedRows<T, E extends NamedEntry>(kind: NamedKind<T, E>, tenant: string, value: T): Item[] {
  return [entryRow(kind, tenant, value, FIRST_VERSION), itemRow(kind, tenant, value, FIRST_VERSION)];
}

/** The order of lists: the newest first. Ids are UUIDs of version 7, which sort by creation. */
export function newestFirst(a: NamedEntry, b: NamedEntry): number {
  return a.id < b.id ? 1 : -1;
}

/** Opens the items of one kind. */
export function namedItems<T, E extends NamedEntry>(table: Table, kind: NamedKind<T, E>): NamedItems<T, E> {
  const owns = (found: Item | undefined, id: string) => found !== undefined && kind.entry.read(found).id === id;

  const rangeOf = (tenant: string, prefix: string) => {
    const from = prefix === "" ? {} : { from: prefix };
    return { PK: kind.entries(tenant), ...from, to: prefix + AFTER_ALL_NAMES, limit: ENTRIES_PER_PAGE };
  };

  const find = async (tenant: string, id: string) => {
    const item = await table.get(kind.itemKey(tenant, id));
    return item && kind.item.read(item);
  };

  return {
    find,

    async findMany(tenant, ids, options) {
      const keys = ids.map((id) => kind.itemKey(tenant, id));
      const items = keys.length > 0 ? await table.getMany(keys, options) : [];
      return items.map((item) => item && kind.item.read(item));
    },

    async entry(tenant, name) {
      const found = await table.get(kind.entryKey(tenant, name));
      return found && kind.entry.read(found);
    },

    async entriesOf(tenant, names) {
      const items = names.length > 0 ? await table.getMany(names.map((name) => kind.entryKey(tenant, name))) : [];
      return items.flatMap((item) => (item ? [kind.entry.read(item)] : []));
    },

    async entries(tenant, prefix = "") {
      const { readStrongly } = kind;
      const range = rangeOf(tenant, prefix);
      const first = await table.query({ ...range, limit: readStrongly ?? ENTRIES_PER_PAGE });
      const rest = first.next
        ? await table.queryAll({ ...range, after: first.next, consistent: readStrongly === undefined })
        : [];
      return newestOfEach([...first.items, ...rest].map((item) => kind.entry.read(item)));
    },

    async fewEntries(tenant, prefix, most) {
      const { items } = await table.query({ ...rangeOf(tenant, prefix), limit: most + 1 });
      return items.length > most ? undefined : newestOfEach(items.map((item) => kind.entry.read(item)));
    },

    add: (tenant, value, taken, steps = []) =>
      table.write(
        {
          put: entryRow(kind, tenant, value, FIRST_VERSION),
          when: "absent",
          // The id is new: an entry that has it was written by an earlier attempt of this call.
          otherwise: (found) => (owns(found, kind.entryOf(value, FIRST_VERSION).id) ? "applied" : taken()),
        },
        ...steps,
        { put: itemRow(kind, tenant, value, FIRST_VERSION), when: "absent", otherwise: stale },
      ),

    returning: (tenant, { value, version }, taken) => [
      { put: entryRow(kind, tenant, value, version + 1), when: "absent", otherwise: taken },
      { put: itemRow(kind, tenant, value, version + 1), when: "absent", otherwise: stale },
    ],

    update: (tenant, id, { change, absent, taken, steps, ...reads }) =>
      whileStale(async (attempt) => {
        const [before, alongside] = await Promise.all([find(tenant, id), reads.alongside?.()]);
        if (!before) throw absent();
        const after = change(before.value);
        if (after === before.value) return;
        const [oldName, name] = [kind.nameOf(before.value), kind.nameOf(after)];
        const put = entryRow(kind, tenant, after, before.version + 1);
        const owned = { equal: kind.owner(id) };
        const renaming: Step[] = [
          // An entry of its own there is a concurrent rename of the same item, which may have changed more.
          { put, when: "absent", otherwise: (found) => (owns(found, id) ? stale() : taken(after)) },
          { remove: kind.entryKey(tenant, oldName), when: owned, otherwise: stale },
        ];
        await table.write(
          ...(name === oldName ? [{ put, when: owned, otherwise: stale }] : renaming),
          ...((await steps?.(before, { value: after, version: before.version + 1 }, { attempt, alongside })) ?? []),
          { put: itemRow(kind, tenant, after, before.version + 1), when: unchanged(before), otherwise: stale },
        );
      }),

    removing: (tenant, id, before) => [
      { remove: kind.itemKey(tenant, id), when: unchanged(before), otherwise: stale },
      {
        remove: kind.entryKey(tenant, kind.nameOf(before.value)),
        when: { equal: kind.owner(id) },
        otherwise: stale,
      },
    ],
  };
}

function unchanged({ version }: Versioned<unknown>): Step["when"] {
  return { equal: { ver: version } };
}

/** A read of many entries during a rename may see both names of one item: the newer one counts. */
export function newestOfEach<E extends NamedEntry>(entries: readonly E[]): E[] {
  const newest = new Map<string, E>();
  for (const entry of entries) {
    if ((entry.version ?? 0) >= (newest.get(entry.id)?.version ?? 0)) newest.set(entry.id, entry);
  }
  return entries.filter((entry) => newest.get(entry.id) === entry);
}

function entryRow<T, E extends NamedEntry>(kind: NamedKind<T, E>, tenant: string, value: T, at: number): Item {
  return { ...kind.entry.write(kind.entryOf(value, at)), ...kind.entryKey(tenant, kind.nameOf(value)) };
}

function itemRow<T, E extends NamedEntry>(kind: NamedKind<T, E>, tenant: string, value: T, at: number): Item {
  const { id } = kind.entryOf(value, at);
  return { ...kind.item.write({ value, version: at }), ...kind.itemKey(tenant, id) };
}
