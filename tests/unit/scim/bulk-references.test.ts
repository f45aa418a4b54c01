/** References by bulkId in the data of a bulk operation. */
import { describe, expect, test } from "vitest";
import { bulkIdsIn, resolved } from "#core/scim/protocol/bulk-references.ts";

const created = new Map([
  ["u1", "id-1"],
  ["u2", "id-2"],
]);
const patch = (path: string) => ({ Operations: [{ op: "remove", path }] });

describe("a reference in the path of a PATCH", () => {
  test.each([
    ['members[value eq "bulkId:u1"]', 'members[value eq "id-1"]', ["u1"]],
    ["members[value eq bulkId:u1]", 'members[value eq "id-1"]', ["u1"]],
    [
      'users[value eq "bulkId:u1" or (value eq "bulkId:u2")]',
      'users[value eq "id-1" or (value eq "id-2")]',
      ["u1", "u2"],
    ],
    ['emails[display eq "see bulkId:u1"]', 'emails[display eq "see bulkId:u1"]', []],
    ['emails[display eq "\\" bulkId:u1"]', 'emails[display eq "\\" bulkId:u1"]', []],
    ['members[value eq "bulkId:none"]', 'members[value eq "bulkId:none"]', ["none"]],
    ['members[value eq "bulkId:u1', 'members[value eq "bulkId:u1', []],
    ["members", "members", []],
  ])("%s", (path, after, ids) => {
    expect([...bulkIdsIn("/Groups/x", patch(path))]).toEqual(ids);
    expect(resolved(patch(path), created)).toEqual(patch(after));
  });
  test("is none elsewhere: a text is a reference as a whole", () => {
    const data = { displayName: 'a "bulkId:u1"', path: '"bulkId:u1"', members: ["bulkId:u1"] };
    expect([...bulkIdsIn("/Groups/bulkId:u2", data)]).toEqual(["u2", "u1"]);
    expect(resolved(data, created)).toEqual({ ...data, members: ["id-1"] });
  });
  test("is searched in one pass, however many quotes a path has", () => {
    const paths = ['"\\'.repeat(500_000), '"'.repeat(999_999), " bulkId:".repeat(100_000)];
    for (const path of paths) expect(bulkIdsIn("/Groups/x", patch(path)).size).toBeLessThan(2);
  });
});
