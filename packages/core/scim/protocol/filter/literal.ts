/** Converts literals of filters and values of resources to the same comparable form. */
import { foldName, trimName } from "../../../kernel/fold.ts";
import { compareText } from "../../../kernel/text-order.ts";
import { instantOf } from "../instant.ts";
import type { Attribute, AttributeType, Json } from "../schema/attribute.ts";
import type { Operand } from "./bound.ts";
import type { Operator } from "./syntax.ts";

const equality = ["eq", "ne"] as const;
const ordering = ["gt", "ge", "lt", "le"] as const;
const substring = ["co", "sw", "ew"] as const;

/** The operators of each type (RFC 7644 section 3.4.2.2, table 3). */
export const operatorsOf: Readonly<Record<AttributeType, readonly Operator[]>> = {
  string: [...equality, ...substring, ...ordering],
  reference: [...equality, ...substring, ...ordering],
  dateTime: [...equality, ...ordering],
  integer: [...equality, ...ordering],
  decimal: [...equality, ...ordering],
  boolean: equality,
  binary: equality,
  complex: [],
};

const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:e[+-]?\d+)?$/i;
/** A `+` that was not percent-encoded in a query string arrives as a space. */
const SPACE_FOR_PLUS = / (?=\d\d:\d\d$)/;

/** An example of a literal of each type, for messages. */
export const examples: Readonly<Record<AttributeType, string>> = {
  string: '"text"',
  reference: '"text"',
  binary: '"base64"',
  boolean: "true or false",
  integer: "5",
  decimal: "5.5",
  dateTime: '"2024-05-13T04:42:34Z"',
  complex: "a sub-attribute",
};

/**
 * The value of a literal; `undefined` if it is not of the type of the attribute. Quotes are optional for every type.
 */
export function valueOfLiteral({ type }: Attribute, text: string): Operand | undefined {
  switch (type) {
    case "boolean": {
      const word = text.toLowerCase();
      return word === "true" ? true : word === "false" ? false : undefined;
    }
    case "integer":
    case "decimal": {
      const number = NUMBER.test(text) ? Number(text) : Number.NaN;
      return Number.isFinite(number) ? number : undefined;
    }
    case "dateTime": {
      const written = text.replace(SPACE_FOR_PLUS, "+");
      return instantOf(written) === undefined ? undefined : written;
    }
    case "complex":
      return undefined;
    default:
      return text;
  }
}

/**
 * A value of an attribute in comparable form: strings folded unless the attribute is case-exact, dates as instants.
 * Equal values have equal forms. `undefined` for a value of another type.
 */
export function comparable(attribute: Attribute, value: Json | undefined): Operand | undefined {
  switch (attribute.type) {
    case "boolean":
      return typeof value === "boolean" ? value : undefined;
    case "integer":
    case "decimal":
      return typeof value === "number" ? value : undefined;
    case "dateTime":
      return typeof value === "string" ? instantOf(value) : undefined;
    case "binary":
      return typeof value === "string" ? value : undefined;
    case "complex":
      return undefined;
    default:
      if (typeof value !== "string") return undefined;
      if (attribute.isName) return folded(trimName(value));
      return attribute.caseExact ? value : folded(value);
  }
}

/** From this length on, folding a text takes longer than finding it. It takes up to 60 ns for a character. */
const LONG = 64;
/** Characters of the long texts that are kept: those of the largest user several times. */
const KEPT_MAX = 1_000_000;
const kept = new Map<string, string>();
let keptLength = 0;

/** `foldName`, once for a long text that each operation or filter of a request compares again. */
function folded(text: string): string {
  if (text.length < LONG) return foldName(text);
  const known = kept.get(text);
  if (known !== undefined) return known;
  const form = foldName(text);
  keptLength += text.length;
  if (keptLength > KEPT_MAX) {
    kept.clear();
    keptLength = text.length;
  }
  kept.set(text, form);
  return form;
}

/** The order of two results of `comparable` for one attribute. false comes before true. */
export function compareOperands(a: Operand, b: Operand): number {
  if (typeof a === "string" && typeof b === "string") return compareText(a, b);
  return a === b ? 0 : a < b ? -1 : 1;
}
