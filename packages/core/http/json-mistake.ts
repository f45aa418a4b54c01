/** Where a text is not JSON, and what was expected there. Loaded with the first such text. */
import { type ParseError, parse, printParseErrorCode } from "jsonc-parser";
import { placeIn } from "./json.ts";

/** What was expected, by the names of mistakes. */
const expected: Readonly<Record<string, string>> = {
  InvalidSymbol: "a value: an object, a list, a text in double quotes, a number, true, false or null",
  InvalidNumberFormat: "a number",
  PropertyNameExpected: "a name in double quotes",
  ValueExpected: "a value",
  ColonExpected: "a colon",
  CommaExpected: "a comma",
  CloseBraceExpected: "a closing brace or a comma",
  CloseBracketExpected: "a closing bracket or a comma",
  EndOfFileExpected: "the end of the body",
  InvalidCommentToken: "no comment",
  UnexpectedEndOfString: "a closing double quote",
  InvalidUnicode: "four hexadecimal digits after \\u",
  InvalidEscapeCharacter: "a character after the backslash that JSON knows",
  InvalidCharacter: "no control character in a text",
};

/** The first mistake, in a sentence that repeats nothing of the text. `undefined` where there is none. */
export async function mistakeIn(text: string): Promise<string | undefined> {
  const errors: ParseError[] = [];
  parse(text, errors, { disallowComments: true, allowTrailingComma: false, allowEmptyContent: false });
  const first = errors.toSorted((a, b) => a.offset - b.offset)[0];
  if (!first) return undefined;
  const mistake = printParseErrorCode(first.error);
  return `${placeIn(text, first.offset)}: expected ${expected[mistake] ?? "JSON"}.${habitAt(text, first.offset)}`;
}

/** What other notations allow and JSON does not, where that is at an offset. */
function habitAt(text: string, offset: number): string {
  const char = text[offset] ?? "";
  if (char === "'") return " Write names and texts in double quotes, not in single ones.";
  if ((char === "}" || char === "]") && text.slice(0, offset).trimEnd().endsWith(","))
    return ` Remove the comma before ${char}.`;
  if (offset === 0 && /^[\w.]+=/.test(text)) return " Send JSON, not the parameters of a form.";
  return "";
}
