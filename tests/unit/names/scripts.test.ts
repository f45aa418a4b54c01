/** New user names are stable under NFKC and of one script; names of groups and roles are shown, and may be neither. */
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { checkGroupName } from "#core/directory/groups/rules.ts";
import { checkRoleName } from "#core/directory/roles/rules.ts";
import { checkName } from "#core/directory/users/rules.ts";
import { Fault } from "#core/kernel/faults.ts";
import { foldName } from "#core/kernel/fold.ts";

const refusalOf = (name: string, check: (name: string) => void = checkName): string | undefined => {
  try {
    check(name);
    return undefined;
  } catch (error) {
    return error instanceof Fault ? error.description : String(error);
  }
};

describe("characters that stand for others", () => {
  test.each([
    ["\ufb01nn", "U+FB01", "fi"],
    ["\uff4b\uff49\uff4d", "U+FF4B", "k"],
    ["\uff76\uff85\uff76", "U+FF76", "\u30ab"],
    ["\u2163ivan", "U+2163", "IV"],
    ["kim\u00b2", "U+00B2", "2"],
    ["kim\u2122", "U+2122", "TM"],
    ["\u212akim\u00aa", "U+00AA", "a"],
    ["\ufee3\u062d\u0645", "U+FEE3", "\u0645"],
    ["\u{1D40A}im", "U+1D40A", "K"],
  ])("%s is refused with what to write", (name, code, standsFor) => {
    const reason = refusalOf(name) ?? "";
    expect(reason).toContain(`(${code})`);
    expect(reason).toContain(`stands for "${standsFor}"`);
  });
  test("are in no name that is accepted", () =>
    fc.assert(
      fc.property(fc.string({ unit: "grapheme", minLength: 3, maxLength: 8 }), (name) => {
        fc.pre(refusalOf(name) === undefined);
        expect(name.normalize("NFKC")).toBe(name.normalize("NFC"));
        expect(foldName(name).normalize("NFKC")).toBe(foldName(name));
      }),
    ));
});

describe("letters of several scripts", () => {
  test.each([
    ["\u0430dmin", ["U+0430", "U+0064"]],
    ["adm\u0456n", ["U+0456", "U+006D"]],
    ["kim\u03b1", ["U+03B1", "U+006D"]],
    ["\u0430\u03b2\u0433", ["U+03B2", "U+0430"]],
    ["kim@ex\u0430mple.com", ["U+0430", "U+0078"]],
    ["k\u0456m@example.com", ["U+0456", "U+006B"]],
    ["\ud55c\uae00\u3072", ["U+3072", "U+AE00"]],
    ["\u0661\u0662kim", ["U+006B", "U+0662"]],
    ["\u13a0dmin", ["U+0064", "U+13A0"]],
  ])("%s is refused with both characters", (name, codes) => {
    const reason = refusalOf(name) ?? "";
    expect(reason).toContain("mixes scripts");
    for (const code of codes) expect(reason).toContain(code);
  });
  test.each([
    "m\u00fcller-3",
    "\u0438\u0432\u0430\u043d_7",
    "\u738b\u96f7bob",
    "\u3072\u3089\u30ab\u30bf\u6f22\u5b57abc",
    "\ud55c\uae00\u6f22\u5b57abc",
    "\u3105\u3106\u6f22",
    "ivan@example.com",
    "\u0438\u0432\u0430\u043d@example.com",
    "ivan@\u043f\u0440\u0438\u043c\u0435\u0440.com",
    "kim\u{1F600}",
    "na\u0308ive",
  ])("%s is accepted", (name) => expect(refusalOf(name)).toBeUndefined());
  test("are allowed in names of groups and roles, which administrators choose", () => {
    for (const check of [checkGroupName, checkRoleName]) {
      expect(refusalOf("\u041e\u0442\u0434\u0435\u043b IT \u2122", check)).toBeUndefined();
    }
  });
});

describe("the rules of a deployment", () => {
  const short = { minLength: 1, blanks: true };
  const refused = (name: string) => refusalOf(name, (one) => checkName(one, short));
  test.each(["k", "\u738b", "kim lee", "a b c"])("accept %j where it says so, and not by default", (name) => {
    expect(refused(name)).toBeUndefined();
    expect(refusalOf(name)).toMatch(/3 to 255|spaces/);
  });
  test.each(["kim  lee", "kim\u00a0lee", "kim\u2003lee", "kim\u1680lee", "a*b", ""])("never accept %j", (name) => {
    expect(refused(name)).toBeDefined();
  });
});
