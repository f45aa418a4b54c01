/** The documents of the project: their form, and that the commands, files and headings that they name exist. */
import { existsSync, globSync, readdirSync, readFileSync } from "node:fs";
import { basename, dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { resourceTypes } from "#core/database/changes/model.ts";
import { long, longAlone, protecting, protectingLoads } from "../long.ts";

const COLUMNS_MAX = 120;
const README_LINES_MAX = 120;
const DECISION_LINES_MAX = 70;
const DECISION_HEADINGS = ["Context", "Decision", "Given up", "Wrong if"];

const root = fileURLToPath(new URL("../..", import.meta.url));
const { scripts } = JSON.parse(textOf("package.json")) as { scripts: Record<string, string> };
const documents = [...documentsBelow("")].sort();
const decisions = documents.filter((file) => /^docs\/decisions\/\d{4}-[a-z0-9-]+\.md$/.test(file));

test("there are documents and decisions", () => {
  expect(documents).toEqual(expect.arrayContaining(["README.md", "CONTRIBUTING.md", "docs/operations.md"]));
  expect(decisions.length).toBeGreaterThan(30);
});

test("README.md is about a page, with a picture that has a title and a description", () => {
  expect(textOf("README.md").trimEnd().split("\n").length).toBeLessThanOrEqual(README_LINES_MAX);
  const [, picture = ""] = /^!\[[^\]]+\]\((docs\/[\w.]+\.svg)\)$/m.exec(textOf("README.md")) ?? [];
  expect(textOf(picture)).toMatch(/<title id="title">\S[^<]*<\/title>\s*<desc id="desc">\S[^<]*<\/desc>/);
});

