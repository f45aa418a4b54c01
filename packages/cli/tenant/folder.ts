/** A tenant as a folder: one file for each resource, with names that are the same on every system. */
import { createHash } from "node:crypto";
import { lstat, mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { dump } from "js-yaml";
import { wrongInput } from "../frame/errors.ts";
import { decoded, valueIn, WrongText } from "../frame/input.ts";
import { type Document, isDocument } from "./document.ts";
import { type FolderKind, type KindName, kindNames } from "./kind.ts";
import { compare } from "./kinds/simple.ts";
import { mistakesIn, schemaFiles, schemaText } from "./schemas.ts";

const FORMAT = 1;
const HEAD = "tenant.yaml";
const SCHEMAS = ".schemas";
const SLUG_MOST = 60;
const HASH_DIGITS = 8;
const MISTAKES_SHOWN = 20;

/** A file with the document in it. */
export interface Filed {
  readonly kind: KindName;
  readonly key: string;
  /** Below the folder: `applications/dispatch.yaml`. */
  readonly file: string;
  readonly document: Document;
}

/** The name of the file of a resource. Two names never share a file, also where letter case does not count. */
export function fileOf(kind: KindName, key: string): string {
  const slug = slugOf(key);
  const hash = createHash("sha256").update(key).digest("hex").slice(0, HASH_DIGITS);
  return `${kind}/${slug === key ? slug : [slug, hash].filter(Boolean).join("-")}.yaml`;
}

/** Whether a file is that of a resource: as an export names it, or as people do, without the hash. */
export function isFileOf(kind: KindName, file: string, key: string): boolean {
  const name = file.replace(/\.ya?ml$/, ".yaml");
  return name === fileOf(kind, key) || name === `${kind}/${slugOf(key)}.yaml`;
}

function slugOf(key: string): string {
  return key
    .normalize("NFKD")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-|-$/g, "")
    .slice(0, SLUG_MOST);
}

/** The text of a file. Members are in the order of their names, but for the name itself. */
function textOf(kind: KindName, document: Document): string {
  const first = ["identifier", "name", "displayName"];
  const rank = (name: string) => (first.includes(name) ? first.indexOf(name) : first.length);
  const sortKeys = (one: string, other: string) => rank(one) - rank(other) || compare(one, other);
  const body = dump(document, { sortKeys, lineWidth: 120, noRefs: true });
  return `# yaml-language-server: $schema=../${SCHEMAS}/${schemaFiles[kind]}\n${body}`;
}

/** Writes documents as a folder. Files of an earlier export whose resources are gone are removed. */
export async function writeFolder(folder: string, resources: readonly Omit<Filed, "file">[]): Promise<void> {
  await checkTarget(folder);
  const below = (name: string) => inPlace(`${folder}/${name}`, makeFolder(join(folder, name)));
  await mkdir(folder, { recursive: true });
  for (const name of [SCHEMAS, ...kindNames]) await below(name);
  for (const kind of kindNames) await put(join(folder, SCHEMAS, schemaFiles[kind]), schemaText(kind));
  const files = new Map(resources.map(({ kind, key, document }) => [fileOf(kind, key), textOf(kind, document)]));
  for (const kind of kindNames) {
    for (const name of (await namesIn(join(folder, kind))) ?? []) {
      const file = `${kind}/${name}`;
      if (name.endsWith(".yaml") && !files.has(file)) await rm(join(folder, file), { recursive: true });
    }
  }
  for (const [file, text] of files) await put(join(folder, file), text);
  // The last file: a folder without it is not complete.
  await put(join(folder, HEAD), `format: ${FORMAT}\n`);
}

/** Throws a `CommandError` for a place that an export must not write over. */
export async function checkTarget(folder: string): Promise<void> {
  if (folder === "") throw wrongInput("--out is empty.", "Give an empty folder, or the folder of an export.");
  // A link to a folder is a choice of who names it; links inside of it are not.
  const names: readonly string[] = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return [];
    throw error;
  });
  if (names.length > 0 && !names.includes(HEAD)) {
    throw wrongInput(
      `${folder} has other files and is not a tenant folder.`,
      "Give an empty folder, or the folder of an export.",
    );
  }
}

/** Throws a `CommandError` that names the place of what is wrong with it. */
async function inPlace<T>(place: string, act: Promise<T>): Promise<T> {
  try {
    return await act;
  } catch (error) {
    if (error instanceof WrongText) throw wrongInput(`${place}: ${error.message}.`);
    throw error;
  }
}

/** What a folder has. */
interface Content {
  readonly filed: readonly Filed[];
  /** Files and folders that are not read, because their names mean nothing here. */
  readonly unread: readonly string[];
}

