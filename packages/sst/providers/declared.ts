/** Compares what a program declares with what the service has: only the declared members count. */
import { createHash } from "node:crypto";
import type { Method } from "../../client/client.ts";
import type { Shown } from "../declarations.ts";

/** What Pulumi passes for a value that another resource will have after it was created. */
const UNKNOWN = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";

export type Members = Readonly<Record<string, unknown>>;

export function isObject(value: unknown): value is Members {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A value without absent members: null means absent for the service, and Pulumi stores no `undefined`. */
export function present<T>(value: T): T;
export function present(value: unknown): unknown {
  if (Array.isArray(value)) return value.map((each) => present(each));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, each]) =>
      each === undefined || each === null ? [] : [[name, present(each as unknown)]],
    ),
  );
}

/** Whether some part of a value is known after a deployment only. */
export function hasUnknown(value: unknown): boolean {
  if (value === UNKNOWN) return true;
  return typeof value === "object" && value !== null && Object.values(value).some(hasUnknown);
}

/** Whether the service has all that is declared. It may have more members; lists are compared as a whole. */
function covers(now: unknown, declared: unknown): boolean {
  if (Array.isArray(declared)) {
    return (
      Array.isArray(now) && now.length === declared.length && declared.every((each, index) => covers(now[index], each))
    );
  }
  if (!isObject(declared)) return now === declared;
  return isObject(now) && Object.entries(declared).every(([name, each]) => covers(now[name], each));
}

/** The members of `now` that are declared, at any depth. */
function projected(now: unknown, declared: unknown): unknown {
  if (Array.isArray(declared) && Array.isArray(now)) return now.map((each, index) => projected(each, declared[index]));
  if (!isObject(declared) || !isObject(now)) return now;
  return Object.fromEntries(
    Object.entries(declared).flatMap(([name, each]) => (name in now ? [[name, projected(now[name], each)]] : [])),
  );
}

/** `now` with the declared members in place of its own, and without those that were declared before. */
export function merged(now: unknown, declared: unknown, before: unknown): unknown {
  if (!isObject(now) || !isObject(declared)) return declared;
  const dropped = isObject(before) ? Object.keys(before).filter((name) => !(name in declared)) : [];
  const kept = Object.entries(now).filter(([name]) => !dropped.includes(name) && !(name in declared));
  const own = Object.entries(declared).map(([name, each]) => [
    name,
    merged(now[name], each, isObject(before) ? before[name] : undefined),
  ]);
  return Object.fromEntries([...kept, ...own]);
}

/** The same text for equal values. */
function fingerprint(value: unknown): string {
  return createHash("sha256").update(canonical(value)).digest("base64url");
}

function isSame(one: unknown, other: unknown): boolean {
  return canonical(one) === canonical(other);
}

function canonical(value: unknown): string {
  return JSON.stringify(value, (_, each) =>
    isObject(each) ? Object.fromEntries(Object.entries(each).sort(([a], [b]) => (a < b ? -1 : 1))) : each,
  );
}

/** A part that a program declares. */
export interface Part {
  /** A member of the resource, or a protocol. */
  readonly key: string;
  /** In the order of `now`, where order has no meaning. */
  readonly declared: unknown;
  /** As it was written, if that is another order. */
  readonly written?: unknown;
  /** What the last deployment declared. */
  readonly before?: unknown;
  /** What the service has, in the form of what is declared. */
  readonly now: unknown;
  /** What of it is compared with the last deployment: by default the declared members. */
  readonly seen?: unknown;
}

/** A request that makes a part as it is declared. */
export interface Change {
  readonly keys: readonly string[];
  readonly method: Method;
  readonly path: `/${string}`;
  readonly body?: unknown;
  readonly ifMatch?: string | undefined;
  /** It cannot be rehearsed: it needs what the same deployment makes first. */
  readonly isLate?: boolean;
}

/**
 * Whether a part needs no change: the service has what is declared; or the declaration is that of the last deployment,
 * and the service shows what it showed then. A service may show a value in another form than it takes it.
 */
export function isSettled(part: Part, shown: Shown | undefined): boolean {
  if (hasUnknown(part.declared)) return false;
  if (covers(part.now, part.declared)) return true;
  return isSame(part.declared, part.before) && shown?.[part.key] === seenOf(part);
}

/** The fingerprints of all parts. */
export function shownOf(parts: readonly Part[]): Shown {
  return Object.fromEntries(parts.map((part) => [part.key, seenOf(part)]));
}

/** The members that outputs show: as declared, or as they are where they differ. */
export function readBack(part: Part, shown: Shown | undefined): unknown {
  const { declared, written = declared, now } = part;
  return isSettled(part, shown) ? written : projected(now, declared);
}

function seenOf({ declared, now, seen = projected(now, declared) }: Part): string {
  return fingerprint(seen ?? null);
}

/** A value of an answer as an object. */
export function membersOf(value: unknown): Members {
  return (value ?? {}) as Members;
}
