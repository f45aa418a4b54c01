/**
 * What ends tokens before their time (decision 0021).
 *
 * A revocation says of a subject (a user, a client, a role, some scopes of a client, what was granted once) that tokens count
 * only from a moment on. It is kept twice: as a mark of the subject, for as long as there may be tokens, and in a log in the
 * order of time for a day, which the authorizer reads as a whole, so that it need not ask about each token.
 *
 * The moment lies `REVOCATION_LEAD_MS` ahead of the clock, which is longer than a transaction can take. So a token that was
 * issued on what was true before the transaction is older than the moment, however the two fell together; and a token that
 * is issued on what is true now is dated behind the moment by whoever issues it.
 */
import { systemClock } from "../platform/clock.ts";
import { newId } from "../platform/ids.ts";
import { keys } from "../table/keys.ts";
import type { Item, Key, Step, Table } from "../table/table.ts";
import type { AccessToken } from "./model.ts";

/** How far ahead of the clock a revocation is dated: a transaction gives up after 9 seconds, clocks differ by less than one. */
export const REVOCATION_LEAD_MS = 10_000;

/** How long a revocation stands in the log. Tokens older than that are held against the marks. */
export const LOG_WINDOW_MS = 24 * 60 * 60_000;

/** How much longer its items lie in the table, so that no reader misses one at the edge. */
const LOG_KEPT_MS = LOG_WINDOW_MS + 60 * 60_000;
const MS_DIGITS = 15;

/** The subjects of revocations, as parts of keys; with a colon, so that no right on users (`U#`) is one on the marks of theirs. */
export const subjects = {
  user: (id: string): string => `U:${id}`,
  client: (clientId: string): string => `C:${clientId}`,
  /** All scopes of a client; one of them has its name behind a line break. */
  scopes: (clientId: string): string => `S:${clientId}`,
  /** The scopes of a tenant's own APIs, whoever holds them; one of them has its name behind a line break. */
  ownScopes: "S:",
  role: (id: string): string => `R:${id}`,
  grant: (id: string): string => `F:${id}`,
} as const;

/** The time part of a key of the log. */
export function logTime(ms: number): string {
  return String(Math.max(0, ms)).padStart(MS_DIGITS, "0");
}

/** The moment from which tokens count, for a revocation that is about to be written. */
export function revocationTime(nowMs = systemClock.now()): number {
  return nowMs + REVOCATION_LEAD_MS;
}

/**
 * The steps that end all tokens of a user, access and refresh tokens alike. They belong into the transaction that deletes or
 * deactivates the user, sets its password, or takes a role or a group with roles from it. Two steps; make them anew for
 * every attempt, because they hold the time.
 */
export function revokingUser(tenant: string, userId: string, fromMs = revocationTime()): readonly Step[] {
  return [marking(tenant, subjects.user(userId), fromMs), logging(tenant, subjects.user(userId), fromMs)];
}

/**
 * The steps that end the access tokens whose scopes rest on a role, whoever has it: where the role is deleted, its permissions
 * change, or a group loses it. Refresh tokens stay: what they bring is decided anew each time. Two steps, made anew for every attempt.
 */
export function revokingRole(tenant: string, roleId: string, fromMs = revocationTime()): readonly Step[] {
  return [marking(tenant, subjects.role(roleId), fromMs), logging(tenant, subjects.role(roleId), fromMs)];
}

/** The step that ends all tokens of a client. Its mark is in the client's own item (clients/store.ts). */
export function revokingClient(tenant: string, clientId: string, fromMs: number): Step {
  return logging(tenant, subjects.client(clientId), fromMs);
}

/** The step that ends the access tokens of a client that hold one of some scopes. Its mark is in the client's own item. */
export function revokingScopes(tenant: string, clientId: string, fromMs: number, scopes: readonly string[]): Step {
  return logging(tenant, subjects.scopes(clientId), fromMs, scopes);
}

/**
 * The steps that end all access tokens with one of some scopes of the tenant's own APIs, which are no more. A token that the log
 * does not reach ends whichever of a tenant's own scopes it holds. None for no scopes, else two, made anew for every attempt.
 */
export function revokingOwnScopes(
  tenant: string,
  scopes: readonly string[],
  fromMs = revocationTime(),
): readonly Step[] {
  return scopes.length === 0
    ? []
    : [marking(tenant, subjects.ownScopes, fromMs), logging(tenant, subjects.ownScopes, fromMs, scopes)];
}

/** The steps that end what was granted once: all tokens of a sign-in, or one token that stands alone. `untilSeconds` is when the last of them ends anyway. */
export function revokingGrant(tenant: string, grantId: string, fromMs: number, untilSeconds: number): readonly Step[] {
  return [
    marking(tenant, subjects.grant(grantId), fromMs, untilSeconds),
    logging(tenant, subjects.grant(grantId), fromMs),
  ];
}

/** From when on the tokens of a subject count, by its mark; 0 where there is none. */
export function markOf(item: Item | undefined): number {
  return typeof item?.fromMs === "number" ? item.fromMs : 0;
}

/** From when on the tokens of a user count. One round trip. */
export async function readUserMark(table: Table, tenant: string, userId: string): Promise<number> {
  return markOf(await table.get(keys.revocation(tenant, subjects.user(userId))));
}

/** The marks of all subjects that a token depends on, beside the item of its client. */
export function marksOf({ tenant, user, roleIds, grantId, scopes }: AccessToken): readonly Key[] {
  return [
    ...(user ? [subjects.user(user.id)] : []),
    ...roleIds.map((id) => subjects.role(id)),
    ...(scopes.some(isOwn) ? [subjects.ownScopes] : []),
    subjects.grant(grantId),
  ].map((subject) => keys.revocation(tenant, subject));
}

/** Whether a scope is one of a tenant's own API; names of this service's scopes are its own. */
function isOwn(scope: string): boolean {
  return !scope.startsWith("internal_");
}

function marking(tenant: string, subject: string, fromMs: number, expiresAtSeconds?: number): Step {
  return put({ ...keys.revocation(tenant, subject), fromMs, expiresAtSeconds });
}

function logging(tenant: string, subject: string, fromMs: number, scopes?: readonly string[]): Step {
  const atMs = systemClock.now();
  return put({
    // Its own id keeps two of one moment apart.
    ...keys.revocationLog(tenant, logTime(atMs), newId()),
    subject,
    fromMs,
    ...(scopes && { scopes }),
    expiresAtSeconds: Math.ceil((atMs + LOG_KEPT_MS) / 1_000),
  });
}

function put(item: Item): Step {
  return { put: item, when: "any", otherwise: unconditional };
}

/** Never asked: the step has no condition. */
function unconditional(): Error {
  return new Error("a step without a condition failed");
}