/** Reads a folder. Throws a `CommandError` that names all mistakes with their files. */
export async function readFolder(folder: string, kinds: readonly FolderKind[]): Promise<Content> {
  await checkHead(folder);
  const mistakes: string[] = [];
  const filed: Filed[] = [];
  const unread: string[] = [];
  const owners = new Map<string, string>();
  for (const kind of kinds) {
    const names = await listed(folder, kind.name, mistakes);
    unread.push(...names.filter((one) => !isRead(one) && isMeant(one)).map((one) => `${kind.name}/${one}`));
    for (const name of names.filter(isRead)) {
      const file = `${kind.name}/${name}`;
      const document = await documentIn(join(folder, file), file, mistakes);
      if (document === undefined) continue;
      const found = mistakesIn(kind.name, document);
      mistakes.push(...found.map((mistake) => `${file}: ${mistake}`));
      if (found.length > 0) continue;
      for (const { is, value, shown } of kind.uniques(document)) {
        const unique = JSON.stringify([is, value]);
        const other = owners.get(unique);
        if (other !== undefined) mistakes.push(`${file}: the ${is} ${JSON.stringify(shown)} is in ${other} too`);
        owners.set(unique, file);
      }
      filed.push({ kind: kind.name, key: kind.keyOf(document), file, document });
    }
  }
  if (mistakes.length > 0) throw wrongInput(listOf(mistakes), "Nothing was changed. Correct the files.");
  const known: readonly string[] = [HEAD, ...kindNames];
  const others = (await readdir(folder, { withFileTypes: true })).filter(
    (entry) => entry.isDirectory() && !known.includes(entry.name) && isMeant(entry.name),
  );
  return { filed, unread: [...unread, ...others.map(({ name }) => `${name}/`)].sort(compare) };
}

const isRead = (name: string): boolean => /^[^.].*\.ya?ml$/.test(name);
/** A name that somebody may have meant as a resource: hidden files and notes are not. */
const isMeant = (name: string): boolean => !/^\.|\.md$/i.test(name);

async function checkHead(folder: string): Promise<void> {
  const text = await inPlace(
    `${folder}/${HEAD}`,
    textIn(join(folder, HEAD)).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== "ENOTDIR") throw error;
      return undefined;
    }),
  );
  if (text === undefined) {
    throw wrongInput(`${folder} is not a tenant folder: it has no ${HEAD}.`, `identity-admin export --out ${folder}`);
  }
  const head = await inPlace(`${folder}/${HEAD}`, (async () => valueIn(text))());
  if (!isDocument(head) || head.format !== FORMAT) {
    throw wrongInput(
      `${folder}/${HEAD} must say "format: ${FORMAT}".`,
      "Use a newer identity-admin for a newer format.",
    );
  }
}

/** The names in the folder of a kind. One that is not there has none: git does not keep empty folders. */
async function listed(folder: string, kind: KindName, mistakes: string[]): Promise<readonly string[]> {
  try {
    return [...((await namesIn(join(folder, kind))) ?? [])].sort(compare);
  } catch (error) {
    if (!(error instanceof WrongText)) throw error;
    mistakes.push(`${kind}: ${error.message}`);
    return [];
  }
}

async function documentIn(path: string, file: string, mistakes: string[]): Promise<Document | undefined> {
  try {
    const document = valueIn((await textIn(path)) ?? "");
    if (isDocument(document)) return document;
    mistakes.push(`${file}: the file must have members, such as "name: Dispatch"`);
  } catch (error) {
    if (!(error instanceof WrongText)) throw error;
    mistakes.push(`${file}: ${error.message}`);
  }
  return undefined;
}

function listOf(mistakes: readonly string[]): string {
  const more = mistakes.length - MISTAKES_SHOWN;
  return [...mistakes.slice(0, MISTAKES_SHOWN), ...(more > 0 ? [`and ${more} more`] : [])].join("\n");
}

/** An application with everything has some 20 KB. */
const BYTES_MAX = 1_000_000;

/** The names in a folder, in no order; `undefined` without one. Throws `WrongText` for a link and for a file. */
async function namesIn(folder: string): Promise<readonly string[] | undefined> {
  const found = await statusOf(folder);
  if (!found) return undefined;
  if (found.isSymbolicLink()) throw new WrongText("it is a link. Replace it with a folder");
  if (!found.isDirectory()) throw new WrongText("it must be a folder");
  return await readdir(folder);
}

/** The text of a file; `undefined` where there is none. Throws `WrongText` for what is no plain text file. */
async function textIn(path: string): Promise<string | undefined> {
  const found = await statusOf(path);
  if (!found) return undefined;
  if (found.isSymbolicLink()) throw new WrongText("it is a link. Replace it with the file itself");
  if (!found.isFile()) throw new WrongText("it must be a file");
  if (found.size > BYTES_MAX) throw new WrongText(`it has more than ${BYTES_MAX} bytes`);
  return decoded(await readFile(path));
}

/** Makes a folder, if there is none. Throws `WrongText` for a link and for a file in its place. */
async function makeFolder(folder: string): Promise<void> {
  if ((await namesIn(folder)) === undefined) await mkdir(folder, { recursive: true });
}

/** Puts a file in the place of what was there: whole, or not at all. A link is replaced, not followed. */
async function put(path: string, text: string): Promise<void> {
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
