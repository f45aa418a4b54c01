/** Reads of a name index: by name, position, prefix, or any test. Names are in the order of their UTF-8 bytes. */
import { compareKeys, LAST, type ReadOptions } from "../table.ts";
import { allWith } from "./all.ts";
import { type Directory, rangeAtKey, rangeAtPosition, readDirectory, readNames, totalOf } from "./directory.ts";
import { type Entry, entryOf, type IndexContext, isWide } from "./items.ts";
import { isPrefix, prefixEnd } from "./name-key.ts";

/** Entries that are read for a prefix; the matches of a prefix with more are counted by ranges. */
const PROBE = 1_000;
/** The most entries that one Query requests. */
const ENTRIES_PER_QUERY = 8_000;

/**
 * A part of a list. Reads are strongly consistent unless `consistent` is false (half the price, may miss the latest
 * writes).
 */
export interface Window extends ReadOptions {
  /** How many to skip, from 0. */
  readonly offset: number;
  /** The most to return, from 0. */
  readonly limit: number;
  /** Greatest name first. */
  readonly backwards?: boolean;
  /** Where the whole list is longer than this, only its length is returned. */
  readonly most?: number;
}

/** A part of a list. */
export interface Names {
  readonly entries: readonly Entry[];
  /** The length of the whole list. */
  readonly total: number;
}

/** A part of a list, and its length as a promise. */
export interface Counting extends Pick<Names, "entries"> {
  readonly total: Promise<number>;
}

/** The reads of an index. Names are results of `nameKey`, prefixes of `foldName`. */
export interface NameReads {
  /** The entry of one name. One round trip, one read unit. */
  find(key: string, options?: ReadOptions): Promise<Entry | undefined>;
  /** The entries of some different names, without names that are free. One round trip, one read unit each. */
  findMany(names: readonly string[], options?: ReadOptions): Promise<readonly Entry[]>;
  /** The number of names. One round trip. */
  total(options?: ReadOptions): Promise<number>;
  /** The number of names before a text, which need not be a name. Two round trips. */
  rank(text: string, options?: ReadOptions): Promise<number>;
  /** A part of all names, at any offset, with the exact total. Two round trips; three where the range is wide. */
  page(window: Window): Promise<Names>;
  /**
   * The names after one (which may be deleted), or the first ones, and whether more follow. For cursors. One round
   * trip.
   */
  after(
    key: string | undefined,
    limit: number,
    options?: ReadOptions & { readonly prefix?: string; readonly backwards?: boolean },
  ): Promise<{ readonly entries: readonly Entry[]; readonly more: boolean }>;
  /**
   * The names that start with a prefix. One round trip for up to 1,000 of them, at most three whatever their number.
   */
  startsWith(prefix: string, window: Window): Promise<Names>;
  /**
   * The same, but returns as soon as the entries are read: two round trips earlier where more than 1,000 are counted.
   */
  startingWith(prefix: string, window: Window): Promise<Counting>;
  /**
   * All names that start with a prefix, in order; `undefined` where they are more than `most`. Names that come
   * meanwhile take none of the others away. Two round trips; 11 eventually consistent units for 1,000 names.
   */
  all(prefix: string, most: number, options?: ReadOptions): Promise<readonly Entry[] | undefined>;
  /**
   * The names that pass a test, from what ranges contain. Two round trips, and one for each 1,600 rows: about 280,000
   * names in narrow ranges, 1,000,000 in wide ones.
   * A prefix that all of them have reduces what is read.
   */
  search(test: (key: string) => boolean, window: Window & { readonly prefix?: string }): Promise<Names>;
}

