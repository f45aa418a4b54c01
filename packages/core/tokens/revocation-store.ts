/**
 * Revocations: what ends tokens before they expire (decision 0021).
 *
 * A revocation makes the tokens of a subject (a user, a client, a role, scopes of a client, one grant) valid only if
 * they were issued from a given time on. It is stored twice: as a mark of the subject, which stays while such tokens
 * may exist, and in a log in order of time, which stays for a day. The authorizer reads the log as a whole, so it needs
 * no read for each token.
 *
 * The time of a revocation is `REVOCATION_LEAD_MS` ahead of the clock, which is longer than a transaction can take. A
 * token that was issued on data from before the transaction is therefore older than the revocation, however the two
 * interleave. A token that is issued on current data gets an issue time after the revocation (oauth/issue.ts).
 */
import { systemClock } from "../platform/clock.ts";
import { newId } from "../platform/ids.ts";
import { keys } from "../table/keys.ts";
import { list, number, optional, rowCodec, text, withDefault } from "../table/row.ts";
import { type Item, LAST, type Step, type Table } from "../table/table.ts";
import type { AccessToken } from "./model.ts";
import { putting } from "./unconditional.ts";

/**
 * How far ahead of the clock a revocation is dated: a transaction gives up after 9 seconds, clocks differ by less than
 * one.
 */
export const REVOCATION_LEAD_MS = 10_000;

/** How long a revocation stays in the log. Older tokens are compared with the marks. */
export const LOG_WINDOW_MS = 24 * 60 * 60_000;

/** How much longer the rows of the log stay in the table, so that no reader misses one at the edge of the window. */
const LOG_KEPT_MS = LOG_WINDOW_MS + 60 * 60_000;
const LOG_ROWS_PER_PAGE = 10_000;
const MS_DIGITS = 15;

/**
 * The subjects of revocations, as parts of keys. The colon keeps rights on users (`U#`) apart from rights on their
 * marks.
 */
export const subjects = {
  user: (id: string): string => `U:${id}`,
  client: (clientId: string): string => `C:${clientId}`,
  /** All scopes of a client. The subject of one scope has the scope's name after a line break. */
  scopes: (clientId: string): string => `S:${clientId}`,
  /** The scopes of the tenant's own APIs, in tokens of any client. The subject of one scope has the same form. */
  ownScopes: "S:",
  role: (id: string): string => `R:${id}`,
  grant: (id: string): string => `F:${id}`,
} as const;

/** An entry of the log: tokens of `subject` are valid from `fromMs` on. */
export interface Revocation {
  readonly subject: string;
  readonly fromMs: number;
  /** The scopes that it is limited to; absent where it is not about scopes. */
  readonly scopes?: readonly string[];
}

/** The revocations of all tenants. */
export interface RevocationStore {
  /** The log of a tenant since a time. One round trip to 10,000 entries. */
  log(tenant: string, sinceMs: number): Promise<readonly Revocation[]>;
  /** From when on the tokens of each subject are valid; 0 for a subject without a mark. One round trip. */
  validFrom(tenant: string, subjects: readonly string[]): Promise<readonly number[]>;
  /** Whether a mark ends the token: for a token that is older than the log. One round trip. */
  isRevokedByMark(token: AccessToken): Promise<boolean>;
}

const logRows = rowCodec<Revocation>("revocation log", { subject: text, fromMs: number, scopes: optional(list(text)) });

const marks = rowCodec<{ readonly fromMs: number }>("revocation mark", { fromMs: number });

/** The marks of a client, which are attributes of the client's own row. */
const clientMarks = rowCodec<{
  readonly tenant: string;
  readonly tokensFromMs: number;
  readonly scopesFromMs: number;
}>("client", { tenant: text, tokensFromMs: withDefault(number, 0), scopesFromMs: withDefault(number, 0) });

/** Opens the store on the table of one request. */
export function revocationStore(table: Table): RevocationStore {
  return {
    async log(tenant, sinceMs) {
      const PK = keys.revocations(tenant);
      const items = await table.queryAll({ PK, from: logTime(sinceMs), to: LAST, limit: LOG_ROWS_PER_PAGE });
      return items.map(logRows.read);
    },
    async validFrom(tenant, of) {
      const items = await table.getMany(of.map((subject) => keys.revocation(tenant, subject)));
      return items.map(markOf);
    },
    async isRevokedByMark(token) {
      const markKeys = markedSubjectsOf(token).map((subject) => keys.revocation(token.tenant, subject));
      const items = await table.getMany([...markKeys, keys.client(token.clientId)]);
      const item = items.pop();
      const client = item && clientMarks.read(item);
      const clientFromMs = client?.tenant === token.tenant ? client.tokensFromMs : Number.POSITIVE_INFINITY;
      const scopesFromMs = token.scopes.length > 0 ? (client?.scopesFromMs ?? 0) : 0;
      return [...items.map(markOf), clientFromMs, scopesFromMs].some((fromMs) => fromMs > token.issuedMs);
    },
  };
}

