/** The row that makes the command resumable: how far it is in this table. */
import { keys } from "#core/table/keys.ts";
import { json, list, number, optional, record, rowCodec, text } from "#core/table/row.ts";
import type { Key, Table } from "#core/table/table.ts";

/** What a run counts, by name. */
export type Counts = Readonly<Record<string, number>>;

/** How far the command is. */
export interface Progress {
  /** The moment that the table was restored to. */
  readonly restoredToMs: number;
  readonly startedMs: number;
  /** The phases that are complete. */
  readonly done: readonly string[];
  /** Where the present phase continues. */
  readonly after?: Key | undefined;
  readonly counts: Counts;
  /** The old table, where there is one, and the kinds that are not carried over. */
  readonly from?: string | undefined;
  readonly leaving: readonly string[];
}

const counts = json<Counts>("counts", (parsed): parsed is Counts =>
  typeof parsed === "object" && parsed !== null ? Object.values(parsed).every(Number.isFinite) : false,
);

const rows = rowCodec<Progress>("restoration", {
  restoredToMs: number,
  startedMs: number,
  done: list(text),
  after: optional(record<Key>({ PK: text, SK: text })),
  counts,
  from: optional(text),
  leaving: list(text),
});

/**
 * The progress in this table; `undefined` where the command has not begun. A row from before the restored moment came
 * with the backup: it is about an earlier restore.
 */
export async function readProgress(table: Table, restoredToMs: number): Promise<Progress | undefined> {
  const item = await table.get(keys.restoration());
  const found = item && rows.read(item);
  return found && found.startedMs > restoredToMs ? found : undefined;
}

/** Stores the progress. */
export function storeProgress(table: Table, progress: Progress): Promise<void> {
  const put = { ...keys.restoration(), ...rows.write(progress) };
  return table.write({ put, when: "any", otherwise: () => new Error("a step without a condition failed") });
}
