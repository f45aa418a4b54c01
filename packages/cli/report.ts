/** The table at the end of a run. */

/**
 * The outcome of one application. "incomplete": it exists, but lacks what the table names; the next run tries again.
 */
export type Outcome = "exported" | "created" | "updated" | "incomplete" | "skipped" | "refused";

/** The result of one application or file. */
export interface Result {
  readonly name: string;
  readonly outcome: Outcome;
  /** The reason, or further notes. */
  readonly why?: string;
}

const NAMES_SHOWN = 5;
const HEAD = ["outcome", "count", "which", "why"];
const WHICH_MOST = 60;

/** The lines of the table: one per outcome and reason, in the order of the outcomes. */
export function reportLines(results: readonly Result[], outcomes: readonly Outcome[]): readonly string[] {
  const groups = new Map<string, Result[]>();
  for (const result of results) {
    const key = JSON.stringify([result.outcome, result.why ?? ""]);
    groups.set(key, [...(groups.get(key) ?? []), result]);
  }
  const rows = outcomes.flatMap((outcome) => {
    const found = [...groups.values()].filter(([first]) => first?.outcome === outcome);
    if (found.length === 0) return [[outcome, "0", "", ""]];
    return found.map((group) => [
      outcome,
      String(group.length),
      whichOf(group.map(({ name }) => plain(name))),
      plain(group[0]?.why ?? ""),
    ]);
  });
  const widths = HEAD.map((head, column) => Math.max(head.length, ...rows.map((row) => (row[column] ?? "").length)));
  return [HEAD, ...rows].map((row) =>
    row
      .map((text, column) => (column === 1 ? text.padStart(widths[column] ?? 0) : text.padEnd(widths[column] ?? 0)))
      .join("  ")
      .trimEnd(),
  );
}

function whichOf(names: readonly string[]): string {
  const shown = names.slice(0, NAMES_SHOWN).join(", ");
  const short = shown.length > WHICH_MOST ? `${shown.slice(0, WHICH_MOST - 1)}…` : shown;
  return names.length > NAMES_SHOWN ? `${short} and ${names.length - NAMES_SHOWN} more` : short;
}

/** Replaces control characters: texts of a server must not control the terminal. */
function plain(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, "?");
}
