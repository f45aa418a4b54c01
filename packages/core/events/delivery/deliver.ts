/**
 * The delivery of changes to subscribers (decisions 0088 and 0150): at least once, those of one resource in order. One
 * worker at a time delivers to a subscriber, under a lease.
 */
import { concurrently } from "../../kernel/concurrently.ts";
import { eachNoted } from "../../kernel/noted.ts";
import { deliverUnderLease } from "./delivery.ts";
import type { DeliveryDeps } from "./deps.ts";
import {
  dueRecords,
  LEASE_MS,
  PAGE,
  type Progress,
  SETTLED_MS,
  type SubscriberKind,
  type SubscriberState,
} from "./model.ts";
import type { SubscribedTenant } from "./subscriber-store.ts";

const TENANTS_AT_ONCE = 8;
const SUBSCRIBERS_AT_ONCE = 8;
/** A tenant without anything due is read again after this time, in case that the announcement of a change was lost. */
const SWEEP_MS = 15 * 60_000;

/**
 * Delivers what is due: of the tenants that `only` names, whatever their time; otherwise of those whose time has come.
 * Where no tenant has a subscriber, this costs one read. Errors of one tenant do not stop the others; throws the first
 * one at the end, as `Noted` where the schedule repeats what is missing.
 */
export async function deliverDue(deps: DeliveryDeps, only?: (tenant: string) => boolean): Promise<void> {
  const nowMs = deps.clock.now();
  const entries = await deps.subscribers.tenants();
  const due = entries.filter((entry) => (only ? only(entry.tenant) : entry.dueMs <= nowMs));
  // Who has waited longest comes first, so that slow receivers of some tenants do not stop the others.
  due.sort((a, b) => a.dueMs - b.dueMs);
  await eachNoted(due, TENANTS_AT_ONCE, {
    work: (entry) => deliverToTenant(deps, entry, nowMs),
    // The schedule tries again soon, also where changes were announced that nothing else will announce.
    note: (entry) => (entry.dueMs > nowMs ? setDue(deps, entry, nowMs) : Promise.resolve()),
  });
}

async function deliverToTenant(deps: DeliveryDeps, entry: SubscribedTenant, nowMs: number): Promise<void> {
  // The time of this call is over. A tenant that waits keeps its time, and so its place before those that were served.
  if (deps.clock.now() >= deps.untilMs) {
    if (entry.dueMs > nowMs) await setDue(deps, entry, nowMs);
    return;
  }
  await deliverToAll(deps, entry, nowMs);
}

async function deliverToAll(deps: DeliveryDeps, entry: SubscribedTenant, nowMs: number): Promise<void> {
  const states = await deps.subscribers.list(entry.tenant);
  if (states.length === 0) {
    await deps.subscribers.drop(entry);
    return;
  }
  // Who has waited longest comes first here too: the time may not suffice for all.
  states.sort((a, b) => a.progress.lastDeliveryMs - b.progress.lastDeliveryMs);
  const times: number[] = [];
  await all(states, SUBSCRIBERS_AT_ONCE, async (state) => {
    times.push(await deliverTo(deps, state));
  });
  const dueMs = Math.min(nowMs + SWEEP_MS, ...times);
  // Most runs have nothing to write: the time is there already, or comes sooner.
  if (dueMs < entry.dueMs || entry.dueMs <= nowMs) await setDue(deps, entry, dueMs);
}

/** Sets the time of a tenant. Where another worker wrote one meanwhile, the sooner of both counts. */
async function setDue({ subscribers }: DeliveryDeps, entry: SubscribedTenant, dueMs: number): Promise<void> {
  for (let current = entry; !(await subscribers.setDue(current, dueMs)); ) {
    const written = (await subscribers.tenants()).find(({ tenant }) => tenant === entry.tenant);
    if (!written || written.dueMs <= dueMs) return;
    current = written;
  }
}

/** Works through a whole list, also where one element fails. Throws the first error at the end. */
async function all<T>(list: readonly T[], atOnce: number, work: (element: T) => Promise<void>): Promise<void> {
  const errors: unknown[] = [];
  await concurrently(list, atOnce, async (element) => {
    try {
      await work(element);
    } catch (error) {
      errors.push(error);
    }
  });
  if (errors.length > 0) throw errors[0];
}

/** Delivers to one subscriber. Returns when something of it is due again; infinite for never. */
async function deliverTo(deps: DeliveryDeps, found: SubscriberState): Promise<number> {
  const { subscriber, tenant } = found;
  const kind = deps.kinds[subscriber.kind];
  if (!kind?.isPushed(subscriber) || !subscriber.isActive || found.progress.pause) return Number.POSITIVE_INFINITY;
  let dueMs = Number.POSITIVE_INFINITY;
  for (let state = found; ; ) {
    const { progress } = state;
    const nowMs = deps.clock.now();
    if (progress.nextAttemptMs > nowMs) return progress.nextAttemptMs;
    // The time of this call is over: the next one goes on.
    if (nowMs >= deps.untilMs) return nowMs;
    // What its worker has read may lack the newest changes.
    if (progress.leasedUntilMs > nowMs) return nowMs;
    // Before the lease is taken: a subscriber to which nothing is due costs no write. After its end: a receiver that
    // was called for a later change meanwhile has met the lease.
    const page = await dueRecords(deps.feed, tenant, progress, PAGE, nowMs);
    if (page.records.length === 0 && progress.asides.length === 0) return dueMs;
    const lost = await lostBy(kind, state);
    const leased = await deps.subscribers.save(state, { ...progress, ...lost, leasedUntilMs: nowMs + LEASE_MS });
    if (!leased) return nowMs;
    const ended = await deliverUnderLease(deps, kind, leased, page);
    if (!ended.isAll) return ended.dueMs;
    state = ended.state;
    // The feed shows some of the latest changes late.
    dueMs = deps.clock.now() + SETTLED_MS;
  }
}

/** What its owner sees of lost rights. Where they cannot be read, the messages say why, and what was known stays. */
async function lostBy(kind: SubscriberKind, state: SubscriberState): Promise<Pick<Progress, "lost">> {
  try {
    const lost = await kind.lostBy?.(state);
    return lost ? { lost } : {};
  } catch {
    return {};
  }
}
