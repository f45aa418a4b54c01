/** What a worker uses to deliver, and what it reports. */
import type { Clock } from "../../kernel/clock.ts";
import type { Feed, SubscriberKind, SubscriberKindName } from "./model.ts";
import type { DeliveryStore } from "./subscriber-store.ts";

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
