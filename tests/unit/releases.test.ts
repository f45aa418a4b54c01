/** The releases in CHANGELOG.md, docs/upgrading.md, package.json and the recorded tables agree. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const root = fileURLToPath(new URL("../..", import.meta.url));
const textOf = (file: string): string => readFileSync(join(root, file), "utf8");
const sections = textOf("CHANGELOG.md")
  .split(/^## /m)
  .slice(1)
  .map((section) => {
    const [heading = "", ...lines] = section.split("\n");
    const [, version = "", when = ""] = /^(\d+\.\d+\.\d+), (\d{4}-\d\d-\d\d|not released)$/.exec(heading) ?? [];
    return { heading, version, when, text: lines.join("\n") };
  });
const versions = sections.map(({ version }) => version);
const released = sections.filter(({ when }) => when !== "not released");

test("each section has a version and a date; only the first may be unreleased", () => {
  expect(sections.filter(({ version }) => version === "").map(({ heading }) => heading)).toEqual([]);
  expect(sections.slice(1).filter(({ when }) => when === "not released")).toEqual([]);
  const numbers = versions.map((version) => version.split(".").map(Number));
  const sorted = numbers.toSorted((a, b) => a.map((part, at) => (b[at] ?? 0) - part).find((part) => part !== 0) ?? 0);
  expect(numbers).toEqual(sorted);
});

test("package.json has the version of the latest release, or of the first one before it", () => {
  expect(JSON.parse(textOf("package.json")).version).toBe((released[0] ?? sections.at(-1))?.version);
});

test("each release but the first says who has to know what, and whether one can go back; upgrading.md has its steps", () => {
  const upgrading = textOf("docs/upgrading.md");
  for (const { version, text } of sections.slice(0, -1)) {
    for (const part of ["**Callers**", "**Operators**", "**Going back**"]) expect(text).toContain(part);
    const steps = upgrading.split(/^## /m).find((section) => section.startsWith(`To ${version}\n`)) ?? "";
    for (const part of ["**Before**", "**Afterwards**", "**Going back**"]) expect(steps).toContain(part);
  }
});

test("each release before the latest section has a recorded table", () => {
  const folder = join(root, "tests/data/releases");
  const recorded = existsSync(folder) ? readdirSync(folder) : [];
  expect(recorded.sort()).toEqual(versions.slice(1).sort());
  for (const version of recorded) expect(existsSync(join(folder, version, "made.json"))).toBe(true);
});
