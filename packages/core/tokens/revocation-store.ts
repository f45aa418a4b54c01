/**
 * Revocations: what ends tokens before they expire (decision 0021).
 *
 * A revocation makes the tokens of a subject (a user, a client, a role, scopes of a client, one grant) valid only if
 * they were issued from a given time on. It is stored twice: as a mark of the subject, which stays while such tokens
 * may exist, and in a log in order of time, which stays for a day. The authorizer reads the newest entries of the log,
 * so that most tokens need no read of their own; the marks decide about all others.
 *
 * The time of a revocation is `REVOCATION_LEAD_MS` ahead of the clock, which is longer than a transaction can take. A
 * token that was issued on data from before the transaction is therefore older than the revocation, however the two
 * interleave. A token that is issued on current data gets an issue time after the revocation (oauth/issue.ts).
 */

import { keys } from "../database/table/keys.ts";
import { number, rowCodec, text, withDefault } from "../database/table/row.ts";
import type { Item, Step, Table } from "../database/table/table.ts";
import { systemClock } from "../kernel/clock.ts";
import { reservedScope } from "../kernel/domain/system-apis.ts";
import { grantsOfOrigin, type Origin, originsOf } from "./delegation.ts";
import { type AccessToken, CLOCK_TOLERANCE_MS, grantsOf } from "./model.ts";
import { logging, loggingGrant } from "./revocation-log-store.ts";
import { putting } from "./unconditional.ts";

/**
 * How far ahead of the clock a revocation is dated: a transaction gives up after 9 seconds, clocks differ by less than
 * one.
 */
export const REVOCATION_LEAD_MS = 10_000;

/** A mark that is further ahead of the clock was written under a wrong one. */
export const MARK_AHEAD_MS = REVOCATION_LEAD_MS + CLOCK_TOLERANCE_MS;

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
  /** The pages of sign-in that wait for a user: no token has this subject (decision 0146). */
  pages: (userId: string): string => `P:${userId}`,
  role: (id: string): string => `R:${id}`,
  grant: (id: string): string => `F:${id}`,
  /** The roles of the groups of a tenant. No token has this subject: it is for caches of facts. */
  rolesOfGroups: "G:",
  /** Whether the tenant is active; for caches of facts too. */
  tenant: "T:",
} as const;

/** When a token or a sign-in began: by the clock, and as revocations are compared with it. */
export interface Issued {
  readonly issuedAtSeconds: number;
  readonly issuedMs: number;
}

const marks = rowCodec<{ readonly fromMs: number }>("revocation mark", { fromMs: number });

/** The marks of a client, which are attributes of the client's own row. */
const clientMarks = rowCodec<{
  readonly tenant: string;
  readonly tokensFromMs: number;
  readonly scopesFromMs: number;
}>("client", { tenant: text, tokensFromMs: number, scopesFromMs: withDefault(number, 0) });

/** Opens the store on the table of one request. */
export function revocationStore(table: Table) {
  return {
    /** From when on the tokens of each subject are valid; 0 for a subject without a mark. One round trip. */
    async validFrom(tenant: string, of: readonly string[]): Promise<readonly number[]> {
      const items = await table.getMany(of.map((subject) => keys.revocation(tenant, subject)));
      return items.map(markOf);
    },
    /** Whether a mark ends the token: for a token of which the log does not decide. One round trip. */
    async isRevokedByMark(token: AccessToken, nowMs: number): Promise<boolean> {
      const { tenant, scopes } = token;
      const marked = [token, ...originsOf(token)].map((issued) => ({
        issued,
        subjects: markedSubjectsOf(issued, token),
      }));
      const named = marked.flatMap((one) => one.subjects);
      const clientIds = marked.map((one) => one.issued.clientId);
      const items = await table.getMany([
        ...named.map((subject) => keys.revocation(tenant, subject)),
        ...clientIds.map(keys.client),
      ]);
      const fromMs = new Map(named.map((subject, at) => [subject, markOf(items[at])]));
      const ofClients = new Map(
        clientIds.map((id, at) => {
          const item = items[named.length + at];
          const client = item && clientMarks.read(item);
          if (client?.tenant !== tenant) return [id, Number.POSITIVE_INFINITY];
          return [id, Math.max(client.tokensFromMs, scopes.length > 0 ? client.scopesFromMs : 0)];
        }),
      );
      return marked.some(({ issued, subjects: of }) =>
        [...of.map((subject) => fromMs.get(subject) ?? 0), ofClients.get(issued.clientId) ?? 0].some((ms) =>
          isEndedBy(ms, issued, nowMs),
        ),
      );
    },
  };
}

/**
 * Whether a mark ends what was issued. What was issued after a mark of a clock that was ahead is dated after that mark,
 * so that it is valid; of later marks, which are right, its time by the clock counts.
 */
