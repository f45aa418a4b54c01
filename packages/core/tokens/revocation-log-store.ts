/**
 * The logs of revocations of a tenant, in order of time. A container reads them from their newest end, with a limit, so
 * that what it reads is bounded however long they are. The log of grants is apart: each refresh of a JWT adds to it, so
 * its rows are small, and only JWTs are held against its newest entries.
 */
import { createHash } from "node:crypto";
import { keys } from "../database/table/keys.ts";
import { DamagedRow, list, number, optional, rowCodec, text } from "../database/table/row.ts";
import { type Item, LAST, type Step, type Table } from "../database/table/table.ts";
import { systemClock } from "../kernel/clock.ts";
import { newId } from "../kernel/ids.ts";
import { putting } from "./unconditional.ts";

/** How long a revocation stays in the log. Older tokens are compared with the marks. */
export const LOG_WINDOW_MS = 24 * 60 * 60_000;

/** How much longer the rows stay in the table, so that no reader misses one at the edge of the window. */
const LOG_KEPT_MS = LOG_WINDOW_MS + 60 * 60_000;

/** A row has at most so many bytes of scope names. An entry of more ends the tokens with any scope of its subject. */
const SCOPE_BYTES_MAX = 300;

const MS_DIGITS = 15;
const GRANT_TIME_DIGITS = 9;
const GRANT_ENTRY = /^([0-9a-z]{9})\.([A-Za-z0-9_-]{8})\.(-?[0-9a-z]{1,10})$/;

/** An entry of the log: tokens of `subject` are valid from `fromMs` on. */
export interface Revocation {
  readonly subject: string;
  readonly fromMs: number;
  /** The scopes that it is limited to; absent where it is about all of the subject. */
  readonly scopes?: readonly string[];
}

/** A row of a log. */
export interface LogEntry {
  /** Tells it from every other entry of the log. */
  readonly id: string;
  /** When its transaction began, by the clock of its writer; `NaN` in a row that does not say. */
  readonly atMs: number;
  /** What it revokes, or the error of a damaged row. */
  readonly content: Revocation | Error;
}

/** The newest entries of a log. */
export interface LogPage {
  /** The newest one first. */
  readonly entries: readonly LogEntry[];
  /** True where the log may have older entries in the range. */
  readonly hasMore: boolean;
}

/** The two logs of a tenant. */
export type LogName = "subjects" | "grants";

/** The newest entries of a log since a time, at most `limit`. One round trip. A damaged row fails nothing. */
export async function readLog(
  table: Table,
  log: LogName,
  tenant: string,
  sinceMs: number,
  limit: number,
): Promise<LogPage> {
  const { PK, timeOf, entryOf } = layouts[log];
  const range = { PK: PK(tenant), from: timeOf(sinceMs), to: LAST, limit, backwards: true };
  const { items, next } = await table.query(range);
  return { entries: items.map(entryOf), hasMore: next !== undefined };
}

/** The step that adds an entry to the log of subjects. */
export function logging(tenant: string, { scopes, ...revocation }: Revocation): Step {
  const atMs = systemClock.now();
  const isShort = scopes && Buffer.byteLength(scopes.join(""), "utf8") <= SCOPE_BYTES_MAX;
  return putting({
    // A new id keeps two revocations of one millisecond apart.
    ...keys.revocationLog(tenant, subjectTime(atMs), newId()),
    ...subjectRows.write({ ...revocation, ...(isShort && { scopes }) }),
    expiresAtSeconds: Math.ceil((atMs + LOG_KEPT_MS) / 1_000),
  });
}

/** The step that adds an entry to the log of grants. `untilSeconds`: when the last token that it ends expires. */
export function loggingGrant(tenant: string, grantId: string, fromMs: number, untilSeconds: number): Step {
  const atMs = systemClock.now();
  const entry = `${grantTime(atMs)}.${shortGrant(grantId)}.${(fromMs - atMs).toString(36)}`;
  return putting({
    ...keys.grantLog(tenant, entry),
    expiresAtSeconds: Math.min(untilSeconds, Math.ceil((atMs + LOG_KEPT_MS) / 1_000)),
  });
}

/**
 * A grant as its log names it: 48 bits of a digest. Grant ids are made here, so no caller chooses two that collide; a
 * collision would end another token early.
 */
export function shortGrant(grantId: string): string {
  return createHash("sha256").update(grantId, "utf8").digest("base64url").slice(0, 8);
}

const subjectRows = rowCodec<Revocation>("revocation log", {
  subject: text,
  fromMs: number,
  scopes: optional(list(text)),
});

interface Layout {
  PK(tenant: string): string;
  /** The first sort key of a time. */
  timeOf(ms: number): string;
  entryOf(item: Item): LogEntry;
}

const layouts: Readonly<Record<LogName, Layout>> = {
  subjects: {
    PK: keys.revocations,
    timeOf: subjectTime,
    entryOf(item) {
      const [time = ""] = item.SK.split("#");
      const atMs = /^\d+$/.test(time) ? Number(time) : Number.NaN;
      return { id: item.SK, atMs, content: contentOf(item) };
    },
  },
  grants: {
    PK: keys.grantRevocations,
    timeOf: grantTime,
    entryOf(item) {
      const [, time = "", subject = "", lead = ""] = GRANT_ENTRY.exec(item.SK) ?? [];
      const atMs = Number.parseInt(time, 36);
      if (subject !== "") return { id: item.SK, atMs, content: { subject, fromMs: atMs + Number.parseInt(lead, 36) } };
      const content = new DamagedRow("grant log", item, { attribute: "SK", expects: "time, grant and lead" });
      return { id: item.SK, atMs, content };
    },
  },
};

function contentOf(item: Item): Revocation | Error {
  try {
    return subjectRows.read(item);
  } catch (error) {
    if (error instanceof DamagedRow) return error;
    throw error;
  }
}

/** The time part of a key of the log of subjects. */
function subjectTime(ms: number): string {
  return String(Math.max(0, Math.floor(ms))).padStart(MS_DIGITS, "0");
}

/** The time part of a key of the log of grants: shorter, because there are many. */
function grantTime(ms: number): string {
  return Math.max(0, Math.floor(ms)).toString(36).padStart(GRANT_TIME_DIGITS, "0");
}
