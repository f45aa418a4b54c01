/** Lists in the order of an index, in the order of ids, and in the order of a longer list of which a set is kept. */
import type { IdSet, MatchPages, Pair } from "../../../database/table/value-index/model.ts";
import { tooMany } from "../limits.ts";
import type { Place, Sequence } from "../sequence.ts";
import type { NamedId, Window } from "../source.ts";

/** The most entries of a longer list that one request reads to find those of a set. */
const WALKED_MAX = 40_000;
/** The most that it reads at once. */
const WALKED_AT_ONCE = 8_000;

/** The pairs with a value, or the markers of who has none. */
export interface Section {
  readonly matches: MatchPages;
  readonly hasValues: boolean;
}

/** After all markers, and before all values. */
const lastMarker: Pair = { value: "", facet: "", id: "ffffffff-ffff-ffff-ffff-ffffffffffff" };

/** The values of matches that begin with some markers. */
export function valuesIn(matches: MatchPages, markers: number): Section {
  const total = matches.total - markers;
  return {
    hasValues: true,
    matches: {
      total,
      window({ offset, limit, backwards = false }) {
        const shown = Math.max(0, Math.min(limit, total - offset));
        return matches.window({ offset: backwards ? offset : offset + markers, limit: shown, backwards });
      },
      async after(pair, limit, backwards = false) {
        const start = pair ?? (backwards ? undefined : lastMarker);
        // Backwards, markers may be all that follows.
        const { pairs } = await matches.after(start, limit + 1, backwards);
        const values = pairs.filter(({ value }) => value !== "");
        return { pairs: values.slice(0, limit), more: values.length > limit };
      },
    },
  };
}

/** An entry of an index, which does not know the name. */
interface PairedId extends NamedId {
  readonly pair: Pair;
}

/** Sections of one index, one after the other. */
export function byIndex(sections: readonly Section[], backwards: boolean): Sequence {
  const total = sections.reduce((sum, { matches }) => sum + matches.total, 0);
  const sequence: Sequence = {
    async window({ offset, limit }) {
      let before = 0;
      const windows = sections.map(({ matches }) => {
        const start = Math.max(0, offset - before);
        const end = Math.min(matches.total, offset + limit - before);
        before += matches.total;
        return start < end ? matches.window({ offset: start, limit: end - start, backwards }) : [];
      });
      return { entries: (await Promise.all(windows)).flat().map(pairedId), total };
    },
    async first(limit) {
      // Sections that the page meets by what they count are read at once.
      let before = 0;
      const isMet = sections.map(({ matches }) => {
        const met = before <= limit && matches.total > 0;
        before += matches.total;
        return met;
      });
      const read = await Promise.all(
        sections.map(({ matches }, at) => (isMet[at] ? matches.after(undefined, limit + 1, backwards) : undefined)),
      );
      const pairs = read.flatMap((part) => part?.pairs ?? []);
      const isShort = pairs.length <= limit && pairs.length < total;
      if (isShort && isMet.includes(false)) return { ...(await sequence.after(undefined, limit)), total };
      return { entries: pairs.slice(0, limit).map(pairedId), more: pairs.length > limit, total };
    },
    async after(place, limit) {
      const pair = pairAt(place);
      const isOfValue = pair?.value !== "";
      // Of the sections, the place may be in the second.
      const rest = sections.filter(({ hasValues }) => !pair || hasValues === isOfValue || hasValues === backwards);
      const entries: PairedId[] = [];
      for (const { matches, hasValues } of rest) {
        if (matches.total === 0) continue;
        const left = limit - entries.length;
        if (left === 0) return { entries, more: true };
        const { pairs, more } = await matches.after(hasValues === isOfValue ? pair : undefined, left, backwards);
        for (const one of pairs) entries.push(pairedId(one));
        if (more) return { entries, more };
      }
      return { entries, more: false };
    },
    placeOf: (entry) => placeOfPair(entry as PairedId),
  };
  return sequence;
}

/** Names by their index of values, which knows the name of each pair. */
export function byNameIndex(sections: readonly Section[], backwards: boolean): Sequence {
  const pairs = byIndex(sections, backwards);
  const named = (entries: readonly NamedId[]): NamedId[] =>
    entries.map((entry) => ({ ...entry, key: (entry as PairedId).pair.value }));
  return {
    async window(window) {
      const { entries, total } = await pairs.window(window);
      return { entries: named(entries), total };
    },
    async first(limit) {
      const read = await pairs.first(limit);
      return { ...read, entries: named(read.entries) };
    },
    async after(place, limit) {
      const { entries, more } = await pairs.after(place && placeOfPair(besideName(place.key, backwards)), limit);
      return { entries: named(entries), more };
    },
    placeOf: ({ key }) => ({ key }),
  };
}

