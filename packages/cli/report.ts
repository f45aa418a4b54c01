/** What runs over many applications share: concurrent work with progress, whole files, and the table at the end. */

import { rename, writeFile } from "node:fs/promises";
import { type ProgressOptions, plain, progressOf } from "./frame/output.ts";

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

const CONCURRENCY = 4;

/**
 * Runs `work` for each item, four at a time. Returns the results in the order of the items. The first error ends the
 * run.
 */
export async function forEach<Item, Result>(
  title: string,
  items: readonly Item[],
  work: (item: Item) => Promise<Result>,
  options?: ProgressOptions,
): Promise<Result[]> {
  const progress = progressOf(title, items.length, options);
  const results: Result[] = [];
  let next = 0;
  let isOver = false;
  const worker = async (): Promise<void> => {
    while (!isOver && next < items.length) {
      const at = next;
      next += 1;
      try {
        results[at] = await work(items[at] as Item);
      } catch (error) {
        isOver = true;
        throw error;
      }
      progress.add();
    }
  };
  try {
    const workers = await Promise.allSettled(Array.from({ length: CONCURRENCY }, worker));
    for (const each of workers) if (each.status === "rejected") throw each.reason;
  } finally {
    progress.stop();
  }
  return results;
}

/** Writes a file atomically, readable for its owner only. */
export async function writeWhole(path: string, content: string): Promise<void> {
  await writeFile(`${path}.part`, content, { mode: 0o600 });
  await rename(`${path}.part`, path);
}
