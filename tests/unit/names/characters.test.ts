/** Names over all code points of Unicode: hidden characters are refused, and ordinary letters never are. */
import { describe, expect, test } from "vitest";
import { checkGroupName } from "#core/directory/groups/rules.ts";
import { checkRoleName } from "#core/directory/roles/rules.ts";
import { checkName } from "#core/directory/users/rules.ts";
import { hiddenIn, hiddenInShown } from "#core/kernel/domain/characters.ts";
import { Fault } from "#core/kernel/faults.ts";

const SURROGATES = [0xd800, 0xdfff] as const;
const pointsOf = (pattern: RegExp): string[] =>
  Array.from({ length: 0x11_0000 }, (_, point) => point)
    .filter((point) => point < SURROGATES[0] || point > SURROGATES[1])
    .map((point) => String.fromCodePoint(point))
    .filter((character) => pattern.test(character));
const range = (from: number, to: number): string[] =>
  Array.from({ length: to - from + 1 }, (_, at) => String.fromCodePoint(from + at));
const codeOf = (character: string): string =>
  `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}`;
const refusalOf = (check: (name: string) => void, name: string): string | undefined => {
  try {
    check(name);
    return undefined;
  } catch (error) {
    if (error instanceof Fault && error.fault === "request.invalid") return error.description;
    throw error;
  }
};

/** The classes by their ranges where the standard fixes them, so that the pattern is not compared with itself. */
const hidden: Readonly<Record<string, readonly string[]>> = {
  "control characters": pointsOf(/^\p{Cc}$/u),
  "format characters": pointsOf(/^\p{Cf}$/u),
  "separators of lines and paragraphs": ["\u2028", "\u2029"],
  "direction marks": [..."\u061c\u200e\u200f", ...range(0x202a, 0x202e), ...range(0x2066, 0x2069)],
  "zero-width characters": [..."\u00ad\u034f\u200b\u200c\u200d\u2060\ufeff", ...range(0x2061, 0x2064)],
  "variation selectors": [...range(0xfe00, 0xfe0f), ...range(0xe0100, 0xe01ef), ...range(0x180b, 0x180d), "\u180f"],
  fillers: [..."\u115f\u1160\u3164\uffa0\u17b4\u17b5"],
  tags: range(0xe0000, 0xe0fff),
  "all that is ignored by default": pointsOf(/^\p{Default_Ignorable_Code_Point}$/u),
  "blank symbols": ["\u2800", "\u{1D159}"],
};

describe("hidden characters", () => {
  test.each(Object.entries(hidden))("%s are refused in a user name, with their code point", (_, characters) => {
    expect(characters.length).toBeGreaterThan(0);
    const accepted = characters.filter((one) => {
      const reason = refusalOf(checkName, `kim${one}berry`) ?? "";
      return !reason.includes(codeOf(one)) || hiddenIn(one) === undefined;
    });
    expect(accepted.map(codeOf)).toEqual([]);
  });
  test.each(Object.entries(hidden))("%s between Latin letters are refused in names of groups and roles", (_, all) => {
    for (const check of [checkGroupName, checkRoleName]) {
      expect(all.filter((one) => refusalOf(check, `dri${one}vers`) === undefined).map(codeOf)).toEqual([]);
      expect(all.filter((one) => refusalOf(check, `drivers${one}`) === undefined).map(codeOf)).toEqual([]);
    }
  });
});

describe("ordinary characters", () => {
  const ordinary = /^[\p{L}\p{M}\p{N}\p{P}\p{S}]$/u;
  const shown = pointsOf(ordinary).filter((one) => !Object.values(hidden).some((all) => all.includes(one)));
  test("of every script are accepted in every kind of name: letters, marks, digits, punctuation, symbols", () => {
    expect(shown.length).toBeGreaterThan(140_000);
    expect(shown.filter((one) => hiddenIn(one) ?? hiddenInShown(one)).map(codeOf)).toEqual([]);
    const reserved = new Set("*?%/:");
    // A name of one script; that other characters stand for is refused (see below).
    const stable = shown.filter((one) => !reserved.has(one) && one.normalize("NFKC") === one.normalize("NFC"));
    expect(stable.length).toBeGreaterThan(135_000);
    expect(stable.filter((one) => refusalOf(checkName, one.repeat(3)) !== undefined).map(codeOf)).toEqual([]);
    expect(shown.filter((one) => refusalOf(checkGroupName, one) !== undefined).map(codeOf)).toEqual([]);
    expect(shown.filter((one) => one !== "#" && refusalOf(checkRoleName, one) !== undefined).map(codeOf)).toEqual([]);
  });
  test.each([
    "m\u00fcller",
    "\u0645\u062d\u0645\u062f",
    "\u0930\u093e\u0939\u0941\u0932",
    "\u674e\u96f7\u738b",
    "\u738b\u{20BB7}\u96f7",
    "ann@acme.com",
    "\u{1F600}\u{1F600}\u{1F600}",
    "o'neill",
  ])("the user name %s is accepted", (name) => expect(refusalOf(checkName, name)).toBeUndefined());
});

describe("joiners and emoji", () => {
  const persian = "\u06af\u0631\u0648\u0647\u200c\u0647\u0627";
  const sinhala = "\u0dc1\u0dca\u200d\u0dbb\u0dd3 \u0dbd\u0d82\u0d9a\u0dcf";
  const hindi = "\u0915\u094d\u200d\u0937";
  const shownOnly = [
    persian,
    sinhala,
    hindi,
    "\u{1F469}\u200d\u{1F4BB} developers",
    "\u{1F469}\u{1F3FD}\u200d\u{1F680}",
    "\u2764\ufe0f team",
    "\u{1F469}\u200d\u2764\ufe0f\u200d\u{1F468}",
    "\u{1F3F3}\ufe0f\u200d\u{1F308}",
    "1\ufe0f\u20e3 first",
    "\u{1F3F4}\u{E0067}\u{E0062}\u{E0065}\u{E006E}\u{E0067}\u{E007F}",
  ];
  test.each(shownOnly)("%j is a name of groups and roles, but not of a user", (name) => {
    for (const check of [checkGroupName, checkRoleName]) expect(refusalOf(check, name)).toBeUndefined();
    expect(refusalOf(checkName, name.replaceAll(" ", ""))).toMatch(/invisible character U\+/);
  });
  test.each([
    "\u0645\u200d",
    "\u200c\u0645",
    "a\u200db",
    "1\ufe0f",
    "a\ufe0f",
    "\u{1F3F4}\u{E0067}",
    "\u{1F469}\u200dx",
  ])("%j is no name of a group or role: nothing is joined or selected there", (name) => {
    for (const check of [checkGroupName, checkRoleName]) expect(refusalOf(check, name)).toMatch(/invisible/);
  });
});

test("a colon is refused in user names only: Basic ends the name there", () => {
  for (const name of ["ki:m", ":kim", "kim:", "a:b:c"]) expect(refusalOf(checkName, name)).toMatch(/colon/);
  for (const check of [checkGroupName, checkRoleName]) expect(refusalOf(check, "sales: east")).toBeUndefined();
});
