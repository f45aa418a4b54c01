/** Files of an export. */
import { rename, writeFile } from "node:fs/promises";

/** Writes a file atomically, readable for its owner only. */
export async function writeWhole(path: string, content: string): Promise<void> {
  await writeFile(`${path}.part`, content, { mode: 0o600 });
  await rename(`${path}.part`, path);
}
