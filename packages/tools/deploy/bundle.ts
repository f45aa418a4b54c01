/**
 * Builds a function as SST does when it deploys: the same bundler in the same version, with the options that SST's program
 * gives it. So what tests run and what sizes are told of is what is uploaded.
 */
import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type BuildOptions, build } from "esbuild";
import { type Bundling, bundling } from "../../../stacks/bundling.ts";

/** The project's directory. */
export const root = fileURLToPath(new URL("../../..", import.meta.url));

/** The file that Lambda loads. */
export const BUNDLE = "bundle.mjs";

/** Modules are strict about `require`; packages that still call it get one. */
const BANNER =
  'import { createRequire as bannerRequire } from "node:module";' +
  "const require = bannerRequire(import.meta.url), __filename = import.meta.filename, __dirname = import.meta.dirname;";

/** What the bundler is asked for the file `functions/<name>.ts`. */
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
    sourcemap: "linked",
    external: ["sharp", "pg-native"],
    banner: { js: BANNER },
    metafile: true,
    logLevel: "error",
  } as const satisfies BuildOptions;
}

/** Builds a function into a directory, which is emptied first. Answers the source maps: they are not uploaded with the rest. */
export async function bundleFunction(name: string, outdir: string, options?: Bundling): Promise<string[]> {
  await rm(outdir, { recursive: true, force: true });
  await mkdir(outdir, { recursive: true });
  const { metafile } = await build(buildOptions(name, outdir, options));
  return Object.keys(metafile.outputs)
    .filter((file) => file.endsWith(".map"))
    .map((file) => join(root, file));
}