/** The time of a revocation that is about to be written: tokens that were issued before it are not valid. */
export function revocationTime(nowMs = systemClock.now()): number {
  return nowMs + REVOCATION_LEAD_MS;
}

/**
 * The steps that revoke all access and refresh tokens of a user. They belong in the transaction that deletes or
 * deactivates the user, sets its password, or removes a role or a group with roles from it. Two steps; make them again
 * for every attempt, because they contain the time.
 */
export function revokingUser(tenant: string, userId: string, fromMs = revocationTime()): readonly Step[] {
  return [marking(tenant, subjects.user(userId), fromMs), logging(tenant, subjects.user(userId), fromMs)];
}

/**
 * The steps that revoke the access tokens whose scopes come from a role, of all users: where the role is deleted, its
 * permissions change, or a group loses it. Refresh tokens stay valid: each use decides the scopes again. Two steps;
 * make them again for every attempt.
 */
export function revokingRole(tenant: string, roleId: string, fromMs = revocationTime()): readonly Step[] {
  return [marking(tenant, subjects.role(roleId), fromMs), logging(tenant, subjects.role(roleId), fromMs)];
}

/** The step that revokes all tokens of a client. The store of clients writes the mark into the client's own row. */
export function revokingClient(tenant: string, clientId: string, fromMs: number): Step {
  return logging(tenant, subjects.client(clientId), fromMs);
}

/**
 * The step that revokes the access tokens of a client with one of these scopes. The mark is in the client's own row.
 */
export function revokingScopes(tenant: string, clientId: string, fromMs: number, scopes: readonly string[]): Step {
  return logging(tenant, subjects.scopes(clientId), fromMs, scopes);
}

/**
 * The steps that revoke all access tokens with one of these scopes of the tenant's own APIs, which are deleted. A token
 * that is older than the log is revoked if it has any scope of the tenant's own APIs. Two steps, none for no scopes;
 * make them again for every attempt.
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

/**
 * The steps that revoke one grant: all tokens of a sign-in, or a single token. `untilSeconds`: when the last of them
 * expires.
 */
export function revokingGrant(tenant: string, grantId: string, fromMs: number, untilSeconds: number): readonly Step[] {
  return [
    marking(tenant, subjects.grant(grantId), fromMs, untilSeconds),
    logging(tenant, subjects.grant(grantId), fromMs),
  ];
}

/** The subjects of a token that have marks of their own. */
function markedSubjectsOf({ user, roleIds, grantId, scopes }: AccessToken): readonly string[] {
  return [
    ...(user ? [subjects.user(user.id)] : []),
    ...roleIds.map((id) => subjects.role(id)),
    ...(scopes.some(isOwn) ? [subjects.ownScopes] : []),
    subjects.grant(grantId),
  ];
}

/** Whether a scope belongs to an API of the tenant. The scopes of this service begin with `internal_`. */
function isOwn(scope: string): boolean {
  return !scope.startsWith("internal_");
}

function markOf(item: Item | undefined): number {
  return item ? marks.read(item).fromMs : 0;
}

function marking(tenant: string, subject: string, fromMs: number, expiresAtSeconds?: number): Step {
  return putting({ ...keys.revocation(tenant, subject), ...marks.write({ fromMs }), expiresAtSeconds });
}

function logging(tenant: string, subject: string, fromMs: number, scopes?: readonly string[]): Step {
  const atMs = systemClock.now();
  return putting({
    // A new id keeps two revocations of one millisecond apart.
    ...keys.revocationLog(tenant, logTime(atMs), newId()),
    ...logRows.write({ subject, fromMs, ...(scopes && { scopes }) }),
    expiresAtSeconds: Math.ceil((atMs + LOG_KEPT_MS) / 1_000),
  });
}

/** The time part of a key of the log. */
function logTime(ms: number): string {
  return String(Math.max(0, ms)).padStart(MS_DIGITS, "0");
}
