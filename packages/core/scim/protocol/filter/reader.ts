/**
 * Reads the tokens of a filter or a path from left to right, in linear time.
 */
import { Fault } from "../../../kernel/faults.ts";

/** The kind of text: it decides the fault and its message. */
export type Reading = "filter" | "path";

/** Positions count from 1. */
export type Reader = ReturnType<typeof readerOf>;

/** The maximum of bytes in UTF-8 of a filter or path (RFC 7644 sets none): enough for hundreds of comparisons. */
const BYTES_MAX = 8_192;
const SHOWN_MAX = 50;
const blanks = codes(" \t\r\n");
const endOfWord = codes(' \t\r\n()[]"');
const QUOTE = '"'.charCodeAt(0);
const BACKSLASH = "\\".charCodeAt(0);

const faultOf = { filter: "scim.filter_invalid", path: "scim.path_invalid" } as const;

/** A text of a caller, shortened and quoted for messages. */
export function excerpt(text: string): string {
  return `'${(text.length > SHOWN_MAX ? `${text.slice(0, SHOWN_MAX)}...` : text).toWellFormed()}'`;
}

/**
 * Opens a text. Faults are `scim.filter_invalid` or `scim.path_invalid`. Throws for a text of more than 8,192 bytes.
 */
export function readerOf(text: string, reading: Reading) {
  const fault = faultOf[reading];
  const bytes = Buffer.byteLength(text, "utf8");
  if (bytes > BYTES_MAX) throw new Fault(fault, `The ${reading} has ${bytes} bytes. Send at most ${BYTES_MAX}.`);
  let at = 0;
  const refusal = (reason: string, position = at + 1): Fault =>
    new Fault(fault, `Invalid ${reading} at character ${position}: ${reason}`);
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
  const bareword = (): string => {
    const start = at;
    const open = { ")": 0, "]": 0 };
    for (; at < text.length && !blanks.has(text.charCodeAt(at)); at += 1) {
      const unit = text.charAt(at);
      if (unit === "(") open[")"] += 1;
      else if (unit === "[") open["]"] += 1;
      else if (unit === ")" || unit === "]") {
        if (open[unit] === 0) break;
        open[unit] -= 1;
      }
    }
    return text.slice(start, at);
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
          throw refusal("the text in quotes is not a valid JSON string.", start + 1);
        }
      }
    }
    throw refusal("the closing quote is missing.", start + 1);
  };
  return {
    /** The position of the next character. */
    position: (): number => at + 1,
    atEnd: (): boolean => at >= text.length,
    /** Skips spaces, tabs and line breaks. Returns whether there were any. */
    skipBlanks: (): boolean => {
      const start = at;
      while (at < text.length && blanks.has(text.charCodeAt(at))) at += 1;
      return at > start;
    },
    /** Whether this character comes next. Does not consume it. */
    sees,
    /** Consumes this character if it comes next. */
    take,
    /** Consumes the characters up to a space, bracket, parenthesis or quote. */
    word: (): string => upTo(endOfWord),
    /** Consumes a value without quotes: up to a space, or a `)` or `]` that closes no bracket of the value. */
    bareword,
    /** Consumes a JSON string, whose quote comes next. */
    quoted,
    /** Goes back to a position. */
    back: (position: number): void => {
      at = position - 1;
    },
    /** The fault for a position; by default the position of the next character. */
    refusal,
  };
}

function codes(characters: string): ReadonlySet<number> {
  return new Set([...characters].map((one) => one.charCodeAt(0)));
}
