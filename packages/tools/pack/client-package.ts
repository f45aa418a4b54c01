/** Builds the package of the client: one module without dependencies, and its types. */
import { execFile } from "node:child_process";
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { build } from "esbuild";
import { writeManifest } from "./manifest.ts";

const root = fileURLToPath(new URL("../../..", import.meta.url));
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
export async function buildClient(folder: string): Promise<void> {
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
export async function writeTypes(
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
