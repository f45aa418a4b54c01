/** A resource in parts, each of which is compared and changed on its own. */
import type { Method } from "../../client/client.ts";
import type { Shown } from "../declarations.ts";
import { covers, fingerprint, hasUnknown, isSame, type Members, projected } from "./declared.ts";

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
