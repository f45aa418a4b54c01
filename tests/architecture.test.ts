/** Who may import whom. The table is the diagram of the architecture; an arrow that is not in it turns this test red. */
import { readdir, readFile } from "node:fs/promises";
import { posix } from "node:path";
import { describe, expect, test } from "vitest";

const root = new URL("..", import.meta.url);

/** A kind of module, and the kinds it may import beside its own. The first pattern that fits a path names its kind. */
const kinds: readonly { readonly kind: string; readonly pattern: RegExp; readonly may: readonly string[] }[] = [
  {
    kind: "functions",
    pattern: /^functions\//,
    may: [
      "protocols",
      "contract",
      "catalogue",
      "http",
      "auth",
      "handlers",
      "store",
      "table",
      "dynamo",
      "platform",
      "rules",
      "settings",
    ],
  },
  {
    kind: "local",
    pattern: /^packages\/local\//,
    may: [
      "protocols",
      "settings",
      "functions",
      "contract",
      "declaration",
      "catalogue",
      "http",
      "faults",
      "auth",
      "store",
      "table",
      "dynamo",
      "platform",
      "documents",
      "founding",
      "rules",
    ],
  },
  { kind: "contract", pattern: /^packages\/core\/[a-z-]+\/(contract|shapes)\.ts$/, may: ["declaration"] },
  { kind: "declaration", pattern: /^packages\/core\/catalogue\/(operation|services)\.ts$/, may: ["context"] },
  { kind: "catalogue", pattern: /^packages\/core\/catalogue\//, may: ["contract", "declaration"] },
  { kind: "documents", pattern: /^packages\/core\/documents\/openapi\.ts$/, may: ["declaration", "catalogue", "http"] },
  { kind: "settings", pattern: /^packages\/core\/settings\//, may: ["rules"] },
  { kind: "faults", pattern: /^packages\/core\/faults\//, may: [] },
  { kind: "platform", pattern: /^packages\/core\/platform\//, may: [] },
  {
    kind: "dynamo",
    pattern: /^packages\/core\/table\/(dynamo|expressions|failures)\.ts$/,
    may: ["table", "faults", "platform"],
  },
  { kind: "table", pattern: /^packages\/core\/table\//, may: ["faults", "platform"] },
  { kind: "filter", pattern: /^packages\/core\/filter\//, may: ["faults"] },
  { kind: "parsing", pattern: /^packages\/core\/parsing\//, may: ["faults"] },
  {
    kind: "protocols",
    pattern: /^packages\/core\/protocols\/(configure|custom|oidc|saml)\.ts$/,
    may: ["contract", "faults", "platform", "rules"],
  },
  { kind: "context", pattern: /^packages\/core\/context\.ts$/, may: [] },
  {
    kind: "http",
    pattern: /^packages\/core\/http\//,
    may: ["parsing", "declaration", "catalogue", "faults", "context", "platform", "table"],
  },
  {
    kind: "founding",
    pattern: /^packages\/core\/tenants\/founding\.ts$/,
    may: ["auth", "store", "rules", "table", "platform"],
  },
  {
    kind: "auth",
    pattern: /^packages\/core\/auth\//,
    may: ["context", "declaration", "catalogue", "faults", "http", "platform", "store", "rules", "table"],
  },
  {
    kind: "store",
    pattern: /^packages\/core\/[a-z-]+\/(store|tenant)\.ts$/,
    may: ["rules", "faults", "platform", "table"],
  },
  {
    kind: "handlers",
    pattern: /^packages\/core\/[a-z-]+\/(handlers|list)\.ts$/,
    may: [
      "parsing",
      "protocols",
      "contract",
      "declaration",
      "context",
      "faults",
      "filter",
      "platform",
      "rules",
      "store",
    ],
  },
  {
    kind: "rules",
    pattern: /^packages\/core\/[a-z-]+\//,
    may: ["parsing", "contract", "faults", "platform", "store"],
  },
];

/** The packages that only some kinds may import. */
const outside: readonly { readonly pattern: RegExp; readonly may: readonly string[] }[] = [
  { pattern: /^@aws-sdk\//, may: ["dynamo", "local"] },
  { pattern: /^@middy\//, may: ["http"] },
  { pattern: /^@aws-lambda-powertools\//, may: ["http"] },
  {
    pattern: /^zod$/,
    may: [
      "contract",
      "declaration",
      "http",
      "parsing",
      "functions",
      "documents",
      "rules",
      "handlers",
      "protocols",
      "local",
      "settings",
    ],
  },
  { pattern: /^smol-toml$/, may: ["settings"] },
  { pattern: /^(@peculiar\/|esbuild$|cli-progress$)/, may: ["local"] },
];

const sources = async (): Promise<string[]> => {
  const folders = ["functions", "packages/core", "packages/local"];
  const lists = await Promise.all(folders.map((folder) => readdir(new URL(folder, root), { recursive: true })));
  return lists.flatMap((files, index) =>
    files.filter((file) => file.endsWith(".ts")).map((file) => `${folders[index]}/${file}`),
  );
};

const kindOf = (path: string): string => kinds.find(({ pattern }) => pattern.test(path))?.kind ?? "nobody knows";

const targetOf = (from: string, specifier: string): string => {
  if (specifier.startsWith("#core/")) return specifier.replace("#core/", "packages/core/");
  if (specifier.startsWith("#local/")) return specifier.replace("#local/", "packages/local/");
  if (specifier.startsWith("#functions/")) return specifier.replace("#functions/", "functions/");
  return specifier.startsWith(".") ? posix.join(posix.dirname(from), specifier) : specifier;
};

const importsOf = (text: string): string[] =>
  [
    ...text.matchAll(/^(?:import|export)\b[^;]*?from\s+"([^"]+)"/gm),
    ...text.matchAll(/^import\s+"([^"]+)"/gm),
    ...text.matchAll(/\bimport\("([^"]+)"\)/g),
  ].flatMap(([, specifier]) => (specifier ? [specifier] : []));

describe("imports", async () => {
  const files = await Promise.all(
    (await sources()).map(async (path) => ({ path, text: await readFile(new URL(path, root), "utf8") })),
  );

  test("every module is of a known kind", () => {
    expect(files.map(({ path }) => path).filter((path) => kindOf(path) === "nobody knows")).toEqual([]);
  });

  test("follow the table", () => {
    const wrong = files.flatMap(({ path, text }) => {
      const kind = kindOf(path);
      const may = kinds.find((row) => row.kind === kind)?.may ?? [];
      return importsOf(text).flatMap((specifier) => {
        const target = targetOf(path, specifier);
        if (/^(functions|packages)\//.test(target)) {
          const other = kindOf(target);
          return other === kind || may.includes(other) ? [] : [`${path} (${kind}) imports ${target} (${other})`];
        }
        const rule = outside.find(({ pattern }) => pattern.test(specifier));
        return !rule || rule.may.includes(kind) ? [] : [`${path} (${kind}) imports ${specifier}`];
      });
    });
    expect(wrong).toEqual([]);
  });

  test("the environment is read by functions/env.ts and the local settings alone, the clock by platform/clock.ts", () => {
    const wrong = files
      .filter(({ path }) => path.startsWith("packages/core/") || path.startsWith("functions/"))
      // Adaptive templates hold scripts as text, which run elsewhere.
      .filter(({ path }) => !path.startsWith("packages/core/metadata/templates/"))
      .flatMap(({ path, text }) => [
        ...(text.includes("process.env") && path !== "functions/env.ts" ? [`${path} reads process.env`] : []),
        ...(/Date\.now\(|new Date\(\)|performance\.now\(/.test(text) && !path.endsWith("platform/clock.ts")
          ? [`${path} reads the clock`]
          : []),
      ]);
    expect(wrong).toEqual([]);
  });

  test("only the authorizer opens the store of password hashes", () => {
    const readers = files.filter(({ text }) => /\bcredentialStore\(/.test(text)).map(({ path }) => path);
    expect(readers.sort()).toEqual(["functions/authorizer.ts", "packages/local/seed.ts"]);
  });

  test("a database expression is written in one place, with a Limit and without begins_with", () => {
    const wrong = files
      .filter(({ path }) => path.startsWith("packages/core/") && !path.endsWith("table/dynamo.ts"))
      .filter(({ text }) => /KeyConditionExpression|begins_with|QueryCommand|ScanCommand/.test(text));
    expect(wrong.map(({ path }) => path)).toEqual([]);
    const dynamo = files.find(({ path }) => path.endsWith("table/dynamo.ts"))?.text ?? "";
    expect(dynamo.match(/new QueryCommand\(/g)).toHaveLength(1);
    expect(dynamo).toMatch(/Limit: range\.limit/);
    expect(dynamo).not.toMatch(/begins_with|ScanCommand/);
  });

  test("no file is longer than 350 lines", () => {
    expect(files.filter(({ text }) => text.split("\n").length > 350).map(({ path }) => path)).toEqual([]);
  });
});
