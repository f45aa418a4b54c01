/**
 * The revocation state that one container knows: for each tenant that it serves, whether the tenant is active, and the
 * newest entries of its logs, read once and then increment by increment. So most tokens are validated without a read of
 * the database. A token from before what the container has read is compared with the marks once; from then on new
 * entries can end it.
 */

import type { Table } from "../../database/table/table.ts";
import { tenantStore } from "../../directory/tenant-store.ts";
import { grantsOfOrigin, type Origin, originsOf } from "../../tokens/delegation.ts";
import { type KnownLog, LOG_LIMITS, newKnownLog } from "../../tokens/known-log.ts";
import { type AccessToken, grantsOf } from "../../tokens/model.ts";
import { LOG_WINDOW_MS, shortGrant } from "../../tokens/revocation-log-store.ts";
import {
  isDatedAhead,
  isOwnScope,
  MARK_AHEAD_MS,
  REVOCATION_LEAD_MS,
  subjects,
} from "../../tokens/revocation-store.ts";

/**
 * The greatest age of this knowledge where a token is validated by it alone: within this time a revocation takes
 * effect.
 */
export const REVOCATION_FRESH_MS = 30_000;

/** How far the time of a revocation can be after that of its entry: the lead, and clocks that differ. */
const ENTRY_LEAD_MS = REVOCATION_LEAD_MS + 2_000;
/** Around the window of the log, for clocks that differ. */
const SLACK_MS = 60_000;
const TENANTS_MAX = 100;
/** Tokens of one tenant that are remembered as compared with their marks. */
const COMPARED_MAX = 1_000;

/** How old the knowledge may be; 0 always reads. */
export interface Ages {
  readonly subjects: number;
  readonly grants: number;
}

/** For a token that is validated without a read, and for one of which nothing may be missed. */
export const FRESH: Ages = { subjects: REVOCATION_FRESH_MS, grants: REVOCATION_FRESH_MS };
export const STRICT: Ages = { subjects: 0, grants: 0 };
/** For an opaque token: who revokes its grant removes its row too. */
export const STRICT_SUBJECTS: Ages = { subjects: 0, grants: REVOCATION_FRESH_MS };

/** `marks`: the logs do not say, so that the marks of the token's subjects decide. */
export type Verdict = "valid" | "revoked" | "marks";

/** The revocation state of one tenant. */
export type RevocationState = ReturnType<typeof stateOf>;

/** What was changed of roles and groups, for caches of facts about them. */
export interface Changes {
  /** Names this moment: for a fact that is read from now on. */
  readonly order: number;
  /** Whether a fact about the subject that was read at that order is still true. */
  isUnchangedSince(subject: string, order: number): boolean;
  /** Remembers the tenant, which exists. Tenants that do not are forgotten: callers choose their names. */
  keep(): void;
}

/** The revocations that one container knows. */
export type RevocationCache = ReturnType<typeof newRevocationCache>;

interface Known {
  isActive: boolean;
  readonly subjects: KnownLog;
  readonly grants: KnownLog;
  /** The tenant was last read at. */
  readMs: number;
  /** Tokens that no mark ended, as long as no entry was missed since. */
  readonly compared: Set<string>;
  comparedFor: string;
}

/** Opens the cache of one container. `onDamaged` gets each damaged row of a log once. */
export function newRevocationCache(onDamaged: (damage: Error) => void = () => undefined, limits = LOG_LIMITS) {
  const tenants = new Map<string, Known>();
  let order = 0;
  const orderOf = (): number => {
    order += 1;
    return order;
  };

  const fresh = (): Known => ({
    isActive: false,
    subjects: newKnownLog("subjects", namesOf, onDamaged, limits),
    grants: newKnownLog("grants", ({ subject }) => [subject], onDamaged, limits),
    readMs: Number.NEGATIVE_INFINITY,
    compared: new Set(),
    comparedFor: "",
  });

  const keep = (tenant: string, known: Known): void => {
    tenants.delete(tenant);
    tenants.set(tenant, known);
    const [oldest] = tenants.keys();
    if (tenants.size > TENANTS_MAX && oldest !== undefined) tenants.delete(oldest);
  };

  return {
    /** The state of a tenant. One round trip where it reads. */
    async of(tenant: string, table: Table, nowMs: number, ages: Ages): Promise<RevocationState> {
      const known = tenants.get(tenant) ?? fresh();
      const { subjects: log, grants } = known;
      const isFresh = known.readMs > 0 && log.isFresh(nowMs, ages.subjects) && nowMs - known.readMs <= ages.subjects;
      const isGrantsFresh = grants.isFresh(nowMs, ages.grants);
      const [found] = await Promise.all([
        isFresh ? undefined : tenantStore(table).find(tenant),
        isFresh ? undefined : log.read(table, tenant, nowMs, orderOf),
        isGrantsFresh ? undefined : grants.read(table, tenant, nowMs, orderOf),
      ]);
      if (!isFresh) {
        known.isActive = found?.active === true;
        known.readMs = nowMs;
        if (found) keep(tenant, known);
        else tenants.delete(tenant);
      }
      return stateOf(known);
    },
    /** What was changed in a tenant until now. One round trip. */
    async changes(tenant: string, table: Table, nowMs: number): Promise<Changes> {
      const known = tenants.get(tenant) ?? fresh();
      const log = known.subjects;
      let read = 0;
      await log.read(table, tenant, nowMs, () => {
        read = orderOf();
        return read;
      });
      return {
        order: read,
        isUnchangedSince: log.isUnchangedSince,
        keep: () => keep(tenant, known),
      };
    },
    /** Names this moment: after all reads that have ended, before all that have not. */
    order: (): number => order,
    /** Whether it has read of the tenant, which therefore exists. */
    knows: (tenant: string): boolean => tenants.has(tenant),
  };
}

