/** Schemas that are built on first use behave as zod's own. */
import { describe, expect, test } from "vitest";
import * as zod from "zod";
import * as z from "#core/kernel/zod.ts";

/** How often the inner function was called: it is part of a schema that is built. */
const counted = () => {
  const calls = { count: 0 };
  const error = () => {
    calls.count += 1;
    return "odd";
  };
  return { calls, error };
};

/** Parses values with the same schema from both. */
const both = (make: (from: typeof z) => zod.ZodType, values: readonly unknown[]) => {
  const [own, theirs] = [make(z), make(zod as unknown as typeof z)];
  for (const value of values) {
    const [mine, other] = [own.safeParse(value), theirs.safeParse(value)];
    expect(mine.success).toBe(other.success);
    expect(mine.data).toEqual(other.data);
    expect(mine.error?.issues).toEqual(other.error?.issues);
  }
  expect(z.toJSONSchema(own, { io: "input", unrepresentable: "any" })).toEqual(
    zod.toJSONSchema(theirs, { io: "input", unrepresentable: "any" }),
  );
};

describe("a declared schema", () => {
  test("is built on its first use, and once", () => {
    const made = z.string().max(3);
    const schema = z.object({ made }).optional();
    expect(z.built(schema)).toBe(z.built(schema));
    expect(z.built(schema)).not.toBe(schema);
    expect(schema.safeParse({ made: "four" }).success).toBe(false);
    expect((z.built(schema) as zod.ZodOptional<zod.ZodObject>).unwrap().shape.made).toBe(z.built(made));
  });
  test("is an instance of its class, and has the members of it", () => {
    const schema = z.object({ name: z.string() });
    expect(schema instanceof zod.ZodObject).toBe(true);
    expect("safeParse" in schema).toBe(true);
    expect(Object.keys(schema.meta({ id: "TestOnly" }).shape)).toEqual(["name"]);
    expect(z.string().meta({ id: "TestToo" }).meta()).toEqual({ id: "TestToo" });
  });
  test.each<[string, (from: typeof z) => zod.ZodType, readonly unknown[]]>([
    ["strings", (from) => from.string().min(2).max(4).regex(/^a/).optional(), ["ab", "b", "abcde", undefined, 5]],
    ["enumerations", (from) => from.enum(["a", "b"]).default("a"), ["a", "c", undefined]],
    ["lists", (from) => from.array(from.union([from.string(), from.int()])).max(2), [["a", 1], [1.5], ["a", "b", "c"]]],
    ["records", (from) => from.record(from.string(), from.boolean()), [{ a: true }, { a: 1 }]],
    ["strict objects", (from) => from.strictObject({ a: from.literal("x") }), [{ a: "x" }, { a: "x", b: 1 }, null]],
    ["loose objects", (from) => from.looseObject({ a: from.url() }), [{ a: "https://a.example", b: 1 }, { a: "no" }]],
    [
      "partial objects",
      (from) => from.object({ a: from.string() }).extend({ b: from.int() }).partial(),
      [{}, { b: "" }],
    ],
    [
      "picked objects",
      (from) => from.object({ a: from.string(), b: from.string() }).omit({ b: true }),
      [{ a: "" }, {}],
    ],
    ["spread shapes", (from) => from.object({ ...from.object({ a: from.string() }).shape }), [{ a: "" }, {}]],
    ["defaults", (from) => from.object({ a: from.object({ b: from.int().default(1) }).prefault({}) }), [{}, { a: 1 }]],
    [
      "checks",
      (from) =>
        from
          .string()
          .refine((text) => text === "a", "odd")
          .transform((text) => text.length),
      ["a", "b"],
    ],
    ["pipes", (from) => from.preprocess(String, from.string()).transform(Number).pipe(from.int()), [1, 1.5, "x"]],
  ])("parses %s as zod does", (_, make, values) => {
    both(make, values);
  });
  test("may contain itself by a getter", () => {
    const Tree = z.object({
      name: z.string(),
      get children() {
        return z.array(Tree).optional();
      },
    });
    expect(Tree.safeParse({ name: "a", children: [{ name: "b", children: [] }] }).success).toBe(true);
    expect(Tree.safeParse({ name: "a", children: [{ name: 1 }] }).error?.issues[0]?.path).toEqual([
      "children",
      0,
      "name",
    ]);
  });
  test("keeps what is no schema in its arguments: custom errors and metadata", () => {
    const { calls, error } = counted();
    const schema = z.string({ error }).meta({ examples: [{ a: 1 }] });
    expect(calls.count).toBe(0);
    expect(schema.safeParse(1).error?.issues[0]?.message).toBe("odd");
    expect(schema.meta()).toEqual({ examples: [{ a: 1 }] });
  });
  test("is parsed with the same result the first time, when it is interpreted, and later, when it is compiled", () => {
    const schema = z.object({ a: z.string(), b: z.int().optional() });
    for (const value of [{ a: "x" }, { a: 1, b: 2.5 }, {}]) {
      const [first, later] = [schema.safeParse(value, { jitless: true }), schema.safeParse(value)];
      expect(first.data).toEqual(later.data);
      expect(first.error?.issues).toEqual(later.error?.issues);
    }
  });
});
