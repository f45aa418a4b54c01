/**
 * Parses simple values of clients by the types of their schema (RFC 7643 section 2.3). Formats are checked only where a
 * wrong one cannot be stored.
 */

import { Fault } from "../../kernel/faults.ts";
import { isObject } from "../../kernel/json.ts";
import type { Attribute } from "./schema/attribute.ts";

export { isObject } from "../../kernel/json.ts";

/** The maximum of characters of attributes without their own `lengthMax`. */
const LENGTH_MAX = 1_024;

const NUMBER_TEXT = /^-?\d{1,15}(?:\.\d{1,15})?$/;

const DATE = /^(\d{4})-(\d{2})-(\d{2})$/;
/** xsd:dateTime with a year of four digits. Without a zone it is UTC. */
const DATE_TIME =
  /^(\d{4})-(\d{2})-(\d{2})T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,9})?(?:Z|[+-](?:0\d|1[0-4]):[0-5]\d)?$/;

/** A value of the wrong type. `sentence` continues "Attribute <path>". */
export function malformedValue(where: string, sentence: string): Fault {
  return new Fault("request.malformed", `Attribute ${where} ${sentence}`);
}

/** A value of the right type that breaks a rule. `sentence` continues "Attribute <path>". */
export function invalidValue(where: string, sentence: string): Fault {
  return new Fault("request.invalid", `Attribute ${where} ${sentence}`);
}

/**
 * `null`, `""`, `[]`, `{}` and absence all mean "no value" (RFC 7643 section 2.5; the empty string is our addition).
 */
export function isUnassigned(given: unknown): boolean {
  return (
    given === undefined ||
    given === null ||
    given === "" ||
    (Array.isArray(given) && given.length === 0) ||
    (isObject(given) && Object.keys(given).length === 0)
  );
}

/** The type of a value, for messages. */
export function kindOf(given: unknown): string {
  if (given === undefined || given === null) return "null";
  if (Array.isArray(given)) return "a list";
  if (isObject(given)) return "an object";
  return typeof given === "string" ? "a string" : `a ${typeof given}`;
}

/**
 * Parses a value of a simple attribute. `given` is not unassigned. `where` names the attribute in messages. Throws
 * `request.malformed` for a wrong type and `request.invalid` for a wrong date or too many characters.
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
      throw malformedValue(where, "must be a date and time such as 2024-05-31T09:30:00Z.");
    }
    default: {
      const text = readText(given, where, attribute);
      if (attribute.format !== "date" || isOnCalendar(DATE, text)) return text;
      throw invalidValue(where, "must be a date such as 1970-01-31 (YYYY-MM-DD).");
    }
  }
}

function readBoolean(given: unknown, where: string): boolean {
  if (typeof given === "boolean") return given;
  const word = typeof given === "string" ? given.toLowerCase() : undefined;
  if (word === "true") return true;
  if (word === "false") return false;
  throw malformedValue(where, "must be true or false.");
}

/** Clients that send booleans as strings send numbers as strings too. */
function readNumber(given: unknown, where: string, isWhole: boolean): number {
  const value = typeof given === "string" && NUMBER_TEXT.test(given) ? Number(given) : given;
  const fits = isWhole ? Number.isSafeInteger(value) : Number.isFinite(value);
  if (typeof value !== "number" || !fits) {
    throw malformedValue(where, isWhole ? "must be a whole number." : "must be a number.");
  }
  // JSON writes negative zero as 0.
  return value === 0 ? 0 : value;
}

/** Base64 in canonical form. Accepts line breaks and missing padding, which many tools produce. */
function readBinary(text: string, where: string): string {
  const digits = text.replace(/\s+/g, "").replace(/={1,2}$/, "");
  const canonical = Buffer.from(digits, "base64").toString("base64");
  if (digits === "" || canonical.replace(/={1,2}$/, "") !== digits) {
    throw malformedValue(where, "must be base64 (RFC 4648 section 4).");
  }
  return canonical;
}

function readText(given: unknown, where: string, { lengthMax = LENGTH_MAX }: Attribute): string {
  if (typeof given !== "string") throw malformedValue(where, `must be a string, not ${kindOf(given)}.`);
  if (!given.isWellFormed())
    throw malformedValue(where, "contains half of a surrogate pair, which is not a character.");
  // Code points count. The first comparison avoids counting short texts.
  if (given.length > lengthMax && Array.from(given).length > lengthMax) {
    throw invalidValue(where, `has more than ${lengthMax.toLocaleString("en")} characters.`);
  }
  return given;
}

/** Whether a text matches a pattern that begins with a date, and the date exists. */
function isOnCalendar(pattern: RegExp, text: string): boolean {
  const [, year, month, day] = pattern.exec(text) ?? [];
  if (!year || !month || !day) return false;
  const midnight = `${year}-${month}-${day}T00:00:00.000Z`;
  const time = Date.parse(midnight);
  // Date.parse turns 30 February into a day of March.
  return !Number.isNaN(time) && new Date(time).toISOString() === midnight;
}
