/**
 * The parser of filters and of paths with brackets (RFC 7644 section 3.4.2.2, figure 1, and section 3.5.2). It also
 * accepts what clients write beyond the RFC: values without quotes, and a sub-attribute after the brackets. Published
 * parsers accept neither (decision 0050). `bind.ts` resolves names and literals.
 */
import { excerpt, type Reader, readerOf } from "./reader.ts";
import { type FilterSyntax, type Literal, type Operator, operators, type PathSyntax } from "./syntax.ts";

/** Limits of one filter (RFC 7644 sets none), far beyond those of real clients. */
const TERMS_MAX = 200;
const DEPTH_MAX = 50;

/**
 * Parses a filter. Throws `scim.filter_invalid` with the position; also for more than 8,192 bytes, 200 comparisons or
 * 50 levels.
 */
export function parseFilter(text: string): FilterSyntax {
  const reader = readerOf(text, "filter");
  const filter = grammar(reader).filter();
  if (!reader.atEnd()) throw reader.refusal("expected 'and', 'or' or the end of the filter.");
  return filter;
}

/**
 * Parses the path of a PATCH operation. Ignores spaces around it. Throws `scim.path_invalid` with the position; the
 * limits are those of a filter.
 */
export function parsePath(text: string): PathSyntax {
  const reader = readerOf(text, "path");
  reader.skipBlanks();
  const path = grammar(reader).path();
  reader.skipBlanks();
  if (!reader.atEnd()) throw reader.refusal("expected the end of the path.");
  return path;
}

/** Counts the terms of the whole text. */
function grammar(reader: Reader) {
  let terms = 0;

  const path = (depth: number, inElement: boolean): PathSyntax => {
    const at = reader.position();
    const name = reader.word();
    if (name === "") throw reader.refusal("expected the name of an attribute.");
    if (!reader.sees("[")) return { name, within: undefined, sub: undefined, at };
    if (inElement) throw reader.refusal("brackets cannot be nested.");
    const open = reader.position();
    reader.take("[");
    const within = joined("or", depth + 1, true);
    if (!reader.take("]")) throw reader.refusal(`expected the closing bracket of character ${open}.`);
    if (!reader.take(".")) return { name, within, sub: undefined, at };
    const sub = reader.word();
    if (sub === "") throw reader.refusal("expected the name of a sub-attribute.");
    return { name, within, sub, at };
  };

  const comparison = (depth: number, inElement: boolean): FilterSyntax => {
    terms += 1;
    if (terms > TERMS_MAX) throw reader.refusal(`more than ${TERMS_MAX} comparisons.`);
    const attribute = path(depth, inElement);
    const end = reader.position();
    reader.skipBlanks();
    const at = reader.position();
    const word = reader.word();
    const operator = operatorNamed(word);
    if (operator === "pr") return { kind: "present", path: attribute };
    if (operator) {
      reader.skipBlanks();
      return { kind: "compare", path: attribute, operator, literal: literalOf(reader) };
    }
    if (attribute.within && attribute.sub === undefined) {
      reader.back(end);
      return { kind: "element", path: attribute };
    }
    throw reader.refusal(
      `${word === "" ? "expected an operator" : `${excerpt(word)} is not an operator`}. Use ${operators.join(", ")} or pr.`,
      at,
    );
  };

  const grouped = (depth: number, inElement: boolean): FilterSyntax => {
    const open = reader.position();
    reader.take("(");
    const inner = joined("or", depth + 1, inElement);
    if (!reader.take(")")) throw reader.refusal(`expected the closing parenthesis of character ${open}.`);
    return inner;
  };

  const term = (depth: number, inElement: boolean): FilterSyntax => {
    if (depth > DEPTH_MAX) throw reader.refusal(`more than ${DEPTH_MAX} nested levels.`);
    reader.skipBlanks();
    if (reader.sees("(")) return grouped(depth, inElement);
    const start = reader.position();
    if (reader.word().toLowerCase() === "not") {
      reader.skipBlanks();
      if (!reader.sees("(")) throw reader.refusal("expected a filter in parentheses after 'not'.");
      return { kind: "not", part: grouped(depth, inElement) };
    }
    reader.back(start);
    return comparison(depth, inElement);
  };

  const joined = (kind: "and" | "or", depth: number, inElement: boolean): FilterSyntax => {
    const part = () => (kind === "or" ? joined("and", depth, inElement) : term(depth, inElement));
    const first = part();
    const parts = [first];
    while (takesJoin(reader, kind)) parts.push(part());
    return parts.length === 1 ? first : { kind, parts };
  };

  return { filter: () => joined("or", 0, false), path: () => path(0, false) };
}

function literalOf(reader: Reader): Literal {
  const at = reader.position();
  const quoted = reader.sees('"');
  const text = quoted ? reader.quoted() : reader.bareword();
  if (!quoted && text === "") throw reader.refusal("expected a value.");
  if (!text.isWellFormed()) throw reader.refusal("the value contains half of a surrogate pair.", at);
  if (quoted && !reader.atEnd() && !reader.sees(")") && !reader.sees("]") && !reader.skipBlanks()) {
    throw reader.refusal("expected a space after the quote.");
  }
  return { text, quoted, at };
}

/** Consumes `and` or `or` if it comes next. */
function takesJoin(reader: Reader, kind: "and" | "or"): boolean {
  reader.skipBlanks();
  const start = reader.position();
  if (reader.word().toLowerCase() === kind) return true;
  reader.back(start);
  return false;
}

function operatorNamed(word: string): Operator | "pr" | undefined {
  const name = word.toLowerCase();
  return name === "pr" ? name : operators.find((operator) => operator === name);
}
