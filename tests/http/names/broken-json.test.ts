/** A body that is not JSON: the answer says where the mistake is and what was expected, and repeats nothing of it. */
import { describe, expect, test } from "vitest";
import { world } from "#tests/support/world.ts";

const api = world();
const cases: readonly (readonly [string, string])[] = [
  ['{"name": "x",}', "Line 1, column 14: expected a name in double quotes."],
  ['{\n  "name" "x"\n}', "Line 2, column 10: expected a colon."],
  ['{"name": }', "Line 1, column 10: expected a value."],
  ['{"name": "x"', "Line 1, column 13: expected a closing brace or a comma."],
  ['{"name": "x" "y": 1}', "Line 1, column 14: expected a comma."],
  ["{'name': 'x'}", "Line 1, column 2: expected"],
  ['{"name": TopSecret}', "Line 1, column 10: expected a value: an object"],
  ['{"a": 1}}', "Line 1, column 9: expected the end of the body."],
  ["[1, 2", "Line 1, column 6: expected a closing bracket or a comma."],
  ['{"a": 1} // TopSecret', "Line 1, column 10: expected"],
  ['{"a":\r\n"\\x"}', "Line 2, column 1: expected a character after the backslash that JSON knows."],
];

describe.each([
  ["/api/server/v1/applications", "description"],
  ["/scim2/Users", "detail"],
])("%s", (path, member) => {
  test.each(cases)("%j", async (raw, sentence) => {
    const { status, body, text } = await api.ask("POST", path, { raw });
    expect(status).toBe(400);
    expect(body[member]).toContain(sentence);
    expect(text).not.toContain("TopSecret");
  });
});
