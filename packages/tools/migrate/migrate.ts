/**
 * Brings the rows of a table to the versions that this release writes (decision 0072): page by page, at a limited rate,
 * while the service runs. Stores how far it is after each page, and continues there.
 */
import { Fault } from "#core/platform/faults.ts";
import { DamagedRow } from "#core/table/row.ts";
import { shapeOf } from "#core/table/shape.ts";
import type { Item, Table } from "#core/table/table.ts";
import type { VersionedKind } from "./kinds.ts";
import {
  type Counts,
  isOwn,
  type Plan,
  readPlan,
  readProgress,
  removePlan,
  storePlan,
  storeProgress,
} from "./progress.ts";
import type { Rows } from "./rows.ts";

/** What to do. */
export interface Migration {
  readonly table: Table;
  readonly rows: Rows;
  readonly kinds: readonly VersionedKind[];
  /** Parts of the table that are read at the same time. A run that continues keeps those of its first run. */
  readonly segments: number;
  /** Rows per second that are read, and at most rewritten, in all segments together. */
  readonly rate: number;
  /** True: counts what would be rewritten, and writes nothing. */
  readonly isDry: boolean;
  /** Milliseconds now. */
  readonly now: () => number;
  readonly wait: (ms: number) => Promise<void>;
  /** Gets each line for people. */
  readonly print: (line: string) => void;
}

const PAGE_MAX = 100;
const AT_ONCE = 8;
/** Another writer of the same row comes first so often. */
const TRIES = 10;
const LINE_MS = 5_000;
/** Rows that a person has to look at. */
const BY_HAND = ["later", "unreadable", "busy"] as const;

/** Migrates a table, or continues where an earlier run ended. True where nothing is left to a person. */
export async function migrate(given: Migration): Promise<boolean> {
  const { table, isDry, print } = given;
  const plan = isDry ? { ...planOf(given) } : await planned(given);
  const counts: Counts[] = [];
  const line = lines(given, counts);
  const results = await Promise.allSettled(
    Array.from({ length: plan.segments }, (_, segment) => migrateSegment(given, plan, segment, counts, line)),
  );
  const failed = results.find((result) => result.status === "rejected");
  if (failed) throw failed.reason;
  if (!isDry) await removePlan(table, plan);
  const total = sumOf(counts);
  print(isDry ? "Nothing was written." : "Done.");
  for (const [name, count] of Object.entries(total).sort()) print(`  ${count} ${name}`);
  return !BY_HAND.some((name) => (total[name] ?? 0) > 0);
}

function planOf({ kinds, segments, now }: Migration): Plan {
  return { kinds: kinds.map(({ name, codec }) => `${name} ${codec.written}`).join(", "), segments, startedMs: now() };
}

async function planned(given: Migration): Promise<Plan> {
  const { table, print } = given;
  const [plan, found] = [planOf(given), await readPlan(table)];
  if (found?.kinds === plan.kinds) {
    print(`Continues the run of ${new Date(found.startedMs).toISOString()}, in ${found.segments} segments.`);
    return found;
  }
  await storePlan(table, plan);
  return plan;
}

async function migrateSegment(
  given: Migration,
  { segments }: Plan,
  segment: number,
  all: Counts[],
  line: () => void,
): Promise<void> {
  const { table, rows, rate, isDry, now, wait } = given;
  const found = isDry ? { isDone: false, counts: {} } : await readProgress(table, segment);
  all[segment] = found.counts;
  if (found.isDone) return;
  const perSecond = rate / segments;
  const limit = Math.max(1, Math.min(PAGE_MAX, Math.floor(perSecond)));
  for (let { after } = found, isDone = false; !isDone; ) {
    const beganMs = now();
    const page = await rows.page(segment, segments, after, limit);
    const counts: Record<string, number> = { ...all[segment] };
    const count: Count = (name, by = 1) => {
      counts[name] = (counts[name] ?? 0) + by;
    };
    const items = page.items.filter((item) => !isOwn(item));
    count("rows", items.length);
    for (let at = 0; at < items.length; at += AT_ONCE) {
      await Promise.all(items.slice(at, at + AT_ONCE).map((item) => migrateRow(given, item, count)));
    }
    after = page.next;
    isDone = after === undefined;
    all[segment] = counts;
    if (!isDry) await storeProgress(table, segment, { after, isDone, counts });
    line();
    const leftMs = (page.items.length / perSecond) * 1_000 - (now() - beganMs);
    if (!isDone && leftMs > 0) await wait(leftMs);
  }
}

type Count = (name: string, by?: number) => void;

async function migrateRow(given: Migration, read: Item, count: Count): Promise<void> {
  const kind = given.kinds.find(({ matches }) => matches(read));
  if (!kind) {
    // A row without a versioned kind has no version in this release.
    if (shapeOf(read) !== 1) report(given, "later", read, count);
    return;
  }
  for (let item = read, tries = 0; tries < TRIES; tries += 1) {
    const outcome = await bring(given, item, kind);
    if ("problem" in outcome) return report(given, outcome.problem, item, count, outcome.why);
    if ("done" in outcome) return count(`${kind.name}: ${outcome.done}`);
    item = outcome.found;
  }
  report(given, "busy", read, count);
}

type Outcome =
  | { readonly done: string }
  | { readonly problem: keyof typeof problems; readonly why?: string }
  | { readonly found: Item };

async function bring({ rows, isDry }: Migration, item: Item, kind: VersionedKind): Promise<Outcome> {
  const at = shapeOf(item);
  try {
    const isCurrent = at >= kind.codec.written;
    if (isCurrent || isDry) kind.codec.rewritten(item);
    if (isCurrent) return { done: "current" };
    if (isDry) return { done: `to rewrite from ${at}` };
    const result = await rows.rewrite(item, kind);
    if (result === "rewritten") return { done: `rewritten from ${at}` };
    return result.found ? { found: result.found } : { done: "deleted meanwhile" };
  } catch (error) {
    if (error instanceof DamagedRow) return { problem: "unreadable", why: error.message };
    if (!(error instanceof Fault) || !(error.cause instanceof Error)) throw error;
    return { problem: "later" };
  }
}

const problems = {
  later: "was written by a later release",
  unreadable: "cannot be read",
  busy: "is changed all the time: run it again",
} as const;

function report({ print }: Migration, problem: keyof typeof problems, { PK, SK }: Item, count: Count, why = ""): void {
  count(problem);
  print(`PK=${JSON.stringify(PK)} SK=${JSON.stringify(SK)} ${problems[problem]}${why && `: ${why}`}`);
}

/** Prints the sum of all segments, at most every few seconds. */
function lines({ now, print }: Migration, all: readonly Counts[]): () => void {
  let lastMs = now();
  return () => {
    if (now() - lastMs < LINE_MS) return;
    lastMs = now();
    const { rows = 0, ...rest } = sumOf(all);
    const parts = Object.entries(rest).map(([name, count]) => `${count} ${name}`);
    print([`${rows} rows read`, ...parts].join(", "));
  };
}

function sumOf(all: readonly Counts[]): Counts {
  const total: Record<string, number> = {};
  for (const counts of all) {
    for (const [name, count] of Object.entries(counts ?? {})) total[name] = (total[name] ?? 0) + count;
  }
  return total;
}
