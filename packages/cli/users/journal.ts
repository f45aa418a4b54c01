/**
 * The progress of an import, in a file next to the imported one: which records are done, so that a run that was stopped
 * goes on where it ended.
 */
import { appendFile, readFile, rm, stat, writeFile } from "node:fs/promises";
import { UsageError } from "../caller.ts";
import type { Refused } from "./report.ts";

/** What an import is: another file, server or mapping is another import. */
interface Import {
  readonly file: string;
  readonly url: string;
  /** The choices that decide what becomes of a record. */
  readonly choices: string;
}

/** One finished part, by the numbers of its records. */
interface Part {
  readonly records: readonly number[];
  readonly created: number;
  readonly existing: number;
  readonly refused: readonly Refused[];
}

/** The progress of one import. */
export interface Journal {
  /** The parts that earlier runs finished. */
  readonly parts: readonly Part[];
  add(part: Part): Promise<void>;
  /** Ends the import: the next run is a new one. */
  remove(): Promise<void>;
}

/** Opens the progress of an import. Throws `UsageError` where the file next to it is of another import. */
export async function openJournal(given: Import): Promise<Journal> {
  const path = `${given.file}.progress`;
  const { size, mtimeMs } = await stat(given.file);
  const head = { ...given, size, mtimeMs };
  const [first, ...parts] = await linesOf(path);
  if (first !== undefined && JSON.stringify(first) !== JSON.stringify(head)) {
    throw new UsageError(
      `${path} is the progress of another import (another file, server or mapping). Go on with that one, or delete it.`,
    );
  }
  if (first === undefined) await writeFile(path, `${JSON.stringify(head)}\n`, { mode: 0o600 });
  return {
    parts,
    add: (part) => appendFile(path, `${JSON.stringify(part)}\n`),
    remove: () => rm(path, { force: true }),
  };
}

/** The lines of the file that are whole: a process can end while it writes one. */
async function linesOf(path: string): Promise<readonly [head?: object, ...parts: Part[]]> {
  const text = await readFile(path, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return "";
    throw error;
  });
  const lines = text.split("\n").flatMap((line) => {
    try {
      return [JSON.parse(line)];
    } catch {
      return [];
    }
  });
  return lines as [object?, ...Part[]];
}
