/** What `identity-admin login` stores: one file that its owner alone can read. */
import { mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import type { ClientCredentials, UserCredentials } from "#client/client.ts";
import { wrongInput } from "./errors.ts";

/** A service and a credential. */
export interface Stored {
  readonly url: string;
  readonly tenant?: string | undefined;
  readonly credentials: UserCredentials | ClientCredentials | { readonly token: string };
}

/** Where the file is. `XDG_CONFIG_HOME` names another folder than `~/.config`. */
export function storedPath(environment: NodeJS.ProcessEnv): string {
  return join(environment.XDG_CONFIG_HOME || join(homedir(), ".config"), "identity-admin", "credentials.json");
}

/** What is stored, if anything. Throws a `CommandError` for a file that this program did not write. */
export async function readStored(environment: NodeJS.ProcessEnv): Promise<Stored | undefined> {
  const path = storedPath(environment);
  let text: string;
  try {
    text = await readFile(path, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
  try {
    const stored = JSON.parse(text) as Stored;
    if (typeof stored.url === "string" && typeof stored.credentials === "object") return stored;
  } catch {
    // The sentence below is for both.
  }
  throw wrongInput(`${path} is damaged.`, "Remove it and sign in again: identity-admin logout; identity-admin login");
}

/** Stores a credential in place of another. Returns the path of the file. */
export async function store(stored: Stored, environment: NodeJS.ProcessEnv): Promise<string> {
  const path = storedPath(environment);
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  // A file that is there may be a link, or open for others.
  const part = `${path}.part`;
  await rm(part, { force: true });
  await writeFile(part, `${JSON.stringify(stored, undefined, 2)}\n`, { mode: 0o600, flag: "wx" });
  await rename(part, path);
  return path;
}

/** Forgets what is stored. */
export async function forget(environment: NodeJS.ProcessEnv): Promise<void> {
  await rm(storedPath(environment), { force: true });
}
