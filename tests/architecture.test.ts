/**
 * The rules of tests/support/architecture.ts, applied to every source file, and rules that hold for the text of a file.
 */
import { readdir, readFile } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import { exceptions, floors, importsOf, problemsOf, roomOf, type Source } from "#tests/support/architecture.ts";

const root = new URL("..", import.meta.url);

const sources = async (): Promise<Source[]> => {
  const folders = ["functions", "packages", "stacks"];
  const lists = await Promise.all(folders.map((folder) => readdir(new URL(folder, root), { recursive: true })));
  const paths = lists.flatMap((files, at) =>
    files.filter((path) => path.endsWith(".ts")).map((path) => `${folders[at]}/${path}`),
  );
  return Promise.all(paths.map(async (path) => ({ path, text: await readFile(new URL(path, root), "utf8") })));
};

describe("the rules", () => {
  test("every room has its path once and a purpose", () => {
    const rooms = floors.flat();
    expect(new Set(rooms.map(({ path }) => path)).size).toBe(rooms.length);
    expect(rooms.filter(({ purpose }) => purpose.length < 10)).toEqual([]);
  });

  test.each<[string, Source, RegExp]>([
    [
      "a file in an unknown room",
      { path: "packages/core/invented/store.ts", text: "" },
      /packages\/core\/invented\/store\.ts is in no room\. Move it into one, or add a room/,
    ],
    [
      "an import that climbs",
      { path: "packages/core/scim/values.ts", text: 'import { a } from "../applications/registry/model.ts";' },
      /applications\/registry is not on a lower floor than packages\/core\/scim\. Move what both need/,
    ],
    [
      "an import between rooms of one floor",
      { path: "packages/core/scim-api/v1/users.ts", text: 'import { a } from "../v2/users.ts";' },
      /scim-api\/v2 is not on a lower floor/,
    ],
    [
      "keys outside of a store",
      { path: "packages/core/oauth/grants.ts", text: 'import { keys } from "../table/keys.ts";' },
      /Move the code to a file whose role allows that import/,
    ],
    [
      "rules that read the table",
      { path: "packages/core/tenants/rules.ts", text: 'import { stale } from "../table/stale.ts";' },
      /rules: pure decisions/,
    ],
    [
      "a package of other rooms",
      { path: "packages/core/oauth/grants.ts", text: 'import { SignJWT } from "jose";' },
      /imports jose, which is for rooms/,
    ],
  ])("report %s", (_, source, problem) => {
    expect(problemsOf([source])).toEqual([expect.stringMatching(problem)]);
  });

  test("allow an import from a lower floor", () => {
    const text = 'import { Fault } from "../platform/faults.ts";\nimport * as z from "zod";';
    expect(problemsOf([{ path: "packages/core/oauth/grants.ts", text }])).toEqual([]);
  });
});

describe("every source file", async () => {
  const files = await sources();

  test("keeps the rules", () => {
    expect(problemsOf(files)).toEqual([]);
  });

  test("is in a room that the table names, and no room is empty", () => {
    const used = new Set(files.map(({ path }) => roomOf(path)?.path));
    expect(floors.flat().filter(({ path }) => !used.has(path))).toEqual([]);
  });

  test("uses each exception of the rules", () => {
    const pairs = files.flatMap(({ path, text }) => importsOf(text).map((specifier) => ({ path, specifier })));
    const unused = exceptions.filter(({ from }) => !pairs.some(({ path }) => from.test(path)));
    expect(unused).toEqual([]);
  });

  test("reads the environment in functions/env.ts only, and the clock in platform/clock.ts only", () => {
    const wrong = files
      .filter(({ path }) => path.startsWith("packages/core/") || path.startsWith("functions/"))
      // Adaptive templates hold scripts as text; other software runs them.
      .filter(({ path }) => !path.startsWith("packages/core/applications/metadata/templates/"))
      .flatMap(({ path, text }) => [
        ...(text.includes("process.env") && path !== "functions/env.ts" ? [`${path} reads process.env`] : []),
        ...(/Date\.now\(|new Date\(\)|performance\.now\(/.test(text) && !path.endsWith("platform/clock.ts")
          ? [`${path} reads the clock`]
          : []),
      ]);
    expect(wrong).toEqual([]);
  });

  test("opens the store of password hashes where users sign in, in the local seed and in the export with hashes only", () => {
    const readers = files.filter(({ text }) => /(?<!function )\bcredentialStore\(/.test(text)).map(({ path }) => path);
    expect(readers.sort()).toEqual([
      ...["functions/authorizer.ts", "functions/oauth2.ts", "functions/sign-in.ts"],
      ...["packages/cli/users/export.ts", "packages/local/seed.ts"],
    ]);
  });

  test("opens the signing keys in the token endpoint and in the commands that rotate and replace them only", () => {
    const openers = files
      .filter(({ text }) => /(?<!function )\b(?:newSigningKeys|newIdTokenKeys|keyStore|ringStore)\(/.test(text))
      .map(({ path }) => path);
    expect(openers.sort()).toEqual([
      "functions/oauth2.ts",
      // Opens the keys of security events only.
      "packages/core/tokens/event-token.ts",
      "packages/core/tokens/id-token-keys.ts",
      "packages/core/tokens/key-cache.ts",
      "packages/core/tokens/key-store.ts",
      "packages/tools/keys.ts",
      "packages/tools/restored/restore.ts",
    ]);
  });

  test("leaves database expressions to table/dynamo.ts, which sends a Limit and no begins_with", () => {
    const wrong = files
      .filter(({ path }) => path.startsWith("packages/core/") && !path.endsWith("table/dynamo.ts"))
      // The types of the calls.
      .filter(({ path }) => !path.endsWith("table/client/calls.ts"))
      .filter(({ text }) => /KeyConditionExpression|begins_with|QueryCommand|ScanCommand|"Query"|"Scan"/.test(text));
    expect(wrong.map(({ path }) => path)).toEqual([]);
    const dynamo = files.find(({ path }) => path.endsWith("table/dynamo.ts"))?.text ?? "";
    expect(dynamo.match(/client\.call\("Query"/g)).toHaveLength(1);
    expect(dynamo).toMatch(/Limit: range\.limit/);
    expect(dynamo).not.toMatch(/begins_with|"Scan"/);
  });

  test("has no cast over unknown", () => {
    expect(files.filter(({ text }) => text.includes("as unknown as")).map(({ path }) => path)).toEqual([]);
  });

  test("has comments of at most 120 columns outside of tables", () => {
    const isLong = (line: string) =>
      /^\s*(\*|\/\/|\/\*)/.test(line) && line.length > 120 && !/biome-ignore|^ \* \|/.test(line);
    const long = files.flatMap(({ path, text }) =>
      text.split("\n").flatMap((line) => (isLong(line) ? [`${path}: ${line}`] : [])),
    );
    expect(long).toEqual([]);
  });

  test("builds schemas on first use: in core, platform/zod.ts alone imports the values of zod", () => {
    const eager = files.filter(
      ({ path, text }) => path.startsWith("packages/core/") && /^import \* as z from "zod"/m.test(text),
    );
    expect(eager.map(({ path }) => path)).toEqual([]);
  });
  test("has at most 350 lines", () => {
    expect(files.filter(({ text }) => text.split("\n").length > 350).map(({ path }) => path)).toEqual([]);
  });
});
