/** Row codecs: what was written is read back, and a damaged row is reported by key and attribute, without its value. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  as,
  bool,
  bytes,
  DamagedRow,
  flag,
  json,
  list,
  number,
  oneOf,
  optional,
  record,
  rowCodec,
  text,
  textSet,
  withDefault,
} from "#core/database/table/row.ts";
import type { Item } from "#core/database/table/table.ts";
import { Fault, faults } from "#core/kernel/faults.ts";

const SECRET = "secret-5f1c";
const key = { PK: "T#acme#U#1", SK: "A" };

interface Row {
  readonly name: string;
  readonly count: number;
  readonly isOpen: boolean;
  readonly isOld: boolean;
  readonly image: Uint8Array;
  readonly tags: readonly string[];
  readonly kind: "user" | "group";
  readonly note?: string | undefined;
  readonly limit: number;
  readonly parts: readonly { readonly label: string; readonly size?: number | undefined }[];
  readonly profile: readonly number[];
}

const isNumbers = (parsed: unknown): parsed is number[] =>
  Array.isArray(parsed) && parsed.every((one) => typeof one === "number");

const codec = rowCodec<Row>("sample", {
  name: text,
  count: as("n", number),
  isOpen: bool,
  isOld: flag,
  image: bytes,
  tags: textSet,
  kind: oneOf("user", "group"),
  note: optional(text),
  limit: withDefault(number, 10),
  parts: list(record({ label: as("l", text), size: optional(number) })),
  profile: json("numbers", isNumbers),
});

const row: Row = {
  name: "kim",
  count: 3,
  isOpen: false,
  isOld: true,
  image: new Uint8Array([1, 2]),
  tags: ["a", "b"],
  kind: "group",
  note: "n",
  limit: 7,
  parts: [{ label: "x", size: 1 }, { label: "y" }],
  profile: [1, 2],
};
const item: Item = { ...key, ...codec.write(row) };

const damageOf = (damaged: Item): string => {
  try {
    codec.read(damaged);
  } catch (error) {
    expect(error).toBeInstanceOf(DamagedRow);
    return String(error);
  }
  throw new Error("the row was read");
};

describe("a codec", () => {
  test("stores each property under its attribute", () => {
    expect(item).toEqual({
      ...key,
      name: "kim",
      n: 3,
      isOpen: false,
      isOld: true,
      image: new Uint8Array([1, 2]),
      tags: new Set(["a", "b"]),
      kind: "group",
      note: "n",
      limit: 7,
      parts: [{ l: "x", size: 1 }, { l: "y" }],
      profile: "[1,2]",
    });
    expect(codec.read(item)).toEqual(row);
  });

  test("does not store what absence means, and reads it", () => {
    const { note: _, ...plain } = { ...row, isOld: false, tags: [] };
    const written = codec.write(plain);
    for (const absent of ["isOld", "tags", "note"]) expect(written).not.toHaveProperty(absent);
    const short: Item = { ...key, ...Object.fromEntries(Object.entries(written).filter(([name]) => name !== "limit")) };
    expect(codec.read(short)).toEqual({ ...plain, limit: 10 });
    expect(codec.read(short)).not.toHaveProperty("note");
  });

  test("ignores attributes that it does not declare", () => {
    expect(codec.read({ ...item, later: "x" })).toEqual(row);
  });

  const anyText = fc.string({ unit: "grapheme" });
  const anyNumber = fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => (value === 0 ? 0 : value));
  const anyRow: fc.Arbitrary<Row> = fc.record(
    {
      name: anyText,
      count: anyNumber,
      isOpen: fc.boolean(),
      isOld: fc.boolean(),
      image: fc.uint8Array(),
      tags: fc.uniqueArray(anyText).map((tags) => tags.sort()),
      kind: fc.constantFrom("user" as const, "group" as const),
      note: anyText,
      limit: anyNumber,
      parts: fc.array(fc.record({ label: anyText, size: anyNumber }, { requiredKeys: ["label"] })),
      profile: fc.array(anyNumber),
    },
    {
      requiredKeys: ["name", "count", "isOpen", "isOld", "image", "tags", "kind", "limit", "parts", "profile"],
    },
  );

  test("reads what it has written", () => {
    fc.assert(
      fc.property(anyRow, (value) => {
        expect(codec.read({ ...key, ...codec.write(value) })).toEqual(value);
      }),
    );
  });
});

test("a row with a version of its shape is of a later release: 503, and the cause names the row for operators", () => {
  expect(item).not.toHaveProperty("_v");
  let thrown: unknown;
  try {
    codec.read({ ...item, _v: 2 });
  } catch (error) {
    thrown = error;
  }
  if (!(thrown instanceof Fault)) throw new Error("the row was read");
  expect(faults[thrown.fault].status).toBe(503);
  expect(thrown.description).toBe("A later release of the service stored this. Try again.");
  expect(String(thrown.cause)).toBe('Error: A later release wrote the sample row PK="T#acme#U#1" SK="A".');
});

describe("a damaged row", () => {
  test.each<[kind: string, attribute: string, expected: string, damaged: Item[string]]>([
    ["a text", "name", "a text", 5],
    ["a missing text", "name", "a text", undefined],
    ["a number", "n", "a finite number", SECRET],
    ["a number that is not finite", "n", "a finite number", Number.NaN],
    ["a boolean", "isOpen", "true or false", SECRET],
    ["a missing boolean", "isOpen", "true or false", undefined],
    ["a flag", "isOld", "true or false", SECRET],
    ["bytes", "image", "bytes", SECRET],
    ["a set", "tags", "a set of texts or absent", [SECRET]],
    ["a set of other values", "tags", "a set of texts or absent", new Set([1, 2]) as unknown as ReadonlySet<string>],
    ["a fixed text", "kind", "one of user, group", SECRET],
    ["an optional text", "note", "a text or absent", 5],
    ["a text with a default", "limit", "a finite number", SECRET],
    ["a list", "parts", "a list, each element a map with its declared members", SECRET],
    ["an element of a list", "parts", "a list, each element a map with its declared members", [{ l: "x" }, SECRET]],
    ["a member of a map", "parts", "a list, each element a map with its declared members", [{ l: "x", size: SECRET }]],
    ["text that is not JSON", "profile", "JSON of numbers", `[1, ${SECRET}`],
    ["JSON of another value", "profile", "JSON of numbers", `["${SECRET}"]`],
    ["JSON that is not text", "profile", "JSON of numbers", [1]],
  ])("is reported by key and attribute, without its value: %s", (_, attribute, expected, damaged) => {
    const message = damageOf({ ...item, [attribute]: damaged });
    expect(message).toBe(
      `DamagedRow: The sample row PK="T#acme#U#1" SK="A" is damaged: ${attribute} must be ${expected}.`,
    );
    expect(message).not.toContain(SECRET);
  });

  test("is never read, whatever is in it", () => {
    const required = [
      ["name", "string"],
      ["n", "number"],
      ["isOpen", "boolean"],
    ] as const;
    const anything = fc.anything({ withSet: true, withNullPrototype: true });
    fc.assert(
      fc.property(fc.constantFrom(...required), anything, ([attribute, type], value) => {
        fc.pre(typeof value !== type || (type === "number" && !Number.isFinite(value)));
        expect(() => codec.read({ ...item, [attribute]: value as Item[string] })).toThrow(DamagedRow);
      }),
    );
  });
});
