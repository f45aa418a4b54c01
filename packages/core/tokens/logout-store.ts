/**
 * What is left to do for sessions that have ended: to find out which clients must be told, and to tell each of them
 * (decision 0117). It is written in the transaction that ends the sessions and waits in the order of time, so that
 * nothing is lost and no request waits for a client.
 */
import { newId } from "../platform/ids.ts";
import { keys } from "../table/keys.ts";
import { number, oneOf, optional, record, rowCodec, text } from "../table/row.ts";
import { stale } from "../table/stale.ts";
import { type Item, LAST, type Step, type Table } from "../table/table.ts";
import type { Logout, ToldClient, WaitingLogout } from "./logout-model.ts";
import { putting, removing } from "./unconditional.ts";

/** A client that could not be told for so long is not told. */
export const LOGOUT_MS = 24 * 60 * 60_000;

const MS_DIGITS = 15;
const KEPT_SECONDS = 2 * 24 * 60 * 60;

const rows = rowCodec<Logout & { readonly expiresAtSeconds: number }>("logout", {
  kind: oneOf("session", "user", "deletion", "client"),
  tenant: text,
  userId: text,
  sid: optional(text),
  client: optional(record<ToldClient>({ clientId: text, applicationId: text, tenant: optional(text), subject: text })),
  endedMs: number,
  failures: number,
  expiresAtSeconds: number,
});

/** The step that adds a piece of work. It belongs in the transaction that ends the session. */
export function addingLogout(logout: Omit<Logout, "failures">, dueMs = logout.endedMs): Step {
  return putting(itemOf({ ...logout, failures: 0 }, dueMs));
}

/** The step that has clients told of the sessions of a user that a change of the account, or its deletion, ends. */
export function endingSessionsOf(tenant: string, userId: string, kind: "user" | "deletion", nowMs: number): Step {
  return addingLogout({ kind, tenant, userId, endedMs: nowMs });
}

/** Work that is due, the oldest first. One round trip. */
export async function dueLogouts(table: Table, nowMs: number, limit: number): Promise<WaitingLogout[]> {
  const { items } = await table.query({ PK: keys.logouts(), to: `${timeOf(nowMs)}#${LAST}`, limit });
  return items.map((item) => {
    const { expiresAtSeconds: _, ...logout } = rows.read(item);
    return { ...logout, sortKey: item.SK };
  });
}

/**
 * Moves work to another time, with another count of failures. Returns it as it waits now; throws the error of `stale`
 * where another worker has moved or finished it. One round trip.
 */
export async function moveLogout(
  table: Table,
  { sortKey, ...logout }: WaitingLogout,
  dueMs: number,
  failures = logout.failures,
): Promise<WaitingLogout> {
  const moved = { ...logout, failures };
  const put = itemOf(moved, dueMs);
  // A repetition of this very write finds the row moved: the new one shows it.
  const otherwise = () => stale();
  await table.write(
    { remove: { PK: keys.logouts(), SK: sortKey }, when: "present", otherwise },
    { put, when: "absent", otherwise },
  );
  return { ...moved, sortKey: put.SK };
}

/** The step that removes work that is done. */
export function removingLogout({ sortKey }: WaitingLogout): Step {
  return removing({ PK: keys.logouts(), SK: sortKey });
}

function itemOf(logout: Logout, dueMs: number): Item {
  const expiresAtSeconds = Math.ceil(logout.endedMs / 1_000) + KEPT_SECONDS;
  return { ...keys.logout(timeOf(dueMs), newId()), ...rows.write({ ...logout, expiresAtSeconds }) };
}

function timeOf(ms: number): string {
  return String(Math.max(0, Math.floor(ms))).padStart(MS_DIGITS, "0");
}
