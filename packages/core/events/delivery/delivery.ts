/**
 * The delivery to one subscriber under its lease. Messages of one resource follow each other in order; those of several
 * resources are sent at the same time, so that neither a slow receiver nor a failing message delays the others.
 */
import type { ChangeRecord } from "../../database/changes/model.ts";
import { concurrently } from "../../kernel/concurrently.ts";
import { afterFailure, afterSuccess, noFailures } from "./backoff.ts";
import type { DeliveryDeps } from "./deps.ts";
import {
  type DueRecords,
  dueRecords,
  LEASE_MS,
  type Message,
  type Outcome,
  PAGE,
  type Progress,
  type SubscriberKind,
  type SubscriberState,
} from "./model.ts";

/** Progress is stored at least so often: a crash repeats what was delivered since. */
const SAVE_MS = 15_000;
/** Messages that a receiver gets at the same time. */
const AT_ONCE = 8;
/** The same for a receiver whose last attempt failed: it may be down. */
const AT_ONCE_AFTER_FAILURE = 2;
/** Failures of resources without a success between them, after which the receiver counts as down ... */
const FAILURES_OF_DOWN = 2;
/** ... and where it has accepted something in the same run. */
const FAILURES_AFTER_SUCCESS = 8;
/** Resources that are held at the same time. */
const HELD_MAX = 50;
/** Records after one that fails, of which the ids are stored until that one is delivered. Further ones wait. */
const AHEAD_MAX = 1_000;
const PAGES_AHEAD_MAX = AHEAD_MAX / PAGE;

type Failure = Extract<Outcome, { readonly kind: "failed" }>;

/** How a delivery ended: whether all that was due was delivered, and when something is due again. */
export interface Ended {
  readonly isAll: boolean;
  /** Milliseconds since 1970; infinite for never. */
  readonly dueMs: number;
  readonly state: SubscriberState;
}

/**
 * Delivers all that is due, beginning with a page that was read already. Stores the progress, ends the lease, and
 * reports. Stops without a further write where another worker or the owner has written since: then their state counts.
 */
export function deliverUnderLease(
  deps: DeliveryDeps,
  kind: SubscriberKind,
  leased: SubscriberState,
  first: DueRecords,
): Promise<Ended> {
  return new Delivery(deps, kind, leased).run(first);
}

/** Another worker or the owner has written the progress. */
class TakenOver extends Error {}

/** The database failed: the lease ends by itself, and a later run repeats what was delivered since. */
class NotSaved extends Error {}

class Delivery {
  readonly #deps: DeliveryDeps;
  readonly #kind: SubscriberKind;
  readonly #atOnce: number;
  /** As it is stored. */
  #state: SubscriberState;
  /** What is stored next. */
  #progress: Progress;
  #savedMs: number;
  #saving: Promise<void> = Promise.resolve();
  #delivered = 0;
  readonly #refusals: string[] = [];
  /** The records that were not delivered, by their resources: later ones of the same resource wait for them. */
  readonly #held = new Map<string, ChangeRecord>();
  /** The records of the page that is delivered now. */
  #page: readonly ChangeRecord[] = [];
  #pagesAhead = 0;
  /** What failed in this run, by the resources. */
  readonly #failed = new Map<string, Failure>();
  /** The failure of a receiver that is down: of all, the one with the longest wait. */
  #down: Failure | undefined;
  #failuresInARow = 0;
  #defect: unknown;
  #isStopped = false;

  constructor(deps: DeliveryDeps, kind: SubscriberKind, state: SubscriberState) {
    this.#deps = deps;
    this.#kind = kind;
    this.#state = state;
    this.#progress = state.progress;
    this.#atOnce = state.progress.failures > 0 ? AT_ONCE_AFTER_FAILURE : AT_ONCE;
    this.#savedMs = deps.clock.now();
  }

  async run(first: DueRecords): Promise<Ended> {
    this.#page = first.records;
    try {
      await this.#deliverAsides();
      for (let page = first; page.records.length > 0 && !this.#isOver(); ) {
        const next = await this.#deliverPage(page);
        // The last page and the end of the lease are one write.
        if (next.records.length > 0 && this.#held.size === 0) await this.#save();
        page = next;
      }
      this.#countFailures();
      await this.#save(0);
    } catch (error) {
      if (!(error instanceof TakenOver)) throw error;
      return this.#ended();
    }
    return this.#ended();
  }

  #ended(): Ended {
    const { pause, nextAttemptMs, held } = this.#progress;
    const nowMs = this.#deps.clock.now();
    this.#report();
    const nextMs = this.#isStopped ? nextAttemptMs : Math.min(...held.map((each) => each.nextAttemptMs));
    return {
      isAll: !this.#isStopped && this.#held.size === 0,
      dueMs: pause ? Number.POSITIVE_INFINITY : Math.max(nextMs, nowMs),
      state: this.#state,
    };
  }