/** Opens the reads of an index. */
export function nameReads(context: IndexContext): NameReads {
  const { table, keys } = context;
  return {
    async find(key, options) {
      const item = canBeName(key) ? await table.get(keys.entry(key), options) : undefined;
      return item && entryOf(item);
    },

    async findMany(names, options) {
      const [only, ...others] = names.filter(canBeName).map(keys.entry);
      if (!only) return [];
      const isAlone = others.length === 0;
      const items = isAlone ? [await table.get(only, options)] : await table.getMany([only, ...others], options);
      return items.flatMap((item) => (item ? [entryOf(item)] : []));
    },

    total: async (options) => totalOf(await readDirectory(context, options)),

    async rank(text, options = {}) {
      const directory = await readDirectory(context, options);
      const [rank = 0] = await ranksOf(context, directory, [text], options);
      return rank;
    },

    page: (window) => page(context, window),

    async after(key, limit, { prefix = "", backwards = false, ...options } = {}) {
      if (!isPrefix(prefix)) return { entries: [], more: false };
      const all = prefix === "" ? {} : { from: prefix, to: prefixEnd(prefix) };
      const behind = key === undefined ? all : { ...all, [backwards ? "to" : "from"]: key, after: keys.entry(key) };
      const query = { PK: keys.entries, limit: limit + 1, backwards, ...options, ...behind };
      const { items, next } = await table.query(query);
      const entries = items.slice(0, limit).map(entryOf);
      return { entries, more: items.length > limit || next !== undefined };
    },

    async startsWith(prefix, window) {
      const { entries, total } = await startingWith(context, prefix, window);
      return { entries, total: await total };
    },

    startingWith: (prefix, window) => startingWith(context, prefix, window),

    all: (prefix, most, options = {}) => allWith(context, prefix, most, options),

    search: (test, window) => search(context, test, window),
  };
}

function canBeName(key: string): boolean {
  return key !== "" && isPrefix(key);
}

/** The window of the names with a prefix. */
async function startingWith(context: IndexContext, prefix: string, window: Window): Promise<Counting> {
  checkWindow(window);
  if (prefix === "") return counted(await page(context, window));
  if (!isPrefix(prefix)) return counted({ entries: [], total: 0 });
  const { offset, limit, backwards = false, most: _, ...options } = window;
  if (offset + limit > PROBE) return counted(await deepPrefix(context, prefix, window));
  const matches = { PK: context.keys.entries, from: prefix, to: prefixEnd(prefix), backwards };
  const { items, next } = await context.table.query({ ...matches, limit: PROBE, ...options });
  const entries = items.slice(offset, offset + limit).map(entryOf);
  if (!next) return counted({ entries, total: items.length });
  // Large entries can fill DynamoDB's megabyte before the window ends.
  if (items.length < offset + limit) return counted(await deepPrefix(context, prefix, window));
  const total = countPrefix(context, prefix, options);
  // The caller may fail before it awaits the total.
  total.catch(() => undefined);
  return { entries, total };
}

function counted({ entries, total }: Names): Counting {
  return { entries, total: Promise.resolve(total) };
}

/** The window of all names. */
async function page(context: IndexContext, window: Window): Promise<Names> {
  checkWindow(window);
  const { offset, limit, backwards, most = Number.POSITIVE_INFINITY, ...options } = window;
  const directory = await readDirectory(context, options);
  const total = totalOf(directory);
  if (total > most) return { entries: [], total };
  const start = backwards ? Math.max(0, total - offset - limit) : offset;
  const stop = backwards ? total - offset : offset + limit;
  const entries = await readPositions(context, directory, start, stop, options);
  return { entries: backwards ? entries.reverse() : entries, total };
}

/**
 * A window far into the matches of a prefix. Two round trips: ranks are counted while entries are read. Three with wide
 * ranges.
 */
