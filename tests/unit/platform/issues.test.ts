/** What schemas and rules refuse, in sentences for callers. */
import { describe, expect, test } from "vitest";
import { Fault } from "#core/kernel/faults.ts";
import { parsePart } from "#core/kernel/parse.ts";
import { allTogether, checkTogether, checkTogetherLater, eachTogether } from "#core/kernel/together.ts";
import * as z from "#core/kernel/zod.ts";

const toldOf = (schema: z.ZodType, given: unknown): string => {
  try {
    parsePart("body", schema, given);
  } catch (error) {
    if (error instanceof Fault) return error.description;
    throw error;
  }
  throw new Error("nothing was refused");
};

describe("a schema", () => {
  const either = z.union([z.string(), z.array(z.string())]);
  const form = z.union([z.string(), z.object({ a: z.string() })]);
  test.each<[string, z.ZodType, unknown, string]>([
    ["a fraction", z.int(), 1.5, "body must be a whole number."],
    ["null", z.string(), null, "body must be a string, not null."],
    ["a number that is too small", z.int().min(3), 2, "body must be at least 3."],
    ["a number that is too large", z.int().max(3), 4, "body must be at most 3."],
    ["a short text", z.string().min(1), "", "body must have at least 1 character."],
    ["a long list", z.array(z.string()).max(2), ["", "", ""], "body must have at most 2 elements."],
    ["an address", z.url(), "x", "body must be an absolute URL, such as https://example.com/path."],
    ["a time", z.iso.datetime(), "x", "body must be a date and time such as 2026-01-31T08:00:00Z."],
    ["another form", z.string().startsWith("a"), "x", "body does not have the expected format."],
    ["one value", z.literal("a"), "b", "body must be a."],
    ["a misspelt value", z.enum(["RBAC", "NO_POLICY"]), "rbac ", "body must be RBAC or NO_POLICY: did you mean RBAC?"],
    ["no value", z.object({ a: z.enum(["x", "y"]) }), {}, "body.a is required."],
    ["no form", z.object({ a: either }), {}, "body.a is required."],
    ["another kind than all forms", either, 1, "body must be a string or a list, not a number."],
    ["a fault in the form that was meant", form, { a: 1 }, "body.a must be a string, not a number."],
    ["a member too many", z.strictObject({ a: z.string() }), { a: "", b: 1 }, "body must not have the members b."],
    ["a name with blanks", z.object({ "a b": z.string() }), {}, "body['a b'] is required."],
    ["a message of the schema", z.string().regex(/^a$/, "expected an a"), "b", "body: expected an a."],
  ])("tells %s", (_, schema, given, told) => expect(toldOf(schema, given)).toBe(told));

  test("tells what its metadata requires, together with its own faults", () => {
    const schema = z.object({ a: z.string().optional(), b: z.string() }).meta({ required: ["a", "b"] });
    expect(toldOf(schema, {})).toBe("body.b is required. body.a is required.");
    expect(toldOf(schema, { a: null, b: 1 })).toContain("body.a");
    expect(toldOf(z.array(schema), [{ a: "", b: "" }, {}])).toBe("body[1].b is required. body[1].a is required.");
    expect(parsePart("body", schema, { b: "" })).toEqual({ b: "" });
  });
  test("tells 20 faults, and how many more there are; places have 200 characters", () => {
    expect(toldOf(z.array(z.string()), Array(25).fill(1))).toMatch(
      /^body\[0\].* body\[19\] must .* There are 5 more\.$/,
    );
    const name = "n".repeat(1_000);
    expect(toldOf(z.object({ [name]: z.string() }), {})).toBe(`body.${"n".repeat(199)} is required.`);
  });
});

describe("checks that are made together", () => {
  const refuse = (text: string) => (): never => {
    throw new Fault("request.invalid", text);
  };
  const told = (run: () => unknown) => {
    try {
      run();
    } catch (error) {
      return error instanceof Fault ? [error.fault, error.description] : error;
    }
    return undefined;
  };
  test("throw the first fault with all descriptions, each once and as sentences", () => {
    const other = () => {
      throw new Fault("scim.unique", "b");
    };
    expect(told(() => checkTogether(refuse("a"), other, refuse("b"), refuse("c?")))).toEqual([
      "request.invalid",
      "a. b. c?",
    ]);
    expect(told(() => checkTogether(other))).toEqual(["scim.unique", "b"]);
    expect(told(() => checkTogether(() => undefined))).toBeUndefined();
  });
  test("are counted once where they are inside of each other: 20 at most", () => {
    const inner = (from: number) => () =>
      eachTogether(Array(15).keys(), (at): readonly never[] => refuse(`f${from + at}.`)());
    expect(told(() => checkTogether(inner(0), inner(100)))).toEqual([
      "request.invalid",
      [
        ...Array.from({ length: 15 }, (_, at) => `f${at}.`),
        ...Array.from({ length: 5 }, (_, at) => `f${100 + at}.`),
        "There are more.",
      ].join(" "),
    ]);
  });
  test("say nothing of more where there are 20, or where the rest repeats them", () => {
    const sentences = Array.from({ length: 20 }, (_, at) => `f${at}.`);
    expect(told(() => checkTogether(...sentences.map(refuse), ...sentences.map(refuse)))).toEqual([
      "request.invalid",
      sentences.join(" "),
    ]);
  });
  test("stop where there are more than are told", () => {
    let count = 0;
    told(() =>
      eachTogether(Array(1_000).keys(), (at): readonly never[] => {
        count += 1;
        return refuse(`f${at}`)();
      }),
    );
    expect(count).toBe(21);
  });
  test("throw at once what is no fault of the input", () => {
    const defect = new Error("defect");
    const fail = () => {
      throw defect;
    };
    const busy = new Fault("service.unavailable", "busy");
    expect(told(() => checkTogether(refuse("a"), fail, refuse("b")))).toBe(defect);
    const wait = () => {
      throw busy;
    };
    expect(told(() => checkTogether(refuse("a"), wait))).toEqual(["service.unavailable", "busy"]);
  });
  test("may wait", async () => {
    const later = (text: string) => async () => refuse(text)();
    await expect(checkTogetherLater(later("a."), later("b."))).rejects.toMatchObject({ description: "a. b." });
    await expect(allTogether([later("a.")(), Promise.resolve(1), later("b.")()])).rejects.toMatchObject({
      description: "a. b.",
    });
    expect(await allTogether([Promise.resolve(1), Promise.resolve("x")])).toEqual([1, "x"]);
  });
});
