/** Which pairs of a range match: by intervals of values, and by a test. Pure. */
import { compareKeys } from "../table.ts";
import { type Contents, idAt } from "./contents.ts";
import { IdCollector } from "./id-set.ts";
import type { CountedRange, IdSet, Pair, ValueMatch } from "./model.ts";
import { boundText, comparePairs, ID_BYTES, pairOf, pairText, unescaped } from "./pair.ts";
import type { PackedValue } from "./range-rows.ts";

/** An interval as texts; an absent end is that of the index. */
interface Span {
  readonly from: string | undefined;
  readonly to: string | undefined;
}

/** A match, prepared. */
export interface Matching {
  readonly spans: readonly Span[];
  readonly test: ValueMatch["test"];
}

/** Places in a pack, from one to before another. */
export type Run = readonly [from: number, to: number];

/** The pairs of one range that match. */
export interface MatchedRange<Range extends CountedRange = CountedRange> {
  readonly range: Range;
  readonly count: number;
  /** Absent where all pairs of the range match, so that its contents were not read. */
  readonly contents?: Contents<Range>;
}

export function matchingOf({ intervals, test }: ValueMatch): Matching {
  const spans = intervals.map(({ from, to }) => ({ from: from && boundText(from), to: to && boundText(to) }));
  return { spans, test };
}

/** Whether a range may have matches: `all` where each of its pairs is one, without a look at them. */
export function coverage({ low, high }: CountedRange, { spans, test }: Matching): "all" | "some" | "none" {
  const met = spans.filter(
    ({ from, to }) =>
      (from === undefined || compareKeys(from, high) < 0) && (to === undefined || compareKeys(low, to) < 0),
  );
  if (met.length === 0) return "none";
  const isWhole = met.some(
    ({ from, to }) =>
      (from === undefined || compareKeys(from, low) <= 0) && (to === undefined || compareKeys(high, to) <= 0),
  );
  return isWhole && !test ? "all" : "some";
}

/** The matches of a range. */
export function matchedRange<Range extends CountedRange>(
  contents: Contents<Range>,
  matching: Matching,
): MatchedRange<Range> {
  const ofPack = runsOf(contents, matching).reduce((sum, [from, to]) => sum + to - from, 0);
  const changed = matchingChanges(contents, matching).reduce((sum, { net }) => sum + net, 0);
  return { range: contents.range, contents, count: ofPack + changed };
}

/**
 * How many of the matching pairs of a range have one of some owners. The values of the pack are not needed where all
 * pairs match.
 */
export function keptCount(contents: Contents, matching: Matching | "all", owners: IdSet): number {
  const { ids = new Uint8Array() } = contents;
  const runs: readonly Run[] = matching === "all" ? [[0, ids.length / ID_BYTES]] : runsOf(contents, matching);
  const ofPack = runs.reduce(
    (sum, [from, to]) => sum + owners.countOf(ids.subarray(from * ID_BYTES, to * ID_BYTES)),
    0,
  );
  const changed = matchingChanges(contents, matching).filter(({ pair }) => owners.has(pair.id));
  return changed.reduce((sum, { net }) => sum + net, ofPack);
}

/** The matching pairs of a range in order. Its contents must have ids. */
export function matchedPairs(contents: Contents, matching: Matching): readonly Pair[] {
  const { values, ids = new Uint8Array() } = contents;
  const changes = matchingChanges(contents, matching);
  const gone = new Set(changes.flatMap(({ pair, net }) => (net < 0 ? [pairText(pair)] : [])));
  const pairs: Pair[] = [];
  let place = 0;
  for (const packed of values) {
    const end = place + packed.count;
    if (isMatch(packed, matching)) {
      const [value, facet] = [unescaped(packed.value), unescaped(packed.facet)];
      for (let at = place; at < end; at += 1) pairs.push({ value, facet, id: idAt(ids, at) });
    }
    place = end;
  }
  const came = changes.flatMap(({ pair, net }) => (net > 0 ? [pair] : []));
  if (gone.size === 0 && came.length === 0) return pairs;
  const kept = gone.size === 0 ? pairs : pairs.filter((pair) => !gone.has(pairText(pair)));
  return came.length === 0 ? kept : [...kept, ...came].sort(comparePairs);
}

/** Collects the owners of pairs, each once. */
export class Owners {
  readonly #collector = new IdCollector();

  /**
   * Adds the owners of the matches of a range: `ids` are those of its pack. The values of the pack are not needed where
   * all pairs match.
   */
  add(contents: Contents, matching: Matching | "all"): void {
    const { ids = new Uint8Array() } = contents;
    const runs: readonly Run[] = matching === "all" ? [[0, ids.length / ID_BYTES]] : runsOf(contents, matching);
    const nets = new Map<string, number>();
    for (const { pair, net } of matchingChanges(contents, matching)) nets.set(pair.id, (nets.get(pair.id) ?? 0) + net);
    // An owner that lost a pair may have others.
    const left = new Map([...nets].filter(([, net]) => net < 0));
    for (const [from, to] of runs) {
      if (left.size === 0) {
        this.#collector.add(ids.subarray(from * ID_BYTES, to * ID_BYTES));
        continue;
      }
      for (let at = from; at < to; at += 1) {
        const id = idAt(ids, at);
        const net = left.get(id);
        if (net === undefined) this.#collector.add(ids.subarray(at * ID_BYTES, (at + 1) * ID_BYTES));
        else if (net + 1 > 0) this.#collector.addId(id);
        else left.set(id, net + 1);
      }
    }
    for (const [id, net] of nets) if (net > 0) this.#collector.addId(id);
  }

  toSet(): IdSet {
    return this.#collector.toSet();
  }
}

function runsOf({ values }: Contents, matching: Matching): readonly Run[] {
  const runs: [number, number][] = [];
  let place = 0;
  for (const packed of values) {
    const end = place + packed.count;
    if (isMatch(packed, matching)) {
      const last = runs.at(-1);
      if (last?.[1] === place) last[1] = end;
      else runs.push([place, end]);
    }
    place = end;
  }
  return runs;
}

function matchingChanges(
  { changes }: Contents,
  matching: Matching | "all",
): readonly { readonly pair: Pair; readonly net: number }[] {
  return [...changes].flatMap(([text, net]) => {
    const [value = "", facet = ""] = text.split("\u0000");
    return matching === "all" || isMatch({ value, facet }, matching) ? [{ pair: pairOf(text), net }] : [];
  });
}

function isMatch({ value, facet }: Pick<PackedValue, "value" | "facet">, { spans, test }: Matching): boolean {
  const text = `${value}\u0000`;
  const isInside = spans.some(
    ({ from, to }) =>
      (from === undefined || compareKeys(from, text) <= 0) && (to === undefined || compareKeys(text, to) < 0),
  );
  return isInside && (test?.(unescaped(value), unescaped(facet)) ?? true);
}
