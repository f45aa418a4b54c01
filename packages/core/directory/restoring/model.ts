/** How deleted users, groups and roles are restored. */
import type { Aside } from "../../database/trash/aside-rows.ts";

/** A request to restore a resource. */
export interface Again {
  readonly tenant: string;
  readonly aside: Aside;
  /** Another name than it had, without a user store. */
  readonly name: string | undefined;
  readonly nowMs: number;
  /** The error where it is restored already, or removed for good. */
  readonly absent: () => Error;
}

/** What a restored resource does not have any more, because it does not exist. */
export interface LeftOut {
  readonly members: number;
  readonly groups: number;
  readonly roles: number;
}

/** A restored resource. */
export interface Restored {
  readonly name: string;
  readonly leftOut: LeftOut;
}

export const nothingLeftOut: LeftOut = { members: 0, groups: 0, roles: 0 };

const SECONDS_PER_DAY = 24 * 60 * 60;

/** For how many days a resource was put aside. */
export function daysOf({ deletedMs, expiresAtSeconds }: Pick<Aside, "deletedMs" | "expiresAtSeconds">): number {
  return Math.max(1, Math.round((expiresAtSeconds - deletedMs / 1_000) / SECONDS_PER_DAY));
}