function stateOf(known: Known) {
  const { isActive, subjects: log, grants } = known;
  const gaps = gapsOf(known);
  return {
    /** False for an inactive tenant, and for one that does not exist. */
    isActive,
    /** What the logs say of a token. `key` names the token among others. */
    judge(token: AccessToken, key: string, nowMs: number): Verdict {
      if (isDatedAhead(token) || isBeyondLog(token, nowMs)) return "marks";
      const ends = [
        ...endsOf(token, subjectsOf(token), grantsOf(token), known),
        ...originsOf(token).flatMap((origin) =>
          endsOf(origin, subjectsOfOrigin(origin, token.scopes), grantsOfOrigin(origin, token), known),
        ),
      ];
      // A clock that was ahead wrote a later time: a mark may have replaced it.
      const isSure = ends.some((fromMs) => fromMs <= nowMs + MARK_AHEAD_MS);
      if (ends.length > 0) return isSure ? "revoked" : "marks";
      const horizonMs = Math.max(log.horizonMs(), grants.horizonMs());
      const isRead = token.issuedMs >= horizonMs + ENTRY_LEAD_MS;
      return isRead || (known.comparedFor === gapsOf(known) && known.compared.has(key)) ? "valid" : "marks";
    },
    /** Remembers that no mark ends the token, so that `judge` returns `valid` until a new entry ends it. */
    pass(token: AccessToken, key: string): void {
      if (isDatedAhead(token) || gapsOf(known) !== gaps) return;
      if (known.comparedFor !== gaps) known.compared.clear();
      known.comparedFor = gaps;
      const [oldest] = known.compared;
      if (known.compared.size >= COMPARED_MAX && oldest !== undefined) known.compared.delete(oldest);
      known.compared.add(key);
    },
  };
}

/** True for a token that is older than the log: its marks decide each time, because entries about it can be gone. */
function isBeyondLog({ issuedMs }: AccessToken, nowMs: number): boolean {
  return issuedMs < nowMs - LOG_WINDOW_MS + SLACK_MS;
}

/** Changes when entries of a tenant may have been missed. */
function gapsOf({ subjects: log, grants }: Known): string {
  return `${log.gapOrder()} ${grants.gapOrder()}`;
}

/** The subjects of an entry of the log of subjects. */
function namesOf({ subject, scopes }: { readonly subject: string; readonly scopes?: readonly string[] }) {
  return scopes?.map((scope) => scopeSubject(subject, scope)) ?? [subject];
}

/** The entries of the logs that end what was issued. */
function endsOf(
  { issuedMs }: { readonly issuedMs: number },
  names: readonly string[],
  grantIds: readonly string[],
  { subjects: log, grants }: Known,
): readonly number[] {
  const all = [...names.map(log.fromMs), ...grantIds.map((grantId) => grants.fromMs(shortGrant(grantId)))];
  return all.filter((fromMs) => fromMs > issuedMs);
}

/** All subjects by which the log of subjects can end a token. */
function subjectsOf({ user, clientId, roleIds, scopes }: AccessToken): readonly string[] {
  return [
    ...(user ? [subjects.user(user.id)] : []),
    ...roleIds.map((id) => subjects.role(id)),
    ...(scopes.some(isOwnScope) ? [subjects.ownScopes] : []),
    ...scopes.map((scope) => scopeSubject(subjects.ownScopes, scope)),
    ...subjectsOfClient(clientId, scopes),
  ];
}

/** The same of a token that it comes from. */
function subjectsOfOrigin({ userId, clientId }: Origin, scopes: readonly string[]): readonly string[] {
  return [...(userId === undefined ? [] : [subjects.user(userId)]), ...subjectsOfClient(clientId, scopes)];
}

function subjectsOfClient(clientId: string, scopes: readonly string[]): readonly string[] {
  const all = subjects.scopes(clientId);
  return [
    subjects.client(clientId),
    ...(scopes.length > 0 ? [all] : []),
    ...scopes.map((scope) => scopeSubject(all, scope)),
  ];
}

/** The subject of one scope: of a client, or of the tenant's own APIs. */
function scopeSubject(subject: string, scope: string): string {
  return `${subject}\n${scope}`;
}
