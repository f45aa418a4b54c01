/** A tenant as a folder: one file for each resource, with names that are the same on every system. */
import { createHash } from "node:crypto";
import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { dump, load } from "js-yaml";
import { wrongInput } from "../frame/errors.ts";
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
  const slug = key
    .normalize("NFKD")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-|-$/g, "")
    .slice(0, SLUG_MOST);
  const hash = createHash("sha256").update(key).digest("hex").slice(0, HASH_DIGITS);
  return `${kind}/${slug === key ? slug : [slug, hash].filter(Boolean).join("-")}.yaml`;
}

/** The text of a file. Members are in the order of their names, but for the name itself. */
export function textOf(kind: KindName, document: Document): string {
  const first = ["identifier", "name", "displayName"];
  const rank = (name: string) => (first.includes(name) ? first.indexOf(name) : first.length);
  const sortKeys = (one: string, other: string) => rank(one) - rank(other) || compare(one, other);
  const body = dump(document, { sortKeys, lineWidth: 120, noRefs: true });
  return `# yaml-language-server: $schema=../${SCHEMAS}/${schemaFiles[kind]}\n${body}`;
}

/** Writes documents as a folder. Files of an earlier export whose resources are gone are removed. */
export async function writeFolder(folder: string, resources: readonly Omit<Filed, "file">[]): Promise<void> {
  const names: readonly string[] = await readdir(folder).catch(() => []);
  if (names.length > 0 && !names.includes(HEAD)) {
    throw wrongInput(
      `${folder} has other files and is no tenant folder.`,
      "Name an empty folder, or one of an export.",
    );
  }
  await mkdir(join(folder, SCHEMAS), { recursive: true });
  for (const kind of kindNames) {
    await mkdir(join(folder, kind), { recursive: true });
    await writeFile(join(folder, SCHEMAS, schemaFiles[kind]), schemaText(kind));
  }
  const files = new Map(resources.map(({ kind, key, document }) => [fileOf(kind, key), textOf(kind, document)]));
  for (const kind of kindNames) {
    for (const name of await readdir(join(folder, kind))) {
      const file = `${kind}/${name}`;
      if (name.endsWith(".yaml") && !files.has(file)) await rm(join(folder, file));
    }
  }
  for (const [file, text] of files) await writeFile(join(folder, file), text);
  // The last file: a folder without it is not complete.
  await writeFile(join(folder, HEAD), `format: ${FORMAT}\n`);
}

/** Reads a folder. Throws a `CommandError` that names all mistakes with their files. */
export async function readFolder(folder: string, kinds: readonly FolderKind[]): Promise<readonly Filed[]> {
  const head = load(
    await readFile(join(folder, HEAD), "utf8").catch((error: NodeJS.ErrnoException) => {
      if (error.code !== "ENOENT" && error.code !== "ENOTDIR") throw error;
      throw wrongInput(`${folder} is no tenant folder: it has no ${HEAD}.`, `identity-admin export --out ${folder}`);
    }),
  );
  if (!isDocument(head) || head.format !== FORMAT) {
    throw wrongInput(
      `${folder}/${HEAD} must say "format: ${FORMAT}".`,
      "Use a newer identity-admin for a newer format.",
    );
  }
  const mistakes: string[] = [];
  const filed: Filed[] = [];
  for (const kind of kinds) {
    const byKey = new Map<string, string>();
    const names = (await readdir(join(folder, kind.name)).catch(() => [])).sort(compare);
    for (const name of names.filter((one) => /\.ya?ml$/.test(one))) {
      const file = `${kind.name}/${name}`;
      const document = await documentIn(join(folder, file), file, mistakes);
      if (document === undefined) continue;
      const found = mistakesIn(kind.name, document);
      mistakes.push(...found.map((mistake) => `${file}: ${mistake}`));
      if (found.length > 0) continue;
      const key = kind.keyOf(document);
      const other = byKey.get(key);
      if (other !== undefined) mistakes.push(`${file}: "${key}" is in ${other} too`);
      byKey.set(key, file);
      filed.push({ kind: kind.name, key, file, document });
    }
  }
  if (mistakes.length > 0) throw wrongInput(listOf(mistakes), "Nothing was changed. Correct the files.");
  return filed;
}

async function documentIn(path: string, file: string, mistakes: string[]): Promise<Document | undefined> {
  try {
    const document = load(await readFile(path, "utf8"));
    if (isDocument(document)) return document;
    mistakes.push(`${file}: the file must have members, such as "name: Dispatch"`);
  } catch (error) {
    if (!(error instanceof Error) || error.name !== "YAMLException") throw error;
    const [first = ""] = error.message.split("\n");
    mistakes.push(`${file}: ${first}`);
  }
  return undefined;
}

function listOf(mistakes: readonly string[]): string {
  const more = mistakes.length - MISTAKES_SHOWN;
  return [...mistakes.slice(0, MISTAKES_SHOWN), ...(more > 0 ? [`and ${more} more`] : [])].join("\n");
}
