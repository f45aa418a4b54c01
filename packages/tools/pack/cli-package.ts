/** Builds the package of the command line: its launcher and a bundle of all that it uses, for Node 20 and later. */
import { cp, mkdir } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build, type Plugin } from "esbuild";
import { projectVersion, writeManifest } from "./manifest.ts";

const root = fileURLToPath(new URL("../../..", import.meta.url));

/** Builds the package into a folder that is empty or does not exist. */
export async function buildCli(folder: string): Promise<void> {
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
