/** The packages of this project, and how each is built into an empty folder. */

import { execFile } from "node:child_process";
import { cp, mkdir, mkdtemp, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { build, type Plugin } from "esbuild";

export const packages: Readonly<Record<string, (folder: string) => Promise<void>>> = {
  client: buildClient,
  cli: buildCli,
  sst: buildSst,
};

const root = fileURLToPath(new URL("../../..", import.meta.url));

/** Builds the package into a folder that is empty or does not exist. */
async function buildCli(folder: string): Promise<void> {
  await mkdir(join(folder, "bin"), { recursive: true });
  await build({
    entryPoints: [join(root, "packages/cli/main.ts")],
    outdir: join(folder, "dist"),
    bundle: true,
    splitting: true,
    format: "esm",
    platform: "node",
    target: "node20",
    minifySyntax: true,
    legalComments: "none",
    // Packages in the older module format call `require`.
    banner: {
      js: 'import { createRequire as createRequireHere } from "node:module"; const require = createRequireHere(import.meta.url);',
    },
    // Reading password hashes from the table of a stage needs the SDK of AWS, which its users have.
    external: ["@aws-sdk/*"],
    plugins: [versionOnly(await projectVersion())],
  });
  await cp(join(root, "packages/cli/bin/identity-admin.js"), join(folder, "bin/identity-admin.js"));
  await cp(join(root, "packages/cli/README.md"), join(folder, "README.md"));
  await cp(join(root, "LICENSE"), join(folder, "LICENSE"));
  await writeManifest("cli", folder);
}

/** The version as a text, in place of the manifest of the project. */
function versionOnly(version: string): Plugin {
  return {
    name: "version",
    setup({ onLoad }) {
      onLoad({ filter: /packages\/cli\/version\.ts$/ }, () => ({
        contents: `export const version = ${JSON.stringify(version)};`,
      }));
    },
  };
}

const run = promisify(execFile);
/** The files whose declarations the package has, besides those of the routes. */
const DECLARED = ["client", "credentials", "faults", "listing", "requests", "scim", "tokens", "transport"];

/** The module of the client as it is packed; with `minify`, as a bundler of a web page would include it. */
export async function clientModule(minify = false): Promise<Uint8Array> {
  const { outputFiles } = await build({
    entryPoints: [join(root, "packages/client/client.ts")],
    bundle: true,
    format: "esm",
    target: "es2022",
    platform: "neutral",
    minify,
    write: false,
  });
  const [file] = outputFiles;
  if (!file) throw new Error("The client has no module.");
  return file.contents;
}

/** Builds the package into a folder that is empty or does not exist. */
async function buildClient(folder: string): Promise<void> {
  const source = join(root, "packages/client");
  await mkdir(join(folder, "dist"), { recursive: true });
  await writeFile(join(folder, "dist/client.js"), await clientModule());
  await writeDeclarations(join(folder, "dist"));
  await writeFile(join(folder, "dist/routes.d.ts"), await routeTypes());
  await cp(join(source, "README.md"), join(folder, "README.md"));
  await cp(join(root, "LICENSE"), join(folder, "LICENSE"));
  await writeManifest("client", folder);
}

/** The declarations of the routes. Throws an `Error` with the words of the compiler. */
async function routeTypes(): Promise<string> {
  const program = fileURLToPath(new URL("route-types.ts", import.meta.url));
  const { stdout } = await run(process.execPath, [program], { maxBuffer: 16 * 1_024 * 1_024 });
  return stdout;
}

function writeDeclarations(folder: string): Promise<void> {
  return writeTypes("packages/client", DECLARED, folder, (text) => text.replace(/(from "\.\/\w+)\.ts"/g, '$1.js"'));
}

/**
 * Writes the declarations of modules of a folder, the first of which imports the others. `rename` changes what they
 * import. Types of packages that are not installed stay as they are written.
 */
async function writeTypes(
  source: string,
  [entry = "", ...others]: readonly string[],
  folder: string,
  rename: (text: string) => string,
): Promise<void> {
  await mkdir(join(root, ".build"), { recursive: true });
  const scratch = await mkdtemp(join(root, ".build/declarations-"));
  try {
    const configuration = join(scratch, "tsconfig.json");
    const compilerOptions = {
      noEmit: false,
      declaration: true,
      emitDeclarationOnly: true,
      noCheck: true,
      rootDir: root,
      outDir: join(scratch, "out"),
    };
    const files = [join(root, source, `${entry}.ts`)];
    await writeFile(
      configuration,
      JSON.stringify({ extends: join(root, "tsconfig.json"), compilerOptions, files, include: [] }),
    );
    await run(process.execPath, [join(root, "node_modules/typescript/bin/tsc"), "-p", configuration]);
    for (const name of [entry, ...others]) {
      const text = await readFile(join(scratch, "out", source, `${name}.d.ts`), "utf8");
      await writeFile(join(folder, `${name}.d.ts`), rename(text));
    }
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

/** Builds the package into a folder that is empty or does not exist. */
async function buildSst(folder: string): Promise<void> {
  const dist = join(folder, "dist");
  await buildSstModules(folder);
  await writeTypes("packages/sst", ["main", "declarations"], dist, (text) =>
    text
      .replace(/"\.\.\/client\/client\.ts"/g, '"@identity-admin-api/client"')
      .replace(/(from "\.\/\w+)\.ts"/g, '$1.js"'),
  );
  await rename(join(dist, "main.d.ts"), join(dist, "sst.d.ts"));
  await cp(join(root, "packages/sst/README.md"), join(folder, "README.md"));
  await cp(join(root, "LICENSE"), join(folder, "LICENSE"));
}

/** The same without types and documents: what a program needs to run. */
export async function buildSstModules(folder: string): Promise<void> {
  const source = join(root, "packages/sst");
  await mkdir(join(folder, "dist"), { recursive: true });
  await build({
    entryPoints: { sst: join(source, "main.ts"), providers: join(source, "providers/providers.ts") },
    outdir: join(folder, "dist"),
    bundle: true,
    format: "esm",
    platform: "node",
    target: "node20",
    external: ["@pulumi/pulumi"],
    logLevel: "error",
  });
  await writeManifest("sst", folder);
}

/** Writes the manifest of a package into `folder`, with version, licence and engines. */
async function writeManifest(name: string, folder: string): Promise<void> {
  const { version, license } = await manifestAt(join(root, "package.json"));
  const own = await manifestAt(fileURLToPath(new URL(`manifests/${name}.json`, import.meta.url)));
  const manifest = { ...own, version, license, type: "module", engines: { node: ">=20" } };
  await writeFile(join(folder, "package.json"), `${JSON.stringify(manifest, undefined, 2)}\n`);
}

/** The version of the project, which is that of its packages. */
async function projectVersion(): Promise<string> {
  const { version } = await manifestAt(join(root, "package.json"));
  return String(version);
}

async function manifestAt(path: string): Promise<Readonly<Record<string, unknown>>> {
  return JSON.parse(await readFile(path, "utf8"));
}