async function deepPrefix(context: IndexContext, prefix: string, window: Window): Promise<Names> {
  const { offset, limit, backwards, most = Number.POSITIVE_INFINITY, ...options } = window;
  const directory = await readDirectory(context, options);
  if (directory.ranges.some(isWide)) return deepPrefixInWide(context, directory, prefix, window);
  const ends = [prefix, prefix + LAST] as const;
  // Before the leaves are read, ranks are known to within a range: up to that many more entries are read.
  const [from = 0, to = 0] = ends.map((text) => rangeAtKey(directory.ranges, text));
  const { before } = directory;
  const [fromLeast = 0, fromMost = 0, toLeast = 0, toMost = 0] = [
    before[from],
    before[from + 1],
    before[to],
    before[to + 1],
  ];
  const start = Math.max(fromLeast, backwards ? toLeast - offset - limit : fromLeast + offset);
  const stop =
    toLeast - fromMost > most ? start : backwards ? toMost - offset : Math.min(toMost, fromMost + offset + limit);
  const [[first = 0, end = 0], read] = await Promise.all([
    ranksOf(context, directory, ends, options),
    readPositions(context, directory, start, stop, options),
  ]);
  const total = end - first;
  const count = total > most ? 0 : Math.max(0, Math.min(limit, total - offset));
  const skip = (backwards ? end - offset - count : first + offset) - start;
  const entries = read.slice(skip, skip + count).filter(({ key }) => key.startsWith(prefix));
  return { entries: backwards ? entries.reverse() : entries, total };
}

/** The same from the names of the ranges that the window may begin in. */
async function deepPrefixInWide(
  context: IndexContext,
  directory: Directory,
  prefix: string,
  { offset, limit, backwards, most = Number.POSITIVE_INFINITY, ...options }: Window,
): Promise<Names> {
  const { ranges, before } = directory;
  const ends = [prefix, prefix + LAST] as const;
  const [from = 0, to = 0] = ends.map((text) => rangeAtKey(ranges, text));
  // Where the window begins, by what the ranges of both ends leave open.
  const [least, greatest] = backwards ? [before[to], before[to + 1]] : [before[from], before[from + 1]];
  const begins = [least, greatest].map((position = 0) =>
    Math.max(0, backwards ? position - offset - limit : position + offset),
  );
  const [firstAt = 0, lastAt = 0] = begins.map((position) => rangeAtPosition(directory, position));
  const places = new Set([from, to]);
  for (let at = firstAt; at <= lastAt; at += 1) places.add(at);
  const names = await namesAt(context, directory, [...places], options);
  const [first = 0, end = 0] = ranksIn(directory, names, ends);
  const total = end - first;
  const count = total > most ? 0 : Math.max(0, Math.min(limit, total - offset));
  if (count === 0) return { entries: [], total };
  const position = backwards ? end - offset - count : first + offset;
  const start = nameAt(directory, names, position);
  const read = await readEntries(context, start, count, options);
  const entries = read.filter(({ key }) => key.startsWith(prefix));
  return { entries: backwards ? entries.reverse() : entries, total };
}

/** The name at a position, in ranges whose names were read. Where names have gone since, the end of the range. */
function nameAt({ ranges, before }: Directory, names: NamesByRange, position: number): string {
  const at = rangeAtPosition({ ranges, before }, position);
  const own = [...(names.get(at) ?? [])].sort(compareKeys);
  return own[position - (before[at] ?? 0)] ?? ranges[at]?.high ?? LAST;
}

/** The entries of positions `[start, stop)` of the whole index. */
async function readPositions(
  context: IndexContext,
  directory: Directory,
  start: number,
  stop: number,
  options: ReadOptions,
): Promise<Entry[]> {
  const end = Math.min(stop, totalOf(directory));
  const at = rangeAtPosition(directory, start);
  const range = directory.ranges[at];
  if (!range || start >= end) return [];
  if (isWide(range)) {
    const names = await namesAt(context, directory, [at], options);
    return readEntries(context, nameAt(directory, names, start), end - start, options);
  }
  const skip = start - (directory.before[at] ?? 0);
  return (await readEntries(context, range.low, skip + end - start, options)).slice(skip);
}

