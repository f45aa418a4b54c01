/**
 * Sets of ids as sorted 128-bit numbers, for up to millions of them: 16 bytes an id, and set operations by one pass
 * over both.
 */
import type { IdSet } from "./model.ts";
import { ID_BYTES, idBytes, idOfBytes } from "./pair.ts";

/** Numbers of 16 bits that make an id. */
const WORDS = ID_BYTES / 2;
/** Below this, a sort by comparison costs less than one by counting. */
const COUNTING_FROM = 4_096;
const VALUES_OF_WORD = 65_536;

/** Collects ids as bytes. */
export class IdCollector {
  #bytes = Buffer.alloc(1_024 * ID_BYTES);
  #used = 0;

  /** Adds the ids whose bytes stand one after the other. */
  add(bytes: Uint8Array): void {
    while (this.#used + bytes.length > this.#bytes.length) {
      this.#bytes = Buffer.concat([this.#bytes, Buffer.alloc(this.#bytes.length)]);
    }
    this.#bytes.set(bytes, this.#used);
    this.#used += bytes.length;
  }

  addId(id: string): void {
    this.add(idBytes(id));
  }

  /** The set of what was added. */
  toSet(): IdSet {
    return new SortedIds(distinct(sorted(wordsOf(this.#bytes.subarray(0, this.#used)))));
  }
}

/** The set of some ids. */
export function idSetOf(ids: Iterable<string>): IdSet {
  const collector = new IdCollector();
  for (const id of ids) collector.addId(id);
  return collector.toSet();
}

/** Words of ids, `WORDS` for each. */
type Words = Uint16Array;

class SortedIds implements IdSet {
  readonly #words: Words;
  #places: Places | undefined;
  constructor(words: Words) {
    this.#words = words;
  }

  get size(): number {
    return this.#words.length / WORDS;
  }

  has(id: string): boolean {
    const words = wordsOf(idBytes(id));
    const at = positionAfter(this.#words, words);
    return at > 0 && compareAt(this.#words, at - 1, words, 0) === 0;
  }

  countOf(ids: Uint8Array): number {
    this.#places ??= new Places(this.#words);
    const words = wordsOf(ids);
    let count = 0;
    for (let at = 0; at < words.length / WORDS; at += 1) count += Number(this.#places.has(words, at));
    return count;
  }

  and(other: IdSet): IdSet {
    return merged(this.#words, wordsIn(other), { both: true, left: false, right: false });
  }

  or(other: IdSet): IdSet {
    return merged(this.#words, wordsIn(other), { both: true, left: true, right: true });
  }

  without(other: IdSet): IdSet {
    return merged(this.#words, wordsIn(other), { both: false, left: true, right: false });
  }

  slice(offset: number, limit: number): readonly string[] {
    const end = Math.min(this.size, offset + limit);
    const ids: string[] = [];
    for (let at = Math.max(0, offset); at < end; at += 1) ids.push(idAt(this.#words, at));
    return ids;
  }

  positionAfter(id: string): number {
    return positionAfter(this.#words, wordsOf(idBytes(id)));
  }

  static wordsOf(set: SortedIds): Words {
    return set.#words;
  }
}

/** Finds ids by their random second halves: a table with open addressing. */
class Places {
  readonly #words: Words;
  /** Positions of ids and 1, or 0. */
  readonly #table: Uint32Array;
  readonly #mask: number;

  constructor(words: Words) {
    const size = words.length / WORDS;
    const slots = 2 ** Math.ceil(Math.log2(size * 2 + 2));
    this.#words = words;
    this.#table = new Uint32Array(slots);
    this.#mask = slots - 1;
    for (let at = 0; at < size; at += 1) {
      let slot = this.#slotOf(words, at);
      while (this.#table[slot] !== 0) slot = (slot + 1) & this.#mask;
      this.#table[slot] = at + 1;
    }
  }

  has(words: Words, at: number): boolean {
    for (let slot = this.#slotOf(words, at); ; slot = (slot + 1) & this.#mask) {
      const place = this.#table[slot] as number;
      if (place === 0) return false;
      if (compareAt(this.#words, place - 1, words, at) === 0) return true;
    }
  }

  #slotOf(words: Words, at: number): number {
    const end = (at + 1) * WORDS;
    // Ids of other kinds than those of this service may be random elsewhere.
    const mixed =
      (((words[end - 1] as number) << 16) | (words[end - 2] as number)) ^ Math.imul(words[end - 3] as number, 40_503);
    return (mixed ^ (mixed >>> 15)) & this.#mask;
  }
}

function wordsIn(set: IdSet): Words {
  if (!(set instanceof SortedIds)) throw new TypeError("a set of ids of another kind");
  return SortedIds.wordsOf(set);
}

function wordsOf(bytes: Uint8Array): Words {
  const words = new Uint16Array(bytes.length / 2);
  for (let at = 0; at < words.length; at += 1) {
    words[at] = ((bytes[at * 2] as number) << 8) | (bytes[at * 2 + 1] as number);
  }
  return words;
}

function idAt(words: Words, at: number): string {
  const bytes = Buffer.alloc(ID_BYTES);
  for (let word = 0; word < WORDS; word += 1) bytes.writeUInt16BE(words[at * WORDS + word] ?? 0, word * 2);
  return idOfBytes(bytes);
}

function compareAt(a: Words, atA: number, b: Words, atB: number): number {
  for (let word = 0; word < WORDS; word += 1) {
    const difference = (a[atA * WORDS + word] as number) - (b[atB * WORDS + word] as number);
    if (difference !== 0) return difference;
  }
  return 0;
}

/** How many ids are not greater than one id. */
function positionAfter(words: Words, id: Words): number {
  let [from, to] = [0, words.length / WORDS];
  while (from < to) {
    const middle = (from + to) >>> 1;
    if (compareAt(words, middle, id, 0) <= 0) from = middle + 1;
    else to = middle;
  }
  return from;
}

/** One pass over two sorted sets, which keeps what is in both, in the left one or in the right one alone. */
function merged(
  a: Words,
  b: Words,
  keep: { readonly both: boolean; readonly left: boolean; readonly right: boolean },
): IdSet {
  const result = new Uint16Array(
    (keep.left ? a.length : 0) + (keep.right ? b.length : 0) || Math.min(a.length, b.length),
  );
  let used = 0;
  const take = (from: Words, at: number): void => {
    result.set(from.subarray(at * WORDS, (at + 1) * WORDS), used);
    used += WORDS;
  };
  const [sizeA, sizeB] = [a.length / WORDS, b.length / WORDS];
  let [atA, atB] = [0, 0];
  while (atA < sizeA || atB < sizeB) {
    const order = atA >= sizeA ? 1 : atB >= sizeB ? -1 : compareAt(a, atA, b, atB);
    if (order === 0 && keep.both) take(a, atA);
    if (order < 0 && keep.left) take(a, atA);
    if (order > 0 && keep.right) take(b, atB);
    if (order <= 0) atA += 1;
    if (order >= 0) atB += 1;
  }
  return new SortedIds(result.slice(0, used));
}

function distinct(words: Words): Words {
  let used = 0;
  for (let at = 0; at < words.length / WORDS; at += 1) {
    if (used > 0 && compareAt(words, used - 1, words, at) === 0) continue;
    words.copyWithin(used * WORDS, at * WORDS, (at + 1) * WORDS);
    used += 1;
  }
  return words.slice(0, used * WORDS);
}

function sorted(words: Words): Words {
  const size = words.length / WORDS;
  let order: Uint32Array = Uint32Array.from({ length: size }, (_, at) => at);
  if (size < COUNTING_FROM) order.sort((a, b) => compareAt(words, a, words, b));
  else for (let word = WORDS - 1; word >= 0; word -= 1) order = orderedBy(words, word, order);
  const result = new Uint16Array(words.length);
  order.forEach((from, at) => {
    for (let word = 0; word < WORDS; word += 1) result[at * WORDS + word] = words[from * WORDS + word] as number;
  });
  return result;
}

/** A stable counting sort by one word. */
function orderedBy(words: Words, word: number, order: Uint32Array): Uint32Array {
  const counts = new Uint32Array(VALUES_OF_WORD + 1);
  for (const at of order)
    counts[(words[at * WORDS + word] as number) + 1] = (counts[(words[at * WORDS + word] as number) + 1] as number) + 1;
  for (let value = 1; value <= VALUES_OF_WORD; value += 1) {
    counts[value] = (counts[value] as number) + (counts[value - 1] as number);
  }
  const result = new Uint32Array(order.length);
  for (const at of order) {
    const value = words[at * WORDS + word] as number;
    const place = counts[value] as number;
    result[place] = at;
    counts[value] = place + 1;
  }
  return result;
}
