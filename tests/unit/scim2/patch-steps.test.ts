/** A PATCH of members reads the list once, and compares it with filters within a budget. */
import { describe, expect, test } from "vitest";
import { memberIds } from "#core/directory/provisioning/groups.ts";
import { membershipOf, stepsOn } from "#core/directory/scim-api/v2/patch-steps.ts";
import { readPatch } from "#core/scim/protocol/patch/read.ts";
import { groupType } from "#core/scim/protocol/schema/resource-types.ts";

const membership = async (paths: readonly string[], members: number) => {
  let reads = 0;
  const steps = stepsOn(readPatch(groupType, { Operations: paths.map((path) => ({ op: "remove", path })) }), "members");
  const change = await membershipOf(steps, {
    name: "members",
    idsOf: memberIds,
    linkOf: (id) => `https://a.example/Users/${id}`,
    namesOf: async () => new Map(),
    read: async () => {
      reads += 1;
      return Array.from({ length: members }, (_, at) => ({ id: `u-${at}`, name: `kim-${at}` }));
    },
  });
  return { reads, change };
};

describe("a PATCH with a filter on members in each operation", () => {
  test("reads the members once", async () => {
    const paths = Array.from({ length: 50 }, (_, at) => `members[display eq "kim-${at}"]`);
    const { reads, change } = await membership(paths, 100);
    expect(reads).toBe(1);
    expect(change.removing.size).toBe(50);
  });
  test("does not read them where all operations name ids", async () => {
    const { reads, change } = await membership(['members[value eq "u-1"]', 'members[value eq "u-2"]'], 100);
    expect(reads).toBe(0);
    expect([...change.removing]).toEqual(["u-1", "u-2"]);
  });
  test("does not read them after an operation that replaces them", async () => {
    const { reads, change } = await membership(["members", 'members[value ne "u-1"]', "members[type pr]"], 100);
    expect([reads, change.replaces]).toEqual([0, true]);
  });
  test("is refused before it compares more than a million times", async () => {
    const paths = Array.from({ length: 101 }, (_, at) => `members[display eq "kim-${at}"]`);
    await expect(membership(paths, 10_000)).rejects.toMatchObject({ fault: "request.too_large" });
    await expect(membership(paths.slice(1), 10_000)).resolves.toMatchObject({ reads: 1 });
  });
});
