/**
 * The revocation state that one container knows: for each tenant that it serves, whether the tenant is active, and the
 * log of the last day, read once and then increment by increment. So most tokens are validated without a read of the
 * database.
 */
import { tenantStore } from "../domain/tenant-store.ts";
import type { Table } from "../table/table.ts";
import type { AccessToken } from "./model.ts";
import { LOG_WINDOW_MS, type Revocation, revocationStore, subjects } from "./revocation-store.ts";

/**
 * The greatest age of this knowledge where a token is validated by it alone: within this time a revocation takes
 * effect.
 */
export const REVOCATION_FRESH_MS = 30_000;

/** How much of the log is read a second time: a row can appear up to 9 seconds after the time that its key contains. */
const OVERLAP_MS = 20_000;
/** Around the window of the log, for clocks that differ. */
const SLACK_MS = 60_000;
const TENANTS_MAX = 100;
/** How often entries that have left the window are dropped. */
const PRUNE_EVERY_MS = 60 * 60_000;

/** The revocation state of one tenant. */
export interface RevocationState {
  /** False for an inactive tenant, and for one that does not exist. */
  readonly isActive: boolean;
  /** Whether the log of the last day ends the token. */
  revokes(token: AccessToken): boolean;
}

/** The revocations that one container knows. */
export interface RevocationCache {
  /** The state of a tenant, at most `maxAgeMs` old at `nowMs`; 0 always reads. One round trip where it reads. */
  of(tenant: string, table: Table, nowMs: number, maxAgeMs: number): Promise<RevocationState>;
}

interface Entry {
  readMs: number;
  prunedMs: number;
  isActive: boolean;
  readonly fromMs: Map<string, number>;
}

/** Opens the cache of one container. */
export function newRevocationCache(): RevocationCache {
  const tenants = new Map<string, Entry>();

  const read = async (tenant: string, table: Table, nowMs: number): Promise<Entry> => {
    const before = tenants.get(tenant);
    const sinceMs = before ? before.readMs - OVERLAP_MS : nowMs - LOG_WINDOW_MS - SLACK_MS;
    const [found, log] = await Promise.all([
      tenantStore(table).find(tenant),
      revocationStore(table).log(tenant, sinceMs),
    ]);
    // Concurrent reads may have added entries: they stay.
    const entry = tenants.get(tenant) ?? { readMs: 0, prunedMs: nowMs, isActive: false, fromMs: new Map() };
    for (const revocation of log) add(entry, revocation);
    entry.isActive = found?.active === true;
    entry.readMs = Math.max(entry.readMs, nowMs);
    prune(entry, nowMs);
    tenants.delete(tenant);
    // Tenants that do not exist are not remembered: callers choose their names.
    if (found) tenants.set(tenant, entry);
    const [oldest] = tenants.keys();
    if (tenants.size > TENANTS_MAX && oldest !== undefined) tenants.delete(oldest);
    return entry;
  };

  return {
    async of(tenant, table, nowMs, maxAgeMs) {
      const kept = tenants.get(tenant);
      const isFresh = kept !== undefined && maxAgeMs > 0 && nowMs - kept.readMs <= maxAgeMs;
      const { isActive, fromMs } = isFresh ? kept : await read(tenant, table, nowMs);
      return {
        isActive,
        revokes: (token) => subjectsOf(token).some((subject) => (fromMs.get(subject) ?? 0) > token.issuedMs),
      };
    },
  };
}

/** True for a token that is older than the log. */
export function isBeyondLog({ issuedMs }: AccessToken, nowMs: number): boolean {
  return issuedMs < nowMs - LOG_WINDOW_MS + SLACK_MS;
}

function add({ fromMs }: Entry, { subject, scopes, ...revocation }: Revocation): void {
  for (const name of scopes?.map((scope) => scopeSubject(subject, scope)) ?? [subject]) {
    fromMs.set(name, Math.max(fromMs.get(name) ?? 0, revocation.fromMs));
  }
}

function prune(entry: Entry, nowMs: number): void {
  if (nowMs - entry.prunedMs < PRUNE_EVERY_MS) return;
  entry.prunedMs = nowMs;
  for (const [subject, fromMs] of entry.fromMs) {
    if (fromMs < nowMs - LOG_WINDOW_MS - SLACK_MS) entry.fromMs.delete(subject);
  }
}

/** All subjects by which the log can end a token. */
function subjectsOf({ user, clientId, roleIds, grantId, scopes }: AccessToken): readonly string[] {
  return [
    ...(user ? [subjects.user(user.id)] : []),
    subjects.client(clientId),
    subjects.grant(grantId),
    ...roleIds.map((id) => subjects.role(id)),
    ...scopes.flatMap((scope) => [
      scopeSubject(subjects.scopes(clientId), scope),
      scopeSubject(subjects.ownScopes, scope),
    ]),
  ];
}

/** The subject of one scope: of a client, or of the tenant's own APIs. */
function scopeSubject(subject: string, scope: string): string {
  return `${subject}\n${scope}`;
}
