/**
 * The index that lists of applications read (decision 0136): the steps that keep it, and pages of it.
 *
 * The applications of a page are read at half the price, as copies that may be old. So every change of an application
 * also notes its version, in a row that lists read strongly consistent: a copy of an earlier version is read again. An
 * application without a note was changed so long ago that all copies have it, and what the container remembers of it
 * (decision 0139).
 */
import { isDeepStrictEqual } from "node:util";
import { isComplete } from "../../database/table/applications-index-rows.ts";
import { keys } from "../../database/table/keys.ts";
import type { Versioned } from "../../database/table/named-items.ts";
import { number, rowCodec } from "../../database/table/row.ts";
import { stale } from "../../database/table/stale.ts";
import type { Step, Table } from "../../database/table/table.ts";
import {
  type ColumnIndex,
  columnIndex,
  type Place,
  type RecordChange,
  type RecordParts,
} from "../../database/table/value-index/column-index.ts";
import type { ValueIndexLimits } from "../../database/table/value-index/range-rows.ts";
import { systemClock } from "../../kernel/clock.ts";
import { type ApplicationEntry, applicationKind } from "./application-rows.ts";
import { columns, idOfRecord, recordId, recordOf, valuesOf } from "./index-rows.ts";
import type { Application } from "./model.ts";
import type { Listed, ReadShown } from "./shown-store.ts";

type Limits = Partial<ValueIndexLimits>;

/** What filters compare. */
export type Compared = keyof typeof columns;

/** A page of the applications of a tenant, newest first. */
export interface PageQuery {
  /** What the test reads. */
  readonly compared: readonly Compared[];
  /** Absent: all applications. */
  readonly test?: ((entry: Partial<Pick<ApplicationEntry, Compared>>) => boolean) | undefined;
  readonly offset: number;
  readonly limit: number;
}

/** One page, and how many applications match. */
export interface PageOfApplications {
  readonly total: number;
  readonly page: readonly Listed[];
}

/** A page by the index. */
export interface IndexPage extends PageOfApplications {
  /** How many applications the tenant has. */
  readonly all: number;
}

/** The states of an application around a write; one is missing where it is new, or removed. */
export interface ApplicationChange {
  readonly before?: Versioned<Application> | undefined;
  readonly after?: Versioned<Application> | undefined;
}

/** For so long a list takes notice of a change: far longer than a copy takes to become as the original. */
const NOTED_MS = 120_000;
/** So long before a list the applications that a container remembers were the newest: clocks may differ by the rest. */
const REMEMBERED_MS = 60_000;
const KEPT_SECONDS = 3_600;
const TIME_DIGITS = 15;
/** Above this, a list reads its applications strongly consistent instead. */
const NOTES_MOST = 300;

const noteRow = rowCodec<{ readonly version: number; readonly expiresAtSeconds: number }>("change of an application", {
  version: number,
  expiresAtSeconds: number,
});

/** Where an application belongs in the index of its tenant: see `ColumnIndex.place`. */
export function indexPlace(table: Table, tenant: string, id: string, attempt: number, limits?: Limits): Promise<Place> {
  return indexOf(table, tenant, limits).place(recordId(id), attempt);
}

/** The step of a write in the index of its tenant. */
export function indexSteps(
  table: Table,
  tenant: string,
  { before, after }: ApplicationChange,
  place: Place,
): Promise<readonly Step[]> {
  return indexOf(table, tenant).steps(recordsOf({ before, after }), stale, place);
}

/** The same with the place, which is looked for where the write changes the record of the application. */
export async function placedSteps(
  table: Table,
  tenant: string,
  change: ApplicationChange,
  { attempt, limits }: { readonly attempt: number; readonly limits?: Limits | undefined },
): Promise<readonly Step[]> {
  const id = (change.after ?? change.before)?.value.id ?? "";
  if (isDeepStrictEqual(...both(recordsOf(change)))) return [];
  return indexSteps(table, tenant, change, await indexPlace(table, tenant, id, attempt, limits));
}

function recordsOf({ before, after }: ApplicationChange): RecordChange {
  return { before: before && recordOf(entryOf(before)), after: after && recordOf(entryOf(after)) };
}

function both({ before, after }: RecordChange): [RecordParts | undefined, RecordParts | undefined] {
  return [before, after];
}

function indexOf(table: Table, tenant: string, limits?: Limits): ColumnIndex {
  return columnIndex(table, keys.applicationColumns(tenant), limits);
}

function entryOf({ value, version }: Versioned<Application>): ApplicationEntry {
  return applicationKind.entryOf(value, version);
}

/** The step that notes a change, of which copies may not know for a moment. */
export function notingChange(tenant: string, { value: { id }, version }: Versioned<Application>): Step {
  const nowMs = systemClock.now();
  const expiresAtSeconds = Math.floor(nowMs / 1_000) + KEPT_SECONDS;
  const put = {
    ...keys.applicationChange(tenant, `${timeText(nowMs)}#${id}`),
    ...noteRow.write({ version, expiresAtSeconds }),
  };
  return { put, when: "any", otherwise: stale };
}

function timeText(ms: number): string {
  return String(ms).padStart(TIME_DIGITS, "0");
}

/**
 * A page by the index; `undefined` where it is not complete. Three round trips, and one more with a test. Shows the
 * compared client ids and issuers as the index had them.
 */
export async function readIndexPage(
  table: Table,
  readShown: ReadShown,
  tenant: string,
  { compared, test, offset, limit }: PageQuery,
): Promise<IndexPage | undefined> {
  const index = indexOf(table, tenant);
  const asOfMs = systemClock.now();
  const [found, noted] = await Promise.all([
    index.page({
      isComplete,
      columns: compared.map((name) => columns[name]),
      test: test && ((parts) => test(valuesOf(parts))),
      offset,
      limit,
    }),
    readNotes(table, tenant),
  ]);
  if (!found) return undefined;
  const ids = found.records.map(({ id }) => idOfRecord(id));
  const read = await readShown({
    tenant,
    wanted: ids.map((id) => ({ id, version: noted?.get(id) ?? 0 })),
    isConsistent: noted === undefined,
    // Without the notes, nothing that is remembered is known to be the newest.
    changes: { sinceMs: noted ? asOfMs - REMEMBERED_MS : Number.POSITIVE_INFINITY, asOfMs },
  });
  const page = found.records.flatMap(({ parts }, at): Listed[] => {
    const one = read[at];
    if (!one) return [];
    const { clientId, issuer } = valuesOf(parts);
    const ofIndex = {
      ...(compared.includes("clientId") && { clientId }),
      ...(compared.includes("issuer") && { issuer }),
    };
    return [{ entry: { ...one.entry, ...ofIndex }, shown: one.shown }];
  });
  return { total: found.total, all: found.all, page };
}

/** The versions of applications that were changed of late, by their ids; `undefined` where these are many. */
async function readNotes(table: Table, tenant: string): Promise<ReadonlyMap<string, number> | undefined> {
  const from = timeText(systemClock.now() - NOTED_MS);
  const { items, next } = await table.query({ PK: keys.applicationChanges(tenant), from, limit: NOTES_MOST });
  if (next) return undefined;
  const versions = new Map<string, number>();
  for (const item of items) {
    const id = item.SK.slice(TIME_DIGITS + 1);
    versions.set(id, Math.max(noteRow.read(item).version, versions.get(id) ?? 0));
  }
  return versions;
}
