/** Wildcards of filters, and filters of any text. The forms of filters are tested over HTTP. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { groupFilter, userFilter } from "#core/directory/scim-api/v1/filter.ts";
import { Fault } from "#core/kernel/faults.ts";
import { bindFilter } from "#core/scim/protocol/filter/bind.ts";
import { groupType, userType } from "#core/scim/protocol/schema/resource-types.ts";

const stores = ["PRIMARY", "SECOND"];

/** Whether a name matches a pattern, as the index decides. */
const lets = (pattern: string, name: string): boolean => {
  const { names } = groupFilter(groupType, `displayName Eq "${pattern}"`, stores);
  if (!names) throw new Error(`${pattern} is not a pattern`);
  return name.startsWith(names.prefix) && (names.test?.(name) ?? true);
};

describe("wildcards", () => {
  test("a pattern matches the same names as its regular expression", () => {
    const letters = fc.constantFrom("a", "b");
    const pattern = fc
      .array(fc.oneof(letters, fc.constant("*")), { minLength: 1, maxLength: 8 })
      .map((parts) => parts.join(""))
      .filter((text) => text.includes("*"));
    const name = fc.array(letters, { maxLength: 10 }).map((parts) => parts.join(""));
    fc.assert(
      fc.property(pattern, name, (text, one) => {
        expect(lets(text, one)).toBe(new RegExp(`^${text.replaceAll("*", ".*")}$`).test(one));
      }),
      { numRuns: 2_000 },
    );
  });
  test("ignores case, and handles parts that overlap", () => {
    expect(lets("*ENG*", "the engineers")).toBe(true);
    expect(lets("ab*ba", "aba")).toBe(false);
    expect(lets("ab*ba", "abba")).toBe(true);
    expect(lets("Straße*", "straße 1")).toBe(true);
  });
  test("a pattern of many stars is matched without backtracking", () => {
    expect(lets("*a".repeat(5_000), "b".repeat(250))).toBe(false);
    expect(lets(`${"*a".repeat(120)}*`, "a".repeat(250))).toBe(true);
  });
  test("takes a prefix as the user store where it is one", () => {
    const of = (filter: string) => groupFilter(groupType, filter, stores);
    expect(of("displayNameEqsecond/x*")).toMatchObject({ userStore: "SECOND", names: { prefix: "x" } });
    expect(of('displayName Eq "x"')).toMatchObject({ userStore: "PRIMARY", syntax: { literal: { text: "x" } } });
    expect(of('displayName Eq "third/x"')).toMatchObject({
      userStore: "PRIMARY",
      syntax: { literal: { text: "third/x" } },
    });
    expect(of("id Eq x").userStore).toBeUndefined();
  });
});

test("a value without quotes may have parentheses that are closed", () => {
  for (const text of ["Sales(EMEA)", "f(g(x))(y)"]) {
    expect(userFilter(userType, `userName Eq ${text}`)).toMatchObject({ syntax: { literal: { text } } });
    expect(groupFilter(groupType, `displayNameEq${text}`, stores)).toMatchObject({ syntax: { literal: { text } } });
  }
  for (const text of ["(kim)", "kim)", "kim(", "a)b("]) {
    expect(() => userFilter(userType, `userName Eq ${text}`)).toThrow(Fault);
  }
});

describe("any text", () => {
  const word = fc.constantFrom(
    "userName",
    "displayName",
    "emails.work",
    "meta.created",
    "Eq",
    "eq",
    " ",
    '"',
    "\\",
    "*",
    "/",
    ".",
    "and",
    "(",
    "x",
  );
  const text = fc.oneof(
    fc.string({ maxLength: 30 }),
    fc.array(word, { maxLength: 8 }).map((parts) => parts.join("")),
  );
  test("is a filter that can be bound, or a fault", () => {
    fc.assert(
      fc.property(text, (filter) => {
        try {
          const ofUsers = userFilter(userType, filter);
          if (ofUsers.syntax) bindFilter(userType, ofUsers.syntax, { unknown: "refuse" });
          const ofGroups = groupFilter(groupType, filter, stores);
          if (ofGroups.syntax) bindFilter(groupType, ofGroups.syntax, { unknown: "refuse" });
        } catch (error) {
          expect(error).toBeInstanceOf(Fault);
          expect((error as Fault).fault).toBe("scim.filter_invalid");
        }
      }),
      { numRuns: 2_000 },
    );
  });
});
