/**
 * The rules of tests/support/architecture.ts, applied to every source file, and rules that hold for the text of a file.
 */
import { readdir, readFile } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import { exceptions, floors, problemsOf, roomOf, type Source, targetsOf } from "#tests/support/architecture.ts";
import { callsOf, type Node, nodesOf } from "#tests/support/syntax.ts";

const root = new URL("..", import.meta.url);

const sources = async (): Promise<Source[]> => {
  const folders = ["functions", "packages", "stacks"];
  const lists = await Promise.all(folders.map((folder) => readdir(new URL(folder, root), { recursive: true })));
  const paths = lists.flatMap((files, at) =>
    files.filter((path) => path.endsWith(".ts")).map((path) => `${folders[at]}/${path}`),
  );
  return Promise.all(paths.map(async (path) => ({ path, text: await readFile(new URL(path, root), "utf8") })));
};

const core = "packages/core";

describe("the rules", () => {
  test("every room has its path once and a purpose", () => {
    const rooms = floors.flat();
    expect(new Set(rooms.map(({ path }) => path)).size).toBe(rooms.length);
    expect(rooms.filter(({ purpose }) => purpose.length < 10)).toEqual([]);
  });

  test.each<[string, string, string, RegExp]>([
    [
      "a file in an unknown room",
      "invented/store.ts",
      "",
      /invented\/store\.ts is in no room\. Move it into one, or add/,
    ],
    ["a file in no folder of its room", "scim/x.ts", "", /is in no folder of packages\/core\/scim\. Move it into one/],
    [
      "an import that climbs",
      "scim/protocol/values.ts",
      'import { a } from "../../applications/registry/model.ts";',
      /applications is not on a lower floor than packages\/core\/scim\. Move what both need/,
    ],
    [
      "an import that climbs, over an alias",
      "kernel/values.ts",
      'import { a } from "#client/client.ts";',
      /packages\/client is not on a lower floor than packages\/core\/kernel/,
    ],
    [
      "an import of a type that climbs",
      "kernel/values.ts",
      'type A = import("../tokens/model.ts").AccessToken;',
      /tokens is not on a lower floor/,
    ],
    ["an import of a test", "kernel/a.ts", 'export * from "#tests/support/a.ts";', /Only tests import tests/],
    [
      "an alias that is not declared",
      "kernel/a.ts",
      'import "#stacks/a.ts";',
      /no entry of "imports" in package\.json/,
    ],
    [
      "an import that climbs inside of a room",
      "directory/users/a.ts",
      'import { a } from "../provisioning/users.ts";',
      /provisioning is not below users in packages\/core\/directory/,
    ],
    [
      "an import between folders of one floor",
      "applications/files/a.ts",
      'await import("../templates/use.ts");',
      /templates is not below files/,
    ],
    [
      "keys outside of a store",
      "sign-in/oauth/grants.ts",
      'import { keys } from "../../database/table/keys.ts";',
      /Move the code to a file whose role allows that import/,
    ],
    [
      "rules that read the table",
      "directory/tenants/rules.ts",
      'import { stale } from "../../database/table/stale.ts";',
      /rules: pure decisions/,
    ],
    [
      "a package of other folders",
      "sign-in/oauth/grants.ts",
      'import { SignJWT } from "jose";',
      /imports jose, which is for/,
    ],
  ])("report %s", (_, path, text, problem) => {
    expect(problemsOf([{ path: `${core}/${path}`, text }])).toEqual([expect.stringMatching(problem)]);
  });

  test("report files that import each other over a third one, types too", () => {
    const file = (name: string, imported: string): Source => ({
      path: `${core}/tokens/${name}.ts`,
      text: `import type { A } from "./${imported}.ts";`,
    });
    expect(problemsOf([file("a", "b"), file("b", "c"), file("c", "a"), file("d", "a")])).toEqual([
      `${core}/tokens/a.ts imports ${core}/tokens/b.ts imports ${core}/tokens/c.ts imports ${core}/tokens/a.ts. Move what they share to a file below.`,
    ]);
  });

  test("allow an import from a lower floor", () => {
    const text = 'import { Fault } from "../../kernel/faults.ts";\nimport * as z from "zod";';
    expect(problemsOf([{ path: `${core}/sign-in/oauth/grants.ts`, text }])).toEqual([]);
  });
});

