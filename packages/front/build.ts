/**
 * Builds the files of the page at `/` (decision 0107): pages from docs/, the API document, its reference, scripts and
 * styles, each compressed. The directory is named after its input, so one that exists is complete and up to date.
 */
import { createHash, randomUUID } from "node:crypto";
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import { type FrontFile, type FrontIndex, INDEX_FILE } from "#core/service/site/files.ts";
import type { Served } from "./contents.ts";
import { hashOf, shortened } from "./hash.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
/** What the files are made of. */
const inputs = ["docs", "packages/front", "packages/core/service/site", "package-lock.json", "package.json"];
/** Higher levels take seconds for the API document and save little. */
const BROTLI_LEVEL = 6;

const brotli = promisify(brotliCompress);
const zip = promisify(gzip);

/**
 * Builds the files into `.build/front/<hash>` unless they are there, and returns the directory. Several processes may
 * do so at once. Throws an `Error` where a document links to a page that does not exist.
 */
export async function buildFront(): Promise<string> {
  const directory = join(root, ".build/front", await hashOfInputs());
  if (await exists(join(directory, INDEX_FILE))) return directory;
  const scratch = `${directory}.${randomUUID()}`;
  // What is there already needs no compiler: an installation without development packages has none.
  const { everything } = await import("./contents.ts");
  await writeFiles(scratch, await everything(root));
  try {
    await rename(scratch, directory);
  } catch (error) {
    // Another process was faster.
    await rm(scratch, { recursive: true, force: true });
    if (!(await exists(join(directory, INDEX_FILE)))) throw error;
  }
  return directory;
}

async function hashOfInputs(): Promise<string> {
  const hash = createHash("sha256");
  for (const input of inputs) {
    const path = join(root, input);
    const isFolder = (await stat(path)).isDirectory();
    const names = isFolder ? (await readdir(path, { recursive: true })).sort().map((name) => join(path, name)) : [path];
    for (const name of names) {
      if (!(await stat(name)).isFile()) continue;
      hash
        .update(name.slice(root.length))
        .update("\0")
        .update(await readFile(name));
    }
  }
  return shortened(hash);
}

async function writeFiles(directory: string, all: readonly Served[]): Promise<void> {
  await mkdir(directory, { recursive: true });
  const files: Record<string, FrontFile> = {};
  for (const [index, { path, type, policy, content }] of all.entries()) {
    const name = `${index}${/\.\w+$/.exec(path)?.[0] ?? ".html"}`;
    files[path] = { name, type, policy, hash: hashOf(content) };
    const bytes = Buffer.from(content);
    const quality = { params: { [constants.BROTLI_PARAM_QUALITY]: BROTLI_LEVEL } };
    await writeFile(join(directory, name), bytes);
    await writeFile(join(directory, `${name}.br`), await brotli(bytes, quality));
    await writeFile(join(directory, `${name}.gz`), await zip(bytes));
  }
  const index: FrontIndex = { files };
  await writeFile(join(directory, INDEX_FILE), JSON.stringify(index));
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}
