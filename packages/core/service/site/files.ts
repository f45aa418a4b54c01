/**
 * The files of the page at `/` (decision 0107): an index, and each file as it is and compressed. The build writes them
 * (packages/front), a function serves them.
 */
import { readFile } from "node:fs/promises";
import { join } from "node:path";

/** The name of the index in the directory of the files. */
export const INDEX_FILE = "index.json";
/** The path of the page for paths that do not exist. */
export const NOT_FOUND = "/404";

/** The compressions that a file is kept in, the best first, with the endings of their names. */
export const encodings = [
  { coding: "br", ending: ".br" },
  { coding: "gzip", ending: ".gz" },
] as const;

/**
 * What a browser may do with a file, and how long it keeps it: a page has scripts of this origin, the reference styles
 * in attributes too; an asset has a name of its own for each content, a document for programs has not.
 */
export type Policy = "page" | "reference" | "asset" | "document";

/** One file. */
export interface FrontFile {
  /** Its name in the directory. */
  readonly name: string;
  readonly type: string;
  readonly policy: Policy;
  /** The first characters of the SHA-256 of the content. */
  readonly hash: string;
}

/** The index: files by path. */
export interface FrontIndex {
  readonly files: Readonly<Record<string, FrontFile>>;
}

/** Reads the files of one directory. */
export type FrontFiles = ReturnType<typeof frontFiles>;

/** The files of a directory. The index is read once per container; after a failure the next request tries again. */
export function frontFiles(directory: string) {
  let index: FrontIndex | undefined;
  return {
    index: async (): Promise<FrontIndex> => {
      index ??= JSON.parse(await readFile(join(directory, INDEX_FILE), "utf8")) as FrontIndex;
      return index;
    },
    /** The content of a file by its name, with the ending of an encoding. */
    content: (name: string): Promise<Buffer> => readFile(join(directory, name)),
  };
}