test("docs/README.md names every document", () => {
  const named = found(textOf("docs/README.md"), /\]\(([\w./-]+)[)#]/g).map((link) => join("docs", link));
  const missing = documents.filter((file) => file.startsWith("docs/") && !file.startsWith("docs/decisions/"));
  expect(missing.filter((file) => file !== "docs/README.md" && !named.includes(file))).toEqual([]);
});

test("docs/event-bus.md names every type of resource that the bus sends", () => {
  const [, list = ""] = /^Types of resources are ([\s\S]+?)\. /m.exec(textOf("docs/event-bus.md")) ?? [];
  expect(found(list, /`([a-z-]+)`/g).toSorted()).toEqual(resourceTypes.toSorted());
});

describe("docs/security.md", () => {
  const everyTime = new Set([...protecting, ...protectingLoads]);
  const listed = globSync([...long, ...longAlone, "tests/load/**/*.test.ts"], { cwd: root });
  const sampled = new Set(listed.filter((path) => !everyTime.has(path)));
  const rows = found(textOf("docs/security.md"), /^\| (?!Promise|---)(.*)\|$/gm).map((row) => row.split(/ ?\| ?/));
  test.each(rows)("names the tests that hold: %s", (_promise, threat, tests = "", ...further) => {
    expect([threat?.endsWith("."), further.length]).toEqual([true, 1]);
    const named = [...tests.matchAll(/`(tests\/[^`]+)`(?: "([^"]+)")?/g)];
    expect(named).not.toEqual([]);
    for (const [, pattern = "", title] of named) {
      const files = globSync(pattern, { cwd: root });
      expect(files, pattern).not.toEqual([]);
      // A promise is tested by every run of CI: what is sampled could be broken for weeks.
      expect(files.filter((path) => sampled.has(path))).toEqual([]);
      if (title) expect(files.map(textOf).join()).toContain(title);
    }
  });
});

test("the costs that documents begin with are those that docs/scaling.md computes", () => {
  const scaling = textOf("docs/scaling.md");
  const [, small, medium, large] =
    /^\| \*\*USD a month\*\* \| \*\*(.+)\*\* \| \*\*(.+)\*\* \| \*\*(.+)\*\* \|$/m.exec(scaling) ?? [];
  for (const cost of [small, medium, large]) expect(scaling).toMatch(new RegExp(`requests \\| ${cost} USD \\|`));
  for (const cost of [small, medium]) expect(textOf("README.md")).toContain(`requests a month | ${cost} a month |`);
  const [production, staging] = found(scaling, /^\| `\w+` without requests \| (\d+) USD \|/gm);
  expect(textOf("README.md")).toContain(`| ${production} a month; ${staging} |`);
});

describe.each(documents)("%s", (file) => {
  const text = textOf(file);

  test("has prose lines of at most 120 columns", () => {
    expect(proseOf(text).filter((line) => [...line].length > COLUMNS_MAX)).toEqual([]);
  });
  test("has no comments in commands: zsh would pass them on", () => {
    expect(found(text, /^ *```sh\n([\s\S]*?)^ *```$/gm).filter((block) => /(?:^|\s)#\s/m.test(block))).toEqual([]);
  });
  test("links to files and headings that exist", () => {
    const links = found(text, /\]\((?!https?:)([^)\s]+)\)/g);
    expect(links.filter((link) => !isTarget(file, link))).toEqual([]);
  });
  test("names npm scripts that exist", () => {
    expect(found(text, /npm run ([\w:-]+)/g).filter((name) => !(name in scripts))).toEqual([]);
  });
  test("has the command line as npx takes it: with --no, and no option before the command, which npx would take", () => {
    const isGuide = file.startsWith("docs/") && !file.startsWith("docs/decisions/");
    const typed = found(text, /((?:npx (?:--no )?)?(?<![\w./-])identity-admin -?[a-z]+)/g);
    if (isGuide) expect(typed.filter((words) => !/^npx --no identity-admin [a-z]+$/.test(words))).toEqual([]);
  });
  test("names files that exist; decisions by their numbers", () => {
    const named = found(text, /`((?:stacks|packages|functions|tests|docs)\/[\w./-]*)`/g);
    expect(named.filter((name) => !isThere(name))).toEqual([]);
  });
  test("names decisions that exist", () => {
    const numbers = found(text, /\bdecisions? (\d{4})\b/gi);
    expect(numbers.filter((number) => !decisions.some((decision) => basename(decision).startsWith(number)))).toEqual(
      [],
    );
  });
});

describe.each(decisions)("%s", (file) => {
  const text = textOf(file);
  const name = basename(file);

  test("has a title with its number, and the four headings", () => {
    expect(text).toMatch(new RegExp(`^# ${name.slice(0, 4)} \\S`));
    expect(found(text, /^## (.+)$/gm)).toEqual(DECISION_HEADINGS);
  });
  test("is one page", () => {
    expect(text.trimEnd().split("\n").length).toBeLessThanOrEqual(DECISION_LINES_MAX);
  });
  test("is in the index, with a title, a sentence and a status", () => {
    const row = textOf("docs/decisions/README.md")
      .split("\n")
      .find((line) => line.includes(`(${name})`));
    expect(row).toMatch(/^\| \[\d{4}\]\([^)]+\) \| [^|]+ \| [^|]+\. \| [a-z ]+ \|$/);
  });
});

/** The Markdown files of the project below a folder, by their paths from the root. */
function documentsBelow(folder: string): readonly string[] {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isFile()) return entry.name.endsWith(".md") ? [path] : [];
    const isOurs = entry.isDirectory() && !entry.name.startsWith(".") && entry.name !== "node_modules";
    return isOurs ? documentsBelow(path) : [];
  });
}

function textOf(file: string): string {
  return readFileSync(join(root, file), "utf8");
}

/** The lines outside of tables and code blocks. */
function proseOf(text: string): readonly string[] {
  const withoutCode = text.replace(/^ *```[\s\S]*?^ *```$/gm, "");
  return withoutCode.split("\n").filter((line) => !line.trimStart().startsWith("|"));
}

function found(text: string, pattern: RegExp): string[] {
  return [...new Set([...text.matchAll(pattern)].map(([, name]) => name ?? ""))];
}

function isTarget(from: string, link: string): boolean {
  const [path = "", anchor] = link.split("#");
  const target = path === "" ? from : relative(root, join(root, dirname(from), path));
  if (!existsSync(join(root, target))) return false;
  return anchor === undefined || anchorsOf(textOf(target)).includes(anchor);
}

/** The names of headings as links write them. */
function anchorsOf(text: string): string[] {
  return found(text, /^#+ (.+)$/gm).map((heading) =>
    heading
      .toLowerCase()
      .replace(/[^\w\s-]/g, "")
      .replace(/\s/g, "-"),
  );
}

/** Whether a file or folder exists, or a file of a decision whose number is given. */
function isThere(file: string): boolean {
  if (existsSync(join(root, file))) return true;
  const folder = join(root, dirname(file));
  return existsSync(folder) && readdirSync(folder).some((name) => name.startsWith(`${basename(file)}-`));
}
