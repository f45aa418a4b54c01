/** Entries that ranges may not have yet, as net changes of their pairs. Pure. */
import { compareKeys } from "../table.ts";
import { type Block, identityOf, type LogEntry, type LoggedRange, textsOf } from "./rows.ts";

/** A pair that comes or goes with an entry. */
interface Turn {
  readonly text: string;
  readonly net: 1 | -1;
  /** The number of its block; infinite in the log. */
  readonly block: number;
}

type Bounds = Pick<LoggedRange, "low" | "high" | "applied">;

/** Says what a range lacks, by the texts of pairs. */
export interface Nets {
  netsIn(range: LoggedRange): ReadonlyMap<string, number>;
}

/** The turns of some entries, in the order of their texts. They are sorted when they are first asked for. */
export class Pending {
  readonly #blocks: readonly Block[];
  readonly #log: readonly LogEntry[];
  #sorted: readonly Turn[] | undefined;

  constructor(blocks: readonly Block[], log: readonly LogEntry[] = []) {
    this.#blocks = blocks;
    this.#log = log;
  }

  get #turns(): readonly Turn[] {
    this.#sorted ??= [
      ...this.#blocks.flatMap(({ number, entries }) => entries.flatMap((entry) => turnsOf(entry, number))),
      ...this.#log.flatMap((entry) => turnsOf(entry, Number.POSITIVE_INFINITY)),
    ].sort((a, b) => compareKeys(a.text, b.text));
    return this.#sorted;
  }

  /** What a range lacks: by the texts of pairs how often each came less how often it went. */
  netsIn(range: Bounds): ReadonlyMap<string, number> {
    return this.#nets(range, (block) => block > range.applied);
  }

  /** What a range has of these entries, in the same way. */
  hadIn(range: Bounds): ReadonlyMap<string, number> {
    return this.#nets(range, (block) => block <= range.applied);
  }

  #nets({ low, high }: Bounds, isMeant: (block: number) => boolean): ReadonlyMap<string, number> {
    const nets = new Map<string, number>();
    const turns = this.#turns;
    for (let at = this.#from(low); at < turns.length; at += 1) {
      const turn = turns[at];
      if (!turn || compareKeys(turn.text, high) >= 0) break;
      if (isMeant(turn.block)) nets.set(turn.text, (nets.get(turn.text) ?? 0) + turn.net);
    }
    return nets;
  }

  /** Whether a range lacks anything. */
  hasIn(range: Bounds): boolean {
    const turns = this.#turns;
    for (let at = this.#from(range.low); at < turns.length; at += 1) {
      const turn = turns[at];
      if (!turn || compareKeys(turn.text, range.high) >= 0) return false;
      if (turn.block > range.applied) return true;
    }
    return false;
  }

  /** The place of the first turn that is not before a text. */
  #from(text: string): number {
    const turns = this.#turns;
    let [from, to] = [0, turns.length];
    while (from < to) {
      const middle = (from + to) >>> 1;
      if (compareKeys(turns[middle]?.text ?? "", text) < 0) from = middle + 1;
      else to = middle;
    }
    return from;
  }
}

function turnsOf(entry: LogEntry, block: number): readonly Turn[] {
  const { added, removed } = textsOf(entry);
  return [
    ...(removed === undefined ? [] : [{ text: removed, net: -1, block } as const]),
    ...(added === undefined ? [] : [{ text: added, net: 1, block } as const]),
  ];
}

/** The sum of net changes. */
export function sumOf(nets: ReadonlyMap<string, number>): number {
  let sum = 0;
  for (const net of nets.values()) sum += net;
  return sum;
}

/** Both changes, without those that cancel each other out. */
export function joinedNets(a: ReadonlyMap<string, number>, b: ReadonlyMap<string, number>): Map<string, number> {
  const nets = new Map(a);
  for (const [text, net] of b) {
    const sum = (nets.get(text) ?? 0) + net;
    if (sum === 0) nets.delete(text);
    else nets.set(text, sum);
  }
  return nets;
}

/** The entries of a log that no block has, and those that one has. */
export function splitLog(
  log: readonly LogEntry[],
  blocks: readonly Block[],
): { readonly open: readonly LogEntry[]; readonly blocked: readonly LogEntry[] } {
  const known = new Set(blocks.flatMap(({ entries }) => entries.map(identityOf)));
  const open: LogEntry[] = [];
  const blocked: LogEntry[] = [];
  for (const entry of log) (known.has(identityOf(entry)) ? blocked : open).push(entry);
  return { open, blocked };
}

/**
 * What makes the contents of ranges of now those of an earlier time: the entries of that time which a range of now
 * lacks come, and those since which it has go. The blocks since that time must all be there.
 */
export function backTo(
  then: { readonly blocks: readonly Block[]; readonly log: readonly LogEntry[] },
  now: { readonly blocks: readonly Block[]; readonly log: readonly LogEntry[] },
): Nets {
  const known = new Set([...then.blocks.flatMap(({ entries }) => entries), ...then.log].map(identityOf));
  const isKnown = (entry: LogEntry) => known.has(identityOf(entry));
  const blocksOf = (test: (entry: LogEntry) => boolean): readonly Block[] =>
    now.blocks.map(({ number, entries }) => ({ number, entries: entries.filter(test) }));
  // An entry of that time which is in no block and not in the log any more is in all ranges.
  const lacked = new Pending(blocksOf(isKnown), now.log.filter(isKnown));
  const since = new Pending(blocksOf((entry) => !isKnown(entry)));
  return {
    netsIn(range) {
      const undone = [...since.hadIn(range)].map(([text, net]) => [text, -net] as const);
      return joinedNets(lacked.netsIn(range), new Map(undone));
    },
  };
}