test("CONTRIBUTING.md shows the rooms of packages/core as they are", async () => {
  const shown = await readFile(new URL("CONTRIBUTING.md", root), "utf8");
  const rows = floors.flat().flatMap(({ path, purpose, inside = [] }) => {
    if (!path.startsWith(`${core}/`)) return [];
    const parts = inside.map((floor) => floor.map((part) => `\`${part}\``).join(", ")).join("; ");
    return [`| \`${path.slice(core.length + 1)}\` | ${purpose} | ${parts} |`];
  });
  expect(shown.split("\n").filter((line) => rows.includes(line))).toEqual(rows);
});

describe("every source file", async () => {
  const files = await sources();
  /** The files that call one of some functions. */
  const callersOf = (...names: readonly string[]): string[] =>
    files.filter(({ path, text }) => callsOf(path, text).some((name) => names.includes(name))).map(({ path }) => path);

  test("keeps the rules", () => {
    expect(problemsOf(files)).toEqual([]);
  });

  test("is in a room that the table names, and no room is empty", () => {
    const used = new Set(files.map(({ path }) => roomOf(path)?.path));
    expect(floors.flat().filter(({ path }) => !used.has(path))).toEqual([]);
  });

  test("uses each exception of the rules", () => {
    const pairs = files.flatMap((file) => targetsOf(file).map((target) => ({ path: file.path, target })));
    const unused = exceptions.filter(
      ({ from, to }) => !pairs.some(({ path, target }) => from.test(path) && to.test(target)),
    );
    expect(unused).toEqual([]);
  });

  test("is in a folder of the floors, and no folder is empty", () => {
    const parts = floors.flat().flatMap(({ path, inside = [] }) => inside.flat().map((part) => `${path}/${part}`));
    expect(parts.filter((part) => !files.some(({ path }) => path === part || path.startsWith(`${part}/`)))).toEqual([]);
  });

  test("reads the environment in functions/env.ts only, and the clock in kernel/clock.ts only", () => {
    const wrong = files
      .filter(({ path }) => path.startsWith("packages/core/") || path.startsWith("functions/"))
      .flatMap(({ path, text }) =>
        nodesOf(path, text).flatMap((node) => [
          ...(isMember(node, "process", "env") && path !== "functions/env.ts" ? [`${path} reads process.env`] : []),
          ...(readsClock(node) && path !== `${core}/kernel/clock.ts` ? [`${path} reads the clock`] : []),
        ]),
      );
    expect(wrong).toEqual([]);
  });

  test("opens the store of password hashes where users sign in, in the local seed and in the export with hashes only", () => {
    const readers = callersOf("credentialStore");
    expect(readers.sort()).toEqual([
      ...["functions/authorizer.ts", "functions/oauth2.ts", "functions/sign-in.ts"],
      ...["packages/cli/users/export.ts", "packages/local/seed.ts"],
    ]);
  });

  test("opens the signing keys in the token endpoint and in the commands that rotate and replace them only", () => {
    const openers = callersOf("newSigningKeys", "newIdTokenKeys", "keyStore", "ringStore");
    expect(openers.sort()).toEqual([
      "functions/oauth2.ts",
      // Opens the keys of security events only.
      "packages/core/tokens/event-token.ts",
      "packages/core/tokens/id-token-keys.ts",
      "packages/core/tokens/key-cache.ts",
      "packages/core/tokens/key-store.ts",
      "packages/core/tokens/saml-keys.ts",
      "packages/tools/keys.ts",
      "packages/tools/restored/restore.ts",
    ]);
  });

  test("leaves database expressions to table/dynamo.ts, which sends a Limit and no begins_with", () => {
    const dynamo = `${core}/database/table/dynamo.ts`;
    const queries = files
      .filter(({ path }) => path.startsWith(`${core}/`))
      // The types of the calls, and the commands of the SDK.
      .filter(({ path }) => !/\/table\/client\/(?:calls|document-client)\.ts$/.test(path))
      .flatMap(({ path, text }) => nodesOf(path, text).map((node) => ({ path, node })));
    const wrong = queries.filter(
      ({ path, node }) =>
        (path !== dynamo && (isText(node, "Query") || nameOf(node.key) === "KeyConditionExpression")) ||
        (path !== dynamo && /^(?:Query|Scan)Command$/.test(String(node.name))) ||
        isText(node, "Scan") ||
        (node.type === "Literal" && /begins_with/.test(String(node.value))) ||
        (node.type === "TemplateElement" && /begins_with/.test(JSON.stringify(node.value))),
    );
    expect(wrong.map(({ path }) => path)).toEqual([]);
    const calls = queries.flatMap(({ path, node }) => {
      const [call, input] = node.type === "CallExpression" ? (node.arguments as readonly Node[]) : [];
      return path === dynamo && call && isText(call, "Query") ? [input] : [];
    });
    expect(calls).toHaveLength(1);
    const members = (calls[0]?.properties ?? []) as readonly Node[];
    expect(members.map(({ key }) => nameOf(key))).toContain("Limit");
  });

  test("has no cast over unknown", () => {
    const isCast = ({ type, expression, typeAnnotation }: Node): boolean =>
      type === "TSAsExpression" &&
      (expression as Node).type === "TSAsExpression" &&
      ((expression as Node).typeAnnotation as Node).type === "TSUnknownKeyword" &&
      typeAnnotation !== undefined;
    const casting = files.filter(({ path, text }) => nodesOf(path, text).some(isCast));
    expect(casting.map(({ path }) => path)).toEqual([]);
  });

  test("has comments of at most 120 columns outside of tables", () => {
    const isLong = (line: string) =>
      /^\s*(\*|\/\/|\/\*)/.test(line) && line.length > 120 && !/biome-ignore|^ \* \|/.test(line);
    const long = files.flatMap(({ path, text }) =>
      text.split("\n").flatMap((line) => (isLong(line) ? [`${path}: ${line}`] : [])),
    );
    expect(long).toEqual([]);
  });

  test("builds schemas on first use: in core, kernel/zod.ts alone imports the values of zod", () => {
    const isEager = ({ type, source, importKind, exportKind }: Node): boolean =>
      /^(?:Import|ExportNamed|ExportAll)(?:Declaration|Expression)$/.test(type) &&
      importKind !== "type" &&
      exportKind !== "type" &&
      isText(source as Node | null, "zod");
    const eager = files.filter(({ path, text }) => path.startsWith(`${core}/`) && nodesOf(path, text).some(isEager));
    expect(eager.map(({ path }) => path)).toEqual([`${core}/kernel/zod.ts`]);
  });

  test("has at most 350 lines", () => {
    expect(files.filter(({ text }) => text.split("\n").length > 350).map(({ path }) => path)).toEqual([]);
  });
});

const isText = (node: Node | null | undefined, text: string): boolean =>
  node?.type === "Literal" && node.value === text;

const nameOf = (node: unknown): unknown =>
  typeof node === "object" && node !== null && "name" in node ? node.name : undefined;

const isMember = ({ type, object, property }: Node, of: string, name: string): boolean =>
  type === "MemberExpression" && nameOf(object) === of && nameOf(property) === name;

const readsClock = (node: Node): boolean =>
  isMember(node, "Date", "now") ||
  isMember(node, "performance", "now") ||
  (node.type === "NewExpression" && nameOf(node.callee) === "Date" && (node.arguments as readonly Node[]).length === 0);
