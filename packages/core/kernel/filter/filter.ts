/**
 * The filter language of the lists of applications, templates and API resources: `attribute operator value`, joined by
 * `and` and `or` with the usual precedence, and parentheses. A filter is parsed to a tree once and evaluated on rows.
 *
 * A value ends at the next `and`, `or` or closing parenthesis, so it may contain spaces, and anything in parentheses.
 * One of the words alone is a value too: `name co and`. A value that contains more of these is quoted.
 */
import { Fault, type FaultName } from "../faults.ts";
import { nameTerm } from "../fold.ts";

/** What a list can be filtered by. Attribute names are case-sensitive; operators, `and` and `or` are not. */
export interface Vocabulary<Attribute extends string> {
  readonly attributes: readonly Attribute[];
  /** Those that are names: white space at their ends does not count (decision 0151). */
  readonly names: readonly Attribute[];
  /** The fault for an unknown attribute: the lists use different error codes. */
  readonly unknownAttribute: FaultName;
  /** A filter of this list, for error messages. */
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

/** A filter that is being parsed. */
interface Parsing<Attribute extends string> {
  readonly text: string;
  readonly tokens: readonly Token[];
  readonly vocabulary: Vocabulary<Attribute>;
  readonly malformed: Malformed;
  /** The next token. */
  at: number;
  /** The comparisons so far. */
  terms: number;
}

const TOKEN = /\s*(?:(\()|(\))|"((?:[^"\\]|\\.)*)"|'((?:[^'\\]|\\.)*)'|([^\s()"'][^\s()]*))/y;

/**
 * Parses a filter. Throws `filter.malformed`, `filter.operator` or the vocabulary's fault of an unknown attribute, each
 * with a message that says what to change.
 */
export function parseFilter<Attribute extends string>(
  text: string,
  vocabulary: Vocabulary<Attribute>,
): Filter<Attribute> {
  const malformed = malformedLike(vocabulary.example);
  const parsing = { text, tokens: tokensOf(text, malformed), vocabulary, malformed, at: 0, terms: 0 };
  const filter = joined(parsing, "or", 0);
  const rest = parsing.tokens[parsing.at];
  if (rest) throw malformed(`Unexpected '${rest.text.slice(0, 50)}'.`);
  return filter;
}

function joined<Attribute extends string>(
  parsing: Parsing<Attribute>,
  kind: "and" | "or",
  depth: number,
): Filter<Attribute> {
  const part = () => (kind === "or" ? joined(parsing, "and", depth) : factor(parsing, depth));
  const first = part();
  const parts = [first];
  while (isJoin(parsing.tokens[parsing.at], kind)) {
    parsing.at += 1;
    parts.push(part());
  }
  return parts.length === 1 ? first : { kind, parts };
}

function factor<Attribute extends string>(parsing: Parsing<Attribute>, depth: number): Filter<Attribute> {
  const { tokens, malformed } = parsing;
  if (tokens[parsing.at]?.kind !== "open") return comparison(parsing);
  if (depth >= DEPTH_MAX) throw malformed(`Parentheses are nested more than ${DEPTH_MAX} levels deep.`);
  parsing.at += 1;
  const inner = joined(parsing, "or", depth + 1);
  if (tokens[parsing.at]?.kind !== "close") throw malformed("A closing parenthesis is missing.");
  parsing.at += 1;
  return inner;
}

function comparison<Attribute extends string>(parsing: Parsing<Attribute>): Filter<Attribute> {
  const { tokens, malformed } = parsing;
  const { attributes, names, unknownAttribute } = parsing.vocabulary;
  const [attributeToken, operatorToken] = [tokens[parsing.at], tokens[parsing.at + 1]];
  if (attributeToken?.kind !== "word") throw malformed("An attribute name is missing.");
  if (attributeToken.text.toLowerCase() === "not") {
    throw new Fault("filter.operator", "'not' is not supported in this filter.");
  }
  if (operatorToken?.kind !== "word") throw malformed(`An operator is missing after '${attributeToken.text}'.`);
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
  parsing.at += 2;
  parsing.terms += 1;
  if (parsing.terms > TERMS_MAX) throw malformed(`The filter has more than ${TERMS_MAX} comparisons.`);
  const value = valueAt(parsing);
  return { kind: "compare", attribute, operator, value: names.includes(attribute) ? nameTerm(operator, value) : value };
}

function valueAt(parsing: Parsing<string>): string {
  const { text, tokens, malformed } = parsing;
  const first = tokens[parsing.at];
  if (!first || first.kind === "close" || (isAnyJoin(first) && !endsValue(tokens[parsing.at + 1]))) {
    throw malformed("A comparison has no value.");
  }
  if (first.kind === "quoted") {
    parsing.at += 1;
    if (!endsValue(tokens[parsing.at])) throw malformed("There is text after a quoted value.");
    return first.text;
  }
  let depth = 0;
  let last = first;
  for (let next: Token | undefined = first; next; next = tokens[parsing.at]) {
    if (next !== first && depth === 0 && endsValue(next)) break;
    if (next.kind === "open") depth += 1;
    else if (next.kind === "close") depth -= 1;
    last = next;
    parsing.at += 1;
  }
  if (depth > 0) throw malformed("A closing parenthesis is missing.");
  return text.slice(first.start, last.end);
}

/** Whether a value ends before a token: a parenthesis that opens there belongs to the value. */
function endsValue(token: Token | undefined): boolean {
  return token === undefined || token.kind === "close" || isAnyJoin(token);
}

function isAnyJoin(token: Token): boolean {
  return isJoin(token, "and") || isJoin(token, "or");
}

function isJoin(token: Token | undefined, word: "and" | "or"): boolean {
  return token?.kind === "word" && token.text.toLowerCase() === word;
}

function malformedLike(example: string): Malformed {
  return (reason) =>
    new Fault(
      "filter.malformed",
      `${reason} Example of a filter: ${example}; quote a value that contains 'and', 'or' or a single parenthesis.`,
    );
}

function tokensOf(text: string, malformed: Malformed): Token[] {
  const tokens: Token[] = [];
  const length = text.trimEnd().length;
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < length) {
    const found = TOKEN.exec(text);
    if (!found) throw malformed("A closing quote is missing.");
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

/** The attributes that a filter compares. */
export function attributesOf<Attribute extends string>(filter: Filter<Attribute>): ReadonlySet<Attribute> {
  return new Set(
    filter.kind === "compare" ? [filter.attribute] : filter.parts.flatMap((part) => [...attributesOf(part)]),
  );
}
