/**
 * Every regular expression of the service matches in linear time, whatever the text is. V8's engine goes back where
 * two parts of an expression can match the same text, and nothing counts that work at run time. `scslre` proves that
 * it cannot happen between parts that follow each other; alternatives that repeat must begin with different characters.
 */
import { readdirSync, readFileSync } from "node:fs";
import { RegExpParser, visitRegExpAST } from "@eslint-community/regexpp";
import { getFirstConsumedChar } from "regexp-ast-analysis";
import { analyse } from "scslre";
import { describe, expect, test } from "vitest";
import { type Expression, expressionsIn } from "#tests/support/expressions.ts";

const root = new URL("../../", import.meta.url);
const read = (path: string): string => readFileSync(new URL(path, root), "utf8");

/** deployment.toml is written by the operator, and read once. The document is made when the service is built. */
const isOfOperator = (path: string): boolean => /^packages\/core\/service\/(?:settings|documents)\//.test(path);
const paths = ["packages/core/", "functions/"]
  .flatMap((folder) => readdirSync(new URL(folder, root), { recursive: true }).map((name) => `${folder}${name}`))
  .filter((path) => path.endsWith(".ts") && !isOfOperator(path));

/** What makes an expression slow; empty for a linear one. */
const slowness = ({ source, flags }: Expression): readonly string[] => {
  const parser = new RegExpParser();
  const modes = { unicode: flags.includes("u"), unicodeSets: flags.includes("v") };
  const pattern = parser.parsePattern(source, 0, source.length, modes);
  const parsed = { pattern, flags: parser.parseFlags(flags) };
  const found = analyse(parsed).reports.map(
    ({ type, exponential }) => `${exponential ? "exponential" : "polynomial"} (${type})`,
  );
  visitRegExpAST(pattern, {
    onQuantifierEnter({ element, max }) {
      if (max === 1 || (element.type !== "Group" && element.type !== "CapturingGroup")) return;
      const firsts = element.alternatives.map((one) => getFirstConsumedChar(one, "ltr", parsed.flags).char);
      const isClear = firsts.every((first, at) => firsts.slice(at + 1).every((other) => first.isDisjointWith(other)));
      if (!isClear) found.push("exponential (alternatives)");
    },
  });
  return found;
};

const found = paths.flatMap((path) => expressionsIn(read(path)).map((one) => ({ path, ...one })));

describe("the regular expressions of the service", () => {
  test.each(found)("$path: $source", (expression) => {
    expect(slowness(expression)).toEqual([]);
  });
  test("are literals, so that they can be found", () => {
    expect(found.length).toBeGreaterThan(100);
    // It builds classes of characters that repeat at the beginning of a text, from a constant list of scripts.
    const ofScripts = "packages/core/kernel/domain/scripts.ts";
    expect(paths.filter((path) => /\bRegExp\(/.test(read(path)))).toEqual([ofScripts]);
    const [built, ...others] = [...read(ofScripts).matchAll(/new RegExp\(`([^`]*)`, "u"\)/g)].map(
      ([, one = ""]) => one,
    );
    expect([built, others]).toEqual([expect.stringMatching(/^\^\[[^\]]*\]\*$/), []]);
  });
});

describe("the proof", () => {
  test.each([
    ["exponential", "^(a+)+$"],
    ["exponential", "^(a|a)*$"],
    ["exponential", "^(?:[^b]|aa)+$"],
    ["polynomial", "^a*a*$"],
    ["polynomial", "=+$"],
    ["polynomial", '^"(.*)"\\s*(.*)"$'],
  ])("finds that an expression is %s: %s", (kind, source) => {
    expect(slowness({ source, flags: "" }).join()).toContain(kind);
  });
  test.each([
    ["a division", "const a = b / c / d;", []],
    ["a division after a bracket", "const a = (b) / c[0] / 2;", []],
    ["comments and texts", "// a /b/ c\n/* /d/ */ const e = '/f/' + \"/g/\" + `/h/`;", []],
    ["a class with a slash", "const a = /[/\\]]+/g;", ["[/\\]]+"]],
    ["an argument", "a.replace(/\\//, b)", ["\\/"]],
    ["a result", "function a() { return /b/.test(c) && /d/u; }", ["b", "d"]],
    // biome-ignore lint/suspicious/noTemplateCurlyInString: source code
    ["the inside of a template", "const a = `x/${b.replace(/c/, `/${/d/}`)}/y`; const e = /f/;", ["c", "d", "f"]],
  ])("reads %s", (_, text, sources) => {
    expect(expressionsIn(text).map(({ source }) => source)).toEqual(sources);
  });
});
