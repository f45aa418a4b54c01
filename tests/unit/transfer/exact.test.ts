/** What the format cannot say: it comes back exactly, and what somebody edited counts. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { exactElement, withExact } from "#core/transfer/exact.ts";
import type { Json } from "#core/transfer/parts.ts";
import { element } from "#core/transfer/tree.ts";

const leaf = fc.oneof(
  fc.boolean(),
  fc.integer(),
  fc.string({ unit: "binary", maxLength: 5 }),
  fc.constantFrom("constructor", "toString"),
);
const { value } = fc.letrec<{ value: unknown; list: unknown; object: unknown }>((tie) => ({
  value: fc.oneof({ depthSize: "small" }, leaf, tie("list"), tie("object")),
  list: fc.array(tie("value"), { maxLength: 3 }),
  object: fc.dictionary(fc.constantFrom("a", "b", "constructor", "hasOwnProperty"), tie("value"), {
    maxKeys: 3,
    noNullPrototype: true,
  }),
}));
const settings = fc.dictionary(fc.constantFrom("name", "x", "toString"), value, {
  noNullPrototype: true,
}) as fc.Arbitrary<Json>;
const fileWith = (read: Json, meant: Json) => element("ServiceProvider", exactElement(read, meant));

describe("exact settings", () => {
  test("make what is read what was meant, for any two", () => {
    fc.assert(
      fc.property(settings, settings, (read, meant) => {
        expect(withExact(fileWith(read, meant), read)).toEqual(meant);
      }),
      { numRuns: 2_000 },
    );
  });
  test("are none where nothing differs, whatever the order of members", () => {
    expect(exactElement({ a: 1, b: { c: 2, d: undefined } }, { b: { c: 2 }, a: 1 })).toEqual([]);
  });
  test("leave a member alone that was edited since, and only that", () => {
    const file = fileWith({ a: "1", b: "1" }, { a: "one", b: "one" });
    expect(withExact(file, { a: "1", b: "edited" })).toEqual({ a: "one", b: "edited" });
  });
  test("do not touch what they were read from", () => {
    const read = { a: { b: "1" } };
    withExact(fileWith(read, { a: { b: "2" } }), read);
    expect(read).toEqual({ a: { b: "1" } });
  });
  test("take no more room than what they are about", () => {
    const many = (word: string) => ({ list: Array.from({ length: 1_000 }, (_, at) => `${word}${at}`) });
    const [holder] = exactElement(many("a"), many("b"));
    expect(holder?.text.length).toBeLessThan(JSON.stringify(many("b")).length + 200);
  });
});
