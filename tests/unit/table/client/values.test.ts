/** Values in DynamoDB's JSON: as the AWS SDK's own conversion, over random values. */
import { marshall, unmarshall } from "@aws-sdk/util-dynamodb";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { fromStored, type StoredItem, toStored } from "#core/database/table/client/values.ts";
import type { Value } from "#core/database/table/table.ts";

const texts = fc.string({ unit: "binary", maxLength: 12 });
/** The SDK loses an attribute of the name of the prototype. */
const names = texts.filter((name) => name !== "__proto__");
const scalars = fc.oneof(
  texts,
  fc.maxSafeInteger(),
  fc.double({ noNaN: true, min: -1e15, max: 1e15 }),
  fc.boolean(),
  fc.constant(null),
  fc.uint8Array({ maxLength: 40 }),
  fc.uniqueArray(texts, { minLength: 1, maxLength: 4 }).map((members) => new Set(members)),
);
const { value: values } = fc.letrec<{ value: Value }>((tie) => ({
  value: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    scalars,
    fc.array(tie("value"), { maxLength: 4 }),
    fc.dictionary(names, tie("value"), { maxKeys: 4, noNullPrototype: true }),
  ),
}));
const items = fc.dictionary(names, values, { maxKeys: 5, noNullPrototype: true });

/** What the SDK makes of values, as it is sent: with bytes in Base64. */
const asSent = (item: unknown): unknown =>
  JSON.parse(
    JSON.stringify(item, (_, value) => (value instanceof Uint8Array ? Buffer.from(value).toString("base64") : value)),
  );

describe("values", () => {
  test("are sent as the SDK sends them, and read as it reads them", () => {
    fc.assert(
      fc.property(items, (item) => {
        const stored = marshall(item, { removeUndefinedValues: true });
        expect(asSent(toStored(item))).toEqual(asSent(stored));
        const sent = JSON.parse(JSON.stringify(toStored(item))) as StoredItem;
        const before = structuredClone(sent);
        expect(fromStored(sent)).toStrictEqual(unmarshall(stored));
        expect(sent).toStrictEqual(before);
      }),
      { numRuns: 2_000 },
    );
  });

  test("leave out what is undefined, at every depth", () => {
    const item = { a: undefined, list: [1, undefined as never, 2], map: { b: undefined, c: "c" } };
    expect(toStored(item)).toEqual({ list: { L: [{ N: "1" }, { N: "2" }] }, map: { M: { c: { S: "c" } } } });
  });

  test.each<[string, unknown]>([
    ["not a number", Number.NaN],
    ["infinity", Number.POSITIVE_INFINITY],
    ["an integer that is not exact", 2 ** 53],
    ["an empty set", new Set()],
    ["a set of numbers", new Set([1])],
    ["a date", new Date(0)],
    ["a map", new Map()],
    ["a function", () => 1],
  ])("refuse %s", (_, value) => expect(() => toStored({ value: value as Value })).toThrow(RangeError));

  test("name an attribute as a prototype without changing one", () => {
    const item = JSON.parse('{"__proto__": {"admin": true}}') as Record<string, Value>;
    const stored = JSON.stringify(toStored(item));
    expect(stored).toBe('{"__proto__":{"M":{"admin":{"BOOL":true}}}}');
    const read = fromStored(JSON.parse(stored) as StoredItem);
    expect([Object.keys(read), read.admin]).toEqual([["__proto__"], undefined]);
  });

  test("of kinds that no row has fit no field", () => {
    const read = fromStored({ big: { N: "12345678901234567890" }, numbers: { NS: ["1"] }, bytes: { BS: ["AQ=="] } });
    expect(read).toEqual({ big: "12345678901234567890", numbers: new Set(["1"]), bytes: new Set(["AQ=="]) });
  });

  test("of bytes are arrays without what else is in the memory of Node.js", () => {
    const { bytes } = fromStored({ bytes: { B: "AQID" } });
    expect(Buffer.isBuffer(bytes)).toBe(false);
    expect(bytes).toEqual(new Uint8Array([1, 2, 3]));
  });
});
