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
      "access",
      "credentials",
      "founding",
      "scim",
      "scim1",
      "scim2",
      "protocols",
      "contract",
      "catalogue",
      "http",
      "auth",
      "oauth",
      "tokens",
      "handlers",
      "store",
      "table",
      "dynamo",
      "platform",
      "rules",
      "settings",
      "directory",
    ],
  },
  // What is deployed, as data; the rest of stacks/ makes it with SST.
  {
    kind: "plan",
    pattern: /^stacks\/(authorities|bundling|directories|plan|stage|statements)\.ts$/,
    may: ["declaration", "settings", "table"],
  },
  { kind: "stacks", pattern: /^stacks\//, may: ["plan", "catalogue", "declaration", "metrics"] },
  { kind: "metrics", pattern: /^packages\/core\/http\/metric-names\.ts$/, may: [] },
  {
    kind: "local",
    pattern: /^packages\/local\//,
    may: [
      "plan",
      "credentials",
      "scim",
      "protocols",
      "settings",
      "functions",
      "contract",
      "declaration",
      "catalogue",
      "http",
      "faults",
      "auth",
      "tokens",
      "store",
      "table",
      "dynamo",
      "platform",
      "documents",
      "founding",
      "rules",
    ],
  },
  {
    kind: "contract",
    pattern: /^packages\/core\/[a-z0-9-]+\/(contract|shapes)(-[a-z]+)?\.ts$/,
    may: ["declaration", "scim"],
  },
  { kind: "declaration", pattern: /^packages\/core\/catalogue\/(operation|services)\.ts$/, may: ["context"] },
  { kind: "catalogue", pattern: /^packages\/core\/catalogue\//, may: ["contract", "declaration"] },
  { kind: "documents", pattern: /^packages\/core\/documents\/openapi\.ts$/, may: ["declaration", "catalogue", "http"] },
  { kind: "settings", pattern: /^packages\/core\/settings\//, may: ["access", "directory settings", "rules"] },
  { kind: "directory settings", pattern: /^packages\/core\/directory\/model\.ts$/, may: ["store"] },
  // User stores that are kept elsewhere. Only `open.ts` is asked for from outside, and only where one is declared.
  {
    kind: "directory",
    pattern: /^packages\/core\/directory\//,
    may: ["directory settings", "faults", "platform", "rules", "scim", "store", "table", "tokens"],
  },
  { kind: "access", pattern: /^packages\/core\/access\//, may: ["declaration", "rules"] },
  { kind: "faults", pattern: /^packages\/core\/faults\//, may: [] },
  { kind: "platform", pattern: /^packages\/core\/platform\//, may: [] },
  {
    kind: "dynamo",
    pattern: /^packages\/core\/table\/(dynamo|expressions|failures)\.ts$/,
    may: ["table", "faults", "platform"],
  },
  { kind: "table", pattern: /^packages\/core\/table\//, may: ["faults", "platform"] },
  { kind: "scim", pattern: /^packages\/core\/scim\//, may: ["faults", "platform"] },
  { kind: "filter", pattern: /^packages\/core\/filter\//, may: ["faults"] },
  { kind: "parsing", pattern: /^packages\/core\/parsing\//, may: ["faults"] },
  {
    kind: "protocols",
    pattern: /^packages\/core\/protocols\/(configure|custom|oidc|saml)\.ts$/,
    may: ["contract", "faults", "platform", "rules"],
  },
  {
    kind: "transfer",
    pattern: /^packages\/core\/transfer\/(?!contract|shapes|handlers)/,
    may: ["contract", "faults", "parsing", "protocols", "rules"],
  },
  { kind: "context", pattern: /^packages\/core\/context\.ts$/, may: [] },
  {
    kind: "http",
    pattern: /^packages\/core\/http\//,
    may: ["metrics", "parsing", "declaration", "catalogue", "faults", "context", "platform", "table"],
  },
  {
    kind: "founding",
    pattern: /^packages\/core\/tenants\/(founder|founding)\.ts$/,
    may: ["dynamo", "credentials", "declaration", "store", "rules", "scim", "table", "platform"],
  },
  { kind: "credentials", pattern: /^packages\/core\/auth\/credentials\.ts$/, may: ["platform", "table"] },
  {
    kind: "auth",
    pattern: /^packages\/core\/auth\//,
    may: [
      "access",
      "context",
      "credentials",
      "declaration",
      "catalogue",
      "faults",
      "http",
      "platform",
      "store",
      "rules",
      "table",
      "tokens",
    ],
  },
  // Tokens as such: what they say, how they are kept, signed and revoked. Stores write revocations beside their own changes.
  { kind: "tokens", pattern: /^packages\/core\/tokens\//, may: ["faults", "platform", "store", "table"] },
  {
    kind: "oauth",
    pattern: /^packages\/core\/oauth\/(?!contract|shapes)/,
    may: [
      "auth",
      "tokens",
      "contract",
      "declaration",
      "context",
      "faults",
      "http",
      "platform",
      "rules",
      "store",
      "table",
    ],
  },
  {
    kind: "provisioning",
    pattern: /^packages\/core\/[a-z0-9-]+\/provisioning\.ts$/,
    may: ["credentials", "faults", "platform", "rules", "scim", "store", "table", "tokens"],
  },
  {
    // Users and groups as resources, whichever version of SCIM shows them.
    kind: "resources",
    pattern: /^packages\/core\/resources\//,
    may: ["faults", "listing", "platform", "rules", "scim", "store"],
  },
  {
    kind: "scim1",
    pattern: /^packages\/core\/scim1\//,
    may: [
      "contract",
      "declaration",
      "context",
      "faults",
      "listing",
      "platform",
      "provisioning",
      "resources",
      "rules",
      "scim",
      "store",
    ],
  },
  {
    kind: "scim2",
    pattern: /^packages\/core\/scim2\//,
    may: [
      "contract",
      "declaration",
      "context",
      "faults",
      "listing",
      "platform",
      "provisioning",
      "resources",
      "rules",
      "scim",
      "store",
    ],
  },
  { kind: "listing", pattern: /^packages\/core\/listing\//, may: ["faults", "scim", "table"] },
  {
    kind: "store",
    pattern: /^packages\/core\/[a-z0-9-]+\/(store|tenant|lookups|membership|names|holders|roster|crowd|items)\.ts$/,
    may: ["rules", "scim", "faults", "platform", "table", "tokens"],
  },
  {
    kind: "handlers",
    pattern: /^packages\/core\/[a-z0-9-]+\/(handlers|list)\.ts$/,
    may: [
      "transfer",
      "parsing",
      "protocols",
      "contract",
      "declaration",
      "context",
      "faults",
      "filter",
      "platform",
      "rules",
      "scim",
      "store",
      "tokens",
    ],
  },
  {
    kind: "rules",
    pattern: /^packages\/core\/[a-z0-9-]+\//,
    may: ["parsing", "contract", "faults", "platform", "scim", "store"],
  },
];

/** The packages that only some kinds may import. */
const outside: readonly { readonly pattern: RegExp; readonly may: readonly string[] }[] = [
  { pattern: /^@aws-sdk\//, may: ["dynamo", "local"] },
  { pattern: /^@middy\//, may: ["http"] },
  { pattern: /^@aws-lambda-powertools\//, may: ["http"] },
  { pattern: /^@fastify\/busboy$/, may: ["http"] },
  { pattern: /^@rgrove\/parse-xml$/, may: ["parsing", "rules", "transfer"] },
  {
    pattern: /^zod$/,
    may: [
      "contract",
      "declaration",
      "http",
      "parsing",
      "functions",
      "documents",
      "founding",
      "rules",
      "handlers",
      "protocols",
      "oauth",
      "local",
      "settings",
      "transfer",
    ],
  },
  { pattern: /^jose$/, may: ["tokens"] },
  { pattern: /^smol-toml$/, may: ["settings"] },
  { pattern: /^ldapts$/, may: ["directory"] },
  { pattern: /^(@peculiar\/|esbuild$|cli-progress$)/, may: ["local"] },
];

const sources = async (): Promise<string[]> => {
  const folders = ["functions", "packages/core", "packages/local", "stacks"];
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
        if (/^(functions|packages|stacks)\//.test(target)) {
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

  test("only the authorizer and the token endpoint open the store of password hashes", () => {
    const readers = files.filter(({ text }) => /\bcredentialStore\(/.test(text)).map(({ path }) => path);
    expect(readers.sort()).toEqual(["functions/authorizer.ts", "functions/oauth2.ts", "packages/local/seed.ts"]);
  });

  test("only the token endpoint and the people who rotate them open the keys that sign", () => {
    const openers = files.filter(({ text }) => /\b(?:newSigningKeys|keyStore)\(/.test(text)).map(({ path }) => path);
    expect(openers.sort()).toEqual([
      "functions/oauth2.ts",
      "packages/core/tokens/held-keys.ts",
      "packages/local/keys.ts",
    ]);
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
