/** Settings that the file format cannot hold come back exactly, and edits of a file win. */
import { createHash } from "node:crypto";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { exactElement, withExact } from "#core/applications/files/exact.ts";
import type { Json } from "#core/applications/files/parts.ts";
import { element } from "#core/applications/files/tree.ts";

const leaf = fc.oneof(
  fc.boolean(),
  fc.integer(),
  fc.string({ unit: "binary", maxLength: 5 }),
  fc.constantFrom("constructor", "toString"),
);
const NAMES = ["a", "b", "toString", "hasOwnProperty"];
const { value } = fc.letrec<{ value: unknown; list: unknown; object: unknown }>((tie) => ({
  value: fc.oneof({ depthSize: "small" }, leaf, tie("list"), tie("object")),
  list: fc.array(tie("value"), { maxLength: 3 }),
  object: fc.dictionary(fc.constantFrom(...NAMES), tie("value"), {
    maxKeys: 3,
    noNullPrototype: true,
  }),
}));
const settings = fc.dictionary(fc.constantFrom("name", "x", "toString"), value, {
  noNullPrototype: true,
}) as fc.Arbitrary<Json>;
const fileWith = (read: Json, actual: Json) => element("ServiceProvider", exactElement(read, actual));

/** The fingerprint of an export. An attacker can compute it too. */
const fingerprint = (read: unknown) =>
  createHash("sha256")
    .update(JSON.stringify(read) ?? "")
    .digest("base64url")
    .slice(0, 22);
const step = fc.oneof(
  fc.constantFrom<string | number>(
    "name",
    "x",
    ...NAMES,
    "length",
    "constructor",
    "prototype",
    "__proto__",
    "map",
    "0",
  ),
  fc.integer({ min: -1, max: 3 }),
  fc.constantFrom(0.5, 4_294_967_295, 100_000),
  fc.string({ maxLength: 3 }),
);
const isDense = (value: unknown): boolean => {
  if (value === null || typeof value !== "object") return true;
  if (Array.isArray(value) && Object.keys(value).length !== value.length) return false;
  const isPlain = Array.isArray(value) || Object.getPrototypeOf(value) === Object.prototype;
  return isPlain && Object.values(value).every(isDense);
};

describe("exact settings", () => {
  test("at any path are plain JSON, or the file is refused", () => {
    const entry = fc.record(
      {
        at: fc.array(step, { minLength: 1, maxLength: 5 }),
        read: fc.oneof(fc.constant(fingerprint(undefined)), value.map(fingerprint)),
        value: fc.oneof(value, fc.constantFrom(-1, 0, 5_000_000)),
      },
      { requiredKeys: ["at", "read"] },
    );
    const [own, others] = [Object.getOwnPropertyNames(Object.prototype), Object.getOwnPropertyNames(Array.prototype)];
    fc.assert(
      fc.property(settings, fc.array(entry, { minLength: 1, maxLength: 3 }), (read, entries) => {
        const file = element("ServiceProvider", [element("ExactSettings", JSON.stringify(entries))]);
        try {
          expect(isDense(withExact(file, read))).toBe(true);
        } catch (error) {
          expect(error).toMatchObject({ fault: "application.invalid" });
        }
      }),
      { numRuns: 5_000 },
    );
    expect(Object.getOwnPropertyNames(Object.prototype)).toEqual(own);
    expect(Object.getOwnPropertyNames(Array.prototype)).toEqual(others);
  });
  test.each<[string, unknown[], unknown]>([
    ["a length that no list has", ["list", "length"], -1],
    ["no length", ["list", "length"], undefined],
    ["a member of a list by name", ["list", "x"], 1],
    ["an index after the end of a list", ["list", 2], "c"],
    ["a hole in a list", ["list", 0], undefined],
    ["a number of an object", [0], 1],
    ["a prototype", ["__proto__", "polluted"], 1],
    ["a constructor", ["constructor", "prototype", "polluted"], 1],
  ])("%s is refused, even with a matching fingerprint", (_, at, value) => {
    const read: Json = { list: ["a", "b"] };
    const seen = at[0] === "list" && at[1] === 0 ? "a" : undefined;
    const entries = [{ at, read: fingerprint(seen), value }];
    const file = element("ServiceProvider", [element("ExactSettings", JSON.stringify(entries))]);
    expect(() => withExact(file, read)).toThrow(/ExactSettings/);
    expect(({} as Json).polluted).toBeUndefined();
  });
  test.each([
    ["equal paths", ["a"], ["a"]],
    ["a path before its continuation", ["a"], ["a", "b"]],
    ["a path after its continuation", ["a", "b", 0], ["a", "b"]],
  ])("%s are refused: each setting is read once", (_, ...paths) => {
    const entries = paths.map((at) => ({ at, read: fingerprint(undefined), value: 1 }));
    const file = element("ServiceProvider", [element("ExactSettings", JSON.stringify(entries))]);
    expect(() => withExact(file, {})).toThrow(/ExactSettings/);
  });
  test("with more levels than any setting are refused", () => {
    const entries = `[{"at":["a"],"read":"","value":${"[".repeat(40)}${"]".repeat(40)}}]`;
    expect(() => withExact(element("ServiceProvider", [element("ExactSettings", entries)]), {})).toThrow(/damaged/);
  });
  test("restore any settings from any others", () => {
    fc.assert(
      fc.property(settings, settings, (read, actual) => {
        expect(withExact(fileWith(read, actual), read)).toEqual(actual);
      }),
      { numRuns: 2_000 },
    );
  });
  test("are absent for equal settings, in any order of members", () => {
    expect(exactElement({ a: 1, b: { c: 2, d: undefined } }, { b: { c: 2 }, a: 1 })).toEqual([]);
  });
  test("do not overwrite an edited member", () => {
    const file = fileWith({ a: "1", b: "1" }, { a: "one", b: "one" });
    expect(withExact(file, { a: "1", b: "edited" })).toEqual({ a: "one", b: "edited" });
  });
  test("do not modify their input", () => {
    const read = { a: { b: "1" } };
    withExact(fileWith(read, { a: { b: "2" } }), read);
    expect(read).toEqual({ a: { b: "1" } });
  });
  test("are not longer than the settings", () => {
    const many = (word: string) => ({ list: Array.from({ length: 1_000 }, (_, at) => `${word}${at}`) });
    const [list] = exactElement(many("a"), many("b"));
    expect(list?.text.length).toBeLessThan(JSON.stringify(many("b")).length + 200);
  });
});
