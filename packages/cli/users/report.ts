/** The report of an import, and its progress in a file next to the imported one. */
import { appendFile, readFile, rm, stat, writeFile } from "node:fs/promises";
import { stringify } from "csv-stringify/sync";
import { UsageError } from "../client.ts";
import { reportLines } from "../report.ts";

/** A record that was not imported. */
export interface Refused {
  readonly place: string;
  readonly userName: string;
  readonly why: string;
}

/** The result of an import. */
export interface ImportResult {
  readonly created: number;
  /** Users who were there already. They stay as they are. */
  readonly existing: number;
  readonly refused: readonly Refused[];
  /** Records that are no people. */
  readonly passedOver: number;
  /** Fields that nothing maps. */
  readonly leftOut: readonly string[];
}

/** The lines of the summary. */
export function summaryOf(result: ImportResult, { isRehearsal }: { readonly isRehearsal: boolean }): string[] {
  const { created, existing, refused, passedOver, leftOut } = result;
  const lines = reportLines(
    refused.map(({ userName, place, why }) => ({ name: userName || place, outcome: "refused", why })),
    ["refused"],
  );
  return [
    ...(isRehearsal ? ["Dry run: nothing was changed."] : []),
    `${isRehearsal ? "would create" : "created"} ${created}, there already ${existing}, refused ${refused.length}` +
      (passedOver > 0 ? `, no people ${passedOver}` : ""),
    ...(leftOut.length > 0 ? [`Left out, because they are not mapped: ${leftOut.join(", ")}`] : []),
    ...(refused.length > 0 ? ["", ...lines] : []),
  ];
}

/** Writes the records that were refused, one in each line, sorted as in the imported file. */
export function writeRefused(path: string, refused: readonly Refused[]): Promise<void> {
  const rows = refused.map(({ place, userName, why }) => [place, userName, why].map(harmless));
  return writeFile(path, stringify([["place", "userName", "why"], ...rows]), { mode: 0o600 });
}

/** A cell that a spreadsheet would read as a formula is marked as text. */
function harmless(cell: string): string {
  return /^[=+\-@\t\r]/.test(cell) ? `'${cell}` : cell;
}

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
interface Journal {
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
