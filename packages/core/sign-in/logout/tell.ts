/**
 * Tells clients that sessions have ended (OpenID Connect Back-Channel Logout 1.0, SAML Profiles 2.0 section 4.4;
 * decision 0117). What is due is taken
 * under a lease, so that two workers seldom do the same; a worker that dies leaves it to the next one. A client is told
 * at least once, or not for a day.
 */
import type { ApplicationStore } from "../../applications/registry/store.ts";
import { isStale } from "../../database/table/stale.ts";
import type { Table } from "../../database/table/table.ts";
import type { Clock } from "../../kernel/clock.ts";
import { concurrently } from "../../kernel/concurrently.ts";
import { eachNoted } from "../../kernel/noted.ts";
import { type Exempt, FetchRefused } from "../../kernel/public-fetch.ts";
import type { Posted, Posting } from "../../kernel/public-post.ts";
import type { WaitingLogout } from "../../tokens/logout-model.ts";
import {
  forgetWaiting,
  LOGOUT_MS,
  moveLogout,
  noteWaiting,
  removingLogout,
  waitingLogouts,
  waitingTenants,
} from "../../tokens/logout-store.ts";
import { waitMs } from "./attempts.ts";
import { type BackChannel, backChannelOf } from "./back-channel.ts";
import { expand } from "./expand.ts";
import type { OrderMessage } from "./order.ts";

/** What the clients of one application were told in one run, without secrets and addresses. */
export interface Told {
  readonly tenant: string;
  readonly application: string;
  readonly told: number;
  readonly failure?: string;
  /** True where a client was given up. */
  readonly isGivenUp?: true;
  /** Since the end of the session. */
  readonly lagMs: number;
  /** A defect of the service. */
  readonly defect?: unknown;
}

/** What telling uses. */
export interface TellDeps {
  readonly table: Table;
  readonly applications: Pick<ApplicationStore, "find">;
  /** Has another function compose and sign a message. */
  readonly order: OrderMessage;
  readonly post: (posting: Posting, exempt: Exempt) => Promise<Posted>;
  readonly exempt: Exempt;
  readonly clock: Clock;
  readonly report: (told: Told) => void;
  /** From 0 to 1, for the jitter of retries. */
  readonly random: () => number;
  /** No attempt begins after this time. The last one may end 15 seconds later. */
  readonly untilMs: number;
}

/** Longer than an attempt with its writes. */
const LEASE_MS = 60_000;
const PAGE = 100;
const AT_ONCE = 8;
const TENANTS_AT_ONCE = 8;

/**
 * Does what is due: of some tenants, or of those whose work waits for another attempt, which costs one read where none
 * does. Notes what waits after it for a later call. Errors of one tenant do not stop the others; throws the first one
 * at the end, as `Noted` where a later call tries each of them again.
 */
export async function tellDue(deps: TellDeps, only?: Iterable<string>): Promise<void> {
  const { table, clock } = deps;
  const nowMs = clock.now();
  const waiting = only ? [] : (await waitingTenants(table)).filter(({ dueMs }) => dueMs <= nowMs);
  waiting.sort((a, b) => a.dueMs - b.dueMs);
  const noted = new Map(waiting.map((each) => [each.tenant, each]));
  await eachNoted([...(only ?? noted.keys())], TENANTS_AT_ONCE, {
    async work(tenant) {
      const nextMs = await tellTenant(deps, tenant);
      const known = noted.get(tenant);
      if (nextMs !== undefined) await noteWaiting(table, { tenant, dueMs: nextMs }, nowMs);
      else if (known) await forgetWaiting(table, known);
    },
    note: (tenant) => noteWaiting(table, { tenant, dueMs: nowMs }, nowMs),
  });
}

/** Does what is due in a tenant. Returns when the next work is due; `undefined` where none is left. */
async function tellTenant(deps: TellDeps, tenant: string): Promise<number | undefined> {
  const { table, clock, untilMs } = deps;
  for (;;) {
    const waiting = await waitingLogouts(table, tenant, PAGE);
    const due = waiting.filter(({ dueMs }) => dueMs <= clock.now());
    // What is left when the time of this call is over is done by the next one.
    if (due.length === 0 || clock.now() >= untilMs) return waiting[0]?.dueMs;
    await concurrently(grouped(due), AT_ONCE, (group) => work(deps, group));
  }
}

