/** Values in distinguished names, and the password request of RFC 3062, byte by byte. */
import { describe, expect, test } from "vitest";
import { dnValue, isNamedBy, passwordRequest } from "#core/directory/ldap/escape.ts";

describe("a value in a distinguished name", () => {
  test.each([
    ["kim", "kim"],
    ["a,ou=x", "a\\2cou\\3dx"],
    ['"+;<>\\#', "\\22\\2b\\3b\\3c\\3e\\5c\\23"],
    [" a b ", "\\20a b\\20"],
    ["a\u0000\u007f", "a\\00\\7f"],
    ["\u00e4\u{1F600}", "\u00e4\u{1F600}"],
  ])("%j is %s", (given, written) => expect(dnValue(given)).toBe(written));
});

test.each([
  ["uid=kim,dc=b", true],
  ["UID=kim,dc=b", true],
  ["cn=kim,dc=b", false],
  ["uid=kim+cn=kim,dc=b", false],
  ["uid=k\\+im,dc=b", true],
  ["uidnumber=1,dc=b", false],
])("%s is named by uid: %s", (dn, expected) => expect(isNamedBy(dn, "uid")).toBe(expected));

test("encodes the password request of RFC 3062, also with lengths of several bytes", () => {
  expect(passwordRequest("cn=a", "secret").toString("hex")).toBe("300e8004636e3d6182067365637265" + "74");
  const long = passwordRequest("a".repeat(130), "b".repeat(300));
  expect([...long.subarray(0, 7)]).toEqual([0x30, 0x82, 0x01, 0xb5, 0x80, 0x81, 0x82]);
  expect(long.length).toBe(4 + 3 + 130 + 4 + 300);
});
