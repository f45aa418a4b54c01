/**
 * The table of docs/scim-conformance.md agrees with the tests: each row that holds has a test, and each tested row is
 * listed.
 */
import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";

const root = new URL("../../", import.meta.url);
const read = (path: string): string => readFileSync(new URL(path, root), "utf8");

interface Row {
  readonly id: string;
  readonly state: string;
  readonly remark: string;
}
const rows = [...read("docs/scim-conformance.md").matchAll(/^\| ([A-Z]\d+) \| [^|]+ \| ([^|]*) \|([^|]*)\|$/gm)].map(
  ([, id = "", state = "", remark = ""]): Row => ({ id, state, remark: remark.trim() }),
);

const folder = "tests/http/scim2/";
/** The rows that test names begin with. */
const tested = new Set(
  readdirSync(new URL(folder, root))
    .filter((file) => file.endsWith(".test.ts"))
    .flatMap((file) => [...read(`${folder}${file}`).matchAll(/["'`]((?:[COMTWPS]\d{2,3} )+)/g)])
    .flatMap(([, ids = ""]) => ids.trim().split(" ")),
);

/** The rows of the checklist, without those of SCIM 1.1 (O24 to O31, P09). */
const checklist = (
  [
    ["C", 3, 226],
    ["O", 2, 23],
    ["M", 2, 53],
    ["T", 2, 18],
    ["W", 2, 13],
    ["P", 2, 10],
    ["S", 2, 9],
  ] as const
).flatMap(([letter, digits, count]) =>
  Array.from({ length: count }, (_, n) => `${letter}${String(n + 1).padStart(digits, "0")}`).filter(
    (id) => id !== "P09",
  ),
);

describe("docs/scim-conformance.md", () => {
  test("lists every row of the checklist, once", () => {
    expect(rows.map(({ id }) => id).sort()).toEqual([...checklist].sort());
  });
  test("gives each row a state, and a remark unless it holds", () => {
    for (const { id, state, remark } of rows) {
      expect(["holds", "in part", "does not hold", "not applicable"], id).toContain(state);
      if (state !== "holds") expect(remark, id).not.toBe("");
    }
  });
  test("lists as holding exactly the rows that test names begin with", () => {
    const claimed = rows.filter(({ state }) => state === "holds" || state === "in part").map(({ id }) => id);
    expect([...tested].sort()).toEqual(claimed.sort());
  });
});
