/** Writes the `package.json` of a package: that of its folder, with what all packages share. */
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../../..", import.meta.url));

/** Reads the manifest of a source folder, and writes it with version, licence and engines into `folder`. */
export async function writeManifest(source: string, folder: string): Promise<void> {
  const { version, license } = await manifestAt(join(root, "package.json"));
  const { private: _, ...own } = await manifestAt(source);
  const manifest = { ...own, version, license, type: "module", engines: { node: ">=20" } };
  await writeFile(join(folder, "package.json"), `${JSON.stringify(manifest, undefined, 2)}\n`);
}

async function manifestAt(path: string): Promise<Readonly<Record<string, unknown>>> {
  return JSON.parse(await readFile(path, "utf8"));
}
