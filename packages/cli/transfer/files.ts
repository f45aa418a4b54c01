/** Files of an export: whole or not there, and for their owner alone. */
import { rename, writeFile } from "node:fs/promises";

/** Writes a file of which nobody ever sees a part. */
export async function writeWhole(path: string, content: string): Promise<void> {
  await writeFile(`${path}.part`, content, { mode: 0o600 });
  await rename(`${path}.part`, path);
}
