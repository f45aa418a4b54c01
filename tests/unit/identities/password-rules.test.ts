/** The rules for new passwords: which are refused, and why. */
import { globSync, readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { isCommonPassword } from "#core/directory/credentials/common-passwords.ts";
import { defaultPasswordLimits } from "#core/directory/credentials/password-limits.ts";
import { passwordProblem } from "#core/directory/credentials/password-rules.ts";
import { passwordForms, preparedPassword } from "#core/kernel/opaque-string.ts";
import { readDeployment } from "#core/service/settings/deployment.ts";
import { commonPasswords, commonPasswordsFile } from "#tools/common-passwords.ts";

const OWNER = { tenant: "acme.example", userStore: "PRIMARY", name: "kim.berry@acme.example" };
const problemOf = (password: string, owner = OWNER) => passwordProblem(password, owner, defaultPasswordLimits);

describe("common passwords", () => {
  test("the committed filter is that of the list", () => {
    const file = new URL("../../../packages/core/directory/credentials/common-passwords.json", import.meta.url);
    expect(readFileSync(file, "utf8")).toBe(commonPasswordsFile());
  });
  test("each of 10,000 is refused, in any case", () => {
    const all = commonPasswords();
    expect(all).toHaveLength(10_000);
    for (const one of all) {
      expect([one, problemOf(one)]).toEqual([one, "common"]);
      expect(problemOf(one.toUpperCase())).toBe("common");
    }
  });
  test("of 20,000 others, at most 3 are taken for one", () => {
    const others = Array.from({ length: 20_000 }, (_, at) => `tree-${at}-of-${at * 7_919}`);
    expect(others.filter(isCommonPassword).length).toBeLessThanOrEqual(3);
  });
});

test("any printable characters do, blanks anywhere too", () => {
  const printable = fc.constantFrom(
    ...Array.from({ length: 95 }, (_, at) => String.fromCharCode(32 + at)),
    ..."äπ字🌲€",
  );
  fc.assert(
    fc.property(fc.array(printable, { minLength: 16, maxLength: 100 }), (characters) => {
      expect(problemOf(characters.join(""))).toBeUndefined();
    }),
  );
});

test("no control character does, wherever it stands", () => {
  for (let code = 0; code < 0xa0; code += 1) {
    if (code >= 0x20 && code < 0x7f) continue;
    const one = String.fromCharCode(code);
    for (const password of [`${one}maple-tree-42`, `maple${one}tree-42`, `maple-tree-42${one}`]) {
      expect([code, problemOf(password)]).toEqual([code, "characters"]);
    }
  }
  for (const one of ["\u2028", "\u2029", "\ud800"]) expect(problemOf(`maple-tree-42${one}`)).toBe("characters");
});

test("length is counted in code points, of the form that is stored", () => {
  expect(problemOf("🌲".repeat(8))).toBeUndefined();
  expect(problemOf("🌲".repeat(7))).toBe("length");
  expect(problemOf("🌲".repeat(100))).toBeUndefined();
  expect(problemOf("🌲".repeat(101))).toBe("length");
  // Eight code points as they are sent, seven as they are stored.
  expect(problemOf("xa\u0308bcdef")).toBe("length");
});

test("no name of the user does", () => {
  const { name } = OWNER;
  for (const password of [...[name, name.toUpperCase(), `PRIMARY/${name}`, "kim.berry", "ＫＩＭ.berry"]]) {
    expect([password, problemOf(password)]).toEqual([password, "ownName"]);
  }
  for (const password of ["kim.berry-tree", "my kim.berry x", "berry.kim-77", "kim.berry2026"])
    expect(problemOf(password)).toBeUndefined();
  const store = { ...OWNER, userStore: "PARTNERS", name: "lee" };
  for (const password of ["PARTNERS/lee", "partners/lee@acme.example", "lee@acme.example"]) {
    expect([password, problemOf(password, store)]).toEqual([password, "ownName"]);
  }
  expect(problemOf("20260417", { ...OWNER, name: "20260417" })).toBeDefined();
});

test("a password is prepared once, and keeps its characters", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme" }), (text) => {
      const prepared = preparedPassword(text);
      expect(preparedPassword(prepared)).toBe(prepared);
      expect(passwordForms(text)).toEqual(prepared === text ? [text] : [prepared, text]);
    }),
  );
  expect(preparedPassword(" a\u00a0b\u3000 ")).toBe(" a b  ");
});

describe("[password] of deployment.toml", () => {
  test("has the documented defaults", () => {
    const { passwords, sourceNames } = readDeployment("");
    expect([passwords, sourceNames]).toEqual([{ lengthMin: 8, lengthMax: 100, history: 0 }, { ofTenantMax: 30 }]);
    expect(
      readDeployment("[password]\nhistory = 24\nmin_length = 15\nmax_length = 200\nfailed_names = 60\n"),
    ).toMatchObject({
      passwords: { lengthMin: 15, lengthMax: 200, history: 24 },
      sourceNames: { ofTenantMax: 60 },
    });
  });
  test.each([
    ["history = 25", /password\.history: must be at most 24/],
    ["history = -1", /password\.history: must be at least 0/],
    ["min_length = 7", /password\.min_length: must be at least 8/],
    ["max_length = 63", /password\.max_length: must be at least 64/],
    ["max_length = 257", /password\.max_length: must be at most 256/],
    ["failed_names = 0", /password\.failed_names: must be at least 5/],
    ["min_lenght = 8", /did you mean "min_length"/],
  ])("refuses %s", (line, sentence) => {
    expect(() => readDeployment(`[password]\n${line}\n`)).toThrow(sentence);
  });
});

test("passwords in README and documents pass", () => {
  const root = new URL("../../../", import.meta.url);
  const files = ["README.md", ...globSync("docs/{*,guides/*}.md", { cwd: root })];
  const found = files.flatMap((file) => {
    const text = readFileSync(new URL(file, root), "utf8");
    return [...text.matchAll(/"password"\s*:\s*"([^"]*)"/g)].map(([, password = ""]) => ({ file, password }));
  });
  expect(found.length).toBeGreaterThan(2);
  // A placeholder, and a hash, are none.
  const plain = found.filter(({ password }) => !/^(<.*>|[{$].*|\.\.\.)$/.test(password));
  expect(plain.filter(({ password }) => problemOf(password) !== undefined)).toEqual([]);
});
