/**
 * The grammar of filters and of paths with brackets (RFC 7644 section 3.4.2.2, figure 1, and section 3.5.2; reference
 * scim.md section 3.5), with what clients write beyond it: values without quotes and a sub-attribute behind the brackets.
 *
 * By hand, because the published parsers read neither (decision 0050). The text decides nothing but the syntax: names and
 * literals are looked at where a resource type is known (`bind.ts`).
 */
import { type Reader, readerOf, shown } from "./reader.ts";
import { type FilterSyntax, type Literal, type Operator, operators, type PathSyntax } from "./syntax.ts";

/** Limits of one filter (our choice): far beyond what people and provisioning clients write. */
const TERMS_MAX = 200;
const DEPTH_MAX = 50;

/**
 * Parses a filter.
 * @throws `scim.filter_invalid` that names the position, also for more than 8,192 bytes, 200 comparisons or 50 levels.
 */
export function parseFilter(text: string): FilterSyntax {
  const reader = readerOf(text, "filter");
  const filter = grammar(reader).filter();
  if (!reader.atEnd()) throw reader.refusal("'and', 'or' or the end is expected.");
  return filter;
}

/**
 * Parses the path of a PATCH operation; blanks around it do not matter.
 * @throws `scim.path_invalid` that names the position; the limits are those of a filter.
 */
export function parsePath(text: string): PathSyntax {
  const reader = readerOf(text, "path");
  reader.skipBlanks();
  const path = grammar(reader).path();
  reader.skipBlanks();
  if (!reader.atEnd()) throw reader.refusal("the path should end here.");
  return path;
}

/** The grammar over one reader; it counts the terms of the whole text. */
function grammar(reader: Reader) {
  let terms = 0;

  const literal = (): Literal => {
    const at = reader.position();
    const quoted = reader.sees('"');
    const text = quoted ? reader.quoted() : reader.bareword();
    if (!quoted && text === "") throw reader.refusal("a value is expected.");
    if (!text.isWellFormed()) throw reader.refusal("the value holds half of a surrogate pair.", at);
    if (quoted && !reader.atEnd() && !reader.sees(")") && !reader.sees("]") && !reader.skipBlanks()) {
      throw reader.refusal("a blank is expected behind the quote.");
    }
    return { text, quoted, at };
  };

  const path = (depth: number, inElement: boolean): PathSyntax => {
    const at = reader.position();
    const name = reader.word();
    if (name === "") throw reader.refusal("the name of an attribute is expected.");
    if (!reader.sees("[")) return { name, within: undefined, sub: undefined, at };
    if (inElement) throw reader.refusal("brackets cannot stand within brackets.");
    const open = reader.position();
    reader.take("[");
    const within = joined("or", depth + 1, true);
    if (!reader.take("]")) throw reader.refusal(`the bracket of character ${open} is not closed.`);
    if (!reader.take(".")) return { name, within, sub: undefined, at };
    const sub = reader.word();
    if (sub === "") throw reader.refusal("the name of a sub-attribute is expected.");
    return { name, within, sub, at };
  };

  const comparison = (depth: number, inElement: boolean): FilterSyntax => {
    terms += 1;
    if (terms > TERMS_MAX) throw reader.refusal(`it has more than ${TERMS_MAX} comparisons.`);
    const attribute = path(depth, inElement);
    const end = reader.position();
    reader.skipBlanks();
    const at = reader.position();
    const word = reader.word();
    const operator = operatorNamed(word);
    if (operator === "pr") return { kind: "present", path: attribute };
    if (operator) {
      reader.skipBlanks();
      return { kind: "compare", path: attribute, operator, literal: literal() };
    }
    if (attribute.within && attribute.sub === undefined) {
      reader.back(end);
      return { kind: "element", path: attribute };
    }
    throw reader.refusal(
      `${word === "" ? "an operator is expected" : `${shown(word)} is not an operator`}; use ${operators.join(", ")} or pr.`,
      at,
    );
  };

  const grouped = (depth: number, inElement: boolean): FilterSyntax => {
    const open = reader.position();
    reader.take("(");
    const inner = joined("or", depth + 1, inElement);
    if (!reader.take(")")) throw reader.refusal(`the parenthesis of character ${open} is not closed.`);
    return inner;
  };

  const term = (depth: number, inElement: boolean): FilterSyntax => {
    if (depth > DEPTH_MAX) throw reader.refusal(`it is nested more than ${DEPTH_MAX} levels deep.`);
    reader.skipBlanks();
    if (reader.sees("(")) return grouped(depth, inElement);
    const start = reader.position();
    if (reader.word().toLowerCase() === "not") {
      reader.skipBlanks();
      if (!reader.sees("(")) throw reader.refusal("'not' is followed by a filter in parentheses.");
      return { kind: "not", part: grouped(depth, inElement) };
    }
    reader.back(start);
    return comparison(depth, inElement);
  };

  /** Takes `and` or `or` if it comes next. */
  const takesJoin = (kind: "and" | "or"): boolean => {
    reader.skipBlanks();
    const start = reader.position();
    if (reader.word().toLowerCase() === kind) return true;
    reader.back(start);
    return false;
  };

  const joined = (kind: "and" | "or", depth: number, inElement: boolean): FilterSyntax => {
    const part = () => (kind === "or" ? joined("and", depth, inElement) : term(depth, inElement));
    const first = part();
    const parts = [first];
    while (takesJoin(kind)) parts.push(part());
    return parts.length === 1 ? first : { kind, parts };
  };

  return { filter: () => joined("or", 0, false), path: () => path(0, false) };
}

function operatorNamed(word: string): Operator | "pr" | undefined {
  const name = word.toLowerCase();
  return name === "pr" ? name : operators.find((operator) => operator === name);
}
