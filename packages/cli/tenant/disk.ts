/**
 * Files of a tenant folder. A folder can come from somebody else, by git: links in it lead nowhere, and what is no
 * plain file is not opened.
 */
import { lstat, mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { decoded, WrongText } from "../frame/text-files.ts";

/** An application with everything has some 20 KB. */
const BYTES_MAX = 1_000_000;

/** The names in a folder, in no order; `undefined` without one. Throws `WrongText` for a link and for a file. */
export async function namesIn(folder: string): Promise<readonly string[] | undefined> {
  const found = await statusOf(folder);
  if (!found) return undefined;
  if (found.isSymbolicLink()) throw new WrongText("it is a link. Put a folder in its place");
  if (!found.isDirectory()) throw new WrongText("it must be a folder");
  return await readdir(folder);
}

/** The text of a file; `undefined` where there is none. Throws `WrongText` for what is no plain text file. */
export async function textIn(path: string): Promise<string | undefined> {
  const found = await statusOf(path);
  if (!found) return undefined;
  if (found.isSymbolicLink()) throw new WrongText("it is a link. Put the file itself in its place");
  if (!found.isFile()) throw new WrongText("it must be a file");
  if (found.size > BYTES_MAX) throw new WrongText(`it has more than ${BYTES_MAX} bytes`);
  return decoded(await readFile(path));
}

/** Makes a folder, if there is none. Throws `WrongText` for a link and for a file in its place. */
export async function makeFolder(folder: string): Promise<void> {
  if ((await namesIn(folder)) === undefined) await mkdir(folder, { recursive: true });
}

/** Puts a file in the place of what was there: whole, or not at all. A link is replaced, not followed. */
export async function put(path: string, text: string): Promise<void> {
  const part = join(dirname(path), `.${basename(path)}.part`);
  await rm(part, { force: true });
  await writeFile(part, text, { flag: "wx" });
  await rename(part, path);
}

async function statusOf(path: string) {
  try {
    return await lstat(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}
