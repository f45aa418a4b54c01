/**
 * Subscribers of the changes of a tenant, and how far their deliveries are (decision 0088). Webhooks and streams are
 * kinds of subscribers; the engine knows of a kind only what this file says.
 */
import type { ChangeRecord, Json } from "../../database/changes/model.ts";

/** The lease of a worker. It is longer than two attempts, and another worker waits so long after a crash. */
export const LEASE_MS = 60_000;
/** Records that are read at once. */
export const PAGE = 50;
/** A tenant with changes is read again after this time: the feed shows some of them late. */
export const SETTLED_MS = 45_000;

/** The kinds of subscribers. */
export const subscriberKinds = ["webhook", "stream"] as const;
export type SubscriberKindName = (typeof subscriberKinds)[number];

/** What its owner decides about a subscriber. The delivery function reads it and never writes it. */
export interface Subscriber {
  readonly id: string;
  readonly kind: SubscriberKindName;
  /** False while its owner has turned it off: nothing is delivered, and its cursor stays. */
  readonly isActive: boolean;
  /** The settings of its kind, as JSON. Secrets in them are sealed. */
  readonly settings: Readonly<Record<string, Json>>;
  /** Unique among the subscribers of the tenant, such as an endpoint; absent where nothing must be unique. */
  readonly claim?: string;
  /** The slot of its group that it holds (slots.ts). The store assigns it. */
  readonly slot?: string;
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
}

/** Why nothing is delivered to a subscriber, although its owner has not turned it off. */
export interface Pause {
  /** One sentence for its owner. */
  readonly reason: string;
  readonly atMs: number;
}

/** Failed attempts since the last success, and when the next one is made. */
export interface Failures {
  readonly failures: number;
  /** When the first of them was; 0 without one. */
  readonly firstFailureMs: number;
  /** No attempt is made before it; 0 for at once. */
  readonly nextAttemptMs: number;
}

/** A resource whose events fail while others are accepted: they wait, and the others do not. */
export interface HeldResource extends Failures {
  readonly resource: string;
}

/** How far the delivery to a subscriber is. Its own failures are those of a receiver that accepts nothing. */
export interface Progress extends Failures {
  /** The position in the feed of the tenant. All before it was delivered or refused for good. */
  readonly cursor: string;
  /**
   * The ids of the records after the cursor that were delivered, where others before them are not. Records that become
   * visible late may stand between them.
   */
  readonly delivered: readonly string[];
  /** Of a receiver that fetches its messages: the ids of those after the cursor that it has. */
  readonly received?: readonly string[];
  /** Messages besides those of changes: delivered first, in this order. Texts that the kind understands. */
  readonly asides: readonly string[];
  readonly pause?: Pause;
  readonly held: readonly HeldResource[];
  /** The last failed attempt, in one sentence for its owner; absent where nothing fails. */
  readonly lastFailure?: string;
  /** When a message was last delivered; 0 for never. */
  readonly lastDeliveryMs: number;
  /** Of the rights that its settings say, those that the owner did not have any more at the last delivery. */
  readonly lost?: readonly string[];
  /** Until then, the worker that wrote it delivers alone; 0 for no worker. */
  readonly leasedUntilMs: number;
}

/** A subscriber with its progress. */
export interface SubscriberState {
  readonly tenant: string;
  readonly subscriber: Subscriber;
  readonly progress: Progress;
  /** The version of the row of each, for conditions. */
  readonly versions: { readonly subscriber: number; readonly progress: number };
}

/** One message for a receiver. */
export interface Message {
  /** The same at each attempt, also of another worker: receivers recognise repetitions by it. */
  readonly id: string;
  /** When the change was made. */
  readonly atMs: number;
  readonly body: string;
}

/** What became of one attempt. */
export type Outcome =
  | { readonly kind: "delivered" }
  /** The receiver has read the message and never accepts it: the next one follows. */
  | { readonly kind: "refused"; readonly what: string }
  /** Another attempt may succeed. `what`: one sentence for the owner. `afterMs`: not before that many milliseconds. */
  | { readonly kind: "failed"; readonly what: string; readonly afterMs?: number }
  /** The receiver wants no further messages. */
  | { readonly kind: "gone"; readonly reason: string };

/** What distinguishes a kind of subscribers. */
export interface SubscriberKind {
  /** False for a subscriber that fetches its messages itself: nothing is sent to it. */
  isPushed(subscriber: Subscriber): boolean;
  /** The messages of a record, in order; empty where the subscriber has not asked for such records. */
  messagesOf(state: SubscriberState, record: ChangeRecord): readonly Message[] | Promise<readonly Message[]>;
  /** The message of a text in `asides`; `undefined` for one that is not worth sending any more. */
  messageOfAside?(state: SubscriberState, aside: string): Message | undefined | Promise<Message | undefined>;
  /** Of the rights that the settings of a subscriber say, those that its owner has no more; absent: none are named. */
  lostBy?(state: SubscriberState): Promise<readonly string[]>;
  /** One attempt. It ends within 15 seconds, and puts no secret into its outcome. */
  send(state: SubscriberState, message: Message): Promise<Outcome>;
}

/**
 * The changes of a tenant (packages/core/database/changes/feed.ts): those of one resource in order. A record that
 * becomes visible late follows records with greater ids.
 */
export interface Feed {
  /** The records after a cursor, at most `limit`, the cursor after them, and whether more may be visible already. */
  read(
    tenant: string,
    cursor: string,
    limit: number,
    nowMs: number,
  ): Promise<{ readonly records: readonly ChangeRecord[]; readonly next: string; readonly mayBeMore: boolean }>;
}

/** The progress of a subscriber that starts at a cursor: with its creation, and when it is replayed. */
export function startingAt(cursor: string): Progress {
  return {
    cursor,
    delivered: [],
    asides: [],
    held: [],
    failures: 0,
    firstFailureMs: 0,
    nextAttemptMs: 0,
    lastDeliveryMs: 0,
    leasedUntilMs: 0,
  };
}

/** The progress without pause and failures, for a subscriber that its owner turns on again at its cursor. */
export function resumed({ pause: _, lastFailure: __, ...progress }: Progress): Progress {
  return { ...progress, held: [], failures: 0, firstFailureMs: 0, nextAttemptMs: 0 };
}

/** The failures that its owner sees: of the receiver, or of the resources that are held. */
export function shownFailures({ failures, nextAttemptMs, held }: Progress): Omit<Failures, "firstFailureMs"> {
  if (failures > 0 || held.length === 0) return { failures, nextAttemptMs };
  return {
    failures: Math.max(...held.map((each) => each.failures)),
    nextAttemptMs: Math.min(...held.map((each) => each.nextAttemptMs)),
  };
}

/** Records that are due, and the cursor after them. */
export interface DueRecords {
  readonly records: readonly ChangeRecord[];
  readonly next: string;
}

/**
 * The records that are due for a subscriber, at most `limit`: those after its cursor, without those that were delivered
 * already. Empty where nothing more is due. Usually one call of the feed.
 */
export async function dueRecords(
  feed: Feed,
  tenant: string,
  { cursor, delivered }: Pick<Progress, "cursor" | "delivered">,
  limit: number,
  nowMs: number,
): Promise<DueRecords> {
  const isDelivered = new Set(delivered);
  for (let from = cursor; ; ) {
    const page = await feed.read(tenant, from, limit, nowMs);
    const records = page.records.filter(({ id }) => !isDelivered.has(id));
    if (records.length > 0 || page.records.length === 0) return { records, next: page.next };
    from = page.next;
  }
}
