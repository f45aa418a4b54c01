/** Finds the regular expressions in source code. */
import { stripTypeScriptTypes } from "node:module";

/** A literal in a source file. */
export interface Expression {
  readonly source: string;
  readonly flags: string;
}

/** Blanks, comments, strings, words and numbers; then any other character. */
const TOKEN = /\s+|\/\/[^\n]*|\/\*[\s\S]*?\*\/|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|[\w$]+|[^\s\w$]/gy;
const LITERAL = /\/((?:[^/\\[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+)\/([a-z]*)/y;
/** After these, a slash divides: an operand has ended. */
const OPERAND_END = /^(?:[\w$]+|[)\]}"'`].*)$/s;
/** Words after which an operand begins. */
const KEYWORDS: ReadonlySet<string> = new Set(["return", "typeof", "case", "in", "of", "throw", "await", "yield"]);

/** The regular expressions of a TypeScript source. Code inside of template literals is searched too. */
export const expressionsIn = (text: string): readonly Expression[] => {
  const code = stripTypeScriptTypes(text);
  const found: Expression[] = [];
  /** For each open template: the braces that are open in its current expression. */
  const templates: number[] = [];
  let last = "";
  for (let at = 0; at < code.length; ) {
    if (templates.at(-1) === -1) {
      // Inside the text of a template: up to its end or its next expression.
      const end = /\\[\s\S]|`|\$\{/g;
      end.lastIndex = at;
      let next = end.exec(code);
      while (next?.[0].startsWith("\\")) next = end.exec(code);
      if (!next) return found;
      at = end.lastIndex;
      if (next[0] === "`") {
        templates.pop();
        last = "`";
      } else {
        templates[templates.length - 1] = 0;
        last = "{";
      }
      continue;
    }
    TOKEN.lastIndex = at;
    const token = TOKEN.exec(code)?.[0] ?? "";
    const isOperand = OPERAND_END.test(last) && !KEYWORDS.has(last);
    if (token === "/" && !isOperand) {
      LITERAL.lastIndex = at;
      const literal = LITERAL.exec(code);
      if (!literal) throw new Error(`no regular expression at ${code.slice(at, at + 40)}`);
      found.push({ source: literal[1] ?? "", flags: literal[2] ?? "" });
      at = LITERAL.lastIndex;
      last = ")";
      continue;
    }
    at += token.length;
    const open = templates.at(-1);
    if (token === "`") templates.push(-1);
    else if (open !== undefined && token === "{") templates[templates.length - 1] = open + 1;
    else if (open !== undefined && token === "}") templates[templates.length - 1] = open - 1;
    if (/^\s|^\/[/*]/.test(token)) continue;
    last = token;
  }
  return found;
};