  async #deliverAsides(): Promise<void> {
    while (this.#progress.asides[0] !== undefined && !this.#isOver()) {
      const [aside, ...rest] = this.#progress.asides;
      const sent = await this.#send(async () => {
        const message = await this.#kind.messageOfAside?.(this.#state, aside);
        return message ? [message] : [];
      });
      if (sent === "left") return;
      if (sent !== "all") return this.#stopAt(sent);
      this.#progress = { ...this.#progress, asides: rest };
      await this.#save();
    }
  }

  /** Delivers a page. Returns the next one, which is empty where this run must not go further. */
  async #deliverPage({ records, next }: DueRecords): Promise<DueRecords> {
    this.#page = records;
    const byResource = [...Map.groupBy(records, ({ resource }) => `${resource.type} ${resource.id}`)];
    // After a failure, others than those that failed come first: a few that always fail do not make a receiver down.
    const begin = (this.#state.progress.failures * FAILURES_OF_DOWN) % byResource.length;
    const turned = [...byResource.slice(begin), ...byResource.slice(0, begin)];
    await concurrently(turned, this.#atOnce, ([resource, own]) => this.#deliverInOrder(resource, own));
    if (this.#isStopped) return { records: [], next };
    const { tenant } = this.#state;
    const { feed, clock } = this.#deps;
    if (this.#held.size === 0) {
      this.#progress = { ...this.#progress, cursor: next, delivered: this.#deliveredWithout(records) };
    } else {
      this.#pagesAhead += 1;
      const isFar = this.#pagesAhead >= PAGES_AHEAD_MAX || this.#progress.delivered.length >= AHEAD_MAX;
      if (isFar) return { records: [], next };
    }
    const { delivered } = this.#progress;
    const due = await dueRecords(feed, tenant, { cursor: next, delivered }, PAGE, clock.now());
    if (due.records.length === 0 && this.#held.size === 0) {
      this.#progress = { ...this.#progress, cursor: due.next, delivered: [], held: [] };
    }
    return due;
  }

  /** The delivered records after a page that is delivered as a whole: an earlier run was ahead. */
  #deliveredWithout(records: readonly ChangeRecord[]): readonly string[] {
    const before = new Set(records.map(({ id }) => id));
    return this.#progress.delivered.filter((id) => !before.has(id));
  }

  async #deliverInOrder(resource: string, records: readonly ChangeRecord[]): Promise<void> {
    const before = this.#progress.held.find((each) => each.resource === resource);
    const isEarly = before !== undefined && before.nextAttemptMs > this.#deps.clock.now();
    for (const record of records) {
      if (this.#held.has(resource)) return;
      if (isEarly || this.#isOver() || !(await this.#deliverRecord(resource, record))) {
        this.#held.set(resource, record);
        return;
      }
    }
  }

  /** False where the record must be delivered again. */
  async #deliverRecord(resource: string, record: ChangeRecord): Promise<boolean> {
    const sent = await this.#send(async () => this.#kind.messagesOf(this.#state, record));
    if (sent !== "all") {
      if (sent !== "left") this.#fail(resource, sent);
      return false;
    }
    const { delivered, held } = this.#progress;
    const others = held.filter((each) => each.resource !== resource);
    this.#progress = { ...this.#progress, delivered: [...delivered, record.id], held: others };
    return true;
  }

  /**
   * Makes messages and sends them, one after the other. Returns whether all were accepted or refused for good, some are
   * left because the run must stop, or why one of them must be sent again. A defect of the service counts as a failed
   * attempt: it must not be repeated at once, and it may be temporary.
   */
  async #send(make: () => Promise<readonly Message[]>): Promise<"all" | "left" | Failure> {
    try {
      for (const message of await make()) {
        if (this.#isOver()) return "left";
        const outcome = await this.#kind.send(this.#state, message);
        if (outcome.kind === "failed") return outcome;
        if (outcome.kind === "gone") return this.#leave(outcome.reason);
        await this.#accept(outcome);
      }
      return "all";
    } catch (error) {
      if (error instanceof TakenOver || error instanceof NotSaved) throw error;
      this.#defect ??= error;
      return { kind: "failed", what: "The service failed to make the message." };
    }
  }

  /** The receiver wants nothing more. */
  #leave(reason: string): "left" {
    this.#isStopped = true;
    this.#pause(reason, this.#deps.clock.now());
    return "left";
  }

  async #accept(outcome: Extract<Outcome, { readonly kind: "delivered" | "refused" }>): Promise<void> {
    const nowMs = this.#deps.clock.now();
    if (outcome.kind === "refused") this.#refusals.push(outcome.what);
    else this.#delivered += 1;
    this.#failuresInARow = 0;
    this.#progress = afterSuccess(this.#progress, nowMs);
    if (nowMs - this.#savedMs >= SAVE_MS) await this.#save();
  }

  /** Remembers the failure of a resource, and whether the receiver is down. */
  #fail(resource: string, failure: Failure): void {
    const isNew = !this.#progress.held.some((each) => each.resource === resource);
    this.#failed.set(resource, failure);
    if (isNew) this.#failuresInARow += 1;
    const most = this.#delivered > 0 ? FAILURES_AFTER_SUCCESS : FAILURES_OF_DOWN;
    const isFull = this.#failed.size + this.#progress.held.length > HELD_MAX;
    // One that names the time of the next attempt speaks for the whole receiver.
    if (failure.afterMs !== undefined || this.#failuresInARow >= most || isFull) this.#stopAt(failure);
  }

  #stopAt(failure: Failure): void {
    this.#isStopped = true;
    if (!this.#down || (failure.afterMs ?? 0) > (this.#down.afterMs ?? 0)) this.#down = failure;
  }

  /** Sets the next attempts: of the receiver where it is down, otherwise of each resource that failed. */
  #countFailures(): void {
    const { clock, random = Math.random } = this.#deps;
    const nowMs = clock.now();
    if (this.#down) {
      const failures = afterFailure(this.#progress, this.#down, nowMs, random());
      this.#progress = { ...this.#progress, ...(failures ?? noFailures), lastFailure: this.#down.what };
      if (!failures) this.#pause(`No delivery succeeded for a day. ${this.#down.what}`, nowMs);
      return;
    }
    for (const [resource, failure] of this.#failed) {
      const before = this.#progress.held.find((each) => each.resource === resource);
      const failures = afterFailure(before ?? noFailures, failure, nowMs, random());
      const others = this.#progress.held.filter((each) => each !== before);
      const held = [...others, { resource, ...(failures ?? noFailures) }];
      this.#progress = { ...this.#progress, held, lastFailure: failure.what };
      if (!failures) this.#pause(`An event failed for a day. ${failure.what}`, nowMs);
    }
  }

  #pause(reason: string, atMs: number): void {
    this.#progress = { ...this.#progress, pause: { reason, atMs } };
  }

  /** Whether no attempt may begin any more. */
  #isOver(): boolean {
    if (this.#deps.clock.now() >= this.#deps.untilMs) this.#isStopped = true;
    return this.#isStopped;
  }

  /** Stores the progress: one write at a time. Throws `TakenOver`. */
  async #save(leaseMs = LEASE_MS): Promise<void> {
    this.#savedMs = this.#deps.clock.now();
    const saved = this.#saving.then(async () => {
      const leasedUntilMs = leaseMs === 0 ? 0 : this.#deps.clock.now() + leaseMs;
      const progress = { ...this.#progress, leasedUntilMs };
      const state = await this.#deps.subscribers.save(this.#state, progress).catch((cause: unknown) => {
        throw new NotSaved("the progress could not be stored", { cause });
      });
      if (!state) {
        this.#isStopped = true;
        throw new TakenOver("another worker has taken over");
      }
      this.#state = state;
    });
    this.#saving = saved.catch(() => {});
    return saved;
  }

  #report(): void {
    const { tenant, subscriber } = this.#state;
    const { pause, lastFailure, delivered } = this.#progress;
    const failure = pause?.reason ?? (this.#down || this.#failed.size > 0 ? lastFailure : undefined);
    const left = this.#isStopped ? this.#page.filter(({ id }) => !delivered.includes(id)) : [];
    const oldestMs = Math.min(...[...this.#held.values(), ...left].map(({ atMs }) => atMs));
    this.#deps.report({
      tenant,
      subscriber: subscriber.id,
      kind: subscriber.kind,
      delivered: this.#delivered,
      refusals: this.#refusals,
      isPaused: pause !== undefined,
      lagMs: Number.isFinite(oldestMs) ? Math.max(0, this.#deps.clock.now() - oldestMs) : 0,
      ...(failure !== undefined && { failure }),
      ...(this.#defect !== undefined && { defect: this.#defect }),
    });
  }
}
