/**
 * The delivery of changes to subscribers (decision 0088): in order, at least once. The cursor of a subscriber moves
 * only over what its receiver has accepted. One worker at a time delivers to a subscriber, under a lease.
 */
import type { ChangeRecord } from "../changes/model.ts";
import type { Clock } from "../platform/clock.ts";
import { concurrently } from "../platform/concurrently.ts";
import { afterFailure, afterSuccess } from "./backoff.ts";
import {
  type DueRecords,
  dueRecords,
  type Feed,
  type Message,
  type Outcome,
  type Progress,
  type SubscriberKind,
  type SubscriberKindName,
  type SubscriberState,
} from "./model.ts";
import type { DeliveryStore, SubscribedTenant } from "./subscriber-store.ts";

/** The lease of a worker. It is longer than two attempts, and another worker waits so long after a crash. */
const LEASE_MS = 60_000;
/** Progress is stored at least so often: a crash repeats what was delivered since. */
const SAVE_MS = 15_000;
/** Records that are read at once. */
const PAGE = 50;
const TENANTS_AT_ONCE = 8;
const SUBSCRIBERS_AT_ONCE = 8;
/** A tenant without anything due is read again after this time, in case that the announcement of a change was lost. */
const SWEEP_MS = 15 * 60_000;
/** And sooner where there were changes lately: the feed shows some of them late. */
const SETTLED_MS = 45_000;

/** What became of the messages of one subscriber in one run. */
export interface DeliveryRecord {
  readonly tenant: string;
  readonly subscriber: string;
  readonly kind: SubscriberKindName;
  /** The number of messages that the receiver accepted. */
  readonly delivered: number;
  /** Why the delivery stopped before its end, in one sentence without secrets. */
  readonly failure?: string;
  /** The messages that the receiver refused for good, in one sentence each. */
  readonly refusals: readonly string[];
  /** True where the subscriber was paused now. */
  readonly isPaused: boolean;
  /** Milliseconds since the oldest change that is not delivered; 0 where all are. */
  readonly lagMs: number;
  /** A defect of the service: the cause of the failure. */
  readonly defect?: unknown;
}

/** What a worker uses. */
export interface DeliveryDeps {
  readonly subscribers: DeliveryStore;
  readonly feed: Feed;
  /** To subscribers of a kind that is not here, nothing is delivered. */
  readonly kinds: Readonly<Partial<Record<SubscriberKindName, SubscriberKind>>>;
  readonly clock: Clock;
  readonly report: (record: DeliveryRecord) => void;
  /** No attempt begins after this time, in milliseconds since 1970. The last one may end 15 seconds later. */
  readonly untilMs: number;
  /** From 0 to 1, for the jitter of retries. Default: random. */
  readonly random?: () => number;
}

/**
 * Delivers what is due: of the tenants that `only` names, whatever their time; otherwise of those whose time has come.
 * Where no tenant has a subscriber, this costs one read. Errors of one tenant do not stop the others; throws the first
 * one at the end, and then a later call repeats what is missing.
 */
export async function deliverDue(deps: DeliveryDeps, only?: (tenant: string) => boolean): Promise<void> {
  const nowMs = deps.clock.now();
  const entries = await deps.subscribers.tenants();
  const due = entries.filter((entry) => (only ? only(entry.tenant) : entry.dueMs <= nowMs));
  // Who has waited longest comes first, so that slow receivers of some tenants do not stop the others.
  due.sort((a, b) => a.dueMs - b.dueMs);
  await all(due, TENANTS_AT_ONCE, (entry) => deliverToTenant(deps, entry, nowMs));
}

