/** Keys of names, and their order. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { nameKey } from "#core/database/table/name-index/name-key.ts";
import { compareKeys } from "#core/database/table/table.ts";
import { Fault } from "#core/kernel/faults.ts";

describe("nameKey", () => {
  it("gives names that differ only in case or composition one key", () => {
    expect(nameKey("E\u0301MILE")).toBe("\u00e9mile");
    expect(nameKey("\u00c9mile")).toBe("\u00e9mile");
    expect(nameKey("J\u030cAN")).toBe(nameKey("\u01f0an"));
  });

  it("is idempotent", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme", minLength: 1, maxLength: 20 }), (name) => {
        fc.pre(!name.includes("\u{10ffff}"));
        expect(nameKey(nameKey(name))).toBe(nameKey(name));
      }),
    );
  });

  it.each([
    ["nothing", ""],
    ["half an emoji", "😀".slice(0, 1)],
    ["more than 1,023 bytes", "é".repeat(512)],
    ["the end of all ranges", "\u{10ffff}"],
    ["the end of a prefix", "a\u{10ffff}b"],
  ])("rejects %s", (_, name) => {
    expect(() => nameKey(name)).toThrow(expect.objectContaining({ fault: "request.invalid" }));
    expect(() => nameKey(name)).toThrow(Fault);
  });
});

describe("order of keys", () => {
  it("is the order of their UTF-8 bytes", () => {
    const text = fc.string({ unit: "binary", maxLength: 4 });
    fc.assert(
      fc.property(text, text, (a, b) => {
        expect(Math.sign(compareKeys(a, b))).toBe(Buffer.compare(Buffer.from(a), Buffer.from(b)));
      }),
      { numRuns: 500 },
    );
  });
});
