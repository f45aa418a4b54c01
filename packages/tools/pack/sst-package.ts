/** Builds the package of resources for SST and Pulumi: their classes, and the providers that run in the deployment. */
import { cp, mkdir, rename } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { writeTypes } from "./client-package.ts";
import { writeManifest } from "./manifest.ts";

const root = fileURLToPath(new URL("../../..", import.meta.url));

/** Builds the package into a folder that is empty or does not exist. */
export async function buildSst(folder: string): Promise<void> {
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
