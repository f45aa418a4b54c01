/**
 * docs/requirements.md agrees with the catalogue, with deployment.toml and with the tests; ids that the project cites
 * exist.
 */
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { services } from "#core/kernel/operation/services.ts";
import { operations } from "#core/service/catalogue.ts";

const root = new URL("../../", import.meta.url);
const read = (path: string): string => readFileSync(new URL(path, root), "utf8");
const DOCUMENT = "docs/requirements.md";
const deploymentToml = read("deployment.toml");

interface Row {
  readonly id: string;
  readonly requirement: string;
  readonly servedBy: string;
  readonly tests: string;
}

/** The rows of the tables. */
const parse = (document: string): readonly Row[] =>
  [...document.matchAll(/^\| ((?:AM|AC|S1|S2)-\d{3}) \|(.*)\|(.*)\|(.*)\|$/gm)].map(
    ([, id = "", requirement = "", servedBy = "", tests = ""]): Row => ({
      id,
      requirement: requirement.trim(),
      servedBy: servedBy.trim(),
      tests: tests.trim(),
    }),
  );
const rows = parse(read(DOCUMENT));

/** A specification, a requirement, or a decision: its number. */
const SOURCE = /\bRFC \d+|\bOpenID |\bdraft-|\b(?:AM|AC|S1|S2)-\d{3}|\bdecision (\d{4})/g;

const OPERATION = /^`(\w+)`$/;
const EVERY = /^every operation(?: of `([\w-]+)`)?$/;
const SETTING = /^`\[([\w.]+)\] (\w+)`$/;

/** What is wrong with one entry of "Served by"; `undefined` where nothing is. */
const wrongServer = (entry: string): string | undefined => {
  const [, operation] = OPERATION.exec(entry) ?? [];
  if (operation !== undefined) return operation in operations ? undefined : `no operation ${operation}`;
  const [every, service] = EVERY.exec(entry) ?? [];
  if (every !== undefined) return service === undefined || service in services ? undefined : `no service ${service}`;
  const [, section, key] = SETTING.exec(entry) ?? [];
  if (section === undefined) return `"${entry}" is no operation and no setting`;
  const hasSection = new RegExp(`^(?:# )?\\[\\[?${section.replaceAll(".", "\\.")}\\]`, "m").test(deploymentToml);
  return hasSection && new RegExp(`^(?:# *)?${key}\\b`, "m").test(deploymentToml)
    ? undefined
    : `no setting [${section}] ${key} in deployment.toml`;
};

/** What is wrong with one test of a row; `undefined` where nothing is. */
const wrongTest = (entry: string): string | undefined => {
  const [, path, text] = /^`(tests\/[\w./-]+\.test\.ts)`(?: "([^"]+)")?$/.exec(entry) ?? [];
  if (path === undefined) return `"${entry}" names no test file`;
  if (!existsSync(new URL(path, root))) return `${path} does not exist`;
  return text === undefined || read(path).includes(text) ? undefined : `${path} does not contain "${text}"`;
};

const entriesOf = (cell: string): string[] => cell.split(", ");
const faultsOf = (cellOf: (row: Row) => string, wrong: (entry: string) => string | undefined): string[] =>
  rows.flatMap((row) =>
    entriesOf(cellOf(row)).flatMap((entry) => {
      const fault = wrong(entry);
      return fault === undefined ? [] : [`${row.id}: ${fault}`];
    }),
  );

/** Every text file of the project that may cite a requirement. */
const sources = ["packages", "functions", "stacks", "tests", "docs"].flatMap((folder) =>
  readdirSync(new URL(`${folder}/`, root), { recursive: true })
    .map((name) => `${folder}/${name}`)
    .filter((path) => /\.(?:ts|md|json|toml)$/.test(path) && statSync(new URL(path, root)).isFile()),
);

describe(DOCUMENT, () => {
  test("lists requirements, each with an id of its own", () => {
    expect(rows.length).toBeGreaterThan(250);
    const ids = rows.map(({ id }) => id);
    expect(ids.filter((id, at) => ids.indexOf(id) !== at)).toEqual([]);
    expect(rows.filter(({ requirement }) => requirement === "")).toEqual([]);
  });
  test("has only table lines that are read as rows", () => {
    const lines = read(DOCUMENT).match(/^\| (?!Id \||--- ).*$/gm) ?? [];
    expect(lines).toHaveLength(rows.length);
  });
  test("names an operation of the catalogue or a setting of deployment.toml for each requirement", () => {
    expect(faultsOf(({ servedBy }) => servedBy, wrongServer)).toEqual([]);
  });
  test("names existing tests for each requirement", () => {
    expect(faultsOf(({ tests }) => tests, wrongTest)).toEqual([]);
  });
  test("has a row for every operation whose source is no specification and no decision that exists", () => {
    const required = new Set(
      rows.flatMap(({ servedBy }) => entriesOf(servedBy).flatMap((entry) => OPERATION.exec(entry)?.[1] ?? [])),
    );
    const decisions = new Set(readdirSync(new URL("docs/decisions/", root)).map((name) => name.slice(0, 4)));
    const isKnown = (source: string) => {
      const named = [...source.matchAll(SOURCE)];
      return named.length > 0 && named.every(([, decision]) => decision === undefined || decisions.has(decision));
    };
    const without = Object.entries(operations).filter(([id, { source }]) => !required.has(id) && !isKnown(source));
    expect(without.map(([id, { source }]) => `${id}: ${source}`)).toEqual([]);
  });
});

describe("a citation of a requirement", () => {
  test("names a requirement that exists", () => {
    const ids = new Set(rows.map(({ id }) => id));
    const unknown = sources.flatMap((path) =>
      [...read(path).matchAll(/\b(?:AM|AC|S1|S2)-\d+\b/g)]
        .filter(([id]) => !ids.has(id))
        .map(([id]) => `${path} cites ${id}`),
    );
    expect(unknown).toEqual([]);
  });
});

describe("the comparison", () => {
  test("reports an unknown operation, service and setting", () => {
    expect(wrongServer("`getNothing`")).toBe("no operation getNothing");
    expect(wrongServer("every operation of `nothing`")).toBe("no service nothing");
    expect(wrongServer("`[scim2] shade`")).toBe("no setting [scim2] shade in deployment.toml");
    expect(wrongServer("")).toBe('"" is no operation and no setting');
  });
  test("reports a missing test file and a text that the file does not contain", () => {
    expect(wrongTest("`tests/http/nothing.test.ts`")).toBe("tests/http/nothing.test.ts does not exist");
    expect(wrongTest('`tests/contract/catalogue.test.ts` "no such text"')).toContain("does not contain");
    expect(wrongTest("")).toContain("names no test file");
  });
  test("reads a row", () => {
    expect(parse("| AM-001 | List | `a` | `t` |\n\n## Other\n")).toEqual([
      { id: "AM-001", requirement: "List", servedBy: "`a`", tests: "`t`" },
    ]);
  });
});