/** The work of one client is done one after the other: while it does not respond, nothing else waits for it. */
function grouped(due: readonly WaitingLogout[]): readonly (readonly WaitingLogout[])[] {
  const groups = new Map<string, WaitingLogout[]>();
  for (const each of due) {
    const key = each.client ? `${tenantOf(each)}\n${each.client.clientId}` : each.sortKey;
    groups.set(key, [...(groups.get(key) ?? []), each]);
  }
  return [...groups.values()];
}

/** The tenant of the client, which issues its tokens. */
function tenantOf({ tenant, client }: WaitingLogout): string {
  return client?.tenant ?? tenant;
}

async function work(deps: TellDeps, group: readonly WaitingLogout[]): Promise<void> {
  const { table, clock, untilMs } = deps;
  let laterMs: number | undefined;
  for (const each of group) {
    if (clock.now() >= untilMs) return;
    // It failed a moment ago: the others of this client need not find that out.
    const dueMs = laterMs ?? clock.now() + LEASE_MS;
    const taken = await moved(table, each, dueMs);
    if (!taken || laterMs !== undefined) continue;
    if (each.kind === "client") laterMs = await tell(deps, taken);
    else await expand(deps, taken);
  }
}

/** Tells a client. Returns the time of the next attempt where this one failed. */
async function tell(deps: TellDeps, waiting: WaitingLogout): Promise<number | undefined> {
  const { table, clock } = deps;
  const { client, endedMs } = waiting;
  const tenant = tenantOf(waiting);
  const application = client ? await deps.applications.find(tenant, client.applicationId) : undefined;
  const channel = client && backChannelOf(application, client);
  // The application, or its address, was removed meanwhile.
  if (!channel) {
    await table.write(removingLogout(waiting));
    return undefined;
  }
  const outcome = await attempt(deps, waiting, channel);
  const lagMs = Math.max(0, clock.now() - endedMs);
  const line = { tenant, application: client.applicationId, lagMs };
  if (!outcome) {
    await table.write(removingLogout(waiting));
    deps.report({ ...line, told: 1 });
    return undefined;
  }
  const { what: failure, afterMs, defect } = outcome;
  const known = { ...line, told: 0, failure, ...(defect !== undefined && { defect }) };
  if (lagMs >= LOGOUT_MS) {
    await table.write(removingLogout(waiting));
    deps.report({ ...known, isGivenUp: true });
    return undefined;
  }
  const failures = waiting.failures + 1;
  const nextMs = clock.now() + waitMs(failures, afterMs, deps.random());
  await moved(table, waiting, nextMs, failures);
  deps.report(known);
  return nextMs;
}

/** Why an attempt failed. */
interface Failed {
  readonly what: string;
  /** How long the client asks to wait. */
  readonly afterMs: number;
  readonly defect?: unknown;
}

/** One attempt, with a fresh message. `undefined` where the client has taken it. */
async function attempt(
  { order, post, exempt }: TellDeps,
  waiting: WaitingLogout,
  { url, compose }: BackChannel,
): Promise<Failed | undefined> {
  try {
    const { status, retryAfterMs: afterMs = 0 } = await post({ url, ...(await compose(waiting, order)) }, exempt);
    return status >= 200 && status <= 299 ? undefined : { what: `The client responded with ${status}.`, afterMs };
  } catch (error) {
    if (error instanceof FetchRefused) return { what: error.message, afterMs: 0 };
    return { what: "The service failed to make the message.", afterMs: 0, defect: error };
  }
}

/** Moves work to another time; `undefined` where another worker was first. */
async function moved(table: Table, each: WaitingLogout, dueMs: number, failures?: number) {
  try {
    return await moveLogout(table, each, dueMs, failures);
  } catch (error) {
    if (isStale(error)) return undefined;
    throw error;
  }
}
