/** A group as the service stores it, for every protocol. */
import { withStore } from "../../kernel/domain/username.ts";
import type { Bulk } from "../memberships/bulk-model.ts";
import type { Tally } from "../memberships/tally.ts";

/** One group. */
export interface Group extends Tally {
  readonly id: string;
  /** Without a store. Unique in its store, in any case. */
  readonly displayName: string;
  readonly userStore: string;
  readonly externalId?: string | undefined;
  readonly createdMs: number;
  readonly modifiedMs: number;
  /** Grows with every change of the group or of its members. */
  readonly version: number;
  /** The roles of the group. A deleted role may still be among them. */
  readonly roleIds: readonly string[];
  /** The bulk membership that is being carried out. The tally is that of its end. */
  readonly bulk?: Bulk | undefined;
}

/** The name with its store, where that is not PRIMARY. */
export function shownName({ userStore, displayName }: Pick<Group, "userStore" | "displayName">): string {
  return withStore(userStore, displayName);
}
