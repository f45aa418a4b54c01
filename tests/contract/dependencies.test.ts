/**
 * Every package that a source or a test imports is in package.json, so that an update of another package cannot remove
 * it.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { isBuiltin } from "node:module";
import { describe, expect, test } from "vitest";

const root = new URL("../../", import.meta.url);
const read = (path: string): string => readFileSync(new URL(path, root), "utf8");
const manifest = JSON.parse(read("package.json")) as Readonly<Record<string, Readonly<Record<string, string>>>>;
const { dependencies = {}, devDependencies = {}, optionalDependencies = {} } = manifest;
const lock = JSON.parse(read("package-lock.json")) as { readonly packages: Readonly<Record<string, object>> };

interface Import {
  readonly name: string;
  /** True for `import type`, which does not exist at run time. */
  readonly typeOnly: boolean;
}

/** The package of a specifier; `undefined` for a file of the project and for a module of Node. */
const packageOf = (specifier: string): string | undefined => {
  if (/^[.#/]/.test(specifier) || isBuiltin(specifier)) return undefined;
  const [scope = "", name = ""] = specifier.split("/");
  return scope.startsWith("@") ? `${scope}/${name}` : scope;
};

const importsOf = (text: string): Import[] =>
  [
    ...text.matchAll(/^(?:import|export)\b([^;"]*?)from\s+"([\w@./#:-]+)"/gm),
    ...text.matchAll(/^import\s+()"([\w@./#:-]+)"/gm),
    ...text.matchAll(/\bimport\(()"([\w@./#:-]+)"\)/g),
  ].flatMap(([, clause = "", specifier = ""]) => {
    const name = packageOf(specifier);
    return name === undefined ? [] : [{ name, typeOnly: clause.trimStart().startsWith("type ") }];
  });

const filesIn = (folder: string): string[] =>
  readdirSync(new URL(folder, root), { recursive: true })
    .map((name) => `${folder}${name}`)
    .filter((path) => path.endsWith(".ts"));

/** Deployed code must not need packages that only development installs. */
const isDeployed = (path: string): boolean => /^(?:functions|packages\/core)\//.test(path);

/** What the resources for SST find in the project that deploys. */
const peers: object = JSON.parse(read("packages/tools/pack/manifests/sst.json")).peerDependencies;
/** The packages of this project. */
const OWN = /^@identity-admin-api\//;

const isDeclared = ({ name, typeOnly }: Import, path: string): boolean => {
  if (name in dependencies || OWN.test(name)) return true;
  if (path.startsWith("packages/sst/") && name in peers) return true;
  if (isDeployed(path) && !typeOnly) return false;
  const types = `@types/${name.replace(/^@(.+)\//, "$1__")}`;
  return [name, types].some((each) => each in devDependencies || each in optionalDependencies);
};

const undeclaredIn = (path: string, text: string): string[] =>
  importsOf(text)
    .filter((one) => !isDeclared(one, path))
    .map(({ name }) => `${path} imports ${name}`);

describe("package.json", () => {
  const paths = [
    ...["packages/", "functions/", "stacks/", "tests/"].flatMap(filesIn),
    ...["vitest.config.ts", "sst.config.ts"].filter((path) => existsSync(new URL(path, root))),
  ];
  test("declares every package that is imported", () => {
    expect(paths.length).toBeGreaterThan(400);
    expect(paths.flatMap((path) => undeclaredIn(path, read(path)))).toEqual([]);
  });
  test("names versions that the lock file has, and the lock file names no registry", () => {
    const declared = Object.entries({ ...dependencies, ...devDependencies, ...optionalDependencies });
    const locked = declared.map(([name]) => {
      const { version } = (lock.packages[`node_modules/${name}`] ?? {}) as { version?: string };
      return [name, version];
    });
    expect(locked).toEqual(declared);
    expect(read("package-lock.json")).not.toContain('"resolved"');
  });
});

describe("the comparison", () => {
  test("reports an undeclared package, and a development package in deployed code", () => {
    expect(undeclaredIn("tests/x.ts", 'import { x } from "nowhere/sub";')).toEqual(["tests/x.ts imports nowhere"]);
    expect(undeclaredIn("functions/x.ts", 'import "@scope/none";')).toEqual(["functions/x.ts imports @scope/none"]);
    expect(undeclaredIn("packages/core/x.ts", 'import fc from "fast-check";')).toHaveLength(1);
    expect(undeclaredIn("tests/x.ts", 'const fc = await import("fast-check");')).toEqual([]);
  });
  test("accepts imported types in deployed code, modules of Node and files of the project", () => {
    const text = 'import type { Context } from "aws-lambda";\nimport { x } from "#core/x.ts";\nimport "node:fs";\n';
    expect(undeclaredIn("packages/core/x.ts", text)).toEqual([]);
  });
});
