/**
 * Builds the files of the page at `/` (decision 0107): pages from docs/, the reference with the API document, scripts
 * and styles, each compressed. The directory is named after its input, so one that exists is complete and up to date.
 */
import { createHash, randomUUID } from "node:crypto";
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import { type FrontFile, type FrontIndex, INDEX_FILE, NOT_FOUND, type Policy } from "#core/front/files.ts";
import { documentPages } from "./documents.ts";
import { type Assets, home, notFound, reference } from "./pages.ts";
import { explorerScript, script } from "./scripts.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
/** What the files are made of. */
const inputs = ["docs", "packages/front", "packages/core/front", "package-lock.json", "package.json"];
const HASH_LENGTH = 16;
/** Higher levels take seconds for the API document and save little. */
const BROTLI_LEVEL = 6;

const JAVASCRIPT = "text/javascript; charset=utf-8";
const brotli = promisify(brotliCompress);
const zip = promisify(gzip);

/** A file to serve: its path, and what is there. */
interface Served {
  readonly path: string;
  readonly type: string;
  readonly policy: Policy;
  readonly content: string;
}

/**
 * Builds the files into `.build/front/<hash>` unless they are there, and returns the directory. Several processes may
 * do so at once. Throws an `Error` where a document links to a page that does not exist.
 */
export async function buildFront(): Promise<string> {
  const directory = join(root, ".build/front", await hashOfInputs());
  if (await exists(join(directory, INDEX_FILE))) return directory;
  const scratch = `${directory}.${randomUUID()}`;
  await writeFiles(scratch, await everything());
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
  return hash.digest("hex").slice(0, HASH_LENGTH);
}

async function everything(): Promise<readonly Served[]> {
  const text = (path: string) => readFile(join(root, path), "utf8");
  const { version } = JSON.parse(await text("package.json")) as { version: string };
  const parts: Served[] = [];
  const asset = (name: string, type: string, content: string): string => {
    const [, base, ending] = /^(.*)\.(\w+)$/.exec(name) ?? [];
    const path = `/assets/${base}-${hashOf(content)}.${ending}`;
    parts.push({ path, type, policy: "asset", content });
    return path;
  };
  const assets: Assets = {
    version,
    style: asset("page.css", "text/css; charset=utf-8", await text("packages/front/styles/page.css")),
    icon: asset("icon.svg", "image/svg+xml", await text("packages/front/styles/icon.svg")),
    picture: asset("architecture.svg", "image/svg+xml", await text("docs/architecture.svg")),
    homeScript: asset("home.js", JAVASCRIPT, await script("home")),
    referenceScript: asset("reference.js", JAVASCRIPT, await script("reference")),
    explorer: asset("explorer.js", JAVASCRIPT, await explorerScript()),
    document: asset("openapi.json", "application/json", JSON.stringify(JSON.parse(await text("docs/openapi.json")))),
  };
  const { pages, pictures } = await documentPages(join(root, "docs"), assets);
  const html = (path: string, content: string, policy: Policy = "page"): Served => {
    return { path, type: "text/html; charset=utf-8", policy, content };
  };
  return [
    html("/", home(assets)),
    html("/reference", reference(assets), "reference"),
    html(NOT_FOUND, notFound(assets)),
    ...pages.map(({ path, content }) => html(path, content)),
    ...pictures.map(({ path, content }) => ({ path, type: "image/svg+xml", policy: "page" as const, content })),
    ...parts,
  ];
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

function hashOf(content: string): string {
  return createHash("sha256").update(content).digest("hex").slice(0, HASH_LENGTH);
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}