async function deliverToTenant(deps: DeliveryDeps, entry: SubscribedTenant, nowMs: number): Promise<void> {
  // The time of this call is over. A tenant that waits keeps its time, and so its place before those that were served.
  if (deps.clock.now() >= deps.untilMs) {
    if (entry.dueMs > nowMs) await setDue(deps, entry, nowMs);
    return;
  }
  try {
    await deliverToAll(deps, entry, nowMs);
  } catch (error) {
    // The schedule tries again soon, also where changes were announced that nothing else will announce.
    if (entry.dueMs > nowMs) await setDue(deps, entry, nowMs);
    throw error;
  }
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
async function deliverTo(deps: DeliveryDeps, state: SubscriberState): Promise<number> {
  const { subscriber, progress, tenant } = state;
  const nowMs = deps.clock.now();
  const kind = deps.kinds[subscriber.kind];
  if (!kind?.isPushed(subscriber) || !subscriber.isActive || progress.pause) return Number.POSITIVE_INFINITY;
  if (progress.nextAttemptMs > nowMs) return progress.nextAttemptMs;
  // The time of this call is over: the next one goes on.
  if (nowMs >= deps.untilMs) return nowMs;
  // What its worker has read may lack the newest changes.
  if (progress.leasedUntilMs > nowMs) return nowMs;
  // Before the lease is taken: a subscriber to which nothing is due costs no write.
  const page = await dueRecords(deps.feed, tenant, progress, PAGE, nowMs);
  if (page.records.length === 0 && progress.asides.length === 0) return Number.POSITIVE_INFINITY;
  const leased = await deps.subscribers.save(state, { ...progress, leasedUntilMs: nowMs + LEASE_MS });
  return leased ? new Delivery(deps, kind, leased).run(page) : nowMs;
}

/** The next attempt is at another time, or another worker has taken over. */
class Stopped extends Error {}

/** One run of deliveries to one subscriber, under its lease. */
class Delivery {
  readonly #deps: DeliveryDeps;
  readonly #kind: SubscriberKind;
  #state: SubscriberState;
  /** The progress that is not stored yet. */
  #progress: Progress;
  #savedMs: number;
  #delivered = 0;
  readonly #refusals: string[] = [];

  constructor(deps: DeliveryDeps, kind: SubscriberKind, state: SubscriberState) {
    this.#deps = deps;
    this.#kind = kind;
    this.#state = state;
    this.#progress = state.progress;
    this.#savedMs = deps.clock.now();
  }

  /** Delivers all that is due. Returns when something is due again. */
  async run(first: DueRecords): Promise<number> {
    const { feed, clock } = this.#deps;
    let oldestMs = first.records[0]?.atMs;
    try {
      await this.#deliverAsides();
      for (let page = first; page.records.length > 0; ) {
        for (const record of page.records) {
          oldestMs = record.atMs;
          await this.#deliverRecord(record);
        }
        oldestMs = undefined;
        await this.#save({ ...this.#progress, cursor: page.next, delivered: [] });
        page = await dueRecords(feed, this.#state.tenant, this.#progress, PAGE, clock.now());
      }
      await this.#end(this.#progress);
      this.#report(0, {});
      return clock.now() + SETTLED_MS;
    } catch (error) {
      if (!(error instanceof Stopped)) throw error;
      const { pause, nextAttemptMs, lastFailure, failures } = this.#progress;
      const lagMs = oldestMs === undefined ? 0 : Math.max(0, clock.now() - oldestMs);
      this.#report(lagMs, {
        ...(failures > 0 && lastFailure !== undefined && { failure: lastFailure }),
        ...(pause && { failure: pause.reason, isPaused: true }),
        ...(error.cause !== undefined && { defect: error.cause }),
      });
      return pause ? Number.POSITIVE_INFINITY : Math.max(nextAttemptMs, clock.now());
    }
  }

  async #deliverAsides(): Promise<void> {
    while (this.#progress.asides[0] !== undefined) {
      const [aside, ...rest] = this.#progress.asides;
      const message = await this.#made(() => this.#kind.messageOfAside?.(this.#state, aside));
      if (message) await this.#attempt(message);
      await this.#save({ ...this.#progress, asides: rest });
    }
  }

  async #deliverRecord(record: ChangeRecord): Promise<void> {
    const messages = await this.#made(() => this.#kind.messagesOf(this.#state, record));
    for (const message of messages) await this.#attempt(message);
    this.#progress = { ...this.#progress, delivered: [...this.#progress.delivered, record.id] };
    if (this.#deps.clock.now() - this.#savedMs >= SAVE_MS) await this.#save(this.#progress);
  }

  /** One attempt to deliver a message. Throws `Stopped` unless the next one may follow. */
  async #attempt(message: Message): Promise<void> {
    if (this.#deps.clock.now() >= this.#deps.untilMs) return this.#stop(this.#progress);
    const outcome = await this.#made(() => this.#kind.send(this.#state, message));
    const nowMs = this.#deps.clock.now();
    if (outcome.kind === "failed") return this.#stop(this.#failed(outcome));
    if (outcome.kind === "gone") {
      const { reason } = outcome;
      return this.#stop({ ...this.#progress, pause: { reason, atMs: nowMs } });
    }
    if (outcome.kind === "refused") this.#refusals.push(outcome.what);
    else this.#delivered += 1;
    this.#progress = afterSuccess(this.#progress, nowMs);
    if (nowMs - this.#savedMs >= SAVE_MS) await this.#save(this.#progress);
  }

  /** A defect of the service counts as a failed attempt: it must not be repeated at once, and it may be temporary. */
  async #made<R>(make: () => R | Promise<R>): Promise<R> {
    try {
      return await make();
    } catch (error) {
      return this.#stop(this.#failed({ kind: "failed", what: "The service failed to make the message." }), error);
    }
  }

  #failed(outcome: Extract<Outcome, { readonly kind: "failed" }>): Progress {
    const { clock, random = Math.random } = this.#deps;
    return afterFailure(this.#progress, outcome, clock.now(), random());
  }

  /** Stores the progress and ends the lease. */
  async #stop(progress: Progress, cause?: unknown): Promise<never> {
    await this.#end(progress);
    throw new Stopped("the delivery stops here", { cause });
  }

  async #end(progress: Progress): Promise<void> {
    await this.#save({ ...progress, leasedUntilMs: 0 }, 0);
  }

  /** Throws `Stopped` where another worker or its owner has written since: then their state counts. */
  async #save(progress: Progress, leaseMs = LEASE_MS): Promise<void> {
    const nowMs = this.#deps.clock.now();
    const leasedUntilMs = leaseMs === 0 ? 0 : nowMs + leaseMs;
    const saved = await this.#deps.subscribers.save(this.#state, { ...progress, leasedUntilMs });
    if (!saved) throw new Stopped("another worker has taken over");
    this.#state = saved;
    this.#progress = saved.progress;
    this.#savedMs = nowMs;
  }

  #report(lagMs: number, more: Partial<Pick<DeliveryRecord, "failure" | "isPaused" | "defect">>): void {
    const { tenant, subscriber } = this.#state;
    this.#deps.report({
      tenant,
      subscriber: subscriber.id,
      kind: subscriber.kind,
      delivered: this.#delivered,
      refusals: this.#refusals,
      isPaused: false,
      lagMs,
      ...more,
    });
  }
}