export function isEndedBy(fromMs: number, issued: Issued, nowMs: number): boolean {
  if (fromMs > issued.issuedMs) return true;
  const isRightMark = fromMs <= nowMs + MARK_AHEAD_MS;
  return isDatedAhead(issued) && isRightMark && fromMs > issued.issuedAtSeconds * 1_000;
}

/** Whether an issue time is further ahead of the clock's than a right mark can make it. */
export function isDatedAhead({ issuedAtSeconds, issuedMs }: Issued): boolean {
  return issuedMs > (issuedAtSeconds + 1) * 1_000 + MARK_AHEAD_MS;
}

/** Whether a scope belongs to an API of the tenant. */
export function isOwnScope(scope: string): boolean {
  return reservedScope(scope) === undefined;
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
  return [marking(tenant, subjects.user(userId), fromMs), logging(tenant, { subject: subjects.user(userId), fromMs })];
}

/**
 * The steps that revoke the access tokens whose scopes come from a role, of all users: where the role is deleted, its
 * permissions change, or a group loses it. Refresh tokens stay valid: each use decides the scopes again. Two steps;
 * make them again for every attempt.
 */
export function revokingRole(tenant: string, roleId: string, fromMs = revocationTime()): readonly Step[] {
  return [marking(tenant, subjects.role(roleId), fromMs), logging(tenant, { subject: subjects.role(roleId), fromMs })];
}

/** The step that revokes all tokens of a client. The store of clients writes the mark into the client's own row. */
export function revokingClient(tenant: string, clientId: string, fromMs: number): Step {
  return logging(tenant, { subject: subjects.client(clientId), fromMs });
}

/**
 * The step that revokes the access tokens of a client with one of these scopes. The mark is in the client's own row.
 */
export function revokingScopes(tenant: string, clientId: string, fromMs: number, scopes: readonly string[]): Step {
  return logging(tenant, { subject: subjects.scopes(clientId), fromMs, scopes });
}

/** The same for all scopes of a client. */
export function revokingEveryScope(tenant: string, clientId: string, fromMs: number): Step {
  return logging(tenant, { subject: subjects.scopes(clientId), fromMs });
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
    : [marking(tenant, subjects.ownScopes, fromMs), logging(tenant, { subject: subjects.ownScopes, fromMs, scopes })];
}

/**
 * The step that tells caches that a group got or lost roles. It ends no token. It belongs in the transaction of the
 * change.
 */
export function changingRolesOfGroups(tenant: string): Step {
  return logging(tenant, { subject: subjects.rolesOfGroups, fromMs: 0 });
}

/**
 * The step that tells caches that the tenant was activated or deactivated. It ends no token: who reads tokens reads the
 * tenant. It belongs in the transaction of the change.
 */
export function changingTenant(tenant: string): Step {
  return logging(tenant, { subject: subjects.tenant, fromMs: 0 });
}

/**
 * The steps that revoke one grant: all tokens of a sign-in, or a single token. `untilSeconds`: when the last of them
 * expires. `onMark` is the condition on its mark, where there is one.
 */
export function revokingGrant(
  tenant: string,
  grantId: string,
  fromMs: number,
  untilSeconds: number,
  onMark?: Pick<Step, "when" | "otherwise">,
): readonly Step[] {
  return [
    { ...marking(tenant, subjects.grant(grantId), fromMs, untilSeconds), ...onMark },
    loggingGrant(tenant, grantId, fromMs, untilSeconds),
  ];
}

/**
 * The step that ends the pages of sign-in that are open for a user, where one of its sessions ends. Make it again for
 * every attempt, because it contains the time.
 */
export function endingPages(tenant: string, userId: string, untilSeconds: number): Step {
  return marking(tenant, subjects.pages(userId), revocationTime(), untilSeconds);
}

/** The subjects of a token, or of one that it comes from, that have marks of their own. */
function markedSubjectsOf(issued: AccessToken | Origin, token: AccessToken): readonly string[] {
  if (!("scopes" in issued)) {
    const { userId } = issued;
    const grants = grantsOfOrigin(issued, token).map(subjects.grant);
    return [...(userId === undefined ? [] : [subjects.user(userId)]), ...grants];
  }
  const { user, roleIds, scopes } = issued;
  return [
    ...(user ? [subjects.user(user.id)] : []),
    ...roleIds.map((id) => subjects.role(id)),
    ...(scopes.some(isOwnScope) ? [subjects.ownScopes] : []),
    ...grantsOf(issued).map(subjects.grant),
  ];
}

/** From when on tokens of a subject are valid, by the row of its mark. */
export function markOf(item: Item | undefined): number {
  return item ? marks.read(item).fromMs : 0;
}

function marking(tenant: string, subject: string, fromMs: number, expiresAtSeconds?: number): Step {
  return putting({ ...keys.revocation(tenant, subject), ...marks.write({ fromMs }), expiresAtSeconds });
}
