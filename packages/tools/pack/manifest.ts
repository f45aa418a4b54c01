/**
 * Writes the `package.json` of a package: that of `manifests`, with what all packages share. It is not next to the
 * sources, because Node would read it there and not find the imports of the project.
 */
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../../..", import.meta.url));

/** Writes the manifest of a package into `folder`, with version, licence and engines. */
export async function writeManifest(name: string, folder: string): Promise<void> {
  const { version, license } = await manifestAt(join(root, "package.json"));
  const own = await manifestAt(fileURLToPath(new URL(`manifests/${name}.json`, import.meta.url)));
  const manifest = { ...own, version, license, type: "module", engines: { node: ">=20" } };
  await writeFile(join(folder, "package.json"), `${JSON.stringify(manifest, undefined, 2)}\n`);
}

/** The version of the project, which is that of its packages. */
export async function projectVersion(): Promise<string> {
  const { version } = await manifestAt(join(root, "package.json"));
  return String(version);
}

async function manifestAt(path: string): Promise<Readonly<Record<string, unknown>>> {
  return JSON.parse(await readFile(path, "utf8"));
}
