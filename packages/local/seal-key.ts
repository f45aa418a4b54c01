/** The key under which the local service seals secrets: made once, kept beside the data that it seals. */
import { randomBytes } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";

const KEY_BYTES = 32;

/** The key in Base64. Without a data directory it is as short-lived as the data. */
export const sealKey = async (dataDirectory: string | undefined): Promise<string> => {
  const fresh = randomBytes(KEY_BYTES).toString("base64");
  if (!dataDirectory) return fresh;
  const file = join(dataDirectory, "seal.key");
  try {
    // Made or found in one step: two starts at once end with one key.
    await writeFile(file, fresh, { flag: "wx", mode: 0o600 });
    return fresh;
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
    return (await readFile(file, "utf8")).trim();
  }
};
