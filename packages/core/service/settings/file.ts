/** The file deployment.toml. */
import { readFileSync } from "node:fs";

/**
 * Reads a deployment.toml once, while a function starts: a function with wrong settings must not serve requests. `read`
 * reads the text. Throws an `Error` that names the file and every wrong key, or the line that is not TOML.
 */
export function fromFile<Settings>(path: string, read: (source: string) => Settings): Settings {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new Error(`DEPLOYMENT_TOML ${path} cannot be read: ${reason}`, { cause });
  }
  try {
    return read(text);
  } catch (cause) {
    if (!(cause instanceof Error)) throw cause;
    throw new Error(`${path}: ${cause.message}`, { cause });
  }
}
