/**
 * The filter language of the application and template lists (spec, "filter"; reference application-api.md section 3.10):
 * `attribute operator value`, joined by `and` and `or` with the usual precedence, and parentheses. Parsed to a tree once and
 * evaluated on rows; never rewritten as text.
 *
 * A value runs to the next joining word or parenthesis, so it may hold blanks; a value that holds such a word is quoted.
 */
import { Fault, type FaultName } from "../faults.ts";

/** What a list can be filtered by. Attribute names are case-sensitive, operators and joining words are not. */
export interface Vocabulary<Attribute extends string> {
  readonly attributes: readonly Attribute[];
  /** The fault of an attribute that is none of these: clients of the lists compare different codes. */
  readonly unknownAttribute: FaultName;
  /** A filter of this list, shown to whoever sends one that cannot be read. */
  readonly example: string;
}

/** The operators. */
export type Operator = "eq" | "sw" | "ew" | "co";

/** A parsed filter. */
export type Filter<Attribute extends string> =
  | { readonly kind: "and" | "or"; readonly parts: readonly Filter<Attribute>[] }
  | {
      readonly kind: "compare";
      readonly attribute: Attribute;
      readonly operator: Operator;
      readonly value: string;
    };

/** Values of a row by attribute; an attribute without a value matches nothing. */
export type FilterRow<Attribute extends string> = Readonly<Partial<Record<Attribute, string | undefined>>>;

const TERMS_MAX = 20;
const DEPTH_MAX = 10;

const tests: Readonly<Record<Operator, (actual: string, value: string) => boolean>> = {
  eq: (actual, value) => actual === value,
  sw: (actual, value) => actual.startsWith(value),
  ew: (actual, value) => actual.endsWith(value),
  co: (actual, value) => actual.includes(value),
};
const operators = Object.keys(tests);

interface Token {
  readonly kind: "word" | "quoted" | "open" | "close";
  readonly text: string;
  /** Where the token begins and ends in the filter. */
  readonly start: number;
  readonly end: number;
}

type Malformed = (reason: string) => Fault;

const TOKEN = /\s*(?:(\()|(\))|"((?:[^"\\]|\\.)*)"|'((?:[^'\\]|\\.)*)'|([^\s()"'][^\s()]*))/y;

/**
 * Parses a filter. Throws `filter.malformed`, `filter.operator` or the vocabulary's fault of an unknown attribute, each
 * with a sentence that says what would be right.
 */
