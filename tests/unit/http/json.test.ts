import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { checkJsonText, decodeUtf8 } from "#core/http/json.ts";
import { Fault } from "#core/kernel/faults.ts";

const verdict = (text: string): string => {
  try {
    checkJsonText(text);
    return "passes";
  } catch (error) {
    return error instanceof Fault ? error.description : `not a fault: ${error}`;
  }
};

describe("refuses a body that two parsers could read differently", () => {
  test.each([
    ['{"a":1,"a":2}', /occurs twice/],
    ['{"a":1,"\\u0061":2}', /occurs twice/],
    ['{"x":{"b":[{"c":1,"c":1}]}}', /occurs twice/],
    ['{"__proto__":{"admin":true}}', /__proto__/],
    ['{"a":{"\\u005f_proto__":1}}', /__proto__/],
    ['{"a":"\\ud800"}', /surrogate/],
    ['["\\udc00\\ud800"]', /surrogate/],
    ['{"a":1e400}', /number/],
    ['{"a":-1e999}', /number/],
    ["[".repeat(31) + "]".repeat(31), /levels/],
    ["[".repeat(200_000), /levels/],
    ['{"a":"unterminated', /no closing quote/],
    ['{"a\\x":1}', /string/],
    [`{${Array.from({ length: 10_001 }, (_, i) => `"k${i}":1`).join(",")}}`, /members/],
    [`[${"0,".repeat(10_000)}0]`, /more than 10000 elements/],
    [`[${"[],".repeat(5_000)}[]]`, /more than 10000 elements/],
  ])("%.40s", (text, reason) => expect(verdict(text)).toMatch(reason));

  test("bytes that are not UTF-8", () => {
    for (const bytes of [[0xff], [0xc0, 0xaf], [0xed, 0xa0, 0x80], [0x22, 0xe9, 0x22]]) {
      expect(() => decodeUtf8(Uint8Array.from(bytes))).toThrow(Fault);
    }
  });
});

describe("accepts what any JSON serializer writes", () => {
  test("equal names in different objects, names that look like values, escapes", () => {
    expect(verdict('{"a":{"a":[{"a":1},{"a":"a"}]},"b":"\\"a\\"","c":"\\ud83d\\ude00","d":-0.5e-3}')).toBe("passes");
  });
  test("property: JSON.stringify of anything within the limits", () => {
    const value = fc.jsonValue({ maxDepth: 8 }).filter((it) => !JSON.stringify(it).includes("__proto__"));
    fc.assert(fc.property(value, (it) => verdict(JSON.stringify(it)) === "passes"));
  });
  test("property: any text passes or is a fault", () => {
    fc.assert(fc.property(fc.string(), (text) => !verdict(text).startsWith("not a fault")));
  });
});
