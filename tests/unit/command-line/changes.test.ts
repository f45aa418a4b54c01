/** How `changes tail` shows one change. */
import { expect, test } from "vitest";
import { lineOf } from "#cli/commands/changes.ts";

const changeOf = (paths: readonly string[], total?: number) =>
  ({
    time: "2026-11-27T08:00:00.000Z",
    actor: { type: "user", id: "u1", name: "dana" },
    operation: "patchGroup",
    resource: { type: "group", id: "g1", name: "crew" },
    changes: paths.map((path) => ({ op: "add", path, value: 1 })),
    ...(total !== undefined && { changesTruncated: true, changesTotalCount: total }),
  }) as unknown as Parameters<typeof lineOf>[0];
const members = Array.from({ length: 25 }, (_, at) => `/members/${at}`);
const START = "2026-11-27T08:00:00.000Z  dana  patchGroup  group crew";

test("names the paths, at most 20, and how many more there are, also of a record that is not shown whole", () => {
  expect(lineOf(changeOf([""]))).toBe(START);
  expect(lineOf(changeOf(members.slice(0, 20)))).toBe(`${START}  ${members.slice(0, 20).join(" ")}`);
  expect(lineOf(changeOf(["", ...members]))).toBe(`${START}  ${members.slice(0, 20).join(" ")} and 5 more`);
  expect(lineOf(changeOf(members, 70_000))).toBe(`${START}  ${members.slice(0, 20).join(" ")} and 69980 more`);
});
