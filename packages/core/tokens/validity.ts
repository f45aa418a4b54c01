/**
 * What one container knows of revocations: the log of the last day of each tenant it serves, read once and then by what was
 * added, and whether the tenant is active. So a token is judged without asking the database about it.
 */
import { keys } from "../table/keys.ts";
import { type Item, LAST, type Table } from "../table/table.ts";
import type { AccessToken } from "./model.ts";
import { LOG_WINDOW_MS, logTime, markOf, marksOf, subjects } from "./revocation.ts";

/** How old this knowledge may be where a token is judged by it alone: the time within which a revocation takes effect. */
export const STANDING_FRESH_MS = 30_000;

/** What is read again each time: a transaction takes up to 9 seconds to show what it dated at its beginning. */
const OVERLAP_MS = 20_000;
/** Around the window, for clocks that differ. */
const SLACK_MS = 60_000;
const TENANTS_MAX = 100;
const ENTRIES_PER_PAGE = 10_000;
/** How often what has left the window is forgotten. */
const FORGET_EVERY_MS = 60 * 60_000;

/** What is known of one tenant. */
export interface Standing {
  /** False for a tenant that lets nobody in, and for one that does not exist. */
  readonly isActive: boolean;
  /** Whether the log of the last day ends the token. */
  revokes(token: AccessToken): boolean;
}

interface Known {
  readMs: number;
  forgotMs: number;
  isActive: boolean;
  readonly fromMs: Map<string, number>;
}

/** The knowledge of one container. */
export interface Standings {
  /** What is known of a tenant, at most `maxAgeMs` old at `nowMs`; 0 asks in any case. One round trip where it asks. */
  of(tenant: string, table: Table, nowMs: number, maxAgeMs: number): Promise<Standing>;
}

/** Opens the knowledge of one container. */
export function newStandings(): Standings {
  const tenants = new Map<string, Known>();

  const read = async (tenant: string, table: Table, nowMs: number): Promise<Known> => {
    const before = tenants.get(tenant);
    const start = before ? before.readMs - OVERLAP_MS : nowMs - LOG_WINDOW_MS - SLACK_MS;
    const [item, log] = await Promise.all([
      table.get(keys.tenant(tenant)),
      table.queryAll({ PK: keys.revocations(tenant), from: logTime(start), to: LAST, limit: ENTRIES_PER_PAGE }),
    ]);
    // Others may have read meanwhile: what they learnt stays.
    const known = tenants.get(tenant) ?? { readMs: 0, forgotMs: nowMs, isActive: false, fromMs: new Map() };
    for (const entry of log) learn(known, entry);
    known.isActive = item?.active === true;
    known.readMs = Math.max(known.readMs, nowMs);
    forget(known, nowMs);
    tenants.delete(tenant);
    // A tenant that does not exist is not worth remembering.
    if (item) tenants.set(tenant, known);
    const [oldest] = tenants.keys();
    if (tenants.size > TENANTS_MAX && oldest !== undefined) tenants.delete(oldest);
    return known;
  };

  return {
    async of(tenant, table, nowMs, maxAgeMs) {
      const kept = tenants.get(tenant);
      const isFresh = kept !== undefined && maxAgeMs > 0 && nowMs - kept.readMs <= maxAgeMs;
      const known = isFresh ? kept : await read(tenant, table, nowMs);
      return {
        isActive: known.isActive,
        revokes: (token) => subjectsOf(token).some((subject) => (known.fromMs.get(subject) ?? 0) > token.issuedMs),
      };
    },
  };
}

function learn({ fromMs }: Known, { subject, scopes, ...item }: Item): void {
  const learnOne = (name: string) => fromMs.set(name, Math.max(fromMs.get(name) ?? 0, Number(item.fromMs)));
  if (!Array.isArray(scopes)) learnOne(String(subject));
  else for (const scope of scopes) learnOne(`${subject}\n${scope}`);
}

function forget(known: Known, nowMs: number): void {
  if (nowMs - known.forgotMs < FORGET_EVERY_MS) return;
  known.forgotMs = nowMs;
  for (const [subject, fromMs] of known.fromMs) {
    if (fromMs < nowMs - LOG_WINDOW_MS - SLACK_MS) known.fromMs.delete(subject);
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

/** The subject of one scope: of a client, or of a tenant's own. */
function scopeSubject(subject: string, scope: string): string {
  return `${subject}\n${scope}`;
}

/** True for a token that is older than the log reaches back. */
export function isBeyondLog({ issuedMs }: AccessToken, nowMs: number): boolean {
  return issuedMs < nowMs - LOG_WINDOW_MS + SLACK_MS;
}

/** Whether the marks of its subjects end a token: for one that the log does not reach. One round trip. */
export async function isMarkedRevoked(token: AccessToken, table: Table): Promise<boolean> {
  const items = await table.getMany([...marksOf(token), keys.client(token.clientId)]);
  const client = items.pop();
  const clientFrom = client?.tenant === token.tenant ? Number(client.tokensFromMs ?? 0) : Number.POSITIVE_INFINITY;
  const scopesFrom = token.scopes.length > 0 ? Number(client?.scopesFromMs ?? 0) : 0;
  return [...items.map(markOf), clientFrom, scopesFrom].some((fromMs) => fromMs > token.issuedMs);
}
