/**
 * Versions of stored shapes (decision 0072): a reader takes the two versions before its own, and refuses a later one.
 * A kind of row goes through four releases here; each release is one codec.
 */
import { describe, expect, test } from "vitest";
import { Fault, faults } from "#core/platform/faults.ts";
import { as, DamagedRow, list, number, optional, type RowCodec, rowCodec, SHAPE, text } from "#core/table/row.ts";
import { type Shape, type Stored, shapeOf, versionedCodec } from "#core/table/shape.ts";
import type { Item } from "#core/table/table.ts";

const key = { PK: "T#acme#U#1", SK: "A" };

/** Version 1: one text with all numbers. Version 2: a list. Version 3: the list has another name, and there is a count. */
const first = rowCodec<{ numbers: string; note?: string | undefined }>("sample", {
  numbers: text,
  note: optional(text),
});
const toSecond = ({ numbers, ...rest }: Stored): Stored => ({ ...rest, numbers: String(numbers).split(" ") });
const toFirst = ({ numbers, ...rest }: Stored): Stored => ({ ...rest, numbers: (numbers as string[]).join(" ") });
const toThird = ({ numbers = [], ...rest }: Stored): Stored => ({
  ...rest,
  n: numbers,
  count: (numbers as string[]).length,
});
const toFourth = ({ count: _, ...rest }: Stored): Stored => rest;

interface Second {
  readonly numbers: readonly string[];
  readonly note?: string | undefined;
}
const second = { numbers: list(text), note: optional(text) };
/** The release that introduces version 2 writes version 1: the release before it is still there. */
const introducing = versionedCodec<Second>("sample", second, {
  version: 2,
  upgrades: { 1: toSecond },
  downgrade: toFirst,
});
const writing = versionedCodec<Second>("sample", second, { version: 2, upgrades: { 1: toSecond } });
const third = versionedCodec<Second & { readonly count: number }>(
  "sample",
  { numbers: as("n", list(text)), note: optional(text), count: number },
  { version: 3, upgrades: { 1: toSecond, 2: toThird } },
);
const fourth = versionedCodec<Second>(
  "sample",
  { numbers: as("n", list(text)), note: optional(text) },
  { version: 4, upgrades: { 2: toThird, 3: toFourth } },
);

const stored = <T>(codec: RowCodec<T>, value: T): Item => ({ ...key, ...codec.write(value) });
const byFirst = stored(first, { numbers: "1 2", note: "n" });
const bySecond = stored(writing, { numbers: ["1", "2"], note: "n" });
const byThird = stored(third, { numbers: ["1", "2"], note: "n", count: 2 });

const refusal = (read: () => unknown): Fault => {
  try {
    read();
  } catch (error) {
    if (error instanceof Fault) return error;
    throw error;
  }
  throw new Error("the row was read");
};

describe("a reader takes", () => {
  test("rows of its own version", () => {
    expect(third.read(byThird)).toEqual({ numbers: ["1", "2"], note: "n", count: 2 });
  });
  test("rows of the version before", () => {
    expect(writing.read(byFirst)).toEqual({ numbers: ["1", "2"], note: "n" });
    expect(third.read(bySecond)).toEqual({ numbers: ["1", "2"], note: "n", count: 2 });
  });
  test("rows of two versions before, through both upgrades", () => {
    expect(third.read(byFirst)).toEqual({ numbers: ["1", "2"], note: "n", count: 2 });
    expect(fourth.read(bySecond)).toEqual({ numbers: ["1", "2"], note: "n" });
  });
});

describe("a reader refuses", () => {
  const later: readonly [string, () => unknown][] = [
    ["without versions", () => first.read(bySecond)],
    ["with versions", () => writing.read(byThird)],
  ];
  test.each(later)("a row of a later release, with a fault that names the row in its cause: %s", (_, read) => {
    const fault = refusal(read);
    expect(faults[fault.fault].status).toBe(503);
    expect(fault.description).toBe("A later release of the service stored this. Try again.");
    expect(String(fault.cause)).toBe('Error: A later release wrote the sample row PK="T#acme#U#1" SK="A".');
  });
  test("a row of three versions before, and says what to do", () => {
    expect(() => fourth.read(byFirst)).toThrow(DamagedRow);
    expect(() => fourth.read(byFirst)).toThrow("_v must be 2 to 4: migrate with the release before.");
  });
  test.each([0, -1, 1.5, "2", null])("a version that is none: %s", (version) => {
    expect(() => third.read({ ...byThird, [SHAPE]: version })).toThrow(DamagedRow);
  });
  test("a damaged row of an older version, by its attribute", () => {
    expect(() => third.read({ ...bySecond, note: 7 })).toThrow("note must be a text or absent");
  });
});

describe("a writer", () => {
  test("stores no version in rows of version 1, which cost no more than before", () => {
    expect(byFirst).toEqual({ ...key, numbers: "1 2", note: "n" });
  });
  test("stores the version, in one short attribute", () => {
    expect(bySecond).toEqual({ ...key, numbers: ["1", "2"], note: "n", _v: 2 });
    expect([byFirst, bySecond, byThird].map(shapeOf)).toEqual([1, 2, 3]);
  });
  test("writes the version before in the release that introduces one, so that the release before reads it", () => {
    const row = stored(introducing, { numbers: ["7", "8"], note: undefined });
    expect(row).toEqual({ ...key, numbers: "7 8" });
    expect(first.read(row)).toEqual({ numbers: "7 8" });
    expect(introducing.read(row)).toEqual({ numbers: ["7", "8"] });
  });
  test("is read by the release before, when that release introduced its version", () => {
    expect(introducing.read(bySecond)).toEqual({ numbers: ["1", "2"], note: "n" });
  });
});

describe("a shape is refused", () => {
  const wrong: readonly [string, Shape][] = [
    ["without an upgrade", { version: 3, upgrades: { 2: toThird } }],
    ["with an upgrade of three versions before", { version: 4, upgrades: { 1: toSecond, 2: toThird, 3: toFourth } }],
    ["of version 1, which has no mark", { version: 1, upgrades: {} }],
  ];
  test.each(wrong)("%s", (_, shape) => {
    expect(() => versionedCodec<Second>("sample", second, shape)).toThrow(/needs upgrades from/);
  });
});
