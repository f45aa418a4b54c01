/**
 * One simple value as a client sent it, against the type its schema gives it (RFC 7643 section 2.3; reference scim.md
 * sections 3.2 and 7.1, decisions D26 and D27). Types are checked, formats only where a wrong one cannot be kept.
 */
import { Fault } from "../platform/faults.ts";
import type { Attribute } from "./schema/attribute.ts";

/** The most characters of a string whose attribute names no limit of its own. */
const LENGTH_MAX = 1_024;

const NUMBER_TEXT = /^-?\d{1,15}(?:\.\d{1,15})?$/;

const CALENDAR = String.raw`(\d{4})-(\d{2})-(\d{2})`;
const DATE = new RegExp(`^${CALENDAR}$`);
/** xsd:dateTime with a year of four digits; without a zone it means UTC. */
const DATE_TIME = new RegExp(
  `^${CALENDAR}T(?:[01]\\d|2[0-3]):[0-5]\\d:[0-5]\\d(?:\\.\\d{1,9})?(?:Z|[+-](?:0\\d|1[0-4]):[0-5]\\d)?$`,
);

/** What the readers tell of a value that does not fit, in a sentence that begins with the attribute's path. */
export function misfit(where: string, sentence: string): Fault {
  return new Fault("request.malformed", `Attribute ${where} ${sentence}`);
}

/** What the readers tell of a value that fits its type but not the rules. */
export function refused(where: string, sentence: string): Fault {
  return new Fault("request.invalid", `Attribute ${where} ${sentence}`);
}

/** A JSON object, as opposed to a list or a simple value. */
export function isObject(given: unknown): given is Readonly<Record<string, unknown>> {
  return typeof given === "object" && given !== null && !Array.isArray(given);
}

/** Whether a value means that there is none: `null`, `""`, `[]`, `{}` and absence are one (RFC 7643 section 2.5; D18). */
export function isUnassigned(given: unknown): boolean {
  return (
    given === undefined ||
    given === null ||
    given === "" ||
    (Array.isArray(given) && given.length === 0) ||
    (isObject(given) && Object.keys(given).length === 0)
  );
}

/** What a value is, in a sentence. */
export function kindOf(given: unknown): string {
  if (given === undefined || given === null) return "nothing";
  if (Array.isArray(given)) return "a list";
  if (isObject(given)) return "an object";
  return typeof given === "string" ? "a text" : `a ${typeof given}`;
}

/**
 * Reads a value of an attribute that is not complex; `where` names it in faults. The value is assigned. Throws
 * `request.malformed` when it is of another type and `request.invalid` when it is longer than may be kept.
 */
export function readSimple(attribute: Attribute, given: unknown, where: string): string | number | boolean {
  switch (attribute.type) {
    case "boolean":
      return readBoolean(given, where);
    case "integer":
      return readNumber(given, where, true);
    case "decimal":
      return readNumber(given, where, false);
    case "binary":
      return readBinary(readText(given, where, attribute), where);
    case "dateTime": {
      const text = readText(given, where, attribute);
      if (isOnCalendar(DATE_TIME, text)) return text;
      throw misfit(where, "must be a date and time such as 2024-05-31T09:30:00Z.");
    }
    default: {
      const text = readText(given, where, attribute);
      if (attribute.format !== "date" || isOnCalendar(DATE, text)) return text;
      throw refused(where, "must be a date such as 1970-01-31 (YYYY-MM-DD).");
    }
  }
}

function readBoolean(given: unknown, where: string): boolean {
  if (typeof given === "boolean") return given;
  const word = typeof given === "string" ? given.toLowerCase() : undefined;
  if (word === "true") return true;
  if (word === "false") return false;
  throw misfit(where, "must be a boolean: true or false.");
}

/** A number, also written as a text: clients that send booleans as texts (D26) send numbers so too. */
function readNumber(given: unknown, where: string, isWhole: boolean): number {
  const value = typeof given === "string" && NUMBER_TEXT.test(given) ? Number(given) : given;
  const fits = isWhole ? Number.isSafeInteger(value) : Number.isFinite(value);
  if (typeof value !== "number" || !fits) {
    throw misfit(where, isWhole ? "must be a whole number." : "must be a number.");
  }
  // Negative zero is written as 0, so it would not be the value that was read.
  return value === 0 ? 0 : value;
}

/** Base64 in its one canonical form. Line breaks and missing padding, which many tools produce, are mended. */
function readBinary(text: string, where: string): string {
  const digits = text.replace(/\s+/g, "").replace(/={1,2}$/, "");
  const canonical = Buffer.from(digits, "base64").toString("base64");
  if (digits === "" || canonical.replace(/=+$/, "") !== digits) {
    throw misfit(where, "must be binary data in base64 (RFC 4648 section 4).");
  }
  return canonical;
}

function readText(given: unknown, where: string, { lengthMax = LENGTH_MAX }: Attribute): string {
  if (typeof given !== "string") throw misfit(where, `must be a string, not ${kindOf(given)}.`);
  if (!given.isWellFormed()) throw misfit(where, "holds half of a surrogate pair, which is not a character.");
  // Characters are code points; the first comparison spares counting them.
  if (given.length > lengthMax && Array.from(given).length > lengthMax) {
    throw refused(where, `is longer than ${lengthMax.toLocaleString("en")} characters.`);
  }
  return given;
}

/** Whether a text fits a pattern that begins with a calendar date, and the calendar has that day. */
function isOnCalendar(pattern: RegExp, text: string): boolean {
  const [, year, month, day] = pattern.exec(text) ?? [];
  if (!year || !month || !day) return false;
  const midnight = `${year}-${month}-${day}T00:00:00.000Z`;
  const time = Date.parse(midnight);
  // An overflowing day, such as 30 February, is another day when it is written again.
  return !Number.isNaN(time) && new Date(time).toISOString() === midnight;
}
