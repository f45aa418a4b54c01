/** Streams of security events (SSF 1.0), and the subjects of events. */

import { callerId, type Principal } from "../../kernel/operation/context.ts";
import type { Progress } from "../delivery/model.ts";
import { isFull, supportedTypes } from "./event-types.ts";
import type { Subject } from "./subjects.ts";

/** `paused`: events wait. `disabled`: events are left out. */
export const streamStatuses = ["enabled", "paused", "disabled"] as const;
export type StreamStatus = (typeof streamStatuses)[number];

export const PUSH = "urn:ietf:rfc:8935";
export const POLL = "urn:ietf:rfc:8936";

/** How a stream is delivered. */
export type Delivery =
  | { readonly method: typeof POLL }
  | {
      readonly method: typeof PUSH;
      readonly url: string;
      /** The value of `Authorization` in each request to the receiver, sealed for `sealOwner`. */
      readonly sealedAuthorization?: string | undefined;
    };

/** Who a stream belongs to: what created it. */
export interface StreamOwner {
  readonly kind: Principal["kind"];
  /** The id of the user, or the client id. It is the audience of the events. */
  readonly subject: string;
}

/** What the owner decides about a stream. */
export interface StreamSettings {
  readonly owner: StreamOwner;
  readonly description?: string | undefined;
  readonly requested: readonly string[];
  readonly delivery: Delivery;
  readonly status: StreamStatus;
  readonly reason?: string | undefined;
  /** The digests of the subjects that are left out. */
  readonly excluded: readonly string[];
}

/** One stream. */
export interface Stream extends StreamSettings {
  readonly id: string;
  readonly tenant: string;
  readonly progress: Progress;
}

/** A message of a stream besides those of changes. */
export type Aside = { readonly jti: string } & (
  | { readonly name: "verification" | "updated"; readonly payload: Readonly<Record<string, string>> }
  | { readonly name: "feed:add" | "feed:remove"; readonly subject: Subject }
);

/** The owner that a principal is. */
export function ownerOf({ kind, subject }: Principal): StreamOwner {
  return { kind, subject };
}

/** Whether a stream belongs to a caller. */
export function isOwn({ owner }: StreamSettings, principal: Principal): boolean {
  return callerId(principal) === (owner.kind === "user" ? owner.subject : `client ${owner.subject}`);
}

/** The owner of the sealed header of a stream. */
export function sealOwner(tenant: string, id: string): string {
  return `signal-stream ${tenant} ${id}`;
}

/**
 * The types that a stream delivers. Events with data are pushed for applications alone: their rights can be checked at
 * any time, those of a person only while the person calls.
 */
export function deliveredTypes({
  requested,
  delivery,
  owner,
}: Pick<StreamSettings, "requested" | "delivery" | "owner">) {
  const withoutData = delivery.method === PUSH && owner.kind === "user";
  return supportedTypes.filter((type) => requested.includes(type) && !(withoutData && isFull(type)));
}

/** The status that its owner has set, or the pause after failed deliveries. */
export function statusOf({ status, reason, progress: { pause } }: Stream): {
  readonly status: StreamStatus;
  readonly reason?: string | undefined;
} {
  return pause && status === "enabled" ? { status: "paused", reason: pause.reason } : { status, reason };
}
