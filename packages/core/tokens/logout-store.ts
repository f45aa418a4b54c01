/**
 * What is left to do for sessions that have ended: to find out which clients must be told, and to tell each of them
 * (decision 0117). It is written in the transaction that ends the sessions and waits in the order of time, in a
 * partition of the tenant of the user (decision 0179), so that nothing is lost, no request waits for a client, and no
 * tenant for another one.
 */

import { keys } from "../database/table/keys.ts";
import { number, oneOf, optional, record, rowCodec, text } from "../database/table/row.ts";
import { stale } from "../database/table/stale.ts";
import { type Item, LAST, type Step, type Table } from "../database/table/table.ts";
import { newId } from "../kernel/ids.ts";
import type { CasVisit, Logout, SamlName, ToldClient, WaitingLogout } from "./logout-model.ts";
import { putting, removing } from "./unconditional.ts";
import { timeKey, waitingIn } from "./waiting-store.ts";

/** A client that could not be told for so long is not told. */
export const LOGOUT_MS = 24 * 60 * 60_000;

const KEPT_SECONDS = 2 * 24 * 60 * 60;

/** The members of a client that is told, as rows have them. */
export const toldClient = {
  clientId: text,
  applicationId: text,
  tenant: optional(text),
  subject: text,
  saml: optional(record<SamlName>({ format: text, value: text, index: text, endsAtSeconds: number })),
  cas: optional(record<CasVisit>({ ticket: text, service: text })),
};

const rows = rowCodec<Logout & { readonly expiresAtSeconds: number }>("logout", {
  kind: oneOf("session", "user", "deletion", "client"),
  tenant: text,
  userId: text,
  sid: optional(text),
  client: optional(record<ToldClient>(toldClient)),
  endedMs: number,
  failures: number,
  expiresAtSeconds: number,
});

/** The step that adds a piece of work. It belongs in the transaction that ends the session. */
export function addingLogout(logout: Omit<Logout, "failures">): Step {
  return putting(itemOf({ ...logout, failures: 0 }, logout.endedMs));
}

/**
 * The step that has clients told of the sessions of a user that a change of the account, or its deletion, ends; none
 * for a user without sessions, and without consents where it is deleted. One round trip. A session that begins between
 * this and the commit ends like any other, and its client is not told: it notices at its next request.
 */
export async function endingSessionsOf(
  table: Table,
  {
    tenant,
    userId,
    kind,
    nowMs,
  }: Pick<Logout, "tenant" | "userId"> & {
    readonly kind: "user" | "deletion";
    readonly nowMs: number;
  },
): Promise<readonly Step[]> {
  const places = [
    keys.session(tenant, userId, "").PK,
    ...(kind === "deletion" ? [keys.consent(tenant, userId, "").PK] : []),
  ];
  const found = await Promise.all(places.map((PK) => table.query({ PK, to: LAST, limit: 1, keysOnly: true })));
  if (found.every(({ items }) => items.length === 0)) return [];
  return [addingLogout({ kind, tenant, userId, endedMs: nowMs })];
}

/** The work of a tenant, due or not, what is due first in front. One round trip. */
export async function waitingLogouts(table: Table, tenant: string, limit: number): Promise<WaitingLogout[]> {
  const { items } = await table.query({ PK: keys.logouts(tenant), to: LAST, limit });
  return items.map((item) => {
    const { expiresAtSeconds: _, ...logout } = rows.read(item);
    return { ...logout, sortKey: item.SK, dueMs: Number.parseInt(item.SK, 10) };
  });
}

/**
 * Moves work to another time, with another count of failures. Returns it as it waits now; throws the error of `stale`
 * where another worker has moved or finished it. One round trip.
 */
export async function moveLogout(
  table: Table,
  { sortKey, dueMs: _, ...logout }: WaitingLogout,
  dueMs: number,
  failures = logout.failures,
): Promise<WaitingLogout> {
  const moved = { ...logout, failures };
  const put = itemOf(moved, dueMs);
  // A repetition of this very write finds the row moved: the new one shows it.
  const otherwise = () => stale();
  await table.write(
    { remove: { PK: keys.logouts(logout.tenant), SK: sortKey }, when: "present", otherwise },
    { put, when: "absent", otherwise },
  );
  return { ...moved, sortKey: put.SK, dueMs };
}

/** The step that removes work that is done. */
export function removingLogout({ tenant, sortKey }: WaitingLogout): Step {
  return removing({ PK: keys.logouts(tenant), SK: sortKey });
}

/** The tenants of which work waits for another attempt. */
export const { waitingTenants, noteWaiting, forgetWaiting } = waitingIn(keys.waitingLogouts);

function itemOf(logout: Logout, dueMs: number): Item {
  const expiresAtSeconds = Math.ceil(logout.endedMs / 1_000) + KEPT_SECONDS;
  return { ...keys.logout(logout.tenant, timeKey(dueMs), newId()), ...rows.write({ ...logout, expiresAtSeconds }) };
}
