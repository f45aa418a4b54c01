/**
 * The order of the pairs of a value index, and the text that stands for a pair in keys. Pairs are ordered by value, by
 * facet, and then by a tie: the id with its random half first, so that new owners of one value spread over the ranges.
 */
import { compareText } from "../../../kernel/text-order.ts";
import { bytesOf } from "../name-index/name-key.ts";
import { LAST } from "../table.ts";
import type { Bound, Pair } from "./model.ts";

/** Bytes of a value in the index; of a longer one, the index holds the beginning. A sort key holds 1,024 bytes. */
const VALUE_BYTES_MAX = 690;
const FACET_BYTES_MAX = 100;
const NAME_TEXT_BYTES_MAX = 980;
const SEPARATOR = "\u0000";
/** Comes after the separator and before what any escaped character begins with. */
const AFTER = "\u0001";

const escapes: Readonly<Record<string, string>> = {
  "\u0000": "\u0001\u0001",
  "\u0001": "\u0001\u0002",
  "\u{10FFFE}": "\u{10FFFE}\u{10FFFE}",
  "\u{10FFFF}": "\u{10FFFE}\u{10FFFF}",
};
const originals = new Map(Object.entries(escapes).map(([original, escaped]) => [escaped, original]));
/** What an escaped character begins with. */
const beginsEscape = new Set(["\u0001", "\u{10FFFE}"]);
const special = Object.keys(escapes);

/** Digits of ties, in the order of their bytes. */
const DIGITS = "-0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz";
/** The value of a digit by its code. */
const valueOfDigit = new Uint8Array(128);
for (const [value, digit] of [...DIGITS].entries()) valueOfDigit[digit.charCodeAt(0)] = value;
/** The digits of numbers of twelve bits. */
const twoDigits = [...DIGITS].flatMap((first) => [...DIGITS].map((second) => `${first}${second}`));
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** Bytes of an id. */
export const ID_BYTES = 16;
/** Characters at the end of the text of a pair, which stand for its id. */
export const TIE_LENGTH = 22;
const HALF = ID_BYTES / 2;

/**
 * The text under which an index holds a value: the value, or the beginning of a long one, marked as such by U+10FFFF.
 */
export function indexedText(value: string): string {
  return cut(value, VALUE_BYTES_MAX);
}

/** The same for a name, which has no facet: the whole name, but for the end of one above 980 bytes. */
export function indexedName(name: string): string {
  return cut(name, NAME_TEXT_BYTES_MAX);
}

/** The same for a facet. */
export function indexedFacet(facet: string): string {
  return cut(facet, FACET_BYTES_MAX);
}

/** Whether a text of `indexedText` may be the beginning of a longer value. */
export function isCut(text: string): boolean {
  return text.endsWith(LAST);
}

function cut(given: string, most: number): string {
  const text = given.toWellFormed();
  if (bytesOf(escaped(text)) <= most) return text;
  let bytes = 0;
  let kept = "";
  for (const character of text) {
    bytes += bytesOf(escaped(character));
    if (bytes > most) break;
    kept += character;
  }
  return `${kept}${LAST}`;
}

/** Compares pairs in the order of an index. */
export function comparePairs(a: Pair, b: Pair): number {
  return compareText(a.value, b.value) || compareText(a.facet, b.facet) || compareTies(a.id, b.id);
}

/** Compares the ids of pairs that are otherwise equal. */
export function compareTies(a: string, b: string): number {
  const [x, y] = [tieHex(a), tieHex(b)];
  return x < y ? -1 : Number(x > y);
}

function tieHex(id: string): string {
  const hex = id.replaceAll("-", "");
  return `${hex.slice(HALF * 2)}${hex.slice(0, HALF * 2)}`;
}

/** The text of a pair. The order of texts, by UTF-8 bytes, is that of the pairs. */
export function pairText({ value, facet, id }: Pair): string {
  return packedText(escaped(value), escaped(facet), idBytes(id), 0);
}

/** The pair of a text. */
export function pairOf(text: string): Pair {
  const [value = "", facet = ""] = text.split(SEPARATOR);
  const id = Buffer.alloc(ID_BYTES);
  writeId(text, id);
  return { value: unescaped(value), facet: unescaped(facet), id: idOfBytes(id) };
}

/** The place of a bound among the texts of pairs. */
export function boundText({ value, side }: Bound): string {
  return `${escaped(value)}${side === "before" ? SEPARATOR : AFTER}`;
}

/** A text without a separator, in the same order. */
export function escaped(text: string): string {
  if (!special.some((one) => text.includes(one))) return text;
  return Array.from(text, (character) => escapes[character] ?? character).join("");
}

/** The text that was escaped. */
export function unescaped(text: string): string {
  if (!special.some((one) => text.includes(one))) return text;
  let original = "";
  let first = "";
  for (const character of text) {
    const pair = `${first}${character}`;
    const isFirst = first === "" && beginsEscape.has(character);
    if (!isFirst) original += originals.get(pair) ?? pair;
    first = isFirst ? character : "";
  }
  return original;
}

/** The bytes of an id. Throws `RangeError` for what is not a UUID in lower case. */
export function idBytes(id: string): Uint8Array {
  if (!UUID.test(id)) throw new RangeError("an owner of values has a UUID as its id");
  return Buffer.from(id.replaceAll("-", ""), "hex");
}

/** The id of some bytes. */
export function idOfBytes(bytes: Uint8Array): string {
  const hex = Buffer.from(bytes.buffer, bytes.byteOffset, ID_BYTES).toString("hex");
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

/** The text of a pair of a pack: its value and facet as they are packed, and the place of its id. */
export function packedText(value: string, facet: string, ids: Uint8Array, place: number): string {
  return `${value}${SEPARATOR}${facet}${SEPARATOR}${tieAt(ids, place * ID_BYTES)}`;
}

/** Writes the bytes of the id of a pair. */
export function writeId(text: string, to: Uint8Array): void {
  const start = text.length - TIE_LENGTH;
  let [bits, held, byte] = [0, 0, 0];
  for (let digit = 0; digit < TIE_LENGTH; digit += 1) {
    bits = ((bits << 6) | (valueOfDigit[text.charCodeAt(start + digit)] ?? 0)) & 0xffff;
    held += 6;
    if (held < 8) continue;
    held -= 8;
    to[(byte + HALF) % ID_BYTES] = (bits >> held) & 0xff;
    byte += 1;
  }
}

/** The tie of the id whose bytes begin at a place. */
function tieAt(bytes: Uint8Array, at: number): string {
  let text = "";
  let [bits, held] = [0, 0];
  for (let byte = 0; byte < ID_BYTES; byte += 1) {
    bits = ((bits << 8) | (bytes[at + ((byte + HALF) % ID_BYTES)] as number)) & 0xfffff;
    held += 8;
    if (held < 12) continue;
    held -= 12;
    text += twoDigits[(bits >> held) & 0xfff];
  }
  // 128 bits are ten times twelve, and eight.
  return text + twoDigits[(bits << 4) & 0xfff];
}