/** Reads up to `count` entries from `from` on. */
async function readEntries(
  { table, keys }: IndexContext,
  from: string,
  count: number,
  options: ReadOptions,
): Promise<Entry[]> {
  // A sort key cannot be empty: without `from` the Query begins at the first.
  const range = { PK: keys.entries, ...(from !== "" && { from }), limit: ENTRIES_PER_QUERY, ...options };
  return (await table.queryAll(range, count)).map(entryOf);
}

/** The number of names with a prefix. Two round trips. */
async function countPrefix(context: IndexContext, prefix: string, options: ReadOptions): Promise<number> {
  const directory = await readDirectory(context, options);
  const [first = 0, end = 0] = await ranksOf(context, directory, [prefix, prefix + LAST], options);
  return end - first;
}

/** The number of names before each of some texts: one round trip for all. */
async function ranksOf(
  context: IndexContext,
  directory: Directory,
  texts: readonly string[],
  options: ReadOptions,
): Promise<number[]> {
  const places = texts.map((text) => rangeAtKey(directory.ranges, text));
  return ranksIn(directory, await namesAt(context, directory, [...new Set(places)], options), texts);
}

/** The names of ranges, by the positions of the ranges. */
type NamesByRange = ReadonlyMap<number, readonly string[]>;

/** The names of the ranges at some positions. One round trip. */
async function namesAt(
  context: IndexContext,
  { ranges }: Directory,
  places: readonly number[],
  options: ReadOptions,
): Promise<NamesByRange> {
  const found = new Map<number, readonly string[]>();
  const wanted = places.filter((at) => ranges[at]);
  let at = 0;
  const read = wanted.flatMap((place) => ranges[place] ?? []);
  for await (const { names } of readNames(context, read, options)) {
    found.set(wanted[at] ?? -1, names);
    at += 1;
  }
  return found;
}

/** The number of names before each of some texts, from the names of their ranges. */
function ranksIn({ ranges, before }: Directory, names: NamesByRange, texts: readonly string[]): number[] {
  return texts.map((text) => {
    const at = rangeAtKey(ranges, text);
    const smaller = (names.get(at) ?? []).filter((name) => compareKeys(name, text) < 0).length;
    // Names may be newer than the count of their range; ranks must not overlap.
    return (before[at] ?? 0) + Math.min(ranges[at]?.count ?? 0, smaller);
  });
}

/** The window of the names that pass a test. */
async function search(
  context: IndexContext,
  test: (key: string) => boolean,
  window: Window & { readonly prefix?: string },
): Promise<Names> {
  checkWindow(window);
  const { offset, limit, backwards, prefix = "", most = Number.POSITIVE_INFINITY, ...options } = window;
  if (!isPrefix(prefix)) return { entries: [], total: 0 };
  const { ranges } = await readDirectory(context, options);
  const wanted = ranges.slice(Math.max(0, rangeAtKey(ranges, prefix)), rangeAtKey(ranges, prefix + LAST) + 1);
  const hits: string[] = [];
  for await (const { names } of readNames(context, wanted, options)) {
    const passing = names.filter((name) => name.startsWith(prefix) && test(name));
    for (const name of passing.sort(compareKeys)) hits.push(name);
  }
  const total = hits.length;
  if (total > most) return { entries: [], total };
  const shown = (backwards ? hits.reverse() : hits).slice(offset, offset + limit);
  const items = await context.table.getMany(shown.map(context.keys.entry), options);
  // A name that was released since its leaf was read is left out.
  return { entries: items.flatMap((item) => (item ? [entryOf(item)] : [])), total };
}

function checkWindow({ offset, limit }: Window): void {
  if (!(Number.isSafeInteger(offset) && offset >= 0)) throw new RangeError(`offset ${offset}`);
  if (!(Number.isSafeInteger(limit) && limit >= 0)) throw new RangeError(`limit ${limit}`);
}
