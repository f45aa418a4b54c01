/**
 * Reads the words of a filter or a path from left to right. Every character is looked at a fixed number of times, through
 * `charCodeAt` alone, so the work grows with the length of the text and nothing else.
 */
import { Fault } from "../../platform/faults.ts";

/** What is being read: it decides the fault and how the sentence begins. */
export type Reading = "filter" | "path";

/** Reads one text. Positions that callers are told count from 1. */
export interface Reader {
  /** Where the next character stands, counted from 1. */
  readonly position: () => number;
  readonly atEnd: () => boolean;
  /** Passes over blanks; true when there were any. */
  readonly skipBlanks: () => boolean;
  /** Whether this character comes next; it is not taken. */
  readonly sees: (character: string) => boolean;
  /** Takes this character if it comes next. */
  readonly take: (character: string) => boolean;
  /** Takes the characters up to a blank, a bracket, a parenthesis or a quote. */
  readonly word: () => string;
  /** Takes a value that is not quoted: up to a blank, `)` or `]`. */
  readonly bareword: () => string;
  /** Takes a JSON string, whose quote comes next. */
  readonly quoted: () => string;
  /** Goes back to a position. */
  readonly back: (position: number) => void;
  /** The fault for what stands at a position (the present one if none is given). */
  readonly refusal: (reason: string, position?: number) => Fault;
}

/** The longest filter or path, in bytes of UTF-8 (our choice): hundreds of comparisons fit in. */
const BYTES_MAX = 8_192;
const SHOWN_MAX = 50;
const blanks = codes(" \t\r\n");
const endOfWord = codes(' \t\r\n()[]"');
const endOfBareword = codes(" \t\r\n)]");
const QUOTE = '"'.charCodeAt(0);
const BACKSLASH = "\\".charCodeAt(0);

const faultOf = { filter: "scim.filter_invalid", path: "scim.path_invalid" } as const;

/** A caller's word as it may appear in a sentence. */
export function shown(text: string): string {
  return `'${(text.length > SHOWN_MAX ? `${text.slice(0, SHOWN_MAX)}...` : text).toWellFormed()}'`;
}

/**
 * Opens a text.
 * @throws `scim.filter_invalid` or `scim.path_invalid`, by what is read, for a text of more than 8,192 bytes.
 */
export function readerOf(text: string, reading: Reading): Reader {
  const fault = faultOf[reading];
  const bytes = Buffer.byteLength(text, "utf8");
  if (bytes > BYTES_MAX) throw new Fault(fault, `The ${reading} has ${bytes} bytes; at most ${BYTES_MAX} are read.`);
  let at = 0;
  const refusal = (reason: string, position = at + 1): Fault =>
    new Fault(fault, `The ${reading} cannot be read at character ${position}: ${reason}`);
  const upTo = (ends: ReadonlySet<number>): string => {
    const start = at;
    while (at < text.length && !ends.has(text.charCodeAt(at))) at += 1;
    return text.slice(start, at);
  };
  const sees = (character: string): boolean => at < text.length && text.charCodeAt(at) === character.charCodeAt(0);
  const take = (character: string): boolean => {
    if (!sees(character)) return false;
    at += 1;
    return true;
  };
  const quoted = (): string => {
    const start = at;
    for (at += 1; at < text.length; at += 1) {
      const unit = text.charCodeAt(at);
      if (unit === BACKSLASH) at += 1;
      else if (unit === QUOTE) {
        at += 1;
        try {
          return JSON.parse(text.slice(start, at)) as string;
        } catch {
          throw refusal("the text in quotes is not written as JSON writes strings.", start + 1);
        }
      }
    }
    throw refusal("the quote is not closed.", start + 1);
  };
  return {
    position: () => at + 1,
    atEnd: () => at >= text.length,
    skipBlanks: () => {
      const start = at;
      while (at < text.length && blanks.has(text.charCodeAt(at))) at += 1;
      return at > start;
    },
    sees,
    take,
    word: () => upTo(endOfWord),
    bareword: () => upTo(endOfBareword),
    quoted,
    back: (position) => {
      at = position - 1;
    },
    refusal,
  };
}

function codes(characters: string): ReadonlySet<number> {
  return new Set([...characters].map((one) => one.charCodeAt(0)));
}