/** In the direction of the list, behind all pairs with a name. */
function besideName(value: string, backwards: boolean): PairedId {
  const { id } = lastMarker;
  return { id, key: "", pair: { value, facet: "", id: backwards ? id.replaceAll("f", "0") : id } };
}

/** A set in the order of its ids. */
export function byIdsOf(set: IdSet): Sequence {
  const part = (offset: number, limit: number) => set.slice(offset, limit).map((id) => ({ id, key: "" }));
  return {
    window: async ({ offset, limit }) => ({ entries: part(offset, limit), total: set.size }),
    first: async (limit) => ({ entries: part(0, limit), more: limit < set.size, total: set.size }),
    async after(place, limit) {
      const start = place?.id === undefined ? 0 : set.positionAfter(place.id);
      return { entries: part(start, limit), more: start + limit < set.size };
    },
    placeOf: ({ id, key }) => ({ id, key }),
  };
}

/** A longer list, from either end. */
export interface LongerList {
  readonly forwards: Sequence;
  readonly backwards: Sequence;
  readonly total: number;
  /** What the list has of a set, counted: pages at any offset cost the same. */
  readonly counted?: (set: IdSet) => Promise<Sequence>;
  /** Counting costs as much as walking, so that cursors walk as far as those of a list without counts. */
  readonly isWalked?: boolean;
}

/**
 * What a longer list has of a set. Pages near its ends are read from there. Where other pages are not counted, they
 * throw `scim.too_many` by offset; by cursor they have no such limit where the set has its share of each part of the
 * list.
 */
export function keptOf(list: LongerList, set: IdSet, fault: () => Error = tooMany): Sequence {
  const { forwards, backwards } = list;
  const expected = (count: number): number => Math.ceil((count * list.total * 1.2) / Math.max(1, set.size)) + 100;
  const sizeFor = (count: number): number => Math.min(WALKED_AT_ONCE, expected(count));
  const walkedMax = list.counted ? WALKED_AT_ONCE : WALKED_MAX;
  const walkedAfterMax = list.isWalked ? WALKED_MAX : walkedMax;
  const isFar = (count: number, most: number): boolean => list.counted !== undefined && expected(count) > most;
  let counting: Promise<Sequence> | undefined;
  /** Throws where the list does not count. */
  const counted = (): Promise<Sequence> => {
    counting ??= list.counted?.(set);
    if (!counting) throw fault();
    return counting;
  };

  /** The first entries of the set from one end, in the order of reading; `undefined` where they are far away. */
  const firstOf = async (from: Sequence, count: number): Promise<NamedId[] | undefined> => {
    const found: NamedId[] = [];
    if (isFar(count, walkedMax)) return undefined;
    for (let read = 0; found.length < count; ) {
      if (read >= walkedMax) return undefined;
      const limit = sizeFor(count - found.length);
      const { entries } = await from.window({ offset: read, limit });
      for (const entry of entries) if (found.length < count && set.has(entry.id)) found.push(entry);
      read += limit;
      if (entries.length < limit) return found;
    }
    return found;
  };

  const sequence: Sequence = {
    async window({ offset, limit }: Window) {
      const total = set.size;
      const end = Math.min(total, offset + limit);
      if (offset >= end) return { entries: [], total };
      if (offset <= total - end) {
        const first = await firstOf(forwards, end);
        if (first) return { entries: first.slice(offset), total };
      } else {
        const last = await firstOf(backwards, total - offset);
        if (last) return { entries: last.reverse().slice(0, end - offset), total };
      }
      const { entries } = await (await counted()).window({ offset, limit });
      return { entries, total };
    },
    async first(limit) {
      const from = isFar(limit, walkedAfterMax) ? await counted() : sequence;
      return { ...(await from.after(undefined, limit)), total: set.size };
    },
    async after(place, limit) {
      const entries: NamedId[] = [];
      let at = place;
      for (let read = 0; ; ) {
        if (read >= walkedAfterMax) return (await counted()).after(place, limit);
        const size = sizeFor(limit - entries.length);
        const next = await forwards.after(at, size);
        for (const entry of next.entries) {
          if (!set.has(entry.id)) continue;
          if (entries.length === limit) return { entries, more: true };
          entries.push(entry);
        }
        const last = next.entries.at(-1);
        if (!next.more || !last) return { entries, more: false };
        at = forwards.placeOf(last);
        read += next.entries.length;
      }
    },
    placeOf: (entry) => forwards.placeOf(entry),
  };
  return sequence;
}

/** The pair of a place in the order of an index. */
export function pairAt(place: Place | undefined): Pair | undefined {
  if (place?.id === undefined || place.facet === undefined) return undefined;
  return { id: place.id, value: String(place.value ?? ""), facet: place.facet };
}

function placeOfPair({ key, pair: { id, value, facet } }: PairedId): Place {
  return { key, id, value, facet };
}

function pairedId(pair: Pair): PairedId {
  return { id: pair.id, key: "", pair };
}
