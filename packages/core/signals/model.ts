/** Streams of security events (SSF 1.0), and the subjects of events. */
import { createHash } from "node:crypto";
import { SUPER_TENANT } from "../domain/tenant.ts";
import { callerId, type Principal } from "../operation/context.ts";
import { isFull, supportedTypes } from "./event-types.ts";

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
  /** The id of the user, or the client id. */
  readonly subject: string;
}

/** One stream. */
export interface Stream {
  readonly id: string;
  readonly owner: StreamOwner;
  readonly description?: string | undefined;
  readonly requested: readonly string[];
  readonly delivery: Delivery;
  readonly status: StreamStatus;
  readonly reason?: string | undefined;
  readonly createdMs: number;
  /** The place in the feed of changes: every event before it was received. */
  readonly cursor: string;
  /** The ids of events after that place that were received. */
  readonly received: readonly string[];
  /** True once a subject was left out. */
  readonly hasExclusions: boolean;
  readonly version: number;
}

/** The owner that a principal is. */
export function ownerOf({ kind, subject }: Principal): StreamOwner {
  return { kind, subject };
}

/** Whether a stream belongs to a caller. */
export function isOwn({ owner }: Stream, principal: Principal): boolean {
  return callerId(principal) === callerId({ ...principal, ...owner } as Principal);
}

/** The owner of the sealed header of a stream. */
export function sealOwner(tenant: string, id: string): string {
  return `signal-stream ${tenant} ${id}`;
}

/**
 * The types that a stream delivers. Events with data are pushed for applications alone: their rights can be checked at
 * any time, those of a person only while the person calls.
 */
export function deliveredTypes({ requested, delivery, owner }: Pick<Stream, "requested" | "delivery" | "owner">) {
  const withoutData = delivery.method === PUSH && owner.kind === "user";
  return supportedTypes.filter((type) => requested.includes(type) && !(withoutData && isFull(type)));
}

/** The SCIM resource types with events, and the scope that lets a receiver read their data. */
export const subjectTypes = {
  user: { path: "/Users/", scope: "internal_user_mgt_view" },
  group: { path: "/Groups/", scope: "internal_group_mgt_view" },
  role: { path: "/v2/Roles/", scope: "internal_role_mgt_view" },
} as const;

export type SubjectType = keyof typeof subjectTypes;

/** A resource that events are about. */
export interface Subject {
  readonly type: SubjectType;
  readonly id: string;
}

export function isSubjectType(type: string): type is SubjectType {
  return Object.hasOwn(subjectTypes, type);
}

/** The path of a resource below the SCIM service (RFC 9967 section 2.1). */
export function scimPath({ type, id }: Subject): string {
  return `${subjectTypes[type].path}${id}`;
}

/** The resource of a path below the SCIM service. */
export function subjectAt(path: string): Subject | undefined {
  for (const type of Object.keys(subjectTypes) as SubjectType[]) {
    const start = subjectTypes[type].path;
    const id = path.slice(start.length);
    if (path.startsWith(start) && id !== "" && !id.includes("/")) return { type, id };
  }
  return undefined;
}

/** What a subject is stored by. */
export function subjectDigest(subject: Subject): string {
  return createHash("sha256").update(scimPath(subject)).digest("base64url");
}

/** The base of the addresses of a tenant's streams, without a slash at its end. */
export function signalsBase(origin: string, tenant: string): string {
  return `${origin}${tenant === SUPER_TENANT ? "" : `/t/${tenant}`}/ssf`;
}