export function parseFilter<Attribute extends string>(
  text: string,
  { attributes, unknownAttribute, example }: Vocabulary<Attribute>,
): Filter<Attribute> {
  const malformed = malformedLike(example);
  const tokens = tokensOf(text, malformed);
  let at = 0;
  let terms = 0;
  const isJoin = (token: Token | undefined, word: "and" | "or"): boolean =>
    token?.kind === "word" && token.text.toLowerCase() === word;
  const endsValue = (token: Token | undefined): boolean =>
    !token || isJoin(token, "and") || isJoin(token, "or") || token.kind === "open" || token.kind === "close";

  const value = (): string => {
    const first = tokens[at];
    if (!first || endsValue(first)) throw malformed("A comparison has no value.");
    let last = first;
    at += 1;
    for (let next = tokens[at]; next && !endsValue(next); next = tokens[at]) {
      last = next;
      at += 1;
    }
    if (first.kind === "quoted") {
      if (last !== first) throw malformed("Text follows a quoted value.");
      return first.text;
    }
    return text.slice(first.start, last.end);
  };

  const comparison = (): Filter<Attribute> => {
    const [attributeToken, operatorToken] = [tokens[at], tokens[at + 1]];
    if (attributeToken?.kind !== "word") throw malformed("An attribute name is expected.");
    if (attributeToken.text.toLowerCase() === "not") {
      throw new Fault("filter.operator", "'not' is not supported in this filter.");
    }
    if (operatorToken?.kind !== "word") throw malformed(`'${attributeToken.text}' is not followed by an operator.`);
    const attribute = attributes.find((name) => name === attributeToken.text);
    const operator = operatorToken.text.toLowerCase();
    if (!isOperator(operator)) {
      throw /^(ne|pr|gt|ge|lt|le)$/.test(operator)
        ? new Fault("filter.operator", `The operator '${operator}' is not supported; use ${operators.join(", ")}.`)
        : malformed(`'${operatorToken.text.slice(0, 50)}' is not an operator; use ${operators.join(", ")}.`);
    }
    if (!attribute) {
      throw new Fault(
        unknownAttribute,
        `Filtering by '${attributeToken.text.slice(0, 50)}' is not supported; use ${attributes.join(", ")}.`,
      );
    }
    at += 2;
    terms += 1;
    if (terms > TERMS_MAX) throw malformed(`More than ${TERMS_MAX} comparisons.`);
    return { kind: "compare", attribute, operator, value: value() };
  };

  const factor = (depth: number): Filter<Attribute> => {
    if (tokens[at]?.kind !== "open") return comparison();
    if (depth >= DEPTH_MAX) throw malformed(`More than ${DEPTH_MAX} levels of parentheses.`);
    at += 1;
    const inner = joined("or", depth + 1);
    if (tokens[at]?.kind !== "close") throw malformed("A parenthesis is not closed.");
    at += 1;
    return inner;
  };

  const joined = (kind: "and" | "or", depth: number): Filter<Attribute> => {
    const part = () => (kind === "or" ? joined("and", depth) : factor(depth));
    const first = part();
    const parts = [first];
    while (isJoin(tokens[at], kind)) {
      at += 1;
      parts.push(part());
    }
    return parts.length === 1 ? first : { kind, parts };
  };

  const filter = joined("or", 0);
  if (at < tokens.length) throw malformed(`'${tokens[at]?.text.slice(0, 50)}' does not belong there.`);
  return filter;
}

function malformedLike(example: string): Malformed {
  return (reason) =>
    new Fault(
      "filter.malformed",
      `${reason} A filter reads like: ${example}; quote a value that holds 'and', 'or' or a parenthesis.`,
    );
}

function tokensOf(text: string, malformed: Malformed): Token[] {
  const tokens: Token[] = [];
  TOKEN.lastIndex = 0;
  while (text.slice(TOKEN.lastIndex).trim() !== "") {
    const found = TOKEN.exec(text);
    if (!found) throw malformed("A quote is not closed.");
    const [whole, open, close, double, single, word] = found;
    const end = found.index + whole.length;
    const start = end - whole.trimStart().length;
    const quoted = double ?? single;
    if (open) tokens.push({ kind: "open", text: "(", start, end });
    else if (close) tokens.push({ kind: "close", text: ")", start, end });
    else if (quoted !== undefined) tokens.push({ kind: "quoted", text: quoted.replace(/\\(.)/g, "$1"), start, end });
    else tokens.push({ kind: "word", text: word ?? "", start, end });
  }
  return tokens;
}

function isOperator(word: string): word is Operator {
  return Object.hasOwn(tests, word);
}

/** Whether a row matches. Comparison is case-sensitive. */
export function matches<Attribute extends string>(filter: Filter<Attribute>, row: FilterRow<Attribute>): boolean {
  if (filter.kind === "compare") {
    const actual = row[filter.attribute];
    return actual !== undefined && tests[filter.operator](actual, filter.value);
  }
  const part = (inner: Filter<Attribute>) => matches(inner, row);
  return filter.kind === "and" ? filter.parts.every(part) : filter.parts.some(part);
}

/** The attributes that a filter looks at. */
export function attributesOf<Attribute extends string>(filter: Filter<Attribute>): ReadonlySet<Attribute> {
  return new Set(
    filter.kind === "compare" ? [filter.attribute] : filter.parts.flatMap((part) => [...attributesOf(part)]),
  );
}
