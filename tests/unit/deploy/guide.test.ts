/** What the guides name is there: commands of this project, and files. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";

const root = fileURLToPath(new URL("../../..", import.meta.url));
const { scripts } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { scripts: Record<string, string> };
const guides = ["README.md", "docs/local.md", "docs/operations.md", "docs/scaling.md"];
const textOf = (guide: string): string => readFileSync(join(root, guide), "utf8");
const found = (text: string, pattern: RegExp): string[] => [
  ...new Set([...text.matchAll(pattern)].map(([, name]) => name ?? "")),
];

const isThere = (file: string): boolean =>
  existsSync(join(root, file)) ||
  readdirSync(join(root, dirname(file))).some((name) => name.startsWith(`${basename(file)}-`));

/** The names of headings as links write them. */
const anchorsOf = (text: string): string[] =>
  found(text, /^#+ (.+)$/gm).map((heading) =>
    heading
      .toLowerCase()
      .replace(/[^\w\s-]/g, "")
      .replace(/\s/g, "-"),
  );

describe.each(guides)("%s", (guide) => {
  const text = textOf(guide);

  test("names commands that there are", () => {
    expect(found(text, /npm run ([\w:]+)/g).filter((name) => !(name in scripts))).toEqual([]);
  });
  test("names files that there are; decisions by their numbers", () => {
    const named = found(text, /`((?:stacks|packages|functions|tests|docs)\/[\w./-]*)`/g);
    expect(named.filter((file) => !isThere(file))).toEqual([]);
  });
  test("links to what there is", () => {
    const links = found(text, /\]\((?!https?:)([^)]+)\)/g);
    const broken = links.filter((link) => {
      const [file = "", anchor] = link.split("#");
      const target = file === "" ? guide : join(dirname(guide), file);
      if (!existsSync(join(root, target))) return true;
      return anchor !== undefined && !anchorsOf(textOf(target)).includes(anchor);
    });
    expect(broken).toEqual([]);
  });
});
