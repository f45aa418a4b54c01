/**
 * The queue of mails, in the order of the time when each is due, in a partition of the tenant. A mail that follows from
 * a change is written in the transaction of that change.
 */
import { createHash } from "node:crypto";
import { keys } from "../database/table/keys.ts";
import { flag, number, oneOf, optional, rowCodec, text } from "../database/table/row.ts";
import { stale } from "../database/table/stale.ts";
import { type Item, LAST, type Step, type Table } from "../database/table/table.ts";
import { concurrently } from "../kernel/concurrently.ts";
import { newId } from "../kernel/ids.ts";
import { type Mail, mailKinds, type WaitingMail } from "./mail-model.ts";
import { putting, removing } from "./unconditional.ts";
import { timeKey, waitingIn } from "./waiting-store.ts";

const NOTED_AT_ONCE = 8;
const KEPT_SECONDS = 2 * 24 * 60 * 60;
/** The window of the limits. */
const WINDOW_MS = 60 * 60_000;

const rows = rowCodec<Mail & { readonly expiresAtSeconds: number }>("mail", {
  kind: oneOf(...mailKinds),
  tenant: text,
  about: text,
  address: optional(text),
  sourceIp: optional(text),
  userAgent: optional(text),
  userName: optional(text),
  flow: optional(text),
  page: optional(text),
  pageTenant: optional(text),
  isKnown: optional(flag),
  language: optional(text),
  askedMs: number,
  failures: number,
  expiresAtSeconds: number,
});

const counts = rowCodec<{ readonly mails: number }>("count of mails", { mails: number });

/** The tenants with new mails, and those of which mails wait for another attempt. */
export const { waitingTenants, noteWaiting, forgetWaiting } = waitingIn(keys.waitingMails);

/** Notes for the function that sends that tenants have new mails. Two round trips. */
export async function noteMails(table: Table, tenants: Iterable<string>, nowMs: number): Promise<void> {
  await concurrently([...tenants], NOTED_AT_ONCE, (tenant) => noteWaiting(table, { tenant, dueMs: nowMs }, nowMs));
}

/** The step that queues a mail. */
export function addingMail(mail: Omit<Mail, "failures">): Step {
  return putting(itemOf({ ...mail, failures: 0 }, mail.askedMs));
}

/** The mails of a tenant, due or not, what is due first in front. One round trip. */
export async function waitingMails(table: Table, tenant: string, limit: number): Promise<WaitingMail[]> {
  const { items } = await table.query({ PK: keys.mails(tenant), to: LAST, limit });
  return items.map((item) => {
    const { expiresAtSeconds: _, ...mail } = rows.read(item);
    return { ...mail, sortKey: item.SK, dueMs: Number.parseInt(item.SK, 10) };
  });
}

/**
 * Moves a mail to another time, with another count of failures. Returns it as it waits now; throws the error of `stale`
 * where another worker has moved or finished it. One round trip.
 */
export async function moveMail(
  table: Table,
  { sortKey, dueMs: _, ...mail }: WaitingMail,
  dueMs: number,
  failures = mail.failures,
): Promise<WaitingMail> {
  const moved = { ...mail, failures };
  const put = itemOf(moved, dueMs);
  const otherwise = () => stale();
  await table.write(
    { remove: { PK: keys.mails(mail.tenant), SK: sortKey }, when: "present", otherwise },
    { put, when: "absent", otherwise },
  );
  return { ...moved, sortKey: put.SK, dueMs };
}

/** The step that removes a mail that is done. */
export function removingMail({ tenant, sortKey }: WaitingMail): Step {
  return removing({ PK: keys.mails(tenant), SK: sortKey });
}

/** Counts an attempt at the code of a mail, and returns how many there are with it. One round trip. */
export async function countAttempt(
  table: Table,
  { tenant, flow }: { readonly tenant: string; readonly flow: string },
  nowMs: number,
): Promise<number> {
  const key = keys.mailCount(tenant, createHash("sha256").update(`attempt\n${flow}`, "utf8").digest("base64url"), 0);
  const expiresAtSeconds = Math.ceil((nowMs + WINDOW_MS) / 1_000);
  return counts.read(await table.count(key, { mails: 1 }, { expiresAtSeconds })).mails;
}

/** Whose mails are counted. */
export interface Counted {
  readonly tenant: string;
  readonly kind: "name" | "address" | "source" | "tenant";
  readonly value: string;
}

/** Counts one more in this hour of the clock, and returns how many there are with it. One round trip. */
export async function countMail(table: Table, { tenant, kind, value }: Counted, nowMs: number): Promise<number> {
  const digest = createHash("sha256").update(`${kind}\n${value}`, "utf8").digest("base64url");
  const key = keys.mailCount(tenant, digest, Math.floor(nowMs / WINDOW_MS));
  const expiresAtSeconds = Math.ceil((nowMs + 2 * WINDOW_MS) / 1_000);
  return counts.read(await table.count(key, { mails: 1 }, { expiresAtSeconds })).mails;
}

function itemOf(mail: Mail, dueMs: number): Item {
  const expiresAtSeconds = Math.ceil(mail.askedMs / 1_000) + KEPT_SECONDS;
  return { ...keys.mail(mail.tenant, timeKey(dueMs), newId()), ...rows.write({ ...mail, expiresAtSeconds }) };
}
