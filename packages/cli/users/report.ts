/** What an import prints at its end, and the file that lists what was refused. */
import { writeFile } from "node:fs/promises";
import { stringify } from "csv-stringify/sync";
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
    ...(isRehearsal ? ["Rehearsal: nothing was changed."] : []),
    `${isRehearsal ? "would create" : "created"} ${created}, there already ${existing}, refused ${refused.length}` +
      (passedOver > 0 ? `, no people ${passedOver}` : ""),
    ...(leftOut.length > 0 ? [`Left out, because nothing maps them: ${leftOut.join(", ")}`] : []),
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
