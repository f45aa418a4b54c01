/** The word that a misspelt word probably means. */
import { describe, expect, test } from "vitest";
import { distance, nearest } from "#core/kernel/nearest.ts";
import { randomOf } from "#tests/support/random.ts";

const known = ["costCenter", "nickName", "name.familyName", "emails", "title", "userType"];

describe("nearest", () => {
  test.each([
    ["costCente", "costCenter"],
    ["COST_CENTER", "costCenter"],
    ["nikname", "nickName"],
    ["family", "name.familyName"],
    ["titel", "title"],
    ["email", "emails"],
  ])("%s means %s", (given, meant) => {
    expect(nearest(given, known)).toBe(meant);
  });
  test.each(["", "--", "zz", "zzzzzzzzzz", "x".repeat(100_000)])("nothing is meant by %.20s", (given) => {
    expect(nearest(given, known)).toBeUndefined();
  });
  test("reads a list again that is another array with other words", () => {
    expect(nearest("titel", ["title"])).toBe("title");
    expect(nearest("titel", ["heading", "titled"])).toBe("titled");
  });
});

describe("distance", () => {
  /** By the definition, without a row. */
  const defined = (a: string, b: string): number => {
    if (a === "" || b === "") return a.length + b.length;
    const [restA, restB] = [a.slice(1), b.slice(1)];
    if (a[0] === b[0]) return defined(restA, restB);
    return 1 + Math.min(defined(restA, b), defined(a, restB), defined(restA, restB));
  };
  const next = randomOf(7);
  const word = () => Array.from({ length: next.upTo(6) }, () => "abc"[next.upTo(3)] ?? "a").join("");
  test("is that of the definition, and not below a limit that it reaches", () => {
    for (let round = 0; round < 300; round += 1) {
      const [a, b] = [word(), word()];
      const expected = defined(a, b);
      expect([a, b, distance(a, b)]).toEqual([a, b, expected]);
      const limited = distance(a, b, 2);
      expect(Math.min(limited, 2)).toBe(Math.min(expected, 2));
    }
  });
});
