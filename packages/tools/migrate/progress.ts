/** The rows that make a migration resumable: its plan, and how far each segment is. */
import { keys } from "#core/table/keys.ts";
import { bool, json, number, optional, record, rowCodec, text } from "#core/table/row.ts";
import type { Key, Table } from "#core/table/table.ts";

/** What a run counts, by name. */
export type Counts = Readonly<Record<string, number>>;

/** A migration that has begun. */
export interface Plan {
  /** The kinds with their versions: another release has another plan. */
  readonly kinds: string;
  readonly segments: number;
  readonly startedMs: number;
}

/** How far one segment is. */
export interface Progress {
  /** Where it continues. */
  readonly after?: Key | undefined;
  readonly isDone: boolean;
  readonly counts: Counts;
}

const PLAN = "A";
const plans = rowCodec<Plan>("migration", { kinds: text, segments: number, startedMs: number });
const counts = json<Counts>("counts", (parsed): parsed is Counts =>
  typeof parsed === "object" && parsed !== null ? Object.values(parsed).every(Number.isFinite) : false,
);
const segments = rowCodec<Progress>("segment of a migration", {
  after: optional(record<Key>({ PK: text, SK: text })),
  isDone: bool,
  counts,
});

/** The migration that has begun; `undefined` where none has. */
export async function readPlan(table: Table): Promise<Plan | undefined> {
  const item = await table.get(keys.migration(PLAN));
  return item && plans.read(item);
}

/** How far a segment is. */
export async function readProgress(table: Table, segment: number): Promise<Progress> {
  const item = await table.get(keyOf(segment));
  return item ? segments.read(item) : { isDone: false, counts: {} };
}

/** Begins a migration: without the progress of an earlier one. */
export async function storePlan(table: Table, plan: Plan): Promise<void> {
  for (let segment = 0; segment < plan.segments; segment += 1) await table.forget(keyOf(segment));
  await put(table, keys.migration(PLAN), plans.write(plan));
}

/** Stores how far a segment is. */
export function storeProgress(table: Table, segment: number, progress: Progress): Promise<void> {
  return put(table, keyOf(segment), segments.write(progress));
}

/** Ends a migration: the next one begins at the first row. */
export async function removePlan(table: Table, { segments: all }: Plan): Promise<void> {
  await table.forget(keys.migration(PLAN));
  for (let segment = 0; segment < all; segment += 1) await table.forget(keyOf(segment));
}

/** Whether a row is about the migration itself. */
export function isOwn({ PK, SK }: Key): boolean {
  const prefix = keys.migration("");
  return PK === prefix.PK && SK.startsWith(prefix.SK);
}

function keyOf(segment: number): Key {
  return keys.migration(`S#${segment}`);
}

function put(table: Table, key: Key, attributes: ReturnType<typeof plans.write>): Promise<void> {
  const otherwise = () => new Error("a step without a condition failed");
  return table.write({ put: { ...key, ...attributes }, when: "any", otherwise });
}
