/** Compares two large collections of texts by digests of 48 bits, so that millions fit into memory. */
import { createHash } from "node:crypto";

const BYTES = 6;
const FIRST = 1_024;

/** The number that stands for a text. */
export function digestOf(text: string): number {
  return createHash("sha1").update(text).digest().readUIntBE(0, BYTES);
}

/** A collection of texts. */
export class TextBag {
  #digests = new Float64Array(FIRST);
  #size = 0;

  add(text: string): void {
    if (this.#size === this.#digests.length) {
      const larger = new Float64Array(this.#size * 2);
      larger.set(this.#digests);
      this.#digests = larger;
    }
    this.#digests[this.#size] = digestOf(text);
    this.#size += 1;
  }

  /** How many texts are there several times. */
  repeated(): number {
    const digests = this.sorted();
    return digests.filter((one, at) => one === digests[at + 1] && one !== digests[at - 1]).length;
  }

  sorted(): Float64Array {
    return this.#digests.subarray(0, this.#size).sort();
  }
}

/** The digests that are in only one of two collections, or more often in one. */
export function unlike(a: TextBag, b: TextBag): ReadonlySet<number> {
  const [left, right] = [a.sorted(), b.sorted()];
  const found = new Set<number>();
  let [x, y] = [0, 0];
  while (x < left.length || y < right.length) {
    const [one, other] = [left[x] ?? Number.POSITIVE_INFINITY, right[y] ?? Number.POSITIVE_INFINITY];
    if (one === other) [x, y] = [x + 1, y + 1];
    else if (one < other) {
      found.add(one);
      x += 1;
    } else {
      found.add(other);
      y += 1;
    }
  }
  return found;
}
