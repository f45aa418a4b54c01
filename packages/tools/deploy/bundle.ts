/**
 * Builds a function as SST does for a deployment: with the same bundler, version and options. So tests and sizes are
 * about the code that is uploaded.
 */
import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type BuildOptions, build } from "esbuild";
import { type Bundling, bundling } from "../../../stacks/bundling.ts";

/** The directory of the project. */
export const root = fileURLToPath(new URL("../../..", import.meta.url));

/** The file that Lambda loads. */
export const BUNDLE = "bundle.mjs";

/** Defines `require` for packages that still call it: ES modules have none. */
const BANNER =
  'import { createRequire as bannerRequire } from "node:module";' +
  "const require = bannerRequire(import.meta.url), __filename = import.meta.filename, __dirname = import.meta.dirname;";

/** The options of the bundler for the file `functions/<name>.ts`. */
export function buildOptions(name: string, outdir: string, options: Bundling = bundling) {
  return {
    absWorkingDir: root,
    entryPoints: [`functions/${name}.ts`],
    outdir,
    entryNames: "bundle",
    outExtension: { ".js": ".mjs" },
    bundle: true,
    splitting: options.splitting ?? false,
    minify: options.minify ?? false,
    keepNames: options.esbuild?.keepNames ?? true,
    platform: "node",
    format: "esm",
    target: "es2024",
    mainFields: ["module", "main"],
    sourcemap: options.esbuild?.sourcemap === false ? false : "linked",
    external: ["sharp", "pg-native"],
    banner: { js: BANNER },
    metafile: true,
    logLevel: "error",
  } as const satisfies BuildOptions;
}

/**
 * Builds a function into an emptied directory. Returns the paths of the source maps, which are not uploaded with the
 * code.
 */
export async function bundleFunction(name: string, outdir: string, options?: Bundling): Promise<string[]> {
  await rm(outdir, { recursive: true, force: true });
  await mkdir(outdir, { recursive: true });
  const { metafile } = await build(buildOptions(name, outdir, options));
  return Object.keys(metafile.outputs)
    .filter((file) => file.endsWith(".map"))
    .map((file) => join(root, file));
}
